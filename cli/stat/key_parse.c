/* SPDX-License-Identifier: ISC */
/* Parses the list of keys and describes the columns of its table. */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/stat/key_impl.h"
#include "cli/stat/key.h"

#define KEY_DEFAULT "probe,pid,comm"
#define KEY_ARGS    "args." /* prefix of an argument with the name of a key */

/* Default columns from left to right: the longest is last. */
static const unsigned int keys_short_columns[] = { 1, 2, 0 };

/*
 * The list
 */

int
keys_bad(char *why, size_t nwhy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, nwhy, fmt, ap);
	va_end(ap);
	return -1;
}

static void
keys_item_set(struct key_item *bi, const struct key_kind *kind,
    const char *name, size_t len)
{
	size_t i;

	bi->ki_where = KEY_HIT;
	bi->ki_kind = kind;
	bi->ki_side = kind->kki_side;
	snprintf(bi->ki_name, sizeof(bi->ki_name), "%.*s", (int)len, name);
	for (i = 0; bi->ki_name[i] != '\0'; i++)
		bi->ki_head[i] = toupper((unsigned char)bi->ki_name[i]);
	bi->ki_column = kind->kki_column;
	bi->ki_column.kl_name = bi->ki_head;
}

/*
 * Finds a key, also as from.KEY or to.KEY, or takes the name as an argument's;
 * with KEY_ARGS before it, the name of a key means the argument.
 */
static void
keys_item_parse(struct key_item *bi, const char *name, size_t len)
{
	size_t n = strlen(KEY_ARGS), prefix;
	enum key_where where = key_where(name, len, &prefix);
	const struct key_kind *kind = key_kind_find(name + prefix,
	    len - prefix);

	if (kind != NULL && (where == KEY_HIT || key_hasside(kind))) {
		keys_item_set(bi, kind, name, len);
		bi->ki_where = where;
		return;
	}
	kind = key_kind_find(name, len);
	if (kind != NULL) {
		keys_item_set(bi, kind, name, len);
		return;
	}
	keys_item_set(bi, &key_argument, name, len);
	if (len > n && memcmp(name, KEY_ARGS, n) == 0)
		snprintf(bi->ki_name, sizeof(bi->ki_name), "%.*s",
		    (int)(len - n), name + n); /* the name as the user wrote
					        * it */
}

static int
keys_parse(struct keys *by, const char *keys, char *why, size_t nwhy)
{
	struct key_item *bi;
	unsigned int i;
	size_t len, prefix;

	if (strcmp(keys, KEY_NONAMES) == 0)
		return 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		if (len == 0 || len >= DTNAMESIZE)
			return keys_bad(why, nwhy,
			    "--by: should be names separated by commas, for "
			    "example comm,errno");
		if (by->ky_n == KEY_MAXKEYS)
			return keys_bad(why, nwhy,
			    "--by: takes %u keys at most", KEY_MAXKEYS);
		bi = &by->ky_items[by->ky_n];
		keys_item_parse(bi, keys, len);
		if (bi->ki_kind == &key_argument &&
		    key_where(keys, len, &prefix) != KEY_HIT)
			return keys_bad(why, nwhy,
			    "--by %s: from. and to. precede probe, pid, tid, "
			    "comm, cpu, uid, ppid, cgroup and unit; arguments of the "
			    "first hit are args.NAME",
			    bi->ki_name);
		for (i = 0; i < by->ky_n; i++) {
			if (bi->ki_kind == by->ky_items[i].ki_kind &&
			    strcmp(bi->ki_name, by->ky_items[i].ki_name) == 0)
				return keys_bad(why, nwhy,
				    "--by: %s is given twice", bi->ki_name);
		}
		by->ky_n++;
		if (keys[len] == '\0')
			return 0;
	}
}

static int
keys_parse_sum(struct keys *by, const char *sum, char *why, size_t nwhy)
{
	struct key_item *bi = &by->ky_items[KEY_SUM];
	size_t len = strlen(sum);

	if (len == 0 || len >= DTNAMESIZE || strpbrk(sum, ",(") != NULL)
		return keys_bad(why, nwhy,
		    "--sum: should be retval, duration, or the name of an "
		    "argument");
	keys_item_parse(bi, sum, len);
	/* other built-in keys cannot be summed */
	if (bi->ki_kind != &key_argument && strcmp(sum, "retval") != 0 &&
	    strcmp(sum, "duration") != 0)
		keys_item_set(bi, &key_argument, sum, len);
	by->ky_hassum = 1;
	return 0;
}

struct keys *
keys_alloc(const char *keys, const char *sum, struct name_cache *nm, char *why,
    size_t nwhy)
{
	struct keys *by = calloc(1, sizeof(*by));
	size_t i;

	if (by == NULL)
		err(1, "keys");
	for (i = 0; i <= KEY_SUM; i++)
		buf_init(&by->ky_items[i].ki_text, -1);
	by->ky_names = nm;
	by->ky_isdefault = keys == NULL;
	if (keys_parse(by, keys != NULL ? keys : KEY_DEFAULT, why, nwhy) ==
		-1 ||
	    (sum != NULL && keys_parse_sum(by, sum, why, nwhy) == -1)) {
		keys_free(by);
		return NULL;
	}
	return by;
}

void
keys_free(struct keys *by)
{
	size_t i;

	if (by == NULL)
		return;
	hash_free(&by->ky_probes);
	for (i = 0; i <= KEY_SUM; i++) {
		free(by->ky_items[i].ki_formats);
		buf_free(&by->ky_items[i].ki_text);
	}
	free(by);
}

