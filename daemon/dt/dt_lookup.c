/* SPDX-License-Identifier: ISC */
/*
 * Looks up probes of providers that have tens of thousands and so create them
 * on demand. A lookup may wait for the kernel, so it runs on a worker; the
 * result is kept while the client reads its pages.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dt/dt_page.h"
#include "daemon/dt/dt_softc.h"

/* Result of a look-up, and its pattern. */
struct dt_lookup {
	char dlu_pattern[WIRE_MAXPATTERN];
	size_t dlu_n;
	uint32_t *dlu_pbns;
};

void
dt_lookup_free(struct dt_lookup *fo)
{
	if (fo == NULL)
		return;
	free(fo->dlu_pbns);
	free(fo);
}

/* Returns the provider that a pattern names, if it creates probes on demand. */
static const struct dt_provider *
found_prov(const char *pattern)
{
	const struct dt_provider *prov;

	prov = dt_provider_named(pattern, strcspn(pattern, ":"));
	return prov != NULL && prov->prov_dyn != NULL ? prov : NULL;
}

int
dt_lookup_wants(const char *pattern)
{
	return found_prov(pattern) != NULL;
}

/* Looks up again for a first page or a different pattern. */
static int
found_get(struct dt_softc *sc, const struct wire_lookup *wk, struct reason *rs)
{
	const struct dt_provider *prov = found_prov(wk->wk_pattern);
	struct dt_lookup *fo = sc->ds_found;
	int error;

	if (fo != NULL && wk->wk_first != 0 &&
	    strcmp(fo->dlu_pattern, wk->wk_pattern) == 0)
		return 0;
	dt_lookup_free(fo);
	sc->ds_found = NULL;
	if ((fo = calloc(1, sizeof(*fo))) == NULL)
		return ENOMEM;
	strcpy(fo->dlu_pattern, wk->wk_pattern);
	error = prov->prov_dyn->dyn_match(sc, wk->wk_pattern, &fo->dlu_pbns,
	    &fo->dlu_n, rs);
	if (error != 0)
		dt_lookup_free(fo);
	else
		sc->ds_found = fo;
	return error;
}

static int
found_lookup_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_lookup *wk = op->op_arg;
	const struct dt_provider *prov = found_prov(wk->wk_pattern);
	struct dtioc_probe_info *dtpi;
	struct dt_page pg;
	size_t i;
	int error;

	if ((error = found_get(sc, wk, &op->op_reason)) != 0)
		return error;
	dt_page_init(&pg, op, wk->wk_first, wk->wk_max, sizeof(*dtpi));
	/* those before the page are passed over in one go */
	pg.pg_list->wl_total = i = wk->wk_first;
	for (; i < sc->ds_found->dlu_n && (dtpi = dt_page_next(&pg)) != NULL;
	     i++)
		prov->prov_dyn->dyn_info(sc->ds_found->dlu_pbns[i], dtpi);
	pg.pg_list->wl_total = sc->ds_found->dlu_n;
	dt_page_done(&pg, op);
	if (pg.pg_first + pg.pg_list->wl_count >= sc->ds_found->dlu_n) {
		dt_lookup_free(sc->ds_found); /* that was the last page */
		sc->ds_found = NULL;
	}
	return 0;
}

int
dt_lookup_lookup(struct op *op)
{
	return op_later(op, found_lookup_run, NULL, dt_softc_isslow(op->op_sc));
}

/* The same page for types and for names. */
static int
found_args_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	char types[DTMAXFUNCARGS][DTNAMESIZE] = { 0 };
	char names[DTMAXFUNCARGS][DTNAMESIZE] = { 0 };
	const struct dt_probe *dtp = sc->ds_asked;
	struct dtioc_arg_info *dtai;
	struct dtioc_argname_info *dtan;
	unsigned int i, n;
	struct dt_page pg;

	n = dtp->dtp_prov->prov_dyn->dyn_describe(dtp, types, names);
	if (op->op_cmd == DTIOCGARGS) {
		dt_page_init(&pg, op, 0, DTMAXFUNCARGS, sizeof(*dtai));
		for (i = 0; i < n && (dtai = dt_page_next(&pg)) != NULL; i++) {
			dtai->dtai_pbn = dtp->dtp_pbn;
			dtai->dtai_argn = i;
			memcpy(dtai->dtai_argtype, types[i], DTNAMESIZE);
		}
	} else {
		dt_page_init(&pg, op, 0, DTMAXFUNCARGS, sizeof(*dtan));
		for (i = 0; i < n && (dtan = dt_page_next(&pg)) != NULL; i++) {
			dtan->dtan_pbn = dtp->dtp_pbn;
			dtan->dtan_argn = i;
			memcpy(dtan->dtan_name, names[i], DTNAMESIZE);
		}
	}
	dt_page_done(&pg, op);
	return 0;
}

int
dt_lookup_args(struct op *op, struct dt_probe *dtp)
{
	struct dt_softc *sc = op->op_sc;

	sc->ds_asked = dtp;
	return op_later(op, found_args_run, NULL, dt_softc_isslow(sc));
}
