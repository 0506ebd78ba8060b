/* SPDX-License-Identifier: ISC */
/* Pairs of enabled probes. w worker, c control thread. */
#ifndef DAEMON_DT_DT_PAIR_H
#define DAEMON_DT_DT_PAIR_H

struct dt_pcb;
struct dt_softc;

/* Dissolves the probe's pair, if any; neither probe records. */
void dt_pair_part(struct dt_softc *, struct dt_pcb *);
void dt_pair_start(struct dt_softc *); /* before its probes start */
/* w: removes all first hits; no program runs for the session. */
void dt_pair_stop(struct dt_softc *);
void dt_pair_tick(struct dt_softc *);  /* c: periodically, of any session */
void dt_pair_close(struct dt_softc *); /* w */
void dt_pair_free(struct dt_softc *);  /* c: after close */

#endif /* DAEMON_DT_DT_PAIR_H */
