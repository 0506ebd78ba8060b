/* SPDX-License-Identifier: ISC */
/*
 * Lists and looks up probes, and lists arguments and providers, page by page.
 *
 * Matching a pattern with thousands of names takes a millisecond, so it runs on
 * a worker; the control thread only adds to the list of probes. A provider with
 * tens of thousands of probes creates them on demand. Looking them up may wait
 * for the kernel, and the result is kept while the client reads its pages.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"
#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_softc.h"

/*
 * Pages
 */

/*
 * A page being filled: at most pg_max entries from pg_first on, as many as fit.
 */
struct dt_page {
	struct wire_list *pg_list;
	uint32_t pg_first;
	uint32_t pg_max;
	size_t pg_size; /* of one entry */
};

static void
dt_page_init(struct dt_page *pg, struct op *op, uint32_t first, uint32_t max,
    size_t size)
{
	size_t fits = (OP_MAXOUT - sizeof(*pg->pg_list)) / size;

	pg->pg_list = op->op_out;
	pg->pg_list->wl_total = pg->pg_list->wl_count = 0;
	pg->pg_first = first;
	pg->pg_max = max < fits ? max : fits;
	pg->pg_size = size;
}

/* Returns the next entry, zeroed, or NULL if it is not on this page. */
static void *
dt_page_next(struct dt_page *pg)
{
	uint32_t i = pg->pg_list->wl_total++;
	char *p;

	if (i < pg->pg_first || pg->pg_list->wl_count == pg->pg_max)
		return NULL;
	p = (char *)(pg->pg_list + 1) + pg->pg_list->wl_count++ * pg->pg_size;
	return memset(p, 0, pg->pg_size);
}

static void
dt_page_done(const struct dt_page *pg, struct op *op)
{
	op->op_outlen = sizeof(*pg->pg_list) +
	    pg->pg_list->wl_count * pg->pg_size;
}

/*
 * Probes
 */

static void
dt_probe_info(const struct dt_probe *dtp, struct dtioc_probe_info *dtpi)
{
	if (dtpi == NULL)
		return;
	dtpi->dtpi_pbn = dtp->dtp_pbn;
	dtpi->dtpi_flags = dtp->dtp_prov->prov_flags |
	    (dt_probe_counted(dtp) ? 0 : DTPI_LATER);
	dtpi->dtpi_unit = dtp->dtp_prov->prov_unit;
	dtpi->dtpi_regs = dtp->dtp_prov->prov_regs;
	dtpi->dtpi_nargs = dtpi->dtpi_flags & DTPI_LATER ? 0 : dtp->dtp_nargs;
	snprintf(dtpi->dtpi_prov, sizeof(dtpi->dtpi_prov), "%s",
	    dtp->dtp_prov->prov_name);
	snprintf(dtpi->dtpi_func, sizeof(dtpi->dtpi_func), "%s", dtp->dtp_func);
	snprintf(dtpi->dtpi_name, sizeof(dtpi->dtpi_name), "%s", dtp->dtp_name);
}

/*
 * Worker.  Counts the arguments of the listed probes, since programs written
 * for the BSD original rely on dtpi_nargs.  A look-up does not: its clients
 * request the arguments of the few probes that they use.
 */
int
dt_list_probes_run(struct op *op)
{
	const struct wire_page *wg = op->op_arg;
	struct dtioc_probe_info *dtpi;
	struct dt_probe *dtp;
	struct dt_page pg;

	dt_page_init(&pg, op, wg->wg_first, wg->wg_max,
	    sizeof(struct dtioc_probe_info));
	TAILQ_FOREACH(dtp, &dt_probes, dtp_next) {
		if ((dtpi = dt_page_next(&pg)) == NULL)
			continue;
		dt_probe_count(dtp);
		dt_probe_info(dtp, dtpi);
	}
	dt_page_done(&pg, op);
	return 0;
}

/*
 * Returns whether a probe's name begins with these bytes, without composing the
 * name: nearly all of the thousands compared differ.
 */
