/* SPDX-License-Identifier: ISC */
/* Sums over all sessions. w worker, c control thread. */
#ifndef DAEMON_DT_DT_SESSION_SUMS_H
#define DAEMON_DT_DT_SESSION_SUMS_H

#include <stdint.h>

#include <dev/dt/dtvar.h>

struct dt_softc;
struct sums;

void dt_sums_init(void);	       /* after the providers are known */
void dt_sums(struct sums *);	       /* d_sums */
void dt_sums_add(struct dt_softc *);   /* c */
void dt_sums_start(struct dt_softc *); /* w: before it records */
/* w: after its ledger is complete, before its rings are freed */
void dt_sums_del(struct dt_softc *);
void dt_sums_hangup(struct dt_softc *); /* c: the client of sums disconnected */
void dt_sums_limited(void);
/*
 * w: waits for the statistics of symbols, below 1 s, or else returns earlier
 * ones.
 */
void dt_sums_sym(struct dtioc_symstat *, uint64_t *hung, long nsecs);

#endif /* DAEMON_DT_DT_SESSION_SUMS_H */
