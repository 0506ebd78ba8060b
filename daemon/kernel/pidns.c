/* SPDX-License-Identifier: ISC */
/*
 * Translates thread ids between pid namespaces.  BPF programs see ids of the
 * initial namespace only; a client or daemon in another namespace uses ids of
 * that namespace.  The lookup is a BPF program (bpf/dt_pidns.bpf.c); it takes
 * microseconds and reads nothing in /proc.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/dt_shared.h"

#include "daemon/access/peer.h"
#include "daemon/base/reason.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/pidns.h"
#include "dt_pidns.skel.h"

static pthread_mutex_t ns_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dt_pidns_bpf *ns_skel; /* by ns_mtx; stays loaded */
static int ns_refused; /* by ns_mtx: the kernel refused, permanently */

static int
ns_open(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_pidns_bpf *skel;
	int error;

	if ((skel = dt_pidns_bpf__open_opts(&opts)) == NULL)
		return errno;
	if ((error = -dt_pidns_bpf__load(skel)) != 0)
		dt_pidns_bpf__destroy(skel);
	else
		ns_skel = skel;
	return error;
}

/* By ns_mtx.  A refusal takes milliseconds, so dtd remembers it. */
static int
ns_load(void)
{
	int error;

	if (ns_skel != NULL || ns_refused != 0)
		return ns_refused;
	error = ns_open();
	if (error == EINVAL || error == EPERM || error == EACCES)
		ns_refused = error;
	return error;
}

/* By ns_mtx: runs the program, which fills *nq.  EAGAIN: the kernel skipped the
 * run, as it does if a program interrupts itself. */
static int
ns_run(struct dt_nsquery *nq)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd, error;

	if ((error = ns_load()) != 0)
		return error;
	if (ns_skel->bss == NULL) /* as in dt_maps_seen() */
		return EOPNOTSUPP;
	ns_skel->bss->dt_nsquery = *nq;
	fd = bpf_program__fd(ns_skel->progs.dt_ns_find);
	if ((error = -bpf_prog_test_run_opts(fd, &opts)) != 0)
		return error;
	if (opts.retval != DT_NS_RAN)
		return EAGAIN;
	*nq = ns_skel->bss->dt_nsquery;
	return nq->nq_found ? 0 : ESRCH;
}

static int
ns_find(struct dt_nsquery *nq)
{
	int error;

	pthread_mutex_lock(&ns_mtx);
	error = ns_run(nq);
	pthread_mutex_unlock(&ns_mtx);
	return error;
}

int
pidns_process(struct dt_nsquery *nq)
{
	int error = ns_find(nq);

	return error == 0 && nq->nq_tid != nq->nq_pid ? ESRCH : error;
}

int
pidns_thread(const struct pidns_of *no, uint32_t number,
    struct pidns_thread *nt)
{
	struct dt_nsquery nq = { .nq_number = number };
	int error;

	if (no != NULL) {
		nq.nq_ns = no->no_ns;
		nq.nq_level = no->no_level;
		nq.nq_inum = no->no_inum;
	}
	if ((error = ns_find(&nq)) != 0)
		return error;
	if (nq.nq_tid == 0)
		return ESRCH;
	*nt = (struct pidns_thread){ .nt_tid = nq.nq_tid,
		.nt_pid = nq.nq_pid,
		.nt_parent = nq.nq_parent,
		.nt_nthreads = nq.nq_nthreads,
		.nt_exits = nq.nq_exits,
		.nt_start = nq.nq_start };
	return 0;
}

int
pidns_own(uint32_t *inum, uint32_t *level)
{
	struct dt_nsquery nq = { .nq_number = getpid() };
	int error;

	if (!peer_pidns_initial() && (error = pidns_process(&nq)) != 0)
		return error;
	*inum = nq.nq_owninum;
	*level = nq.nq_ownlevel;
	return 0;
}

int
pidns_initial(pid_t pid, uint32_t *kpid)
{
	struct dt_nsquery nq = { .nq_number = pid };
	int error;

	if (!peer_pidns_initial()) {
		if ((error = pidns_process(&nq)) != 0)
			return error;
		*kpid = nq.nq_kpid;
	} else
		*kpid = pid;
	return 0;
}

int
pidns_of(const struct peer *pr, struct pidns_of *no, struct reason *rs)
{
	struct dt_nsquery nq = { .nq_number = pr->peer_pid };
	int error;

	if (pr->peer_initial_pidns) {
		*no = (struct pidns_of){ .no_kpid = pr->peer_pid };
		return 0;
	}
	if ((error = pidns_process(&nq)) != 0)
		return reason_fail(rs, error,
		    "process %d cannot be found in its pid namespace: %s",
		    (int)pr->peer_pid, strerror(error));
	*no = (struct pidns_of){ .no_kpid = nq.nq_kpid,
		.no_level = nq.nq_ownlevel,
		.no_inum = nq.nq_owninum,
		.no_ns = nq.nq_ownns };
	return 0;
}
