/* SPDX-License-Identifier: ISC */
/*
 * Resolves a call: its arguments as of the entry, its result and the memory
 * that it has written as of the return.  In between, calls.c applies the
 * effects of the call on descriptors and directories.
 */
#include "cli/calls/call_resolve.h"

static void
resolve_args(struct call_texts *cts, struct call *cl, uint32_t mask)
{
	const struct arg_call *ac = &cts->cts_call;
	struct buf *b = &cts->cts_buf;
	unsigned int i;

	cl->cal_hasargs |= mask;
	for (i = 0; mask >> i != 0; i++) {
		if ((mask >> i & 1) == 0)
			continue;
		cts->cts_args[i].clt_from = b->b_len;
		arg_text(b, ac, i);
		cts->cts_args[i].clt_len = b->b_len - cts->cts_args[i].clt_from;
		if (arg_shown(ac, i))
			cl->cal_inuse |= 1U << i;
	}
}

void
call_resolve_entry(struct call_texts *cts, struct call *cl, struct procs *procs)
{
	const struct dt_event *ev = cl->cal_flags & CALL_PAIRED ? cl->cal_second
								: cl->cal_ev;
	const struct dt_event *entry = cl->cal_entry;
	const struct dt_rec_string *s = NULL;
	/* arguments: of the entry, with a string of the return, written by it */
	uint32_t all = 0, filled = 0, written = 0;

	cts->cts_ev = ev;
	cts->cts_call = (struct arg_call){
		.ac_probe = entry != NULL ? cl->cal_eprobe : cl->cal_probe,
		.ac_rprobe = cl->cal_probe,
		.ac_entry = entry,
		.ac_procs = procs,
	};
	if (ev->ev_ret == NULL && entry == NULL)
		cts->cts_call.ac_entry = entry = ev;
	if (ev->ev_ret != NULL && (cl->cal_flags & CALL_FROMTO) == 0)
		cts->cts_call.ac_ret = ev;
	if (entry != NULL && entry->ev_args != NULL)
		all = entry->ev_nargs < DT_REC_NARGS
		    ? (1U << entry->ev_nargs) - 1
		    : (1U << DT_REC_NARGS) - 1;
	while (cts->cts_call.ac_ret != NULL && (s = dt_string(ev, s)) != NULL) {
		if (s->drt_argn >= DT_REC_NARGS)
			continue;
		filled |= 1U << s->drt_argn;
		if (s->drt_flags & (DT_STR_MEMORY | DT_STR_DATA))
			written |= 1U << s->drt_argn;
	}
	if (cl->cal_flags & CALL_APART)
		all &= written;
	else if (cl->cal_flags & CALL_RESUMED)
		all &= filled;
	cts->cts_buf.b_len = 0;
	cts->cts_written = all & written;
	cl->cal_args = cts->cts_args;
	cl->cal_paths = cts->cts_paths;
	resolve_args(cts, cl, all & ~written);
}

void
call_resolve_paths(struct call_texts *cts, struct call *cl, struct procs *procs,
    const struct call_paths *shape)
{
	const struct dt_event *ev = cl->cal_ev;
	const struct call_paths_call sc = {
		.sc_procs = procs,
		.sc_entry = ev->ev_ret != NULL ? cl->cal_entry : ev,
		.sc_ret = ev->ev_ret != NULL ? ev : NULL,
	};
	struct buf *b = &cts->cts_buf;
	char path[PATH_JOINED];
	unsigned int argn, i;
	size_t n;

	if (ev->ev_strings == NULL)
		return;
	for (i = 0; i < shape->cph_npaths; i++) {
		argn = shape->cph_paths[i];
		n = call_paths_path(&sc, argn, shape->cph_dirs[i], path, 1);
		if (n == 0)
			continue;
		cts->cts_paths[argn] = (struct call_text){ b->b_len, n };
		buf_mem(b, path, n);
		cl->cal_haspaths |= 1U << argn;
	}
}

void
call_resolve_return(struct call_texts *cts, struct call *cl, int isalone)
{
	const struct dt_rec_ret *ret = cts->cts_ev->ev_ret;
	struct arg_call ac = cts->cts_call;
	struct buf *b = &cts->cts_buf;

	if (ret != NULL)
		resolve_args(cts, cl, cts->cts_written);
	if (ret != NULL && ret->drr_error == 0 && !cl->cal_probe->pr_isvoid) {
		if (isalone || ac.ac_ret == NULL) {
			ac.ac_probe = cl->cal_probe;
			ac.ac_entry = NULL;
		}
		ac.ac_ret = cts->cts_ev;
		cl->cal_hasret = 1;
		cl->cal_ret.clt_from = b->b_len;
		arg_ret_text(b, &ac);
		cl->cal_ret.clt_len = b->b_len - cl->cal_ret.clt_from;
	}
	cl->cal_text = b->b_data;
}
