/* SPDX-License-Identifier: ISC */
/* Lists of the dt device: probes, arguments, providers; all in pages. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "dt_page.h"
#include "dt_softc.h"

void
dt_probe_info(const struct dt_probe *dtp, struct dtioc_probe_info *dtpi)
{
	if (dtpi == NULL)
		return;
	dtpi->dtpi_pbn = dtp->dtp_pbn;
	dtpi->dtpi_flags = dt_probe_learnt(dtp) ? 0 : DTPI_LATER;
	dtpi->dtpi_nargs = dtpi->dtpi_flags & DTPI_LATER ? 0 : dtp->dtp_nargs;
	snprintf(dtpi->dtpi_prov, sizeof(dtpi->dtpi_prov), "%s",
	    dtp->dtp_prov->dtpv_name);
	snprintf(dtpi->dtpi_func, sizeof(dtpi->dtpi_func), "%s", dtp->dtp_func);
	snprintf(dtpi->dtpi_name, sizeof(dtpi->dtpi_name), "%s", dtp->dtp_name);
}

int
dt_ioctl_list_probes(void *arg __attribute__((unused)), struct ioctl_call *ic)
{
	const struct wire_page *wg = ic->ic_in;
	const struct dt_probe *dtp;
	struct page pg;

	page_init(&pg, ic, wg->wg_first, wg->wg_max,
	    sizeof(struct dtioc_probe_info));
	TAILQ_FOREACH(dtp, &dt_probes, dtp_next)
		dt_probe_info(dtp, page_next(&pg));
	page_done(&pg, ic);
	return 0;
}

int
dt_ioctl_lookup(void *arg, struct ioctl_call *ic)
{
	const struct wire_lookup *wk = ic->ic_in;
	const struct dt_probe *dtp;
	char name[3 * DTNAMESIZE];
	struct page pg;

	if (memchr(wk->wk_pattern, '\0', sizeof(wk->wk_pattern)) == NULL) {
		snprintf(ic->ic_text, IOCTL_TEXT, "the pattern has no end");
		return EINVAL;
	}
	if (dt_found_wants(wk->wk_pattern))
		return dt_found_lookup(arg, ic);
	page_init(&pg, ic, wk->wk_first, wk->wk_max,
	    sizeof(struct dtioc_probe_info));
	TAILQ_FOREACH(dtp, &dt_probes, dtp_next) {
		snprintf(name, sizeof(name), "%s:%s:%s",
		    dtp->dtp_prov->dtpv_name, dtp->dtp_func, dtp->dtp_name);
		if (fnmatch(wk->wk_pattern, name, 0) == 0)
			dt_probe_info(dtp, page_next(&pg));
	}
	page_done(&pg, ic);
	return 0;
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

	dtp->dtp_prov->dtpv_args(dtp, n, &type, &name, &flags);
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

	dtp->dtp_prov->dtpv_args(dtp, n, &type, &name, &flags);
	dtan->dtan_pbn = dtp->dtp_pbn;
	dtan->dtan_argn = n;
	dtan->dtan_flags = flags;
	snprintf(dtan->dtan_name, sizeof(dtan->dtan_name), "%s", name);
}

/* The page of all arguments, of which each has an entry of this size. */
static int
dt_list_args(const struct dt_probe *dtp, struct ioctl_call *ic, size_t size,
    void (*info)(const struct dt_probe *, unsigned int, void *))
{
	struct page pg;
	unsigned int n;
	void *entry;

	page_init(&pg, ic, 0, DT_REC_NARGS, size);
	for (n = 0; n < dtp->dtp_nargs; n++) {
		if ((entry = page_next(&pg)) == NULL)
			break;
		info(dtp, n, entry);
	}
	page_done(&pg, ic);
	return 0;
}

static struct dt_probe *
args_probe(const struct ioctl_call *ic)
{
	const struct wire_args *wa = ic->ic_in;

	return dt_probe_find(wa->wa_pbn);
}

static void
args_run(struct work *w)
{
	struct dt_softc *sc = work_softc(w);

	sc->ds_error = dt_probe_learn(args_probe(sc->ds_call),
	    sc->ds_call->ic_text);
}

static void
args_done(struct work *w)
{
	struct dt_softc *sc = work_softc(w);
	int error = sc->ds_error;

	if (error == 0)
		error = dt_list_args(args_probe(sc->ds_call), sc->ds_call,
		    sizeof(struct dtioc_arg_info), dt_arg_info);
	dt_call_done(sc, error);
}

static void
argnames_done(struct work *w)
{
	struct dt_softc *sc = work_softc(w);
	int error = sc->ds_error;

	if (error == 0)
		error = dt_list_args(args_probe(sc->ds_call), sc->ds_call,
		    sizeof(struct dtioc_argname_info), dt_argname_info);
	dt_call_done(sc, error);
}

/*
 * The seed gave types for tracepoints only and said that system calls are
 * not supported yet; here they are.
 */
int
dt_ioctl_get_args(void *arg, struct ioctl_call *ic)
{
	const struct dt_probe *dtp = args_probe(ic);

	if (dtp == NULL)
		return EINVAL;
	if (dtp->dtp_prov->dtpv_describe != NULL)
		return dt_found_args(arg, dtp, ic);
	if (!dt_probe_learnt(dtp))
		return dt_call_later(arg, ic, args_run, args_done);
	return dt_list_args(dtp, ic, sizeof(struct dtioc_arg_info),
	    dt_arg_info);
}

int
dt_ioctl_get_argnames(void *arg, struct ioctl_call *ic)
{
	const struct dt_probe *dtp = args_probe(ic);

	if (dtp == NULL)
		return EINVAL;
	if (dtp->dtp_prov->dtpv_describe != NULL)
		return dt_found_args(arg, dtp, ic);
	if (!dt_probe_learnt(dtp))
		return dt_call_later(arg, ic, args_run, argnames_done);
	return dt_list_args(dtp, ic, sizeof(struct dtioc_argname_info),
	    dt_argname_info);
}

int
dt_ioctl_get_provs(void *arg __attribute__((unused)), struct ioctl_call *ic)
{
	const struct wire_page *wg = ic->ic_in;
	const struct dt_provider *prov;
	struct dtioc_prov_info *dtpv;
	const char *reason;
	unsigned int nprobes, i;
	struct page pg;

	page_init(&pg, ic, wg->wg_first, wg->wg_max, sizeof(*dtpv));
	for (i = 0; (prov = dt_provider_nth(i, &reason, &nprobes)) != NULL;
	     i++) {
		if ((dtpv = page_next(&pg)) == NULL)
			continue;
		snprintf(dtpv->dtpv_name, sizeof(dtpv->dtpv_name), "%s",
		    prov->dtpv_name);
		snprintf(dtpv->dtpv_reason, sizeof(dtpv->dtpv_reason), "%s",
		    reason);
		dtpv->dtpv_nprobes = nprobes;
		/* who has probes and a reason has a remark */
		dtpv->dtpv_available = reason[0] == '\0' || nprobes > 0;
		if (dtpv->dtpv_available && prov->dtpv_remark != NULL)
			dtpv->dtpv_nprobes +=
			    prov->dtpv_remark(dtpv->dtpv_reason,
				sizeof(dtpv->dtpv_reason));
	}
	page_done(&pg, ic);
	return 0;
}
