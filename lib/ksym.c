/* SPDX-License-Identifier: ISC */
/*
 * dt_ksym() and dt_ksym_prefetch().  Every address is requested once,
 * including addresses without a symbol.  Addresses of one function share its
 * name.  An address without a symbol stays so for this handle, even if the
 * kernel loads code there later.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/handle.h"
#include "lib/sym_request.h"

struct ksym {
	uint64_t ksm_start; /* start of the function */
	char ksm_name[];
};

/* Marks an address without a symbol. */
static struct ksym ksym_none;

void
dt_ksyms_init(struct dt_ksyms *ks)
{
	pthread_mutex_init(&ks->kss_lock, NULL);
}

void
dt_ksyms_free(struct dt_ksyms *ks)
{
	dt_hash_free(&ks->kss_pcs, NULL);
	dt_hash_free(&ks->kss_funcs, free);
	pthread_mutex_destroy(&ks->kss_lock);
}

/*
 * Returns the function that starts at an address, added if new.  NULL: ENOMEM.
 */
static struct ksym *
ksym_func(struct dt_ksyms *ks, uint64_t start, const char *name)
{
	size_t len = strlen(name) + 1;
	struct ksym *sym;

	sym = dt_hash_ptr(&ks->kss_funcs, start);
	if (sym != NULL && strcmp(sym->ksm_name, name) == 0)
		return sym;
	if (sym != NULL) /* two names for one start: keep the first */
		return sym;
	sym = malloc(sizeof(*sym) + len);
	if (sym == NULL)
		return NULL;
	sym->ksm_start = start;
	memcpy(sym->ksm_name, name, len);
	if (dt_hash_put(&ks->kss_funcs, start, sym) == -1) {
		free(sym);
		return NULL;
	}
	return sym;
}

static int
ksym_compare(const void *a, const void *b)
{
	uint64_t pa = *(const uint64_t *)a, pb = *(const uint64_t *)b;

	return (pa > pb) - (pa < pb);
}

/*
 * Copies the addresses of pcs that are not cached, each once, to missing.
 * Returns their number.
 */
static size_t
ksym_unknown(const struct dt_ksyms *ks, const uint64_t *pcs, size_t npcs,
    uint64_t *missing)
{
	size_t i, n = 0, nunique = 0;

	for (i = 0; i < npcs; i++) {
		if (dt_hash_ptr(&ks->kss_pcs, pcs[i]) == NULL)
			missing[n++] = pcs[i];
	}
	qsort(missing, n, sizeof(*missing), ksym_compare);
	for (i = 0; i < n; i++) {
		if (nunique == 0 || missing[nunique - 1] != missing[i])
			missing[nunique++] = missing[i];
	}
	return nunique;
}

/* Caches a reply; with the lock held. */
static int
ksym_store(struct dt *dt, const uint64_t *missing, size_t n,
    const struct dt_syms *sy)
{
	struct dt_ksyms *ks = &dt->h_ksyms;
	const struct wire_frame *wf;
	struct ksym *sym;
	size_t i;

	for (i = 0; i < sy->sy_nframes; i++) {
		wf = &sy->sy_frames[i];
		if (wf->wf_func == 0)
			continue;
		sym = ksym_func(ks, missing[wf->wf_pc] - wf->wf_offset,
		    dt_syms_string(sy, wf->wf_func));
		if (sym == NULL ||
		    dt_hash_put(&ks->kss_pcs, missing[wf->wf_pc], sym) == -1)
			return dt_fail(dt, ENOMEM, NULL);
	}
	for (i = 0; i < n; i++) {
		if (dt_hash_ptr(&ks->kss_pcs, missing[i]) == NULL &&
		    dt_hash_put(&ks->kss_pcs, missing[i], &ksym_none) == -1)
			return dt_fail(dt, ENOMEM, NULL);
	}
	return 0;
}

/*
 * Requests the addresses of pcs that are not cached; with the lock held.
 * missing has space for npcs.
 */
static int
ksym_fetch(struct dt *dt, const uint64_t *pcs, size_t npcs, uint64_t *missing)
{
	struct dt_ksyms *ks = &dt->h_ksyms;
	const struct dt_symask kernel = { .syk_pid = 0 };
	struct dt_syms sy;
	size_t n;
	int r;

	n = ksym_unknown(ks, pcs, npcs, missing);
	if (n == 0)
		return 0;
	if (ks->kss_denied)
		return dt_fail(dt, EPERM,
		    "this client may not see the "
		    "kernel's addresses");
	if (dt_syms_get(dt, &kernel, missing, n, &sy) == -1) {
		/* rights are fixed at open, so do not try again */
		ks->kss_denied = errno == EPERM;
		return -1;
	}
	r = ksym_store(dt, missing, n, &sy);
	dt_syms_free(&sy);
	return r;
}

int
dt_ksym_prefetch(struct dt *dt, const uint64_t *pcs, size_t npcs)
{
	uint64_t *missing;
	int r;

	if (npcs == 0)
		return 0;
	if (pcs == NULL)
		return dt_fail(dt, EFAULT, NULL);
	missing = reallocarray(NULL, npcs, sizeof(*missing));
	if (missing == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	pthread_mutex_lock(&dt->h_ksyms.kss_lock);
	r = ksym_fetch(dt, pcs, npcs, missing);
	pthread_mutex_unlock(&dt->h_ksyms.kss_lock);
	free(missing);
	return r;
}

const char *
dt_ksym(struct dt *dt, uint64_t pc, uint64_t *offset)
{
	struct dt_ksyms *ks = &dt->h_ksyms;
	const struct ksym *sym = NULL;
	uint64_t missing;

	pthread_mutex_lock(&ks->kss_lock);
	if (ksym_fetch(dt, &pc, 1, &missing) == 0)
		sym = dt_hash_ptr(&ks->kss_pcs, pc);
	pthread_mutex_unlock(&ks->kss_lock);
	if (sym == NULL)
		return NULL;
	if (sym == &ksym_none) {
		errno = ENOENT;
		return NULL;
	}
	if (offset != NULL)
		*offset = pc - sym->ksm_start;
	return sym->ksm_name;
}
