/* SPDX-License-Identifier: ISC */
/* The view of stacks: where the threads of a process are at this moment. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/buf.h"
#include "cli/session/refusal.h"
#include "cli/top/top.h"
#include "cli/where/where.h"

static void
stacks_open(struct top_run *tp)
{
	top_session_open(&tp->top_session, tp->top_opts,
	    &top_scope(tp)->tsc_filter, 0);
}

/* Takes a snapshot; returns the threads, of *nbytes, which the caller frees. */
static uint8_t *
stacks_fetch(struct top_run *tp, uint64_t *time, size_t *nbytes)
{
	const struct top_filter *tf = &top_scope(tp)->tsc_filter;
	struct dt *dt = tp->top_session.tos_dt;
	struct dtioc_threads it = { .dtth_flags = DTTH_USTACK,
		.dtth_npids = tf->tof_npids };
	struct dtioc_threadlist tl;
	uint8_t *rows = NULL;

	memcpy(it.dtth_pids, tf->tof_pids, sizeof(tf->tof_pids));
	if (dt_ioctl(dt, DTIOCTHREADS, &it) == -1)
		refusal_ioctl(dt, "threads");
	*time = it.dtth_time;
	*nbytes = 0;
	do {
		if ((rows = realloc(rows, *nbytes + DTTI_PAGE)) == NULL)
			err(1, NULL);
		tl.dttl_size = DTTI_PAGE;
		tl.dttl_buf = rows + *nbytes;
		if (dt_ioctl(dt, DTIOCGTHREADS, &tl) == -1)
			refusal_ioctl(dt, "threads");
		*nbytes += tl.dttl_size;
	} while (tl.dttl_size > 0);
	return rows;
}

/* A stack is one text: the innermost function, then its callers. */
static void
stacks_row(struct top_run *tp, const struct out_where_group *g)
{
	const struct dtioc_thread *ti = g->owg_threads[0];
	struct top_row *r;
	struct buf b;
	unsigned int i;

	buf_init(&b, -1);
	for (i = 0; i < g->owg_nframes; i++) {
		buf_str(&b, i > 0 ? " < " : "");
		buf_str(&b, g->owg_frames[i]->fr_name);
	}
	if (g->owg_nframes == 0)
		buf_str(&b, g->owg_isrunning ? "(running)" : "(no stack)");
	buf_c(&b, '\0');
	r = top_add(tp, b.b_data);
	buf_free(&b);
	r->tow_pid = ti->dtti_pid;
	r->tow_nums[0] = g->owg_n;
	if (g->owg_max != WHERE_UNKNOWN)
		r->tow_nums[1] = g->owg_max;
	r->tow_tags[0][0] = ti->dtti_state;
	snprintf(r->tow_tags[1], TOP_TAG, "%.15s", ti->dtti_comm);
}

static void
stacks_read(struct top_run *tp, double secs)
{
	struct where w = { .whr_names = &tp->top_session.tos_names,
		.whr_hasuser = 1 };
	struct out_where ow;
	size_t i, at, nbytes;
	uint8_t *rows = stacks_fetch(tp, &w.whr_time, &nbytes);
	const struct dtioc_thread *ti;

	(void)secs;
	for (at = 0; at < nbytes; at += ti->dtti_length) {
		ti = (const struct dtioc_thread *)(rows + at);
		where_add(&w, ti);
	}
	where_result(&w, &ow);
	for (i = 0; i < ow.ow_n; i++)
		stacks_row(tp, &ow.ow_groups[i]);
	where_free(&w);
	free(rows);
}

const struct top_view top_stacks = {
	.tov_name = "stacks",
	.tov_key = '8',
	.tov_what = "where the threads of a process are now",
	.tov_label = "STACK",
	.tov_columns = {
	    { "N", TOP_NUMBER, 0, 4 },
	    { "S", TOP_TEXT, 0, 1 },
	    { "FOR", TOP_NSECS, 1, 7 },
	    { "THREAD", TOP_TEXT, 1, 12 },
	},
	.tov_sort = 0,
	.tov_isofpid = 1,
	.tov_open = stacks_open,
	.tov_read = stacks_read,
};
