/* SPDX-License-Identifier: ISC */
/*
 * The views of processes, threads and cgroups: the kernel counts clock ticks by
 * them.  /proc is read for those that have ticks, so the cost depends on
 * busy processes only.
 */
#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sym/cgroup.h"
#include "cli/top/top.h"
#include "cli/top/top_task.h"
#include "common/clock.h"

#define CPU_ALLHZ 4000 /* samples per second of all CPUs, at most */

struct cpu_state {
	struct top_tasks cps_tasks;
	unsigned int cps_hz;
};

/* Many CPUs have fewer samples each. */
static unsigned int
cpu_hz(const struct top_run *tp)
{
	unsigned int hz = CPU_ALLHZ / tp->top_ncpus;

	return hz == 0 ? 1 : hz < TOP_HZ ? hz : TOP_HZ;
}

static void
cpu_open(struct top_run *tp, const struct dt_opd *keys, unsigned int nkeys)
{
	struct top_session *ts = &tp->top_session;
	struct cpu_state *cs = calloc(1, sizeof(*cs));

	if (cs == NULL)
		err(1, NULL);
	tp->top_state = cs;
	cs->cps_hz = cpu_hz(tp);
	top_session_open(ts, tp->top_opts, &top_scope(tp)->tsc_filter, 0);
	top_session_count(ts, top_session_clock(ts, cs->cps_hz, 0), keys, nkeys,
	    DT_OPD_NONE);
	top_session_start(ts);
}

static void
cpu_close(struct top_run *tp)
{
	struct cpu_state *cs = tp->top_state;

	top_tasks_free(&cs->cps_tasks);
	free(cs);
}

static struct top_row *
cpu_row(struct top_run *tp, struct top_task *tk)
{
	struct top_row *r = top_add(tp, tk->ttk_comm);

	r->tow_pid = tk->ttk_pid;
	r->tow_tid = tk->ttk_tid;
	r->tow_nums[0] = tk->ttk_share;
	r->tow_tags[0][0] = tk->ttk_state;
	/* an exited one is freed after this reading */
	r->tow_arg = tk->ttk_state != 'X' ? tk : NULL;
	return r;
}

/* Processes */

static void
processes_open(struct top_run *tp)
{
	const struct dt_opd keys[] = { top_opd(DT_OPD_PID),
		top_opd(DT_OPD_COMM) };
	const struct top_filter *tf = &top_scope(tp)->tsc_filter;
	struct cpu_state *cs;
	unsigned int i;

	cpu_open(tp, keys, 2);
	cs = tp->top_state;
	for (i = 0; i < tf->tof_npids; i++)
		top_tasks_keep(&cs->cps_tasks, tf->tof_pids[i]);
}

static void
processes_hit(void *arg, const struct top_count *tc)
{
	top_tasks_hit(&((struct cpu_state *)arg)->cps_tasks, tc->tcn_words[0],
	    0, (const char *)&tc->tcn_words[1], tc->tcn_count);
}

static void
processes_task(void *arg, struct top_task *tk)
{
	struct top_run *tp = arg;
	struct top_row *r = cpu_row(tp, tk);
	const char *user;

	r->tow_nums[1] = tk->ttk_rss;
	user = name_cache_user(&tp->top_session.tos_names, tk->ttk_uid);
	if (user != NULL)
		snprintf(r->tow_tags[1], TOP_TAG, "%s", user);
	else
		snprintf(r->tow_tags[1], TOP_TAG, "%u", tk->ttk_uid);
}

static void
processes_read(struct top_run *tp, double secs)
{
	struct cpu_state *cs = tp->top_state;

	top_session_snapshot(&tp->top_session, processes_hit, cs);
	top_tasks_read(&cs->cps_tasks, cs->cps_hz, secs, processes_task, tp);
}

static void
processes_detail(struct top_run *tp, struct top_row *r)
{
	struct top_task *tk = r->tow_arg;
	unsigned int i;

	(void)tp;
	if (tk == NULL)
		return;
	top_task_io(tk, clock_monotonic());
	for (i = 0; i < 2; i++)
		r->tow_nums[2 + i] = tk->ttk_rates[i];
}

const struct top_view top_processes = {
	.tov_name = "processes",
	.tov_key = '1',
	.tov_what = "processes that used a CPU in the last seconds",
	.tov_label = "PROCESS",
	.tov_columns = {
	    { "PID", TOP_PID, 0, 7 },
	    { "USER", TOP_TEXT, 1, 8 },
	    { "S", TOP_TEXT, 0, 1 },
	    { "%CPU", TOP_PERCENT, 0, 6 },
	    { "RSS", TOP_BYTES, 1, 6 },
	    { "READ/s", TOP_BYTES, 2, 6 },
	    { "WRITE/s", TOP_BYTES, 3, 7 },
	},
	.tov_sort = 3,
	.tov_open = processes_open,
	.tov_close = cpu_close,
	.tov_read = processes_read,
	.tov_detail = processes_detail,
	.tov_enter = top_enter_process,
};

/* Threads */

