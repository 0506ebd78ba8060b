/* SPDX-License-Identifier: ISC */
/*
 * Files made to use the symbolizer's time: about 17 MB each, with sections,
 * symbols, ranges or units for which a simple reader does work that grows with
 * the square of the size.  CPU time is limited, to distinguish that from linear
 * work.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/perf_map.h"
#include "symbolizer/object_file.h"
#include "symbolizer/ranges.h"

#define QUICK	 1  /* s of CPU time: at least ten times the usual */
#define SLOW	 10 /* the same, where much must be read */
#define LARGE	 (16U << 20)
#define CODE	 0x400000ULL /* address of the code */
#define CODEOFF	 0x1000	     /* and its offset in the file */
#define CODESIZE 0x10000000ULL
#define NASKED	 4096

/* An ELF file under construction: bytes, and one table of sections. */
struct making {
	uint8_t *mk_v;
	size_t mk_n, mk_max;
	Elf64_Shdr mk_sections[32];
	unsigned int mk_nsections;
	char mk_names[1024];
	size_t mk_nnames;
};

static size_t
mk_bytes(struct making *mk, const void *p, size_t n)
{
	size_t at = mk->mk_n;

	if (mk->mk_n + n > mk->mk_max) {
		mk->mk_max = 2 * (mk->mk_n + n);
		mk->mk_v = realloc(mk->mk_v, mk->mk_max);
		assert_non_null(mk->mk_v);
	}
	if (p != NULL)
		memcpy(mk->mk_v + at, p, n);
	else
		memset(mk->mk_v + at, 0, n);
	mk->mk_n += n;
	return at;
}

static unsigned int
mk_section(struct making *mk, const char *name, uint32_t type, uint64_t flags,
    size_t off, size_t size, uint32_t link)
{
	Elf64_Shdr *sh = &mk->mk_sections[mk->mk_nsections];

	*sh = (Elf64_Shdr){ .sh_name = mk->mk_nnames,
		.sh_type = type,
		.sh_flags = flags,
		.sh_offset = off,
		.sh_size = size,
		.sh_link = link,
		.sh_addralign = 1 };
	if (type == SHT_SYMTAB || type == SHT_DYNSYM)
		sh->sh_entsize = sizeof(Elf64_Sym);
	if (type == SHT_RELA)
		sh->sh_entsize = sizeof(Elf64_Rela);
	memcpy(mk->mk_names + mk->mk_nnames, name, strlen(name) + 1);
	mk->mk_nnames += strlen(name) + 1;
	return mk->mk_nsections++;
}

/*
 * Starts a file with one segment of code, whose bytes are mostly missing, and
 * .text.
 */
static void
mk_start(struct making *mk)
{
	Elf64_Phdr ph = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = CODEOFF,
		.p_vaddr = CODE,
		.p_filesz = CODESIZE,
		.p_memsz = CODESIZE };
	Elf64_Ehdr eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			      ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr) };

	*mk = (struct making){ 0 };
	mk_bytes(mk, &eh, sizeof(eh));
	mk_bytes(mk, &ph, sizeof(ph));
	mk_bytes(mk, NULL, CODEOFF - mk->mk_n);
	mk_section(mk, "", SHT_NULL, 0, 0, 0, 0);
	mk_section(mk, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    CODEOFF, 16, 0);
	mk->mk_sections[1].sh_addr = CODE;
}

/* Ends the file: adds n sections, all like the last one. */
static void
mk_end(struct making *mk, unsigned int nmore)
{
	Elf64_Shdr last = mk->mk_sections[mk->mk_nsections - 1];
	unsigned int names, i;
	Elf64_Ehdr *eh;
	size_t shoff;

	names = mk_section(mk, ".shstrtab", SHT_STRTAB, 0, mk->mk_n, 0, 0);
	mk->mk_sections[names].sh_size = mk->mk_nnames;
	mk_bytes(mk, mk->mk_names, mk->mk_nnames);
	mk_bytes(mk, NULL, -mk->mk_n & 7);
	shoff = mk_bytes(mk, mk->mk_sections,
	    mk->mk_nsections * sizeof(Elf64_Shdr));
	for (i = 0; i < nmore; i++)
		mk_bytes(mk, &last, sizeof(last));
	eh = (Elf64_Ehdr *)mk->mk_v;
	eh->e_shoff = shoff;
	eh->e_shnum = mk->mk_nsections + nmore;
	eh->e_shstrndx = names;
}

