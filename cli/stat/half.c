/* SPDX-License-Identifier: ISC */
/* Finds the events of calls that are counted by their other event. */
#include <string.h>

#include "cli/stat/half.h"

/* Returns whether the probe is not the one that counts, and that one exists. */
static int
half_skips(const struct keys *by, struct name_cache *nm, uint32_t pbn)
{
	const char *half = keys_half(by);
	const struct probe *pr = name_cache_probe(nm, pbn);
	const struct dtioc_probe_info *pi;

	if (half == NULL || pr == NULL)
		return 0;
	pi = &pr->pr_desc.pd_info;
	return (strcmp(pi->dtpi_name, "entry") == 0 ||
		   strcmp(pi->dtpi_name, "return") == 0) &&
	    strcmp(pi->dtpi_name, half) != 0 &&
	    name_cache_find(nm, pi->dtpi_prov, pi->dtpi_func, half) != NULL;
}

int
half_is_other(struct halves *hv, const struct keys *by, struct name_cache *nm,
    const struct dt_event *ev)
{
	uint32_t pbn = ev->ev_rec->dr_pbn;
	struct hash_entry *he = hash_get(&hv->hv_skips, &pbn, sizeof(pbn));

	if (he->he_count == 0)
		he->he_count = 1 + half_skips(by, nm, pbn);
	return ev->ev_duration == NULL && he->he_count == 2;
}

void
halves_free(struct halves *hv)
{
	hash_clear(&hv->hv_skips);
}
