/* SPDX-License-Identifier: ISC */
/*
 * Probes by number: dt_probe(), and the number of arguments of a record.
 * Entries of all lists are cached, since a number has the same meaning for the
 * whole session.  An unknown number causes one request for the full list.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/list.h"

void
dt_probes_init(struct dt_probes *pr)
{
	pthread_mutex_init(&pr->pr_lock, NULL);
}

void
dt_probes_free(struct dt_probes *pr)
{
	dt_hash_free(&pr->pr_infos, free);
	dt_hash_free(&pr->pr_descs, free);
	pthread_mutex_destroy(&pr->pr_lock);
}

/* Caches n entries; with the lock held.  Also a dt_list_fn. */
static int
probe_add(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	const struct dtioc_probe_info *pi = ents;
	struct dt_probes *pr = &dt->h_probes;
	struct dtioc_probe_info *copy;

	(void)arg;
	(void)first;
	for (; n > 0; n--, pi++) {
		if (dt_hash_ptr(&pr->pr_infos, pi->dtpi_pbn) != NULL)
			continue;
		copy = malloc(sizeof(*copy));
		if (copy == NULL)
			return dt_fail(dt, ENOMEM, NULL);
		*copy = *pi;
		if (dt_hash_put(&pr->pr_infos, copy->dtpi_pbn, copy) == -1) {
			free(copy);
			return dt_fail(dt, ENOMEM, NULL);
		}
	}
	return 0;
}

int
dt_probes_learn(struct dt *dt, const struct dtioc_probe_info *pi, uint32_t n)
{
	int r;

	pthread_mutex_lock(&dt->h_probes.pr_lock);
	r = probe_add(dt, NULL, pi, 0, n);
	pthread_mutex_unlock(&dt->h_probes.pr_lock);
	return r;
}

/* Returns the entry of a probe, or NULL; with the lock held. */
static const struct dtioc_probe_info *
probe_info(struct dt *dt, uint32_t pbn)
{
	const struct dt_list li = {
		.li_cmd = DTIOCGPLIST,
		.li_entsize = sizeof(struct dtioc_probe_info),
		.li_max = DT_LIST_ALL,
		.li_fn = probe_add,
	};
	const struct dtioc_probe_info *pi;

	pi = dt_hash_ptr(&dt->h_probes.pr_infos, pbn);
	if (pi != NULL)
		return pi;
	if (dt_list_get(dt, &li) == -1)
		return NULL;
	pi = dt_hash_ptr(&dt->h_probes.pr_infos, pbn);
	if (pi == NULL)
		dt_fail(dt, ENOENT, "no such probe: %u", pbn);
	return pi;
}

/* A dt_list_fn: stores types by argument number. */
static int
probe_types(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	const struct dtioc_arg_info *ai = ents;
	struct dt_probe_desc *pd = arg;

	(void)dt;
	(void)first;
	for (; n > 0; n--, ai++) {
		if (ai->dtai_argn < DT_REC_NARGS)
			pd->pd_types[ai->dtai_argn] = *ai;
	}
	return 0;
}

/* A dt_list_fn: stores names by argument number. */
static int
probe_names(struct dt *dt, void *arg, const void *ents, uint32_t first,
    uint32_t n)
{
	const struct dtioc_argname_info *an = ents;
	struct dt_probe_desc *pd = arg;

	(void)dt;
	(void)first;
	for (; n > 0; n--, an++) {
		if (an->dtan_argn < DT_REC_NARGS)
			pd->pd_names[an->dtan_argn] = *an;
	}
	return 0;
}

/* Requests types and names of arguments; a probe may have none. */
static int
probe_describe(struct dt *dt, struct dt_probe_desc *pd)
{
	struct dt_list li = {
		.li_cmd = DTIOCGARGS,
		.li_entsize = sizeof(struct dtioc_arg_info),
		.li_pbn = pd->pd_info.dtpi_pbn,
		.li_max = DT_REC_NARGS,
		.li_fn = probe_types,
		.li_arg = pd,
	};
	int64_t total;

	if ((total = dt_list_get(dt, &li)) == -1)
		return -1;
	if (pd->pd_info.dtpi_flags & DTPI_LATER) {
		pd->pd_info.dtpi_nargs = total < DT_REC_NARGS ? total
							      : DT_REC_NARGS;
		pd->pd_info.dtpi_flags &= ~DTPI_LATER;
	}
	if (pd->pd_info.dtpi_nargs > DT_REC_NARGS) /* callers rely on it */
		pd->pd_info.dtpi_nargs = DT_REC_NARGS;
	li.li_cmd = DTIOCGARGNAMES;
	li.li_entsize = sizeof(struct dtioc_argname_info);
	li.li_fn = probe_names;
	return dt_list_get(dt, &li) == -1 ? -1 : 0;
}

/* With the lock held. */
static const struct dt_probe_desc *
probe_desc(struct dt *dt, uint32_t pbn)
{
	const struct dtioc_probe_info *pi;
	struct dt_probe_desc *pd;

	pd = dt_hash_ptr(&dt->h_probes.pr_descs, pbn);
	if (pd != NULL)
		return pd;
	pi = probe_info(dt, pbn);
	if (pi == NULL)
		return NULL;
	pd = calloc(1, sizeof(*pd));
	if (pd == NULL) {
		dt_fail(dt, ENOMEM, NULL);
		return NULL;
	}
	pd->pd_info = *pi;
	if (probe_describe(dt, pd) == -1) {
		free(pd);
		return NULL;
	}
	if (dt_hash_put(&dt->h_probes.pr_descs, pbn, pd) == -1) {
		free(pd);
		dt_fail(dt, ENOMEM, NULL);
		return NULL;
	}
	return pd;
}

int
dt_probes_nargs(struct dt *dt, uint32_t pbn)
{
	const struct dtioc_probe_info *pi;
	const struct dt_probe_desc *pd;
	int nargs = -1;

	pthread_mutex_lock(&dt->h_probes.pr_lock);
	pi = probe_info(dt, pbn);
	if (pi != NULL && (pi->dtpi_flags & DTPI_LATER)) {
		pd = probe_desc(dt, pbn);
		pi = pd != NULL ? &pd->pd_info : NULL;
	}
	if (pi != NULL)
		nargs = pi->dtpi_nargs;
	pthread_mutex_unlock(&dt->h_probes.pr_lock);
	return nargs;
}

const struct dt_probe_desc *
dt_probe(struct dt *dt, uint32_t pbn)
{
	const struct dt_probe_desc *pd;

	pthread_mutex_lock(&dt->h_probes.pr_lock);
	pd = probe_desc(dt, pbn);
	pthread_mutex_unlock(&dt->h_probes.pr_lock);
	return pd;
}
