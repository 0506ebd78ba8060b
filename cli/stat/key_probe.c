/* SPDX-License-Identifier: ISC */
/*
 * Finds the arguments of probes for keys: the probes that have an argument of a
 * name, and those that format it alike; and reports names that no probe has.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/str_name.h"
#include "cli/base/suggest.h"
#include "cli/decode/args.h"
#include "cli/decode/nbytes.h"
#include "cli/stat/key_impl.h"

#define KEY_MAXNAMES 512 /* names of arguments that a message may list */

int
key_wants_probes(const struct keys *by)
{
	const struct key_item *bi;
	unsigned int i = 0;

	while ((bi = keys_next(by, &i)) != NULL) {
		if (bi->ki_kind == &key_argument)
			return 1;
	}
	return 0;
}

/* Returns the argument of this name, also of str(name); -1 if there is none. */
static int
key_argn(const struct probe *pr, const char *name)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	char inner[DTNAMESIZE];
	unsigned int i;

	if (str_name(name, inner, sizeof(inner)))
		name = inner;
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++) {
		if (strcmp(pd->pd_names[i].dtan_name, name) == 0)
			return i;
	}
	return -1;
}

static uint32_t
key_pbn(const struct key_probe *bp)
{
	return bp->kb_probe->pr_desc.pd_info.dtpi_pbn;
}

/* Returns whether two probes that have item i format it alike. */
static int
key_is_alike(const struct key_item *bi, unsigned int i,
    const struct key_probe *a, const struct key_probe *b)
{
	const struct probe *pa = a->kb_probe, *pb = b->kb_probe;
	int na = a->kb_args[i].kg_argn, nb = b->kb_args[i].kg_argn;

	if (bi->ki_kind != &key_argument)
		return pa->pr_ret == pb->pr_ret &&
		    pa->pr_retkind == pb->pr_retkind;
	return pa->pr_args[na] == pb->pr_args[nb] &&
	    pa->pr_kinds[na] == pb->pr_kinds[nb];
}

/* Returns the first probe that formats item i like this one. */
static uint32_t
key_words(struct keys *by, unsigned int i, const struct key_probe *bp)
{
	struct key_item *bi = &by->ky_items[i];
	struct key_format *kf;
	size_t j;

	for (j = 0; j < bi->ki_nformats; j++) {
		kf = &bi->ki_formats[j];
		if (!key_is_alike(bi, i, bp, kf->kfm_probe))
			continue;
		if (key_pbn(bp) < kf->kfm_order)
			kf->kfm_order = key_pbn(bp);
		return key_pbn(kf->kfm_probe);
	}
	bi->ki_formats = realloc(bi->ki_formats,
	    (bi->ki_nformats + 1) * sizeof(*bi->ki_formats));
	if (bi->ki_formats == NULL)
		err(1, "keys");
	bi->ki_formats[bi->ki_nformats++] = (struct key_format){ bp,
		key_pbn(bp) };
	return key_pbn(bp);
}

uint32_t
key_format_order(const struct keys *by, unsigned int i, uint32_t words)
{
	const struct key_item *bi = &by->ky_items[i];
	size_t j;

	for (j = 0; j < bi->ki_nformats; j++)
		if (key_pbn(bi->ki_formats[j].kfm_probe) == words)
			return bi->ki_formats[j].kfm_order;
	return words;
}

uint64_t
key_arg_evtflags(const struct key_item *bi, const struct key_probe *bp,
    unsigned int argn)
{
	char inner[DTNAMESIZE];

	return str_name(bi->ki_name, inner, sizeof(inner))
	    ? arg_str_evtflags(bp->kb_probe, argn)
	    : arg_evtflags(bp->kb_probe, argn);
}

