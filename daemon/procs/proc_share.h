/* SPDX-License-Identifier: ISC */
/*
 * Shares of the process table by user, so that a user with many processes or
 * mappings loses names only for processes of that user.  Call all functions
 * under the lock of proc_table.h.
 */
#ifndef DAEMON_PROCS_PROC_SHARE_H
#define DAEMON_PROCS_PROC_SHARE_H

#include <stdint.h>

#include "daemon/procs/proc_table.h"

/*
 * Returns the share to which a user id belongs: its own below 65536, else one
 * for each 65536 ids, as a user may own a range of subordinate ids.
 */
uint32_t proc_share_of(uid_t);
/* Return the use of a process: its bytes; 1 if it has ended. */
uint64_t proc_share_bytes(const struct process *);
uint64_t proc_share_ended(const struct process *);
/*
 * Returns the share whose processes use the most; UINT32_MAX if none uses
 * anything, or without memory.
 */
uint32_t proc_share_largest(uint64_t (*use)(const struct process *));
/*
 * Drops the mappings of each address space of a share that uses more than
 * nbytes, until isenough() returns true.  Returns the number dropped.
 */
unsigned int
proc_share_drop(uint32_t share, uint64_t nbytes, int (*isenough)(void));

#endif /* DAEMON_PROCS_PROC_SHARE_H */
