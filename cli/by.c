/* SPDX-License-Identifier: ISC */
/*
 * The keys of by.h: their list, what probes have to do with them, and their
 * columns.
 */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by.h"
#include "by_key.h"
#include "esc.h"
#include "nearest.h"

#define BY_DEFAULT  "probe,pid,comm"
#define BY_ARGS	    "args." /* in front of an argument that is named as a key */
#define BY_MAXNAMES 512	    /* of arguments that a message may list */

/* Columns of the default, from left to right: the longest is the last. */
static const unsigned int by_short_columns[] = { 1, 2, 0 };

/*
 * The list
 */

static int __attribute__((format(printf, 3, 4)))
by_bad(char *why, size_t nwhy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, nwhy, fmt, ap);
	va_end(ap);
	return -1;
}

static void
by_item_set(struct by_item *bi, const struct by_kind *kind, const char *name,
    size_t len)
{
	size_t i;

	bi->bi_kind = kind;
	snprintf(bi->bi_name, sizeof(bi->bi_name), "%.*s", (int)len, name);
	for (i = 0; bi->bi_name[i] != '\0'; i++)
		bi->bi_head[i] = toupper((unsigned char)bi->bi_name[i]);
	bi->bi_column = kind->bk_column;
	bi->bi_column.bl_name = bi->bi_head;
}

/* A key of ours, or the name of an argument, which may be that of a key if it
 * has BY_ARGS in front. */
static void
by_item_parse(struct by_item *bi, const char *name, size_t len)
{
	const struct by_kind *kind = by_kind_find(name, len);
	size_t n = strlen(BY_ARGS);

	if (kind == NULL) {
		kind = &by_argument;
		if (len > n && memcmp(name, BY_ARGS, n) == 0) {
			name += n;
			len -= n;
		}
	}
	by_item_set(bi, kind, name, len);
}

static int
by_parse(struct by *by, const char *keys, char *why, size_t nwhy)
{
	struct by_item *bi;
	unsigned int i;
	size_t len;

	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		if (len == 0 || len >= DTNAMESIZE)
			return by_bad(why, nwhy,
			    "--by: should be names with commas between them, "
			    "as comm,errno");
		if (by->by_n == BY_MAXKEYS)
			return by_bad(why, nwhy, "--by: takes %u keys at most",
			    BY_MAXKEYS);
		bi = &by->by_items[by->by_n];
		by_item_parse(bi, keys, len);
		for (i = 0; i < by->by_n; i++) {
			if (bi->bi_kind == by->by_items[i].bi_kind &&
			    strcmp(bi->bi_name, by->by_items[i].bi_name) == 0)
				return by_bad(why, nwhy,
				    "--by: %s is there twice", bi->bi_name);
		}
		by->by_n++;
		if (keys[len] == '\0')
			return 0;
	}
}

static int
by_parse_sum(struct by *by, const char *sum, char *why, size_t nwhy)
{
	struct by_item *bi = &by->by_items[BY_SUM];
	size_t len = strlen(sum);

	if (len == 0 || len >= DTNAMESIZE || strchr(sum, ',') != NULL)
		return by_bad(why, nwhy,
		    "--sum: should be retval, or the name of an argument");
	by_item_parse(bi, sum, len);
	/* of our keys, only this one is an amount */
	if (bi->bi_kind != &by_argument && strcmp(sum, "retval") != 0)
		by_item_set(bi, &by_argument, sum, len);
	by->by_hassum = 1;
	return 0;
}

struct by *
by_alloc(const char *keys, const char *sum, struct names *nm, char *why,
    size_t nwhy)
{
	struct by *by = calloc(1, sizeof(*by));

	if (by == NULL)
		err(1, "keys");
	by->by_names = nm;
	by->by_isdefault = keys == NULL;
	if (by_parse(by, keys != NULL ? keys : BY_DEFAULT, why, nwhy) == -1 ||
	    (sum != NULL && by_parse_sum(by, sum, why, nwhy) == -1)) {
		by_free(by);
		return NULL;
	}
	return by;
}