static int
lookup_begins(const struct dt_probe *dtp, const char *text, size_t len)
{
	const char *const parts[] = { dtp->dtp_prov->prov_name, ":",
		dtp->dtp_func, ":", dtp->dtp_name };
	size_t i, n;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if ((n = strlen(parts[i])) > len)
			n = len;
		if (memcmp(parts[i], text, n) != 0)
			return 0;
		text += n;
		len -= n;
	}
	return len == 0;
}

static char *
lookup_part(char *end, const char *part)
{
	size_t n = strnlen(part, DTNAMESIZE - 1);

	memcpy(end, part, n);
	return end + n;
}

/* Composes a probe's name; snprintf(3) takes too long for thousands of them. */
static void
lookup_name(const struct dt_probe *dtp, char name[3 * DTNAMESIZE])
{
	char *end = lookup_part(name, dtp->dtp_prov->prov_name);

	*end++ = ':';
	end = lookup_part(end, dtp->dtp_func);
	*end++ = ':';
	*lookup_part(end, dtp->dtp_name) = '\0';
}

/* Returns the length of a pattern up to its first special byte. */
static size_t
lookup_plain(const char *pattern)
{
	return strcspn(pattern, "*?[\\");
}

/* Fills the page of a look-up. */
static int
lookup_run(struct op *op)
{
	const struct wire_lookup *wk = op->op_arg;
	const struct dt_probe *dtp;
	size_t plain = lookup_plain(wk->wk_pattern);
	char name[3 * DTNAMESIZE];
	struct globpat gp;
	struct dt_page pg;
	int error;

	if ((error = globpat_compile(&gp, wk->wk_pattern, &op->op_reason)) != 0)
		return error;
	dt_page_init(&pg, op, wk->wk_first, wk->wk_max,
	    sizeof(struct dtioc_probe_info));
	TAILQ_FOREACH(dtp, &dt_probes, dtp_next) {
		if (!lookup_begins(dtp, wk->wk_pattern, plain))
			continue;
		lookup_name(dtp, name);
		if (globpat_match(&gp, name))
			dt_probe_info(dtp, dt_page_next(&pg));
	}
	dt_page_done(&pg, op);
	return 0;
}

/*
 * Returns the provider that a pattern names, if its probes may have increased.
 */
static const struct dt_provider *
lookup_prov(const struct wire_lookup *wk)
{
	const struct dt_provider *prov;

	prov = dt_provider_named(wk->wk_pattern, strcspn(wk->wk_pattern, ":"));
	return prov != NULL && prov->prov_list->pvl_reread != NULL ? prov
								   : NULL;
}

static int
reread_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	sc->ds_list.dli_reread = lookup_prov(op->op_arg)
				     ->prov_list->pvl_reread();
	return 0;
}

static int
reread_done(struct op *op, int error __attribute__((unused)))
{
	struct dt_softc *sc = op->op_sc;

	dt_provider_merge(lookup_prov(op->op_arg), sc->ds_list.dli_reread);
	sc->ds_list.dli_reread = NULL;
	return op_later(op, lookup_run, NULL,
	    dt_enabled_isslow(&sc->ds_enabled));
}

/*
 * Probes that are created on demand
 */

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

/* Looks up again for a first page or a different pattern. */
static int
found_get(struct dt_softc *sc, const struct wire_lookup *wk, struct reason *rs)
{
	const struct dt_provider *prov = found_prov(wk->wk_pattern);
	struct dt_lookup *fo = sc->ds_list.dli_found;
	int error;

	if (fo != NULL && wk->wk_first != 0 &&
	    strcmp(fo->dlu_pattern, wk->wk_pattern) == 0)
		return 0;
	dt_lookup_free(fo);
	sc->ds_list.dli_found = NULL;
	if ((fo = calloc(1, sizeof(*fo))) == NULL)
		return ENOMEM;
	strcpy(fo->dlu_pattern, wk->wk_pattern);
	error = prov->prov_dyn->dyn_match(&sc->ds_enabled, wk->wk_pattern,
	    &fo->dlu_pbns, &fo->dlu_n, rs);
	if (error != 0)
		dt_lookup_free(fo);
	else
		sc->ds_list.dli_found = fo;
	return error;
}

