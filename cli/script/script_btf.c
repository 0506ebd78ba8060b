/* SPDX-License-Identifier: ISC */
/*
 * Reads the kernel's BTF.  A type is found by a pass over all of them, some
 * 150000, which takes a millisecond; scripts need a few.  Offsets and numbers
 * are checked, although the kernel has verified its own types.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/suggest.h"
#include "cli/script/script_btf.h"
#include "common/btf_file.h"

#define BTF_MAXDEPTH 32	 /* of modifiers, and of anonymous structs */
#define BTF_MAXNAMES 512 /* that are compared with a misspelled one */

static struct {
	int isread;
	char why[128]; /* why there are none, or "" */
	struct btf_file file;
	uint32_t *offsets; /* of the types, by number; 0 is unused */
	uint32_t n;	   /* the largest number */
} btf;

/* The file */

/* Notes where each type is.  Returns 0 or -1. */
static int
btf_index(void)
{
	const struct btf_type *t;
	uint32_t at = 0, max = 0, *p;
	size_t len;

	while (at < btf.file.bff_typelen) {
		if (btf.file.bff_typelen - at < sizeof(*t))
			return -1;
		t = (const void *)(btf.file.bff_types + at);
		len = btf_file_typesize(t);
		if (len == 0 || len > btf.file.bff_typelen - at ||
		    t->name_off >= btf.file.bff_stringlen)
			return -1;
		if (btf.n + 1 >= max) {
			max = max == 0 ? 1 << 16 : 2 * max;
			if ((p = realloc(btf.offsets, max * sizeof(*p))) ==
			    NULL)
				return -1;
			btf.offsets = p;
		}
		btf.offsets[++btf.n] = at;
		at += len;
	}
	return 0;
}

static void
btf_read(void)
{
	int error = btf_file_open(&btf.file);

	if (error == 0 && btf_index() == -1)
		error = EINVAL;
	if (error == 0)
		return;
	btf.n = 0;
	snprintf(btf.why, sizeof(btf.why),
	    error == EINVAL ? "%s has an unknown format" : "%s: %s", BTF_FILE,
	    strerror(error));
}

const char *
script_btf_lacks(void)
{
	if (!btf.isread)
		btf_read();
	btf.isread = 1;
	return btf.why[0] != '\0' ? btf.why : NULL;
}

/* Types */

/* Returns a type, NULL for void and unknown numbers. */
static const struct btf_type *
btf_get(uint32_t id)
{
	return id == 0 || id > btf.n
	    ? NULL
	    : (const void *)(btf.file.bff_types + btf.offsets[id]);
}

static const char *
btf_string(uint32_t off)
{
	return off < btf.file.bff_stringlen ? btf.file.bff_strings + off : "";
}

static int
btf_iskind(const struct btf_type *t, unsigned int kind)
{
	return t != NULL && BTF_INFO_KIND(t->info) == kind;
}

static int
btf_isstruct(const struct btf_type *t)
{
	return btf_iskind(t, BTF_KIND_STRUCT) || btf_iskind(t, BTF_KIND_UNION);
}

static uint32_t
btf_find(unsigned int kind, const char *name)
{
	const struct btf_type *t;
	uint32_t id;

	for (id = 1; id <= btf.n; id++) {
		t = btf_get(id);
		if (BTF_INFO_KIND(t->info) == kind &&
		    strcmp(btf_string(t->name_off), name) == 0)
			return id;
	}
	return 0;
}

/* Makes a type of a number in BTF: counts pointers, skips modifiers. */
static struct script_ctype
btf_ctype(uint32_t id)
{
	struct script_ctype ct = { 0 };
	const struct btf_type *t;
	unsigned int i;

	for (i = 0; i < BTF_MAXDEPTH; i++) {
		t = btf_get(id);
		switch (t != NULL ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
		case BTF_KIND_PTR:
			ct.sct_stars++;
			/* FALLTHROUGH */
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			continue;
		case BTF_KIND_FWD: /* complete in another part of the kernel */
			id = btf_find(BTF_INFO_KFLAG(t->info) ? BTF_KIND_UNION
							      : BTF_KIND_STRUCT,
			    btf_string(t->name_off));
			break;
		default:
			break;
		}
		break;
	}
	ct.sct_id = btf_get(id) != NULL ? id : 0;
	return ct;
}