static size_t
mk_fill(struct making *mk, int byte, size_t n)
{
	size_t at = mk_bytes(mk, NULL, n);

	memset(mk->mk_v + at, byte, n);
	return at;
}

/* Counts the frames of the last object, and keeps the last name. */
static size_t nframes;
static char lastname[SYMREQ_NAME];

static double
cpu_secs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void
expect_quick(const char *what, double before, double limit)
{
	double secs = cpu_secs() - before;

	print_message("%s: %.3f s, %zu frames\n", what, secs, nframes);
	if (secs > limit)
		fail_msg("%s takes %.1f s", what, secs);
}

static int
no_file(const struct symrep_find *sa, int *fd)
{
	(void)sa;
	(void)fd;
	return ENOENT;
}

static void
note(struct frame_sink *fs, const struct wire_frame *wf,
    const struct symrep_span *sp, const char *func, const char *file)
{
	(void)fs;
	(void)wf;
	(void)file;
	nframes++;
	assert_true(sp->ssp_from < sp->ssp_to);
	snprintf(lastname, sizeof(lastname), "%s", func == NULL ? "?" : func);
}

/*
 * Opens the file like the symbolizer, and looks up addresses from the given one
 * on.
 */
static void
ask_all(struct making *mk, const char *what, uint64_t first, int lines,
    debugfile_find *find)
{
	double limit = lines || find != no_file ? SLOW : QUICK;
	static uint64_t offs[NASKED];
	struct frame_sink fs = { note };
	double before = cpu_secs();
	struct object_file *ob;
	struct file_bytes im;
	size_t i;

	nframes = 0;
	for (i = 0; i < NASKED; i++)
		offs[i] = CODEOFF + first + i;
	file_bytes_take(mk->mk_v, mk->mk_n, &im);
	if (object_file_open(&im, NULL, 0, find, &ob) == 0) {
		(void)object_file_names(ob, offs, NASKED, lines, &fs);
		object_file_close(ob);
	}
	expect_quick(what, before, limit);
}

static int
setup(void **state)
{
	(void)state;
	(void)elf_version(EV_CURRENT);
	return 0;
}

/* --- symbols ----------------------------------------------------------------*/

static Elf64_Sym
function(uint32_t name, uint64_t at, uint64_t size)
{
	return (Elf64_Sym){ .st_name = name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = CODE + at,
		.st_size = size };
}

/* Symbols at one address whose names are all in an unterminated table. */
static void
one_address(uint32_t type, int byte, const char *what)
{
	struct making mk;
	Elf64_Sym sym = { 0 };
	size_t names, syms, i, n = 20000;

	mk_start(&mk);
	names = mk_fill(&mk, byte, LARGE);
	syms = mk_bytes(&mk, &sym, sizeof(sym));
	for (i = 0; i < n; i++) {
		sym = function(1 + i % 1000, 0, 16);
		mk_bytes(&mk, &sym, sizeof(sym));
	}
	mk_section(&mk, ".strtab", SHT_STRTAB, 0, names, LARGE, 0);
	mk_section(&mk, ".symtab", type, 0, syms, (n + 1) * sizeof(sym), 2);
	mk_end(&mk, 0);
	ask_all(&mk, what, 0, 0, no_file);
	assert_int_equal(nframes, NASKED);
}

static void
test_one_address(void **state)
{
	(void)state;
	one_address(SHT_SYMTAB, 'x', "symbols at one address");
	one_address(SHT_SYMTAB, '_', "underscores at one address");
	one_address(SHT_DYNSYM, 'x', "dynamic symbols at one address");
}

/*
 * Each function ends before the one around it; all begin before the addresses
 * that are looked up.
 */
static void
test_nested(void **state)
{
	struct making mk;
	Elf64_Sym sym = { 0 };
	size_t names, syms, i, n = 700000;

	(void)state;
	mk_start(&mk);
	names = mk_bytes(&mk, "\0outer\0f", 9);
	syms = mk_bytes(&mk, &sym, sizeof(sym));
	for (i = 0; i < n; i++) {
		sym = function(i == 0 ? 1 : 7, i, i == 0 ? 3 * n : 2 * (n - i));
		mk_bytes(&mk, &sym, sizeof(sym));
	}
	mk_section(&mk, ".strtab", SHT_STRTAB, 0, names, 9, 0);
	mk_section(&mk, ".symtab", SHT_SYMTAB, 0, syms, (n + 1) * sizeof(sym),
	    2);
	mk_end(&mk, 0);
	ask_all(&mk, "nested functions", 2 * n, 0, no_file);
	assert_string_equal(lastname, "outer");
}

