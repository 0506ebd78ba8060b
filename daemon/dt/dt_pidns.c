/* SPDX-License-Identifier: ISC */
/*
 * Determines the pid namespace of a client, and looks up the processes that it
 * names by their pids there.
 */
#include <errno.h>

#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/pidns.h"

int
dt_pidns_resolve(struct dt_softc *sc, struct reason *rs)
{
	struct pidns_of no;
	int error;

	if (sc->ds_nsinum != 0)
		return 0; /* known already */
	if ((error = pidns_of(&sc->ds_peer, &no, rs)) != 0)
		return error;
	sc->ds_kpid = no.no_kpid;
	sc->ds_nslevel = no.no_level;
	sc->ds_nsinum = no.no_inum;
	sc->ds_ns = no.no_ns;
	return 0;
}

/* Looks up a process in the namespace of the client. */
static int
ns_find_of(struct dt_softc *sc, struct dt_nsquery *nq)
{
	int error;

	if (!sc->ds_peer.pr_pidns_own) {
		if ((error = dt_pidns_resolve(sc, NULL)) != 0)
			return error;
		nq->nq_ns = sc->ds_ns;
		nq->nq_level = sc->ds_nslevel;
		nq->nq_inum = sc->ds_nsinum;
	}
	return pidns_process(nq);
}

int
dt_pidns_auxbase(struct dt_softc *sc, pid_t pid, uint64_t *base)
{
	struct dt_nsquery nq = { .nq_number = pid, .nq_auxv = 1 };
	int error;

	if ((error = ns_find_of(sc, &nq)) != 0)
		return error;
	*base = nq.nq_auxbase;
	return 0;
}

int
dt_pidns_local(struct dt_softc *sc, pid_t pid, pid_t *local)
{
	struct dt_nsquery nq = { .nq_number = pid };
	int error;

	if ((error = ns_find_of(sc, &nq)) != 0)
		return error;
	if (nq.nq_pid == 0)
		return ESRCH;
	*local = nq.nq_pid;
	return 0;
}
