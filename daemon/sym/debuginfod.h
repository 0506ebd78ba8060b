/* SPDX-License-Identifier: ISC */
/*
 * Debug files by build id, from a debuginfod server, where the settings name
 * one.  dtd speaks no HTTP: debuginfod-find does, a process without rights, and
 * what it brings is copied into a folder of bounded size.
 *
 * Nobody waits for a server who has something else to do.  The worker is told
 * EAGAIN, and answers with what there is; then the thread that asked it waits
 * a little, without a lock, and asks once more if the file came.
 */
#ifndef DAEMON_SYM_DEBUGINFOD_H
#define DAEMON_SYM_DEBUGINFOD_H

#include <stdint.h>

#define DEBUGINFOD_ID 129 /* of the longest build id, as text */

/*
 * Before there are threads: where to ask, and the folder with its size; they
 * stay the caller's.  Without URLs nobody is ever asked.
 */
void debuginfod_init(const char *urls, const char *folder, uint64_t nbytes);
/*
 * Opens the debug file of a build id.  ENOENT: there is none.  EAGAIN: that is
 * not known, and this thread's debuginfod_wait() is to find out.
 */
int debuginfod_open(const uint8_t *id, uint32_t len, int *fd);
/* This thread asks about another file now. */
void debuginfod_begin(void);
/*
 * Has fetched what this thread was told EAGAIN for, and waits a while.  0: it
 * is there; ENOENT: nothing is, or was asked for; EAGAIN: not yet.
 */
int debuginfod_wait(void);
/* All waiting of this thread from now on has so long together. */
void debuginfod_limit(int msecs);
/* The daemon ends: nobody waits any more. */
void debuginfod_end(void);

/*
 * For debuginfod.c: fetches a file into the folder.  Takes up to two minutes.
 */
struct debuginfod_conf {
	const char *fc_urls;
	const char *fc_folder;
	uint64_t fc_nbytes;
};
int debuginfod_run(const struct debuginfod_conf *, const char *id);
/* The name that a file has in the folder. */
void debuginfod_name(const char *id, char *out, unsigned int size);

#endif /* DAEMON_SYM_DEBUGINFOD_H */
