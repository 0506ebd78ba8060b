/* SPDX-License-Identifier: ISC */
/*
 * Remembers files over which a symbolizer took long, so that neither a file nor
 * all files of one owner can keep symbolizers busy.
 *
 * - A file that took a time t (of a second or more) is not read again within
 *   SYMSLOW_FACTOR times t after it has changed, by chmod(2) for example, or if
 *   it made the request fail.
 * - If the files of an owner have taken SYMSLOW_MUCH together recently, each
 *   further request about them is limited to SYMSLOW_MSECS.  Root's files are
 *   exempt.
 *
 * A file is known by device and inode: its owner can set all else.  Any thread.
 */
#ifndef DAEMON_SYM_SLOW_FILES_H
#define DAEMON_SYM_SLOW_FILES_H

#include <stdint.h>
#include <sys/types.h>

#define SYMSLOW_FACTOR 10
#define SYMSLOW_LEAST  1000  /* ms; a shorter time is not remembered */
#define SYMSLOW_MUCH   10000 /* ms of an owner's files */
#define SYMSLOW_HALF   30000 /* ms in which a half of that is forgotten */
#define SYMSLOW_MSECS  1000

struct symslow_file {
	uint64_t sl_dev, sl_ino;
	uint64_t sl_gen; /* changes with the file */
	uid_t sl_owner;	 /* (uid_t)-1: unknown, exempt */
};

/* EIO: the file must not be read yet. */
int symslow_check(const struct symslow_file *);
/* The time limit of a request about the file, at most max; ms. */
int symslow_limit(const struct symslow_file *, int max);
/* A request about the file took this long, and failed if error is not 0. */
void symslow_note(const struct symslow_file *, int64_t msecs, int error);

#endif /* DAEMON_SYM_SLOW_FILES_H */
