/* SPDX-License-Identifier: ISC */
/*
 * Finds functions, instructions and lines of a file, and makes their probes.  A
 * symbolizer reads the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/sym/file_probes.h"

#define FIND_MAX 32768 /* functions: two probes each */
/* The RET instructions of more functions are not searched. */
#define FIND_FEW 1024

static const char *const dir_names[] = { "entry", "return" };

/* A look-up: its pattern, and the numbers found so far. */
struct uprobe_lookup {
	struct dt_enabled *ulk_enabled;
	struct dt_file *ulk_file;
	char ulk_func[GLOBPAT_MAX]; /* pattern without the direction */
	struct globpat ulk_dir;
	struct file_probes ulk_found;
	struct user_numbers ulk_numbers;
	struct reason *ulk_reason;
};

static const char *
lookup_string(const struct uprobe_lookup *ulk, uint32_t off)
{
	return off == 0 ? "" : wire_string(ulk->ulk_found.fip_strings, off);
}

/* Queries the file of the look-up; the result is in ulk_found. */
static int
lookup_query(struct uprobe_lookup *ulk, enum probe_query_kind kind,
    const char *name, struct probe_query *pq)
{
	pq->pq_kind = kind;
	if (pq->pq_max == 0)
		pq->pq_max = FIND_MAX;
	file_probes_free(&ulk->ulk_found);
	return user_file_query(ulk->ulk_file, pq, name, &ulk->ulk_found,
	    ulk->ulk_reason);
}

/* Adds the number of a probe to the result, if its direction matches. */
static int
lookup_number(struct uprobe_lookup *ulk, uint32_t pbn, int dir)
{
	if (pbn == 0)
		return ENOMEM;
	return globpat_match(&ulk->ulk_dir, dir_names[dir])
	    ? user_numbers_add(&ulk->ulk_numbers, pbn)
	    : 0;
}

static int
lookup_begin(struct uprobe_lookup *ulk, struct user_probe *up, const char *name,
    int dir, const struct user_place *places, size_t n)
{
	up->usp_probe.dtp_prov = &dt_prov_uprobe;
	up->usp_file = ulk->ulk_file;
	up->usp_isreturn = dir;
	user_probe_names(up, ulk->ulk_file, name, dir_names[dir]);
	if ((up->usp_places = malloc(n * sizeof(*places))) == NULL)
		return ENOMEM;
	memcpy(up->usp_places, places, n * sizeof(*places));
	up->usp_nplaces = n;
	return 0;
}

/* Sets why a function, or its return, is never probed. */
static void
lookup_refusal(struct user_probe *up, int isfew)
{
	struct reason rs = { "" };

	if (up->usp_flags & PROBE_SITE_IFUNC)
		reason_set(&rs,
		    "it only selects the function that is then called in its "
		    "place; probe that one");
	else if (up->usp_flags & PROBE_SITE_REFUSED)
		reason_set(&rs,
		    "the kernel cannot put a breakpoint on its first "
		    "instruction");
	else if (up->usp_isreturn && user_probe_unwinds(up) && !isfew)
		reason_set(&rs,
		    "returns of C++, Rust and Go functions need a pattern for "
		    "at most %d functions",
		    FIND_FEW);
	else if (up->usp_isreturn && user_probe_unwinds(up))
		(void)user_probe_rets(up, &rs);
	snprintf(up->usp_refused, sizeof(up->usp_refused), "%.191s",
	    rs.rsn_text);
}

/* Adds entry and return of a function.  pa: its arguments. */
static int
lookup_function(struct uprobe_lookup *ulk, const struct probe_site *ps,
    const struct probe_arg *pa, int isfew)
{
	const struct user_place place = { .upc_offset = ps->psi_off };
	struct user_probe up;
	uint32_t pbn;
	int dir, error;

	for (dir = 0; dir < 2; dir++) {
		memset(&up, 0, sizeof(up));
		up.usp_flags = ps->psi_flags;
		error = lookup_begin(ulk, &up, lookup_string(ulk, ps->psi_name),
		    dir, &place, 1);
		if (error != 0)
			return error;
		if ((pbn = user_probes_known(ulk->ulk_enabled, &up)) != 0)
			free(up.usp_places);
		else if ((error = user_probe_learn(&up, &ulk->ulk_found, ps,
			      pa)) != 0) {
			free(up.usp_places);
			return error;
		} else {
			lookup_refusal(&up, isfew);
			pbn = user_probes_add(ulk->ulk_enabled, &up,
			    ulk->ulk_reason);
		}
		if ((error = lookup_number(ulk, pbn, dir)) != 0)
			return error;
	}
	return 0;
}

