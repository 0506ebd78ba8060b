/* SPDX-License-Identifier: ISC */
/*
 * The client of a session, and the slot by which BPF programs know the session.
 * Constant after open.
 */
#ifndef DAEMON_DT_DT_CLIENT_H
#define DAEMON_DT_DT_CLIENT_H

#include <dev/dt/dtvar.h>

#include "daemon/access/peer.h"

struct dt_client {
	unsigned int dcl_slot; /* session slot */
	unsigned int dcl_gen;  /* generation of the slot */
	struct peer dcl_peer;
};

/*
 * Returns whether the session may see only its owner's processes; clocks are
 * exempt for clients with PROFILE.
 */
static inline int
dt_client_islimited(const struct dt_client *dcl)
{
	return (dcl->dcl_peer.peer_rights & RIGHT_TRACE_ALL) == 0;
}

#endif /* DAEMON_DT_DT_CLIENT_H */
