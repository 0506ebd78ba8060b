/* SPDX-License-Identifier: ISC */
/*
 * Copies records from the device's memory during the run, so that a command may
 * cause more of them than fit.
 *
 * The writer claims an entry by incrementing the count in the first word, and
 * then fills the entry: one that is still 0 is read in a later pass.  Copied
 * entries are set to 0.  The count is reset to 0 by compare-and-swap when all
 * counted entries were copied, so no record is lost; if another one was added
 * meanwhile, it is copied, and the reset is tried again.
 *
 * With KCOV_MODE_USER the program can write all of the memory: nothing in it is
 * trusted.
 */
#include <string.h>

#include "cli/kcov/kcov.h"

#define DRAIN_KEYS  1000000 /* different records; memory is the user's */
#define DRAIN_SHARE 4	    /* resets when 1/4 of the memory is used */
#define DRAIN_TRIES 64	    /* attempts while records keep arriving */

void
kcov_drain_init(struct kcov_drain *kd, uint64_t *buf, size_t nentries, int mode)
{
	memset(kd, 0, sizeof(*kd));
	kd->kd_buf = buf;
	kd->kd_len = mode == KCOV_MODE_TRACE_CMP ? 4 : 1;
	kd->kd_max = (nentries - 1) / kd->kd_len;
}

void
kcov_drain_free(struct kcov_drain *kd)
{
	hash_clear(&kd->kd_records);
}

/* Copies the next record, if it is complete. */
static int
drain_record(struct kcov_drain *kd, struct kcov_record *kr)
{
	uint64_t *entry = kd->kd_buf + 1 + kd->kd_next * kd->kd_len;
	uint64_t pc = __atomic_load_n(&entry[kd->kd_len - 1], __ATOMIC_ACQUIRE);

	if (pc == 0)
		return 0;
	memset(kr, 0, sizeof(*kr));
	kr->krc_pc = pc;
	if (kd->kd_len == 4) {
		kr->krc_type = entry[0];
		kr->krc_arg1 = entry[1];
		kr->krc_arg2 = entry[2];
	}
	memset(entry, 0, kd->kd_len * sizeof(*entry));
	return 1;
}

static void
drain_count(struct kcov_drain *kd, const struct kcov_record *kr)
{
	struct hash_entry *e;

	kd->kd_n++;
	if (kd->kd_records.ha_n < DRAIN_KEYS)
		e = hash_get(&kd->kd_records, kr, sizeof(*kr));
	else if ((e = hash_find(&kd->kd_records, kr, sizeof(*kr))) == NULL) {
		kd->kd_nothers++;
		return;
	}
	if (e->he_count++ == 0)
		e->he_sum = kd->kd_n;
}

/* Reads the count and detects a full memory.  Returns the count. */
static uint64_t
drain_look(struct kcov_drain *kd)
{
	uint64_t count = __atomic_load_n(kd->kd_buf, __ATOMIC_ACQUIRE);
	uint64_t n = count < kd->kd_max ? count : kd->kd_max;

	/* the program has restarted the count */
	if (n < kd->kd_next || (kd->kd_next > 0 && kd->kd_buf[kd->kd_len] != 0))
		kd->kd_next = 0;
	if (n == kd->kd_max && kd->kd_next < n)
		kd->kd_nfull++;
	return count;
}

static size_t
drain_taken(struct kcov_drain *kd, uint64_t n, int isover)
{
	struct kcov_record kr;
	size_t taken = 0;

	for (; kd->kd_next < n; kd->kd_next++) {
		if (drain_record(kd, &kr)) {
			drain_count(kd, &kr);
			taken++;
		} else if (!isover)
			break;
	}
	return taken;
}

size_t
kcov_drain(struct kcov_drain *kd, int isover)
{
	size_t taken = 0;
	uint64_t count, n;
	int i;

	for (i = 0; i < DRAIN_TRIES; i++) {
		count = drain_look(kd);
		n = count < kd->kd_max ? count : kd->kd_max;
		taken += drain_taken(kd, n, isover);
		if (n <= kd->kd_max / DRAIN_SHARE)
			break;
		if (kd->kd_next == n &&
		    __atomic_compare_exchange_n(kd->kd_buf, &count, 0, 0,
			__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			kd->kd_next = 0;
			break;
		}
	}
	return taken;
}
