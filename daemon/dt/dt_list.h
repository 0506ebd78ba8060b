/* SPDX-License-Identifier: ISC */
/* State of a session that lists or looks up probes. */
#ifndef DAEMON_DT_DT_LIST_H
#define DAEMON_DT_DT_LIST_H

struct dt_lookup;
struct dt_probe;

/* Letters as in dt_softc.h. */
struct dt_listing {
	struct dt_lookup *dli_found; /* [co] look-up being read page by page */
	struct dt_probe *dli_probe;  /* [c] probe whose arguments are
				      * requested */
	void *dli_reread;	     /* [co] result of pvl_reread */
};

void dt_lookup_free(struct dt_lookup *);

#endif /* DAEMON_DT_DT_LIST_H */
