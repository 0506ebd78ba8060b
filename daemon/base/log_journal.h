/* SPDX-License-Identifier: ISC */
/* Sends messages of dtd to the systemd journal. */
#ifndef DAEMON_BASE_LOG_JOURNAL_H
#define DAEMON_BASE_LOG_JOURNAL_H

/*
 * Sends messages to the journal, with their fields, if stderr is connected to
 * it.  To be called after sdlib_init().
 */
void log_journal_init(void);

#endif /* DAEMON_BASE_LOG_JOURNAL_H */
