/* SPDX-License-Identifier: ISC */
/* Providers and their probes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_provider.h"
#include "daemon/dt/dt_providers.h"

#define DT_DECLARE(name) extern const struct dt_provider dt_prov_##name;
#define DT_ENTRY(name) \
	{ .prov = &dt_prov_##name, .mtx = PTHREAD_MUTEX_INITIALIZER },

DT_PROVIDERS(DT_DECLARE)

static struct {
	const struct dt_provider *prov;
	char reason[192]; /* why it is not available, or "" */
	unsigned int nprobes;
	pthread_mutex_t mtx; /* serializes loading */
	atomic_uint ready;   /* parts that are loaded, a bit each */
	atomic_uint refused; /* parts with DT_PART_TABLES that failed to */
	atomic_ullong retry; /* time from which these are loaded again */
} providers[] = { DT_PROVIDERS(DT_ENTRY) };

#define NPROVIDERS (sizeof(providers) / sizeof(providers[0]))

const struct dt_provargs dt_provargs_none = { .pva_operand = NULL };

struct dt_probe_list dt_probes = TAILQ_HEAD_INITIALIZER(dt_probes);
unsigned int dt_nprobes;
static struct dt_probe **by_number;	/* dt_nprobes; the first has 1 */
static uint8_t tally_of[DT_PBN_KPROBE]; /* by number, constant once in use */

int
dt_probe_init(void)
{
	const struct dt_provider *prov;
	unsigned int before;
	size_t i;
	int error;

	for (i = 0; i < NPROVIDERS; i++) {
		before = dt_nprobes;
		prov = providers[i].prov;
		error = prov->prov_list->pvl_init(prov, providers[i].reason,
		    sizeof(providers[i].reason));
		if (error != 0)
			return error;
		providers[i].nprobes = dt_nprobes - before;
		if (providers[i].reason[0] != '\0')
			log_info("provider %s: %s", prov->prov_name,
			    providers[i].reason);
	}
	return 0;
}

struct dt_probe *
dt_probe_add(const struct dt_provider *prov, const char *func, const char *name,
    uint32_t num, uint8_t nargs)
{
	struct dt_probe *p, **list;

	if (dt_nprobes + 1 == DT_PBN_KPROBE)
		return NULL;
	if ((dt_nprobes & (dt_nprobes - 1)) == 0) { /* space for twice as
						     * many */
		list = realloc(by_number, (2 * dt_nprobes + 1) * sizeof(*list));
		if (list == NULL)
			return NULL;
		by_number = list;
	}
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	by_number[dt_nprobes] = p;
	p->dtp_prov = prov;
	p->dtp_pbn = ++dt_nprobes;
	tally_of[p->dtp_pbn] = prov->prov_rec->pvr_tally;
	p->dtp_func = func;
	p->dtp_name = name;
	p->dtp_sysnum = num;
	p->dtp_nargs = nargs;
	atomic_thread_fence(memory_order_release); /* workers walk the list */
	TAILQ_INSERT_TAIL(&dt_probes, p, dtp_next);
	return p;
}

struct dt_probe *
dt_probe_find(uint32_t pbn)
{
	struct dt_probe *p = NULL;
	size_t i;

	if (pbn - 1 < dt_nprobes)
		return by_number[pbn - 1];
	for (i = 0; i < NPROVIDERS && p == NULL; i++)
		if (providers[i].prov->prov_dyn != NULL)
			p = providers[i].prov->prov_dyn->dyn_find(pbn);
	return p;
}

enum dt_tally
dt_probe_tally(uint32_t pbn)
{
	if (pbn < DT_PBN_KPROBE)
		return tally_of[pbn];
	return pbn < DT_PBN_USER ? DT_TALLY_KPROBE : DT_TALLY_UPROBE;
}

struct dt_probe *
dt_probe_of(const struct dt_enabled *en, uint32_t pbn)
{
	if (pbn >= DT_PBN_USER &&
	    DT_PBN_USER_SLOT(pbn) != en->den_client->dcl_slot)
		return NULL;
	return dt_probe_find(pbn);
}

