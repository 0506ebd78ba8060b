/* SPDX-License-Identifier: ISC */
/* Decides which processes a session may resolve. */
#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "daemon/access/owner.h"
#include "daemon/access/peer.h"
#include "daemon/dt/dt_client.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_sym.h"
#include "daemon/procs/proc_watch.h"

/* Rights with which a session may record stacks of any process. */
#define SYM_ANYBODY (RIGHT_TRACE_ALL | RIGHT_PROFILE)

/*
 * A client that may record the stacks of all processes of its pid namespace may
 * resolve them; kernel symbols are for clients that may see kernel addresses
 * (DT_SESS_KADDR).
 */
int
dt_sym_mayall(const struct dt_client *dcl)
{
	return (dcl->dcl_peer.peer_rights & SYM_ANYBODY) != 0;
}

/*
 * Returns whether the session has recorded a stack of this process both before
 * and after that time, while its owner owned it.
 */
static int
dt_sym_wasowned(const struct dt_client *dcl, uint32_t pid, uint64_t nsecs)
{
	struct dt_ownedkey ok = { .ok_slot = dcl->dcl_slot,
		.ok_gen = dcl->dcl_gen,
		.ok_pid = pid };
	struct dt_owned od;

	/* programs use pids of that namespace */
	return dt_maps_made() && peer_pidns_initial() &&
	    bpf_map_lookup_elem(dt_maps.dtm_owned, &ok, &od) == 0 &&
	    od.od_first <= nsecs && nsecs <= od.od_last;
}

/*
 * Returns whether a session without the right to resolve all processes may
 * resolve this one.
 */
static int
dt_sym_mayname(const struct dt_client *dcl, const struct proc_view *pv,
    uint64_t nsecs)
{
	if ((dcl->dcl_peer.peer_rights & RIGHT_TRACE_OWN) == 0)
		return 0;
	if (dt_sym_wasowned(dcl, pv->pv_pid, nsecs))
		return 1;
	return pv->pv_isnow &&
	    owner_owns(&dcl->dcl_peer.peer_owner, pv->pv_pid);
}

static int
dt_sym_mayread(const struct find_stat *fs, void *arg)
{
	const struct dt_client *dcl = arg;

	return owner_mayread(&dcl->dcl_peer.peer_owner, fs);
}

/*
 * Limits a snapshot to what such a session may see: EPERM. It is checked twice,
 * as the process may execute another program during the first check.
 */
int
dt_sym_confine(struct dt_client *dcl, uint64_t nsecs, struct proc_view **svp)
{
	struct proc_view *pv;
	uint64_t gen = (*svp)->pv_gen;

	if (!dt_sym_mayname(dcl, *svp, nsecs) ||
	    proc_view_get((*svp)->pv_pid, nsecs, &pv) != 0)
		return EPERM;
	proc_watch_view_free(*svp);
	*svp = pv;
	if (pv->pv_gen != gen || !dt_sym_mayname(dcl, pv, nsecs))
		return EPERM;
	proc_watch_view_keep(pv, dt_sym_mayread, dcl);
	return 0;
}
