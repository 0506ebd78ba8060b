/* SPDX-License-Identifier: ISC */
/*
 * Logs messages of dtd to stderr, one per line, with journald's level prefix if
 * stderr is not a terminal, or to the journal itself (log_journal.h).  Only the
 * daemon logs; errors of requests are returned to the client.
 */
#ifndef DAEMON_BASE_LOG_H
#define DAEMON_BASE_LOG_H

#include <stddef.h>

/* verbose: 0 warnings and notices, 1 also actions of clients, 2 everything. */
void log_init(int verbose);

/* A field of a message, as journalctl(1) -o verbose shows it. */
struct log_field {
	const char *lf_name; /* capitals, DT_... */
	const char *lf_value;
};

/* Stable names of events: rows of log_journal.c. */
#define LOG_ID_CLOSE "close" /* a session has ended */

/*
 * Logs a message that programs may search for.  The journal, which has its own
 * filters, receives it with its fields at any verbosity; otherwise it is one
 * line, if verbose permits its level (syslog(3)).
 */
void log_event(int level, const char *id, const struct log_field *, size_t n,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * Sets the function that receives messages instead of stderr; messages for
 * which it returns nonzero are printed to stderr.  To be called before threads
 * are started.
 */
typedef int log_sink_fn(int level, const char *id, const struct log_field *,
    size_t n, const char *text);
void log_sink_set(log_sink_fn *);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* With and without the text of errno. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warnx(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For start-up only: logs and exits with status 1. */
void
fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void
fatalx(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* DAEMON_BASE_LOG_H */