static int
found_lookup_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	const struct wire_lookup *wk = op->op_arg;
	const struct dt_provider *prov = found_prov(wk->wk_pattern);
	const struct dt_lookup *fo;
	struct dtioc_probe_info *dtpi;
	struct dt_page pg;
	size_t i;
	int error;

	if ((error = found_get(sc, wk, &op->op_reason)) != 0)
		return error;
	fo = sc->ds_list.dli_found;
	dt_page_init(&pg, op, wk->wk_first, wk->wk_max, sizeof(*dtpi));
	/* those before the page are passed over in one go */
	pg.pg_list->wl_total = i = wk->wk_first;
	for (; i < fo->dlu_n && (dtpi = dt_page_next(&pg)) != NULL; i++)
		prov->prov_dyn->dyn_info(fo->dlu_pbns[i], dtpi);
	pg.pg_list->wl_total = fo->dlu_n;
	dt_page_done(&pg, op);
	if (pg.pg_first + pg.pg_list->wl_count >= fo->dlu_n) { /* last page */
		dt_lookup_free(sc->ds_list.dli_found);
		sc->ds_list.dli_found = NULL;
	}
	return 0;
}

/* The same page for types and for names. */
static int
found_args_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_described ded = { 0 };
	const struct dt_probe *dtp = sc->ds_list.dli_probe;
	struct dtioc_arg_info *dtai;
	struct dtioc_argname_info *dtan;
	unsigned int i, n;
	struct dt_page pg;

	n = dtp->dtp_prov->prov_dyn->dyn_describe(dtp, &ded);
	if (op->op_cmd == DTIOCGARGS) {
		dt_page_init(&pg, op, 0, DTMAXARGTYPES, sizeof(*dtai));
		for (i = 0; i < n && (dtai = dt_page_next(&pg)) != NULL; i++) {
			dtai->dtai_pbn = dtp->dtp_pbn;
			dtai->dtai_argn = i;
			memcpy(dtai->dtai_argtype, ded.ded_types[i],
			    DTNAMESIZE);
		}
	} else {
		dt_page_init(&pg, op, 0, DTMAXARGTYPES, sizeof(*dtan));
		for (i = 0; i < n && (dtan = dt_page_next(&pg)) != NULL; i++) {
			dtan->dtan_pbn = dtp->dtp_pbn;
			dtan->dtan_argn = i;
			dtan->dtan_flags = ded.ded_flags[i];
			memcpy(dtan->dtan_name, ded.ded_names[i], DTNAMESIZE);
		}
	}
	dt_page_done(&pg, op);
	return 0;
}

/*
 * Searches again, waiting for the kernel, for an unknown name or a glob if
 * there may be new probes.
 */
int
dt_ioctl_lookup(struct op *op)
{
	const struct wire_lookup *wk = op->op_arg;
	const struct wire_list *wl = op->op_out;
	struct globpat gp;
	const struct dt_softc *sc = op->op_sc;
	int error, ismore, isslow = dt_enabled_isslow(&sc->ds_enabled);

	if (memchr(wk->wk_pattern, '\0', sizeof(wk->wk_pattern)) == NULL)
		return op_fail(op, EINVAL, "the pattern has no end");
	if ((error = globpat_compile(&gp, wk->wk_pattern, &op->op_reason)) != 0)
		return error;
	if (found_prov(wk->wk_pattern) != NULL)
		return op_later(op, found_lookup_run, NULL, isslow);
	ismore = wk->wk_first == 0 && lookup_prov(wk) != NULL;
	/* to compare with one name takes less time than to wake a worker */
	if (wk->wk_pattern[lookup_plain(wk->wk_pattern)] == '\0' &&
	    ((error = lookup_run(op)) != 0 || wl->wl_total != 0 || !ismore))
		return error;
	return ismore ? op_later(op, reread_run, reread_done, isslow)
		      : op_later(op, lookup_run, NULL, isslow);
}

/*
 * Arguments
 */

