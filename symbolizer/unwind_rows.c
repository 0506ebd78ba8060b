/* SPDX-License-Identifier: ISC */
/* Builds unwind tables from call frame information. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "symbolizer/unwind_rows.h"

#define ROWS_MAX	(1U << 20) /* rows of a page, including covered ones */
#define LINES		(2 * UNWIND_MAXRULES) /* of the hash of rules */
#define ENTRY		128 /* bytes of the dynamic linker's, with space */
#define X86_SP		7
#define INFLATED	(64U << 20) /* bytes; large programs of Go have some 10 MB */
#define ALIGN		16	    /* of functions, in bytes */

#define ARM64_LR	30
#define ARM64_SP	31
#define ARM64_SIGNAL_SP 560 /* offset of the stack pointer in a signal frame */

/* A row, before sorting. */
struct flat_row {
	uint32_t fr_low;  /* offset in the page */
	uint32_t fr_rule; /* index of the rule, in the order of arrival */
	/*
	 * The last row at an offset counts, except that a function's end (0)
	 * does not replace a beginning.
	 */
	uint32_t fr_nth;
};

struct builder {
	uint64_t bu_from, bu_to; /* addresses of a part of the page */
	uint64_t bu_low;	 /* offset in the page of bu_from */
	uint64_t bu_off;	 /* and in the file */
	const struct unwind_index *bu_index;
	int bu_isgo; /* as us_isgo, of the section that is read */
	struct flat_row *bu_v;
	size_t bu_n, bu_max;
	struct unwind_rule *bu_rules;
	size_t bu_nrules, bu_maxrules;
	uint16_t bu_lines[LINES]; /* hash: index of a rule + 1, or 0 */
};

/*
 * Rules
 */

static uint32_t
rule_hash(const struct unwind_rule *un)
{
	uint32_t words[3], h = 2166136261u;
	unsigned int i;

	memcpy(words, un, sizeof(words));
	for (i = 0; i < 3; i++)
		h = (h ^ words[i]) * 2654435761u;
	return h ^ h >> 15;
}

static uint16_t *
rule_line(struct builder *bu, const struct unwind_rule *un)
{
	uint32_t h = rule_hash(un);

	while (bu->bu_lines[h &= LINES - 1] != 0 &&
	    memcmp(&bu->bu_rules[bu->bu_lines[h] - 1], un, sizeof(*un)) != 0)
		h++;
	return &bu->bu_lines[h];
}

/* Returns the number of a rule, which is added if it is new. */
static int
rule_number(struct builder *bu, const struct unwind_rule *un, uint32_t *nth)
{
	uint16_t *line = rule_line(bu, un);
	struct unwind_rule *v;
	size_t max;

	if (*line == 0) {
		if (bu->bu_nrules == UNWIND_MAXRULES)
			return E2BIG;
		if (bu->bu_nrules == bu->bu_maxrules) {
			max = bu->bu_maxrules == 0 ? 64 : 2 * bu->bu_maxrules;
			v = reallocarray(bu->bu_rules, max, sizeof(*v));
			if (v == NULL)
				return ENOMEM;
			bu->bu_rules = v;
			bu->bu_maxrules = max;
		}
		bu->bu_rules[bu->bu_nrules++] = *un;
		*line = bu->bu_nrules;
	}
	*nth = *line - 1;
	return 0;
}

/*
 * Rows
 */

/* Returns a new row; NULL with *error. */
static struct flat_row *
row_room(struct builder *bu, int *error)
{
	struct flat_row *v;
	size_t max;

	if (bu->bu_n == bu->bu_max) {
		max = bu->bu_max == 0 ? 4096 : bu->bu_max * 2;
		*error = E2BIG;
		if (max > ROWS_MAX)
			return NULL;
		*error = ENOMEM;
		if ((v = reallocarray(bu->bu_v, max, sizeof(*v))) == NULL)
			return NULL;
		bu->bu_v = v;
		bu->bu_max = max;
	}
	*error = 0;
	return &bu->bu_v[bu->bu_n++];
}

