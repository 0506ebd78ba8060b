/* SPDX-License-Identifier: ISC */
/*
 * Resolves the names of a condition: arguments of the probe, values of every
 * hit, and constants.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/str_name.h"
#include "cli/base/suggest.h"
#include "cli/cond/cond.h"
#include "cli/decode/constant.h"

#define N(array)       (sizeof(array) / sizeof((array)[0]))

#define TYPES_MAXERRNO 4095    /* MAX_ERRNO of the kernel */
#define TYPES_ARGS     "args." /* prefix that selects an argument */

/* Values of every hit.  One that only a return has is "later" at an entry. */
static const struct {
	const char *name;
	uint8_t opd;
	uint8_t size; /* 0: a text */
	uint8_t issigned;
	uint8_t islater;
	uint8_t isresult; /* exists for calls only */
} types_hit[] = {
	{ "retval", DT_OPD_RETVAL, 8, 1, 1, 1 },
	{ "errno", DT_OPD_ERRNO, 4, 0, 1, 1 },
	{ "duration", DT_OPD_DURATION, 8, 0, 1, 0 },
	{ "pid", DT_OPD_PID, 4, 0, 0, 0 },
	{ "tid", DT_OPD_TID, 4, 0, 0, 0 },
	{ "uid", DT_OPD_UID, 4, 0, 0, 0 },
	{ "cpu", DT_OPD_CPU, 4, 0, 0, 0 },
	{ "comm", DT_OPD_COMM, 0, 0, 0, 0 },
};

static unsigned int
types_nargs(const struct probe *entry)
{
	unsigned int n = entry != NULL ? entry->pr_desc.pd_info.dtpi_nargs : 0;

	return n < DT_REC_NARGS ? n : DT_REC_NARGS;
}

/* Accepts char *, char[16] and __data_loc char[], but no pointers to those. */
static int
types_istext(const char *type)
{
	const char *p = strstr(type, "char"), *star = strchr(type, '*');

	if (p == NULL || strncmp(p, "char", 4) != 0 ||
	    strstr(type, "unsigned") != NULL)
		return 0;
	return star != NULL ? strchr(star + 1, '*') == NULL
			    : strchr(p, '[') != NULL;
}

static void
types_argument(const struct probe *entry, unsigned int n,
    struct cond_operand *co)
{
	const char *type = entry->pr_desc.pd_types[n].dtai_argtype;

	co->cop_opd.op_kind = DT_OPD_ARG;
	co->cop_opd.op_argn = n;
	val_width(entry->pr_args[n], &co->cop_opd.op_size,
	    &co->cop_opd.op_issigned);
	co->cop_textkind = DT_OPD_STRING;
	co->cop_istext = types_istext(type);
	/* a text inside of the record has no address */
	co->cop_isnumber = strchr(type, '[') == NULL;
	co->cop_kind = entry->pr_kinds[n];
}

static int
types_by_name(const struct probe *entry, const char *name)
{
	unsigned int i, n = types_nargs(entry);

	for (i = 0; i < n; i++)
		if (strcmp(entry->pr_desc.pd_names[i].dtan_name, name) == 0)
			return i;
	return -1;
}

/* arg0 to arg23 */
static int
types_by_number(const struct probe *entry, const char *name)
{
	unsigned int i, n = types_nargs(entry);
	char arg[16];

	for (i = 0; i < n; i++) {
		snprintf(arg, sizeof(arg), "arg%u", i);
		if (strcmp(arg, name) == 0)
			return i;
	}
	return -1;
}

/*
 * Returns the only path argument of the probe; -1 if there are none, or
 * several.
 */
static int
types_path(const struct probe *entry)
{
	unsigned int i, n = types_nargs(entry);
	int found = -1;

	for (i = 0; i < n; i++) {
		if (!(entry->pr_desc.pd_names[i].dtan_flags & DTAN_PATH))
			continue;
		if (found != -1)
			return -1;
		found = i;
	}
	return found;
}

static int
types_find_arg(const struct probe *entry, const char *name)
{
	int n;

	if (strncmp(name, TYPES_ARGS, strlen(TYPES_ARGS)) == 0)
		return types_by_name(entry, name + strlen(TYPES_ARGS));
	if ((n = types_by_name(entry, name)) == -1)
		n = types_by_number(entry, name);
	if (n == -1 && strcmp(name, "path") == 0)
		n = types_path(entry);
	return n;
}

static int
types_isentry(const struct probe *pr)
{
	return strcmp(pr->pr_desc.pd_info.dtpi_name, "entry") == 0;
}

static int
types_of_hit(const struct probe *pr, const char *name, struct cond_operand *co)
{
	size_t i;

	for (i = 0; i < N(types_hit); i++)
		if (strcmp(types_hit[i].name, name) == 0)
			break;
	if (i == N(types_hit) ||
	    (types_hit[i].isresult && !types_isentry(pr) &&
		strcmp(pr->pr_desc.pd_info.dtpi_name, "return") != 0))
		return -1;
	co->cop_opd.op_kind = types_hit[i].opd;
	co->cop_opd.op_size = types_hit[i].size;
	co->cop_opd.op_issigned = types_hit[i].issigned;
	co->cop_islater = types_hit[i].islater && types_isentry(pr);
	co->cop_isnumber = types_hit[i].size != 0;
	co->cop_istext = !co->cop_isnumber;
	co->cop_textkind = DT_OPD_COMM;
	co->cop_maxlen = co->cop_istext ? DT_REC_COMMLEN - 1 : 0;
	if (types_hit[i].opd == DT_OPD_RETVAL)
		co->cop_kind = pr->pr_retkind;
	return 0;
}

