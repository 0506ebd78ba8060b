/* SPDX-License-Identifier: ISC */
/*
 * Runs and lines of the programs' table, see dt_prov_kprobe_run.h.  Armed a
 * link is by the table: a run that is halted brings nothing, however long the
 * kernel takes to detach it.
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
static uint8_t line_used[DT_NKLINE]; /* by lines_mtx */
static uint32_t last_run;	     /* by lines_mtx */

static int
line_alloc(uint16_t *line)
{
	static unsigned int next; /* by lines_mtx */
	unsigned int i, n;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < DT_NKLINE; i++) {
		n = (next + i) & (DT_NKLINE - 1);
		if (line_used[n])
			continue;
		line_used[n] = 1;
		next = n + 1;
		*line = n;
		break;
	}
	pthread_mutex_unlock(&lines_mtx);
	return i < DT_NKLINE ? 0 : ENOSPC;
}

int
kset_line(struct dt_kset *ks, const struct dt_kline *kl, uint16_t *line)
{
	size_t i, max = ks->ks_maxlines == 0 ? 16 : 2 * ks->ks_maxlines;
	uint16_t *lines;
	int error;

	for (i = 0; i < ks->ks_nlines; i++)
		if (memcmp(&kload_table()->kt_line[ks->ks_lines[i]], kl,
			sizeof(*kl)) == 0) {
			*line = ks->ks_lines[i];
			return 0;
		}
	if (ks->ks_nlines == ks->ks_maxlines) {
		lines = realloc(ks->ks_lines, max * sizeof(*lines));
		if (lines == NULL)
			return ENOMEM;
		ks->ks_lines = lines;
		ks->ks_maxlines = max;
	}
	if ((error = line_alloc(line)) != 0)
		return error;
	kload_table()->kt_line[*line] = *kl;
	ks->ks_lines[ks->ks_nlines++] = *line;
	return 0;
}

/* A new number for a run of the slot: not that of one whose links are still
 * there. */
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
kset_free(struct dt_kset *ks)
{
	size_t i;

	pthread_mutex_lock(&lines_mtx);
	for (i = 0; i < ks->ks_nlines; i++)
		line_used[ks->ks_lines[i]] = 0;
	pthread_mutex_unlock(&lines_mtx);
	free(ks->ks_lines);
	free(ks->ks_holes);
	free(ks);
}

/* Which run of the open counts; 0: none. */
static void
set_run(const struct dt_softc *sc, uint32_t run)
{
	struct dt_ktable *kt = kload_table();

	__atomic_store_n(&kt->kt_holes[sc->ds_slot], 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&kt->kt_run[sc->ds_slot], run, __ATOMIC_SEQ_CST);
}

int
kset_begin(struct dt_softc *sc)
{
	if ((sc->ds_kset = calloc(1, sizeof(*sc->ds_kset))) == NULL)
		return ENOMEM;
	sc->ds_kset->ks_run = run_alloc();
	set_run(sc, sc->ds_kset->ks_run);
	return 0;
}

void
kset_uses(struct dt_kset *ks, enum attach_kind which)
{
	ks->ks_missed0[which] = kload_missed(which);
	ks->ks_attached |= 1U << which;
}

void
kset_halt(struct dt_softc *sc)
{
	if (sc->ds_kset == NULL)
		return;
	__atomic_store_n(&kload_table()->kt_run[sc->ds_slot], 0,
	    __ATOMIC_SEQ_CST);
	sc->ds_kset->ks_run = 0;
}

/* Its link stays, and brings nothing any more. */
static void
hole(struct dt_softc *sc, const struct dt_pcb *dp)
{
	struct dt_kset *ks = sc->ds_kset;
	uint64_t key = DT_KCOOKIE(sc->ds_slot, ks->ks_run, 0,
	    dp->dp_dtp->dtp_pbn);
	uint64_t *holes;
	uint8_t one = 1;

	holes = realloc(ks->ks_holes, (ks->ks_nholes + 1) * sizeof(*holes));
	if (holes != NULL) {
		ks->ks_holes = holes;
		holes[ks->ks_nholes] = key;
	}
	if (holes == NULL ||
	    bpf_map_update_elem(kload_holesfd(), &key, &one, BPF_ANY) != 0) {
		/* no room to leave this one out: nothing more, then */
		log_warnx("kprobe: no room for one more disabled probe");
		kset_halt(sc);
		return;
	}
	ks->ks_nholes++;
	__atomic_store_n(&kload_table()->kt_holes[sc->ds_slot], 1,
	    __ATOMIC_SEQ_CST);
}

void
kset_disable(struct dt_softc *sc, const struct dt_pcb *dp)
{
	if (sc->ds_kset != NULL && sc->ds_kset->ks_run != 0)
		hole(sc, dp);
}

/* What the kernel skipped, if it counts that. */
static void
account(struct dt_softc *sc)
{
	const struct dt_kset *ks = sc->ds_kset;
	int64_t missed = attach_missed(&ks->ks_links);
	int which;

	if (missed == -1) {
		sc->ds_missed_unknown = 1;
		sc->ds_returns_unknown |= ks->ks_links.al_nkret > 0;
		return;
	}
	sc->ds_missed[DT_TALLY_KPROBE] += missed;
	for (which = 0; which < ATTACH_NPROG; which++)
		if (ks->ks_attached & (1U << which))
			sc->ds_missed[DT_TALLY_KPROBE] += kload_missed(which) -
			    ks->ks_missed0[which];
}

void
kset_end(struct dt_softc *sc)
{
	struct dt_kset *ks = sc->ds_kset;
	size_t i;

	if (ks == NULL)
		return;
	account(sc);
	attach_release(&ks->ks_links);
	for (i = 0; i < ks->ks_nholes; i++)
		(void)bpf_map_delete_elem(kload_holesfd(), &ks->ks_holes[i]);
	sc->ds_kset = NULL;
	kset_free(ks);
}
