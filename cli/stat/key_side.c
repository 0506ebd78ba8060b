/* SPDX-License-Identifier: ISC */
/*
 * Sides of pairs: a key from.NAME is of the first hit, to.NAME of the second.
 * A key that both hits have, for example the name of the thread, is ambiguous
 * without a side, unless --key makes it the same for both.
 */
#include <stdio.h>
#include <string.h>

#include "cli/opts/pair_key.h"
#include "cli/stat/key_impl.h"

/*
 * Keys that both hits have, each with the fields of --key that make them equal.
 */
static const struct {
	const char *name;
	const char *fields[3];
} key_ofboth[] = {
	{ "pid", { "pid", "tid" } },
	{ "tid", { "tid" } },
	{ "comm", { "tid" } },
	{ "uid", { "uid", "pid", "tid" } },
	{ "ppid", { "pid", "tid" } },
	{ "cgroup", { "pid", "tid" } },
	{ "unit", { "pid", "tid" } },
	{ "cpu", { "cpu" } },
};

#define NOFBOTH (sizeof(key_ofboth) / sizeof(key_ofboth[0]))
#define NFIELDS (sizeof(key_ofboth[0].fields) / sizeof(key_ofboth[0].fields[0]))

/* Returns -1 if both hits do not always have this key. */
static int
key_ofboth_find(const char *name)
{
	size_t i;

	for (i = 0; i < NOFBOTH; i++)
		if (strcmp(key_ofboth[i].name, name) == 0)
			return i;
	return -1;
}

int
key_isambiguous(const char *name, const char *fields)
{
	int i = key_ofboth_find(name);
	size_t j;

	if (i == -1)
		return 0;
	for (j = 0; j < NFIELDS && key_ofboth[i].fields[j] != NULL; j++)
		if (pair_key_same(fields, key_ofboth[i].fields[j]))
			return 0;
	return 1;
}

const char *
key_check_sides(const char *keys, const char *fields)
{
	static char why[512];
	char name[DTNAMESIZE];
	size_t len;

	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		if (key_isambiguous(name, fields)) {
			snprintf(why, sizeof(why), "--by %s: " KEY_TWOTHREADS,
			    name, name, name, name);
			return why;
		}
		if (keys[len] == '\0')
			return NULL;
	}
}

enum key_where
key_where(const char *name, size_t len, size_t *prefix)
{
	static const struct {
		const char *prefix;
		enum key_where where;
	} sides[] = { { "from.", KEY_FROM }, { "to.", KEY_TO } };
	size_t i;

	for (i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		*prefix = strlen(sides[i].prefix);
		if (len > *prefix &&
		    memcmp(name, sides[i].prefix, *prefix) == 0)
			return sides[i].where;
	}
	*prefix = 0;
	return KEY_HIT;
}

int
key_hasside(const struct key_kind *kind)
{
	return strcmp(kind->kki_name, "probe") == 0 ||
	    key_ofboth_find(kind->kki_name) != -1;
}

int
key_wants_first(const struct keys *by)
{
	unsigned int i;

	for (i = 0; i < by->ky_n; i++)
		if (by->ky_items[i].ki_where == KEY_FROM)
			return 1;
	return 0;
}

void
key_get(const struct key_item *bi, const struct key_call *bc, struct key_val *v)
{
	int ispair = bc->kc_ev->ev_duration != NULL;
	struct key_call first;

	if (bi->ki_where == KEY_HIT || (bi->ki_where == KEY_TO && ispair)) {
		bi->ki_kind->kki_get(bc, v);
		return;
	}
	if (!ispair || bc->kc_entry == NULL ||
	    (dt_first(bc->kc_ev) == NULL &&
		key_ofboth_find(bi->ki_kind->kki_name) != -1))
		return;
	first = *bc;
	first.kc_ev = bc->kc_entry;
	bi->ki_kind->kki_get(&first, v);
}

/* Returns whether the value may differ between the hits of a pair. */
static int
key_differs(const struct key_item *bi, const struct key_call *bc,
    const struct key_val *v)
{
	struct key_val first = { .kv_by = v->kv_by, .kv_i = v->kv_i };
	struct key_item from = *bi;

	if (key_ofboth_find(bi->ki_kind->kki_name) == -1)
		return 0;
	if (dt_first(bc->kc_ev) == NULL)
		return 1;
	from.ki_where = KEY_FROM;
	key_get(&from, bc, &first);
	if (first.kv_what != v->kv_what)
		return v->kv_what != KEY_NONE;
	if (v->kv_what == KEY_STR)
		return first.kv_len != v->kv_len ||
		    memcmp(first.kv_str, v->kv_str, v->kv_len) != 0;
	return first.kv_num != v->kv_num;
}

int
key_check_call(struct keys *by, const struct key_call *bc, char *why,
    size_t nwhy)
{
	const struct key_item *bi;
	struct key_val v;
	unsigned int i;

	for (i = 0; i < by->ky_n; i++) {
		bi = &by->ky_items[i];
		if (bi->ki_where != KEY_HIT || bi->ki_kind->kki_name == NULL)
			continue;
		v = (struct key_val){ .kv_by = by, .kv_i = i };
		key_get(bi, bc, &v);
		if (key_differs(bi, bc, &v))
			return keys_bad(why, nwhy, "--by %s: " KEY_TWOTHREADS,
			    bi->ki_name, bi->ki_name, bi->ki_name, bi->ki_name);
	}
	return 0;
}
