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
	dtpi->dtpi_nargs = dtp->dtp_nargs;
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
 * The seed gave types for tracepoints only and said that system calls are
 * not supported yet; here they are.
 */
int
dt_ioctl_get_args(void *arg, struct ioctl_call *ic)
{
	const struct wire_args *wa = ic->ic_in;
	const struct dt_probe *dtp = dt_probe_find(wa->wa_pbn);
	struct dtioc_arg_info *dtai;
	const char *type, *name;
	struct page pg;
	int path, n;

	if (dtp == NULL)
		return EINVAL;
	if (dtp->dtp_prov->dtpv_describe != NULL)
		return dt_found_args(arg, dtp, ic);
	page_init(&pg, ic, 0, DTMAXFUNCARGS, sizeof(*dtai));
	for (n = 0; n < dtp->dtp_nargs; n++) {
		if ((dtai = page_next(&pg)) == NULL)
			break;
		dtp->dtp_prov->dtpv_args(dtp, n, &type, &name, &path);
		dtai->dtai_pbn = dtp->dtp_pbn;
		dtai->dtai_argn = n;
		snprintf(dtai->dtai_argtype, sizeof(dtai->dtai_argtype), "%s",
		    type);
	}
	page_done(&pg, ic);
	return 0;
}

int
dt_ioctl_get_argnames(void *arg, struct ioctl_call *ic)
{
	const struct wire_args *wa = ic->ic_in;
	const struct dt_probe *dtp = dt_probe_find(wa->wa_pbn);
	struct dtioc_argname_info *dtan;
	const char *type, *name;
	struct page pg;
	int path, n;

	if (dtp == NULL)
		return EINVAL;
	if (dtp->dtp_prov->dtpv_describe != NULL)
		return dt_found_args(arg, dtp, ic);
	page_init(&pg, ic, 0, DTMAXFUNCARGS, sizeof(*dtan));
	for (n = 0; n < dtp->dtp_nargs; n++) {
		if ((dtan = page_next(&pg)) == NULL)
			break;
		dtp->dtp_prov->dtpv_args(dtp, n, &type, &name, &path);
		dtan->dtan_pbn = dtp->dtp_pbn;
		dtan->dtan_argn = n;
		dtan->dtan_flags = path ? DTAN_PATH : 0;
		snprintf(dtan->dtan_name, sizeof(dtan->dtan_name), "%s", name);
	}
	page_done(&pg, ic);
	return 0;
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
		dtpv->dtpv_available = reason[0] == '\0';
		if (dtpv->dtpv_available && prov->dtpv_remark != NULL)
			dtpv->dtpv_nprobes +=
			    prov->dtpv_remark(dtpv->dtpv_reason,
				sizeof(dtpv->dtpv_reason));
	}
	page_done(&pg, ic);
	return 0;
}