static int
btf_ischar(const struct btf_type *t)
{
	return btf_iskind(t, BTF_KIND_INT) && t->size == 1 &&
	    strcmp(btf_string(t->name_off), "char") == 0;
}

static struct btf_value btf_value(const struct script_ctype *, unsigned int);

/* Describes a type that is not a pointer. */
static void
btf_describe(uint32_t id, unsigned int depth, struct btf_value *bv)
{
	const struct btf_type *t = btf_get(id);
	const struct btf_array *ar;

	switch (t != NULL ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		bv->bvl_shape = BTF_NUMBER;
		bv->bvl_size = t->size;
		bv->bvl_issigned = (BTF_INT_ENCODING(
					*(const uint32_t *)(t + 1)) &
				       BTF_INT_SIGNED) != 0;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		bv->bvl_shape = BTF_NUMBER;
		bv->bvl_size = t->size;
		bv->bvl_issigned = BTF_INFO_KFLAG(t->info);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		bv->bvl_shape = BTF_STRUCT;
		bv->bvl_size = t->size;
		break;
	case BTF_KIND_ARRAY:
		ar = (const void *)(t + 1);
		bv->bvl_element = btf_ctype(ar->type);
		bv->bvl_count = ar->nelems;
		if (depth == BTF_MAXDEPTH)
			break; /* the kernel has no such type */
		bv->bvl_size = ar->nelems *
		    btf_value(&bv->bvl_element, depth + 1).bvl_size;
		bv->bvl_shape = bv->bvl_element.sct_stars == 0 &&
			btf_ischar(btf_get(bv->bvl_element.sct_id))
		    ? BTF_TEXT
		    : BTF_ARRAY;
		break;
	default:
		break;
	}
	if (bv->bvl_shape == BTF_NUMBER && bv->bvl_size != 1 &&
	    bv->bvl_size != 2 && bv->bvl_size != 4 && bv->bvl_size != 8)
		bv->bvl_shape = BTF_ARRAY; /* __int128 */
}

static struct btf_value
btf_value(const struct script_ctype *ct, unsigned int depth)
{
	struct btf_value bv = { .bvl_shape = BTF_VOID };

	if (ct->sct_stars > 0) {
		bv.bvl_shape = BTF_POINTER;
		bv.bvl_size = sizeof(uint64_t);
		bv.bvl_element = *ct;
		bv.bvl_element.sct_stars--;
	} else if (ct->sct_id == 0 && ct->sct_size > 0) {
		bv.bvl_shape = BTF_NUMBER;
		bv.bvl_size = ct->sct_size;
		bv.bvl_issigned = ct->sct_issigned;
	} else
		btf_describe(ct->sct_id, depth, &bv);
	return bv;
}

struct btf_value
script_btf_value(const struct script_ctype *ct)
{
	return btf_value(ct, 0);
}

/* Skips a word and the blanks after it.  Returns whether it was there. */
static int
type_word(const char **p, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(*p, word, len) != 0 || isalnum((unsigned char)(*p)[len]) ||
	    (*p)[len] == '_')
		return 0;
	*p += len;
	*p += strspn(*p, " ");
	return 1;
}

/* Finds the type with a name, of which the text has a keyword or none. */
static uint32_t
type_named(const char *name, unsigned int kind)
{
	static const unsigned int kinds[] = { BTF_KIND_TYPEDEF, BTF_KIND_INT,
		BTF_KIND_STRUCT, BTF_KIND_UNION };
	/* as people write it, and as compilers name it */
	static const struct {
		const char *written, *named;
	} numbers[] = { { "short", "short int" }, { "long", "long int" },
		{ "long long", "long long int" },
		{ "unsigned short", "short unsigned int" },
		{ "unsigned", "unsigned int" },
		{ "unsigned long", "long unsigned int" },
		{ "unsigned long long", "long long unsigned int" } };
	uint32_t id = 0;
	size_t i;

	if (kind != 0)
		return btf_find(kind, name);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(name, numbers[i].written) == 0)
			return btf_find(BTF_KIND_INT, numbers[i].named);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && id == 0; i++)
		id = btf_find(kinds[i], name);
	return id;
}

