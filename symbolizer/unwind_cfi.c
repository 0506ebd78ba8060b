/* SPDX-License-Identifier: ISC */
/*
 * Executes call frame instructions.  The input is hostile:
 * each read is checked against the entry's end, and the work is bounded.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/cursor.h"
#include "symbolizer/unwind_cfi.h"
#include "symbolizer/unwind_expr.h"

#define CFI_STATES 16	       /* depth of DW_CFA_remember_state; gcc uses 2 */
#define CFI_WORK   (32U << 20) /* instructions; libcrypto has 300,000 */

#define REG_NONE   0xff

/* DWARF numbers of the registers that a walk follows. */
struct registers {
	uint8_t rg_fp, rg_ra;
	uint8_t rg_bx;		     /* of UNWIND_RA_BX, or REG_NONE */
	struct unwind_rule rg_first; /* before a CIE's instructions */
};

static const struct registers x86_64 = { 6, 16, 3,
	{ .un_ra = UNWIND_RA_MEM, .un_raoff = -8 } };
static const struct registers aarch64 = { 29, 30, REG_NONE,
	{ .un_ra = UNWIND_RA_REG, .un_raoff = 30 } };

/* A common information entry. */
struct cie {
	const uint8_t *ci_at; /* the first byte; NULL: none was read */
	uint64_t ci_codealign;
	int64_t ci_dataalign;
	uint8_t ci_encoding; /* of addresses */
	uint8_t ci_hasdata;  /* entries have augmentation data */
	uint8_t ci_issignal;
	struct unwind_rule ci_rule; /* after its instructions */
};

struct run {
	const struct cfi *ru_cfi;
	const struct registers *ru_registers;
	cfi_rowfn *ru_fn;
	void *ru_arg;
	struct cie ru_cie;
	uint64_t ru_work;
	/* the function */
	uint64_t ru_addr;
	int ru_error; /* from ru_fn */
	struct unwind_rule ru_rule;
	struct unwind_rule ru_states[CFI_STATES];
	unsigned int ru_nstates;
};

/* Operands of an instruction. */
struct operands {
	uint64_t op_a, op_b;
	const uint8_t *op_block;
	size_t op_len;
};

/*
 * Addresses
 */

/* Returns an address in an encoding (DW_EH_PE_*), or marks the cursor bad. */
static uint64_t
address(const struct run *ru, struct cursor *cu, uint8_t encoding)
{
	uint64_t here = ru->ru_cfi->cf_addr +
	    (uint64_t)(cu->cu_at - ru->ru_cfi->cf_bytes);
	uint64_t v = 0;

	switch (encoding & 0x0f) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		v = cursor_uint(cu, 8);
		break;
	case 0x01:
		v = cursor_uleb(cu);
		break;
	case 0x02:
		v = cursor_uint(cu, 2);
		break;
	case 0x03:
		v = cursor_uint(cu, 4);
		break;
	case 0x09:
		v = cursor_sleb(cu);
		break;
	case 0x0a:
		v = (int16_t)cursor_uint(cu, 2);
		break;
	case 0x0b:
		v = (int32_t)cursor_uint(cu, 4);
		break;
	default:
		cu->cu_isbad = 1;
	}
	if ((encoding & 0xf0) == 0x10) /* pcrel */
		v += here;
	else if ((encoding & 0xf0) != 0)
		cu->cu_isbad = 1;
	return v;
}

/*
 * Instructions
 */

static void
row(struct run *ru)
{
	if (ru->ru_fn != NULL && ru->ru_error == 0)
		ru->ru_error = ru->ru_fn(ru->ru_arg, ru->ru_addr, &ru->ru_rule);
}

static int
fits(int64_t off)
{
	return off >= INT16_MIN && off <= INT16_MAX;
}

static void
set_cfa(struct run *ru, uint64_t reg, int64_t off)
{
	struct unwind_rule *un = &ru->ru_rule;

	un->un_cfa = UNWIND_CFA_REG;
	if (reg > UINT8_MAX || off < INT32_MIN || off > INT32_MAX)
		un->un_cfa = UNWIND_CFA_UNSUPPORTED;
	un->un_reg = reg;
	un->un_cfaoff = off;
}

/* Whether a rule's return address is where UNWIND_RA_BX has it. */
static int
has_plain_ra(const struct unwind_rule *un)
{
	return un->un_ra == UNWIND_RA_BX ||
	    (un->un_ra == UNWIND_RA_MEM && un->un_raoff == -8);
}

