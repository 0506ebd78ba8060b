/* SPDX-License-Identifier: ISC */
/*
 * Parses arguments of static probes: a size, then an operand as assemblers
 * write it.
 *
 *	x86-64	%reg  $number  disp(%base,%index,scale)  symbol+disp(%rip)
 *	arm64	reg   number   [base]  [base, number]  [base, index, lsl number]
 */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/machine_regs.h"
#include "symbolizer/note_args.h"

/* The rest of an operand. */
struct operand {
	const char *opd_at;
	const char *opd_end;
	const struct note_args *opd_args;
	struct probe_arg *opd_arg;
	int opd_isvector; /* it is in a register of floating point numbers */
};

static void
skip_spaces(struct operand *op)
{
	while (op->opd_at < op->opd_end && *op->opd_at == ' ')
		op->opd_at++;
}

/* Skips this character, and returns whether it was there. */
static int
skip(struct operand *op, char c)
{
	skip_spaces(op);
	if (op->opd_at == op->opd_end || *op->opd_at != c)
		return 0;
	op->opd_at++;
	return 1;
}

/* Reads a number with a sign; wraps around like an assembler's. */
static int
number(struct operand *op, int64_t *n)
{
	const char *p = op->opd_at;
	char *end;
	size_t digits;

	if (p < op->opd_end && (*p == '-' || *p == '+'))
		p++;
	if (p == op->opd_end || !isdigit((unsigned char)*p))
		return 0;
	if (*op->opd_at == '-')
		*n = (int64_t)(0 - strtoull(p, &end, 0));
	else
		*n = (int64_t)strtoull(p, &end, 0);
	digits = end - p;
	if (end > op->opd_end || digits > 20)
		return 0;
	op->opd_at = end;
	return 1;
}

static size_t
word_length(const struct operand *op)
{
	const char *p = op->opd_at;

	while (p < op->opd_end &&
	    (isalnum((unsigned char)*p) || strchr("_.$@", *p) != NULL))
		p++;
	return p - op->opd_at;
}

static int
is_vector(const char *name, size_t len)
{
	return len > 1 &&
	    (strncmp(name, "xmm", 3) == 0 || strncmp(name, "ymm", 3) == 0 ||
		strncmp(name, "zmm", 3) == 0 || strncmp(name, "st", 2) == 0 ||
		(strchr("vdsqhb", name[0]) != NULL &&
		    isdigit((unsigned char)name[1])));
}

static int
reg(struct operand *op, struct machine_reg *mr)
{
	int isx86 = op->opd_args->na_machine != EM_AARCH64;
	size_t n;

	if (isx86 && !skip(op, '%'))
		return 0;
	skip_spaces(op);
	n = word_length(op);
	if (machine_reg_find(op->opd_args->na_machine, op->opd_at, n, mr)) {
		op->opd_at += n;
		return 1;
	}
	op->opd_isvector = is_vector(op->opd_at, n);
	return 0;
}

static int
base_or_index(struct operand *op, uint8_t *word)
{
	struct machine_reg mr;

	if (!reg(op, &mr) || mr.mr_size < 4)
		return 0;
	*word = mr.mr_word;
	return 1;
}