/* Each address has its own function, with a name of 16 MB. */
static void
test_long_names(void **state)
{
	struct making mk;
	Elf64_Sym sym = { 0 };
	size_t names, syms, i;

	(void)state;
	mk_start(&mk);
	names = mk_fill(&mk, 'x', LARGE);
	syms = mk_bytes(&mk, &sym, sizeof(sym));
	for (i = 0; i < NASKED; i++) {
		sym = function(1 + i, i, 1);
		mk_bytes(&mk, &sym, sizeof(sym));
	}
	mk_section(&mk, ".strtab", SHT_STRTAB, 0, names, LARGE, 0);
	mk_section(&mk, ".symtab", SHT_SYMTAB, 0, syms,
	    (NASKED + 1) * sizeof(sym), 2);
	mk_end(&mk, 0);
	ask_all(&mk, "long names", 0, 0, no_file);
	assert_int_equal(strlen(lastname), SYMREQ_NAME - 1);
}

/* Returns the expected result of ranges_find(), by a search of all ranges. */
static void
find_plainly(const struct ranges *rs, uint64_t addr, struct ranges_hit *hit)
{
	const struct range *r;
	size_t i = 0;

	*hit = (struct ranges_hit){ NULL, 0, UINT64_MAX };
	while (i < rs->rs_n && rs->rs_v[i].r_start <= addr)
		i++;
	if (i < rs->rs_n)
		hit->rh_to = rs->rs_v[i].r_start;
	while (i-- > 0) {
		r = &rs->rs_v[i];
		if (r->r_start + r->r_size > addr) {
			hit->rh_range = r;
			break;
		}
		if (r->r_start + r->r_size > hit->rh_from)
			hit->rh_from = r->r_start + r->r_size;
	}
	if (hit->rh_range == NULL)
		return;
	if (hit->rh_from < hit->rh_range->r_start)
		hit->rh_from = hit->rh_range->r_start;
	if (hit->rh_to > hit->rh_range->r_start + hit->rh_range->r_size)
		hit->rh_to = hit->rh_range->r_start + hit->rh_range->r_size;
}

/*
 * Ranges of all sizes, most of them nested: the search that skips steps finds
 * the same.
 */
static void
test_ranges(void **state)
{
	struct ranges_hit hit, want;
	struct ranges rs;
	unsigned int round, i;
	uint64_t addr;

	(void)state;
	srand(1);
	for (round = 0; round < 300; round++) {
		rs = (struct ranges){ 0 };
		for (i = 0; i < 100; i++)
			assert_int_equal(ranges_add(&rs, rand() % 300,
					     1 + rand() % (1 + rand() % 300),
					     i),
			    0);
		ranges_sort(&rs);
		assert_int_equal(ranges_seal(&rs), 0);
		for (addr = 0; addr < 700; addr++) {
			ranges_find(&rs, addr, &hit);
			find_plainly(&rs, addr, &want);
			assert_memory_equal(&hit, &want, sizeof(hit));
		}
		ranges_free(&rs);
	}
}

/* --- sections ---------------------------------------------------------------*/

/* Thousands of sections with unterminated names. */
static void
test_section_names(void **state)
{
	struct making mk;
	size_t at;

	(void)state;
	mk_start(&mk);
	at = mk_fill(&mk, 'x', LARGE);
	mk_section(&mk, "", SHT_PROGBITS, 0, CODEOFF, 16, 0);
	mk.mk_sections[2].sh_name = 1;
	mk_end(&mk, 60000);
	/* the last of its own sections has the names */
	((Elf64_Shdr *)(mk.mk_v + ((Elf64_Ehdr *)mk.mk_v)->e_shoff))[3]
	    .sh_offset = at;
	((Elf64_Shdr *)(mk.mk_v + ((Elf64_Ehdr *)mk.mk_v)->e_shoff))[3]
	    .sh_size = LARGE;
	ask_all(&mk, "names of sections", 0, 1, no_file);
}

