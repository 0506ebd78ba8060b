/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables, compared with libdw for every row of some of the system's
 * files: libdw reads the same information with other code.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/unwind_rows.h"

#define SELF "/proc/self/exe"

#if defined(__x86_64__)
#define FP	6
#define RA	16
#define MACHINE EM_X86_64
#else
#define FP	29
#define RA	30
#define MACHINE EM_AARCH64
#endif

struct file {
	struct elffile fi_elf;
	struct unwind_index fi_index;
	uint64_t fi_first; /* page */
	size_t fi_npages;
	struct unwind_page_rows *fi_pages;
};

/* Every rule of a table is used, and each row's exists. */
static void
check_page(const struct unwind_page_rows *upr)
{
	char used[UNWIND_MAXRULES] = { 0 };
	size_t i;

	assert_in_range(upr->upr_nrows, 0, UNWIND_MAXROWS);
	assert_in_range(upr->upr_nrules, 0, UNWIND_MAXRULES);
	for (i = 0; i < upr->upr_nrows; i++) {
		assert_in_range(upr->upr_rows[i].ur_rule, 0,
		    upr->upr_nrules - 1);
		used[upr->upr_rows[i].ur_rule] = 1;
		if (i == 0)
			assert_int_equal(upr->upr_rows[i].ur_low, 0);
		else
			assert_true(upr->upr_rows[i - 1].ur_low <
			    upr->upr_rows[i].ur_low);
	}
	for (i = 0; i < upr->upr_nrules; i++)
		assert_true(used[i]);
}

static void
build_pages(struct file *fi)
{
	const struct elfload *el = &fi->fi_elf
					.ef_loads[fi->fi_elf.ef_nloads - 1];
	size_t i;

	fi->fi_first = fi->fi_elf.ef_loads[0].el_off >> UNWIND_PAGE_SHIFT;
	fi->fi_npages = ((el->el_off + el->el_size - 1) >> UNWIND_PAGE_SHIFT) -
	    fi->fi_first + 1;
	fi->fi_pages = calloc(fi->fi_npages, sizeof(*fi->fi_pages));
	assert_non_null(fi->fi_pages);
	for (i = 0; i < fi->fi_npages; i++) {
		assert_int_equal(unwind_page_build(&fi->fi_index,
				     fi->fi_first + i, &fi->fi_pages[i]),
		    0);
		check_page(&fi->fi_pages[i]);
	}
}

/*
 * Opens a file and builds the tables of all of its code; 0: there is no such
 * file, or it is of another machine.
 */
static int
file_open(struct file *fi, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file_bytes im;

	if (fd == -1)
		return 0;
	memset(fi, 0, sizeof(*fi));
	memset(&im, 0, sizeof(im));
	assert_int_equal(file_bytes_map(fd, &im), 0);
	close(fd);
	assert_int_equal(elffile_open(&fi->fi_elf, &im), 0);
	if (fi->fi_elf.ef_ehdr.e_machine != MACHINE) {
		elffile_close(&fi->fi_elf);
		return 0;
	}
	assert_in_range(fi->fi_elf.ef_nloads, 1, ELFFILE_LOADS);
	assert_int_equal(unwind_index_open(&fi->fi_index, &fi->fi_elf), 0);
	build_pages(fi);
	return 1;
}

static void
file_close(struct file *fi)
{
	size_t i;

	for (i = 0; i < fi->fi_npages; i++)
		unwind_page_free(&fi->fi_pages[i]);
	free(fi->fi_pages);
	unwind_index_close(&fi->fi_index);
	elffile_close(&fi->fi_elf);
}

/* The rule of an address. */
static const struct unwind_rule *
rule_at(const struct file *fi, uint64_t addr)
{
	static const struct unwind_rule none;
	const struct elfload *el = elffile_ataddr(&fi->fi_elf, addr);
	const struct unwind_page_rows *upr;
	uint64_t off;
	size_t i = 0;

	assert_non_null(el);
	off = addr - el->el_addr + el->el_off;
	upr = &fi->fi_pages[(off >> UNWIND_PAGE_SHIFT) - fi->fi_first];
	if (upr->upr_nrows == 0)
		return &none;
	while (i + 1 < upr->upr_nrows &&
	    upr->upr_rows[i + 1].ur_low <= (off & (UNWIND_PAGE - 1)))
		i++;
	return &upr->upr_rules[upr->upr_rows[i].ur_rule];
}

