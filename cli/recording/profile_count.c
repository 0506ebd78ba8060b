/* SPDX-License-Identifier: ISC */
/* Adds the stacks that the kernel counts to a profile. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording/profile_count.h"
#include "cli/stat/key.h"
#include "cli/stat/key_kernel.h"

/* Whether the values of a row are negative: a weight is not. */
#define COUNT_ISNEGATIVE(row) ((row)->dtrw_max < 0)

/* Process, name and stacks of the last event with a key. */
struct known_stack {
	struct dt_event kns_ev;
	struct profile_hits kns_hits; /* of one hit: kind of wait, call */
	uint64_t kns_rec[];
};

/* Returns a pointer into a record as one into its copy. */
static const void *
stack_moved(const struct known_stack *kns, const struct dt_event *ev,
    const void *p)
{
	return p == NULL ? NULL
			 : (const char *)kns->kns_rec +
		((const char *)p - (const char *)ev->ev_rec);
}

void
profile_count_event(struct profile_count *pc, const struct dt_event *ev,
    const struct profile_hits *ph)
{
	struct known_stack *kns;
	void **known;

	if (ev->ev_key == NULL)
		return;
	kns = malloc(sizeof(*kns) + ev->ev_rec->dr_length);
	if (kns == NULL)
		err(1, "stacks");
	memcpy(kns->kns_rec, ev->ev_rec, ev->ev_rec->dr_length);
	kns->kns_hits = *ph;
	kns->kns_ev = (struct dt_event){
		.ev_rec = (const struct dt_rec *)kns->kns_rec,
		.ev_comm = stack_moved(kns, ev, ev->ev_comm),
		.ev_kstack = stack_moved(kns, ev, ev->ev_kstack),
		.ev_ustack = stack_moved(kns, ev, ev->ev_ustack),
	};
	known = kernel_rows_known(&pc->pct_rows, ev);
	free(*known); /* older: the process may have other mappings now */
	*known = kns;
}

static void
profile_count_row(void *arg, const struct dtioc_aggrow *row, void *known)
{
	struct profile_count *pc = arg;
	const struct known_stack *kns = known;
	struct profile_hits ph = kns->kns_hits;

	ph.phi_count = ph.phi_weight = row->dtrw_count;
	if (pc->pct_hasvalue &&
	    (row->dtrw_bucket == 0 || COUNT_ISNEGATIVE(row))) {
		pc->pct_profile->pf_out.opr_novalue += row->dtrw_count;
		return;
	}
	if (pc->pct_hasvalue)
		ph.phi_weight = row->dtrw_sum;
	profile_add(pc->pct_profile, &kns->kns_ev, &ph);
}

/* Requests to count a probe; n: its index in the session. */
static int
profile_count_probe(struct profile_count *pc, unsigned int n, struct keys *by,
    char *why, size_t nwhy)
{
	const struct session_probe *spb = &pc->pct_session->ss_probes[n];
	struct key_kernel kk = { .kyk_pbn = spb->spb_pbn,
		.kyk_first = spb->spb_first,
		.kyk_ispair = spb->spb_part == SESSION_SECOND };
	struct dtioc_agg *ag = &kk.kyk_agg;

	if (key_kernel_agg(by, 0, &kk, why, nwhy) == -1)
		return -1;
	if (kk.kyk_isunsigned && ag->dtag_value.op_kind != DT_OPD_DURATION) {
		snprintf(why, nwhy, "a sum may be larger than 63 bits");
		return -1;
	}
	/* a row of each sign */
	if (ag->dtag_value.op_issigned)
		ag->dtag_hist = DTAG_LOG;
	if (kernel_rows_set(&pc->pct_rows, ag) == -1) {
		snprintf(why, nwhy, "%s", dt_error(pc->pct_session->ss_dt));
		return -1;
	}
	return 0;
}

int
profile_count_start(struct profile_count *pc, struct session *ss,
    struct profile *pf, struct keys *by, char *why, size_t nwhy)
{
	unsigned int i;

	*pc = (struct profile_count){ .pct_session = ss,
		.pct_profile = pf,
		.pct_hasvalue = keys_sumname(by) != NULL };
	pc->pct_rows.krw_add = profile_count_row;
	pc->pct_rows.krw_arg = pc;
	pc->pct_rows.krw_isrecord = 1;
	kernel_rows_begin(&pc->pct_rows, ss->ss_dt, DTAG_ROWS);
	for (i = 0; i < ss->ss_nenabled; i++)
		if (ss->ss_probes[i].spb_part != SESSION_FIRST &&
		    profile_count_probe(pc, i, by, why, nwhy) == -1)
			return -1;
	return 0;
}

/* EPIPE: the session reports that dtd exited. */
static void
profile_count_snapshot(struct profile_count *pc, uint64_t now)
{
	uint64_t nhits, nfull;

	if (pc->pct_session->ss_broken)
		return;
	if (kernel_rows_snapshot(&pc->pct_rows, now, &nhits, &nfull) == -1 &&
	    errno != EPIPE)
		errx(1, "cannot read the counts: %s",
		    dt_error(pc->pct_session->ss_dt));
	session_counted(pc->pct_session, nhits);
}

uint64_t
profile_count_idle(struct profile_count *pc, uint64_t now)
{
	if (pc->pct_rows.krw_nset == 0 || pc->pct_session->ss_stop != 0)
		return 0;
	if (kernel_rows_isdue(&pc->pct_rows, now))
		profile_count_snapshot(pc, now);
	return pc->pct_rows.krw_next;
}

void
profile_count_end(struct profile_count *pc, uint64_t now)
{
	if (pc->pct_rows.krw_nset == 0)
		return;
	profile_count_snapshot(pc, now);
	/* none, unless the connection has failed */
	pc->pct_profile->pf_out.opr_novalue += kernel_rows_end(&pc->pct_rows);
}

void
profile_count_free(struct profile_count *pc)
{
	kernel_rows_free(&pc->pct_rows);
}
