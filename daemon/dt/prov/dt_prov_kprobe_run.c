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
#include <sys/mman.h>

#include "daemon/base/log.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"

static pthread_mutex_t lines_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint32_t last_run; /* by lines_mtx */

int
run_table_make(struct run_table *ft)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, sparse,
	    .map_flags = BPF_F_NO_PREALLOC);
	void *p;

	if (ft->fut_table != NULL)
		return 0;
	if (ft->fut_tablefd < 0)
		ft->fut_tablefd = bpf_map_create(BPF_MAP_TYPE_ARRAY,
		    "dt_ktable", 4, sizeof(*ft->fut_table), 1, &mmapable);
	if (ft->fut_holesfd < 0)
		ft->fut_holesfd = bpf_map_create(BPF_MAP_TYPE_HASH, "dt_kholes",
		    8, 1, DT_KHOLES, &sparse);
	if (ft->fut_tablefd < 0 || ft->fut_holesfd < 0)
		return ft->fut_tablefd < 0 ? -ft->fut_tablefd
					   : -ft->fut_holesfd;
	p = mmap(NULL, sizeof(*ft->fut_table), PROT_READ | PROT_WRITE,
	    MAP_SHARED, ft->fut_tablefd, 0);
	if (p == MAP_FAILED)
		return errno;
	ft->fut_table = p;
	return 0;
}

static int
line_alloc(struct run_table *ft, uint16_t *line)
{
	static unsigned int next; /* by lines_mtx */
	unsigned int i, n;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < DT_NKENTRY; i++) {
		n = (next + i) & (DT_NKENTRY - 1);
		if (ft->fut_used[n])
			continue;
		ft->fut_used[n] = 1;
		next = n + 1;
		*line = n;
		break;
	}
	pthread_mutex_unlock(&lines_mtx);
	return i < DT_NKENTRY ? 0 : ENOSPC;
}

void
kprobe_run_texts(struct dt_kprobe_entry *kl, const uint8_t *how,
    const struct dt_pcb *dp, int isreturn)
{
	unsigned int i;

	if (isreturn)
		kl->kl_rettext = (dp->dp_texts & DTEVT_RETTEXT) != 0;
	for (i = 0; i < kl->kl_nargs && i < DTEVT_NTEXTS; i++)
		if ((how[i] & DT_KARG_STRING) || (dp->dp_texts & DTEVT_TEXT(i)))
			kl->kl_texts |= 1U << i;
	if (kl->kl_texts == 0 && !kl->kl_rettext)
		kl->kl_req.rq_evtflags &= ~DT_EVT_STRINGS;
}

int
kprobe_run_entry(struct kprobe_run *ks, const struct dt_kprobe_entry *kl,
    uint16_t *line)
{
	size_t i, max = ks->kpr_maxentries == 0 ? 16 : 2 * ks->kpr_maxentries;
	struct dt_kprobe_table *table = ks->kpr_table->fut_table;
	uint16_t *lines;
	int error;

	for (i = 0; i < ks->kpr_nentries; i++)
		if (memcmp(&table->ktb_entry[ks->kpr_entries[i]], kl,
			sizeof(*kl)) == 0) {
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
	if ((error = line_alloc(ks->kpr_table, line)) != 0)
		return error;
	table->ktb_entry[*line] = *kl;
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
		ks->kpr_table->fut_used[ks->kpr_entries[i]] = 0;
	pthread_mutex_unlock(&lines_mtx);
	if (ks->kpr_table->fut_free != NULL)
		ks->kpr_table->fut_free(ks);
	free(ks->kpr_entries);
	free(ks->kpr_holes);
	free(ks);
}

int
kprobe_run_begin(const struct dt_enabled *en, struct run_table *ft,
    struct kprobe_run **ksp)
{
	unsigned int slot = en->den_client->dcl_slot;
	struct kprobe_run *ks;

	if ((ks = calloc(1, sizeof(*ks))) == NULL)
		return ENOMEM;
	ks->kpr_table = ft;
	ks->kpr_run = run_alloc();
	*ksp = ks;
	__atomic_store_n(&ft->fut_table->ktb_holes[slot], 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ft->fut_table->ktb_run[slot], ks->kpr_run,
	    __ATOMIC_SEQ_CST);
	return 0;
}

void
kprobe_run_uses(struct kprobe_run *ks, enum attach_kind which)
{
	ks->kpr_missed0[which] = ks->kpr_table->fut_missed(which);
	ks->kpr_attached |= 1U << which;
}

void
kprobe_run_halt(const struct dt_enabled *en, struct kprobe_run *ks)
{
	if (ks == NULL)
		return;
	__atomic_store_n(&ks->kpr_table->fut_table
			      ->ktb_run[en->den_client->dcl_slot],
	    0, __ATOMIC_SEQ_CST);
	ks->kpr_run = 0;
}

/* The link stays, but delivers no more hits. */
static void
hole(const struct dt_enabled *en, struct kprobe_run *ks,
    const struct dt_pcb *dp)
{
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
	    bpf_map_update_elem(ks->kpr_table->fut_holesfd, &key, &one,
		BPF_ANY) != 0) {
		/* the map is full: disable all probes */
		log_warnx("%s: too many disabled probes, disabling the whole "
			  "session",
		    ks->kpr_table->fut_name);
		kprobe_run_halt(en, ks);
		return;
	}
	ks->kpr_nholes++;
	__atomic_store_n(&ks->kpr_table->fut_table
			      ->ktb_holes[en->den_client->dcl_slot],
	    1, __ATOMIC_SEQ_CST);
}

void
kprobe_run_disable(const struct dt_enabled *en, struct kprobe_run *ks,
    const struct dt_pcb *dp)
{
	if (ks != NULL && ks->kpr_run != 0)
		hole(en, ks, dp);
}

/* Adds the hits that the kernel skipped, if it counts them. */
static void
account(struct dt_enabled *en, const struct kprobe_run *ks)
{
	uint64_t *sum = &en->den_counted->dcn_missed[ks->kpr_table->fut_tally];
	int64_t missed = 0;
	int which;

	if (ks->kpr_table->fut_linksmiss)
		missed = attach_missed(&ks->kpr_links);
	if (missed == -1) {
		en->den_counted->dcn_missed_unknown = 1;
		en->den_counted->dcn_returns_unknown |= ks->kpr_links.al_nkret >
		    0;
		return;
	}
	*sum += missed;
	for (which = 0; which < KPROBE_RUN_NPROG; which++)
		if (ks->kpr_attached & (1U << which))
			*sum += ks->kpr_table->fut_missed(which) -
			    ks->kpr_missed0[which];
}

void
kprobe_run_end(struct dt_enabled *en, struct kprobe_run **ksp)
{
	struct kprobe_run *ks = *ksp;
	size_t i;

	if (ks == NULL)
		return;
	account(en, ks);
	attach_release(&ks->kpr_links);
	for (i = 0; i < ks->kpr_nholes; i++)
		(void)bpf_map_delete_elem(ks->kpr_table->fut_holesfd,
		    &ks->kpr_holes[i]);
	*ksp = NULL;
	kprobe_run_free(ks);
}
