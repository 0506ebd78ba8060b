/* SPDX-License-Identifier: ISC */
/*
 * The keys of keys.h: their list, and their columns.
 */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/stat/key_table.h"
#include "cli/stat/keys.h"

#define BY_DEFAULT "probe,pid,comm"
#define BY_ARGS	   "args." /* in front of an argument that is named as a key */

/* Columns of the default, from left to right: the longest is the last. */
static const unsigned int by_short_columns[] = { 1, 2, 0 };

/*
 * The list
 */

int
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

	bi->bi_where = BY_HIT;
	bi->bi_kind = kind;
	bi->bi_side = kind->bk_side;
	snprintf(bi->bi_name, sizeof(bi->bi_name), "%.*s", (int)len, name);
	for (i = 0; bi->bi_name[i] != '\0'; i++)
		bi->bi_head[i] = toupper((unsigned char)bi->bi_name[i]);
	bi->bi_column = kind->bk_column;
	bi->bi_column.bl_name = bi->bi_head;
}

/* Finds a key, also from.KEY or to.KEY, or takes the name for an argument's;
 * BY_ARGS before the name of a key means the argument. */
static void
by_item_parse(struct by_item *bi, const char *name, size_t len)
{
	size_t n = strlen(BY_ARGS), prefix;
	enum by_where where = by_where(name, len, &prefix);
	const struct by_kind *kind = by_kind_find(name + prefix, len - prefix);

	if (kind != NULL && (where == BY_HIT || by_hasside(kind))) {
		by_item_set(bi, kind, name, len);
		bi->bi_where = where;
		return;
	}
	kind = by_kind_find(name, len);
	if (kind != NULL) {
		by_item_set(bi, kind, name, len);
		return;
	}
	by_item_set(bi, &by_argument, name, len);
	if (len > n && memcmp(name, BY_ARGS, n) == 0)
		snprintf(bi->bi_name, sizeof(bi->bi_name), "%.*s",
		    (int)(len - n), name + n); /* the head is as given */
}

static int
by_parse(struct by *by, const char *keys, char *why, size_t nwhy)
{
	struct by_item *bi;
	unsigned int i;
	size_t len, prefix;

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
		if (bi->bi_kind == &by_argument &&
		    by_where(keys, len, &prefix) != BY_HIT)
			return by_bad(why, nwhy,
			    "--by %s: from. and to. are for probe, pid, tid, "
			    "comm, cpu, uid, ppid and cgroup; arguments of the "
			    "first hit are args.NAME",
			    bi->bi_name);
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
		    "--sum: should be retval, duration, or the name of an "
		    "argument");
	by_item_parse(bi, sum, len);
	/* of our keys, only these are amounts */
	if (bi->bi_kind != &by_argument && strcmp(sum, "retval") != 0 &&
	    strcmp(sum, "duration") != 0)
		by_item_set(bi, &by_argument, sum, len);
	by->by_hassum = 1;
	return 0;
}

struct by *
by_alloc(const char *keys, const char *sum, struct names *nm, char *why,
    size_t nwhy)
{
	struct by *by = calloc(1, sizeof(*by));
	size_t i;

	if (by == NULL)
		err(1, "keys");
	for (i = 0; i <= BY_SUM; i++)
		buf_init(&by->by_items[i].bi_text, -1);
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
	size_t i;

	if (by == NULL)
		return;
	hash_free(&by->by_probes);
	for (i = 0; i <= BY_SUM; i++) {
		free(by->by_items[i].bi_words);
		buf_free(&by->by_items[i].bi_text);
	}
	free(by);
}

const struct by_item *
by_next(const struct by *by, unsigned int *ip)
{
	if (*ip == by->by_n)
		*ip = BY_SUM;
	if (*ip > BY_SUM || (*ip == BY_SUM && !by->by_hassum))
		return NULL;
	return &by->by_items[(*ip)++];
}

int
by_names(const char *keys, const char *name)
{
	size_t len, n = strlen(name);

	for (; keys != NULL; keys += len + 1) {
		len = strcspn(keys, ",");
		if (len == n && memcmp(keys, name, n) == 0)
			return 1;
		if (keys[len] == '\0')
			break;
	}
	return 0;
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
		sides |= bi->bi_side;
	return sides == (BY_ENTRY | BY_RETURN);
}

int
by_is_short(const struct by *by)
{
	return by->by_isdefault && !by->by_hassum;
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
