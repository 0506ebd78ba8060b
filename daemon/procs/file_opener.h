/* SPDX-License-Identifier: ISC */
/*
 * Finds the files of processes as soon as they are seen, so that nobody who
 * follows processes has to wait for an inspector: a thread of its own, which
 * starts when there is something to do, and ends.
 */
#ifndef DAEMON_PROCS_FILE_OPENER_H
#define DAEMON_PROCS_FILE_OPENER_H

#include "daemon/procs/mapped_file.h"

/*
 * Finds a file soon, and looks at the process (proc_status.h); without a file,
 * only that.  Returns 0 when there is no room: then it is found when somebody
 * asks for it.  Never waits.
 */
int file_opener_add(struct mapped_file *, const struct sighting *);
/* Waits until there is some room, a while at most. */
void file_opener_room(void);
/* Nothing more of what was added begins. */
void file_opener_clear(void);

#endif /* DAEMON_PROCS_FILE_OPENER_H */