static int
types_operand(const struct probe *pr, const struct probe *entry,
    const char *name, struct cond_operand *co)
{
	int n;

	if (types_of_hit(pr, name, co) == 0)
		return 0;
	if ((n = types_find_arg(entry, name)) == -1)
		return -1;
	types_argument(entry, n, co);
	return 0;
}

/* Makes the operand the text to which it points.  Functions have any text. */
static int
types_text(const struct probe *pr, struct cond_operand *co)
{
	int isfunc = (pr->pr_desc.pd_info.dtpi_flags & DTPI_FUNC) != 0;

	switch (co->cop_opd.op_kind) {
	case DT_OPD_ARG:
		if (!co->cop_istext && !isfunc)
			return -1;
		break;
	case DT_OPD_RETVAL:
		if (!isfunc)
			return -1;
		co->cop_textkind = DT_OPD_RETTEXT;
		co->cop_maxlen = 0;
		break;
	default:
		return -1;
	}
	co->cop_istext = 1;
	co->cop_isnumber = 0;
	return 0;
}

int
cond_operand(const struct probe *pr, const struct probe *entry,
    const char *name, struct cond_operand *co)
{
	char inner[COND_MAXNAME];

	memset(co, 0, sizeof(*co));
	co->cop_name = name;
	if (!str_name(name, inner, sizeof(inner)))
		return types_operand(pr, entry, name, co);
	if (types_operand(pr, entry, inner, co) == -1)
		return -1;
	return types_text(pr, co);
}

int
cond_isresult(const struct cond_operand *co)
{
	return co->cop_opd.op_kind == DT_OPD_RETVAL ||
	    co->cop_opd.op_kind == DT_OPD_ERRNO ||
	    co->cop_opd.op_kind == DT_OPD_DURATION;
}

int
cond_shadows(const struct probe *pr, const char *name)
{
	struct cond_operand co;

	return types_of_hit(pr, name, &co) == 0 &&
	    types_by_name(pr, name) != -1;
}

const char *
cond_shadowed(const struct cond_expr *ce, const struct probe *pr)
{
	const struct cond_node *cn = ce->ce_nodes;

	for (; cn < ce->ce_nodes + ce->ce_n; cn++) {
		if (cn->cn_kind == COND_NAME &&
		    cond_shadows(pr, cn->cn_tok.tok_name))
			return cn->cn_tok.tok_name;
	}
	return NULL;
}

/*
 * Constants
 */

struct types_wanted {
	const char *tw_name;
	uint64_t *tw_value;
};

/* A constant_fn. */
static int
types_is(void *arg, const char *name, uint64_t value)
{
	struct types_wanted *tw = arg;

	if (strcmp(name, tw->tw_name) != 0)
		return 0;
	*tw->tw_value = value;
	return 1;
}

static int
types_errnos(constant_fn *fn, void *arg)
{
	const char *name;
	unsigned int i;

	for (i = 1; i <= TYPES_MAXERRNO; i++)
		if ((name = val_errname(i)) != NULL && fn(arg, name, i))
			return 1;
	return 0;
}

int
cond_constant(const struct cond_operand *of, const char *name, uint64_t *value)
{
	struct types_wanted tw = { name, value };
	const struct passwd *pw;

	if (of->cop_opd.op_kind == DT_OPD_UID &&
	    (pw = getpwnam(name)) != NULL) {
		*value = pw->pw_uid;
		return 0;
	}
	if (strcmp(name, "NULL") == 0) {
		*value = 0;
		return 0;
	}
	if ((of->cop_kind != NULL &&
		arg_constant_each(of->cop_kind, types_is, &tw)) ||
	    types_errnos(types_is, &tw) || arg_constant_all(types_is, &tw))
		return 0;
	return -1;
}

/* Suggestions */

struct types_words {
	const char **ty_words;
	size_t ty_n, ty_size;
};

/* A constant_fn, too.  Without memory there is no suggestion. */
static int
types_add(void *arg, const char *name, uint64_t value)
{
	struct types_words *ty = arg;
	size_t size = ty->ty_size != 0 ? 2 * ty->ty_size : 64;
	const char **words;

	(void)value;
	if (ty->ty_n == ty->ty_size) {
		words = realloc(ty->ty_words, size * sizeof(*words));
		if (words == NULL)
			return 1;
		ty->ty_words = words;
		ty->ty_size = size;
	}
	ty->ty_words[ty->ty_n++] = name;
	return 0;
}

static void
types_add_names(struct types_words *ty, const struct probe *pr,
    const struct probe *entry)
{
	struct cond_operand co;
	unsigned int i;
	size_t j;

	for (i = 0; i < types_nargs(entry); i++)
		types_add(ty, entry->pr_desc.pd_names[i].dtan_name, 0);
	for (j = 0; j < N(types_hit); j++)
		if (types_of_hit(pr, types_hit[j].name, &co) == 0)
			types_add(ty, types_hit[j].name, 0);
}

/* The kind's own constants precede others, so that they win a tie. */
static void
types_add_constants(struct types_words *ty, const struct cond_operand *of)
{
	if (of->cop_kind != NULL)
		arg_constant_each(of->cop_kind, types_add, ty);
	types_errnos(types_add, ty);
	arg_constant_all(types_add, ty);
}

const char *
cond_nearest(const struct probe *pr, const struct probe *entry,
    const struct cond_operand *of, const char *name)
{
	struct types_words ty = { 0 };
	const char *near;

	types_add_names(&ty, pr, entry);
	if (of != NULL)
		types_add_constants(&ty, of);
	near = suggest_word(name, ty.ty_words, ty.ty_n);
	free(ty.ty_words);
	return near;
}
