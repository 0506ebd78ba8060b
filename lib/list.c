/* SPDX-License-Identifier: ISC */
/*
 * Fetches a list page by page.  The numbers in a page are checked against its
 * length; nothing is allocated according to the claimed total.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/list.h"

union list_request {
	struct wire_page lr_page;
	struct wire_lookup lr_lookup;
	struct wire_args lr_args;
};

/* Fills in the request for a page.  Returns its length. */
static size_t
list_request(const struct dt_list *li, union list_request *lr, uint32_t first,
    uint32_t max)
{
	memset(lr, 0, sizeof(*lr));
	switch (li->li_cmd) {
	case DTIOCLOOKUP:
		lr->lr_lookup.wk_first = first;
		lr->lr_lookup.wk_max = max;
		memcpy(lr->lr_lookup.wk_pattern, li->li_pattern,
		    strlen(li->li_pattern) + 1);
		return sizeof(lr->lr_lookup);
	case DTIOCGARGS:
	case DTIOCGARGNAMES:
		lr->lr_args.wa_pbn = li->li_pbn;
		return sizeof(lr->lr_args);
	default:
		lr->lr_page.wg_first = first;
		lr->lr_page.wg_max = max;
		return sizeof(lr->lr_page);
	}
}

/* Returns whether a list has pages: DTIOCGARGS and DTIOCGARGNAMES do not. */
static bool
list_is_paged(const struct dt_list *li)
{
	return li->li_cmd != DTIOCGARGS && li->li_cmd != DTIOCGARGNAMES;
}

/*
 * Fetches one page into buf and validates it: *wl is its header, and exactly
 * wl_count entries follow.
 */
static int
list_page(struct dt *dt, const struct dt_list *li, uint32_t first, uint32_t max,
    uint8_t *buf, struct wire_list *wl)
{
	union list_request lr;
	size_t len, reqlen;

	reqlen = list_request(li, &lr, first, max);
	if (dt_ctl_call(dt, li->li_cmd, &lr, reqlen, buf, WIRE_MAXPAYLOAD,
		&len) == -1)
		return -1;
	if (len < sizeof(*wl))
		return dt_ctl_nonsense(dt, "a list has no header");
	memcpy(wl, buf, sizeof(*wl));
	if ((len - sizeof(*wl)) / li->li_entsize != wl->wl_count ||
	    (len - sizeof(*wl)) % li->li_entsize != 0)
		return dt_ctl_nonsense(dt, "a list has a wrong length");
	if (wl->wl_count > max || first > wl->wl_total ||
	    wl->wl_count > wl->wl_total - first)
		return dt_ctl_nonsense(dt, "a list has too many entries");
	if (!list_is_paged(li) && wl->wl_count != wl->wl_total)
		return dt_ctl_nonsense(dt, "a list is incomplete");
	if (wl->wl_count == 0 && max > 0 && first < wl->wl_total)
		return dt_ctl_nonsense(dt, "a list does not continue");
	return 0;
}

/* Terminates all strings of an entry. */
static void
list_terminate(const struct dt_list *li, uint8_t *ent)
{
	struct dtioc_probe_info *pi = (void *)ent;
	struct dtioc_prov_info *pv = (void *)ent;

	switch (li->li_cmd) {
	case DTIOCGPLIST:
	case DTIOCLOOKUP:
		pi->dtpi_prov[DTNAMESIZE - 1] = '\0';
		pi->dtpi_func[DTNAMESIZE - 1] = '\0';
		pi->dtpi_name[DTNAMESIZE - 1] = '\0';
		break;
	case DTIOCGPROVS:
		pv->dtpv_name[DTNAMESIZE - 1] = '\0';
		pv->dtpv_reason[sizeof(pv->dtpv_reason) - 1] = '\0';
		break;
	case DTIOCGARGS:
		((struct dtioc_arg_info *)ent)
		    ->dtai_argtype[DTNAMESIZE - 1] = '\0';
		break;
	case DTIOCGARGNAMES:
		((struct dtioc_argname_info *)ent)
		    ->dtan_name[DTNAMESIZE - 1] = '\0';
		break;
	}
}

int64_t
dt_list_get(struct dt *dt, const struct dt_list *li)
{
	uint32_t first = 0, i, max, perpage;
	struct wire_list wl;
	int64_t total = -1;
	uint8_t *buf;

	if (li->li_pattern != NULL && strlen(li->li_pattern) >= WIRE_MAXPATTERN)
		return dt_fail(dt, ENAMETOOLONG, "the pattern is too long");
	buf = malloc(WIRE_MAXPAYLOAD);
	if (buf == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	perpage = (uint32_t)((WIRE_MAXPAYLOAD - sizeof(wl)) / li->li_entsize);
	do {
		max = li->li_max - first;
		if (max > perpage || !list_is_paged(li))
			max = perpage;
		if (list_page(dt, li, first, max, buf, &wl) == -1)
			goto out;
		max = li->li_max - first;
		if (wl.wl_count < max)
			max = wl.wl_count;
		for (i = 0; i < max; i++)
			list_terminate(li,
			    buf + sizeof(wl) + i * li->li_entsize);
		if (max > 0 &&
		    li->li_fn(dt, li->li_arg, buf + sizeof(wl), first, max) ==
			-1)
			goto out;
		first += max;
	} while (
	    first < wl.wl_total && first < li->li_max && list_is_paged(li));
	total = wl.wl_total;
out:
	free(buf);
	return total;
}
