/* SPDX-License-Identifier: ISC */
/*
 * Messages of dtd: to stderr, one a line, with journald's level prefix when
 * stderr is no terminal, or to the journal itself (log_journal.h).  Only the
 * daemon logs; what it was asked is answered to who asked.
 */
#ifndef DAEMON_BASE_LOG_H
#define DAEMON_BASE_LOG_H

#include <stddef.h>

/* verbose: 0 warnings and notices, 1 also what clients do, 2 all. */
void log_init(int verbose);

/* A field of a message, as journalctl(1) -o verbose shows it. */
struct log_field {
	const char *lf_name; /* capitals, DT_... */
	const char *lf_value;
};

/* What happened, as a name that stays: rows of log_journal.c. */
#define LOG_ID_CLOSE "close" /* an open has ended */

/*
 * A message that programs may look for: to the journal with its fields,
 * whatever verbose says, for that has filters of its own; else it is a line,
 * if verbose lets its level (syslog(3)) pass.
 */
void log_event(int level, const char *id, const struct log_field *, size_t n,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Who gets messages instead of stderr; what it cannot take (not 0) goes there.
 * Before there are threads. */
typedef int log_sink_fn(int level, const char *id, const struct log_field *,
    size_t n, const char *text);
void log_sink_set(log_sink_fn *);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* With the text of errno, and without. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warnx(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For start-up only: logs and exits with status 1. */
void
fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void
fatalx(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* DAEMON_BASE_LOG_H */
