/* SPDX-License-Identifier: ISC */
/*
 * The programs of kcov and their tables: loaded by the first who enables, and
 * kept.  Those that tell of exit and exec are attached while somebody is traced.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kcov_open.h"

#include "dt_btf.h"
#include "dt_softc.h"
#include "grace.h"
#include "kcov.skel.h"
#include "kcov_softc.h"

/* All [K]; the skeleton is constant once it is there. */
static struct kcov_bpf *kcov_skel;
static unsigned int nhooked;
static struct bpf_link *hooks[2];

static int
load_object(const struct kmethod *km)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct kcov_bpf *skel = kcov_bpf__open_opts(&opts);
	int error;

	if (skel == NULL)
		return errno;
	bpf_program__set_autoload(skel->progs.kcov_entry, true);
	bpf_program__set_expected_attach_type(skel->progs.kcov_entry,
	    km->km_type);
	if ((error = -kcov_bpf__load(skel)) != 0) {
		kcov_bpf__destroy(skel);
		return error;
	}
	if (skel->bss == NULL) { /* as in dt_maps_seen() */
		kcov_bpf__destroy(skel);
		return EOPNOTSUPP;
	}
	kcov_skel = skel;
	return 0;
}

int
kcov_load(const struct kmethod *km, char *text)
{
	int error = 0;

	if (kcov_skel == NULL && (error = grace_init()) == 0)
		error = load_object(km);
	if (error != 0)
		snprintf(text, IOCTL_TEXT,
		    "this kernel refuses the programs of kcov: %s",
		    dt_refused(error));
	return error;
}

int
kcov_progfd(void)
{
	return bpf_program__fd(kcov_skel->progs.kcov_entry);
}

int
kcov_bufsfd(void)
{
	return bpf_map__fd(kcov_skel->maps.kcov_bufs);
}

struct kcov_line *
kcov_line(unsigned int slot)
{
	return kcov_skel != NULL ? &kcov_skel->bss->kcov_lines[slot] : NULL;
}

uint64_t
kcov_prog_missed(void)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(kcov_progfd(), &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/*
 * Who is traced.  A bit stands for many numbers, and for a thread as for a
 * process; a program may set one, too, when exec changes a number.
 */

static uint64_t *
bits_word(uint64_t key)
{
	return (uint64_t *)&kcov_skel->bss->kcov_bits[KCOV_WORD((uint32_t)key)];
}

static void
bits_set(uint64_t key)
{
	__atomic_or_fetch(bits_word(key), KCOV_BIT((uint32_t)key),
	    __ATOMIC_SEQ_CST);
}

int
kcov_key_add(uint64_t key, unsigned int slot)
{
	uint32_t value = slot;

	bits_set(key);
	if (bpf_map_update_elem(bpf_map__fd(kcov_skel->maps.kcov_threads), &key,
		&value, BPF_ANY) != 0)
		return errno;
	return 0;
}

void
kcov_key_del(uint64_t key)
{
	(void)bpf_map_delete_elem(bpf_map__fd(kcov_skel->maps.kcov_threads),
	    &key);
}

/* Taken away first, then given back if another wants it: so one that a program
 * sets meanwhile is not lost. */
void
kcov_bit_del(uint64_t key)
{
	const struct kcov_dev *kd;
	uint64_t other;

	__atomic_and_fetch(bits_word(key), ~KCOV_BIT((uint32_t)key),
	    __ATOMIC_SEQ_CST);
	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		if (!kd->kd_isarmed)
			continue;
		other = kd->kd_isremote ? kd->kd_key
					: kcov_line(kd->kd_slot)->kl_tid;
		if (other != 0)
			bits_set(other);
	}
}

static void
hooks_detach(void)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		bpf_link__destroy(hooks[i]);
		hooks[i] = NULL;
	}
}

int
kcov_hooks_get(char *text)
{
	int error;

	if (nhooked == 0) {
		hooks[0] = bpf_program__attach(kcov_skel->progs.kcov_exit);
		hooks[1] = bpf_program__attach(kcov_skel->progs.kcov_exec);
		if (hooks[0] == NULL || hooks[1] == NULL) {
			error = errno;
			hooks_detach();
			snprintf(text, IOCTL_TEXT,
			    "cannot attach to exit and exec: %s",
			    strerror(error));
			return error;
		}
	}
	nhooked++;
	return 0;
}

void
kcov_hooks_put(void)
{
	if (--nhooked == 0)
		hooks_detach();
}
