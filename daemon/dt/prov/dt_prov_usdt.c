/* SPDX-License-Identifier: ISC */
/*
 * The usdt provider: static probes, which the authors of programs have marked
 * in the code.  A note in the file describes each: its place, a counter that
 * enables it in a process, and how its arguments are found.  One probe may have
 * several places, each with its own way to the arguments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/kernel/attach_user.h"
#include "daemon/kernel/load_error.h"
#include "daemon/sym/file_probes.h"

#define USDT_MAX 16384 /* places that match */

extern const struct dt_provider dt_prov_usdt;

static int
dt_prov_usdt_init(const struct dt_provider *prov __attribute__((unused)),
    char *reason, size_t size)
{
	const char *missing = attach_user_missing();

	if (missing != NULL)
		snprintf(reason, size, "%s", missing);
	else if (dt_is_locked_down())
		snprintf(reason, size,
		    "the kernel is locked down (confidentiality)");
	return 0;
}

static unsigned int
dt_prov_usdt_remark(char *remark, size_t size)
{
	snprintf(remark, size, "name a file: usdt:PATH:PROVIDER:NAME");
	return 0;
}

static const char *
usdt_string(const struct file_probes *fip, uint32_t off)
{
	const char *text = wire_string(fip->fip_strings, off);

	return text != NULL ? text : "";
}

/* Whether two places belong to the same probe. */
static int
usdt_same(const struct file_probes *fip, const struct probe_site *a,
    const struct probe_site *b)
{
	return strcmp(usdt_string(fip, a->psi_name),
		   usdt_string(fip, b->psi_name)) == 0 &&
	    strcmp(usdt_string(fip, a->psi_more),
		usdt_string(fip, b->psi_more)) == 0;
}

/* Allocates the places of all sites that are the same probe as the first. */
static int
usdt_places(const struct file_probes *fip, uint32_t first,
    struct user_probe *up)
{
	const struct probe_site *ps;
	struct user_place *upc;
	uint32_t i;

	up->usp_places = calloc(fip->fip_nsites - first,
	    sizeof(*up->usp_places));
	if (up->usp_places == NULL)
		return ENOMEM;
	for (i = first; i < fip->fip_nsites; i++) {
		ps = &fip->fip_sites[i];
		if (!usdt_same(fip, ps, &fip->fip_sites[first]))
			continue;
		upc = &up->usp_places[up->usp_nplaces++];
		upc->upc_offset = ps->psi_off;
		upc->upc_semaphore = ps->psi_semaphore;
		user_place_args(upc, file_probes_args(fip, i), ps->psi_nargs);
	}
	return 0;
}

/* Adds the probe of a site, unless an earlier site has the same one. */
static int
usdt_add(struct dt_enabled *en, struct dt_file *df,
    const struct file_probes *fip, uint32_t i, struct user_numbers *un,
    struct reason *rs)
{
	const struct probe_site *ps = &fip->fip_sites[i];
	struct user_probe up = { .usp_probe.dtp_prov = &dt_prov_usdt,
		.usp_file = df };
	uint32_t pbn, j;
	int error;

	for (j = 0; j < i; j++)
		if (usdt_same(fip, &fip->fip_sites[j], ps))
			return 0;
	user_probe_names(&up, df, usdt_string(fip, ps->psi_more),
	    usdt_string(fip, ps->psi_name));
	if ((pbn = user_probes_known(en, &up)) != 0)
		return user_numbers_add(un, pbn);
	if ((error = user_probe_args(&up, fip, file_probes_args(fip, i),
		 ps->psi_nargs)) != 0 ||
	    (error = usdt_places(fip, i, &up)) != 0) {
		user_probe_args_free(&up);
		return error;
	}
	pbn = user_probes_add(en, &up, rs);
	return pbn == 0 ? ENOMEM : user_numbers_add(un, pbn);
}

/* Reports that nothing matches, with the nearest name. */
static int
usdt_none(struct dt_file *df, const char *rest, struct reason *rs)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_NEARNOTES,
		.pq_max = 1 };
	struct file_probes fip = { 0 };

	if (user_file_query(df, &pq, rest, &fip, rs) == 0 && fip.fip_nsites > 0)
		reason_set(rs,
		    "%s has no static probe '%.60s'; did you mean %.30s:%.40s?",
		    df->dfl_name, rest,
		    usdt_string(&fip, fip.fip_sites[0].psi_more),
		    usdt_string(&fip, fip.fip_sites[0].psi_name));
	else
		reason_set(rs, "%s has no static probe '%.100s'", df->dfl_name,
		    rest);
	file_probes_free(&fip);
	return ENOENT;
}

static int
usdt_find(struct dt_enabled *en, struct dt_file *df, const char *rest,
    struct user_numbers *un, struct reason *rs)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_NOTES,
		.pq_max = USDT_MAX };
	struct file_probes fip = { 0 };
	uint32_t i;
	int error = user_file_query(df, &pq, rest, &fip, rs);

	if (error == 0 && fip.fip_nsites == 0)
		error = usdt_none(df, rest, rs);
	if (error == 0 && fip.fip_ismore)
		error = reason_fail(rs, E2BIG,
		    "more than %d places match; use a narrower pattern",
		    USDT_MAX);
	for (i = 0; error == 0 && i < fip.fip_nsites; i++)
		error = usdt_add(en, df, &fip, i, un, rs);
	file_probes_free(&fip);
	return error;
}

static int
dt_prov_usdt_match(struct dt_enabled *en, const char *pattern, uint32_t **listp,
    size_t *np, struct reason *rs)
{
	struct user_numbers un = { 0 };
	struct dt_file *df;
	const char *rest;
	int error;

	*listp = NULL;
	*np = 0;
	if (attach_user_missing() != NULL)
		return 0;
	error = user_probes_file(en, pattern, &df, &rest, rs);
	if (error == ENOENT) /* a pattern for probes of any provider */
		return 0;
	if (error == 0)
		error = usdt_find(en, df, rest, &un, rs);
	if (error != 0) {
		free(un.unm_list);
		return error;
	}
	*listp = un.unm_list;
	*np = un.unm_n;
	return 0;
}

static const struct dt_provlist usdt_list = {
	.pvl_init = dt_prov_usdt_init,
	.pvl_remark = dt_prov_usdt_remark,
};

/* Sessions are closed by the provider uprobe, for both. */
static void
dt_prov_usdt_close(struct dt_enabled *en __attribute__((unused)))
{
}

/* All numbers are found by the provider uprobe. */
static struct dt_probe *
dt_prov_usdt_number(uint32_t pbn __attribute__((unused)))
{
	return NULL;
}

static const struct dt_dynprobes usdt_dyn = {
	.dyn_find = dt_prov_usdt_number,
	.dyn_match = dt_prov_usdt_match,
	.dyn_info = user_probes_info,
	.dyn_describe = user_probes_describe,
	.dyn_refuse = user_probes_refuse,
	.dyn_close = dt_prov_usdt_close,
};

const struct dt_provider dt_prov_usdt = {
	.prov_name = "usdt",
	.prov_flags = DTPI_FUNC,
	.prov_regs = DT_REGS_ALL,
	.prov_rights = RIGHT_TRACE_OWN | RIGHT_TRACE_ALL,
	.prov_list = &usdt_list,
	.prov_args = &user_probes_args,
	.prov_rec = &user_probes_rec,
	.prov_dyn = &usdt_dyn,
};
