/* SPDX-License-Identifier: ISC */
/*
 * What probes have to do with keys: which have an argument of a name, and in
 * which of them it reads the same; and what is said of a name that none has.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/suggest.h"
#include "cli/decode/args.h"
#include "cli/stat/key_table.h"

#define BY_MAXNAMES 512 /* of arguments that a message may list */

int
by_wants_probes(const struct by *by)
{
	const struct by_item *bi;
	unsigned int i = 0;

	while ((bi = by_next(by, &i)) != NULL) {
		if (bi->bi_kind == &by_argument)
			return 1;
	}
	return 0;
}

/* The argument of this name; -1 if there is none. */
static int
by_argn(const struct probe *pr, const char *name)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	unsigned int i;

	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++) {
		if (strcmp(pd->pd_names[i].dtan_name, name) == 0)
			return i;
	}
	return -1;
}

static uint32_t
by_pbn(const struct by_probe *bp)
{
	return bp->bp_probe->pr_desc.pd_info.dtpi_pbn;
}

/* Whether item i reads the same in two probes that have it. */
static int
by_is_alike(const struct by_item *bi, unsigned int i, const struct by_probe *a,
    const struct by_probe *b)
{
	const struct probe *pa = a->bp_probe, *pb = b->bp_probe;
	int na = a->bp_args[i].ba_argn, nb = b->bp_args[i].ba_argn;

	if (bi->bi_kind != &by_argument)
		return pa->pr_ret == pb->pr_ret &&
		    pa->pr_retkind == pb->pr_retkind;
	return pa->pr_args[na] == pb->pr_args[nb] &&
	    pa->pr_kinds[na] == pb->pr_kinds[nb];
}

/* The first probe in which item i reads as in this one. */
static uint32_t
by_words(struct by *by, unsigned int i, const struct by_probe *bp)
{
	struct by_item *bi = &by->by_items[i];
	size_t j;

	for (j = 0; j < bi->bi_nwords; j++) {
		if (by_is_alike(bi, i, bp, bi->bi_words[j]))
			return by_pbn(bi->bi_words[j]);
	}
	bi->bi_words = realloc(bi->bi_words,
	    (bi->bi_nwords + 1) * sizeof(*bi->bi_words));
	if (bi->bi_words == NULL)
		err(1, "keys");
	bi->bi_words[bi->bi_nwords++] = bp;
	return by_pbn(bp);
}

static void
by_learn_item(struct by *by, unsigned int i, struct by_probe *bp)
{
	const struct dt_probe_desc *pd = &bp->bp_probe->pr_desc;
	struct by_item *bi = &by->by_items[i];
	struct by_arg *ba = &bp->bp_args[i];
	uint64_t flags;

	ba->ba_argn = -1;
	if (bi->bi_kind == &by_argument) {
		ba->ba_argn = by_argn(bp->bp_probe, bi->bi_name);
		if (ba->ba_argn == -1)
			return;
		bi->bi_isfound = 1;
		ba->ba_class = val_classify(pd->pd_types[ba->ba_argn]
						.dtai_argtype,
		    bi->bi_name);
		flags = i != BY_SUM ? arg_evtflags(bp->bp_probe, ba->ba_argn)
				    : 0;
		by->by_learned |= flags;
		/* a call may fill it in */
		if (flags & (DTEVT_MEMORY | DTEVT_DATA))
			bi->bi_side = BY_ENTRY | BY_RETURN;
	}
	ba->ba_words = by_words(by, i, bp);
}

/* A thread is in one system call at a time; functions call each other. */
static void
by_learn_side(struct by_probe *bp)
{
	const struct dtioc_probe_info *pi = &bp->bp_probe->pr_desc.pd_info;
	const char *p;

	bp->bp_side.bs_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	bp->bp_side.bs_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	bp->bp_side.bs_func = pi->dtpi_func;
	if (strncmp(pi->dtpi_prov, "syscall", 7) == 0)
		return;
	for (p = pi->dtpi_func; *p != '\0'; p++)
		bp->bp_side.bs_kind = bp->bp_side.bs_kind * 31 +
		    (unsigned char)*p;
}

struct by_side
by_side(struct by *by, const struct dt_event *ev)
{
	static const struct by_side none;
	const struct by_probe *bp = by_probe(by, ev->ev_rec->dr_pbn);

	return bp != NULL ? bp->bp_side : none;
}

