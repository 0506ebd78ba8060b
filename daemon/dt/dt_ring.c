/* SPDX-License-Identifier: ISC */
/* The rings of an open of the dt device, see ring.h. */
#include <string.h>

#include "conf.h"
#include "dt_maps.h"
#include "dt_softc.h"
#include "log.h"
#include "ring_grow.h"

size_t
dt_ring_size(uint64_t budget)
{
	return ring_size(budget, dt_ncpu);
}

int
dt_rings_alloc(struct dt_softc *sc)
{
	int error;

	sc->ds_rings = (struct rings){
		.ri_map = dt_maps.dm_rings,
		/* a private daemon's map ends with it, right away */
		.ri_noring = conf.cf_private ? -1 : dt_maps.dm_noring,
		.ri_key = sc->ds_slot * dt_ncpu,
		.ri_ncpu = dt_ncpu,
		.ri_size = dt_ring_size(sc->ds_budget),
	};
	if ((error = rings_alloc(&sc->ds_rings, sc->ds_stream)) != 0)
		return error;
	/* without, they work as well */
	if ((error = ring_grow_start(&sc->ds_rings, sc->ds_stream,
		 sc->ds_peer.pr_person, sc->ds_maxbudget)) != 0)
		log_warnx("open %u: its rings cannot grow: %s", sc->ds_slot,
		    strerror(error));
	return 0;
}

void
dt_rings_free(struct dt_softc *sc)
{
	if (rings_free(&sc->ds_rings) != 0)
		log_warnx("open %u: its rings stay in the map until the "
			  "slot is used again",
		    sc->ds_slot);
	atomic_store(&sc->ds_hasrings, 0);
}
