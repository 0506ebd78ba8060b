/* SPDX-License-Identifier: ISC */
/* Follows a process and its descendants. Worker. */
#ifndef DAEMON_DT_DT_FOLLOW_H
#define DAEMON_DT_DT_FOLLOW_H

struct dt_enabled;
struct dt_pidns;
struct dt_settings;
struct reason;

/* Returns whether the session records only processes that it follows. */
int dt_follow_isneeded(const struct dt_settings *);
/* Loads the programs; start loads them if necessary. */
int dt_follow_load(struct reason *);
/*
 * Called before the probes of any session start.  The pid of its filter belongs
 * to the namespace.
 */
int
dt_follow_start(struct dt_enabled *, const struct dt_pidns *, struct reason *);
/*
 * halt stops adding children, before a grace period; stop removes all processes
 * after it.
 */
void dt_follow_halt(struct dt_enabled *);
void dt_follow_stop(struct dt_enabled *);

#endif /* DAEMON_DT_DT_FOLLOW_H */