/* Code without a table; the first frame of a stack. */
static const struct unwind_rule none_rule = { .un_cfa = UNWIND_CFA_NONE };
static const struct unwind_rule first_rule = { .un_cfa = UNWIND_CFA_REG,
	.un_ra = UNWIND_RA_END };

/*
 * Returns whether a function has an address.  If not, *next is where the next
 * one begins.
 */
static int
index_has(const struct unwind_index *ui, uint64_t addr, uint64_t *next)
{
	struct ranges_hit hit;
	size_t i;

	*next = UINT64_MAX;
	for (i = 0; i < ui->ui_nsections; i++) {
		ranges_find(&ui->ui_sections[i].us_funcs, addr, &hit);
		if (hit.rh_range != NULL)
			return 1;
		if (hit.rh_to < *next)
			*next = hit.rh_to;
	}
	return 0;
}

/*
 * Returns whether an address is in the bytes that align the next function.  A
 * frame that returns to a function's beginning was not called: makecontext(3)
 * makes such a frame, the first of its stack.
 */
static int
is_padding(const struct builder *bu, uint64_t addr)
{
	uint64_t next;

	return !index_has(bu->bu_index, addr, &next) && next % ALIGN == 0 &&
	    next - addr < ALIGN;
}

/*
 * Returns the rule of the code after a function's end, if it is a system call,
 * else NULL.  The frame information of clone(2) in libc ends before the call,
 * since it is wrong in the child.  The parent, which the kernel works for, returns
 * as from a function without a frame.
 */
static const struct unwind_rule *
call_rule(const struct builder *bu, uint64_t addr)
{
	static const struct unwind_rule x86 = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = X86_SP,
		.un_cfaoff = 8,
		.un_raoff = -8 };
	static const struct unwind_rule arm64 = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = ARM64_SP,
		.un_ra = UNWIND_RA_REG,
		.un_raoff = ARM64_LR };
	const struct elffile *ef = bu->bu_index->ui_file;
	int isx86 = ef->ef_ehdr.e_machine == EM_X86_64;
	const char *code = isx86 ? "\x0f\x05" : "\x01\x00\x00\xd4";
	uint64_t off = bu->bu_off + (addr - bu->bu_from), n = isx86 ? 2 : 4;

	if (addr < bu->bu_from || off > ef->ef_bytes.fby_size ||
	    n > ef->ef_bytes.fby_size - off ||
	    memcmp(ef->ef_bytes.fby_base + off, code, n) != 0)
		return NULL;
	return isx86 ? &x86 : &arm64;
}

/*
 * Returns the rule for Go: its tables do not state where the frame pointer is
 * saved, nor what functions do that change the stack.
 */
static const struct unwind_rule *
go_rule(const struct unwind_rule *un)
{
	static const struct unwind_rule leaf = { .un_cfa = UNWIND_CFA_LEAF,
		.un_reg = X86_SP,
		.un_cfaoff = 8,
		.un_raoff = -8 };

	if (un->un_ra == UNWIND_RA_END)
		return un;
	return un->un_cfa == UNWIND_CFA_REG && un->un_reg == X86_SP &&
		un->un_cfaoff == 8 && un->un_ra == UNWIND_RA_MEM &&
		un->un_raoff == -8
	    ? &leaf
	    : &none_rule;
}