/* Relocations of the same bytes, in thousands of sections. */
static void
test_relocations(void **state)
{
	static const uint8_t stub[16] = { 0xff, 0x25, 0, 0, 0, 0 };
	struct making mk;
	size_t at, plt, n = LARGE / sizeof(Elf64_Rela) * sizeof(Elf64_Rela);

	(void)state;
	mk_start(&mk);
	plt = mk_bytes(&mk, stub, sizeof(stub));
	at = mk_bytes(&mk, NULL, n);
	mk_section(&mk, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, plt,
	    sizeof(stub), 0);
	mk.mk_sections[2].sh_addr = CODE;
	mk_section(&mk, ".rela", SHT_RELA, SHF_ALLOC, at, n, 0);
	mk_end(&mk, 30000);
	ask_all(&mk, "relocations", 0, 0, no_file);
}

/* Notes of the same bytes, in thousands of sections. */
static void
test_notes(void **state)
{
	struct making mk;
	size_t at;

	(void)state;
	mk_start(&mk);
	at = mk_bytes(&mk, NULL, LARGE);
	mk_section(&mk, ".note", SHT_NOTE, 0, at, LARGE, 0);
	mk.mk_sections[2].sh_addralign = 4;
	mk_end(&mk, 60000);
	ask_all(&mk, "notes of sections", 0, 0, no_file);
}

/* The same in segments, of a file without sections. */
static void
test_note_segments(void **state)
{
	Elf64_Phdr ph = { .p_type = PT_NOTE, .p_align = 4 };
	struct making mk;
	Elf64_Ehdr *eh;
	size_t at, i;

	(void)state;
	mk_start(&mk);
	ph.p_offset = mk_bytes(&mk, NULL, LARGE);
	ph.p_filesz = ph.p_memsz = LARGE;
	at = mk_bytes(&mk, mk.mk_v + sizeof(Elf64_Ehdr), sizeof(ph));
	for (i = 1; i < 60000; i++)
		mk_bytes(&mk, &ph, sizeof(ph));
	eh = (Elf64_Ehdr *)mk.mk_v;
	eh->e_phoff = at;
	eh->e_phnum = 60000;
	ask_all(&mk, "notes of segments", 0, 0, no_file);
}

/* --- lines ------------------------------------------------------------------*/

static const uint8_t abbrev[] = { 1, 0x11, 1, 0x55, 0x17, 0,
	0,			      /* unit with ranges, has children */
	2, 0x24, 0, 0, 0,	      /* base type, empty */
	3, 0x11, 0, 0x55, 0x17, 0, 0, /* unit with ranges, no children */
	4, 0x2e, 1, 0x11, 0x01, 0x12, 0x07, 0, 0, /* function low, size */
	5, 0x0b, 0, 0x11, 0x01, 0x12, 0x07, 0, 0, /* block low, size */
	0 };

static void
unit_start(struct making *mk, uint32_t nbytes, uint8_t code, uint32_t ranges)
{
	struct __attribute__((packed)) {
		uint32_t length;
		uint16_t version;
		uint32_t abbrevs;
		uint8_t addrsize;
		uint8_t code;
		uint32_t ranges;
	} unit = { 4 + 2 + 1 + 1 + 4 + nbytes, 4, 0, 8, code, ranges };

	unit.length = sizeof(unit) - 4 + nbytes;
	mk_bytes(mk, &unit, sizeof(unit));
}

/* A file whose .debug_info now extends from here to the end. */
static void
mk_dwarf(struct making *mk, size_t info, size_t ranges, size_t nranges)
{
	size_t n = mk->mk_n - info, at = mk_bytes(mk, abbrev, sizeof(abbrev));

	mk_section(mk, ".debug_info", SHT_PROGBITS, 0, info, n, 0);
	mk_section(mk, ".debug_abbrev", SHT_PROGBITS, 0, at, sizeof(abbrev), 0);
	mk_section(mk, ".debug_ranges", SHT_PROGBITS, 0, ranges, nranges, 0);
	mk_end(mk, 0);
}

/* The ranges first, first + step, ...: one byte each. */
static size_t
mk_ranges(struct making *mk, uint64_t first, uint64_t step, size_t n)
{
	uint64_t r[2], none[2] = { 0, 0 };
	size_t at = mk->mk_n, i;

	for (i = 0; i < n; i++) {
		r[0] = first + i * step;
		r[1] = r[0] + 1;
		mk_bytes(mk, r, sizeof(r));
	}
	mk_bytes(mk, none, sizeof(none));
	return at;
}

/*
 * Two alternating units: each has every other address, and a million entries.
 */