static void
dt_arg_info(const struct dt_probe *dtp, unsigned int n, void *entry)
{
	struct dtioc_arg_info *dtai = entry;
	const char *type, *name;
	unsigned int flags;

	dtp->dtp_prov->prov_args->pva_get(dtp, n, &type, &name, &flags);
	dtai->dtai_pbn = dtp->dtp_pbn;
	dtai->dtai_argn = n;
	snprintf(dtai->dtai_argtype, sizeof(dtai->dtai_argtype), "%s", type);
}

static void
dt_argname_info(const struct dt_probe *dtp, unsigned int n, void *entry)
{
	struct dtioc_argname_info *dtan = entry;
	const char *type, *name;
	unsigned int flags;

	dtp->dtp_prov->prov_args->pva_get(dtp, n, &type, &name, &flags);
	dtan->dtan_pbn = dtp->dtp_pbn;
	dtan->dtan_argn = n;
	dtan->dtan_flags = flags;
	snprintf(dtan->dtan_name, sizeof(dtan->dtan_name), "%s", name);
}

/* Fills the page of all arguments, or of their names. */
static void
args_fill(const struct dt_probe *dtp, struct op *op)
{
	int istypes = op->op_cmd == DTIOCGARGS;
	struct dt_page pg;
	unsigned int n;
	void *entry;

	dt_page_init(&pg, op, 0, DT_REC_NARGS,
	    istypes ? sizeof(struct dtioc_arg_info)
		    : sizeof(struct dtioc_argname_info));
	for (n = 0; n < dtp->dtp_nargs && (entry = dt_page_next(&pg)) != NULL;
	     n++)
		(istypes ? dt_arg_info : dt_argname_info)(dtp, n, entry);
	dt_page_done(&pg, op);
}

static int
args_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	return dt_probe_learn(sc->ds_list.dli_probe, &op->op_reason);
}

static int
args_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	if (error == 0)
		args_fill(sc->ds_list.dli_probe, op);
	return error;
}

/*
 * The BSD original returned types for tracepoints only; this one also for
 * system calls.
 */
int
dt_ioctl_get_args(struct op *op)
{
	const struct wire_args *wa = op->op_arg;
	struct dt_softc *sc = op->op_sc;
	struct dt_probe *dtp = dt_probe_of(&sc->ds_enabled, wa->wa_pbn);
	int isfound;

	if (dtp == NULL)
		return EINVAL;
	isfound = dtp->dtp_prov->prov_dyn != NULL;
	if (isfound || !dt_probe_learnt(dtp)) {
		sc->ds_list.dli_probe = dtp;
		return op_later(op, isfound ? found_args_run : args_run,
		    isfound ? NULL : args_done,
		    dt_enabled_isslow(&sc->ds_enabled));
	}
	args_fill(dtp, op);
	return 0;
}

int
dt_ioctl_get_provs(struct op *op)
{
	const struct wire_page *wg = op->op_arg;
	const struct dt_provider *prov;
	struct dtioc_prov_info *dtpv;
	const char *reason;
	unsigned int nprobes, i;
	struct dt_page pg;

	dt_page_init(&pg, op, wg->wg_first, wg->wg_max, sizeof(*dtpv));
	for (i = 0; (prov = dt_provider_nth(i, &reason, &nprobes)) != NULL;
	     i++) {
		if ((dtpv = dt_page_next(&pg)) == NULL)
			continue;
		snprintf(dtpv->dtpv_name, sizeof(dtpv->dtpv_name), "%s",
		    prov->prov_name);
		snprintf(dtpv->dtpv_reason, sizeof(dtpv->dtpv_reason), "%s",
		    reason);
		dtpv->dtpv_nprobes = nprobes;
		/* a reason with probes is a remark */
		dtpv->dtpv_available = reason[0] == '\0' || nprobes > 0;
		if (dtpv->dtpv_available && prov->prov_list->pvl_remark != NULL)
			dtpv->dtpv_nprobes +=
			    prov->prov_list->pvl_remark(dtpv->dtpv_reason,
				sizeof(dtpv->dtpv_reason));
	}
	dt_page_done(&pg, op);
	return 0;
}