int
script_btf_type(const char *text, struct script_ctype *ct)
{
	static const struct {
		const char *word;
		unsigned int kind;
	} words[] = { { "struct", BTF_KIND_STRUCT },
		{ "union", BTF_KIND_UNION }, { "enum", BTF_KIND_ENUM } };
	char name[128];
	const char *p = text;
	unsigned int kind = 0, stars = 0;
	size_t i, len;
	uint32_t id;

	if (script_btf_lacks() != NULL)
		return -1;
	while (type_word(&p, "const") || type_word(&p, "volatile"))
		;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (type_word(&p, words[i].word))
			kind = words[i].kind;
	len = strcspn(p, "*");
	while (len > 0 && p[len - 1] == ' ')
		len--;
	if (len == 0 || len >= sizeof(name))
		return -1;
	memcpy(name, p, len);
	name[len] = '\0';
	for (p += len; *p != '\0'; p++)
		stars += *p == '*';
	if ((id = type_named(name, kind)) == 0 || stars > 8)
		return -1;
	*ct = btf_ctype(id);
	ct->sct_stars += stars;
	return 0;
}

/* Members */

static int
field_find(uint32_t id, const char *name, uint64_t offset, unsigned int depth,
    struct btf_field *bf)
{
	const struct btf_type *t = btf_get(id);
	const struct btf_member *m;
	struct script_ctype inner;
	unsigned int i, kflag;
	uint64_t at;

	if (!btf_isstruct(t) || depth == BTF_MAXDEPTH)
		return -1;
	kflag = BTF_INFO_KFLAG(t->info);
	m = (const void *)(t + 1);
	for (i = 0; i < BTF_INFO_VLEN(t->info); i++, m++) {
		at = offset +
		    (kflag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset);
		if (m->name_off != 0) {
			if (strcmp(btf_string(m->name_off), name) != 0)
				continue;
			bf->bfl_offset = at;
			bf->bfl_bits = kflag
			    ? BTF_MEMBER_BITFIELD_SIZE(m->offset)
			    : 0;
			bf->bfl_type = btf_ctype(m->type);
			return 0;
		}
		inner = btf_ctype(m->type);
		if (inner.sct_stars == 0 &&
		    field_find(inner.sct_id, name, at, depth + 1, bf) == 0)
			return 0;
	}
	return -1;
}

int
script_btf_field(const struct script_ctype *ct, const char *name,
    struct btf_field *bf)
{
	return field_find(ct->sct_id, name, 0, 0, bf);
}

/* Collects the names of members, also of anonymous structs. */
static size_t
field_names(uint32_t id, unsigned int depth, const char **names, size_t n)
{
	const struct btf_type *t = btf_get(id);
	const struct btf_member *m;
	struct script_ctype inner;
	unsigned int i;

	if (!btf_isstruct(t) || depth == BTF_MAXDEPTH)
		return n;
	m = (const void *)(t + 1);
	for (i = 0; i < BTF_INFO_VLEN(t->info) && n < BTF_MAXNAMES; i++, m++)
		if (m->name_off != 0)
			names[n++] = btf_string(m->name_off);
		else {
			inner = btf_ctype(m->type);
			n = field_names(inner.sct_id, depth + 1, names, n);
		}
	return n;
}

const char *
script_btf_near(const struct script_ctype *ct, const char *name)
{
	const char *names[BTF_MAXNAMES];

	return suggest_word(name, names, field_names(ct->sct_id, 0, names, 0));
}

const char *
script_btf_name(const struct script_ctype *ct)
{
	const struct btf_type *t = btf_get(ct->sct_id);

	return t != NULL ? btf_string(t->name_off) : "";
}

int
script_btf_constant(const char *name, int64_t *value)
{
	const struct btf_type *t;
	const struct btf_enum *e;
	uint32_t id, i;

	if (script_btf_lacks() != NULL)
		return -1;
	for (id = 1; id <= btf.n; id++) {
		t = btf_get(id);
		if (BTF_INFO_KIND(t->info) != BTF_KIND_ENUM)
			continue;
		e = (const void *)(t + 1);
		for (i = 0; i < BTF_INFO_VLEN(t->info); i++)
			if (strcmp(btf_string(e[i].name_off), name) == 0) {
				*value = BTF_INFO_KFLAG(t->info)
				    ? (int64_t)e[i].val
				    : (int64_t)(uint32_t)e[i].val;
				return 0;
			}
	}
	return -1;
}
