/* SPDX-License-Identifier: ISC */
/*
 * Messages of dtd: to stderr, one a line, with journald's level prefix when
 * stderr is no terminal.  Only the daemon logs; what it was asked is
 * answered to who asked.
 */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

/* verbose: 0 warnings and notices, 1 also what clients do, 2 all. */
void log_init(int verbose);

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

#endif /* DAEMON_LOG_H */
