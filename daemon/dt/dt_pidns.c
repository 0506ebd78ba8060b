/* SPDX-License-Identifier: ISC */
/*
 * Determines the pid namespace of a client, and looks up the processes that it
 * names by their pids there.
 */
#include <errno.h>
#include <stddef.h>

#include "bpf/dt_shared.h"

#include "daemon/access/peer.h"
#include "daemon/dt/dt_pidns.h"
#include "daemon/kernel/pidns.h"

int
dt_pidns_resolve(struct dt_pidns *dpn, const struct peer *pr, struct reason *rs)
{
	struct pidns_of no;
	int error;

	if (dpn->dpn_inum != 0)
		return 0; /* known already */
	if ((error = pidns_of(pr, &no, rs)) != 0)
		return error;
	dpn->dpn_kpid = no.no_kpid;
	dpn->dpn_level = no.no_level;
	dpn->dpn_inum = no.no_inum;
	dpn->dpn_ns = no.no_ns;
	return 0;
}

int
dt_pidns_find(struct dt_pidns *dpn, const struct peer *pr,
    struct dt_nsquery *nq)
{
	int error;

	if (!pr->peer_own_pidns) {
		if ((error = dt_pidns_resolve(dpn, pr, NULL)) != 0)
			return error;
		nq->nq_ns = dpn->dpn_ns;
		nq->nq_level = dpn->dpn_level;
		nq->nq_inum = dpn->dpn_inum;
	}
	return pidns_process(nq);
}

int
dt_pidns_local(struct dt_pidns *dpn, const struct peer *pr, pid_t pid,
    pid_t *local)
{
	struct dt_nsquery nq = { .nq_number = pid };
	int error;

	if ((error = dt_pidns_find(dpn, pr, &nq)) != 0)
		return error;
	if (nq.nq_pid == 0)
		return ESRCH;
	*local = nq.nq_pid;
	return 0;
}
