/* SPDX-License-Identifier: ISC */
/*
 * Attaching to tracepoints, see dt_tplink.h.
 *
 * A program attached to a tracepoint's perf event runs on all CPUs, whichever
 * CPU the event is of, and whether that counts or not; so one event suffices,
 * and it is never enabled.  Its end is what takes time: the kernel waits until
 * nobody is in any tracepoint, under a lock that others need who attach.  One
 * worker closes what is due, one event after another; what is wanted again
 * meanwhile is not closed.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "dt_open.h"
#include "dt_softc.h"
#include "dt_tplink.h"

static pthread_mutex_t tp_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tp_cond = PTHREAD_COND_INITIALIZER;
static char tp_used[DT_TP_LINES];   /* by tp_mtx */
static struct dt_tplink *tp_closing; /* due; by tp_mtx */
static struct work tp_closer;
static int tp_isclosing; /* tp_closer is under way; by tp_mtx */

void
dt_tplink_init(struct dt_tplink *tl)
{
	memset(tl, 0, sizeof(*tl));
	tl->tl_line = tl->tl_perf = tl->tl_link = -1;
}

/* With the lock held. */
static int
tp_line_alloc(struct dt_tplink *tl)
{
	static unsigned int last;
	unsigned int i;

	if (tl->tl_line >= 0)
		return 0;
	for (i = 0; i < DT_TP_LINES; i++) {
		last = (last + 1) % DT_TP_LINES;
		if (!tp_used[last]) {
			tp_used[last] = 1;
			tl->tl_line = last;
			return 0;
		}
	}
	return ENOSPC;
}

static void
tp_line_free(struct dt_tplink *tl)
{
	if (tl->tl_line >= 0)
		tp_used[tl->tl_line] = 0;
	tl->tl_line = -1;
}

/* Of the first CPU that is online. */
static int
tp_perf_open(uint32_t id, int *fdp)
{
	struct perf_event_attr attr;
	unsigned int cpu;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.disabled = 1;
	for (cpu = 0; cpu < dt_ncpu; cpu++) {
		*fdp = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
		    PERF_FLAG_FD_CLOEXEC);
		if (*fdp >= 0 || (errno != ENODEV && errno != ENXIO))
			break;
	}
	return *fdp < 0 ? errno : 0;
}

/* Without the lock; the line is busy. */
static int
tp_attach(struct dt_tplink *tl, int prog, uint32_t id)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
	    .perf_event.bpf_cookie = tl->tl_line);
	int error;

	if (tl->tl_perf == -1 && (error = tp_perf_open(id, &tl->tl_perf)) != 0)
		return error;
	tl->tl_link = bpf_link_create(prog, tl->tl_perf, BPF_PERF_EVENT, &opts);
	if (tl->tl_link < 0) {
		error = -tl->tl_link;
		tl->tl_link = -1;
		return error;
	}
	return 0;
}

/* Closes what is due and not wanted again. */
static void
tp_close_run(struct work *w __attribute__((unused)))
{
	struct dt_tplink *tl;
	int fd;

	pthread_mutex_lock(&tp_mtx);
	while ((tl = tp_closing) != NULL) {
		tp_closing = tl->tl_next;
		tl->tl_due = 0;
		if (tl->tl_nuser > 0 || tl->tl_busy)
			continue;
		fd = tl->tl_perf;
		tl->tl_perf = -1;
		tl->tl_busy = 1;
		pthread_mutex_unlock(&tp_mtx);
		if (fd >= 0)
			close(fd);
		pthread_mutex_lock(&tp_mtx);
		tl->tl_busy = 0;
		tp_line_free(tl);
		pthread_cond_broadcast(&tp_cond);
	}
	tp_isclosing = 0;
	pthread_mutex_unlock(&tp_mtx);
}

/* With the lock held: nobody uses it any more. */
static void
tp_close_later(struct dt_tplink *tl)
{
	if (tl->tl_due)
		return;
	tl->tl_due = 1;
	tl->tl_next = tp_closing;
	tp_closing = tl;
	if (tp_isclosing)
		return;
	tp_isclosing = 1;
	tp_closer.w_run = tp_close_run;
	work_submit(&tp_closer);
}

int
dt_tplink_get(struct dt_tplink *tl, int prog, uint32_t id,
    void (*fill)(unsigned int, void *), void *arg)
{
	int error = 0, isnew;

	pthread_mutex_lock(&tp_mtx);
	while (tl->tl_busy)
		pthread_cond_wait(&tp_cond, &tp_mtx);
	isnew = tl->tl_line == -1;
	if (tl->tl_nuser == 0 && (error = tp_line_alloc(tl)) == 0) {
		tl->tl_busy = 1;
		pthread_mutex_unlock(&tp_mtx);
		if (isnew)
			fill(tl->tl_line, arg);
		error = tp_attach(tl, prog, id);
		pthread_mutex_lock(&tp_mtx);
		tl->tl_busy = 0;
		if (error != 0)
			tp_close_later(tl);
		pthread_cond_broadcast(&tp_cond);
	}
	if (error == 0)
		tl->tl_nuser++;
	pthread_mutex_unlock(&tp_mtx);
	return error;
}

void
dt_tplink_put(struct dt_tplink *tl)
{
	int link = -1;

	pthread_mutex_lock(&tp_mtx);
	if (--tl->tl_nuser == 0) {
		link = tl->tl_link;
		tl->tl_link = -1;
		tl->tl_busy = 1;
	}
	pthread_mutex_unlock(&tp_mtx);
	if (link == -1)
		return;
	close(link);
	pthread_mutex_lock(&tp_mtx);
	tl->tl_busy = 0;
	tp_close_later(tl);
	pthread_cond_broadcast(&tp_cond);
	pthread_mutex_unlock(&tp_mtx);
}
