/* SPDX-License-Identifier: ISC */
/*
 * Describes types.  Entries of a hostile file may refer to each other in
 * circles, so each walk has a number of steps and a depth.
 */
#include <dwarf.h>
#include <string.h>

#include "symbolizer/types.h"
#include "wire/file_probe.h"

#define MAXDEPTH 16   /* of structs in each other */
#define MAXSTEPS 4096 /* entries visited for a type */
#define MAXPEEL	 32   /* typedefs of typedefs */

struct type_walk {
	struct type_info *tw_info;
	unsigned int tw_steps;
};

static int
is_qualifier(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
	    tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	    tag == DW_TAG_atomic_type;
}

/* Stores the type of an entry or its origin.  Returns 0 for void. */
static int
type_die(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) != NULL &&
	    dwarf_formref_die(&attr, type) != NULL;
}

/* The same without typedefs and qualifiers. */
static int
bare_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Die at = *die;
	int i;

	for (i = 0; i < MAXPEEL; i++) {
		if (!type_die(&at, type))
			return 0;
		if (!is_qualifier(dwarf_tag(type)))
			return 1;
		at = *type;
	}
	return 0;
}

static uint64_t
number(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr_integrate(die, name, &attr) == NULL ||
	    dwarf_formudata(&attr, &value) != 0)
		return otherwise;
	return value;
}

static int
has_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool is;

	return dwarf_attr(die, name, &attr) != NULL &&
	    dwarf_formflag(&attr, &is) == 0 && is;
}

/*
 * --- how it is passed -------------------------------------------------------
 */

static void
walk_type(struct type_walk *, Dwarf_Die *type, uint64_t at, int depth);

static void
add_part(struct type_info *ti, uint64_t at, uint64_t size, enum type_part part)
{
	uint64_t i;

	if (size > TYPE_SMALL || at > TYPE_SMALL - size)
		return;
	for (i = at / 8; size > 0 && i <= (at + size - 1) / 8; i++)
		if (ti->ti_parts[i] < part)
			ti->ti_parts[i] = part;
}

static void
add_scalar(struct type_info *ti, uint64_t at, uint64_t size,
    enum type_part part)
{
	if (size > 0 && size <= TYPE_SMALL && at % size != 0)
		ti->ti_ismemory = 1;
	if (ti->ti_align < size && size <= TYPE_SMALL)
		ti->ti_align = size;
	if (part != TYPE_PART_FLOAT ||
	    (ti->ti_floatsize != 0 && ti->ti_floatsize != size))
		ti->ti_nfloats = -1;
	else if (ti->ti_nfloats >= 0) {
		ti->ti_floatsize = size;
		ti->ti_nfloats++;
	}
	add_part(ti, at, size, part);
}

static int
is_named(Dwarf_Die *die, const char *part)
{
	const char *name = dwarf_diename(die);

	return name != NULL && strstr(name, part) != NULL;
}

static void
walk_base(struct type_walk *tw, Dwarf_Die *type, uint64_t at)
{
	uint64_t size = number(type, DW_AT_byte_size, 0);

	switch (number(type, DW_AT_encoding, 0)) {
	case DW_ATE_complex_float:
		add_scalar(tw->tw_info, at, size / 2, TYPE_PART_FLOAT);
		add_scalar(tw->tw_info, at + size / 2, size / 2,
		    TYPE_PART_FLOAT);
		if (size > TYPE_SMALL)
			tw->tw_info->ti_ismemory = 1;
		break;
	case DW_ATE_float:
	case DW_ATE_decimal_float:
		add_scalar(tw->tw_info, at, size, TYPE_PART_FLOAT);
		/* the x87's format of 16 bytes is not in vector registers */
		if (size > 8 && !is_named(type, "128"))
			tw->tw_info->ti_ismemory = 1;
		break;
	default:
		add_scalar(tw->tw_info, at, size, TYPE_PART_INT);
	}
}

