/* SPDX-License-Identifier: ISC */
/* Hits that are counted by key (DTIOCSAGG). w worker, c control thread. */
#ifndef DAEMON_DT_DT_AGG_H
#define DAEMON_DT_DT_AGG_H

struct dt_pcb;
struct dt_softc;

/* The probe, of which no hit is in progress, becomes an ordinary one. */
void dt_agg_part(struct dt_softc *, struct dt_pcb *);
/* w: no program runs for the session: its counts are final. */
void dt_agg_stop(struct dt_softc *);
void dt_agg_close(struct dt_softc *); /* w */
void dt_agg_free(struct dt_softc *);  /* c: after close */

#endif /* DAEMON_DT_DT_AGG_H */
