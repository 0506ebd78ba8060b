/* SPDX-License-Identifier: ISC */
/* The settings that select the hits of a session; constant while it records. */
#ifndef DAEMON_DT_DT_SETTINGS_H
#define DAEMON_DT_DT_SETTINGS_H

#include <dev/dt/dtvar.h>

#include "daemon/dt/dt_client.h"

/* Letters as in dt_softc.h. */
struct dt_settings {
	struct dtioc_filter dst_filter; /* [c] */
	struct dtioc_path dst_path;	/* [c] */
	int dst_self;			/* [c] DTIOCSELF */
};

/*
 * Returns whether the session records processes that its owner has named, or
 * only the owner's: these bear the cost of their hits. Process 1 with its
 * descendants counts as the whole machine.
 */
int dt_settings_isnamed(const struct dt_settings *, const struct dt_client *);

#endif /* DAEMON_DT_DT_SETTINGS_H */