const struct key_item *
keys_next(const struct keys *by, unsigned int *ip)
{
	if (*ip == by->ky_n)
		*ip = KEY_SUM;
	if (*ip > KEY_SUM || (*ip == KEY_SUM && !by->ky_hassum))
		return NULL;
	return &by->ky_items[(*ip)++];
}

int
keys_names(const char *keys, const char *name)
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
keys_evtflags(const struct keys *by)
{
	const struct key_item *bi;
	uint64_t flags = by->ky_learned;
	unsigned int i = 0;

	while ((bi = keys_next(by, &i)) != NULL)
		flags |= bi->ki_kind->kki_evtflags;
	return flags;
}

/* Returns the sides of calls from which keys have values. */
static unsigned int
keys_sides(const struct keys *by)
{
	const struct key_item *bi;
	unsigned int sides = 0, i = 0;

	while ((bi = keys_next(by, &i)) != NULL)
		sides |= bi->ki_side;
	return sides;
}

int
keys_wants_calls(const struct keys *by)
{
	return keys_sides(by) == (KEY_ENTRY | KEY_RETURN);
}

const char *
keys_half(const struct keys *by)
{
	static const char *const halves[] = {
		[0] = "entry",
		[KEY_ENTRY] = "entry",
		[KEY_RETURN] = "return",
		[KEY_ENTRY | KEY_RETURN] = NULL,
	};

	return halves[keys_sides(by)];
}

int
keys_is_short(const struct keys *by)
{
	return by->ky_isdefault && !by->ky_hassum;
}

/*
 * Columns
 */

unsigned int
keys_ncolumns(const struct keys *by)
{
	return by->ky_n;
}

static unsigned int
keys_index(const struct keys *by, unsigned int i)
{
	return by->ky_isdefault ? keys_short_columns[i] : i;
}

const struct key_column *
keys_column(const struct keys *by, unsigned int i)
{
	return &by->ky_items[keys_index(by, i)].ki_column;
}

const char *
keys_sumname(const struct keys *by)
{
	return by->ky_hassum ? by->ky_items[KEY_SUM].ki_name : NULL;
}

enum key_unit
keys_unit(const struct keys *by)
{
	if (!by->ky_hassum)
		return KEY_NUMBER;
	if (strcmp(by->ky_items[KEY_SUM].ki_name, "duration") == 0)
		return KEY_NSECS;
	return by->ky_sums == KEY_SUMSBYTES ? KEY_NBYTES : KEY_NUMBER;
}

int
keys_wants_unit(const struct keys *by)
{
	return by->ky_hassum && by->ky_items[KEY_SUM].ki_side == KEY_RETURN;
}

void
keys_text(struct keys *by, unsigned int i, const void *key, struct buf *b)
{
	struct key_val vals[KEY_MAXKEYS];

	i = keys_index(by, i);
	key_vals(by, key, vals);
	if (vals[i].kv_what == KEY_NONE)
		buf_c(b, '-');
	else
		by->ky_items[i].ki_kind->kki_text(&vals[i], b);
}

static void
keys_json_name(const struct key_item *bi, const char **sep, struct buf *b)
{
	buf_str(b, *sep);
	*sep = ",";
	buf_c(b, '"');
	esc_json(b, bi->ki_name, strlen(bi->ki_name));
	buf_str(b, "\":");
}

/* Prints the keys, or the arguments. */
static void
keys_json_values(struct keys *by, const struct key_val *vals, int isargs,
    struct buf *b)
{
	const struct key_item *bi;
	const char *sep = "";
	unsigned int i;

	for (i = 0; i < by->ky_n; i++) {
		bi = &by->ky_items[i];
		if ((bi->ki_kind == &key_argument) != isargs)
			continue;
		keys_json_name(bi, &sep, b);
		if (vals[i].kv_what == KEY_NONE)
			buf_str(b, "null");
		else
			bi->ki_kind->kki_json(&vals[i], b);
	}
}

/* Prints the text of decoded numbers. */
static void
keys_json_words(struct keys *by, const struct key_val *vals, struct buf *b)
{
	const struct key_item *bi;
	const char *sep = ",\"text\":{";
	struct buf text, number;
	unsigned int i;

	buf_init(&text, -1);
	buf_init(&number, -1);
	for (i = 0; i < by->ky_n; i++) {
		bi = &by->ky_items[i];
		if (vals[i].kv_what != KEY_NUM || !bi->ki_kind->kki_haswords)
			continue;
		text.b_len = number.b_len = 0;
		bi->ki_kind->kki_text(&vals[i], &text);
		buf_s64(&number, vals[i].kv_num);
		if (text.b_len == number.b_len &&
		    memcmp(text.b_data, number.b_data, text.b_len) == 0)
			continue;
		keys_json_name(bi, &sep, b);
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
keys_json(struct keys *by, const void *key, struct buf *b)
{
	struct key_val vals[KEY_MAXKEYS] = { 0 };
	unsigned int i, nargs = 0;

	if (key != NULL)
		key_vals(by, key, vals);
	for (i = 0; i < by->ky_n; i++)
		nargs += by->ky_items[i].ki_kind == &key_argument;
	keys_json_values(by, vals, 0, b);
	if (nargs > 0) {
		buf_str(b, nargs < by->ky_n ? ",\"args\":{" : "\"args\":{");
		keys_json_values(by, vals, 1, b);
		buf_c(b, '}');
	}
	keys_json_words(by, vals, b);
}