/* The caller's register is at CFA + off. */
static void
set_saved(struct run *ru, uint64_t reg, int64_t off)
{
	struct unwind_rule *un = &ru->ru_rule;

	if (reg == ru->ru_registers->rg_ra) {
		un->un_ra = fits(off) ? UNWIND_RA_MEM : UNWIND_RA_UNSUPPORTED;
		un->un_raoff = off;
	} else if (reg == ru->ru_registers->rg_fp) {
		un->un_fp = fits(off) ? UNWIND_FP_CFA : UNWIND_FP_UNKNOWN;
		un->un_fpoff = off;
	} else if (reg == ru->ru_registers->rg_bx && fits(off) &&
	    has_plain_ra(un)) {
		un->un_ra = UNWIND_RA_BX;
		un->un_raoff = off;
	}
}

static void
run_advance(struct run *ru, const struct operands *op)
{
	row(ru);
	ru->ru_addr += op->op_a * ru->ru_cie.ci_codealign;
}

static void
run_set_loc(struct run *ru, const struct operands *op)
{
	row(ru);
	if (op->op_a > ru->ru_addr)
		ru->ru_addr = op->op_a;
}

static void
run_offset(struct run *ru, const struct operands *op)
{
	set_saved(ru, op->op_a, op->op_b * ru->ru_cie.ci_dataalign);
}

static void
run_negative_offset(struct run *ru, const struct operands *op)
{
	set_saved(ru, op->op_a, -(op->op_b * ru->ru_cie.ci_dataalign));
}

static void
run_restore(struct run *ru, const struct operands *op)
{
	struct unwind_rule *un = &ru->ru_rule;
	const struct unwind_rule *first = &ru->ru_cie.ci_rule;

	if (op->op_a == ru->ru_registers->rg_ra) {
		un->un_ra = first->un_ra;
		un->un_raoff = first->un_raoff;
	} else if (op->op_a == ru->ru_registers->rg_fp) {
		un->un_fp = first->un_fp;
		un->un_fpoff = first->un_fpoff;
	} else if (op->op_a == ru->ru_registers->rg_bx &&
	    un->un_ra == UNWIND_RA_BX) {
		un->un_ra = UNWIND_RA_MEM;
		un->un_raoff = -8;
	}
}

static void
run_undefined(struct run *ru, const struct operands *op)
{
	if (op->op_a == ru->ru_registers->rg_ra)
		ru->ru_rule.un_ra = UNWIND_RA_END;
	else if (op->op_a == ru->ru_registers->rg_fp)
		ru->ru_rule.un_fp = UNWIND_FP_UNKNOWN;
}

static void
run_same_value(struct run *ru, const struct operands *op)
{
	if (op->op_a == ru->ru_registers->rg_fp)
		ru->ru_rule.un_fp = UNWIND_FP_SAME;
	else if (op->op_a == ru->ru_registers->rg_ra) {
		ru->ru_rule.un_ra = UNWIND_RA_REG;
		ru->ru_rule.un_raoff = op->op_a;
	}
}

static void
run_register(struct run *ru, const struct operands *op)
{
	if (op->op_a == ru->ru_registers->rg_fp)
		ru->ru_rule.un_fp = UNWIND_FP_UNKNOWN;
	else if (op->op_a == ru->ru_registers->rg_ra) {
		ru->ru_rule.un_ra = op->op_b <= UINT8_MAX
		    ? UNWIND_RA_REG
		    : UNWIND_RA_UNSUPPORTED;
		ru->ru_rule.un_raoff = op->op_b;
	}
}

static void
run_remember(struct run *ru, const struct operands *op __attribute__((unused)))
{
	if (ru->ru_nstates < CFI_STATES)
		ru->ru_states[ru->ru_nstates] = ru->ru_rule;
	ru->ru_nstates++;
}

static void
run_restore_state(struct run *ru,
    const struct operands *op __attribute__((unused)))
{
	if (ru->ru_nstates > 0 && --ru->ru_nstates < CFI_STATES)
		ru->ru_rule = ru->ru_states[ru->ru_nstates];
}

static void
run_def_cfa(struct run *ru, const struct operands *op)
{
	set_cfa(ru, op->op_a, op->op_b);
}

static void
run_def_cfa_sf(struct run *ru, const struct operands *op)
{
	set_cfa(ru, op->op_a, op->op_b * ru->ru_cie.ci_dataalign);
}

static void
run_def_cfa_register(struct run *ru, const struct operands *op)
{
	set_cfa(ru, op->op_a, ru->ru_rule.un_cfaoff);
}

static void
run_def_cfa_offset(struct run *ru, const struct operands *op)
{
	set_cfa(ru, ru->ru_rule.un_reg, op->op_a);
}

