/* SPDX-License-Identifier: ISC */
/*
 * Finds places of arguments.  Both conventions pass integers, and structs of at
 * most 16 bytes, in registers while there are enough, then on the stack.  They
 * differ in larger structs: x86-64 copies them to the stack, arm64 passes their
 * address.
 */
#include <elf.h>
#include <string.h>

#include "symbolizer/calling_convention.h"
#include "symbolizer/machine_regs.h"

#define NFLOATS 8 /* registers of floating point arguments, on both */

static const char a_float[] = "it is a floating point number";
static const char half_float[] = "a part of it is a floating point number";

static const struct convention_machine {
	unsigned int mch_machine;
	unsigned int mch_nints;
	uint8_t mch_ints[8];
	uint8_t mch_returns[2];
	uint8_t mch_sp;
	uint8_t mch_return; /* bytes of the return address on the stack */
} machines[] = {
	{ EM_X86_64, 6,
	    { REG_X86_RDI, REG_X86_RSI, REG_X86_RDX, REG_X86_RCX, REG_X86_R8,
		REG_X86_R9 },
	    { REG_X86_RAX, REG_X86_RDX }, REG_X86_RSP, 8 },
	{ EM_AARCH64, 8, { 0, 1, 2, 3, 4, 5, 6, 7 }, { 0, 1 }, REG_ARM64_SP,
	    0 },
};

static const struct convention_machine *
machine_of(const struct convention *cnv)
{
	return &machines[cnv->cnv_machine == EM_AARCH64];
}

static int
is_arm64(const struct convention *cnv)
{
	return cnv->cnv_machine == EM_AARCH64;
}

