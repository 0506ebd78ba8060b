/* SPDX-License-Identifier: ISC */
/*
 * Manages runs and entries of the programs' table. A link delivers hits only
 * while its run is valid in the table, so a halt takes effect at once although
 * detaching is slow.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "daemon/base/log.h"
#include "daemon/dt/prov/dt_prov_kprobe_load.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"

static pthread_mutex_t lines_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint8_t line_used[DT_NKENTRY]; /* by lines_mtx */
static uint32_t last_run;	      /* by lines_mtx */

static int
line_alloc(uint16_t *line)
{
	static unsigned int next; /* by lines_mtx */
	unsigned int i, n;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < DT_NKENTRY; i++) {
		n = (next + i) & (DT_NKENTRY - 1);
		if (line_used[n])
			continue;
		line_used[n] = 1;
		next = n + 1;
		*line = n;
		break;
	}
	pthread_mutex_unlock(&lines_mtx);
	return i < DT_NKENTRY ? 0 : ENOSPC;
}

int
kprobe_run_entry(struct kprobe_run *ks, const struct dt_kprobe_entry *kl,
    uint16_t *line)
{
	size_t i, max = ks->kpr_maxentries == 0 ? 16 : 2 * ks->kpr_maxentries;
	uint16_t *lines;
	int error;

	for (i = 0; i < ks->kpr_nentries; i++)
		if (memcmp(&kprobe_load_table()->ktb_entry[ks->kpr_entries[i]],
			kl, sizeof(*kl)) == 0) {
			*line = ks->kpr_entries[i];
			return 0;
		}
	if (ks->kpr_nentries == ks->kpr_maxentries) {
		lines = realloc(ks->kpr_entries, max * sizeof(*lines));
		if (lines == NULL)
			return ENOMEM;
		ks->kpr_entries = lines;
		ks->kpr_maxentries = max;
	}
	if ((error = line_alloc(line)) != 0)
		return error;
	kprobe_load_table()->ktb_entry[*line] = *kl;
	ks->kpr_entries[ks->kpr_nentries++] = *line;
	return 0;
}

/* Returns a number for a run of the slot, unused by links that remain. */
static uint32_t
run_alloc(void)
{
	uint32_t run;

	pthread_mutex_lock(&lines_mtx);
	if (((run = ++last_run) & DT_KRUN_MASK) == 0)
		run = ++last_run;
	pthread_mutex_unlock(&lines_mtx);
	return run & DT_KRUN_MASK;
}

static void
kprobe_run_free(struct kprobe_run *ks)
{
	size_t i;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < ks->kpr_nentries; i++)
		line_used[ks->kpr_entries[i]] = 0;
	pthread_mutex_unlock(&lines_mtx);
	free(ks->kpr_entries);
	free(ks->kpr_holes);
	free(ks);
}

/* Sets the run of the session whose hits count; 0: none. */
static void
set_run(const struct dt_enabled *en, uint32_t run)
{
	struct dt_kprobe_table *kt = kprobe_load_table();

	__atomic_store_n(&kt->ktb_holes[en->den_client->dcl_slot], 0,
	    __ATOMIC_SEQ_CST);
	__atomic_store_n(&kt->ktb_run[en->den_client->dcl_slot], run,
	    __ATOMIC_SEQ_CST);
}

int
kprobe_run_begin(struct dt_enabled *en)
{
	if ((en->den_kprobes = calloc(1, sizeof(*en->den_kprobes))) == NULL)
		return ENOMEM;
	en->den_kprobes->kpr_run = run_alloc();
	set_run(en, en->den_kprobes->kpr_run);
	return 0;
}

void
kprobe_run_uses(struct kprobe_run *ks, enum attach_kind which)
{
	ks->kpr_missed0[which] = kprobe_load_missed(which);
	ks->kpr_attached |= 1U << which;
}

void
kprobe_run_halt(struct dt_enabled *en)
{
	if (en->den_kprobes == NULL)
		return;
	__atomic_store_n(&kprobe_load_table()
			      ->ktb_run[en->den_client->dcl_slot],
	    0, __ATOMIC_SEQ_CST);
	en->den_kprobes->kpr_run = 0;
}

/* The link stays, but delivers no more hits. */
static void
hole(struct dt_enabled *en, const struct dt_pcb *dp)
{
	struct kprobe_run *ks = en->den_kprobes;
	uint64_t key = DT_KCOOKIE(en->den_client->dcl_slot, ks->kpr_run, 0,
	    dp->dp_dtp->dtp_pbn);
	uint64_t *holes;
	uint8_t one = 1;

	holes = realloc(ks->kpr_holes, (ks->kpr_nholes + 1) * sizeof(*holes));
	if (holes != NULL) {
		ks->kpr_holes = holes;
		holes[ks->kpr_nholes] = key;
	}
	if (holes == NULL ||
	    bpf_map_update_elem(kprobe_load_holesfd(), &key, &one, BPF_ANY) !=
		0) {
		/* the map is full: disable all probes */
		log_warnx(
		    "kprobe: too many disabled probes, disabling the whole session");
		kprobe_run_halt(en);
		return;
	}
	ks->kpr_nholes++;
	__atomic_store_n(&kprobe_load_table()
			      ->ktb_holes[en->den_client->dcl_slot],
	    1, __ATOMIC_SEQ_CST);
}

void
kprobe_run_disable(struct dt_enabled *en, const struct dt_pcb *dp)
{
	if (en->den_kprobes != NULL && en->den_kprobes->kpr_run != 0)
		hole(en, dp);
}

/* Adds the hits that the kernel skipped, if it counts them. */
static void
account(struct dt_enabled *en)
{
	const struct kprobe_run *ks = en->den_kprobes;
	int64_t missed = attach_missed(&ks->kpr_links);
	int which;

	if (missed == -1) {
		en->den_counted->dcn_missed_unknown = 1;
		en->den_counted->dcn_returns_unknown |= ks->kpr_links.al_nkret >
		    0;
		return;
	}
	en->den_counted->dcn_missed[DT_TALLY_KPROBE] += missed;
	for (which = 0; which < ATTACH_NPROG; which++)
		if (ks->kpr_attached & (1U << which))
			en->den_counted->dcn_missed[DT_TALLY_KPROBE] +=
			    kprobe_load_missed(which) - ks->kpr_missed0[which];
}

void
kprobe_run_end(struct dt_enabled *en)
{
	struct kprobe_run *ks = en->den_kprobes;
	size_t i;

	if (ks == NULL)
		return;
	account(en);
	attach_release(&ks->kpr_links);
	for (i = 0; i < ks->kpr_nholes; i++)
		(void)bpf_map_delete_elem(kprobe_load_holesfd(),
		    &ks->kpr_holes[i]);
	en->den_kprobes = NULL;
	kprobe_run_free(ks);
}