void
by_free(struct by *by)
{
	struct map_entry **list;
	size_t i;

	if (by == NULL)
		return;
	list = map_sorted(&by->by_probes);
	for (i = 0; i < by->by_probes.mp_n; i++)
		free(list[i]->me_ptr);
	free(list);
	map_clear(&by->by_probes);
	for (i = 0; i <= BY_SUM; i++)
		free(by->by_items[i].bi_words);
	free(by);
}

/* The next thing that was asked for, the sum last, or NULL. */
static const struct by_item *
by_next(const struct by *by, unsigned int *ip)
{
	if (*ip == by->by_n)
		*ip = BY_SUM;
	if (*ip > BY_SUM || (*ip == BY_SUM && !by->by_hassum))
		return NULL;
	return &by->by_items[(*ip)++];
}

uint64_t
by_evtflags(const struct by *by)
{
	const struct by_item *bi;
	uint64_t flags = by->by_learned;
	unsigned int i = 0;

	while ((bi = by_next(by, &i)) != NULL)
		flags |= bi->bi_kind->bk_evtflags;
	return flags;
}

int
by_wants_calls(const struct by *by)
{
	const struct by_item *bi;
	unsigned int sides = 0, i = 0;

	while ((bi = by_next(by, &i)) != NULL)
		sides |= bi->bi_kind->bk_side;
	return sides == (BY_ENTRY | BY_RETURN);
}

int
by_is_short(const struct by *by)
{
	return by->by_isdefault && !by->by_hassum;
}

