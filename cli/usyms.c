/* SPDX-License-Identifier: ISC */
/*
 * The names of usyms.h.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "stack.h"
#include "umaps.h"
#include "usyms.h"

/* Nothing is known of any of them. */
static void
usyms_none(struct usyms *us, size_t npcs, unsigned int why, int error)
{
	size_t i;

	if ((us->us_own = calloc(npcs + 1, sizeof(*us->us_own))) == NULL)
		err(1, "names");
	for (i = 0; i < npcs; i++) {
		us->us_own[i].df_pc = i;
		us->us_own[i].df_why = why;
		us->us_own[i].df_error = error;
	}
	us->us_n = npcs;
	us->us_frames = us->us_own;
}

void
usyms_get(struct usyms *us, struct names *nm, uint32_t pid, uint64_t nsecs,
    const uint64_t *pcs, size_t npcs)
{
	memset(us, 0, sizeof(*us));
	if (npcs == 0)
		return;
	if (nm->nm_umaps != NULL) {
		us->us_own = umaps_get(nm->nm_umaps, pid, nsecs, pcs, npcs,
		    &us->us_n);
		us->us_frames = us->us_own;
		return;
	}
	if (nm->nm_dt == NULL) {
		usyms_none(us, npcs, DTFR_NOPROC, 0);
		return;
	}
	if (dt_symbolize(nm->nm_dt, pid, nsecs, pcs, npcs, nm->nm_symflags,
		&us->us_lib) == -1) {
		usyms_none(us, npcs, errno == EPERM ? DTFR_DENIED : DTFR_NOFILE,
		    errno);
		return;
	}
	us->us_n = us->us_lib.df_n;
	us->us_frames = us->us_lib.df_frames;
}

/* Where no code was mapped, the frame before had no pointer to this one. */
const char *
usyms_noname(const struct usyms *us)
{
	const struct dt_frame *df;

	if (us->us_n == 0)
		return NULL;
	df = &us->us_frames[us->us_n - 1];
	switch (df->df_why) {
	case DTFR_NOMAP:
		return NULL;
	case DTFR_NAMED:
	case DTFR_NOSYM:
		return "outermost frame has no name";
	default:
		return frames_why(df->df_why, df->df_error);
	}
}

static struct stack_end
usyms_end(const struct dt_rec_stack *st, const char *func)
{
	return (struct stack_end){
		.se_end = st->drs_end,
		.se_error = st->drs_error,
		.se_count = st->drs_count,
		.se_func = func,
	};
}

void
usyms_event(struct usyms *us, struct names *nm, const struct dt_event *ev,
    const char **why)
{
	const struct dt_rec_stack *k = ev->ev_kstack, *u = ev->ev_ustack;
	struct stack_end kend, uend;
	uint64_t pcs[DT_REC_MAXFRAMES], off;
	const char *kfunc = NULL;
	unsigned int i, n;

	memset(us, 0, sizeof(*us));
	*why = NULL;
	if (u == NULL)
		return;
	n = u->drs_count < DT_REC_MAXFRAMES ? u->drs_count : DT_REC_MAXFRAMES;
	for (i = 0; i < n; i++)
		pcs[i] = stack_pc(DT_STACK_PCS(u), i);
	usyms_get(us, nm, ev->ev_rec->dr_pid, ev->ev_rec->dr_time, pcs, n);
	if (k != NULL && k->drs_count > 0)
		kfunc = names_ksym(nm,
		    stack_pc(DT_STACK_PCS(k), k->drs_count - 1), &off);
	if (k != NULL)
		kend = usyms_end(k, kfunc);
	uend = usyms_end(u,
	    us->us_n > 0 ? us->us_frames[us->us_n - 1].df_func : NULL);
	uend.se_noname = usyms_noname(us);
	*why = stack_incomplete(k != NULL ? &kend : NULL, &uend);
}

void
usyms_free(struct usyms *us)
{
	if (us->us_own == NULL)
		dt_frames_free(&us->us_lib);
	free(us->us_own);
	memset(us, 0, sizeof(*us));
}