/* libdw's rule of a register: "cfa+N", "rN+N", "same", "undefined", "?". */
static void
dw_register(Dwarf_Frame *frame, int reg, char out[32])
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	assert_int_equal(dwarf_frame_register(frame, reg, mem, &ops, &n), 0);
	if (n == 0)
		strcpy(out, ops == NULL ? "same" : "undefined");
	else if (ops[0].atom == DW_OP_call_frame_cfa && n == 1)
		strcpy(out, "cfa+0");
	else if (ops[0].atom == DW_OP_call_frame_cfa && n == 2)
		snprintf(out, 32, "cfa%+ld", (long)ops[1].number);
	else if (ops[0].atom == DW_OP_regx)
		snprintf(out, 32, "r%lu", (unsigned long)ops[0].number);
	else if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		snprintf(out, 32, "r%u", ops[0].atom - DW_OP_reg0);
	else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
	    n == 1)
		snprintf(out, 32, "*r%u%+ld", ops[0].atom - DW_OP_breg0,
		    (long)ops[0].number);
	else
		strcpy(out, "?");
}

static void
dw_cfa(Dwarf_Frame *frame, char out[32])
{
	Dwarf_Op *ops;
	size_t n;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n), 0);
	if (n == 1 && ops[0].atom == DW_OP_bregx)
		snprintf(out, 32, "r%lu%+ld", (unsigned long)ops[0].number,
		    (long)ops[0].number2);
	else if (n == 0 || ops[0].atom < DW_OP_breg0 ||
	    ops[0].atom > DW_OP_breg31)
		strcpy(out, "?");
	else if (n == 1)
		snprintf(out, 32, "r%u%+ld", ops[0].atom - DW_OP_breg0,
		    (long)ops[0].number);
	else if (n == 2 && ops[1].atom == DW_OP_deref)
		snprintf(out, 32, "*r%u%+ld", ops[0].atom - DW_OP_breg0,
		    (long)ops[0].number);
	else if (n == 3 && ops[1].atom == DW_OP_deref &&
	    ops[2].atom == DW_OP_plus_uconst)
		snprintf(out, 32, "*r%u%+ld%+ld", ops[0].atom - DW_OP_breg0,
		    (long)ops[0].number, (long)ops[2].number);
	else if (n == 9 && ops[8].atom == DW_OP_plus)
		snprintf(out, 32, "plt%u", ops[4].atom - DW_OP_lit0);
	else
		strcpy(out, "?");
}

/* The same of a rule. */
static void
rule_texts(const struct unwind_rule *un, char cfa[32], char ra[32], char fp[32])
{
	static const char *const formats[] = { "none", "?", "r%u%+d", NULL,
		"plt%3$d", "*r%u%+d" };
	int add = UNWIND_MEM_ADD(un->un_cfaoff);

	if (un->un_cfa == UNWIND_CFA_MEM)
		snprintf(cfa, 32, add != 0 ? "*r%u%+d%+d" : "*r%u%+d",
		    un->un_reg, UNWIND_MEM_OFF(un->un_cfaoff), add);
	else
		snprintf(cfa, 32, formats[un->un_cfa], un->un_reg,
		    un->un_cfaoff, un->un_raoff);
	snprintf(ra, 32,
	    un->un_cfa == UNWIND_CFA_PLT || un->un_ra == UNWIND_RA_BX ? "cfa-8"
		: un->un_ra == UNWIND_RA_MEM			      ? "cfa%+d"
		: un->un_ra == UNWIND_RA_REG
		? (un->un_raoff == RA ? "same" : "r%d")
		: un->un_ra == UNWIND_RA_END ? "undefined"
					     : "?",
	    un->un_raoff);
	snprintf(fp, 32,
	    un->un_fp == UNWIND_FP_SAME	     ? "same"
		: un->un_fp == UNWIND_FP_CFA ? "cfa%+d"
		: un->un_fp == UNWIND_FP_FP  ? "*r6%+d"
					     : "?",
	    un->un_fpoff);
}

/* Compares where a rule has rbx with libdw's frame. */
static void
compare_bx(const struct unwind_rule *un, Dwarf_Frame *frame)
{
	char text[32] = "same", want[32];

	if (MACHINE != EM_X86_64 || un->un_cfa == UNWIND_CFA_SIGNAL ||
	    (un->un_ra != UNWIND_RA_MEM && un->un_ra != UNWIND_RA_BX))
		return;
	dw_register(frame, 3, want);
	if (un->un_ra == UNWIND_RA_BX)
		snprintf(text, sizeof(text), "cfa%+d", un->un_raoff);
	else if (strcmp(want, "same") != 0)
		return; /* lost, which rules do not hold */
	assert_string_equal(text, want);
}

