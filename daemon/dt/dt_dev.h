/* SPDX-License-Identifier: ISC */
/* The dt device, and the list of its sessions. Control thread. */
#ifndef DAEMON_DT_DT_DEV_H
#define DAEMON_DT_DT_DEV_H

#include <sys/types.h>

#include "daemon/device/cdevsw.h"

struct dt_softc;

extern const struct cdevsw dt_cdevsw;
extern unsigned int dt_nopen; /* sessions */
unsigned int dt_sessions_of(uid_t);
void dt_softcs_each(void (*fn)(struct dt_softc *)); /* all sessions */

#endif /* DAEMON_DT_DT_DEV_H */
