/* SPDX-License-Identifier: ISC */
/*
 * The monitor: a process that only opens perf events for a service.  If
 * kernel.perf_event_paranoid is above 2, that requires CAP_SYS_ADMIN, which
 * permits nearly everything; so the service gives it up, and the monitor keeps
 * it under a system call filter.
 *
 * dtd sends struct monitor_request over a socketpair, one after another, and
 * receives struct monitor_result with the descriptor.  The monitor sets the
 * attributes of the event itself (perf_event_open.c).  It ends when the other
 * end is closed, or dtd dies.  If the monitor dies first, dtd cannot start
 * another, as it no longer has the capability: its operations then fail until
 * dtd is restarted.
 *
 * A private dtd has no monitor: its client has the same rights and all rights
 * of dtd, and would only wait longer.
 */
#ifndef DAEMON_PERF_MONITOR_H
#define DAEMON_PERF_MONITOR_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/perf/perf_event.h"

/* The messages on the socket, one struct each. */
struct monitor_request {
	uint32_t ma_seq;
	uint32_t ma_zero;
	struct perf_want ma_want;
};

struct monitor_result {
	uint32_t mr_seq;  /* ma_seq of the request */
	int32_t mr_error; /* an errno, or 0: a descriptor is attached */
};

enum monitor_mode {
	MONITOR_AUTO, /* if perf_event_paranoid is above 2 */
	MONITOR_YES,
	MONITOR_NO
};

/*
 * In dtd (monitor.c)
 */

/*
 * Starts the monitor and gives up CAP_SYS_ADMIN, if so configured, and if dtd
 * has it and can work without it.  early is called before that.  To be called
 * before threads are started.  Exits on failure.  The monitor overwrites argv
 * with its own name.
 */
void monitor_start(char **argv, void (*early)(void));
/* Logs the end of the monitor.  After event_loop_init(). */
void monitor_watch(void);
int monitor_is_used(void);
/* Returns a descriptor or a negative errno; EIO: the monitor has ended. */
int monitor_open(const struct perf_want *);
/* Returns why the monitor opens no events any more, or NULL. */
const char *monitor_broken(void);

/*
 * In the monitor (monitor_proc.c)
 */

/*
 * Gives up all rights not needed to serve sock, and closes all other
 * descriptors. Returns 0 or errno.
 */
int monitor_confine(int sock);
/* Serves requests until the other end is closed.  Input is hostile. */
void monitor_serve(int sock);

#endif /* DAEMON_PERF_MONITOR_H */
