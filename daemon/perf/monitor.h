/* SPDX-License-Identifier: ISC */
/*
 * The monitor: a process that opens perf events for a service, and can do
 * nothing else.  Where kernel.perf_event_paranoid is above 2 that takes
 * CAP_SYS_ADMIN, which lets its owner do nearly everything; so the service
 * gives it up, and the monitor keeps it under a filter of system calls.
 *
 * dtd sends struct monitor_ask over a socketpair, one at a time, and gets
 * struct monitor_answer with the descriptor.  The monitor makes the
 * attributes of the event itself (perf_direct.c).  It ends when the other end
 * is closed, or dtd dies.  If it dies before, dtd cannot start another, having
 * no right to give to it: what needs it fails until dtd is started again.
 *
 * A private dtd has none: its client has the same rights, gets every right
 * from it, and would only wait longer.
 */
#ifndef DAEMON_PERF_MONITOR_H
#define DAEMON_PERF_MONITOR_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/perf/perf_event.h"

/* What crosses the socket: one record of it a message, and nothing else. */
struct monitor_ask {
	uint32_t ma_seq;
	uint32_t ma_zero;
	struct perf_want ma_want;
};

struct monitor_answer {
	uint32_t mr_seq;  /* of the question */
	int32_t mr_error; /* an errno, or 0: a descriptor comes with it */
};

enum monitor_mode {
	MONITOR_AUTO, /* where perf_event_paranoid is above 2 */
	MONITOR_YES,
	MONITOR_NO
};

/*
 * In dtd (monitor.c)
 */

/*
 * Starts it and gives up CAP_SYS_ADMIN, if so configured, and if dtd has that
 * and would get along without it.  Before there are threads.  early is called
 * before the right is gone.  Ends dtd if it fails.  argv is overwritten in the
 * monitor, which has a name of its own.
 */
void monitor_start(char **argv, void (*early)(void));
/* Tells when it ends.  After event_loop_init(). */
void monitor_watch(void);
int monitor_is_used(void);
/* A descriptor or a negative errno, EIO: it has ended. */
int monitor_open(const struct perf_want *);
/* Why it opens nothing any more, or NULL. */
const char *monitor_lacks(void);

/*
 * In the monitor (monitor_proc.c)
 */

/* Gives up all that is not needed to serve sock, which is the only descriptor
 * that stays open.  0 or errno. */
int monitor_confine(int sock);
/* Answers until the other end is closed.  Bytes are hostile. */
void monitor_serve(int sock);

#endif /* DAEMON_PERF_MONITOR_H */