static int
row_add(void *arg, uint64_t addr, const struct unwind_rule *un)
{
	struct builder *bu = arg;
	struct flat_row *fr = bu->bu_n == 0 ? NULL : &bu->bu_v[bu->bu_n - 1];
	const struct unwind_rule *call;
	int isend = un->un_cfa == UNWIND_CFA_NONE;
	uint32_t low, rule;
	int error;

	if (addr >= bu->bu_to)
		return 0;
	if (isend && (call = call_rule(bu, addr)) != NULL)
		un = call;
	else if (isend && is_padding(bu, addr))
		un = &first_rule;
	else if (bu->bu_isgo)
		un = go_rule(un);
	low = bu->bu_low + (addr < bu->bu_from ? 0 : addr - bu->bu_from);
	if ((error = rule_number(bu, un, &rule)) != 0)
		return error;
	/* a function that begins in the page before has many rows there */
	if (fr == NULL || fr->fr_low != low || fr->fr_nth == 0 || isend)
		fr = row_room(bu, &error);
	if (fr != NULL)
		*fr = (struct flat_row){ low, rule, isend ? 0 : bu->bu_n };
	return error;
}

static int
row_compare(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->fr_low != y->fr_low)
		return x->fr_low < y->fr_low ? -1 : 1;
	return x->fr_nth < y->fr_nth ? -1 : x->fr_nth > y->fr_nth;
}

/* Sorts the rows, and removes those that repeat or are covered. */
static void
rows_settle(struct builder *bu)
{
	struct flat_row *v = bu->bu_v;
	size_t i, n = 0;

	if (bu->bu_n > 1)
		qsort(v, bu->bu_n, sizeof(*v), row_compare);
	for (i = 0; i < bu->bu_n; i++) {
		if (i + 1 < bu->bu_n && v[i].fr_low == v[i + 1].fr_low)
			continue;
		if (n == 0 || v[n - 1].fr_rule != v[i].fr_rule)
			v[n++] = v[i];
	}
	bu->bu_n = n;
}

/* Adds the rows of n functions of a section, except those that another one has. */
static int
section_funcs(struct builder *bu, const struct unwind_section *us,
    const struct unwind_section *other, const struct range *v, size_t n)
{
	struct ranges_hit hit;
	int error = 0;

	if (other == NULL)
		return cfi_rows(&us->us_cfi, v, n, row_add, bu);
	for (; n > 0 && error == 0; v++, n--) {
		ranges_find(&other->us_funcs, v->r_start, &hit);
		if (hit.rh_range == NULL)
			error = cfi_rows(&us->us_cfi, v, 1, row_add, bu);
	}
	return error;
}

/* Adds the rows of a section for the addresses of the builder. */
static int
section_rows(struct builder *bu, const struct unwind_section *us,
    const struct unwind_section *other)
{
	const struct range *v = us->us_funcs.rs_v;
	size_t lo = 0, hi = us->us_funcs.rs_n, mid, n;
	struct ranges_hit hit;
	int error = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[mid].r_start < bu->bu_from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (n = lo; n < us->us_funcs.rs_n && v[n].r_start < bu->bu_to; n++)
		;
	ranges_find(&us->us_funcs, bu->bu_from, &hit);
	if (hit.rh_range != NULL && hit.rh_range->r_start < bu->bu_from)
		error = section_funcs(bu, us, other, hit.rh_range, 1);
	if (error == 0)
		error = section_funcs(bu, us, other, v + lo, n - lo);
	return error;
}

/*
 * Adds a rule for the entry point of the file, if that has none: the dynamic
 * linker's is written by hand.  It is the first frame of a thread.
 */
static int
entry_rows(struct builder *bu, uint64_t entry)
{
	uint64_t next;
	int error;

	if (entry < bu->bu_from || entry >= bu->bu_to ||
	    index_has(bu->bu_index, entry, &next))
		return 0;
	if ((error = row_add(bu, entry, &first_rule)) != 0)
		return error;
	return next - entry <= ENTRY ? 0
				     : row_add(bu, entry + ENTRY, &none_rule);
}