/* Reports that nothing matches, with the nearest name. */
static int
lookup_none(struct uprobe_lookup *ulk, const char *name)
{
	struct probe_query pq = { .pq_max = 1 };

	if (lookup_query(ulk, PROBE_QUERY_NEAREST, name, &pq) == 0 &&
	    ulk->ulk_found.fip_nsites > 0)
		return reason_fail(ulk->ulk_reason, ENOENT,
		    "%s has no function '%.60s'; did you mean %.60s?",
		    ulk->ulk_file->dfl_name, name,
		    lookup_string(ulk, ulk->ulk_found.fip_sites[0].psi_name));
	return reason_fail(ulk->ulk_reason, ENOENT,
	    "%s has no function '%.100s' in its symbol tables",
	    ulk->ulk_file->dfl_name, name);
}

static int
lookup_functions(struct uprobe_lookup *ulk)
{
	struct probe_query pq = { 0 };
	const struct file_probes *fip = &ulk->ulk_found;
	const struct probe_arg *pa;
	uint32_t i;
	int error;

	error = lookup_query(ulk, PROBE_QUERY_SIGNATURES, ulk->ulk_func, &pq);
	if (error != 0)
		return error;
	if (fip->fip_nsites == 0)
		return lookup_none(ulk, ulk->ulk_func);
	if (fip->fip_ismore)
		return reason_fail(ulk->ulk_reason, E2BIG,
		    "more than %d functions match; use a narrower pattern",
		    FIND_MAX);
	pa = fip->fip_args;
	for (i = 0; i < fip->fip_nsites && error == 0; i++) {
		error = lookup_function(ulk, &fip->fip_sites[i], pa,
		    fip->fip_nsites <= FIND_FEW);
		pa += fip->fip_sites[i].psi_nargs;
	}
	return error;
}

/*
 * Adds a place within a function; it has registers, but no arguments.
 */
static int
lookup_place(struct uprobe_lookup *ulk, const char *name,
    const struct user_place *places, size_t n)
{
	struct user_probe up = { .usp_isreturn = 0 };
	int error;

	if ((error = lookup_begin(ulk, &up, name, 0, places, n)) == 0)
		error = user_probe_learn(&up, NULL, NULL, NULL);
	if (error != 0) {
		free(up.usp_places);
		return error;
	}
	return lookup_number(ulk,
	    user_probes_add(ulk->ulk_enabled, &up, ulk->ulk_reason), 0);
}

/* Adds an instruction, which must begin at this offset in the file. */
static int
lookup_insn(struct uprobe_lookup *ulk, const char *name, uint64_t off)
{
	struct user_place place = { .upc_offset = off };
	struct probe_query pq = { .pq_off = off, .pq_max = 1 };
	const struct probe_site *ps;
	int error = lookup_query(ulk, PROBE_QUERY_INSN, NULL, &pq);

	if (error != 0)
		return error;
	ps = ulk->ulk_found.fip_sites;
	if (ulk->ulk_found.fip_nsites == 0)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "%s has no code at offset 0x%llx", ulk->ulk_file->dfl_name,
		    (unsigned long long)off);
	if ((ps->psi_flags & PROBE_SITE_EXACT) == 0)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "no instruction begins at %s; the one before begins %llu "
		    "bytes earlier",
		    name, (unsigned long long)(off - ps->psi_off));
	if (ps->psi_flags & PROBE_SITE_REFUSED)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "the kernel cannot put a breakpoint on the instruction at "
		    "%s",
		    name);
	return lookup_place(ulk, name, &place, 1);
}

/* Adds FUNCTION+OFFSET; plus: the sign in ulk_func. */
static int
lookup_offset(struct uprobe_lookup *ulk, const char *plus)
{
	struct probe_query pq = { .pq_max = 2 };
	unsigned long long off;
	char func[GLOBPAT_MAX], *end;
	int error;

	off = strtoull(plus + 1, &end, 0);
	snprintf(func, sizeof(func), "%.*s", (int)(plus - ulk->ulk_func),
	    ulk->ulk_func);
	error = lookup_query(ulk, PROBE_QUERY_FUNCTIONS, func, &pq);
	if (error != 0)
		return error;
	if (ulk->ulk_found.fip_nsites == 0)
		return lookup_none(ulk, func);
	if (ulk->ulk_found.fip_nsites > 1)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "an offset needs one function; several match %.100s", func);
	if (off >= ulk->ulk_found.fip_sites[0].psi_size)
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "%.60s has %llu bytes only", func,
		    (unsigned long long)ulk->ulk_found.fip_sites[0].psi_size);
	return lookup_insn(ulk, ulk->ulk_func,
	    ulk->ulk_found.fip_sites[0].psi_off + off);
}

