/* SPDX-License-Identifier: ISC */
/* Begins a view, reads its rows once per interval, and sorts them. */
#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/sym/cgroup.h"
#include "cli/top/top_hosts.h"
#include "common/clock.h"

const struct top_view *const top_views[] = { &top_processes, &top_threads,
	&top_calls, &top_functions, &top_files, &top_disks, &top_cgroups,
	&top_stacks, NULL };

void
top_comm(uint32_t pid, char comm[TOP_TAG])
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, comm, TOP_TAG - 1);
		close(fd);
	}
	comm[n > 0 ? n : 0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

/* Rows */

struct top_row *
top_add(struct top_run *tp, const char *name)
{
	struct top_row *r;
	unsigned int i;

	if (tp->top_n == tp->top_max) {
		tp->top_max = 2 * tp->top_max + 64;
		tp->top_rows = reallocarray(tp->top_rows, tp->top_max,
		    sizeof(*tp->top_rows));
		if (tp->top_rows == NULL)
			err(1, "rows");
	}
	r = &tp->top_rows[tp->top_n++];
	*r = (struct top_row){ 0 };
	if ((r->tow_name = strdup(name)) == NULL)
		err(1, "rows");
	for (i = 0; i < TOP_NNUMS; i++)
		r->tow_nums[i] = NAN;
	return r;
}

static void
top_clear(struct top_run *tp)
{
	while (tp->top_n > 0)
		free(tp->top_rows[--tp->top_n].tow_name);
}

int
top_isofpid(const struct top_run *tp)
{
	return tp->top_scopes[tp->top_depth].tsc_filter.tof_npids > 0 ||
	    (tp->top_hosts != NULL && top_hosts_hasnames(tp));
}

int
top_enter_process(const struct top_row *r, struct top_scope *sc)
{
	if (r->tow_pid == 0)
		return 0;
	sc->tsc_filter = (struct top_filter){ .tof_pids = { r->tow_pid },
		.tof_npids = 1 };
	sc->tsc_view = &top_calls;
	return 1;
}

/* Order */

static double
row_number(const struct top_row *r, const struct top_column *c)
{
	switch (c->toc_kind) {
	case TOP_PID:
		return r->tow_pid;
	case TOP_TID:
		return r->tow_tid;
	default:
		/* unknown ones are the smallest */
		return isnan(r->tow_nums[c->toc_index])
		    ? -1
		    : r->tow_nums[c->toc_index];
	}
}

/* The largest number, or the first text, is on top. */
static int
row_compare(const void *a, const void *b, void *arg)
{
	const struct top_row *x = a, *y = b;
	struct top_run *tp = arg;
	const struct top_scope *sc = top_scope(tp);
	const struct top_column *c = &sc->tsc_view->tov_columns[sc->tsc_sort];
	double nx, ny;
	int order = 0;

	if (c->toc_kind == TOP_TEXT)
		order = strcmp(x->tow_tags[c->toc_index],
		    y->tow_tags[c->toc_index]);
	else if (c->toc_kind != TOP_NONE) {
		nx = row_number(x, c);
		ny = row_number(y, c);
		order = nx > ny ? -1 : nx < ny;
	}
	if (tp->top_isreverse)
		order = -order;
	if (order == 0)
		order = strcmp(x->tow_name, y->tow_name);
	if (order == 0)
		order = x->tow_pid < y->tow_pid ? -1 : x->tow_pid > y->tow_pid;
	if (order == 0)
		order = x->tow_host < y->tow_host ? -1
						  : x->tow_host > y->tow_host;
	return order != 0
	    ? order
	    : (x->tow_tid > y->tow_tid) - (x->tow_tid < y->tow_tid);
}

/* The filter is a part of the name, a machine, or the number of a process. */
static int
row_isshown(const struct top_run *tp, const struct top_row *r)
{
	const char *filter = tp->top_filter;

	if (*filter == '\0' || strcasestr(r->tow_name, filter) != NULL)
		return 1;
	if (r->tow_host != 0 &&
	    strcmp(top_hosts_name(tp, r->tow_host), filter) == 0)
		return 1;
	return isdigit((unsigned char)*filter) && r->tow_pid != 0 &&
	    strtoul(filter, NULL, 10) == r->tow_pid;
}

void
top_sort(struct top_run *tp)
{
	if (tp->top_n > 0)
		qsort_r(tp->top_rows, tp->top_n, sizeof(*tp->top_rows),
		    row_compare, tp);
}

static void
top_select(struct top_run *tp)
{
	size_t i, n = 0;

	for (i = 0; i < tp->top_n; i++) {
		if (row_isshown(tp, &tp->top_rows[i]))
			tp->top_rows[n++] = tp->top_rows[i];
		else
			free(tp->top_rows[i].tow_name);
	}
	tp->top_n = n;
	top_sort(tp);
}

/* The cost of dt itself */

static uint64_t
cost_self(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) *
	    UINT64_C(1000000000) +
	    (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * UINT64_C(1000);
}

/* Returns the CPU time of dtd; 0: unknown. */
static uint64_t
cost_dtd(struct top_session *ts)
{
	static struct dtioc_sum sums[DTSM_MAX];
	int i, n;

	if (ts->tos_dt == NULL || !ts->tos_hassums)
		return 0;
	n = dt_sums_read(ts->tos_dt, sums, DTSM_MAX, 100);
	for (i = 0; i < n; i++)
		if (sums[i].dtsm_what == DTSM_CPUNSECS)
			return sums[i].dtsm_value;
	return 0;
}

static double
cost_share(uint64_t now, uint64_t before, double secs)
{
	return before == 0 || now < before ? NAN : (now - before) / secs / 1e7;
}

static void
cost_read(struct top_run *tp, double secs)
{
	struct top_cost *tc = &tp->top_cost;
	uint64_t self = cost_self(), dtd = cost_dtd(&tp->top_session);
	struct dtioc_fullstat st;

	tc->tct_selfshare = cost_share(self, tc->tct_self, secs);
	tc->tct_dtdshare = cost_share(dtd, tc->tct_dtd, secs);
	tc->tct_self = self;
	tc->tct_dtd = dtd;
	tc->tct_programs = NAN;
	if (tp->top_session.tos_dt == NULL ||
	    dt_ioctl(tp->top_session.tos_dt, DTIOCGFULLSTAT, &st) == -1)
		return;
	if (st.dtfs_cost != UINT64_MAX)
		tc->tct_programs = st.dtfs_cost * tp->top_ncpus / 1e4;
	tc->tct_lost = st.dtfs_dropped + st.dtfs_recursed + st.dtfs_missed +
	    st.dtfs_mapfull;
}

/* Views */

void
top_begin(struct top_run *tp, const struct opts *o)
{
	struct top_scope *sc = top_scope(tp);
	uint32_t level;

	tp->top_ncpus = sysconf(_SC_NPROCESSORS_ONLN);
	memcpy(sc->tsc_filter.tof_pids, o->o_select.ose_pids,
	    sizeof(sc->tsc_filter.tof_pids));
	sc->tsc_filter.tof_npids = o->o_select.ose_npids;
	if (o->o_select.ose_cgroup != NULL && tp->top_hosts == NULL)
		cgroup_find(o->o_select.ose_cgroup, &sc->tsc_filter.tof_cgroup,
		    &level);
}

void
top_open(struct top_run *tp)
{
	const struct top_view *v = top_scope(tp)->tsc_view;

	if (tp->top_hosts != NULL)
		top_hosts_open(tp);
	else if (v->tov_open != NULL)
		v->tov_open(tp);
	/* without the cost of the start */
	tp->top_cost = (struct top_cost){ .tct_self = cost_self(),
		.tct_dtd = cost_dtd(&tp->top_session),
		.tct_selfshare = NAN,
		.tct_dtdshare = NAN,
		.tct_programs = NAN };
	tp->top_last = clock_monotonic();
}

void
top_close(struct top_run *tp)
{
	const struct top_view *v = top_scope(tp)->tsc_view;

	top_clear(tp);
	if (tp->top_hosts != NULL) {
		top_hosts_close(tp);
		return;
	}
	if (v->tov_close != NULL)
		v->tov_close(tp);
	tp->top_state = NULL;
	top_session_close(&tp->top_session);
}

int
top_end(struct top_run *tp)
{
	int status = 0;

	if (tp->top_hosts != NULL)
		status = top_hosts_end(tp);
	else
		top_close(tp);
	top_clear(tp);
	return status;
}

void
top_read(struct top_run *tp)
{
	uint64_t now = clock_monotonic();
	double secs = (now - tp->top_last) / 1e9;

	tp->top_last = now;
	top_clear(tp);
	if (tp->top_hosts != NULL)
		top_hosts_read(tp);
	else
		top_scope(tp)->tsc_view->tov_read(tp, secs);
	top_select(tp);
	if (tp->top_hosts == NULL)
		cost_read(tp, secs);
}

void
top_details(struct top_run *tp, size_t first, size_t end)
{
	const struct top_view *v = top_scope(tp)->tsc_view;
	size_t i;

	if (v->tov_detail == NULL || tp->top_hosts != NULL)
		return;
	for (i = first; i < end && i < tp->top_n; i++) {
		if (!tp->top_rows[i].tow_iscomplete)
			v->tov_detail(tp, &tp->top_rows[i]);
		tp->top_rows[i].tow_iscomplete = 1;
	}
}