/* Adds rules for a function of the start files, unless it has some. */
static int
crt_func_rows(struct builder *bu, const struct crt_func *cf)
{
	const struct crt_row *crr = cf->cfn_rows;
	uint64_t next;
	int i, error = 0;

	if (crr->crr_addr >= bu->bu_to ||
	    crr[CRT_ROWS - 1].crr_addr <= bu->bu_from ||
	    index_has(bu->bu_index, crr->crr_addr, &next))
		return 0;
	for (i = 0; i < CRT_ROWS && error == 0; i++)
		if (crr[i].crr_addr < next)
			error = row_add(bu, crr[i].crr_addr, &crr[i].crr_rule);
	return error;
}

/*
 * Returns whether an instruction of arm64 changes the stack pointer: sub sp, or stp
 * and str of registers below it.
 */
static int
arm64_haspush(uint32_t insn)
{
	uint32_t base = insn >> 5 & 31;

	return (insn & 0xff0003ff) == 0xd10003ff ||
	    (base == ARM64_SP &&
		((insn & 0xffc00000) == 0xa9800000 ||
		    (insn & 0xffe00c00) == 0xf8000c00));
}

/*
 * Adds rules for a file of arm64 without frame information: the vdso.  The code
 * before the first that changes the stack pointer has its return address in the
 * link register.  Signal handlers return to the first instruction of
 * __kernel_rt_sigreturn, and callers are looked up one byte before.
 */
static int
vdso_rows(struct builder *bu, const struct elffile *ef, uint64_t off)
{
	/* mov x8, #__NR_rt_sigreturn; svc #0 */
	static const uint32_t code[] = { 0xd2801168, 0xd4000001 };
	static const struct unwind_rule leaf = { .un_cfa = UNWIND_CFA_REG,
		.un_reg = ARM64_SP,
		.un_ra = UNWIND_RA_REG,
		.un_raoff = ARM64_LR };
	static const struct unwind_rule frame = { .un_cfa = UNWIND_CFA_SIGNAL,
		.un_reg = ARM64_SP,
		.un_cfaoff = ARM64_SIGNAL_SP };
	uint64_t at, push, n = bu->bu_to - bu->bu_from;
	const uint8_t *p = ef->ef_bytes.fby_base + off;
	uint32_t v[2] = { 0 };
	int error;

	if (off >= ef->ef_bytes.fby_size)
		return 0;
	if (n > ef->ef_bytes.fby_size - off)
		n = ef->ef_bytes.fby_size - off;
	for (at = push = 0; at + sizeof(v) <= n; at += sizeof(v[0])) {
		memcpy(v, p + at, sizeof(v));
		if (memcmp(v, code, sizeof(v)) == 0)
			break;
		if (push == 0 && arm64_haspush(v[0]))
			push = at;
	}
	if (at == 0 || at + sizeof(v) > n)
		return 0;
	error = row_add(bu, bu->bu_from, &leaf);
	if (error == 0 && push != 0)
		error = row_add(bu, bu->bu_from + push, &none_rule);
	if (error == 0)
		error = row_add(bu, bu->bu_from + at - 1, &frame);
	if (error == 0)
		error = row_add(bu, bu->bu_from + at + sizeof(v), &none_rule);
	return error;
}

/* Adds the rows of functions.  off: of the builder's first byte in the file. */
static int
code_rows(struct builder *bu, uint64_t off)
{
	const struct unwind_index *ui = bu->bu_index;
	const struct elffile *ef = ui->ui_file;
	const struct unwind_section *us = ui->ui_sections;
	int error = 0;
	size_t i;

	if (ui->ui_nsections == 0)
		return ef->ef_ehdr.e_machine == EM_AARCH64
		    ? vdso_rows(bu, ef, off)
		    : 0;
	for (i = 0; i < ui->ui_nsections && error == 0; i++) {
		bu->bu_isgo = us[i].us_isgo;
		error = section_rows(bu, &us[i], i > 0 ? us : NULL);
	}
	bu->bu_isgo = 0;
	if (error == 0)
		error = entry_rows(bu, ef->ef_ehdr.e_entry);
	for (i = 0; i < ui->ui_ncrt && error == 0; i++)
		error = crt_func_rows(bu, &ui->ui_crt[i]);
	return error;
}