/* Compares the rule of an address with libdw's frame. */
static void
compare(const struct file *fi, Dwarf_Frame *frame, uint64_t addr)
{
	const struct unwind_rule *un = rule_at(fi, addr);
	char text[3][32], want[3][32];

	compare_bx(un, frame);
	dw_cfa(frame, want[0]);
	dw_register(frame, RA, want[1]);
	dw_register(frame, FP, want[2]);
	rule_texts(un, text[0], text[1], text[2]);
	if (strcmp(text[2], "?") == 0)
		strcpy(text[2], want[2]); /* libdw knows more ways */
	if (un->un_cfa == UNWIND_CFA_SIGNAL || strcmp(text[1], "?") == 0)
		memcpy(text[1], want[1], sizeof(text[1]));
	if (un->un_cfa == UNWIND_CFA_SIGNAL)
		memcpy(text[2], want[2], sizeof(text[2]));
	if (memcmp(text[0], want[0], strlen(want[0]) + 1) != 0 ||
	    strcmp(text[1], want[1]) != 0 || strcmp(text[2], want[2]) != 0)
		fail_msg("at %lx: %s, %s, %s; libdw has %s, %s, %s",
		    (unsigned long)addr, text[0], text[1], text[2], want[0],
		    want[1], want[2]);
}

/* Returns whether an address is in a function of the start files. */
static int
is_crt(const struct file *fi, uint64_t addr)
{
	const struct unwind_index *ui = &fi->fi_index;
	const struct crt_row *crr;
	size_t i;

	for (i = 0; i < ui->ui_ncrt; i++) {
		crr = ui->ui_crt[i].cfn_rows;
		if (addr >= crr[0].crr_addr &&
		    addr < crr[CRT_ROWS - 1].crr_addr)
			return 1;
	}
	return 0;
}

/* Returns whether an address is after a system call, in clone(2). */
static int
is_call(const struct file *fi, uint64_t addr)
{
	const struct elfload *el = elffile_ataddr(&fi->fi_elf, addr);
	const uint8_t *p = fi->fi_elf.ef_bytes.fby_base + el->el_off +
	    (addr - el->el_addr);
	const char *code = MACHINE == EM_X86_64 ? "\x0f\x05"
						: "\x01\x00\x00\xd4";
	int i, n = MACHINE == EM_X86_64 ? 2 : 4;

	for (i = 0; i < 32; i++)
		if (memcmp(p - i, code, n) == 0)
			return 1;
	return 0;
}

/* Compares the rule at an address, and at the last byte of libdw's row. */
static void
compare_at(const struct file *fi, Dwarf_CFI *cfi, uint64_t addr)
{
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	bool issignal;

	if (rule_at(fi, addr)->un_cfa == UNWIND_CFA_NONE) {
		assert_int_equal(dwarf_cfi_addrframe(cfi, addr, &frame), -1);
		return;
	}
	if (dwarf_cfi_addrframe(cfi, addr, &frame) != 0) {
		if (is_crt(fi, addr) || is_call(fi, addr))
			return;
		/* bytes that align the next function */
		assert_int_equal(rule_at(fi, addr)->un_ra, UNWIND_RA_END);
		addr = (addr | 15) + 1;
		assert_int_equal(dwarf_cfi_addrframe(cfi, addr, &frame), 0);
		free(frame);
		return;
	}
	assert_int_not_equal(dwarf_frame_info(frame, &start, &end, &issignal),
	    -1);
	compare(fi, frame, addr);
	compare(fi, frame, end - 1);
	free(frame);
}

