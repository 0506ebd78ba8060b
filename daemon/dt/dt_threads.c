/* SPDX-License-Identifier: ISC */
/*
 * DTIOCTHREADS and DTIOCGTHREADS: threads and their stacks at a moment.  A BPF
 * program (bpf/dt_where.bpf.c) describes each thread in one pass, which takes no
 * lock of a process; the threads that the client requested are selected here.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/dt_where_shared.h"

#include "daemon/base/clock.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/dt/dt_threads_user.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/pidns.h"
#include "daemon/kernel/task_iter.h"
#include "dt_where.skel.h"

#define THREADS_MAX (64UL << 20) /* bytes of a snapshot */

static pthread_mutex_t where_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dt_where_bpf *where_skel; /* by where_mtx; stays loaded */

/* A growing list of bytes. */
struct row_bytes {
	uint8_t *rwb_data;
	size_t rwb_n, rwb_max;
};

/* A snapshot in the making. */
struct threads_made {
	const struct dtioc_threads *tmd_request;
	struct row_bytes tmd_found; /* struct dt_where_thread, and addresses */
	struct row_bytes tmd_rows;  /* the reply */
	struct row_bytes tmd_users; /* struct thread_user of selected threads */
	size_t tmd_count;
};

/* Returns space for n more bytes, or NULL. */
static void *
bytes_add(struct row_bytes *by, size_t n)
{
	size_t max = by->rwb_max != 0 ? by->rwb_max : 1 << 16;
	uint8_t *p;

	while (max < by->rwb_n + n)
		max *= 2;
	if (max > THREADS_MAX)
		return NULL;
	if (max != by->rwb_max) {
		if ((p = realloc(by->rwb_data, max)) == NULL)
			return NULL;
		by->rwb_data = p;
		by->rwb_max = max;
	}
	p = by->rwb_data + by->rwb_n;
	by->rwb_n += n;
	return p;
}

/* By where_mtx. */
static int
where_load(struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_where_bpf *skel;
	int error;

	if (where_skel != NULL)
		return 0;
	if ((skel = dt_where_bpf__open_opts(&opts)) == NULL)
		return errno;
	if ((error = -dt_where_bpf__load(skel)) != 0) {
		dt_where_bpf__destroy(skel);
		return reason_fail(rs, error,
		    "this kernel refuses the program that looks at threads: %s",
		    dt_refused(error));
	}
	if (skel->bss == NULL) { /* as in dt_maps_seen() */
		dt_where_bpf__destroy(skel);
		return EOPNOTSUPP;
	}
	where_skel = skel;
	return 0;
}

/* A function of task_iter_run(). */
static int
where_piece(void *arg, const void *piece, size_t n)
{
	void *p = bytes_add(arg, n);

	if (p == NULL)
		return E2BIG;
	memcpy(p, piece, n);
	return 0;
}

/* Prepares the pass: by where_mtx. */
static int
where_query(struct dt_softc *sc, struct dt_where_query *whq, struct reason *rs)
{
	int error;

	memset(whq, 0, sizeof(*whq));
	if ((error = dt_pidns_resolve(&sc->ds_pidns, &sc->ds_client.dcl_peer,
		 rs)) != 0 ||
	    (error = pidns_own(&whq->whq_owninum, &whq->whq_ownlevel)) != 0)
		return error;
	whq->whq_inum = sc->ds_pidns.dpn_inum;
	whq->whq_level = sc->ds_pidns.dpn_level;
	if (sc->ds_settings.dst_self)
		return 0;
	whq->whq_client = sc->ds_pidns.dpn_kpid;
	return pidns_initial(getpid(), &whq->whq_self);
}

/*
 * Runs the pass.  It compares clocks with the time at which this thread got its
 * CPU, so that should be a moment ago.
 */
static int
where_run(struct dt_softc *sc, struct row_bytes *found, struct reason *rs)
{
	struct dt_where_query whq;
	int error;

	if ((error = where_query(sc, &whq, rs)) != 0)
		return error;
	pthread_mutex_lock(&where_mtx);
	if ((error = where_load(rs)) == 0) {
		where_skel->bss->dt_where_query = whq;
		sched_yield();
		error = task_iter_run(where_skel->progs.dt_where, where_piece,
		    found);
	}
	pthread_mutex_unlock(&where_mtx);
	if (error == E2BIG)
		reason_set(rs,
		    "too many threads: their stacks take more than "
		    "%lu bytes",
		    THREADS_MAX);
	return error;
}

