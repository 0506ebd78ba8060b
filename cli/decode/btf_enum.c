/* SPDX-License-Identifier: ISC */
/* Reads enums from the BTF of the running kernel. */
#include <linux/btf.h>

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/decode/btf_enum.h"
#include "cli/decode/kind.h"
#include "common/btf_file.h"

static struct btf_file btf;   /* never closed: names are in it */
static struct hash btf_enums; /* name -> struct arg_names */

static void
btf_load(void)
{
	static int tried;

	if (!tried++)
		(void)btf_file_open(&btf);
}

static const char *
btf_name(uint32_t off)
{
	return off < btf.bff_stringlen ? btf.bff_strings + off : "";
}

/* Stores a value of 4 bytes, as an argument of that size prints; or of 8. */
static void
btf_value(struct arg_name *an, const struct btf_type *t, unsigned int i)
{
	const uint32_t *v = (const uint32_t *)(t + 1);
	uint32_t name;

	if (BTF_INFO_KIND(t->info) == BTF_KIND_ENUM) {
		name = v[2 * i];
		an->an_value = v[2 * i + 1];
	} else {
		name = v[3 * i];
		an->an_value = (uint64_t)v[3 * i + 2] << 32 | v[3 * i + 1];
	}
	an->an_mask = UINT64_MAX;
	an->an_name = btf_name(name);
	an->an_len = strlen(an->an_name);
}

static struct arg_names *
btf_make(const struct btf_type *t)
{
	unsigned int i, n = BTF_INFO_VLEN(t->info);
	struct arg_names *ns = calloc(1, sizeof(*ns));
	struct arg_name *list = calloc(n + 1, sizeof(*list));

	if (ns == NULL || list == NULL)
		err(1, "types");
	for (i = 0; i < n; i++)
		btf_value(&list[i], t, i);
	ns->ns_list = list;
	ns->ns_n = n;
	return ns;
}

static struct arg_names *
btf_find(const char *name)
{
	const struct btf_type *t;
	unsigned int kind;
	uint32_t off;
	size_t size;

	for (off = 0; off + sizeof(*t) <= btf.bff_typelen; off += size) {
		t = (const struct btf_type *)(btf.bff_types + off);
		size = btf_file_typesize(t);
		if (size == 0 || size > btf.bff_typelen - off)
			return NULL;
		kind = BTF_INFO_KIND(t->info);
		if ((kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) &&
		    BTF_INFO_VLEN(t->info) > 0 &&
		    strcmp(btf_name(t->name_off), name) == 0)
			return btf_make(t);
	}
	return NULL;
}

const struct arg_names *
btf_enum(const char *name)
{
	struct hash_entry *e = hash_get(&btf_enums, name, strlen(name));

	if (e->he_count++ == 0) {
		btf_load();
		if (btf.bff_data != NULL)
			e->he_ptr = btf_find(name);
	}
	return e->he_ptr;
}
