/* SPDX-License-Identifier: ISC */
/* Writes types of DWARF as C does. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/types.h"

#define MAXDEPTH 16 /* pointers to pointers, and qualifiers */

static const struct {
	int tt_tag;
	const char *tt_before; /* of the text of what it refers to, */
	const char *tt_behind; /* or of its name */
} words[] = {
	{ DW_TAG_pointer_type, "", " *" },
	{ DW_TAG_reference_type, "", " &" },
	{ DW_TAG_rvalue_reference_type, "", " &&" },
	{ DW_TAG_const_type, "const ", "" },
	{ DW_TAG_volatile_type, "volatile ", "" },
	{ DW_TAG_restrict_type, "", "" },
	{ DW_TAG_atomic_type, "_Atomic ", "" },
	{ DW_TAG_array_type, "", "[]" },
	{ DW_TAG_ptr_to_member_type, "", " ::*" },
	{ DW_TAG_structure_type, "struct ", "" },
	{ DW_TAG_union_type, "union ", "" },
	{ DW_TAG_enumeration_type, "enum ", "" },
};

/* Appends a string, cut to the capacity. */
static void
append(char text[TYPE_TEXT], const char *s)
{
	size_t n = strlen(text);

	snprintf(text + n, TYPE_TEXT - n, "%s", s);
}

static int
is_c(Dwarf_Die *die)
{
	Dwarf_Die cu;

	switch (dwarf_diecu(die, &cu, NULL, NULL) == NULL
		? 0
		: dwarf_srclang(&cu)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return 1;
	default:
		return 0;
	}
}

/* Returns whether a type refers to another. */
static int
refers(int tag)
{
	return tag != DW_TAG_structure_type && tag != DW_TAG_union_type &&
	    tag != DW_TAG_enumeration_type && tag != DW_TAG_base_type &&
	    tag != DW_TAG_class_type && tag != DW_TAG_typedef &&
	    tag != DW_TAG_unspecified_type;
}

static void append_type_of(Dwarf_Die *die, char text[TYPE_TEXT], int depth);

static int
is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	    tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* Stores the type that a type refers to.  Returns its tag, 0 for void. */
static int
referred(Dwarf_Die *type, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(type, DW_AT_type, &attr) == NULL ||
	    dwarf_formref_die(&attr, to) == NULL)
		return 0;
	return dwarf_tag(to);
}

/*
 * Leaves out the qualifiers of a pointer itself, and the parameters of a
 * function that a pointer refers to.
 */
static void
append_referring(Dwarf_Die *type, const char *before, const char *behind,
    char text[TYPE_TEXT], int depth)
{
	int tag = dwarf_tag(type), to;
	Dwarf_Die die;

	to = referred(type, &die);
	if (is_qualifier(tag) && to == DW_TAG_pointer_type)
		before = "";
	if (tag == DW_TAG_pointer_type && to == DW_TAG_subroutine_type) {
		append_type_of(&die, text, depth + 1);
		append(text, " (*)()");
		return;
	}
	append(text, before);
	append_type_of(type, text, depth + 1);
	/* no space between stars */
	append(text,
	    *text != '\0' && text[strlen(text) - 1] == '*'
		? behind + (*behind == ' ')
		: behind);
}

static void
append_type(Dwarf_Die *type, char text[TYPE_TEXT], int depth)
{
	const char *name = dwarf_diename(type), *before = "", *behind = "";
	int tag = dwarf_tag(type);
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].tt_tag == tag) {
			before = words[i].tt_before;
			behind = words[i].tt_behind;
		}
	if (tag == DW_TAG_subroutine_type) {
		append_type_of(type, text, depth + 1);
		append(text, " ()");
	} else if (refers(tag))
		append_referring(type, before, behind, text, depth);
	else {
		append(text, is_c(type) ? before : "");
		append(text, name == NULL ? "{...}" : name);
	}
}

static void
append_type_of(Dwarf_Die *die, char text[TYPE_TEXT], int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (depth == MAXDEPTH)
		append(text, "...");
	else if (dwarf_attr_integrate(die, DW_AT_type, &attr) == NULL)
		append(text, "void");
	else if (dwarf_formref_die(&attr, &type) == NULL)
		append(text, "?");
	else
		append_type(&type, text, depth);
}

void
type_text(Dwarf_Die *die, char text[TYPE_TEXT])
{
	text[0] = '\0';
	append_type_of(die, text, 0);
}