static void
run_def_cfa_offset_sf(struct run *ru, const struct operands *op)
{
	set_cfa(ru, ru->ru_rule.un_reg, op->op_a * ru->ru_cie.ci_dataalign);
}

static void
run_def_cfa_expression(struct run *ru, const struct operands *op)
{
	unwind_expr_cfa(op->op_block, op->op_len, ru->ru_cie.ci_issignal,
	    &ru->ru_rule);
}

static void
run_expression(struct run *ru, const struct operands *op)
{
	struct unwind_rule *un = &ru->ru_rule;

	if (op->op_a == ru->ru_registers->rg_fp)
		unwind_expr_fp(op->op_block, op->op_len, op->op_a, un);
	else if (op->op_a == ru->ru_registers->rg_ra &&
	    un->un_cfa != UNWIND_CFA_SIGNAL)
		un->un_ra = UNWIND_RA_UNSUPPORTED;
}

/* The register's value is the expression itself, not memory at that address. */
static void
run_val(struct run *ru, const struct operands *op)
{
	if (op->op_a == ru->ru_registers->rg_fp)
		ru->ru_rule.un_fp = UNWIND_FP_UNKNOWN;
	else if (op->op_a == ru->ru_registers->rg_ra)
		ru->ru_rule.un_ra = UNWIND_RA_UNSUPPORTED;
}

enum operand {
	NO,
	U1,
	U2,
	U4,
	U8,
	ULEB,
	SLEB,
	ADDR,
	BLOCK
};

static const struct instruction {
	uint8_t in_a, in_b; /* enum operand */
	void (*in_run)(struct run *, const struct operands *);
} instructions[64] = {
	[0x01] = { ADDR, NO, run_set_loc },
	[0x02] = { U1, NO, run_advance },
	[0x03] = { U2, NO, run_advance },
	[0x04] = { U4, NO, run_advance },
	[0x05] = { ULEB, ULEB, run_offset },
	[0x06] = { ULEB, NO, run_restore },
	[0x07] = { ULEB, NO, run_undefined },
	[0x08] = { ULEB, NO, run_same_value },
	[0x09] = { ULEB, ULEB, run_register },
	[0x0a] = { NO, NO, run_remember },
	[0x0b] = { NO, NO, run_restore_state },
	[0x0c] = { ULEB, ULEB, run_def_cfa },
	[0x0d] = { ULEB, NO, run_def_cfa_register },
	[0x0e] = { ULEB, NO, run_def_cfa_offset },
	[0x0f] = { NO, BLOCK, run_def_cfa_expression },
	[0x10] = { ULEB, BLOCK, run_expression },
	[0x11] = { ULEB, SLEB, run_offset },
	[0x12] = { ULEB, SLEB, run_def_cfa_sf },
	[0x13] = { SLEB, NO, run_def_cfa_offset_sf },
	[0x14] = { ULEB, ULEB, run_val },
	[0x15] = { ULEB, SLEB, run_val },
	[0x16] = { ULEB, BLOCK, run_val },
	[0x1d] = { U8, NO, run_advance },
	[0x2d] = { NO, NO, NULL },   /* AARCH64_negate_ra_state: a walk always
				      * removes pointer authentication */
	[0x2e] = { ULEB, NO, NULL }, /* GNU_args_size */
	[0x2f] = { ULEB, ULEB, run_negative_offset },
};

static uint64_t
operand(const struct run *ru, struct cursor *cu, uint8_t type,
    struct operands *op)
{
	switch (type) {
	case U1:
		return cursor_uint(cu, 1);
	case U2:
		return cursor_uint(cu, 2);
	case U4:
		return cursor_uint(cu, 4);
	case U8:
		return cursor_uint(cu, 8);
	case ULEB:
		return cursor_uleb(cu);
	case SLEB:
		return cursor_sleb(cu);
	case ADDR:
		return address(ru, cu, ru->ru_cie.ci_encoding);
	case BLOCK:
		op->op_len = cursor_uleb(cu);
		op->op_block = cursor_skip(cu, op->op_len);
		return 0;
	default:
		return 0;
	}
}

/* Instructions with an operand in the lower 6 bits. */
static const struct instruction *
packed(uint8_t code, struct operands *op)
{
	static const struct instruction packs[] = {
		[1] = { NO, NO, run_advance },
		[2] = { NO, ULEB, run_offset },
		[3] = { NO, NO, run_restore },
	};

	op->op_a = code & 0x3f;
	return &packs[code >> 6];
}

