/* SPDX-License-Identifier: ISC */
/*
 * Resolves the numbers of a record with tables that are filled from the daemon
 * on demand, or by the reader of a recording.
 */
#include <err.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/func.h"
#include "cli/decode/kind.h"
#include "cli/sym/name_cache.h"
#include "cli/sym/rec_symbols.h"
#include "cli/sym/stack.h"

#define NAMES_AHEAD 4 /* probes requested in advance, at most */

struct name_cache_ksym {
	uint64_t nk_offset;
	char nk_name[];
};

void
name_cache_init(struct name_cache *nm, struct dt *dt)
{
	memset(nm, 0, sizeof(*nm));
	nm->nm_dt = dt;
	nm->nm_ishere = dt != NULL;
	nm->nm_machine = MACHINE_HERE;
	cgroups_init(&nm->nm_cgroups, dt != NULL);
}

void
name_cache_free(struct name_cache *nm)
{
	hash_free(&nm->nm_probes);
	hash_free(&nm->nm_infos);
	hash_clear(&nm->nm_calls);
	hash_free(&nm->nm_ksyms);
	hash_free(&nm->nm_users);
	rec_symbols_free(nm->nm_umaps);
	nm->nm_umaps = NULL;
	cgroups_free(&nm->nm_cgroups);
	memset(nm->nm_last, 0, sizeof(nm->nm_last));
}

/*
 * An event of the syscall provider prints the call as in C, and tracepoints
 * have two names; other probes are ambiguous without their provider.
 */
static void
name_cache_call(struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	size_t len;

	if ((pi->dtpi_flags & (DTPI_CALL | DTPI_COMPAT)) == DTPI_CALL ||
	    pi->dtpi_flags & DTPI_RECORD)
		snprintf(pr->pr_call, sizeof(pr->pr_call), "%s", pi->dtpi_func);
	else
		snprintf(pr->pr_call, sizeof(pr->pr_call), "%s:%s",
		    pi->dtpi_prov, pi->dtpi_func);
	len = strlen(pr->pr_call);
	if (strcmp(pi->dtpi_name, "entry") != 0 &&
	    strcmp(pi->dtpi_name, "return") != 0 &&
	    (pi->dtpi_flags & (DTPI_FIELDS | DTPI_RECORD)) != DTPI_FIELDS)
		snprintf(pr->pr_call + len, sizeof(pr->pr_call) - len, ":%s",
		    pi->dtpi_name);
}

/* Sets the kind of argument i. */
static void
name_cache_add_arg(struct probe *pr, unsigned int i)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	const char *type = pr->pr_desc.pd_types[i].dtai_argtype;
	char *name = pr->pr_desc.pd_names[i].dtan_name;
	unsigned int flags = pr->pr_desc.pd_names[i].dtan_flags;

	if (name[0] == '\0')
		snprintf(name, DTNAMESIZE, "arg%u", i);
	pr->pr_args[i] = flags & (DTAN_SIGNED | DTAN_UNSIGNED)
	    ? val_classify_number(type, name, flags & DTAN_SIGNED)
	    : val_classify(type, name);
	if (flags & DTAN_NOVALUE)
		pr->pr_args[i] = VAL_NONE;
	if (i >= pi->dtpi_nargs)
		return;
	if (pi->dtpi_flags & DTPI_FIELDS) {
		pr->pr_kinds[i] = arg_field(pi->dtpi_func, name, type, flags);
		if ((flags & (DTAN_SIGNED | DTAN_UNSIGNED)) == 0 &&
		    strchr(type, '*') == NULL)
			pr->pr_args[i] = VAL_NONE;
	} else if (pi->dtpi_flags & DTPI_CALL)
		pr->pr_kinds[i] = arg_find(pi->dtpi_func, name, type);
}

/*
 * Kernel functions: kinds by type alone.  A return probe has the returned value
 * as its only argument; none for void.
 */