static int
is_scale(int64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* The part in parentheses: (base), (base,index), (base,index,scale). */
static int
x86_address(struct operand *op)
{
	struct probe_arg *pa = op->opd_arg;
	int64_t scale;

	if (!skip(op, '('))
		return 1;
	if (op->opd_at < op->opd_end && *op->opd_at != ',' &&
	    !base_or_index(op, &pa->pra_base))
		return 0;
	if (skip(op, ',')) {
		if (!base_or_index(op, &pa->pra_index))
			return 0;
		if (skip(op, ',')) {
			if (!number(op, &scale) || !is_scale(scale))
				return 0;
			pa->pra_scale = scale;
		}
	}
	return skip(op, ')');
}

/* Numbers and at most one symbol, added. */
static const char *
x86_terms(struct operand *op, uint64_t *sum, int *hassymbol)
{
	const char *why;
	uint64_t addr;
	int64_t n;
	size_t len;

	while (op->opd_at < op->opd_end && *op->opd_at != '(') {
		if (number(op, &n)) {
			*sum += (uint64_t)n;
			continue;
		}
		(void)skip(op, '+');
		if ((len = word_length(op)) == 0 || *hassymbol)
			return "its place cannot be read";
		why = op->opd_args->na_symbol(op->opd_args->na_arg, op->opd_at,
		    len, &addr);
		if (why != NULL)
			return why;
		*hassymbol = 1;
		*sum += addr;
		op->opd_at += len;
	}
	return NULL;
}

/*
 * Where the program was loaded is not known, so the address of a symbol is its
 * distance from the probe.
 */
static const char *
x86_memory(struct operand *op)
{
	struct probe_arg *pa = op->opd_arg;
	uint8_t pc = machine_reg_pc(op->opd_args->na_machine);
	uint64_t sum = 0;
	int hassymbol = 0;
	const char *why;

	pa->pra_place = PROBE_PLACE_MEM;
	if ((why = x86_terms(op, &sum, &hassymbol)) != NULL)
		return why;
	if (!x86_address(op))
		return "its place cannot be read";
	if (pa->pra_base == pc)
		pa->pra_base = PROBE_REG_NONE;
	else if (!hassymbol) {
		pa->pra_value = sum;
		return NULL;
	}
	if (pa->pra_base != PROBE_REG_NONE && pa->pra_index != PROBE_REG_NONE)
		return "its place has two registers and a symbol";
	if (pa->pra_base != PROBE_REG_NONE) { /* symbol(%base) */
		pa->pra_index = pa->pra_base;
		pa->pra_scale = 1;
	}
	pa->pra_base = pc;
	pa->pra_value = sum - op->opd_args->na_location;
	return NULL;
}

static const char *
in_register(struct operand *op)
{
	struct probe_arg *pa = op->opd_arg;
	struct machine_reg mr;

	if (!reg(op, &mr))
		return op->opd_isvector ? "it is a floating point number"
					: "its register is not known";
	pa->pra_place = PROBE_PLACE_REG;
	pa->pra_base = mr.mr_word;
	pa->pra_shift = mr.mr_shift;
	if (pa->pra_size == 0 || pa->pra_size > mr.mr_size)
		pa->pra_size = mr.mr_size;
	return NULL;
}

static const char *
constant(struct operand *op)
{
	if (!number(op, &op->opd_arg->pra_value))
		return "its value is a symbol";
	op->opd_arg->pra_place = PROBE_PLACE_CONST;
	return NULL;
}

static const char *
x86_operand(struct operand *op)
{
	if (skip(op, '$'))
		return constant(op);
	if (op->opd_at < op->opd_end && *op->opd_at == '%') {
		if (memchr(op->opd_at, ':', op->opd_end - op->opd_at) != NULL)
			return "it is in the thread's own memory";
		return in_register(op);
	}
	return x86_memory(op);
}

/* After "[base": a number, or an index, extended and shifted. */
static const char *
arm64_offset(struct operand *op)
{
	static const char *const words[] = { "lsl", "sxtw", "uxtw", "sxtx" };
	struct probe_arg *pa = op->opd_arg;
	int64_t shift = 0;
	size_t i, n;

	(void)skip(op, '#');
	if (number(op, &pa->pra_value))
		return NULL;
	if (!base_or_index(op, &pa->pra_index))
		return "its place cannot be read";
	if (!skip(op, ','))
		return NULL;
	skip_spaces(op);
	n = word_length(op);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (n == strlen(words[i]) &&
		    strncmp(op->opd_at, words[i], n) == 0)
			break;
	if (i == sizeof(words) / sizeof(*words))
		return "its place cannot be read";
	if (i == 1 || i == 2)
		return "its index has 32 bits";
	op->opd_at += n;
	(void)skip(op, '#');
	skip_spaces(op);
	(void)number(op, &shift);
	if (shift < 0 || shift > 3)
		return "its place cannot be read";
	pa->pra_scale = 1 << shift;
	return NULL;
}

static const char *
arm64_operand(struct operand *op)
{
	const char *why = NULL;
	char c = op->opd_at < op->opd_end ? *op->opd_at : '\0';

	if (c == '-' || isdigit((unsigned char)c) || skip(op, '#'))
		return constant(op);
	if (!skip(op, '['))
		return in_register(op);
	op->opd_arg->pra_place = PROBE_PLACE_MEM;
	if (!base_or_index(op, &op->opd_arg->pra_base))
		return "its place cannot be read";
	if (skip(op, ',')) {
		skip_spaces(op);
		why = arm64_offset(op);
	}
	if (why == NULL && !skip(op, ']'))
		why = "its place cannot be read";
	return why;
}

/* The size: "4@", "-4@", "8f@"; older notes have none. */
static void
size_of(struct operand *op)
{
	const char *at = memchr(op->opd_at, '@', op->opd_end - op->opd_at);
	struct operand size = *op;
	int64_t n;

	if (at == NULL || !number(&size, &n) || n < -8 || n > 8)
		return;
	if (size.opd_at != at && *size.opd_at != 'f')
		return;
	op->opd_isvector = size.opd_at != at;
	op->opd_arg->pra_size = n < 0 ? -n : n;
	op->opd_arg->pra_flags = n < 0 ? PROBE_ARG_SIGNED : 0;
	op->opd_at = at + 1;
}

static void
add_one(struct note_args *na, const char *from, const char *to)
{
	struct found_arg *fa = &na->na_args[na->na_n];
	struct operand op = { from, to, na, &fa->fa_arg, 0 };
	const char *why;

	*fa = (struct found_arg){ .fa_arg = { .pra_kind = PROBE_ARG_INT,
				      .pra_base = PROBE_REG_NONE,
				      .pra_index = PROBE_REG_NONE,
				      .pra_scale = 1 } };
	snprintf(na->na_names[na->na_n], sizeof(na->na_names[0]), "arg%u",
	    na->na_n);
	fa->fa_name = na->na_names[na->na_n++];
	size_of(&op);
	if (op.opd_isvector)
		why = "it is a floating point number";
	else if (na->na_machine == EM_AARCH64)
		why = arm64_operand(&op);
	else
		why = x86_operand(&op);
	skip_spaces(&op);
	if (why == NULL && op.opd_at != op.opd_end)
		why = "its place cannot be read";
	if (fa->fa_arg.pra_size == 0)
		fa->fa_arg.pra_size = na->na_machine == EM_386 ? 4 : 8;
	if (op.opd_isvector)
		fa->fa_arg.pra_kind = PROBE_ARG_FLOAT;
	if (why != NULL) {
		fa->fa_why = why;
		fa->fa_arg.pra_place = PROBE_PLACE_NONE;
	}
}

/* Returns the end of an argument: a space outside of brackets. */
static const char *
arg_end(const char *p)
{
	int depth = 0;

	for (; *p != '\0' && (*p != ' ' || depth > 0); p++)
		depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
	return p;
}

void
note_args_parse(struct note_args *na, const char *text)
{
	const char *end;

	na->na_n = 0;
	while (na->na_n < PROBE_ARGS_MAX) {
		text += strspn(text, " ");
		if (*text == '\0')
			return;
		end = arg_end(text);
		add_one(na, text, end);
		text = end;
	}
}
