/* SPDX-License-Identifier: ISC */
/*
 * Clients, and a daemon, in pid namespaces of their own.  BPF programs know
 * the numbers of the initial namespace only; a client gives and gets those of
 * its own, and sees its own processes.  Between the two stands a pass over
 * all tasks, made on a worker when it is needed: never where everybody is in
 * the initial namespace.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "dt_open.h"

#include "dt_btf.h"
#include "dt_iter.h"
#include "dt_ns.h"
#include "dt_ns.skel.h"
#include "dt_softc.h"
#include "peer.h"

static pthread_mutex_t ns_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dt_ns_bpf *ns_skel; /* by ns_mtx; stays loaded */

/* By ns_mtx. */
static int
ns_load(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
	    .btf_custom_path = dt_btf_path());
	struct dt_ns_bpf *skel;
	int error;

	if ((skel = dt_ns_bpf__open_opts(&opts)) == NULL)
		return errno;
	if ((error = -dt_ns_bpf__load(skel)) != 0)
		dt_ns_bpf__destroy(skel);
	else
		ns_skel = skel;
	return error;
}

/* By ns_mtx: asks the kernel.  nq in: what is asked, out: the answer. */
static int
ns_ask(struct dt_nsquery *nq)
{
	int error;

	if (ns_skel == NULL && (error = ns_load()) != 0)
		return error;
	if (ns_skel->bss == NULL) /* as in dt_maps_seen() */
		return EOPNOTSUPP;
	ns_skel->bss->dt_nsquery = *nq;
	if ((error = dt_iter_run(ns_skel->progs.dt_ns_find)) != 0)
		return error;
	*nq = ns_skel->bss->dt_nsquery;
	return nq->nq_found ? 0 : ESRCH;
}

static int
ns_find(struct dt_nsquery *nq)
{
	int error;

	pthread_mutex_lock(&ns_mtx);
	error = ns_ask(nq);
	pthread_mutex_unlock(&ns_mtx);
	return error;
}

int
dt_ns_initial(pid_t pid, uint32_t *kpid)
{
	struct dt_nsquery nq = { .nq_pid = pid };
	int error;

	if (!peer_pidns_initial()) {
		if ((error = ns_find(&nq)) != 0)
			return error;
		*kpid = nq.nq_kpid;
	} else
		*kpid = pid;
	return 0;
}

int
dt_ns_of(const struct peer *pr, struct dt_nsof *no, char *text)
{
	struct dt_nsquery nq = { .nq_pid = pr->pr_pid };
	int error;

	if (pr->pr_pidns_initial) {
		*no = (struct dt_nsof){ .no_kpid = pr->pr_pid };
		return 0;
	}
	if ((error = ns_find(&nq)) != 0) {
		snprintf(text, IOCTL_TEXT,
		    "process %d cannot be found in its pid namespace: %s",
		    (int)pr->pr_pid, strerror(error));
		return error;
	}
	*no = (struct dt_nsof){ nq.nq_kpid, nq.nq_ownlevel, nq.nq_owninum };
	return 0;
}

int
dt_ns_resolve(struct dt_softc *sc, char *text)
{
	struct dt_nsof no;
	int error;

	if (sc->ds_nsinum != 0)
		return 0; /* known already */
	if ((error = dt_ns_of(&sc->ds_peer, &no, text)) != 0)
		return error;
	sc->ds_kpid = no.no_kpid;
	sc->ds_nslevel = no.no_level;
	sc->ds_nsinum = no.no_inum;
	return 0;
}

int
dt_ns_local(struct dt_softc *sc, pid_t pid, pid_t *local)
{
	char text[IOCTL_TEXT];
	struct dt_nsquery nq = { .nq_pid = pid };
	int error;

	if ((error = dt_ns_resolve(sc, text)) != 0)
		return error;
	nq.nq_level = sc->ds_nslevel;
	nq.nq_inum = sc->ds_nsinum;
	if ((error = ns_find(&nq)) != 0)
		return error;
	if (nq.nq_localpid == 0)
		return ESRCH;
	*local = nq.nq_localpid;
	return 0;
}
