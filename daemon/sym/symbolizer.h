/* SPDX-License-Identifier: ISC */
/*
 * Resolves addresses in files to symbols.  Only worker processes
 * (dt-symbolizer) read the files; their replies are cached by file.  Any thread
 * that may wait: for other requests, and at most SYMBOLIZER_PROCESS_MSECS for
 * each file.
 */
#ifndef DAEMON_SYM_SYMBOLIZER_H
#define DAEMON_SYM_SYMBOLIZER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/procs/mapped_file.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/table_buf.h"

#define SYM_LINES  0x1	     /* files, lines and inlined functions, too */
#define SYM_MAXPCS (1 << 20) /* addresses in a call */

/*
 * Frames by wf_pc, the index of the offset, innermost first; each offset has at
 * least one.  wf_func and wf_file are strings of syf_strings (wire_string());
 * the members that wire/symbolizer.h does not name are 0.
 */
struct symbol_frames {
	size_t syf_n;
	struct wire_frame *syf_frames;
	const char *syf_strings; /* in the memory of syf_frames */
};

/*
 * Resolves offsets in a file, in any order.  Returns 0, also without symbols,
 * or an errno: the file's mf_error; EIO, the worker crashed or took too long
 * with this file, which is not read again; ENOEXEC, not an ELF file; ESTALE,
 * another build id; E2BIG, too many; ECHILD, no worker (see the log);
 * ETIMEDOUT, the limit of symbolizer_begin().
 */
int symbolizer_names(struct mapped_file *, const uint64_t *offs, size_t n,
    unsigned int flags, struct symbol_frames *);
/*
 * Stores the file's build id, which is read once.  *len is 0 if there is none,
 * or if it returns an errno as above.
 */
int symbolizer_buildid(struct mapped_file *, uint8_t id[MAPPED_FILE_BUILDID],
    uint32_t *len);
/*
 * Resolves addresses by a perf map (O_PATH), whose lines are "START SIZE name".
 * The uid is the process's, id its image's.  The result is not cached, since
 * code that is made at run time changes.
 */
int symbolizer_jit(int mapfd, uid_t, uint64_t id, const uint64_t *pcs, size_t n,
    struct symbol_frames *);
void symbol_frames_free(struct symbol_frames *);
/*
 * Builds the unwind tables of pages, at most SYMREQ_MAXPCS, in any order.  The
 * buffer's function is called for each as it arrives, also if an errno follows.
 */
int symbolizer_tables(struct mapped_file *, const uint64_t *pages, size_t n,
    struct table_buf *);

/*
 * Sets the person for whom this thread sends requests from now on, and the time
 * limit of all of them together, waiting included.  The limit must be longer
 * than SYMBOLIZER_PROCESS_MSECS, so that each file can have its time.
 */
void symbolizer_begin(int msecs, uid_t person);
/* Starts a process for the person, unless one is idle. */
void symbolizer_start(void);
/*
 * dtd exits: ends the processes. Returns at once, even if one cannot be killed.
 */
void symbolizer_end(void);
/* Frees what has been unused for some seconds, including idle processes. */
void symbolizer_trim(void);

struct symbolizer_stat {
	uint64_t ss_calls;	/* of the functions above */
	uint64_t ss_addrs;	/* addresses in them */
	uint64_t ss_hits;	/* addresses found in the cache */
	uint64_t ss_asked;	/* addresses sent to a symbolizer */
	uint64_t ss_starts;	/* of workers */
	uint64_t ss_deaths;	/* processes that crashed over a file */
	uint64_t ss_timeouts;	/* processes killed over a file */
	uint64_t ss_badfiles;	/* files not read again, of the last 1024 */
	uint64_t ss_debugfiles; /* debug files opened */
	uint64_t ss_files;	/* in the cache */
	uint64_t ss_bytes;	/* in the cache */
	uint64_t ss_evicted;	/* files removed from the cache */
	uint64_t ss_hung; /* workers that were killed and have not exited */
	unsigned int ss_nbusy; /* workers that serve a request */
	unsigned int ss_npids;
	pid_t ss_pids
	    [SYMBOLIZER_POOL_MAX]; /* that run, the most recently used first */
};
void symbolizer_stat(struct symbolizer_stat *);

#endif /* DAEMON_SYM_SYMBOLIZER_H */
