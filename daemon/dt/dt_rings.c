/* SPDX-License-Identifier: ISC */
/* Makes and frees the rings of a session, and charges its user for them. */
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/device/ring_grow.h"
#include "daemon/dt/dt_client.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_rings.h"

static atomic_int dt_rings_areleft; /* dtd is exiting */

size_t
dt_rings_size(uint64_t budget)
{
	return ring_size(budget, dt_ncpu);
}

int
dt_rings_alloc(struct dt_rings *rg, const struct dt_client *dcl,
    struct stream *st)
{
	int error;

	rg->drg_rings = (struct rings){
		.ri_map = dt_maps.dtm_rings,
		/* a private daemon exits now, and its map with it */
		.ri_noring = conf.cf_private ? -1 : dt_maps.dtm_noring,
		.ri_key = dcl->dcl_slot * dt_ncpu,
		.ri_ncpu = dt_ncpu,
		.ri_size = dt_rings_size(rg->drg_budget),
	};
	if ((error = rings_alloc(&rg->drg_rings, st)) != 0)
		return error;
	/* they also work without growth */
	if ((error = ring_grow_start(&rg->drg_rings, st,
		 dcl->dcl_peer.peer_person, rg->drg_maxbudget)) != 0)
		log_warnx("session %u: its rings cannot grow: %s",
		    dcl->dcl_slot, strerror(error));
	return 0;
}

void
dt_rings_leave(void)
{
	atomic_store(&dt_rings_areleft, 1);
}

void
dt_rings_free(struct dt_rings *rg, const struct dt_client *dcl)
{
	if (atomic_load(&dt_rings_areleft))
		rg->drg_rings.ri_noring = -1;
	if (rings_free(&rg->drg_rings) != 0)
		log_warnx("session %u: its rings stay in the map until the "
			  "slot is used again",
		    dcl->dcl_slot);
	atomic_store(&rg->drg_isready, 0);
}

int
dt_rings_charge(struct dt_rings *rg, const struct dt_client *dcl,
    uint64_t nbytes, struct reason *rs)
{
	int error = limit_take(dcl->dcl_peer.peer_person, LIMIT_RINGBYTES,
	    nbytes, rs);

	if (error == 0)
		rg->drg_charged = nbytes;
	return error;
}

void
dt_rings_uncharge(struct dt_rings *rg, const struct dt_client *dcl)
{
	limit_give(dcl->dcl_peer.peer_person, LIMIT_RINGBYTES, rg->drg_charged);
	rg->drg_charged = 0;
}
