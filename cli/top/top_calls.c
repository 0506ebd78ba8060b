/* SPDX-License-Identifier: ISC */
/*
 * The views of system calls: calls, errors and times by call, and of one call by
 * process.  The kernel joins entry and return and counts them.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top/top.h"

#define CALLS_ALL "syscall:*"

/* Adds up the counts of a row, of which some are of failed calls. */
struct calls_sum {
	double csm_count, csm_errors, csm_nsecs, csm_max;
};

struct calls_reading {
	struct top_run *clr_top;
	int clr_isbypid;
	struct hash clr_sums; /* first word -> struct calls_sum */
};

static void
calls_begin(struct top_run *tp, const char *pattern, enum dt_opd_kind kind)
{
	const struct dt_opd keys[] = { top_opd(kind), top_opd(DT_OPD_ERRNO) };
	struct top_session *ts = &tp->top_session;

	top_session_open(ts, tp->top_opts, &top_scope(tp)->tsc_filter, 0);
	top_session_calls(ts, pattern, 0, keys, 2, DT_OPD_DURATION);
	if (ts->tos_calls.ha_n == 0)
		errx(1, "there is no call %s; try: dt list 'syscall:*'",
		    pattern);
	top_session_start(ts);
}

static void
calls_open(struct top_run *tp)
{
	calls_begin(tp, CALLS_ALL, DT_OPD_PROBE);
}

static void
callers_open(struct top_run *tp)
{
	char pattern[2 * DTNAMESIZE];

	snprintf(pattern, sizeof(pattern), "syscall:%s",
	    top_scope(tp)->tsc_filter.tof_call);
	calls_begin(tp, pattern, DT_OPD_PID);
}

static void
calls_count(void *arg, const struct top_count *tc)
{
	struct calls_reading *cr = arg;
	struct hash_entry *e = hash_get(&cr->clr_sums, tc->tcn_words,
	    sizeof(tc->tcn_words[0]));
	struct calls_sum *cs = e->he_ptr;

	if (cs == NULL && (e->he_ptr = cs = calloc(1, sizeof(*cs))) == NULL)
		err(1, NULL);
	cs->csm_count += tc->tcn_count;
	cs->csm_errors += tc->tcn_words[1] != 0 ? tc->tcn_count : 0;
	cs->csm_nsecs += tc->tcn_sum;
	cs->csm_max = fmax(cs->csm_max, tc->tcn_max);
}

/* Returns the row of a call, or of a process. */
static struct top_row *
calls_row(const struct calls_reading *cr, uint64_t word)
{
	struct top_run *tp = cr->clr_top;
	const struct top_call *tl;
	struct top_row *r;
	char name[16];

	if (cr->clr_isbypid) {
		top_comm(word, name);
		r = top_add(tp, name);
		r->tow_pid = word;
		return r;
	}
	tl = dt_hash_ptr(&tp->top_session.tos_calls, word);
	return top_add(tp, tl != NULL ? tl->tcl_name : "?");
}

static void
calls_rows(struct calls_reading *cr, double secs)
{
	struct hash_entry **list;
	const struct calls_sum *cs;
	struct top_row *r;
	uint64_t word;
	size_t i;

	top_session_snapshot(&cr->clr_top->top_session, calls_count, cr);
	list = hash_sorted(&cr->clr_sums);
	for (i = 0; i < cr->clr_sums.ha_n; i++) {
		memcpy(&word, list[i]->he_key, sizeof(word));
		cs = list[i]->he_ptr;
		r = calls_row(cr, word);
		r->tow_nums[0] = cs->csm_count / secs;
		r->tow_nums[1] = cs->csm_errors / secs;
		r->tow_nums[2] = cs->csm_nsecs / secs;
		r->tow_nums[3] = cs->csm_nsecs / cs->csm_count;
		r->tow_nums[4] = cs->csm_max;
	}
	free(list);
	hash_free(&cr->clr_sums);
}

static void
calls_read(struct top_run *tp, double secs)
{
	struct calls_reading cr = { .clr_top = tp };

	calls_rows(&cr, secs);
}

static void
callers_read(struct top_run *tp, double secs)
{
	struct calls_reading cr = { .clr_top = tp, .clr_isbypid = 1 };

	calls_rows(&cr, secs);
}

static int
calls_enter(const struct top_row *r, struct top_scope *sc)
{
	snprintf(sc->tsc_filter.tof_call, sizeof(sc->tsc_filter.tof_call), "%s",
	    r->tow_name);
	sc->tsc_view = &top_callers;
	return 1;
}

#define CALLS_COLUMNS \
	{ "CALLS/s", TOP_NUMBER, 0, 9 }, { "ERR/s", TOP_NUMBER, 1, 7 }, \
	    { "TIME/s", TOP_NSECS, 2, 7 }, { "MEAN", TOP_NSECS, 3, 7 }, \
	{ \
		"MAX", TOP_NSECS, 4, 7 \
	}

const struct top_view top_calls = {
	.tov_name = "calls",
	.tov_key = '3',
	.tov_what = "system calls with their errors and times",
	.tov_label = "CALL",
	.tov_columns = { CALLS_COLUMNS },
	.tov_sort = 0,
	.tov_open = calls_open,
	.tov_read = calls_read,
	.tov_enter = calls_enter,
};

const struct top_view top_callers = {
	.tov_name = "callers",
	.tov_what = "processes that make a system call",
	.tov_label = "PROCESS",
	.tov_columns = { { "PID", TOP_PID, 0, 7 }, CALLS_COLUMNS },
	.tov_sort = 1,
	.tov_open = callers_open,
	.tov_read = callers_read,
	.tov_enter = top_enter_process,
};
