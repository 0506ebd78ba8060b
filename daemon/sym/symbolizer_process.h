/* SPDX-License-Identifier: ISC */
/*
 * Sends requests to symbolizer processes.  A thread sets the person and the
 * time limit (symbolizer_process_begin()), takes a process
 * (symbolizer_process_take()), has it for one request or several, and gives it
 * back.  Processes are started when they are needed, and killed when they do
 * not reply in time.
 */
#ifndef DAEMON_SYM_SYMBOLIZER_PROCESS_H
#define DAEMON_SYM_SYMBOLIZER_PROCESS_H

#include <sys/types.h>

#include "daemon/sym/frame_buf.h"
#include "daemon/sym/probe_buf.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/table_buf.h"

struct mapped_file;

#define SYMBOLIZER_PROCESS_MSECS 10000 /* time limit of a request */

/* Another time limit, for tests. */
extern int symbolizer_process_msecs;

struct symbolizer_process_stat {
	uint64_t sw_starts;
	uint64_t sw_deaths;
	uint64_t sw_timeouts;
	uint64_t sw_debugfiles;
	uint64_t sw_hung;      /* killed, and have not exited for a second */
	unsigned int sw_nbusy; /* taken by threads */
	unsigned int sw_npids;
	pid_t sw_pids[SYMBOLIZER_POOL_MAX]; /* that run */
};

/*
 * Sets the person for whom this thread sends requests from now on, and the time
 * limit of all of them together.
 */
void symbolizer_process_begin(int msecs, uid_t person);
/*
 * Sets the owner of the files of this thread's requests from now on ((uid_t)-1:
 * unknown), who is blamed if a process hangs, and the time limit of each
 * request (0: SYMBOLIZER_PROCESS_MSECS).
 */
void symbolizer_process_file(uid_t owner, int msecs);
/*
 * Returns the time of all requests of this thread so far, in ms, without waits
 * for a process.
 */
int64_t symbolizer_process_took(void);
/*
 * Waits for the person's turn and takes a process that runs, for this thread.
 * ETIMEDOUT: the limit is over; ECHILD: none could be started, or too many hang
 * over files of this owner; ENOMEM.
 */
int symbolizer_process_take(void);
/* Returns the process to the pool; no effect if this thread has none. */
void symbolizer_process_give(void);
/*
 * Returns the sending end of the channel of this thread's process, which owns
 * it.  A file is sent there in a message of 8 bytes, its serial, with one
 * descriptor.  Do not wait while sending.
 */
int symbolizer_process_channel(void);
/* Returns a new serial for that channel. */
uint64_t symbolizer_process_serial(void);
/*
 * Sends a request (of at most SYMREQ_MAXPCS) to the process that this thread
 * has taken, and adds the frames of the reply to the buffer, whose wf_pc count
 * from base.  The file is the descriptor, or has been sent through the channel
 * with srq_serial.  Debug files that the process requests belong to mf (may be
 * NULL).  Returns the errno of the reply; EIO if the process ended or took too
 * long.  The file is not to blame for ECHILD, an end before the request, and
 * ETIMEDOUT, the limit of this thread.
 */
int symbolizer_process_request(const struct symreq *, const uint64_t *pcs,
    int fd, const struct mapped_file *mf, uint32_t base, struct frame_buf *);
/* The same for unwind tables of pages, of which the request has the number. */
int symbolizer_process_tables(const struct symreq *, const uint64_t *pages,
    const struct mapped_file *mf, struct table_buf *);
/* The same for a query of places to probe, which replaces addresses. */
int symbolizer_process_probes(const struct symreq *, const struct probe_query *,
    const struct mapped_file *mf, struct probe_buf *);
void symbolizer_process_stat(struct symbolizer_process_stat *);

#endif /* DAEMON_SYM_SYMBOLIZER_PROCESS_H */