const struct dt_provider *
dt_provider_nth(unsigned int n, const char **reason, unsigned int *nprobes)
{
	const char *lacks;

	if (n >= NPROVIDERS)
		return NULL;
	*reason = providers[n].reason;
	*nprobes = providers[n].nprobes;
	if (providers[n].prov->prov_list->pvl_broken != NULL &&
	    (lacks = providers[n].prov->prov_list->pvl_broken()) != NULL) {
		*reason = lacks;
		*nprobes = 0;
	}
	return providers[n].prov;
}

const struct dt_provider *
dt_provider_named(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NPROVIDERS; i++)
		if (strlen(providers[i].prov->prov_name) == len &&
		    memcmp(providers[i].prov->prov_name, name, len) == 0)
			return providers[i].prov;
	return NULL;
}

static size_t
dt_provider_index(const struct dt_provider *prov)
{
	size_t i = 0;

	while (providers[i].prov != prov)
		i++;
	return i;
}

void
dt_provider_merge(const struct dt_provider *prov, void *list)
{
	unsigned int before = dt_nprobes;

	if (list == NULL)
		return;
	prov->prov_list->pvl_merge(prov, list);
	providers[dt_provider_index(prov)].nprobes += dt_nprobes - before;
}

/* Returns the part of the provider that the probe needs. */
static unsigned int
dt_probe_part(const struct dt_enabled *en, const struct dt_pcb *dp, int tables)
{
	const struct dt_provrec *pvr = dp->dp_dtp->dtp_prov->prov_rec;
	size_t i = dt_provider_index(dp->dp_dtp->dtp_prov);
	unsigned int part = dp->dp_dtp->dtp_part | DT_PART_TABLES;

	if ((tables || dp->dp_hasreads) && pvr->pvr_tables &&
	    (dp->dp_hasreads ||
		(atomic_load(&providers[i].refused) >> part & 1) == 0 ||
		(uint64_t)clock_monotonic() >=
		    atomic_load(&providers[i].retry)))
		return part;
	part = dp->dp_dtp->dtp_part;
	if (pvr->pvr_islong != NULL && pvr->pvr_islong(en, dp))
		part |= DT_PART_LONG;
	return part;
}

int
dt_probe_ready(const struct dt_enabled *en, const struct dt_pcb *dp, int tables)
{
	size_t i = dt_provider_index(dp->dp_dtp->dtp_prov);

	return (atomic_load(&providers[i].ready) >>
		       dt_probe_part(en, dp, tables) &
		   1) &&
	    dt_probe_learnt(dp->dp_dtp);
}

int
dt_probe_walks(const struct dt_probe *dtp)
{
	size_t i = dt_provider_index(dtp->dtp_prov);

	return atomic_load(&providers[i].ready) >>
	    (dtp->dtp_part | DT_PART_TABLES) &
	    1;
}

static int
dt_provider_load(const struct dt_provider *prov, unsigned int part,
    struct reason *rs)
{
	size_t i = dt_provider_index(prov);
	int error = 0;

	pthread_mutex_lock(&providers[i].mtx);
	if ((atomic_load(&providers[i].ready) >> part & 1) == 0) {
		error = prov->prov_rec->pvr_load(part, rs);
		if (error == 0)
			atomic_fetch_or(&providers[i].ready, 1U << part);
		else
			log_info("provider %s: %s: %s", prov->prov_name,
			    rs->rsn_text, strerror(error));
	}
	pthread_mutex_unlock(&providers[i].mtx);
	return error;
}

/*
 * Notes that the kernel refused this part: for a while, sessions do not load
 * it.
 */
static void
dt_provider_refused(const struct dt_provider *prov, unsigned int part)
{
	size_t i = dt_provider_index(prov);

	atomic_store(&providers[i].retry, clock_monotonic() + DT_TABLES_RETRY);
	atomic_fetch_or(&providers[i].refused, 1U << part);
}

int
dt_probe_load(const struct dt_enabled *en, const struct dt_pcb *dp, int tables,
    struct reason *rs)
{
	const struct dt_provider *prov = dp->dp_dtp->dtp_prov;
	unsigned int part = dt_probe_part(en, dp, tables);
	int error = dt_probe_learn(dp->dp_dtp, rs);

	if (error != 0)
		return error;
	error = dt_provider_load(prov, part, rs);
	if (error == 0 || (part & DT_PART_TABLES) == 0 || dp->dp_hasreads)
		return error;
	log_warnx("provider %s: user stacks by frame pointers: %s",
	    prov->prov_name, rs->rsn_text);
	dt_provider_refused(prov, part);
	rs->rsn_text[0] = '\0';
	return dt_provider_load(prov, dt_probe_part(en, dp, 0), rs);
}

