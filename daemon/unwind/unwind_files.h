/* SPDX-License-Identifier: ISC */
/*
 * Numbers of the files that have code, for the keys of pages.  A number is never
 * given to another file.  A file is held, and so stays open, while a process
 * maps it, and for a while longer: many programs run again soon.  The caller
 * takes one lock for all functions.
 */
#ifndef DAEMON_UNWIND_UNWIND_FILES_H
#define DAEMON_UNWIND_UNWIND_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/procs/mapped_file.h"

#define UNWIND_FILES_IDLE 60 /* seconds */
#define UNWIND_FILES_HELD \
	1024 /* without a process; above it, no file is kept
			        * longer */

/* Counts one more mapping.  Returns the number; 0: memory ran out. */
uint32_t unwind_files_map(struct mapped_file *);
void unwind_files_unmap(uint32_t nth);
/* Returns the file, held by the caller, too; NULL: it is unknown. */
struct mapped_file *unwind_files_get(uint32_t nth);
/*
 * Removes the files that no process has used for secs, and calls removed() with
 * their numbers, in any order.  0: all files.
 */
void
unwind_files_trim(uint64_t secs, void (*removed)(uint32_t *nths, size_t n));
uint64_t unwind_files_count(void);

#endif /* DAEMON_UNWIND_UNWIND_FILES_H */
