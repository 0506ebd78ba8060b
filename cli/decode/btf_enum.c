/* SPDX-License-Identifier: ISC */
/*
 * Reads enums from the BTF of the running kernel.  The file comes from the
 * kernel; its lengths are checked nevertheless.
 */
#include <linux/btf.h>

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/hash.h"
#include "cli/decode/btf_enum.h"
#include "cli/decode/kind.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define BTF_MAX	 (64 << 20)

#ifndef BTF_KIND_ENUM64
#define BTF_KIND_ENUM64 19
#endif

static char *btf_data; /* the file, NULL: not read, or freed */
static const char *btf_types, *btf_strings;
static uint32_t btf_ntypes, btf_nstrings; /* bytes */
static struct hash btf_enums;		  /* name -> struct arg_names */

static char *
btf_slurp(size_t *np)
{
	struct stat st;
	size_t have = 0;
	ssize_t n = -1;
	char *p = NULL;
	int fd;

	if ((fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC)) == -1)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < BTF_MAX &&
	    (p = malloc(st.st_size)) != NULL)
		while (have < (size_t)st.st_size &&
		    (n = read(fd, p + have, st.st_size - have)) > 0)
			have += n;
	close(fd);
	*np = have;
	return p;
}

static int
btf_within(const struct btf_header *bh, uint32_t off, uint32_t len, size_t size)
{
	return (uint64_t)bh->hdr_len + off + len <= size;
}

static void
btf_load(void)
{
	static int tried;
	struct btf_header *bh;
	size_t size = 0;

	if (tried++ || (btf_data = btf_slurp(&size)) == NULL)
		return;
	bh = (struct btf_header *)btf_data;
	if (size < sizeof(*bh) || bh->magic != BTF_MAGIC ||
	    bh->version != BTF_VERSION || bh->str_len == 0 ||
	    !btf_within(bh, bh->type_off, bh->type_len, size) ||
	    !btf_within(bh, bh->str_off, bh->str_len, size) ||
	    btf_data[bh->hdr_len + bh->str_off + bh->str_len - 1] != '\0') {
		free(btf_data);
		btf_data = NULL;
		return;
	}
	btf_types = btf_data + bh->hdr_len + bh->type_off;
	btf_ntypes = bh->type_len;
	btf_strings = btf_data + bh->hdr_len + bh->str_off;
	btf_nstrings = bh->str_len;
}

static const char *
btf_name(uint32_t off)
{
	return off < btf_nstrings ? btf_strings + off : "";
}

/* Returns the bytes of a type; 0: unknown. */
static size_t
btf_size(const struct btf_type *t)
{
	static const struct {
		uint8_t known, fixed, each; /* known; bytes after it, and per
					     * member */
	} sizes[] = {
		[BTF_KIND_INT] = { 1, 4, 0 },
		[BTF_KIND_PTR] = { 1, 0, 0 },
		[BTF_KIND_ARRAY] = { 1, 12, 0 },
		[BTF_KIND_STRUCT] = { 1, 0, 12 },
		[BTF_KIND_UNION] = { 1, 0, 12 },
		[BTF_KIND_ENUM] = { 1, 0, 8 },
		[BTF_KIND_FWD] = { 1, 0, 0 },
		[BTF_KIND_TYPEDEF] = { 1, 0, 0 },
		[BTF_KIND_VOLATILE] = { 1, 0, 0 },
		[BTF_KIND_CONST] = { 1, 0, 0 },
		[BTF_KIND_RESTRICT] = { 1, 0, 0 },
		[BTF_KIND_FUNC] = { 1, 0, 0 },
		[BTF_KIND_FUNC_PROTO] = { 1, 0, 8 },
		[BTF_KIND_VAR] = { 1, 4, 0 },
		[BTF_KIND_DATASEC] = { 1, 0, 12 },
		[BTF_KIND_FLOAT] = { 1, 0, 0 },
		[BTF_KIND_DECL_TAG] = { 1, 4, 0 },
		[BTF_KIND_TYPE_TAG] = { 1, 0, 0 },
		[BTF_KIND_ENUM64] = { 1, 0, 12 },
	};
	unsigned int kind = BTF_INFO_KIND(t->info);

	if (kind >= sizeof(sizes) / sizeof(sizes[0]) || !sizes[kind].known)
		return 0;
	return sizeof(*t) + sizes[kind].fixed +
	    (size_t)sizes[kind].each * BTF_INFO_VLEN(t->info);
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

	for (off = 0; off + sizeof(*t) <= btf_ntypes; off += size) {
		t = (const struct btf_type *)(btf_types + off);
		size = btf_size(t);
		if (size == 0 || size > btf_ntypes - off)
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
		if (btf_data != NULL)
			e->he_ptr = btf_find(name);
	}
	return e->he_ptr;
}