/* Returns where a member is; UINT64_MAX: this is not a constant. */
static uint64_t
member_at(Dwarf_Die *member)
{
	uint64_t bits = number(member, DW_AT_data_bit_offset, UINT64_MAX);
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (bits != UINT64_MAX)
		return bits / 8;
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) == NULL)
		return 0; /* a union */
	return dwarf_formudata(&attr, &value) == 0 ? value : UINT64_MAX;
}

static void
walk_member(struct type_walk *tw, Dwarf_Die *member, uint64_t at, int depth)
{
	uint64_t bits = number(member, DW_AT_bit_size, 0);
	uint64_t in = member_at(member);
	Dwarf_Die type;

	if (has_flag(member, DW_AT_external) ||
	    has_flag(member, DW_AT_declaration))
		return; /* a static one */
	if (in == UINT64_MAX || in > TYPE_SMALL)
		tw->tw_info->ti_ismemory = 1;
	else if (bits != 0) {
		tw->tw_info->ti_nfloats = -1;
		add_part(tw->tw_info, at + in, bits > 8 ? 8 : 1, TYPE_PART_INT);
	} else if (bare_type(member, &type))
		walk_type(tw, &type, at + in, depth + 1);
}

static void
walk_struct(struct type_walk *tw, Dwarf_Die *type, uint64_t at, int depth)
{
	Dwarf_Die child;

	if (dwarf_child(type, &child) != 0)
		return;
	do {
		if (tw->tw_steps == 0)
			break;
		tw->tw_steps--;
		if (dwarf_tag(&child) == DW_TAG_member ||
		    dwarf_tag(&child) == DW_TAG_inheritance)
			walk_member(tw, &child, at, depth);
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* Elements of an array that is at most TYPE_SMALL bytes large. */
static uint64_t
array_count(Dwarf_Die *array)
{
	uint64_t n, all = 1;
	Dwarf_Die child;
	int i = 0;

	if (dwarf_child(array, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		n = number(&child, DW_AT_upper_bound, UINT64_MAX) + 1;
		n = number(&child, DW_AT_count, n);
		if (n > TYPE_SMALL)
			n = TYPE_SMALL + 1;
		all = all * n > TYPE_SMALL ? TYPE_SMALL + 1 : all * n;
	} while (++i < MAXDEPTH && dwarf_siblingof(&child, &child) == 0);
	return all;
}

static uint64_t
size_of(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type:
		return 8;
	default:
		return number(type, DW_AT_byte_size, 0);
	}
}

static void
walk_array(struct type_walk *tw, Dwarf_Die *array, uint64_t at, int depth)
{
	uint64_t i, size, n = array_count(array);
	Dwarf_Die type;

	if (!bare_type(array, &type))
		return;
	size = size_of(&type);
	if (has_flag(array, DW_AT_GNU_vector)) {
		add_part(tw->tw_info, at, n * size, TYPE_PART_FLOAT);
		return;
	}
	for (i = 0; i < n && i * size < TYPE_SMALL && tw->tw_steps > 0; i++) {
		tw->tw_steps--;
		walk_type(tw, &type, at + i * size, depth + 1);
	}
}

/* Adds the parts of a bare type. */
static void
walk_type(struct type_walk *tw, Dwarf_Die *type, uint64_t at, int depth)
{
	if (depth == MAXDEPTH || tw->tw_steps == 0) {
		tw->tw_info->ti_ismemory = 1;
		return;
	}
	tw->tw_steps--;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		walk_base(tw, type, at);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		walk_struct(tw, type, at, depth);
		break;
	case DW_TAG_array_type:
		walk_array(tw, type, at, depth);
		break;
	default:
		add_scalar(tw->tw_info, at, size_of(type), TYPE_PART_INT);
	}
}

static int
is_char(Dwarf_Die *pointer)
{
	Dwarf_Die type;
	const char *name;

	return bare_type(pointer, &type) &&
	    dwarf_tag(&type) == DW_TAG_base_type &&
	    (name = dwarf_diename(&type)) != NULL && strcmp(name, "char") == 0;
}

static int
is_signed(Dwarf_Die *type)
{
	uint64_t encoding = number(type, DW_AT_encoding, 0);
	Dwarf_Die of;

	if (dwarf_tag(type) == DW_TAG_enumeration_type && bare_type(type, &of))
		encoding = number(&of, DW_AT_encoding, 0);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/*
 * A class with a destructor is passed by reference, unless its entry has the
 * attribute for it.
 */
static int
is_byref(Dwarf_Die *type)
{
	uint64_t how = number(type, DW_AT_calling_convention, 0);
	Dwarf_Die child;
	const char *name;
	int i = 0;

	if (how != 0 || dwarf_child(type, &child) != 0)
		return how == DW_CC_pass_by_reference;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram &&
		    (name = dwarf_diename(&child)) != NULL && *name == '~' &&
		    !has_flag(&child, DW_AT_artificial) &&
		    number(&child, DW_AT_defaulted, 0) == 0)
			return 1;
	} while (++i < MAXSTEPS && dwarf_siblingof(&child, &child) == 0);
	return 0;
}

