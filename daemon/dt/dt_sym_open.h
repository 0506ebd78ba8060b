/* SPDX-License-Identifier: ISC */
/*
 * What a session may resolve (dt_sym_access.c) and what is followed for it
 * (dt_sym_follow.c); used by the symbol requests of dt_sym.c.
 */
#ifndef DAEMON_DT_DT_SYM_OPEN_H
#define DAEMON_DT_DT_SYM_OPEN_H

#include "daemon/dt/dt_softc.h"
#include "daemon/procs/proc_watch.h"

/* Returns whether it may resolve symbols of all processes. */
int dt_sym_mayall(const struct dt_softc *);
/* w: removes from a snapshot what the session may not see: EPERM. */
int dt_sym_confine(struct dt_softc *, uint64_t nsecs, struct proc_view **);

/* Follows processes for it from now on. An errno. */
int dt_sym_follow(struct dt_softc *);
/* Keeps the kernel's symbols for it from now on. */
void dt_sym_kernel(struct dt_softc *);

#endif /* DAEMON_DT_DT_SYM_OPEN_H */
