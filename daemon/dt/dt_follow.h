/* SPDX-License-Identifier: ISC */
/* Follows a process and its descendants. Worker. */
#ifndef DAEMON_DT_DT_FOLLOW_H
#define DAEMON_DT_DT_FOLLOW_H

struct dt_softc;
struct reason;

/* Returns whether the session records only processes that it follows. */
int dt_follow_isneeded(const struct dt_softc *);
/*
 * Loads the programs if the session follows processes; start loads them if
 * necessary.
 */
int dt_follow_load(struct dt_softc *, struct reason *);
/* Called before the probes start; no effect if the session follows none. */
int dt_follow_start(struct dt_softc *, struct reason *);
/*
 * halt stops adding children, before a grace period; stop removes all processes
 * after it.
 */
void dt_follow_halt(struct dt_softc *);
void dt_follow_stop(struct dt_softc *);

#endif /* DAEMON_DT_DT_FOLLOW_H */