void
by_learn(struct by *by, const struct probe *pr)
{
	struct hash_entry *e;
	struct by_probe *bp;
	unsigned int i = 0;

	e = hash_get(&by->by_probes, &pr->pr_desc.pd_info.dtpi_pbn,
	    sizeof(uint32_t));
	if (e->he_ptr != NULL)
		return;
	if ((bp = calloc(1, sizeof(*bp))) == NULL)
		err(1, "keys");
	bp->bp_probe = pr;
	by_learn_side(bp);
	while (by_next(by, &i) != NULL)
		by_learn_item(by, i - 1, bp);
	e->he_ptr = bp;
}

const struct by_probe *
by_probe(struct by *by, uint32_t pbn)
{
	const struct probe *pr;
	struct hash_entry *e;

	if (by->by_last != NULL && by_pbn(by->by_last) == pbn)
		return by->by_last;
	e = hash_find(&by->by_probes, &pbn, sizeof(pbn));
	if (e == NULL) {
		if ((pr = names_probe(by->by_names, pbn)) == NULL)
			return NULL;
		by_learn(by, pr);
		e = hash_find(&by->by_probes, &pbn, sizeof(pbn));
	}
	return by->by_last = e->he_ptr;
}

/* The names of the arguments of all probes; returns how many. */
static size_t
by_arg_names(const struct by *by, const char **names, size_t max)
{
	struct hash_entry **list = hash_sorted(&by->by_probes);
	const struct dt_probe_desc *pd;
	size_t i, j, k, n = 0;

	for (i = 0; i < by->by_probes.ha_n; i++) {
		pd = &((struct by_probe *)list[i]->he_ptr)->bp_probe->pr_desc;
		for (j = 0; j < pd->pd_info.dtpi_nargs && j < DT_REC_NARGS;
		     j++) {
			for (k = 0; k < n; k++) {
				if (strcmp(names[k],
					pd->pd_names[j].dtan_name) == 0)
					break;
			}
			if (k == n && n < max)
				names[n++] = pd->pd_names[j].dtan_name;
		}
	}
	free(list);
	return n;
}

/* A, b and c, if they are not too many. */
static void
by_list(struct buf *b, const char *const *names, size_t n)
{
	size_t i, max = 24;

	for (i = 0; i < n && i < max; i++) {
		if (i > 0)
			buf_str(b, i + 1 == n ? " and " : ", ");
		esc_str(b, names[i]);
	}
	if (n > max)
		buf_printf(b, " and %zu more", n - max);
}

static void
by_unknown(const struct by *by, const char *name, int issum, struct buf *b)
{
	const char *names[BY_MAXNAMES], *near;
	size_t nkeys, n;

	names[0] = "retval";
	names[1] = "duration";
	nkeys = issum ? 2 : by_kind_names(names, BY_MAXNAMES);
	n = nkeys + by_arg_names(by, names + nkeys, BY_MAXNAMES - nkeys);
	buf_str(b, issum ? "--sum " : "--by ");
	esc_str(b, name);
	buf_str(b,
	    issum ? ": these probes have no such argument"
		  : ": is no key, and these probes have no such argument");
	if ((near = suggest_word(name, names, n)) != NULL) {
		buf_str(b, "; did you mean ");
		esc_str(b, near);
		buf_c(b, '?');
	} else
		buf_c(b, '.');
	buf_str(b, issum ? " There is " : " Keys are ");
	by_list(b, names, nkeys);
	if (n > nkeys) {
		buf_str(b, nkeys > 1 ? "; arguments are " : "; and ");
		by_list(b, names + nkeys, n - nkeys);
	}
}

int
by_check(const struct by *by, char *why, size_t nwhy)
{
	const struct by_item *bi;
	unsigned int i = 0;
	struct buf b;

	while ((bi = by_next(by, &i)) != NULL) {
		if (bi->bi_kind != &by_argument || bi->bi_isfound)
			continue;
		buf_init(&b, -1);
		by_unknown(by, bi->bi_name, bi == &by->by_items[BY_SUM], &b);
		by_bad(why, nwhy, "%.*s", (int)b.b_len, b.b_data);
		buf_free(&b);
		return -1;
	}
	return 0;
}
