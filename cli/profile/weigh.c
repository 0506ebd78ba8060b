/* SPDX-License-Identifier: ISC */
/* Finds the weight of the hits of probes. */
#include <string.h>

#include "cli/calls/kernel_pair.h"
#include "cli/profile/weigh.h"
#include "cli/stat/key.h"

int
weigh_begin(struct weigh *wg, struct profile *pf, struct name_cache *nm,
    const char *sum, char *why, size_t nwhy)
{
	if (sum == NULL)
		profile_unit(pf, PROFILE_HITS, NULL);
	else
		profile_unit(pf,
		    strcmp(sum, "duration") == 0 ? PROFILE_NSECS : PROFILE_SUM,
		    sum);
	wg->wgh_names = nm;
	wg->wgh_keys = keys_alloc(PROFILE_KEYS, sum, nm, why, nwhy);
	return wg->wgh_keys != NULL ? 0 : -1;
}

/* Returns whether a hit has a value that can be a weight. */
static int
weigh_value(struct weigh *wg, const struct dt_event *ev, int64_t *value)
{
	struct key_call kc = { .kc_ev = ev };
	struct kernel_pair kp;

	if (ev->ev_duration != NULL) {
		kernel_pair_split(&kp, ev);
		kc.kc_entry = &kp.kpr_first;
		kc.kc_ret = ev->ev_ret != NULL ? &kp.kpr_second : NULL;
	} else if (ev->ev_ret != NULL)
		kc.kc_ret = ev;
	else
		kc.kc_entry = ev;
	return key_sum(wg->wgh_keys, &kc, value) && *value >= 0;
}

int
weigh_hit(struct weigh *wg, const struct dt_event *ev, struct profile_hits *ph)
{
	int64_t value = 1;

	if (keys_sumname(wg->wgh_keys) != NULL && !weigh_value(wg, ev, &value))
		return -1;
	*ph = (struct profile_hits){ .phi_count = 1, .phi_weight = value };
	weigh_call(wg->wgh_names, ev, ph);
	return 0;
}

/* The stack of an entry begins in the function itself, unless the kernel calls
 * a hook of all system calls. */
void
weigh_call(struct name_cache *nm, const struct dt_event *ev,
    struct profile_hits *ph)
{
	const struct probe *pr = name_cache_probe(nm, ev->ev_rec->dr_pbn);
	const struct probe *first;
	const struct dtioc_probe_info *pi;
	int isentry;

	if (pr == NULL)
		return;
	pi = &pr->pr_desc.pd_info;
	isentry = strcmp(pi->dtpi_name, "entry") == 0;
	if (!isentry && strcmp(pi->dtpi_name, "return") != 0)
		return;
	/* a pair may be of two functions */
	if (ev->ev_duration != NULL &&
	    ((first = name_cache_probe(nm, ev->ev_first)) == NULL ||
		strcmp(first->pr_desc.pd_info.dtpi_func, pi->dtpi_func) != 0))
		return;
	ph->phi_isusercall = strncmp(pi->dtpi_prov, "uprobe", 6) == 0;
	if ((pi->dtpi_flags & (DTPI_CALL | DTPI_FUNC)) != 0 ||
	    (ph->phi_isusercall && !isentry))
		ph->phi_call = pi->dtpi_func;
}

void
weigh_unit(const struct weigh *wg, struct profile *pf)
{
	if (wg->wgh_keys != NULL && keys_unit(wg->wgh_keys) == KEY_NBYTES)
		profile_unit(pf, PROFILE_NBYTES, keys_sumname(wg->wgh_keys));
}

void
weigh_end(struct weigh *wg)
{
	keys_free(wg->wgh_keys);
	wg->wgh_keys = NULL;
}
