/* SPDX-License-Identifier: ISC */
/* Makes and frees the rings of a session, and charges its user for them. */
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/device/ring_grow.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_softc.h"

static atomic_int dt_rings_areleft; /* dtd is exiting */

size_t
dt_rings_size(uint64_t budget)
{
	return ring_size(budget, dt_ncpu);
}

int
dt_rings_alloc(struct dt_softc *sc)
{
	int error;

	sc->ds_rings.drg_rings = (struct rings){
		.ri_map = dt_maps.dtm_rings,
		/* a private daemon's map ends with it, right away */
		.ri_noring = conf.cf_private ? -1 : dt_maps.dtm_noring,
		.ri_key = sc->ds_slot * dt_ncpu,
		.ri_ncpu = dt_ncpu,
		.ri_size = dt_rings_size(sc->ds_rings.drg_budget),
	};
	if ((error = rings_alloc(&sc->ds_rings.drg_rings, sc->ds_stream)) != 0)
		return error;
	/* they also work without growth */
	if ((error = ring_grow_start(&sc->ds_rings.drg_rings, sc->ds_stream,
		 sc->ds_peer.pr_person, sc->ds_rings.drg_maxbudget)) != 0)
		log_warnx("open %u: its rings cannot grow: %s", sc->ds_slot,
		    strerror(error));
	return 0;
}

void
dt_rings_leave(void)
{
	atomic_store(&dt_rings_areleft, 1);
}

void
dt_rings_free(struct dt_softc *sc)
{
	if (atomic_load(&dt_rings_areleft))
		sc->ds_rings.drg_rings.ri_noring = -1;
	if (rings_free(&sc->ds_rings.drg_rings) != 0)
		log_warnx("open %u: its rings stay in the map until the "
			  "slot is used again",
		    sc->ds_slot);
	atomic_store(&sc->ds_rings.drg_isready, 0);
}

int
dt_rings_charge(struct dt_softc *sc, uint64_t nbytes, struct reason *rs)
{
	int error = limit_take(sc->ds_peer.pr_person, LIMIT_RINGBYTES, nbytes,
	    rs);

	if (error == 0)
		sc->ds_rings.drg_charged = nbytes;
	return error;
}

void
dt_rings_uncharge(struct dt_softc *sc)
{
	limit_give(sc->ds_peer.pr_person, LIMIT_RINGBYTES,
	    sc->ds_rings.drg_charged);
	sc->ds_rings.drg_charged = 0;
}
