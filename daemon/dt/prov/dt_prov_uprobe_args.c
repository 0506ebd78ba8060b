/* SPDX-License-Identifier: ISC */
/*
 * Arguments of probes in user programs: their names, types and places, as a
 * symbolizer has read them.
 *
 * A return probe of the kernel replaces the return address on the stack.  Code
 * that reads this stack does not survive it: the runtime of Go, which moves
 * stacks, and exceptions of C++ and panics of Rust that unwind through it.  So
 * the returns of these functions are probed at their RET instructions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/sym/file_probes.h"
#include "daemon/sym/symbolizer.h"

#define QUERY_MSECS  15000 /* of a large file with its debug file */

#define USER_UNWINDS (PROBE_SITE_GO | PROBE_SITE_CXX | PROBE_SITE_RUST)

int
user_file_query(const struct dt_file *df, struct probe_query *pq,
    const char *name, struct file_probes *fip, struct reason *rs)
{
	int error;

	symbolizer_begin(QUERY_MSECS, df->dfl_person);
	error = file_probes_get(df->dfl_file, pq, name, fip);
	if (error == ENOEXEC)
		reason_set(rs, "%s is not a program or library", df->dfl_name);
	else if (error == EOPNOTSUPP)
		reason_set(rs, "%s has no code of this machine", df->dfl_name);
	else if (error != 0)
		reason_set(rs, "cannot read %s: %s", df->dfl_name,
		    strerror(error));
	return error;
}

/* Returns how a register becomes a value of this size, DT_KARG_*. */
static uint8_t
arg_how(const struct probe_arg *pa)
{
	uint8_t how = 0;

	if (pa->pra_size > 0 && pa->pra_size < 8 &&
	    (pa->pra_kind == PROBE_ARG_INT ||
		pa->pra_kind == PROBE_ARG_UNKNOWN))
		how = 64 - 8 * pa->pra_size;
	if (pa->pra_flags & PROBE_ARG_SIGNED)
		how |= DT_KARG_SIGNED;
	if (pa->pra_kind == PROBE_ARG_TEXT)
		how |= DT_KARG_STRING;
	return how;
}

static int
arg_isregister(uint8_t reg)
{
	return reg < PROBE_REG_MAX;
}

/* Bytes of a value in memory: the next size that can be read. */
static uint8_t
arg_size(const struct probe_arg *pa)
{
	switch (pa->pra_size) {
	case 1:
	case 2:
	case 4:
		return pa->pra_size;
	default:
		return 8;
	}
}

static void
arg_place(const struct probe_arg *pa, struct dt_uplace *up)
{
	memset(up, 0, sizeof(*up));
	if (pa->pra_kind == PROBE_ARG_FLOAT)
		return;
	up->upl_value = pa->pra_value;
	up->upl_reg = 8 * pa->pra_base;
	switch (pa->pra_place) {
	case PROBE_PLACE_CONST:
		up->upl_how = DT_UPLACE_VALUE;
		break;
	case PROBE_PLACE_REG:
		if (!arg_isregister(pa->pra_base))
			break;
		up->upl_how = DT_UPLACE_REG;
		up->upl_shift = pa->pra_shift & 63;
		break;
	case PROBE_PLACE_MEM:
		if (!arg_isregister(pa->pra_base))
			break;
		up->upl_how = DT_UPLACE_MEM;
		up->upl_size = arg_size(pa);
		if (arg_isregister(pa->pra_index)) {
			up->upl_how = DT_UPLACE_INDEX;
			up->upl_index = 8 * pa->pra_index;
			up->upl_scale = pa->pra_scale;
		}
		break;
	}
}

void
user_place_args(struct user_place *upc, const struct probe_arg *pa, size_t n)
{
	size_t i;

	memset(&upc->upc_args, 0, sizeof(upc->upc_args));
	upc->upc_isplaced = 1;
	for (i = 0; i < n && i < DT_UPLACE_NARGS; i++) {
		arg_place(&pa[i], &upc->upc_args.upp_arg[i]);
		upc->upc_how[i] = arg_how(&pa[i]);
		upc->upc_args.upp_how[i] = upc->upc_how[i];
	}
}

