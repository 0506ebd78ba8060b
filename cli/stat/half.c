/* SPDX-License-Identifier: ISC */
/* Finds the events of calls that are counted by their other event. */
#include <string.h>

#include "cli/stat/half.h"

/* Returns the name of the other probe of a call, or NULL. */
static const char *
half_other(const char *name)
{
	return strcmp(name, "entry") == 0 ? "return"
	    : strcmp(name, "return") == 0 ? "entry"
					  : NULL;
}

/*
 * Returns whether the probe is not the one that counts, and that one exists; if
 * it is the one, it stands for the call.
 */
static int
half_skips(const struct keys *by, struct name_cache *nm, uint32_t pbn)
{
	const char *half = keys_half(by), *other;
	const struct probe *pr = name_cache_probe(nm, pbn);
	const struct dtioc_probe_info *pi;

	if (half == NULL || pr == NULL)
		return 0;
	pi = &pr->pr_desc.pd_info;
	other = half_other(pi->dtpi_name);
	if (other == NULL ||
	    name_cache_find(nm, pi->dtpi_prov, pi->dtpi_func, other) == NULL)
		return 0;
	if (strcmp(pi->dtpi_name, half) == 0)
		name_cache_add_call(nm, pbn);
	return strcmp(other, half) == 0;
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
