/* SPDX-License-Identifier: ISC */
/*
 * What the commands for names (dt_sym.c) have of an open: what it may name
 * (dt_sym_access.c), and what is followed for it (dt_sym_follow.c).
 */
#ifndef DAEMON_DT_DT_SYM_OPEN_H
#define DAEMON_DT_DT_SYM_OPEN_H

#include "daemon/dt/dt_softc.h"
#include "daemon/procs/proc_watch.h"

/* Whether it may name all processes. */
int dt_sym_mayall(const struct dt_softc *);
/* w: leaves of a view what another open may see: EPERM. */
int dt_sym_confine(struct dt_softc *, uint64_t nsecs, struct proc_view **);

/* Follows processes for it, from now on.  An errno. */
int dt_sym_follow(struct dt_softc *);
/* The same of the kernel's functions. */
void dt_sym_kernel(struct dt_softc *);

#endif /* DAEMON_DT_DT_SYM_OPEN_H */