/* Notes whether a probe's value for the sum is a number of bytes. */
static void
key_learn_unit(struct keys *by, const struct key_probe *bp)
{
	int argn = bp->kb_args[KEY_SUM].kg_argn, isbytes;

	if (argn != -1)
		isbytes = nbytes_arg(bp->kb_probe, argn);
	else if (keys_wants_unit(by) && bp->kb_side.kx_isreturn)
		isbytes = nbytes_ret(bp->kb_probe);
	else
		return;
	by->ky_sums |= isbytes ? KEY_SUMSBYTES : KEY_SUMSOTHERS;
}

/* Returns whether the value is never known, and notes where. */
static int
key_isunreadable(struct key_item *bi, const struct probe *pr, unsigned int argn)
{
	if (arg_unreadable(pr, argn) == NULL)
		return 0;
	bi->ki_unreadable = pr;
	bi->ki_unreadableargn = argn;
	return 1;
}

static void
key_learn_item(struct keys *by, unsigned int i, struct key_probe *bp)
{
	const struct dt_probe_desc *pd = &bp->kb_probe->pr_desc;
	struct key_item *bi = &by->ky_items[i];
	struct key_arg *ba = &bp->kb_args[i];
	uint64_t flags;

	ba->kg_argn = -1;
	if (bi->ki_kind == &key_argument) {
		ba->kg_argn = key_argn(bp->kb_probe, bi->ki_name);
		if (ba->kg_argn == -1)
			return;
		if (key_isunreadable(bi, bp->kb_probe, ba->kg_argn)) {
			ba->kg_argn = -1;
			return;
		}
		flags = key_arg_evtflags(bi, bp, ba->kg_argn);
		if (i == KEY_SUM && flags & DTEVT_STRINGS) {
			bi->ki_isstring = 1;
			ba->kg_argn = -1;
			return;
		}
		bi->ki_isfound = 1;
		ba->kg_class = val_classify(pd->pd_types[ba->kg_argn]
						.dtai_argtype,
		    bi->ki_name);
		if (i == KEY_SUM)
			flags = 0;
		by->ky_learned |= flags;
		/* the call may write it */
		if (flags & (DTEVT_MEMORY | DTEVT_DATA))
			bi->ki_side = KEY_ENTRY | KEY_RETURN;
	}
	if (i == KEY_SUM)
		key_learn_unit(by, bp);
	if (i == KEY_SUM && keys_wants_unit(by) && bp->kb_side.kx_isreturn &&
	    !key_isunreadable(bi, bp->kb_probe, 0))
		bi->ki_isfound = 1;
	ba->kg_words = key_words(by, i, bp);
}

/* A thread is in one system call at a time; functions call each other. */
static void
key_learn_side(struct key_probe *bp)
{
	const struct dtioc_probe_info *pi = &bp->kb_probe->pr_desc.pd_info;
	const char *p;

	bp->kb_side.kx_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	bp->kb_side.kx_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	bp->kb_side.kx_func = pi->dtpi_func;
	if (pi->dtpi_flags & DTPI_CALL)
		return;
	for (p = pi->dtpi_func; *p != '\0'; p++)
		bp->kb_side.kx_kind = bp->kb_side.kx_kind * 31 +
		    (unsigned char)*p;
}

struct key_side
key_side(struct keys *by, const struct dt_event *ev)
{
	static const struct key_side none;
	const struct key_probe *bp = key_probe(by, ev->ev_rec->dr_pbn);

	return bp != NULL ? bp->kb_side : none;
}

void
key_learn(struct keys *by, const struct probe *pr)
{
	struct hash_entry *e;
	struct key_probe *bp;
	unsigned int i = 0;

	e = hash_get(&by->ky_probes, &pr->pr_desc.pd_info.dtpi_pbn,
	    sizeof(uint32_t));
	if (e->he_ptr != NULL)
		return;
	if ((bp = calloc(1, sizeof(*bp))) == NULL)
		err(1, "keys");
	bp->kb_probe = pr;
	key_learn_side(bp);
	while (keys_next(by, &i) != NULL)
		key_learn_item(by, i - 1, bp);
	e->he_ptr = bp;
}

