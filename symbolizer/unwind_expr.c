/* SPDX-License-Identifier: ISC */
/* Reads DWARF expressions of unwind information. */
#include <dwarf.h>
#include <string.h>

#include "symbolizer/cursor.h"
#include "symbolizer/unwind_expr.h"

/* Reads "register + offset"; 0: the expression begins otherwise. */
static int
breg(struct cursor *cu, uint8_t *reg, int64_t *off)
{
	uint8_t op = cursor_uint(cu, 1);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return 0;
	*reg = op - DW_OP_breg0;
	*off = cursor_sleb(cu);
	return !cu->cu_isbad;
}

/*
 * Entries of the procedure linkage table push a word after some bytes:
 *	((ip & 15) >= bytes) << 3) + sp + 8
 * Reads the rest of the expression, after sp + 8; returns the bytes, or 0.
 */
static unsigned int
plt(struct cursor *cu)
{
	static const uint8_t before[] = { DW_OP_breg16, 0, DW_OP_lit15,
		DW_OP_and };
	static const uint8_t after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl,
		DW_OP_plus };
	const uint8_t *p = cu->cu_at;

	if (cu->cu_end - p != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(p, before, sizeof(before)) != 0 ||
	    memcmp(p + sizeof(before) + 1, after, sizeof(after)) != 0 ||
	    p[sizeof(before)] < DW_OP_lit1 || p[sizeof(before)] > DW_OP_lit15)
		return 0;
	return p[sizeof(before)] - DW_OP_lit0;
}

/* Reads the rest of an expression after a dereference: "+ add", or nothing. */
static int
plus(struct cursor *cu, uint64_t *add)
{
	*add = 0;
	if (cu->cu_at == cu->cu_end)
		return 1;
	if (cursor_uint(cu, 1) != DW_OP_plus_uconst)
		return 0;
	*add = cursor_uleb(cu);
	return !cu->cu_isbad && cu->cu_at == cu->cu_end && *add <= INT16_MAX;
}

/* Reads the rest of an expression after register and offset, a dereference. */
static void
deref(struct cursor *cu, int64_t off, int issignal, struct unwind_rule *un)
{
	uint64_t add;

	cursor_skip(cu, 1);
	if (!plus(cu, &add))
		return;
	if (issignal && add == 0)
		un->un_cfa = UNWIND_CFA_SIGNAL;
	else if (!issignal && off >= INT16_MIN && off <= INT16_MAX) {
		un->un_cfa = UNWIND_CFA_MEM;
		un->un_cfaoff = UNWIND_MEM(off, add);
	}
}

void
unwind_expr_cfa(const uint8_t *expr, size_t len, int issignal,
    struct unwind_rule *un)
{
	struct cursor cu = { expr, expr + len, 0 };
	unsigned int nbytes;
	int64_t off;
	uint8_t reg;

	un->un_cfa = UNWIND_CFA_UNSUPPORTED;
	if (!breg(&cu, &reg, &off) || off < INT32_MIN || off > INT32_MAX)
		return;
	un->un_reg = reg;
	un->un_cfaoff = off;
	if (cu.cu_at == cu.cu_end)
		un->un_cfa = UNWIND_CFA_REG;
	else if (*cu.cu_at == DW_OP_deref)
		deref(&cu, off, issignal, un);
	else if ((nbytes = plt(&cu)) != 0) {
		un->un_cfa = UNWIND_CFA_PLT;
		un->un_raoff = nbytes;
	}
}

void
unwind_expr_fp(const uint8_t *expr, size_t len, uint8_t fp,
    struct unwind_rule *un)
{
	struct cursor cu = { expr, expr + len, 0 };
	int64_t off;
	uint8_t reg;

	un->un_fp = UNWIND_FP_UNKNOWN;
	if (!breg(&cu, &reg, &off) || reg != fp || cu.cu_at != cu.cu_end ||
	    off < INT16_MIN || off > INT16_MAX)
		return;
	un->un_fp = UNWIND_FP_FP;
	un->un_fpoff = off;
}
