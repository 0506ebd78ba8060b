/* SPDX-License-Identifier: ISC */
/*
 * Arguments and results of kernel functions: by their C type alone, from the
 * kernel's BTF.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/decode/btf_enum.h"
#include "cli/decode/func.h"

/*
 * Returns whether bytes look like text: buffers have the same type as strings.
 */
static int
func_is_text(const struct dt_rec_string *s)
{
	const unsigned char *p = (const void *)DT_STRING_BYTES(s);
	unsigned int i;

	for (i = 0; i < s->drt_length; i++)
		if ((p[i] < ' ' && strchr("\t\n\r", p[i]) == NULL) ||
		    p[i] == 0x7f)
			return 0;
	return 1;
}

static const struct arg_kind func_str;

static void
func_str_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct dt_rec_string *s = arg_string(ac, argn);

	/* an empty one is more often a buffer than a string */
	if (s != NULL && func_is_text(s) &&
	    (s->drt_length > 0 || ak == &func_str))
		arg_str_text(b, ac, argn, v, ak);
	else
		arg_put_ptr(b, v);
}

static const struct arg_kind func_str = { func_str_text, NULL, NULL };
static const struct arg_kind func_buf = { func_str_text, NULL, NULL };
static const struct arg_kind func_ptr = { arg_ptr_text, NULL, NULL };

/* One kind per enum: they are few, and never freed. */
static const struct arg_kind *
func_enum(const char *name)
{
	static struct func_enum {
		struct func_enum *next;
		struct arg_kind kind;
	} * list;
	const struct arg_names *ns = btf_enum(name);
	struct func_enum *fe;

	if (ns == NULL)
		return NULL;
	for (fe = list; fe != NULL; fe = fe->next)
		if (fe->kind.ak_table == ns)
			return &fe->kind;
	if ((fe = malloc(sizeof(*fe))) == NULL)
		return NULL;
	*fe = (struct func_enum){ list, { arg_enum_text, ns, NULL } };
	list = fe;
	return &fe->kind;
}

const struct arg_kind *
func_find(const char *type, int ishere)
{
	if (strcmp(type, "const char *") == 0)
		return &func_str;
	if (strcmp(type, "char *") == 0)
		return &func_buf;
	if (strchr(type, '*') != NULL)
		return &func_ptr;
	if (ishere && strncmp(type, "enum ", 5) == 0)
		return func_enum(type + 5);
	return NULL;
}
