/* SPDX-License-Identifier: ISC */
/* The rings of a session, and their memory. */
#ifndef DAEMON_DT_DT_RINGS_H
#define DAEMON_DT_DT_RINGS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/device/ring.h"

struct dt_client;
struct reason;
struct stream;

/* Letters as in dt_softc.h. */
struct dt_rings {
	uint64_t drg_budget;	/* [c] bytes of all rings */
	uint64_t drg_maxbudget; /* [c] limit of growth, 0: none */
	uint64_t drg_charged;	/* [c] bytes charged to limits */
	struct rings drg_rings; /* [co] made before drg_isready */
	atomic_int drg_isready; /* [a] data thread may read them */
};

/*
 * w. The data thread reads rings once drg_isready is set; those are freed only
 * after its stream has ended.
 */
int
dt_rings_alloc(struct dt_rings *, const struct dt_client *, struct stream *);
void dt_rings_free(struct dt_rings *, const struct dt_client *);
/*
 * dtd is exiting: freed rings stay in the map, which ends with dtd, since to
 * replace them takes a grace period.
 */
void dt_rings_leave(void);
/* Returns the size of one ring for a budget of all CPUs. */
size_t dt_rings_size(uint64_t budget);
/* Charges bytes for rings to the limits: ENOMEM with a text. */
int dt_rings_charge(struct dt_rings *, const struct dt_client *,
    uint64_t nbytes, struct reason *);
void dt_rings_uncharge(struct dt_rings *, const struct dt_client *);

#endif /* DAEMON_DT_DT_RINGS_H */
