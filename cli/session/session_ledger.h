/* SPDX-License-Identifier: ISC */
/*
 * What a session tells of itself: its ledger, and what belongs to that.
 */
#ifndef CLI_SESSION_SESSION_LEDGER_H
#define CLI_SESSION_SESSION_LEDGER_H

#include "cli/out/ledger.h"
#include "cli/session/session.h"

/* What the session did beside its ledger. */
struct ledger_run session_ledger_run(const struct session *);
/* The ledger while the recording goes on: of the events that were read, what
 * is on its way does not count.  It is not final. */
struct dt_ledger session_ledger_sofar(struct session *);
/* On stderr, at the end: what ended it, and the final ledger. */
void session_ledger_print(const struct session *, const struct ledger_run *);
/* The same where no ledger has come. */
void session_ledger_broken(const struct ledger_run *);

#endif /* CLI_SESSION_SESSION_LEDGER_H */