int
convention_begin(struct convention *cnv, unsigned int machine)
{
	*cnv = (struct convention){ .cnv_machine = machine };
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

/*
 * --- how a type is passed ---------------------------------------------------
 */

/* Up to four floating point numbers of one size, on arm64. */
static int
is_vector(const struct convention *cnv, const struct type_info *ti)
{
	return is_arm64(cnv) && ti->ti_nfloats >= 1 && ti->ti_nfloats <= 4;
}

/* Returns whether a value is never in registers, itself. */
static int
is_large(const struct convention *cnv, const struct type_info *ti)
{
	if (is_vector(cnv, ti))
		return 0;
	return ti->ti_size > TYPE_SMALL || (!is_arm64(cnv) && ti->ti_ismemory);
}

static unsigned int
count(const struct type_info *ti, enum type_part part)
{
	return (ti->ti_parts[0] == part) +
	    (ti->ti_size > 8 && ti->ti_parts[1] == part);
}

/* Returns how many registers of each kind a value that is not large takes. */
static void
registers(const struct convention *cnv, const struct type_info *ti,
    unsigned int *nints, unsigned int *nfloats)
{
	if (is_vector(cnv, ti)) {
		*nints = 0;
		*nfloats = ti->ti_nfloats;
	} else if (is_arm64(cnv)) {
		*nints = (ti->ti_size + 7) / 8;
		*nfloats = 0;
	} else {
		*nints = count(ti, TYPE_PART_INT);
		*nfloats = count(ti, TYPE_PART_FLOAT);
		/* 16 bytes of one number */
		if (ti->ti_kind == PROBE_ARG_FLOAT && ti->ti_nfloats == 1)
			*nfloats = 1;
	}
}

static void
refuse(struct found_arg *fa, const char *why)
{
	fa->fa_arg.pra_place = PROBE_PLACE_NONE;
	fa->fa_why = why;
}

static void
in_registers(struct found_arg *fa, uint8_t first, uint8_t second)
{
	fa->fa_arg.pra_place = PROBE_PLACE_REG;
	fa->fa_arg.pra_base = first;
	fa->fa_arg.pra_index = second;
}

static void
describe(const struct type_info *ti, struct found_arg *fa)
{
	fa->fa_arg = (struct probe_arg){ .pra_kind = ti->ti_kind,
		.pra_size = ti->ti_size > UINT32_MAX ? 0 : ti->ti_size,
		.pra_flags = ti->ti_issigned ? PROBE_ARG_SIGNED : 0,
		.pra_base = PROBE_REG_NONE,
		.pra_index = PROBE_REG_NONE,
		.pra_scale = 1 };
	fa->fa_why = NULL;
}

/*
 * --- arguments --------------------------------------------------------------
 */

/* Takes memory of the stack. */
static void
on_stack(struct convention *cnv, uint64_t size, uint64_t align,
    struct found_arg *fa)
{
	const struct convention_machine *mch = machine_of(cnv);

	if (align < 8)
		align = 8;
	cnv->cnv_stack = (cnv->cnv_stack + align - 1) & ~(align - 1);
	fa->fa_arg.pra_place = PROBE_PLACE_MEM;
	fa->fa_arg.pra_base = mch->mch_sp;
	fa->fa_arg.pra_value = mch->mch_return + cnv->cnv_stack;
	cnv->cnv_stack += (size + 7) & ~7ULL;
	if (cnv->cnv_stack > INT32_MAX)
		cnv->cnv_stack = INT32_MAX;
}

/* The address of a struct is passed in its place. */
static void
next_reference(struct convention *cnv, struct found_arg *fa)
{
	const struct convention_machine *mch = machine_of(cnv);

	fa->fa_arg.pra_flags |= PROBE_ARG_BYREF;
	if (cnv->cnv_nints < mch->mch_nints)
		in_registers(fa, mch->mch_ints[cnv->cnv_nints++],
		    PROBE_REG_NONE);
	else
		on_stack(cnv, 8, 8, fa);
}

static void
take_registers(struct convention *cnv, const struct type_info *ti,
    unsigned int nints, unsigned int nfloats, struct found_arg *fa)
{
	const struct convention_machine *mch = machine_of(cnv);
	const uint8_t *regs = mch->mch_ints + cnv->cnv_nints;

	cnv->cnv_nints += nints;
	cnv->cnv_nfloats += nfloats;
	if (nfloats > 0)
		refuse(fa, nints > 0 ? half_float : a_float);
	else if (nints > 0)
		in_registers(fa, regs[0], nints > 1 ? regs[1] : PROBE_REG_NONE);
	else
		refuse(fa,
		    ti->ti_kind == PROBE_ARG_STRUCT ? "it is empty"
						    : "its size is not known");
}

static void
next_small(struct convention *cnv, const struct type_info *ti,
    struct found_arg *fa)
{
	const struct convention_machine *mch = machine_of(cnv);
	unsigned int nints, nfloats;

	registers(cnv, ti, &nints, &nfloats);
	if (is_arm64(cnv) && nints == 2 && ti->ti_align == 16)
		cnv->cnv_nints += cnv->cnv_nints & 1;
	if (cnv->cnv_nints + nints <= mch->mch_nints &&
	    cnv->cnv_nfloats + nfloats <= NFLOATS) {
		take_registers(cnv, ti, nints, nfloats, fa);
		return;
	}
	/* on arm64, none of the rest is used for later ones */
	if (is_arm64(cnv) && nints > 0)
		cnv->cnv_nints = mch->mch_nints;
	if (is_arm64(cnv) && nfloats > 0)
		cnv->cnv_nfloats = NFLOATS;
	on_stack(cnv, ti->ti_size, ti->ti_align, fa);
}

void
convention_next(struct convention *cnv, const struct type_info *ti,
    struct found_arg *fa)
{
	describe(ti, fa);
	if (ti->ti_kind == 0 || ti->ti_kind == PROBE_ARG_UNKNOWN ||
	    ti->ti_size == 0) {
		refuse(fa, "its type is not known");
		return;
	}
	if (ti->ti_isbyref || (is_arm64(cnv) && is_large(cnv, ti)))
		next_reference(cnv, fa);
	else if (is_large(cnv, ti))
		on_stack(cnv, ti->ti_size, ti->ti_align, fa);
	else
		next_small(cnv, ti, fa);
	if (ti->ti_kind == PROBE_ARG_FLOAT)
		refuse(fa, a_float);
}

/*
 * The caller allocates memory for a large value.  On x86-64 its address is the
 * first argument, and is returned; on arm64 it is in x8.
 */
void
convention_return(struct convention *cnv, const struct type_info *ti,
    struct found_arg *fa)
{
	const struct convention_machine *mch = machine_of(cnv);
	unsigned int nints, nfloats;

	describe(ti, fa);
	fa->fa_arg.pra_flags |= PROBE_ARG_RETURN;
	/* the x87's format is returned in its register, also in a struct */
	if (ti->ti_kind == PROBE_ARG_FLOAT ||
	    (ti->ti_nfloats == 1 && ti->ti_floatsize == 16))
		refuse(fa, a_float);
	else if (ti->ti_kind == PROBE_ARG_UNKNOWN || ti->ti_size == 0)
		refuse(fa, "its type is not known");
	else if (ti->ti_isbyref || is_large(cnv, ti)) {
		fa->fa_arg.pra_flags |= PROBE_ARG_BYREF;
		if (is_arm64(cnv))
			refuse(fa, "its place is not known any more");
		else {
			cnv->cnv_nints = 1;
			in_registers(fa, mch->mch_returns[0], PROBE_REG_NONE);
		}
	} else {
		registers(cnv, ti, &nints, &nfloats);
		if (nfloats > 0)
			refuse(fa, nints > 0 ? half_float : a_float);
		else if (nints == 0)
			refuse(fa, "it is empty");
		else
			in_registers(fa, mch->mch_returns[0],
			    nints > 1 ? mch->mch_returns[1] : PROBE_REG_NONE);
	}
}