#if defined(__x86_64__)
static const uint8_t convention[DT_UPLACE_HARGS] = { 14, 13, 12, 11, 9, 8 };
#elif defined(__aarch64__)
static const uint8_t convention[DT_UPLACE_HARGS] = { 0, 1, 2, 3, 4, 5 };
#endif

/* Whether all arguments are where functions of integers have them. */
static int
place_isusual(const struct probe_arg *pa, size_t n)
{
	size_t i;

	if (n > DT_UPLACE_HARGS)
		return 0;
	for (i = 0; i < n; i++)
		if (pa[i].pra_place != PROBE_PLACE_REG ||
		    pa[i].pra_base != convention[i] || pa[i].pra_shift != 0)
			return 0;
	return 1;
}

/* Returns the type of an argument without one, by its size. */
static const char *
arg_type(const struct probe_arg *pa)
{
	int issigned = (pa->pra_flags & PROBE_ARG_SIGNED) != 0;

	switch (pa->pra_kind == PROBE_ARG_INT ? pa->pra_size : 0) {
	case 1:
		return issigned ? "signed char" : "unsigned char";
	case 2:
		return issigned ? "short" : "unsigned short";
	case 4:
		return issigned ? "int" : "unsigned int";
	default:
		return issigned ? "long" : "unsigned long";
	}
}

/* Returns why an argument cannot be read, or NULL. */
static const char *
arg_why(const struct file_probes *fip, const struct probe_arg *pa)
{
	const char *text;

	if (pa->pra_kind == PROBE_ARG_FLOAT)
		return "it is a floating point number";
	if (pa->pra_place != PROBE_PLACE_NONE)
		return NULL;
	text = wire_string(fip->fip_strings, pa->pra_why);
	return text != NULL ? text : "its place is unknown";
}

void
user_probe_args_free(struct user_probe *up)
{
	unsigned int i;

	for (i = 0; i < up->usp_nargs; i++)
		free(up->usp_args[i].ua_why);
	free(up->usp_args);
	up->usp_args = NULL;
	up->usp_nargs = 0;
}

int
user_probe_args(struct user_probe *up, const struct file_probes *fip,
    const struct probe_arg *pa, size_t n)
{
	const char *text, *why;
	size_t i;

	_Static_assert(DT_UPLACE_NARGS <= DTMAXARGTYPES, "dyn_describe");
	if (n > DT_UPLACE_NARGS)
		n = DT_UPLACE_NARGS;
	if ((up->usp_args = calloc(n + 1, sizeof(*up->usp_args))) == NULL)
		return ENOMEM;
	up->usp_nargs = n;
	for (i = 0; i < n; i++) {
		text = wire_string(fip->fip_strings, pa[i].pra_type);
		snprintf(up->usp_args[i].ua_type, DTNAMESIZE, "%.*s",
		    DTNAMESIZE - 1, text != NULL ? text : arg_type(&pa[i]));
		text = wire_string(fip->fip_strings, pa[i].pra_name);
		if (text != NULL)
			snprintf(up->usp_args[i].ua_name, DTNAMESIZE, "%.*s",
			    DTNAMESIZE - 1, text);
		else
			snprintf(up->usp_args[i].ua_name, DTNAMESIZE, "arg%zu",
			    i);
		why = arg_why(fip, &pa[i]);
		if (why != NULL &&
		    (up->usp_args[i].ua_why = strdup(why)) == NULL) {
			user_probe_args_free(up);
			return ENOMEM;
		}
	}
	return 0;
}

/* Without debug information: the registers of the calling convention. */
static int
args_default(struct user_probe *up)
{
	static const struct file_probes none;
	struct probe_arg pa[DT_UPLACE_HARGS] = { 0 };
	int error = user_probe_args(up, &none, pa,
	    up->usp_isreturn ? 1 : DT_UPLACE_HARGS);

	if (error == 0 && up->usp_isreturn)
		strcpy(up->usp_args[0].ua_type, "long");
	if (error == 0 && up->usp_isreturn)
		strcpy(up->usp_args[0].ua_name, "retval");
	return error;
}