/*
 * Probes
 */

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

	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DTMAXFUNCARGS; i++) {
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
	const char *type;

	ba->ba_argn = -1;
	if (bi->bi_kind == &by_argument) {
		ba->ba_argn = by_argn(bp->bp_probe, bi->bi_name);
		if (ba->ba_argn == -1)
			return;
		bi->bi_isfound = 1;
		type = pd->pd_types[ba->ba_argn].dtai_argtype;
		ba->ba_class = val_classify(type, bi->bi_name);
		if (i != BY_SUM && strstr(type, "char *") != NULL)
			by->by_learned |= DTEVT_STRINGS;
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
	struct map_entry *e;
	struct by_probe *bp;
	unsigned int i = 0;

	e = map_get(&by->by_probes, &pr->pr_desc.pd_info.dtpi_pbn,
	    sizeof(uint32_t));
	if (e->me_ptr != NULL)
		return;
	if ((bp = calloc(1, sizeof(*bp))) == NULL)
		err(1, "keys");
	bp->bp_probe = pr;
	by_learn_side(bp);
	while (by_next(by, &i) != NULL)
		by_learn_item(by, i - 1, bp);
	e->me_ptr = bp;
}

const struct by_probe *
by_probe(struct by *by, uint32_t pbn)
{
	const struct probe *pr;
	struct map_entry *e;

	if (by->by_last != NULL && by_pbn(by->by_last) == pbn)
		return by->by_last;
	e = map_find(&by->by_probes, &pbn, sizeof(pbn));
	if (e == NULL) {
		if ((pr = names_probe(by->by_names, pbn)) == NULL)
			return NULL;
		by_learn(by, pr);
		e = map_find(&by->by_probes, &pbn, sizeof(pbn));
	}
	return by->by_last = e->me_ptr;
}

/* The names of the arguments of all probes; returns how many. */
static size_t
by_arg_names(const struct by *by, const char **names, size_t max)
{
	struct map_entry **list = map_sorted(&by->by_probes);
	const struct dt_probe_desc *pd;
	size_t i, j, k, n = 0;

	for (i = 0; i < by->by_probes.mp_n; i++) {
		pd = &((struct by_probe *)list[i]->me_ptr)->bp_probe->pr_desc;
		for (j = 0; j < pd->pd_info.dtpi_nargs && j < DTMAXFUNCARGS;
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
	nkeys = issum ? 1 : by_kind_names(names, BY_MAXNAMES);
	n = nkeys + by_arg_names(by, names + nkeys, BY_MAXNAMES - nkeys);
	buf_str(b, issum ? "--sum " : "--by ");
	esc_str(b, name);
	buf_str(b,
	    issum ? ": these probes have no such argument"
		  : ": is no key, and these probes have no such argument");
	if ((near = nearest_word(name, names, n)) != NULL) {
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

/*
 * Columns
 */

unsigned int
by_ncolumns(const struct by *by)
{
	return by->by_n;
}

static unsigned int
by_index(const struct by *by, unsigned int i)
{
	return by->by_isdefault ? by_short_columns[i] : i;
}

const struct by_column *
by_column(const struct by *by, unsigned int i)
{
	return &by->by_items[by_index(by, i)].bi_column;
}

const char *
by_sumname(const struct by *by)
{
	return by->by_hassum ? by->by_items[BY_SUM].bi_name : NULL;
}

void
by_text(struct by *by, unsigned int i, const void *key, struct buf *b)
{
	struct by_val vals[BY_MAXKEYS];

	i = by_index(by, i);
	by_vals(by, key, vals);
	if (vals[i].bv_what == BY_NONE)
		buf_c(b, '-');
	else
		by->by_items[i].bi_kind->bk_text(&vals[i], b);
}

static void
by_json_name(const struct by_item *bi, const char **sep, struct buf *b)
{
	buf_str(b, *sep);
	*sep = ",";
	buf_c(b, '"');
	esc_json(b, bi->bi_name, strlen(bi->bi_name));
	buf_str(b, "\":");
}

/* Our keys, or the arguments. */
static void
by_json_values(struct by *by, const struct by_val *vals, int isargs,
    struct buf *b)
{
	const struct by_item *bi;
	const char *sep = "";
	unsigned int i;

	for (i = 0; i < by->by_n; i++) {
		bi = &by->by_items[i];
		if ((bi->bi_kind == &by_argument) != isargs)
			continue;
		by_json_name(bi, &sep, b);
		if (vals[i].bv_what == BY_NONE)
			buf_str(b, "null");
		else
			bi->bi_kind->bk_json(&vals[i], b);
	}
}

/* What numbers mean, unless that is the number. */
static void
by_json_words(struct by *by, const struct by_val *vals, struct buf *b)
{
	const struct by_item *bi;
	const char *sep = ",\"text\":{";
	struct buf text, number;
	unsigned int i;

	buf_init(&text, -1);
	buf_init(&number, -1);
	for (i = 0; i < by->by_n; i++) {
		bi = &by->by_items[i];
		if (vals[i].bv_what != BY_NUM || !bi->bi_kind->bk_haswords)
			continue;
		text.b_len = number.b_len = 0;
		bi->bi_kind->bk_text(&vals[i], &text);
		buf_s64(&number, vals[i].bv_num);
		if (text.b_len == number.b_len &&
		    memcmp(text.b_data, number.b_data, text.b_len) == 0)
			continue;
		by_json_name(bi, &sep, b);
		buf_c(b, '"');
		esc_json(b, text.b_data, text.b_len);
		buf_c(b, '"');
	}
	if (*sep == ',' && sep[1] == '\0')
		buf_c(b, '}');
	buf_free(&text);
	buf_free(&number);
}

void
by_json(struct by *by, const void *key, struct buf *b)
{
	struct by_val vals[BY_MAXKEYS] = { 0 };
	unsigned int i, nargs = 0;

	if (key != NULL)
		by_vals(by, key, vals);
	for (i = 0; i < by->by_n; i++)
		nargs += by->by_items[i].bi_kind == &by_argument;
	by_json_values(by, vals, 0, b);
	if (nargs > 0) {
		buf_str(b, nargs < by->by_n ? ",\"args\":{" : "\"args\":{");
		by_json_values(by, vals, 1, b);
		buf_c(b, '}');
	}
	by_json_words(by, vals, b);
}