/* Returns whether a name of at most 15 bytes is this one. */
static int
name_is(const char *name, const char *other)
{
	return strncmp(name, other, 16) == 0;
}

static int
process_isselected(const struct dtioc_threads *dth,
    const struct dt_where_thread *wth)
{
	uint32_t i;

	if (dth->dtth_npids == 0 && dth->dtth_nnames == 0)
		return 1;
	for (i = 0; i < dth->dtth_npids; i++)
		if (dth->dtth_pids[i] == wth->wth_pid)
			return 1;
	for (i = 0; i < dth->dtth_nnames; i++)
		if (name_is(dth->dtth_names[i], wth->wth_process))
			return 1;
	return 0;
}

static int
thread_isselected(const struct dtioc_threads *dth,
    const struct dt_where_thread *wth)
{
	return process_isselected(dth, wth) &&
	    (dth->dtth_comm[0] == '\0' ||
		name_is(dth->dtth_comm, wth->wth_comm)) &&
	    (dth->dtth_states[0] == '\0' ||
		memchr(dth->dtth_states, wth->wth_state,
		    sizeof(dth->dtth_states)) != NULL);
}

/* Returns whether a thread has no stacks: it runs, or has exited. */
static int
thread_isbare(const struct dt_where_thread *wth)
{
	return (wth->wth_flags & DT_WHERE_ONCPU) != 0 ||
	    wth->wth_state == 'Z' || wth->wth_state == 'X';
}

/*
 * Describes a kernel stack.  The kernel omits the frames of the scheduler, so
 * the first one is of the function that waits.
 */
static struct dt_rec_stack
kernel_stack(const struct dt_where_thread *wth)
{
	struct dt_rec_stack st = { 0 };

	if (wth->wth_stack > 0)
		st.drs_count = wth->wth_stack / sizeof(uint64_t);
	else if (wth->wth_stack < 0 && !thread_isbare(wth)) {
		st.drs_end = DT_STACK_ERRNO;
		st.drs_error = -wth->wth_stack;
	}
	if (st.drs_count == DT_WHERE_FRAMES)
		st.drs_end = DT_STACK_LIMIT;
	return st;
}

/* Adds a thread to the reply. */
static int
thread_add(struct threads_made *tmd, const struct thread_user *thu)
{
	const struct dt_where_thread *wth = thu->thu_thread;
	const uint64_t *pcs = (const uint64_t *)(wth + 1);
	struct dt_rec_stack kst = kernel_stack(wth);
	size_t nkernel = kst.drs_count * sizeof(*pcs);
	size_t nuser = thu->thu_stack.drs_count * sizeof(*pcs);
	size_t nbytes = sizeof(struct dtioc_thread) + nkernel + nuser;
	struct dtioc_thread *row = bytes_add(&tmd->tmd_rows, nbytes);

	if (row == NULL)
		return ENOMEM;
	*row = (struct dtioc_thread){ .dtti_length = nbytes,
		.dtti_pid = wth->wth_pid,
		.dtti_tid = wth->wth_tid,
		.dtti_cpu = wth->wth_cpu,
		.dtti_nsecs = wth->wth_nsecs,
		.dtti_state = wth->wth_state,
		.dtti_flags = (wth->wth_flags & (DTTI_ONCPU | DTTI_KTHREAD)) |
		    (thread_isbare(wth) ? DTTI_BARE : 0),
		.dtti_kstack = kst,
		.dtti_ustack = thu->thu_stack };
	memcpy(row->dtti_comm, wth->wth_comm, sizeof(row->dtti_comm));
	memcpy(row->dtti_process, wth->wth_process, sizeof(row->dtti_process));
	memcpy(row + 1, pcs, nkernel);
	if (nuser > 0)
		memcpy((uint8_t *)(row + 1) + nkernel, thu->thu_pcs, nuser);
	return 0;
}