/* Sets arguments, or the result, from debug information. */
static int
args_dwarf(struct user_probe *up, const struct file_probes *fip,
    const struct probe_arg *pa, size_t n)
{
	size_t nargs = 0;
	int error;

	while (nargs < n && (pa[nargs].pra_flags & PROBE_ARG_RETURN) == 0)
		nargs++;
	if (up->usp_isreturn) {
		error = user_probe_args(up, fip, pa + nargs, nargs < n);
		up->usp_ret = nargs < n && arg_why(fip, &pa[nargs]) == NULL
		    ? arg_how(&pa[nargs]) & (DT_KARG_SHIFT | DT_KARG_SIGNED)
		    : DT_KRET_NONE;
		if (error == 0 && nargs < n)
			strcpy(up->usp_args[0].ua_name, "retval");
		return error;
	}
	if ((error = user_probe_args(up, fip, pa, nargs)) != 0)
		return error;
	user_place_args(up->usp_places, pa, nargs);
	up->usp_places->upc_isplaced = !place_isusual(pa, nargs);
	return 0;
}

int
user_probe_rets(struct user_probe *up, struct reason *rs)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_RETS,
		.pq_off = up->usp_places->upc_offset,
		.pq_max = DT_NUPLACES };
	struct file_probes fip = { 0 };
	struct user_place *places = NULL;
	int error;
	size_t i;

	error = user_file_query(up->usp_file, &pq, NULL, &fip, rs);
	if (error == 0 && fip.fip_nsites == 0)
		error = reason_fail(rs, EOPNOTSUPP,
		    "it has no return instruction, and a return probe would "
		    "break %s",
		    up->usp_flags & PROBE_SITE_GO ? "Go programs"
						  : "exceptions");
	if (error == 0 &&
	    (places = calloc(fip.fip_nsites, sizeof(*places))) == NULL)
		error = reason_fail(rs, ENOMEM, "out of memory");
	for (i = 0; error == 0 && i < fip.fip_nsites; i++)
		places[i].upc_offset = fip.fip_sites[i].psi_off;
	if (error == 0) {
		free(up->usp_places);
		up->usp_places = places;
		up->usp_nplaces = fip.fip_nsites;
		up->usp_isrets = 1;
	}
	file_probes_free(&fip);
	return error;
}

int
user_probe_unwinds(const struct user_probe *up)
{
	return (up->usp_flags & USER_UNWINDS) != 0;
}

int
user_probe_learn(struct user_probe *up, const struct file_probes *fip,
    const struct probe_site *ps, const struct probe_arg *pa)
{
	return ps != NULL && (ps->psi_flags & PROBE_SITE_DWARF)
	    ? args_dwarf(up, fip, pa, ps->psi_nargs)
	    : args_default(up);
}

int
user_probe_symbol(const struct dt_probe *dtp, struct dtioc_addr *ad,
    struct reason *rs)
{
	const struct user_probe *up = (const struct user_probe *)dtp;
	struct probe_query pq = { .pq_kind = PROBE_QUERY_VARIABLE,
		.pq_max = 1,
		.pq_off = up->usp_places[0].upc_offset };
	struct file_probes fip;
	int error;

	if (up->usp_isreturn)
		return reason_fail(rs, EINVAL,
		    "where the file is in memory is not known at a return, only "
		    "at an entry");
	if (up->usp_nplaces != 1)
		return reason_fail(rs, EINVAL,
		    "the probe has %zu places, and the distance to a symbol is "
		    "another one at each",
		    up->usp_nplaces);
	error = user_file_query(up->usp_file, &pq, ad->dtad_name, &fip, rs);
	if (error != 0)
		return error;
	if (fip.fip_ismore)
		error = reason_fail(rs, EINVAL,
		    "%s has several static symbols %.100s",
		    up->usp_file->dfl_name, ad->dtad_name);
	else if (fip.fip_nsites == 0)
		error = reason_fail(rs, ENOENT,
		    "%s has no symbol %.100s in its symbol tables",
		    up->usp_file->dfl_name, ad->dtad_name);
	else {
		ad->dtad_addr = fip.fip_sites[0].psi_off;
		ad->dtad_size = fip.fip_sites[0].psi_size;
	}
	file_probes_free(&fip);
	return error;
}
