/* SPDX-License-Identifier: ISC */
/*
 * Finds the arguments of a function: names and types in DWARF, places by the
 * calling convention.  The places in DWARF, if
 * any, begin after the entry of an optimized function.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/arguments.h"
#include "symbolizer/calling_convention.h"
#include "symbolizer/demangle.h"
#include "symbolizer/lines.h"

#define CHILDREN_MAX 65536 /* entries of a function that are visited */

static void
refuse(struct found_arg *fa, const char *why)
{
	fa->fa_why = why;
	fa->fa_arg.pra_place = PROBE_PLACE_NONE;
	fa->fa_arg.pra_base = fa->fa_arg.pra_index = PROBE_REG_NONE;
}

/* Rust defines no convention; in practice, it passes numbers as C does. */
static void
check_rust(struct arguments *arg, const struct type_info *ti,
    struct found_arg *fa)
{
	if (!arg->arg_isrust || ti->ti_kind != PROBE_ARG_STRUCT)
		return;
	refuse(fa, "Rust passes structs in its own way");
	if ((fa->fa_arg.pra_flags & PROBE_ARG_RETURN) == 0)
		arg->arg_why = "it follows a struct, which Rust passes in "
			       "its own way";
	else if (ti->ti_size > 8)
		arg->arg_why = "the function returns a struct, which Rust does "
			       "in its own way";
}

static void
add(struct arguments *arg, Dwarf_Die *die, int isreturn)
{
	struct found_arg *fa = &arg->arg_v[arg->arg_n];
	char *text = arg->arg_types[arg->arg_n];
	struct type_info ti;

	type_of(die, &ti);
	if (isreturn && ti.ti_kind == 0)
		return; /* void */
	memset(fa, 0, sizeof(*fa));
	if (isreturn)
		convention_return(&arg->arg_convention, &ti, fa);
	else
		convention_next(&arg->arg_convention, &ti, fa);
	if (arg->arg_why != NULL)
		refuse(fa, arg->arg_why);
	check_rust(arg, &ti, fa);
	/* not a type; the return value has its flag */
	if (fa->fa_arg.pra_kind == 0)
		fa->fa_arg.pra_kind = PROBE_ARG_UNKNOWN;
	fa->fa_name = isreturn ? NULL : dwarf_diename(die);
	type_text(die, text);
	fa->fa_type = text;
	arg->arg_n++;
}

/* GCC's number of a constructor's variant is never passed. */
static int
is_passed(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name == NULL || strcmp(name, "__in_chrg") != 0;
}

/* Adds the parameters; the return value has its place at the end. */
static void
add_parameters(struct arguments *arg, Dwarf_Die *function)
{
	Dwarf_Die child;
	int i = 0;

	if (dwarf_child(function, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    is_passed(&child))
			add(arg, &child, 0);
	} while (++i < CHILDREN_MAX && arg->arg_n < PROBE_ARGS_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
}

static void
return_to_end(struct arguments *arg, unsigned int nreturns)
{
	struct found_arg first = arg->arg_v[0];

	if (nreturns == 0)
		return;
	memmove(arg->arg_v, arg->arg_v + 1,
	    (arg->arg_n - 1) * sizeof(*arg->arg_v));
	arg->arg_v[arg->arg_n - 1] = first;
}

/* Suffixes of functions whose parameters GCC changed. */
static int
is_changed(const char *raw)
{
	return strstr(raw, ".isra.") != NULL ||
	    strstr(raw, ".constprop.") != NULL || strstr(raw, ".part.") != NULL;
}

static const char *
why_none(Dwarf_Die *function, Dwarf_Die *unit, const char *raw)
{
	Dwarf_Attribute attr;
	Dwarf_Word how;

	if (dwarf_srclang(unit) == DW_LANG_Go)
		return "Go passes arguments in its own way";
	if (is_changed(raw) ||
	    (dwarf_attr_integrate(function, DW_AT_calling_convention, &attr) !=
		    NULL &&
		dwarf_formudata(&attr, &how) == 0 && how == DW_CC_nocall))
		return "the compiler changed the function's parameters";
	return NULL;
}

static void
find(struct arguments *arg, Dwarf_Die *function, Dwarf_Die *unit,
    const char *raw)
{
	unsigned int nreturns;

	arg->arg_why = why_none(function, unit, raw);
	arg->arg_isrust = dwarf_srclang(unit) == DW_LANG_Rust;
	add(arg, function, 1);
	nreturns = arg->arg_n;
	add_parameters(arg, function);
	return_to_end(arg, nreturns);
}

static int
is_known(const struct elffile *ef, struct convention *cnv)
{
	return convention_begin(cnv, ef->ef_ehdr.e_machine) &&
	    ef->ef_ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

void
arguments_add(struct object_file *ob, struct lines *li, uint64_t addr,
    const char *raw, struct arguments *arg, struct found_site *fo)
{
	Dwarf_Die function, unit;

	arg->arg_n = 0;
	if (!is_known(object_file_main(ob), &arg->arg_convention) ||
	    !lines_function(li, addr, &function, &unit))
		return;
	find(arg, &function, &unit, raw);
	fo->fo_args = arg->arg_v;
	fo->fo_site.psi_nargs = arg->arg_n;
	fo->fo_site.psi_flags |= PROBE_SITE_DWARF;
}

int
arguments_find(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	const struct elffile *ef = object_file_main(ob);
	const struct elfload *el = elffile_at(ef, pq->pq_off);
	char raw[SYMREQ_NAME], name[SYMREQ_NAME];
	struct found_site fo = { .fo_name = name };
	struct arguments arg;
	struct lines *li;
	uint64_t addr, start = 0;
	int error;

	if (!is_known(ef, &arg.arg_convention))
		return EOPNOTSUPP;
	if (el == NULL || pq->pq_max == 0)
		return 0;
	addr = pq->pq_off - el->el_off + el->el_addr;
	if ((error = object_file_function(ob, addr, raw, &start)) != 0)
		return error;
	if (start != addr)
		raw[0] = '\0';
	demangle_name(raw, strlen(raw), name);
	fo.fo_site.psi_off = fo.fo_site.psi_start = pq->pq_off;
	if ((li = object_file_lines(ob)) != NULL) {
		lines_begin(li);
		arguments_add(ob, li, addr, raw, &arg, &fo);
	}
	sink->psk_put(sink, &fo);
	if (li != NULL)
		lines_trim(li);
	return 0;
}
