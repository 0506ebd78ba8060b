/* SPDX-License-Identifier: ISC */
/*
 * Remembers files over which a symbolizer took long, so that neither a file nor
 * all files of one owner can keep symbolizers busy.
 *
 * - A file that took a time t (of a second or more, not counting waits for a
 *   CPU) is not read again within SLOW_FILES_FACTOR times t after it changed, by
 *   chmod(2) for example, or after it made a request fail.
 * - If the files of an owner have taken SLOW_FILES_MUCH together recently, each
 *   further request about them is limited to SLOW_FILES_MSECS.  Root's files are
 *   exempt.
 *
 * A file is known by device and inode: its owner can set all else.  Any thread.
 */
#ifndef DAEMON_SYM_SLOW_FILES_H
#define DAEMON_SYM_SLOW_FILES_H

#include <stdint.h>
#include <sys/types.h>

#define SLOW_FILES_FACTOR 10
#define SLOW_FILES_LEAST  1000	/* ms; a shorter time is not remembered */
#define SLOW_FILES_MUCH	  10000 /* ms of an owner's files */
#define SLOW_FILES_HALF	  30000 /* half-life of that sum, ms */
#define SLOW_FILES_MSECS  1000

struct slow_file {
	uint64_t slf_dev, slf_ino;
	uint64_t slf_gen; /* changes with the file */
	uid_t slf_owner;  /* (uid_t)-1: unknown, exempt */
};

/* Returns EIO if the file must not be read yet. */
int slow_files_check(const struct slow_file *);
/* Returns the time limit of a request about the file, at most max; ms. */
int slow_files_limit(const struct slow_file *, int max);
/*
 * Notes that a request about the file took this long, and failed if error is
 * not 0.
 */
void slow_files_note(const struct slow_file *, int64_t msecs, int error);

#endif /* DAEMON_SYM_SLOW_FILES_H */
