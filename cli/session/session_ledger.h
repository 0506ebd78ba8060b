/* SPDX-License-Identifier: ISC */
/* The ledger of a session and its related data. */
#ifndef CLI_SESSION_SESSION_LEDGER_H
#define CLI_SESSION_SESSION_LEDGER_H

#include "cli/out/out_ledger.h"
#include "cli/session/session.h"

/* Returns the data of the session besides its ledger. */
struct ledger_run session_ledger_run(const struct session *);
/*
 * Returns a ledger of the events read so far, without those in transit.  It is
 * not final.
 */
struct dt_ledger session_ledger_sofar(struct session *);
/* Prints on stderr, at the end: why the session ended, and the final ledger. */
void session_ledger_print(const struct session *, const struct ledger_run *);
/* The same without a ledger. */
void session_ledger_broken(const struct ledger_run *);

#endif /* CLI_SESSION_SESSION_LEDGER_H */