/* Adds the rows of the part of the page at start that is in a segment. */
static int
segment_rows(struct builder *bu, const struct elfload *el, uint64_t start)
{
	uint64_t end = start + UNWIND_PAGE;
	uint64_t from = el->el_off > start ? el->el_off : start;
	uint64_t to = el->el_off + el->el_size;
	int error;

	to = to < end ? to : end;
	if (from >= to)
		return 0;
	bu->bu_low = from - start;
	bu->bu_off = from;
	bu->bu_from = el->el_addr + (from - el->el_off);
	bu->bu_to = bu->bu_from + (to - from);
	if (bu->bu_to < bu->bu_from)
		return 0; /* a malformed address */
	error = code_rows(bu, from);
	if (error == 0 && to < end) {
		bu->bu_to++; /* the rest of the page is not code */
		error = row_add(bu, bu->bu_to - 1, &none_rule);
	}
	return error;
}

/* Returns whether the only row is of code without a table. */
static int
is_empty(const struct builder *bu)
{
	return bu->bu_n == 1 &&
	    bu->bu_rules[bu->bu_v[0].fr_rule].un_cfa == UNWIND_CFA_NONE;
}

/* Takes over the rows, and the rules that they use, numbered in their order. */
static int
page_finish(struct builder *bu, struct unwind_page_rows *out)
{
	uint32_t *numbers, first = 0;
	size_t i, n = 0;
	int error;

	if ((error = rule_number(bu, &none_rule, &first)) != 0)
		return error;
	out->upr_rows = reallocarray(NULL, bu->bu_n + 1,
	    sizeof(*out->upr_rows));
	out->upr_rules = reallocarray(NULL, bu->bu_nrules,
	    sizeof(*out->upr_rules));
	numbers = calloc(bu->bu_nrules, sizeof(*numbers));
	if (out->upr_rows == NULL || out->upr_rules == NULL ||
	    numbers == NULL) {
		free(numbers);
		return ENOMEM;
	}
	if (bu->bu_v[0].fr_rule == first)
		bu->bu_v[0].fr_low = 0;
	for (i = bu->bu_v[0].fr_low == 0; i <= bu->bu_n; i++) {
		/* the page begins with a row */
		uint32_t low = i == 0 ? 0 : bu->bu_v[i - 1].fr_low;
		uint32_t rule = i == 0 ? first : bu->bu_v[i - 1].fr_rule;

		if (numbers[rule] == 0) {
			out->upr_rules[out->upr_nrules] = bu->bu_rules[rule];
			numbers[rule] = ++out->upr_nrules;
		}
		out->upr_rows[n++] = (struct unwind_row){ low,
			numbers[rule] - 1 };
	}
	free(numbers);
	out->upr_nrows = n;
	return 0;
}

int
unwind_page_build(const struct unwind_index *ui, uint64_t page,
    struct unwind_page_rows *out)
{
	uint64_t start = page << UNWIND_PAGE_SHIFT;
	struct builder *bu = calloc(1, sizeof(*bu));
	const struct elffile *ef = ui->ui_file;
	unsigned int i;
	int error = 0;

	memset(out, 0, sizeof(*out));
	if (ef == NULL) {
		free(bu);
		return 0;
	}
	if (bu == NULL)
		return ENOMEM;
	bu->bu_index = ui;
	for (i = 0; i < ef->ef_nloads && error == 0; i++)
		error = segment_rows(bu, &ef->ef_loads[i], start);
	rows_settle(bu);
	if (is_empty(bu))
		bu->bu_n = 0;
	if (error == 0 && bu->bu_n >= UNWIND_MAXROWS)
		error = E2BIG;
	if (error == 0 && bu->bu_n > 0)
		error = page_finish(bu, out);
	if (error != 0)
		unwind_page_free(out);
	free(bu->bu_rules);
	free(bu->bu_v);
	free(bu);
	return error;
}