static void
test_units_in_turn(void **state)
{
	struct making mk;
	size_t ranges, info, nbytes = LARGE / 2;
	unsigned int i;

	(void)state;
	mk_start(&mk);
	ranges = mk_ranges(&mk, CODE, 2, NASKED / 2);
	mk_ranges(&mk, CODE + 1, 2, NASKED / 2);
	info = mk.mk_n;
	for (i = 0; i < 2; i++) {
		unit_start(&mk, nbytes, 1, i * (NASKED / 2 + 1) * 16);
		mk_fill(&mk, 2, nbytes - 1);
		mk_fill(&mk, 0, 1);
	}
	mk_dwarf(&mk, info, ranges, 2 * (NASKED / 2 + 1) * 16);
	ask_all(&mk, "units in turn", 0, 1, no_file);
	assert_int_equal(nframes, NASKED);
}

/* Thousands of units with the same ranges, none of which is in the code. */
static void
test_same_ranges(void **state)
{
	struct making mk;
	size_t ranges, info, i, n = 400000;

	(void)state;
	mk_start(&mk);
	ranges = mk_ranges(&mk, 0x10, 2, n);
	info = mk.mk_n;
	for (i = 0; i < n; i++)
		unit_start(&mk, 0, 3, 0);
	mk_dwarf(&mk, info, ranges, (n + 1) * 16);
	ask_all(&mk, "the same ranges", 0, 1, no_file);
	assert_int_equal(nframes, NASKED);
}

/* A function with a million blocks, none of which has the address. */
static void
test_blocks(void **state)
{
	struct __attribute__((packed)) {
		uint8_t code;
		uint64_t low, size;
	} die = { 4, CODE, 1U << 20 };
	struct making mk;
	size_t ranges, info, i, n = 800000;
	uint64_t all[4] = { CODE, CODE + (1U << 20), 0, 0 };

	(void)state;
	mk_start(&mk);
	ranges = mk_bytes(&mk, all, sizeof(all));
	info = mk.mk_n;
	unit_start(&mk, (n + 1) * sizeof(die) + 2, 1, 0);
	mk_bytes(&mk, &die, sizeof(die));
	die.code = 5;
	die.low = CODE + (1U << 19);
	die.size = 1;
	for (i = 0; i < n; i++)
		mk_bytes(&mk, &die, sizeof(die));
	mk_fill(&mk, 0, 2);
	mk_dwarf(&mk, info, ranges, sizeof(all));
	ask_all(&mk, "blocks of a function", 0, 1, no_file);
	assert_int_equal(nframes, NASKED);
}

/*
 * --- other files ------------------------------------------------------------
 */

/* A file of zeros of the maximum size: they take no memory. */
static int
zeros(off_t n)
{
	int fd = memfd_create("zeros", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(ftruncate(fd, n), 0);
	return fd;
}

static int
large_file(const struct symrep_find *sa, int *fd)
{
	static const uint8_t elf[64] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		EV_CURRENT, [16] = ET_EXEC, [18] = EM_X86_64, [20] = EV_CURRENT
	};

	if (sa->sa_how != SYMREP_BYLINK || sa->sa_nth > 15)
		return ENOENT;
	*fd = zeros((2LL << 30) - 4096);
	assert_int_equal(pwrite(*fd, elf, sizeof(elf), 0), sizeof(elf));
	return 0;
}

/* Debug files of 2 GB with the wrong checksum. */
static void
test_checksums(void **state)
{
	struct making mk;
	size_t at;

	(void)state;
	mk_start(&mk);
	at = mk_bytes(&mk, "large\0\0\0\1\2\3\4", 12);
	mk_section(&mk, ".gnu_debuglink", SHT_PROGBITS, 0, at, 12, 0);
	mk_end(&mk, 0);
	ask_all(&mk, "checksums", 0, 0, large_file);
	assert_int_equal(nframes, NASKED);
}

/* A perf map of a terabyte without a line. */
static void
test_jit(void **state)
{
	int fd = zeros(1LL << 40);
	double before = cpu_secs();
	struct jit *ji;

	(void)state;
	assert_int_equal(jit_open(fd, &ji), 0);
	jit_close(ji);
	close(fd);
	expect_quick("perf map", before, SLOW);
}

/* With an argument: only tests that match it. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_address),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_section_names),
		cmocka_unit_test(test_relocations),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_note_segments),
		cmocka_unit_test(test_units_in_turn),
		cmocka_unit_test(test_same_ranges),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_jit),
	};

	if (getenv("UNIT_RUN") != NULL)
		return 0; /* an emulator is ten times slower */
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, setup, NULL);
}
