/* SPDX-License-Identifier: ISC */
/* The journal as the place where messages of dtd go. */
#ifndef DAEMON_BASE_LOG_JOURNAL_H
#define DAEMON_BASE_LOG_JOURNAL_H

/* If the journal is behind stderr, messages go to it with their fields.
 * After sdlib_init(). */
void log_journal_init(void);

#endif /* DAEMON_BASE_LOG_JOURNAL_H */