static void
name_cache_func(const struct name_cache *nm, struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	unsigned int i;

	for (i = 0; i < pi->dtpi_nargs && i < DT_REC_NARGS; i++)
		if (pr->pr_args[i] != VAL_NONE)
			pr->pr_kinds[i] = func_find(pr->pr_desc.pd_types[i]
							.dtai_argtype,
			    nm->nm_ishere);
	if (strcmp(pi->dtpi_name, "return") != 0)
		return;
	pr->pr_isvoid = pi->dtpi_nargs == 0;
	pr->pr_ret = pr->pr_args[0];
	/* a recording may claim both, and a field has a number */
	if ((pi->dtpi_flags & DTPI_FIELDS) == 0)
		pr->pr_retkind = pr->pr_kinds[0];
}

void
name_cache_add_probe(struct name_cache *nm, const struct dt_probe_desc *pd)
{
	const struct dtioc_probe_info *pi;
	struct hash_entry *e;
	struct probe *pr;
	unsigned int i;

	e = hash_get(&nm->nm_probes, &pd->pd_info.dtpi_pbn, sizeof(uint32_t));
	if (e->he_ptr != NULL)
		return; /* the first one is kept */
	if ((pr = calloc(1, sizeof(*pr))) == NULL)
		err(1, "probes");
	pr->pr_desc = *pd;
	pr->pr_machine = nm->nm_machine;
	pi = &pr->pr_desc.pd_info;
	snprintf(pr->pr_full, sizeof(pr->pr_full), "%s:%s:%s", pi->dtpi_prov,
	    pi->dtpi_func, pi->dtpi_name);
	name_cache_call(pr);
	for (i = 0; i < DT_REC_NARGS; i++)
		name_cache_add_arg(pr, i);
	/* a call has parentheses even without arguments */
	pr->pr_hasargs = strcmp(pi->dtpi_name, "entry") == 0 ||
	    (pi->dtpi_nargs > 0 && strcmp(pi->dtpi_name, "return") != 0);
	pr->pr_ret = val_classify_ret(pi->dtpi_func);
	if (pi->dtpi_flags & DTPI_CALL) {
		pr->pr_retkind = arg_find(pi->dtpi_func, "=", "");
		pr->pr_shown = arg_find_shown(pi->dtpi_func);
	} else if (pi->dtpi_flags & DTPI_FUNC)
		name_cache_func(nm, pr);
	e->he_ptr = pr;
}

void
name_cache_add_info(struct name_cache *nm, const struct dtioc_probe_info *pi)
{
	struct hash_entry *e;

	e = hash_get(&nm->nm_infos, &pi->dtpi_pbn, sizeof(pi->dtpi_pbn));
	if (e->he_ptr == NULL && (e->he_ptr = malloc(sizeof(*pi))) == NULL)
		err(1, "probes");
	memcpy(e->he_ptr, pi, sizeof(*pi));
}

/* Requests a probe from the daemon, or uses name_cache_add_info(). */
static struct hash_entry *
name_cache_learn(struct name_cache *nm, uint32_t pbn)
{
	const struct dt_probe_desc *pd;
	struct dt_probe_desc brief;
	struct hash_entry *e;

	if (nm->nm_dt == NULL)
		return NULL;
	if ((pd = dt_probe(nm->nm_dt, pbn)) == NULL) {
		if ((e = hash_find(&nm->nm_infos, &pbn, sizeof(pbn))) == NULL)
			return NULL;
		memset(&brief, 0, sizeof(brief));
		memcpy(&brief.pd_info, e->he_ptr, sizeof(brief.pd_info));
		pd = &brief;
	}
	name_cache_add_probe(nm, pd);
	return hash_find(&nm->nm_probes, &pbn, sizeof(pbn));
}

const struct probe *
name_cache_probe(struct name_cache *nm, uint32_t pbn)
{
	const struct probe **last = &nm->nm_last[pbn % NAME_CACHE_NLAST];
	struct hash_entry *e;

	/* entry and return of a call alternate */
	if (*last != NULL && (*last)->pr_desc.pd_info.dtpi_pbn == pbn)
		return *last;
	e = hash_find(&nm->nm_probes, &pbn, sizeof(pbn));
	if (e == NULL && (e = name_cache_learn(nm, pbn)) == NULL)
		return NULL;
	return *last = e->he_ptr;
}

void
name_cache_add_call(struct name_cache *nm, uint32_t pbn)
{
	(void)hash_get(&nm->nm_calls, &pbn, sizeof(pbn));
}