const struct key_probe *
key_probe(struct keys *by, uint32_t pbn)
{
	const struct probe *pr;
	struct hash_entry *e;

	if (by->ky_last != NULL && key_pbn(by->ky_last) == pbn)
		return by->ky_last;
	e = hash_find(&by->ky_probes, &pbn, sizeof(pbn));
	if (e == NULL) {
		if ((pr = name_cache_probe(by->ky_names, pbn)) == NULL)
			return NULL;
		key_learn(by, pr);
		e = hash_find(&by->ky_probes, &pbn, sizeof(pbn));
	}
	return by->ky_last = e->he_ptr;
}

/* Collects the names of the arguments of all probes; returns their number. */
static size_t
key_arg_names(const struct keys *by, const char **names, size_t max)
{
	struct hash_entry **list = hash_sorted(&by->ky_probes);
	const struct dt_probe_desc *pd;
	size_t i, j, k, n = 0;

	for (i = 0; i < by->ky_probes.ha_n; i++) {
		pd = &((struct key_probe *)list[i]->he_ptr)->kb_probe->pr_desc;
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

/* Prints "A, b and c", unless there are too many. */
static void
key_list(struct buf *b, const char *const *names, size_t n)
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
key_unknown(const struct keys *by, const char *name, int issum, struct buf *b)
{
	const char *names[KEY_MAXNAMES], *near;
	size_t nkeys, n;

	names[0] = "retval";
	names[1] = "duration";
	nkeys = issum ? 2 : key_kind_names(names, KEY_MAXNAMES);
	n = nkeys + key_arg_names(by, names + nkeys, KEY_MAXNAMES - nkeys);
	buf_str(b, issum ? "--sum " : "--by ");
	esc_str(b, name);
	buf_str(b,
	    issum ? ": these probes have no such argument"
		  : ": is neither a key nor an argument of these probes");
	if ((near = suggest_word(name, names, n)) != NULL) {
		buf_str(b, "; did you mean ");
		esc_str(b, near);
		buf_c(b, '?');
	} else
		buf_c(b, '.');
	buf_str(b, issum ? " There is " : " Keys are ");
	key_list(b, names, nkeys);
	if (n > nkeys) {
		buf_str(b, nkeys > 1 ? "; arguments are " : "; and ");
		key_list(b, names + nkeys, n - nkeys);
	}
}

/* The text of a key or a sum whose value is known at none of the probes. */
static void
key_unread(const struct key_item *bi, int issum, struct buf *b)
{
	const struct probe *pr = bi->ki_unreadable;

	buf_str(b, issum ? "--sum " : "--by ");
	esc_str(b, bi->ki_name);
	buf_str(b, ": its value at ");
	esc_str(b, pr->pr_full);
	buf_str(b, " cannot be read: ");
	buf_str(b, arg_unreadable(pr, bi->ki_unreadableargn));
}

int
key_check(const struct keys *by, char *why, size_t nwhy)
{
	const struct key_item *bi;
	unsigned int i = 0;
	struct buf b;

	while ((bi = keys_next(by, &i)) != NULL) {
		if (bi->ki_isfound ||
		    (bi->ki_kind != &key_argument && bi->ki_unreadable == NULL))
			continue;
		buf_init(&b, -1);
		if (bi->ki_unreadable != NULL)
			key_unread(bi, bi == &by->ky_items[KEY_SUM], &b);
		else if (bi->ki_isstring) {
			buf_str(&b, "--sum ");
			esc_str(&b, bi->ki_name);
			buf_str(&b, ": is a string; a sum needs a number");
		} else
			key_unknown(by, bi->ki_name,
			    bi == &by->ky_items[KEY_SUM], &b);
		keys_bad(why, nwhy, "%.*s", (int)b.b_len, b.b_data);
		buf_free(&b);
		return -1;
	}
	return 0;
}