/* Adds FILE:LINE as one probe with all its places; colon: in ulk_func. */
static int
lookup_line(struct uprobe_lookup *ulk, const char *colon)
{
	const struct file_probes *fip = &ulk->ulk_found;
	struct probe_query pq = { .pq_max = DT_NUPLACES / 4 };
	struct user_place *places;
	char file[GLOBPAT_MAX], name[DTNAMESIZE];
	uint32_t i;
	size_t n = 0;
	int error;

	pq.pq_line = strtoul(colon + 1, NULL, 10);
	snprintf(file, sizeof(file), "%.*s", (int)(colon - ulk->ulk_func),
	    ulk->ulk_func);
	error = lookup_query(ulk, PROBE_QUERY_LINE, file, &pq);
	if (error != 0)
		return error;
	if (fip->fip_nsites == 0)
		return reason_fail(ulk->ulk_reason, ENOENT,
		    "%s has no code of line %u of %.60s, or no debug "
		    "information",
		    ulk->ulk_file->dfl_name, pq.pq_line, file);
	if ((places = calloc(fip->fip_nsites, sizeof(*places))) == NULL)
		return ENOMEM;
	for (i = 0; i < fip->fip_nsites; i++)
		if ((fip->fip_sites[i].psi_flags & PROBE_SITE_REFUSED) == 0)
			places[n++].upc_offset = fip->fip_sites[i].psi_off;
	snprintf(name, sizeof(name), "%.40s:%u", file,
	    fip->fip_sites[0].psi_line);
	error = n > 0 ? lookup_place(ulk, name, places, n)
		      : reason_fail(ulk->ulk_reason, EINVAL,
			    "the kernel cannot put a breakpoint on the first "
			    "instruction of %s",
			    name);
	free(places);
	return error;
}

/* Returns the sign of FUNCTION+OFFSET, or the colon of FILE.c:LINE, or NULL. */
static const char *
lookup_sign(const char *func, char sign)
{
	const char *at = strrchr(func, sign), *digits = "0123456789";

	if (at == NULL || at == func || at[1] == '\0')
		return NULL;
	if (sign == '+' && strncmp(at + 1, "0x", 2) == 0)
		return at[3 + strspn(at + 3, "0123456789abcdefABCDEF")] == '\0'
		    ? at
		    : NULL;
	return at[1 + strspn(at + 1, digits)] == '\0' ? at : NULL;
}

static int
lookup_any(struct uprobe_lookup *ulk)
{
	const char *at, *func = ulk->ulk_func;
	char *end;
	uint64_t off;

	off = strtoull(func, &end, 0);
	if (end != func && *end == '\0')
		return lookup_insn(ulk, func, off);
	if ((at = lookup_sign(func, '+')) != NULL)
		return lookup_offset(ulk, at);
	if ((at = lookup_sign(func, ':')) != NULL)
		return lookup_line(ulk, at);
	return lookup_functions(ulk);
}

/* Splits FUNCTION:DIRECTION at the last colon. */
static int
lookup_split(struct uprobe_lookup *ulk, const char *rest)
{
	const char *colon = strrchr(rest, ':');
	size_t len = colon - rest;

	if (colon == NULL || len >= sizeof(ulk->ulk_func))
		return reason_fail(ulk->ulk_reason, EINVAL,
		    "the pattern is not FUNCTION:entry or FUNCTION:return");
	memcpy(ulk->ulk_func, rest, len);
	ulk->ulk_func[len] = '\0';
	return globpat_compile(&ulk->ulk_dir, colon + 1, ulk->ulk_reason);
}

int
uprobe_find(struct dt_enabled *en, struct dt_file *df, const char *rest,
    uint32_t **listp, size_t *np, struct reason *rs)
{
	struct uprobe_lookup ulk = { .ulk_enabled = en,
		.ulk_file = df,
		.ulk_reason = rs };
	int error;

	if ((error = lookup_split(&ulk, rest)) == 0)
		error = lookup_any(&ulk);
	file_probes_free(&ulk.ulk_found);
	if (error != 0) {
		free(ulk.ulk_numbers.unm_list);
		return error;
	}
	*listp = ulk.ulk_numbers.unm_list;
	*np = ulk.ulk_numbers.unm_n;
	return 0;
}
