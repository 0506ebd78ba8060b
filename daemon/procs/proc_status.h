/* SPDX-License-Identifier: ISC */
/*
 * User, pids in pid namespaces and root directory of a process, from /proc.  An
 * inspector reads them while the process lives, once for each program that it
 * executes.
 */
#ifndef DAEMON_PROCS_PROC_STATUS_H
#define DAEMON_PROCS_PROC_STATUS_H

#include <stdint.h>

struct inspect_proc_piece;
struct process;
struct root_dir;
struct sighting;

/*
 * Has an inspector read it; call without the lock of proc_table.h. Returns the
 * errno of inspect().
 */
int proc_status_get(uint32_t pid);
/* Fills in user and root directory, if they are known. */
void proc_status_sight(struct sighting *);
/* Stores an inspector's results. Takes over the root. Under the lock. */
void proc_status_enter(struct process *, const struct inspect_proc_piece *,
    struct root_dir *);

#endif /* DAEMON_PROCS_PROC_STATUS_H */
