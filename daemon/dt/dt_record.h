/* SPDX-License-Identifier: ISC */
/* Stops recordings. */
#ifndef DAEMON_DT_DT_RECORD_H
#define DAEMON_DT_DT_RECORD_H

struct dt_softc;
struct op;

/*
 * Stops all probes and waits until no program runs for this session; the hooks
 * remain to be released. Worker.
 */
void dt_record_stop(struct dt_softc *);
/*
 * Jobs that stop a session: it has reached the cost limit, dtd is exiting. No
 * effect if it has stopped meanwhile.
 */
int dt_record_limit(struct op *);
int dt_record_exit(struct op *);
/* c: periodically, of any session: requests a check by its providers. */
void dt_record_tick(struct dt_softc *);

#endif /* DAEMON_DT_DT_RECORD_H */