static void
threads_open(struct top_run *tp)
{
	const struct dt_opd keys[] = { top_opd(DT_OPD_PID), top_opd(DT_OPD_TID),
		top_opd(DT_OPD_COMM) };

	cpu_open(tp, keys, 3);
}

static void
threads_hit(void *arg, const struct top_count *tc)
{
	top_tasks_hit(&((struct cpu_state *)arg)->cps_tasks, tc->tcn_words[0],
	    tc->tcn_words[1], (const char *)&tc->tcn_words[2], tc->tcn_count);
}

static void
threads_task(void *arg, struct top_task *tk)
{
	cpu_row(arg, tk);
}

static void
threads_read(struct top_run *tp, double secs)
{
	struct cpu_state *cs = tp->top_state;

	top_session_snapshot(&tp->top_session, threads_hit, cs);
	top_tasks_read(&cs->cps_tasks, cs->cps_hz, secs, threads_task, tp);
}

/* Reads a small file; returns whether it has text, without a newline. */
static int
cpu_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd == -1)
		return 0;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 1;
}

/* Adds where a thread waits. */
static void
threads_detail(struct top_run *tp, struct top_row *r)
{
	char path[64], text[64];

	(void)tp;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/wchan", r->tow_pid,
	    r->tow_tid);
	if (cpu_file(path, text, sizeof(text)) && strcmp(text, "0") != 0)
		snprintf(r->tow_tags[1], TOP_TAG, "%.15s", text);
}

const struct top_view top_threads = {
	.tov_name = "threads",
	.tov_key = '2',
	.tov_what = "threads that used a CPU in the last seconds",
	.tov_label = "THREAD",
	.tov_columns = {
	    { "PID", TOP_PID, 0, 7 },
	    { "TID", TOP_TID, 0, 7 },
	    { "S", TOP_TEXT, 0, 1 },
	    { "%CPU", TOP_PERCENT, 0, 6 },
	    { "WAITS IN", TOP_TEXT, 1, 15 },
	},
	.tov_sort = 3,
	.tov_open = threads_open,
	.tov_close = cpu_close,
	.tov_read = threads_read,
	.tov_detail = threads_detail,
	.tov_enter = top_enter_process,
};

/* Cgroups */

static void
cgroups_open(struct top_run *tp)
{
	const struct dt_opd keys[] = { top_opd(DT_OPD_CGROUP) };

	cpu_open(tp, keys, 1);
}

struct cgroups_reading {
	struct top_run *cgr_top;
	double cgr_secs;
};

static void
cgroups_count(void *arg, const struct top_count *tc)
{
	struct cgroups_reading *cr = arg;
	struct top_run *tp = cr->cgr_top;
	const struct cpu_state *cs = tp->top_state;
	const char *path = cgroups_path(&tp->top_session.tos_names.nm_cgroups,
	    tc->tcn_words[0]);
	struct top_row *r;
	char name[32];

	snprintf(name, sizeof(name), "%llu",
	    (unsigned long long)tc->tcn_words[0]);
	r = top_add(tp, path != NULL ? path : name);
	r->tow_id = tc->tcn_words[0];
	r->tow_nums[0] = 100.0 * tc->tcn_count / cs->cps_hz / cr->cgr_secs;
}

static void
cgroups_read(struct top_run *tp, double secs)
{
	struct cgroups_reading cr = { tp, secs };

	top_session_snapshot(&tp->top_session, cgroups_count, &cr);
}

static void
cgroups_detail(struct top_run *tp, struct top_row *r)
{
	static const struct {
		const char *name;
		unsigned int num;
	} files[] = { { "memory.current", 1 }, { "pids.current", 2 } };
	const char *mount = tp->top_session.tos_names.nm_cgroups.cg_mount;
	char path[4200], text[64];
	unsigned int i;

	for (i = 0; mount != NULL && i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s/%s", mount, r->tow_name,
		    files[i].name);
		if (cpu_file(path, text, sizeof(text)))
			r->tow_nums[files[i].num] = strtod(text, NULL);
	}
}

static int
cgroups_enter(const struct top_row *r, struct top_scope *sc)
{
	if (strlen(r->tow_name) >= TOP_CGROUP)
		return 0;
	sc->tsc_filter.tof_cgroup = r->tow_id;
	snprintf(sc->tsc_cgroup, TOP_CGROUP, "%s", r->tow_name);
	sc->tsc_view = &top_processes;
	return 1;
}

const struct top_view top_cgroups = {
	.tov_name = "cgroups",
	.tov_key = '7',
	.tov_what = "cgroups that used a CPU, by samples",
	.tov_label = "CGROUP",
	.tov_columns = {
	    { "%CPU", TOP_PERCENT, 0, 6 },
	    { "MEMORY", TOP_BYTES, 1, 6 },
	    { "TASKS", TOP_NUMBER, 2, 6 },
	},
	.tov_sort = 0,
	.tov_open = cgroups_open,
	.tov_close = cpu_close,
	.tov_read = cgroups_read,
	.tov_detail = cgroups_detail,
	.tov_enter = cgroups_enter,
};