/* Finds the selected threads. */
static int
snapshot_select(struct threads_made *tmd)
{
	const struct row_bytes *by = &tmd->tmd_found;
	const struct dt_where_thread *wth;
	struct thread_user *thu;
	size_t at, n;

	for (at = 0; at + sizeof(*wth) <= by->rwb_n; at += n) {
		wth = (const struct dt_where_thread *)(by->rwb_data + at);
		n = sizeof(*wth) + (wth->wth_stack > 0 ? wth->wth_stack : 0);
		if (at + n > by->rwb_n)
			break;
		if (!thread_isselected(tmd->tmd_request, wth))
			continue;
		if ((thu = bytes_add(&tmd->tmd_users, sizeof(*thu))) == NULL)
			return ENOMEM;
		*thu = (struct thread_user){ .thu_thread = wth };
		tmd->tmd_count++;
	}
	return 0;
}

static void
snapshot_free(struct threads_made *tmd)
{
	struct thread_user *thu = (struct thread_user *)tmd->tmd_users.rwb_data;
	size_t i;

	for (i = 0; i < tmd->tmd_count; i++)
		free(thu[i].thu_pcs);
	free(thu);
	free(tmd->tmd_found.rwb_data);
	free(tmd->tmd_rows.rwb_data);
}

/* Makes the reply. */
static int
snapshot_make(struct dt_softc *sc, struct threads_made *tmd, struct reason *rs)
{
	int error, istabled = 0;
	struct thread_user *thu;
	size_t i;

	if (tmd->tmd_request->dtth_flags & DTTH_USTACK)
		istabled = dt_threads_tables(&sc->ds_enabled);
	if ((error = where_run(sc, &tmd->tmd_found, rs)) != 0 ||
	    (error = snapshot_select(tmd)) != 0)
		return error;
	thu = (struct thread_user *)tmd->tmd_users.rwb_data;
	if (istabled)
		dt_threads_walk(&sc->ds_client, thu, tmd->tmd_count);
	for (i = 0; i < tmd->tmd_count && error == 0; i++)
		error = thread_add(tmd, &thu[i]);
	return error;
}

static int
threads_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_threads *dth = &sc->ds_threads;
	struct dtioc_threads it;
	struct threads_made tmd = { .tmd_request = &it };
	int error;

	memcpy(&it, op->op_arg, sizeof(it));
	error = snapshot_make(sc, &tmd, &op->op_reason);
	if (error == 0) {
		dt_threads_close(dth);
		dth->dth_rows = tmd.tmd_rows.rwb_data;
		dth->dth_nbytes = tmd.tmd_rows.rwb_n;
		tmd.tmd_rows.rwb_data = NULL;
		it.dtth_count = tmd.tmd_count;
		it.dtth_time = clock_monotonic();
		error = op_reply(op, &it, sizeof(it));
	}
	snapshot_free(&tmd);
	return error;
}

/* EINVAL. */
int
dt_ioctl_threads(struct op *op)
{
	const struct dtioc_threads *it = op->op_arg;
	struct dt_softc *sc = op->op_sc;

	if (it->dtth_npids > DTTH_NPIDS || it->dtth_nnames > DTTH_NNAMES)
		return op_fail(op, EINVAL,
		    "at most %d processes by number and %d by name", DTTH_NPIDS,
		    DTTH_NNAMES);
	if ((it->dtth_flags & ~(uint32_t)DTTH_USTACK) != 0)
		return op_fail(op, EINVAL, "no such flags");
	sc->ds_sym.dsu_ismoment = 1;
	return op_later(op, threads_run, NULL, 1);
}

/* Sends the next threads, as many as fit.  On a worker. */
int
dt_threads_page_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_threads *dth = &sc->ds_threads;
	struct wire_list *wl = op->op_out;
	size_t n = 0, left = OP_MAXOUT - sizeof(*wl);
	const struct dtioc_thread *row;

	wl->wl_total = wl->wl_count = 0;
	for (; dth->dth_next + n < dth->dth_nbytes; n += row->dtti_length) {
		row = (const struct dtioc_thread *)(dth->dth_rows +
		    dth->dth_next + n);
		if (row->dtti_length > left - n)
			break;
		wl->wl_count++;
	}
	if (n > 0)
		memcpy(wl + 1, dth->dth_rows + dth->dth_next, n);
	wl->wl_total = wl->wl_count;
	op->op_outlen = sizeof(*wl) + n;
	dth->dth_next += n;
	if (dth->dth_next == dth->dth_nbytes)
		dt_threads_close(dth);
	return 0;
}

void
dt_threads_close(struct dt_threads *dth)
{
	free(dth->dth_rows);
	*dth = (struct dt_threads){ 0 };
}