/* Compares the first and the last byte of all rows.  Returns their number. */
static size_t
compare_file(const char *path)
{
	const struct unwind_page_rows *upr;
	const struct elfload *el;
	uint64_t start, end;
	size_t page, i, n = 0;
	struct file fi;
	Dwarf_CFI *cfi;

	if (!file_open(&fi, path))
		return 0;
	assert_non_null(cfi = dwarf_getcfi_elf(fi.fi_elf.ef_elf));
	for (page = 0; page < fi.fi_npages; page++) {
		upr = &fi.fi_pages[page];
		start = (fi.fi_first + page) << UNWIND_PAGE_SHIFT;
		for (i = 0; i < upr->upr_nrows; i++, n++) {
			el = elffile_at(&fi.fi_elf,
			    start + upr->upr_rows[i].ur_low);
			if (el == NULL)
				continue; /* not code */
			end = i + 1 < upr->upr_nrows
			    ? start + upr->upr_rows[i + 1].ur_low
			    : start + UNWIND_PAGE;
			compare_at(&fi, cfi,
			    start + upr->upr_rows[i].ur_low - el->el_off +
				el->el_addr);
			if (elffile_at(&fi.fi_elf, end - 1) == el)
				compare_at(&fi, cfi,
				    end - 1 - el->el_off + el->el_addr);
		}
	}
	assert_int_equal(dwarf_cfi_end(cfi), 0);
	file_close(&fi);
	return n;
}

static void
test_libdw(void **state)
{
	static const char *const paths[] = { SELF,
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/lib/aarch64-linux-gnu/libc.so.6", "/bin/bash",
		"/usr/bin/perl" };
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		n += compare_file(paths[i]);
	assert_in_range(n, 100, SIZE_MAX);
}

/* Beyond the code there is no table. */
static void
test_none(void **state)
{
	static const uint64_t pages[] = { 1ULL << 32, UINT64_MAX,
		UINT64_MAX >> UNWIND_PAGE_SHIFT };
	struct unwind_page_rows upr;
	struct file fi;
	size_t i;

	(void)state;
	assert_true(file_open(&fi, SELF));
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		assert_int_equal(unwind_page_build(&fi.fi_index, pages[i],
				     &upr),
		    0);
		assert_int_equal(upr.upr_nrows, 0);
	}
	file_close(&fi);
}

/*
 * The entry point of the dynamic linker is the first frame of a process; glibc's
 * table for arm64 says so from the second instruction on.
 */
static void
test_entry(void **state)
{
	static const char *const paths[] = { "/lib64/ld-linux-x86-64.so.2",
		"/lib/ld-linux-aarch64.so.1" };
	struct file fi;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (!file_open(&fi, paths[i]))
			continue;
		assert_int_equal(rule_at(&fi, fi.fi_elf.ef_ehdr.e_entry + 4)
				     ->un_ra,
		    UNWIND_RA_END);
		file_close(&fi);
		n++;
	}
	assert_int_equal(n, 1);
}

/*
 * The vdso of arm64 has no frame information.  Its functions without a frame, and
 * the code to which a handler of a signal returns, have rules.
 */
static void
test_vdso(void **state)
{
	static uint8_t code[64] = {
		[16] = 0xfd,
		0x7b,
		0xb8,
		0xa9, /* stp x29, x30, [sp, #-128]! */
		[32] = 0x68,
		0x11,
		0x80,
		0xd2, /* mov x8, #139 */
		[36] = 0x01,
		0x00,
		0x00,
		0xd4 /* svc #0 */
	};
	static const struct {
		uint16_t low;
		uint8_t cfa, ra;
	} rows[] = { { 0, UNWIND_CFA_REG, UNWIND_RA_REG },
		{ 16, UNWIND_CFA_NONE, UNWIND_RA_MEM },
		{ 31, UNWIND_CFA_SIGNAL, UNWIND_RA_MEM },
		{ 40, UNWIND_CFA_NONE, UNWIND_RA_MEM } };
	struct elffile ef = { .ef_bytes = { .fby_base = code,
				  .fby_size = sizeof(code) },
		.ef_ehdr = { .e_ident = { [EI_CLASS] = ELFCLASS64 },
		    .e_machine = EM_AARCH64 },
		.ef_nloads = 1,
		.ef_loads = { { 0, sizeof(code), 0 } } };
	struct unwind_page_rows upr;
	const struct unwind_rule *un;
	struct unwind_index ui;
	size_t i;

	(void)state;
	assert_int_equal(unwind_index_open(&ui, &ef), ENOENT);
	assert_int_equal(unwind_page_build(&ui, 0, &upr), 0);
	assert_int_equal(upr.upr_nrows, 4);
	for (i = 0; i < 4; i++) {
		un = &upr.upr_rules[upr.upr_rows[i].ur_rule];
		assert_int_equal(upr.upr_rows[i].ur_low, rows[i].low);
		assert_int_equal(un->un_cfa, rows[i].cfa);
		assert_int_equal(un->un_ra, rows[i].ra);
	}
	unwind_page_free(&upr);
	ef.ef_ehdr.e_machine = EM_X86_64;
	assert_int_equal(unwind_page_build(&ui, 0, &upr), 0);
	assert_int_equal(upr.upr_nrows, 0);
	unwind_index_close(&ui);
}

