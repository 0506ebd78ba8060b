/* SPDX-License-Identifier: ISC */
/* Hits that are counted by key (DTIOCSAGG). w worker, c control thread. */
#ifndef DAEMON_DT_DT_AGG_H
#define DAEMON_DT_DT_AGG_H

struct dt_pcb;
struct dt_softc;

/*
 * The probe, of which no hit is in progress, becomes an ordinary one, and so
 * does the second probe of its pair.
 */
void dt_agg_part(struct dt_softc *, struct dt_pcb *);
/* Makes programs fill the session's table. Before it records. Returns errno. w */
int dt_agg_start(struct dt_softc *);
void dt_agg_close(struct dt_softc *); /* w */
void dt_agg_free(struct dt_softc *);  /* c: after close */

#endif /* DAEMON_DT_DT_AGG_H */
