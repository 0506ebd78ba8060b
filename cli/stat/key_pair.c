/* SPDX-License-Identifier: ISC */
/*
 * Sides of pairs: a key from.NAME is of the first hit, to.NAME of the second.
 * A key that both hits have, for example the name of the thread, is ambiguous
 * without a side, unless --key makes it the same for both.
 */
#include <stdio.h>
#include <string.h>

#include "cli/opts/pair_key.h"
#include "cli/stat/key_table.h"

/* Keys that both hits have, each with the fields of --key that make it equal. */
static const struct {
	const char *name;
	const char *fields[3];
} by_ofboth[] = {
	{ "pid", { "pid", "tid" } },
	{ "tid", { "tid" } },
	{ "comm", { "tid" } },
	{ "uid", { "uid", "pid", "tid" } },
	{ "ppid", { "pid", "tid" } },
	{ "cgroup", { "pid", "tid" } },
	{ "cpu", { "cpu" } },
};

#define NOFBOTH (sizeof(by_ofboth) / sizeof(by_ofboth[0]))
#define NFIELDS (sizeof(by_ofboth[0].fields) / sizeof(by_ofboth[0].fields[0]))

/* -1: the two hits do not have this by themselves. */
static int
by_ofboth_find(const char *name)
{
	size_t i;

	for (i = 0; i < NOFBOTH; i++)
		if (strcmp(by_ofboth[i].name, name) == 0)
			return i;
	return -1;
}

int
by_isambiguous(const char *name, const char *fields)
{
	int i = by_ofboth_find(name);
	size_t j;

	if (i == -1)
		return 0;
	for (j = 0; j < NFIELDS && by_ofboth[i].fields[j] != NULL; j++)
		if (pair_key_same(fields, by_ofboth[i].fields[j]))
			return 0;
	return 1;
}

const char *
by_check_sides(const char *keys, const char *fields)
{
	static char why[512];
	char name[DTNAMESIZE];
	size_t len;

	for (;; keys += len + 1) {
		len = strcspn(keys, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		if (by_isambiguous(name, fields)) {
			snprintf(why, sizeof(why), "--by %s: " BY_TWOTHREADS,
			    name, name, name, name);
			return why;
		}
		if (keys[len] == '\0')
			return NULL;
	}
}

enum by_where
by_where(const char *name, size_t len, size_t *prefix)
{
	static const struct {
		const char *prefix;
		enum by_where where;
	} sides[] = { { "from.", BY_FROM }, { "to.", BY_TO } };
	size_t i;

	for (i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		*prefix = strlen(sides[i].prefix);
		if (len > *prefix &&
		    memcmp(name, sides[i].prefix, *prefix) == 0)
			return sides[i].where;
	}
	*prefix = 0;
	return BY_HIT;
}

int
by_hasside(const struct by_kind *kind)
{
	return strcmp(kind->bk_name, "probe") == 0 ||
	    by_ofboth_find(kind->bk_name) != -1;
}

int
by_wants_first(const struct by *by)
{
	unsigned int i;

	for (i = 0; i < by->by_n; i++)
		if (by->by_items[i].bi_where == BY_FROM)
			return 1;
	return 0;
}

void
by_get(const struct by_item *bi, const struct by_call *bc, struct by_val *v)
{
	int ispair = bc->bc_ev->ev_duration != NULL;
	struct by_call first;

	if (bi->bi_where == BY_HIT || (bi->bi_where == BY_TO && ispair)) {
		bi->bi_kind->bk_get(bc, v);
		return;
	}
	if (!ispair || bc->bc_entry == NULL ||
	    (dt_first(bc->bc_ev) == NULL &&
		by_ofboth_find(bi->bi_kind->bk_name) != -1))
		return;
	first = *bc;
	first.bc_ev = bc->bc_entry;
	bi->bi_kind->bk_get(&first, v);
}

/* Whether the value differs between the hits of a pair, or may. */
static int
by_differs(const struct by_item *bi, const struct by_call *bc,
    const struct by_val *v)
{
	struct by_val first = { .bv_by = v->bv_by, .bv_i = v->bv_i };
	struct by_item from = *bi;

	if (by_ofboth_find(bi->bi_kind->bk_name) == -1)
		return 0;
	if (dt_first(bc->bc_ev) == NULL)
		return 1;
	from.bi_where = BY_FROM;
	by_get(&from, bc, &first);
	if (first.bv_what != v->bv_what)
		return v->bv_what != BY_NONE;
	if (v->bv_what == BY_STR)
		return first.bv_len != v->bv_len ||
		    memcmp(first.bv_str, v->bv_str, v->bv_len) != 0;
	return first.bv_num != v->bv_num;
}

int
by_check_call(struct by *by, const struct by_call *bc, char *why, size_t nwhy)
{
	const struct by_item *bi;
	struct by_val v;
	unsigned int i;

	for (i = 0; i < by->by_n; i++) {
		bi = &by->by_items[i];
		if (bi->bi_where != BY_HIT || bi->bi_kind->bk_name == NULL)
			continue;
		v = (struct by_val){ .bv_by = by, .bv_i = i };
		by_get(bi, bc, &v);
		if (by_differs(bi, bc, &v))
			return by_bad(why, nwhy, "--by %s: " BY_TWOTHREADS,
			    bi->bi_name, bi->bi_name, bi->bi_name, bi->bi_name);
	}
	return 0;
}