int
dt_probe_learnt(const struct dt_probe *dtp)
{
	const struct dt_provargs *pva = dtp->dtp_prov->prov_args;

	return pva == NULL || pva->pva_learn == NULL ||
	    atomic_load(&dtp->dtp_learnt);
}

/* Arguments are read by one thread at a time. */
static pthread_mutex_t learn_mtx = PTHREAD_MUTEX_INITIALIZER;

int
dt_probe_learn(struct dt_probe *dtp, struct reason *rs)
{
	int error = 0;

	if (dt_probe_learnt(dtp))
		return 0;
	pthread_mutex_lock(&learn_mtx);
	if (!dt_probe_learnt(dtp) &&
	    (error = dtp->dtp_prov->prov_args->pva_learn(dtp, rs)) == 0)
		atomic_store(&dtp->dtp_learnt, 1);
	pthread_mutex_unlock(&learn_mtx);
	return error;
}

int
dt_probe_counted(const struct dt_probe *dtp)
{
	return atomic_load(&dtp->dtp_counted) || dt_probe_learnt(dtp);
}

void
dt_probe_count(struct dt_probe *dtp)
{
	const struct dt_provargs *pva = dtp->dtp_prov->prov_args;
	struct reason rs = { "" };

	if (dt_probe_counted(dtp))
		return;
	if (pva->pva_count == NULL) {
		(void)dt_probe_learn(dtp, &rs);
		return;
	}
	pthread_mutex_lock(&learn_mtx);
	if (!dt_probe_counted(dtp) && pva->pva_count(dtp, &rs) == 0)
		atomic_store(&dtp->dtp_counted, 1);
	pthread_mutex_unlock(&learn_mtx);
}

void
dt_provider_load_all(void)
{
	const struct dt_provrec *pvr;
	struct reason rs = { "" };
	unsigned int part;
	size_t i;

	for (i = 0; i < NPROVIDERS; i++) {
		pvr = providers[i].prov->prov_rec;
		if (pvr->pvr_israre)
			continue;
		for (part = 0; part == 0 || part < pvr->pvr_nparts; part++) {
			(void)dt_provider_load(providers[i].prov, part, &rs);
			if (pvr->pvr_islong != NULL)
				(void)dt_provider_load(providers[i].prov,
				    part | DT_PART_LONG, &rs);
		}
	}
}

int
dt_provs_attach(struct dt_enabled *en, struct reason *rs)
{
	size_t i;
	int error = 0;

	for (i = 0; i < NPROVIDERS && error == 0; i++)
		if (providers[i].prov->prov_set != NULL)
			error = providers[i].prov->prov_set->pvs_attach(en, rs);
	return error;
}

void
dt_provs_halt(struct dt_enabled *en)
{
	size_t i;

	for (i = 0; i < NPROVIDERS; i++)
		if (providers[i].prov->prov_set != NULL)
			providers[i].prov->prov_set->pvs_halt(en);
}

void
dt_provs_detach(struct dt_enabled *en)
{
	size_t i;

	for (i = 0; i < NPROVIDERS; i++)
		if (providers[i].prov->prov_set != NULL)
			providers[i].prov->prov_set->pvs_detach(en);
}

int
dt_provs_check(struct dt_enabled *en, struct reason *rs)
{
	size_t i;
	int error = 0;

	for (i = 0; i < NPROVIDERS && error == 0; i++)
		if (providers[i].prov->prov_set != NULL &&
		    providers[i].prov->prov_set->pvs_check != NULL)
			error = providers[i].prov->prov_set->pvs_check(en, rs);
	return error;
}

void
dt_provs_close(struct dt_enabled *en)
{
	size_t i;

	for (i = 0; i < NPROVIDERS; i++)
		if (providers[i].prov->prov_dyn != NULL)
			providers[i].prov->prov_dyn->dyn_close(en);
}

void
dt_provs_fini(void)
{
	size_t i;

	for (i = 0; i < NPROVIDERS; i++)
		if (providers[i].prov->prov_set != NULL)
			providers[i].prov->prov_set->pvs_fini();
}