int
name_cache_iscall(const struct name_cache *nm, uint32_t pbn)
{
	return hash_find(&nm->nm_calls, &pbn, sizeof(pbn)) != NULL;
}

void
name_cache_ahead(struct name_cache *nm)
{
	const struct dtioc_probe_info *pi;
	size_t i;

	if (nm->nm_infos.ha_n > NAMES_AHEAD)
		return;
	for (i = 0; i < nm->nm_infos.ha_nslots; i++) {
		if (nm->nm_infos.ha_slots[i].hs_entry == NULL)
			continue;
		pi = nm->nm_infos.ha_slots[i].hs_entry->he_ptr;
		(void)name_cache_probe(nm, pi->dtpi_pbn);
	}
}

static int
name_cache_is(const struct dtioc_probe_info *pi, const char *prov,
    const char *func, const char *name)
{
	return strcmp(pi->dtpi_func, func) == 0 &&
	    strcmp(pi->dtpi_name, name) == 0 &&
	    strcmp(pi->dtpi_prov, prov) == 0;
}

const struct probe *
name_cache_find(struct name_cache *nm, const char *prov, const char *func,
    const char *name)
{
	const struct dtioc_probe_info *pi;
	const struct probe *pr;
	size_t i;

	for (i = 0; i < nm->nm_probes.ha_nslots; i++) {
		if (nm->nm_probes.ha_slots[i].hs_entry == NULL)
			continue;
		pr = nm->nm_probes.ha_slots[i].hs_entry->he_ptr;
		if (name_cache_is(&pr->pr_desc.pd_info, prov, func, name))
			return pr;
	}
	for (i = 0; i < nm->nm_infos.ha_nslots; i++) {
		if (nm->nm_infos.ha_slots[i].hs_entry == NULL)
			continue;
		pi = nm->nm_infos.ha_slots[i].hs_entry->he_ptr;
		if (name_cache_is(pi, prov, func, name))
			return name_cache_probe(nm, pi->dtpi_pbn);
	}
	return NULL;
}

void
name_cache_add_ksym(struct name_cache *nm, uint64_t pc, const char *name,
    uint64_t offset)
{
	struct hash_entry *e = hash_get(&nm->nm_ksyms, &pc, sizeof(pc));
	struct name_cache_ksym *nk;
	size_t size = strlen(name) + 1;

	if (e->he_ptr != NULL)
		return;
	if ((nk = malloc(sizeof(*nk) + size)) == NULL)
		err(1, "names");
	nk->nk_offset = offset;
	memcpy(nk->nk_name, name, size);
	e->he_ptr = nk;
}

const char *
name_cache_ksym(struct name_cache *nm, uint64_t pc, uint64_t *offset)
{
	const struct name_cache_ksym *nk;
	struct hash_entry *e;

	if ((e = hash_find(&nm->nm_ksyms, &pc, sizeof(pc))) != NULL) {
		nk = e->he_ptr;
		*offset = nk->nk_offset;
		return nk->nk_name;
	}
	return nm->nm_dt != NULL ? dt_ksym(nm->nm_dt, pc, offset) : NULL;
}

unsigned int
name_cache_kfirst(struct name_cache *nm, const struct dt_rec_stack *st)
{
	const char *name;
	unsigned int i;
	uint64_t off;

	for (i = 0; i < st->drs_count; i++) {
		name = name_cache_ksym(nm, stack_pc(DT_STACK_PCS(st), i), &off);
		if (name == NULL || !stack_istracing(name))
			break;
	}
	return i;
}

const char *
name_cache_user(struct name_cache *nm, uint32_t uid)
{
	const struct passwd *pw;
	struct hash_entry *e;

	if (!nm->nm_ishere)
		return NULL;
	e = hash_get(&nm->nm_users, &uid, sizeof(uid));
	if (e->he_count++ == 0 && (pw = getpwuid(uid)) != NULL &&
	    (e->he_ptr = strdup(pw->pw_name)) == NULL)
		err(1, "users");
	return e->he_ptr;
}

void
name_cache_prefetch(struct name_cache *nm, const uint64_t *pcs, size_t npcs)
{
	if (nm->nm_dt != NULL && npcs > 0)
		dt_ksym_prefetch(nm->nm_dt, pcs, npcs);
}