/* Executes instructions up to the cursor's end.  EBADMSG, E2BIG, fn's errno. */
static int
execute(struct run *ru, struct cursor *cu)
{
	const struct instruction *in;
	struct operands op;
	uint8_t code;

	while (cu->cu_at < cu->cu_end && ru->ru_error == 0) {
		if (++ru->ru_work > CFI_WORK)
			return E2BIG;
		memset(&op, 0, sizeof(op));
		code = cursor_uint(cu, 1);
		if (code >= 0x40)
			in = packed(code, &op);
		else if (code == 0) /* nop */
			continue;
		else if ((in = &instructions[code])->in_a == NO &&
		    in->in_b == NO && in->in_run == NULL && code != 0x2d)
			return EBADMSG;
		if (in->in_a != NO)
			op.op_a = operand(ru, cu, in->in_a, &op);
		op.op_b = operand(ru, cu, in->in_b, &op);
		if (cu->cu_isbad)
			return EBADMSG;
		if (in->in_run != NULL)
			in->in_run(ru, &op);
	}
	return ru->ru_error;
}

/*
 * Entries
 */

/* Reads the augmentation string and its data: "zR", "zPLR", "zRS" and such. */
static int
cie_augmentation(struct run *ru, struct cie *ci, struct cursor *cu,
    const char *text)
{
	struct cursor data;
	uint64_t len;

	if (*text == '\0')
		return 0;
	if (*text++ != 'z')
		return EBADMSG;
	ci->ci_hasdata = 1;
	len = cursor_uleb(cu);
	data.cu_at = cursor_skip(cu, len);
	data.cu_isbad = cu->cu_isbad;
	data.cu_end = cu->cu_at;
	for (; *text != '\0' && !data.cu_isbad; text++)
		switch (*text) {
		case 'R':
			ci->ci_encoding = cursor_uint(&data, 1);
			break;
		case 'P':
			/* the personality routine does not matter here */
			(void)address(ru, &data, cursor_uint(&data, 1) & 0x0f);
			break;
		case 'L':
			(void)cursor_uint(&data, 1);
			break;
		case 'S':
			ci->ci_issignal = 1;
			break;
		case 'B': /* AArch64: another key of pointer authentication */
		case 'G':
			break;
		default:
			return EBADMSG;
		}
	return data.cu_isbad ? EBADMSG : 0;
}

/* Reads the CIE whose contents after the identifier are in cu. */
static int
cie_read(struct run *ru, const uint8_t *at, struct cursor *cu)
{
	struct cie *ci = &ru->ru_cie;
	cfi_rowfn *fn = ru->ru_fn;
	const char *text;
	unsigned int version;
	int error;

	memset(ci, 0, sizeof(*ci));
	version = cursor_uint(cu, 1);
	text = cursor_string(cu);
	if (version != 1 && version != 3 && version != 4)
		return EBADMSG;
	if (version == 4)
		(void)cursor_skip(cu, 2); /* sizes of addresses and segments */
	ci->ci_codealign = cursor_uleb(cu);
	ci->ci_dataalign = cursor_sleb(cu);
	if (version == 1)
		(void)cursor_uint(cu, 1);
	else
		(void)cursor_uleb(cu); /* the return address's register */
	if (cu->cu_isbad || (error = cie_augmentation(ru, ci, cu, text)) != 0)
		return EBADMSG;
	ru->ru_rule = ru->ru_registers->rg_first;
	ru->ru_nstates = 0;
	ru->ru_fn = NULL; /* a CIE has no rows */
	error = execute(ru, cu);
	ru->ru_fn = fn;
	if (error != 0)
		return error;
	ci->ci_rule = ru->ru_rule;
	ci->ci_at = at;
	return 0;
}

/* An entry of the section, with the bytes after its identifier. */
struct entry {
	const uint8_t *en_at;
	struct cursor en_body;
	uint64_t en_id; /* 0: a CIE, in .eh_frame */
	const uint8_t *en_cie;
};

/* Reads the header of an entry; 0: the section ends, or is malformed. */
static int
entry_read(const struct cfi *cf, const uint8_t *at, struct entry *en)
{
	const uint8_t *end = cf->cf_bytes + cf->cf_size, *id;
	struct cursor cu = { at, end, 0 };
	uint64_t len = cursor_uint(&cu, 4);
	unsigned int width = 4;

	if (len == UINT32_MAX) {
		len = cursor_uint(&cu, 8);
		width = 8;
	}
	if (cu.cu_isbad || len > (uint64_t)(end - cu.cu_at))
		return 0;
	en->en_at = at;
	en->en_body = cu;
	en->en_body.cu_end = cu.cu_at + len;
	if (len == 0)
		return 1;
	id = cu.cu_at;
	en->en_id = cursor_uint(&en->en_body, cf->cf_iseh ? 4 : width);
	en->en_cie = NULL;
	if (cf->cf_iseh && en->en_id != 0 &&
	    en->en_id <= (uint64_t)(id - cf->cf_bytes))
		en->en_cie = id - en->en_id;
	else if (!cf->cf_iseh && en->en_id < cf->cf_size)
		en->en_cie = cf->cf_bytes + en->en_id;
	return !en->en_body.cu_isbad;
}

