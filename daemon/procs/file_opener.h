/* SPDX-License-Identifier: ISC */
/*
 * Finds the files of processes when they are first seen, so that no thread that
 * follows processes waits for an inspector.  The thread for this starts when
 * there is work and then exits.
 */
#ifndef DAEMON_PROCS_FILE_OPENER_H
#define DAEMON_PROCS_FILE_OPENER_H

#include "daemon/procs/mapped_file.h"

/*
 * Queues a file to be found and the process to be inspected (proc_status.h);
 * without a file, only the latter. Returns 0 if the queue is full: the file is
 * found when it is first requested. Never waits.
 */
int file_opener_add(struct mapped_file *, const struct sighting *);
/* Waits, for a limited time, until the queue has space. */
void file_opener_room(void);
/* Discards what is queued. */
void file_opener_clear(void);

#endif /* DAEMON_PROCS_FILE_OPENER_H */