static uint8_t
kind_of(Dwarf_Die *type)
{
	uint64_t encoding;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		encoding = number(type, DW_AT_encoding, 0);
		return encoding == DW_ATE_float ||
			encoding == DW_ATE_complex_float ||
			encoding == DW_ATE_imaginary_float ||
			encoding == DW_ATE_decimal_float
		    ? PROBE_ARG_FLOAT
		    : PROBE_ARG_INT;
	case DW_TAG_enumeration_type:
		return PROBE_ARG_INT;
	case DW_TAG_pointer_type:
		return is_char(type) ? PROBE_ARG_TEXT : PROBE_ARG_PTR;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type:
		return PROBE_ARG_PTR;
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return PROBE_ARG_STRUCT;
	case DW_TAG_array_type:
		return has_flag(type, DW_AT_GNU_vector) ? PROBE_ARG_FLOAT
							: PROBE_ARG_STRUCT;
	default:
		return PROBE_ARG_UNKNOWN;
	}
}

/* A pointer to a function that is a member has two words, else one. */
static uint64_t
member_pointer_size(Dwarf_Die *type)
{
	Dwarf_Die of;

	return bare_type(type, &of) && dwarf_tag(&of) == DW_TAG_subroutine_type
	    ? 16
	    : 8;
}

void
type_of(Dwarf_Die *die, struct type_info *ti)
{
	struct type_walk tw = { ti, MAXSTEPS };
	Dwarf_Die type;

	*ti = (struct type_info){ .ti_align = 1 };
	if (!bare_type(die, &type)) {
		if (type_die(die, &type))
			ti->ti_kind = is_qualifier(dwarf_tag(&type))
			    ? 0 /* const void, or a circle */
			    : PROBE_ARG_UNKNOWN;
		return;
	}
	ti->ti_kind = kind_of(&type);
	ti->ti_issigned = is_signed(&type);
	ti->ti_size = size_of(&type);
	if (ti->ti_kind == PROBE_ARG_STRUCT)
		ti->ti_isbyref = is_byref(&type);
	if (dwarf_tag(&type) == DW_TAG_ptr_to_member_type) {
		ti->ti_size = member_pointer_size(&type);
		ti->ti_align = 8;
		ti->ti_nfloats = -1;
		add_part(ti, 0, ti->ti_size, TYPE_PART_INT);
		return;
	}
	/* a vector, whose entry has no size */
	if (dwarf_tag(&type) == DW_TAG_array_type && ti->ti_size == 0)
		ti->ti_size = TYPE_SMALL;
	walk_type(&tw, &type, 0, 0);
	/* GCC leaves out the members of a transparent union: pointers */
	if (dwarf_tag(&type) == DW_TAG_union_type && ti->ti_size > 1 &&
	    ti->ti_parts[0] == TYPE_PART_NONE)
		add_part(ti, 0, ti->ti_size, TYPE_PART_INT);
	if (number(&type, DW_AT_alignment, 1) > ti->ti_align)
		ti->ti_align = number(&type, DW_AT_alignment, 1);
	if (ti->ti_align > TYPE_SMALL)
		ti->ti_align = TYPE_SMALL;
}