static int
entry_iscie(const struct cfi *cf, const struct entry *en)
{
	return cf->cf_iseh ? en->en_id == 0
			   : en->en_id == UINT32_MAX || en->en_id == UINT64_MAX;
}

/* Makes ru_cie the CIE of a function's entry. */
static int
entry_cie(struct run *ru, const struct entry *en)
{
	struct entry ci;

	if (en->en_cie == NULL)
		return EBADMSG;
	if (ru->ru_cie.ci_at == en->en_cie)
		return 0;
	ru->ru_cie.ci_at = NULL;
	if (!entry_read(ru->ru_cfi, en->en_cie, &ci) ||
	    ci.en_body.cu_at == ci.en_body.cu_end ||
	    !entry_iscie(ru->ru_cfi, &ci))
		return EBADMSG;
	return cie_read(ru, en->en_cie, &ci.en_body);
}

/* Reads the beginning of a function's entry. */
static int
function_read(struct run *ru, struct entry *en, uint64_t *start, uint64_t *size)
{
	struct cursor *cu = &en->en_body;
	int error;

	if ((error = entry_cie(ru, en)) != 0)
		return error;
	*start = address(ru, cu, ru->ru_cie.ci_encoding);
	*size = address(ru, cu, ru->ru_cie.ci_encoding & 0x0f);
	if (ru->ru_cie.ci_hasdata)
		(void)cursor_skip(cu, cursor_uleb(cu));
	return cu->cu_isbad || *size > UINT64_MAX - *start ? EBADMSG : 0;
}

/* Executes the entry of a function. */
static int
function(struct run *ru, struct entry *en)
{
	uint64_t start, size;
	int error;

	if ((error = function_read(ru, en, &start, &size)) != 0)
		return error;
	ru->ru_rule = ru->ru_cie.ci_rule;
	ru->ru_addr = start;
	ru->ru_nstates = 0;
	if ((error = execute(ru, &en->en_body)) == 0)
		row(ru);
	ru->ru_addr = start + size;
	memset(&ru->ru_rule, 0, sizeof(ru->ru_rule));
	row(ru);
	return ru->ru_error != 0 ? ru->ru_error : error;
}

static struct run
run_of(const struct cfi *cf, cfi_rowfn *fn, void *arg)
{
	return (struct run){ .ru_cfi = cf,
		.ru_registers = cf->cf_machine == EM_AARCH64 ? &aarch64
							     : &x86_64,
		.ru_fn = fn,
		.ru_arg = arg };
}

int
cfi_functions(const struct cfi *cf, struct ranges *rs)
{
	struct run ru = run_of(cf, NULL, NULL);
	const uint8_t *at = cf->cf_bytes;
	uint64_t start, size;
	struct entry en;
	int error;

	for (; at < cf->cf_bytes + cf->cf_size; at = en.en_body.cu_end) {
		memset(&en, 0, sizeof(en));
		if (!entry_read(cf, at, &en))
			return 0;
		if (en.en_body.cu_at == en.en_body.cu_end ||
		    entry_iscie(cf, &en))
			continue;
		error = function_read(&ru, &en, &start, &size);
		if (error == E2BIG)
			return error;
		if (error != 0 || start == 0 || size == 0)
			continue; /* at 0: removed by the linker */
		if ((error = ranges_add(rs, start, size, at - cf->cf_bytes)) !=
		    0)
			return error;
	}
	return 0;
}

int
cfi_rows(const struct cfi *cf, const struct range *r, size_t n, cfi_rowfn *fn,
    void *arg)
{
	struct run ru = run_of(cf, fn, arg);
	struct entry en;
	int error = 0;

	for (; n > 0 && (error == 0 || error == EBADMSG); n--, r++) {
		memset(&en, 0, sizeof(en));
		if (++ru.ru_work > CFI_WORK)
			return E2BIG;
		error = EBADMSG;
		if (r->r_value < cf->cf_size &&
		    entry_read(cf, cf->cf_bytes + r->r_value, &en))
			error = function(&ru, &en);
	}
	return error == EBADMSG ? 0 : error;
}