#if defined(__x86_64__)

/* A function of the start files in a child that is stopped at its first byte. */
struct crt_child {
	pid_t cch_pid;
	uint64_t cch_base; /* address of the file in memory */
	uint64_t cch_cfa;
};

static void
crt_wait(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
}

/* Returns the address at which the file of a child that has just begun is. */
static uint64_t
crt_base(pid_t pid, uint64_t entry)
{
	char path[64];
	uint64_t v[2];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	assert_non_null(f = fopen(path, "re"));
	do
		assert_int_equal(fread(v, sizeof(v), 1, f), 1);
	while (v[0] != AT_ENTRY);
	fclose(f);
	return v[1] - entry;
}

/* Lets a child run to an address of its file. */
static void
crt_run(struct crt_child *cch, uint64_t addr)
{
	pid_t pid = cch->cch_pid;
	void *at = (void *)(cch->cch_base + addr);
	struct user_regs_struct regs;
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, at, NULL);
	assert_int_equal(errno, 0);
	assert_int_equal(ptrace(PTRACE_POKETEXT, pid, at,
			     (void *)((word & ~0xffL) | 0xcc)),
	    0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	crt_wait(pid);
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	assert_int_equal(--regs.rip, (uint64_t)at);
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &regs), 0);
	assert_int_equal(ptrace(PTRACE_POKETEXT, pid, at, (void *)word), 0);
	cch->cch_cfa = regs.rsp + 8;
}

/* Executes a function, and checks the rule of each of its instructions. */
static unsigned int
crt_steps(const struct crt_child *cch, const struct file *fi,
    const struct crt_func *cf)
{
	const struct crt_row *crr = cf->cfn_rows;
	const struct unwind_rule *un;
	struct user_regs_struct regs;
	unsigned int n = 0;
	uint64_t addr;

	for (;;) {
		assert_int_equal(ptrace(PTRACE_GETREGS, cch->cch_pid, NULL,
				     &regs),
		    0);
		if (regs.rsp >= cch->cch_cfa)
			return n; /* it has returned */
		addr = regs.rip - cch->cch_base;
		if (addr >= crr[0].crr_addr &&
		    addr < crr[CRT_ROWS - 1].crr_addr) {
			un = rule_at(fi, addr);
			assert_int_equal(un->un_cfa, UNWIND_CFA_REG);
			assert_int_equal(un->un_reg, 7);
			assert_int_equal(regs.rsp + un->un_cfaoff,
			    cch->cch_cfa);
			assert_int_equal(un->un_ra, UNWIND_RA_MEM);
			assert_int_equal(un->un_raoff, -8);
			n++;
		}
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, cch->cch_pid, NULL,
				     NULL),
		    0);
		crt_wait(cch->cch_pid);
	}
}

/* The start files' functions have no frame information. */
static void
test_crt(void **state)
{
	struct crt_child cch;
	struct file fi;
	size_t i;
	int status;

	(void)state;
	assert_true(file_open(&fi, SELF));
	assert_int_equal(fi.fi_index.ui_ncrt, CRT_FUNCS);
	if ((cch.cch_pid = fork()) == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		/* LeakSanitizer does not work in a traced process */
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		execl(SELF, "test_unwind", "end", NULL);
		_exit(127);
	}
	crt_wait(cch.cch_pid);
	cch.cch_base = crt_base(cch.cch_pid, fi.fi_elf.ef_ehdr.e_entry);
	for (i = 0; i < CRT_FUNCS; i++) {
		/* in the order in which they run */
		const struct crt_func *cf = &fi.fi_index.ui_crt[(3 - i) % 3];

		crt_run(&cch, cf->cfn_rows[0].crr_addr);
		assert_in_range(crt_steps(&cch, &fi, cf), 3, 40);
	}
	assert_int_equal(ptrace(PTRACE_CONT, cch.cch_pid, NULL, NULL), 0);
	assert_int_equal(waitpid(cch.cch_pid, &status, 0), cch.cch_pid);
	assert_int_equal(status, 0);
	file_close(&fi);
}

#else

static void
test_crt(void **state)
{
	(void)state;
	skip(); /* the emulator of user programs has no ptrace(2) */
}

#endif

/* "end": exits at once. */
int
main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libdw),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_crt),
	};

	(void)elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