void
unwind_page_free(struct unwind_page_rows *upr)
{
	free(upr->upr_rows);
	free(upr->upr_rules);
	memset(upr, 0, sizeof(*upr));
}

/*
 * The index of a file
 */

static void
section_free(struct unwind_section *us)
{
	ranges_free(&us->us_funcs);
	free(us->us_inflated);
}

/* Returns the bytes of a section as they were before compression, or NULL. */
static void *
section_inflate(const uint8_t *bytes, size_t *size)
{
	Elf64_Chdr ch;
	uLongf n;
	void *p;

	if (*size < sizeof(ch))
		return NULL;
	memcpy(&ch, bytes, sizeof(ch));
	if (ch.ch_type != ELFCOMPRESS_ZLIB || ch.ch_size > INFLATED ||
	    (p = malloc(ch.ch_size)) == NULL)
		return NULL;
	n = ch.ch_size;
	if (uncompress(p, &n, bytes + sizeof(ch), *size - sizeof(ch)) != Z_OK) {
		free(p);
		return NULL;
	}
	*size = n;
	return p;
}

/* Returns whether a file was linked by Go. */
static int
is_go(const struct elffile *ef)
{
	GElf_Shdr sh;

	return ef->ef_ehdr.e_machine == EM_X86_64 &&
	    elffile_section(ef, ".note.go.buildid", &sh) != NULL;
}

/* Adds a section of frame information.  ENOENT: there is none. */
static int
section_add(struct unwind_index *ui, const char *name, int iseh)
{
	struct unwind_section *us = &ui->ui_sections[ui->ui_nsections];
	const struct elffile *ef = ui->ui_file;
	struct cfi *cf = &us->us_cfi;
	GElf_Shdr sh;
	int error;

	cf->cf_bytes = elffile_bytes(elffile_section(ef, name, &sh),
	    &cf->cf_size);
	if (cf->cf_bytes == NULL || sh.sh_type == SHT_NOBITS)
		return ENOENT;
	us->us_inflated = NULL;
	if (sh.sh_flags & SHF_COMPRESSED) {
		us->us_inflated = section_inflate(cf->cf_bytes, &cf->cf_size);
		if ((cf->cf_bytes = us->us_inflated) == NULL)
			return ENOENT;
	}
	us->us_isgo = !iseh && is_go(ef);
	cf->cf_iseh = iseh;
	cf->cf_machine = ef->ef_ehdr.e_machine;
	cf->cf_addr = sh.sh_addr;
	if ((error = cfi_functions(cf, &us->us_funcs)) == 0) {
		ranges_sort(&us->us_funcs);
		error = ranges_seal(&us->us_funcs);
	}
	if (error == 0 && us->us_funcs.rs_n > 0)
		ui->ui_nsections++;
	else
		section_free(us);
	return error;
}

int
unwind_index_open(struct unwind_index *ui, const struct elffile *ef)
{
	int error = 0;

	memset(ui, 0, sizeof(*ui));
	ui->ui_file = ef;
	if (ef->ef_ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (ef->ef_ehdr.e_machine != EM_X86_64 &&
		ef->ef_ehdr.e_machine != EM_AARCH64))
		return ENOENT; /* of another machine */
	if ((error = section_add(ui, ".eh_frame", 1)) == 0 || error == ENOENT)
		error = section_add(ui, ".debug_frame", 0);
	if (error == 0 || error == ENOENT) {
		ui->ui_ncrt = crt_find(ef, ui->ui_crt);
		return ui->ui_nsections > 0 ? 0 : ENOENT;
	}
	unwind_index_close(ui);
	return error;
}

void
unwind_index_close(struct unwind_index *ui)
{
	size_t i;

	for (i = 0; i < ui->ui_nsections; i++)
		section_free(&ui->ui_sections[i]);
	memset(ui, 0, sizeof(*ui));
}
