/* SPDX-License-Identifier: ISC */
/*
 * Fetches debug files by build id from a debuginfod server, if the settings
 * name one. dtd does not speak HTTP: debuginfod-find, a process without rights,
 * fetches the file, which is copied into a folder of bounded size.
 *
 * Only the requesting thread waits for a server. The symbolizer gets EAGAIN and
 * replies with what is known; then the thread waits for a limited time, without
 * a lock, and repeats the request if the file has arrived.
 */
#ifndef DAEMON_SYM_DEBUGINFOD_H
#define DAEMON_SYM_DEBUGINFOD_H

#include <stdint.h>

#define DEBUGINFOD_ID 129 /* of the longest build id, as text */

/*
 * Sets the servers, and the folder with its size limit; the strings remain the
 * caller's. Call before threads start. Without URLs no server is queried.
 */
void debuginfod_init(const char *urls, const char *folder, uint64_t nbytes);
/*
 * Opens the debug file of a build id.  ENOENT: there is none.  EAGAIN: unknown
 * until this thread has called debuginfod_wait().
 */
int debuginfod_open(const uint8_t *id, uint32_t len, int *fd);
/* Begins this thread's requests about another file. */
void debuginfod_begin(void);
/*
 * Fetches the files for which this thread got EAGAIN, and waits up to the
 * limit. 0: a file has arrived; ENOENT: none exists, or none was requested;
 * EAGAIN: not yet.
 */
int debuginfod_wait(void);
/* Limits the total time of this thread's waits from now on. */
void debuginfod_limit(int msecs);
/* dtd exits: ends all waits. */
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
/* Stores the name of a file in the folder. */
void debuginfod_name(const char *id, char *out, unsigned int size);

#endif /* DAEMON_SYM_DEBUGINFOD_H */
