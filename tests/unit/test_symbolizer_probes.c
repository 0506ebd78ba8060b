/* SPDX-License-Identifier: ISC */
/*
 * Places to probe in files, through the worker process.  symfiles/probes.cc and
 * notes.S have functions and static probes with arguments of each kind.
 */
#include <dlfcn.h>

#include "daemon/sym/file_probes.h"
#include "daemon/sym/probe_cache.h"

#include "tests/unit/test_symbolizer.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static int
ask(const char *file, struct probe_query *pq, const char *name,
    struct file_probes *fip)
{
	struct mapped_file mf = *file == '/' ||
		strcmp(file, "probes.stripped") != 0
	    ? file_open(file)
	    : file_open_in(file, "/opt/probes");
	int error;

	memset(fip, 0, sizeof(*fip));
	symbolizer_begin(60000, getuid());
	error = file_probes_get(&mf, pq, name, fip);
	file_close(&mf);
	return error;
}

static struct file_probes
find(const char *file, uint32_t kind, const char *name, uint64_t off)
{
	struct probe_query pq = { .pq_kind = kind,
		.pq_max = PROBE_SITES_MAX,
		.pq_off = off };
	struct file_probes fip;

	assert_int_equal(ask(file, &pq, name, &fip), 0);
	return fip;
}

static const char *
text(const struct file_probes *fip, uint32_t at)
{
	const char *s = wire_string(fip->fip_strings, at);

	return s == NULL ? "-" : s;
}

static const char *
site_name(const struct file_probes *fip, uint32_t i)
{
	return text(fip, fip->fip_sites[i].psi_name);
}

/*
 * --- functions --------------------------------------------------------------
 */

/* A name finds its function, at the offset that its symbol has. */
static void
test_function(void **state)
{
	static const char *const files[] = { "pie", "nopie", "static" };
	struct file_probes fip;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		fip = find(files[i], PROBE_QUERY_FUNCTIONS, "main", 0);
		assert_int_equal(fip.fip_nsites, 1);
		assert_string_equal(site_name(&fip, 0), "main");
		assert_int_equal(fip.fip_sites[0].psi_off,
		    where(files[i], "main"));
		assert_int_not_equal(fip.fip_sites[0].psi_size, 0);
		file_probes_free(&fip);
	}
}

/* Nothing matches: no sites, and no error. */
static void
test_no_function(void **state)
{
	struct file_probes fip = find("pie", PROBE_QUERY_FUNCTIONS, "mainx", 0);

	(void)state;
	assert_int_equal(fip.fip_nsites, 0);
	assert_int_equal(fip.fip_ismore, 0);
	file_probes_free(&fip);
}

/* The number of functions that match, and the first one's name. */
static void
matches(const char *file, const char *pattern, uint32_t n, const char *first)
{
	struct file_probes fip = find(file, PROBE_QUERY_FUNCTIONS, pattern, 0);

	if (fip.fip_nsites != n)
		fail_msg("%s: %u sites", pattern, fip.fip_nsites);
	if (n > 0)
		assert_string_equal(site_name(&fip, 0), first);
	file_probes_free(&fip);
}

/* Patterns, mangled and demangled names, aliases. */
static void
test_patterns(void **state)
{
	(void)state;
	matches("probes", "space::over", 2, "space::over");
	matches("probes", "space::over(long)", 1, "space::over");
	matches("probes", "space::over*", 2, "space::over");
	matches("probes", "_ZN5space4overEl", 1, "space::over");
	matches("probes", "thing::get", 1, "thing::get");
	matches("probes", "th?ng::[a-g]et", 1, "thing::get");
	matches("probes", "th?ng::[!g]et", 0, NULL);
	matches("probes", "space::tagged[abi:v1]", 1, "space::tagged[abi:v1]");
	matches("probes", "*over(*", 2, "space::over");
	matches("pie", "*strong", 1, "strong");
	matches("pie", "plain_alias", 1, "plain_alias");
	matches("pie", "__under_alias", 1, "__under_alias");
	matches("pie", "*_alias", 2, "weak_alias");
	matches("pie", "[", 0, NULL);
}

static void
test_flags(void **state)
{
	struct file_probes fip = find("probes", PROBE_QUERY_FUNCTIONS,
	    "thing::get", 0);

	(void)state;
	assert_int_equal(fip.fip_sites[0].psi_flags, PROBE_SITE_CXX);
	assert_string_equal(text(&fip, fip.fip_sites[0].psi_more),
	    "_ZN5thing3getE5guardi");
	file_probes_free(&fip);
	fip = find("pie", PROBE_QUERY_FUNCTIONS, "resolved", 0);
	assert_int_equal(fip.fip_nsites, 1);
	assert_int_equal(fip.fip_sites[0].psi_flags, PROBE_SITE_IFUNC);
	file_probes_free(&fip);
}

/* A stripped file has the functions of its debug file, or of its packed
 * one. */
static void
test_stripped(void **state)
{
	(void)state;
	matches("probes.stripped", "space::*", 3, "space::over");
	matches("mini", "quiet", 1, "quiet");
}

/* More than were requested: as many as were, and a mark. */
static void
test_more(void **state)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_FUNCTIONS,
		.pq_max = 1 };
	struct file_probes fip;

	(void)state;
	assert_int_equal(ask("probes", &pq, "space::*", &fip), 0);
	assert_int_equal(fip.fip_nsites, 1);
	assert_int_equal(fip.fip_ismore, 1);
	file_probes_free(&fip);
}

/* Thousands of functions take several messages. */
static void
test_many(void **state)
{
	struct file_probes fip;
	uint32_t i;

	(void)state;
	if (access(LIBC, R_OK) != 0)
		skip();
	fip = find(LIBC, PROBE_QUERY_FUNCTIONS, "*", 0);
	assert_in_range(fip.fip_nsites, 1500, 100000);
	for (i = 1; i < fip.fip_nsites; i++)
		assert_true(
		    fip.fip_sites[i].psi_off > fip.fip_sites[i - 1].psi_off);
	file_probes_free(&fip);
	matches(LIBC, "malloc", 1, "malloc");
}

/* A variable is as far from a function as in the loaded library. */
static void
test_variable(void **state)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	char *func, *variable;
	struct file_probes fip;
	uint64_t off;

	(void)state;
	if (access(LIBC, R_OK) != 0 || libc == NULL)
		skip();
	func = dlsym(libc, "getpid");
	variable = dlsym(libc, "_IO_2_1_stdout_");
	fip = find(LIBC, PROBE_QUERY_FUNCTIONS, "getpid", 0);
	assert_in_range(fip.fip_nsites, 1, 8);
	off = fip.fip_sites[0].psi_off;
	file_probes_free(&fip);
	fip = find(LIBC, PROBE_QUERY_VARIABLE, "_IO_2_1_stdout_", off);
	assert_int_equal(fip.fip_nsites, 1);
	assert_int_equal(fip.fip_sites[0].psi_off, variable - func);
	assert_int_equal(fip.fip_sites[0].psi_size, 224);
	file_probes_free(&fip);
	fip = find(LIBC, PROBE_QUERY_VARIABLE, "getpid", off);
	assert_int_equal(fip.fip_nsites, 1);
	assert_int_equal(fip.fip_sites[0].psi_off, 0);
	file_probes_free(&fip);
	fip = find(LIBC, PROBE_QUERY_VARIABLE, "no such name", off);
	assert_int_equal(fip.fip_nsites, 0);
	file_probes_free(&fip);
	dlclose(libc);
}

/* The same query again needs no worker, until the reply is dropped. */
static void
test_cache(void **state)
{
	struct symbolizer_stat before, after;
	uint64_t off = where("probes", "ints");
	struct file_probes first, fip;
	int i;

	(void)state;
	first = find("probes", PROBE_QUERY_ARGS, NULL, off);
	for (i = 0; i < 2; i++) {
		forget();
		if (i == 1)
			probe_cache_trim(-1);
		symbolizer_stat(&before);
		fip = find("probes", PROBE_QUERY_ARGS, NULL, off);
		symbolizer_stat(&after);
		assert_int_equal(after.ss_starts, before.ss_starts + i);
		assert_int_equal(fip.fip_nargs, first.fip_nargs);
		assert_memory_equal(fip.fip_args, first.fip_args,
		    fip.fip_nargs * sizeof(*fip.fip_args));
		assert_memory_equal(fip.fip_strings, first.fip_strings,
		    fip.fip_nbytes);
		file_probes_free(&fip);
	}
	/* another query of the same file is not the same */
	fip = find("probes", PROBE_QUERY_ARGS, NULL, where("probes", "full"));
	assert_int_not_equal(fip.fip_nargs, first.fip_nargs);
	file_probes_free(&fip);
	file_probes_free(&first);
}

static void
test_nearest(void **state)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_NEAREST, .pq_max = 2 };
	struct file_probes fip;

	(void)state;
	assert_int_equal(ask("probes", &pq, "strucst", &fip), 0);
	assert_in_range(fip.fip_nsites, 1, 2);
	assert_string_equal(site_name(&fip, 0), "structs");
	file_probes_free(&fip);
	assert_int_equal(ask("probes", &pq, "thing::gt", &fip), 0);
	assert_string_equal(site_name(&fip, 0), "thing::get");
	file_probes_free(&fip);
	assert_int_equal(ask("probes", &pq, "thing::gt(guard, int)", &fip), 0);
	assert_string_equal(site_name(&fip, 0), "thing::get(guard, int)");
	file_probes_free(&fip);
	assert_int_equal(ask("probes", &pq, "_ZN5thing3gteE5guardi", &fip), 0);
	assert_string_equal(site_name(&fip, 0), "_ZN5thing3getE5guardi");
	file_probes_free(&fip);
	assert_int_equal(ask("probes", &pq, "qqqqqqqqqqqqqqqqqq", &fip), 0);
	assert_int_equal(fip.fip_nsites, 0);
	pq.pq_kind = PROBE_QUERY_NEARNOTES;
	assert_int_equal(ask("probes", &pq, "test:twyce", &fip), 0);
	assert_string_equal(site_name(&fip, 0), "test:twice");
	file_probes_free(&fip);
}

/*
 * --- arguments --------------------------------------------------------------
 */

/*
 * "NAME TYPE PLACE": rN is a register, mN+D memory, cV a constant, with the
 * size, and 's' for a sign; '!' stands for what cannot be read.
 */
static void
arg_text(const struct file_probes *fip, const struct probe_arg *pa, char *out,
    size_t size)
{
	char place[64] = "!";

	if (pa->pra_place == PROBE_PLACE_REG && pa->pra_index != PROBE_REG_NONE)
		snprintf(place, sizeof(place), "r%u+r%u", pa->pra_base,
		    pa->pra_index);
	else if (pa->pra_place == PROBE_PLACE_REG)
		snprintf(place, sizeof(place), "r%u%s", pa->pra_base,
		    pa->pra_shift == 8 ? "h" : "");
	else if (pa->pra_place == PROBE_PLACE_CONST)
		snprintf(place, sizeof(place), "c%jd", (intmax_t)pa->pra_value);
	else if (pa->pra_place == PROBE_PLACE_MEM)
		snprintf(place, sizeof(place), "m%d+%d*%u%+jd",
		    (int8_t)pa->pra_base, (int8_t)pa->pra_index, pa->pra_scale,
		    (intmax_t)pa->pra_value);
	/* the reason, and only then */
	assert_int_equal(pa->pra_place == PROBE_PLACE_NONE, pa->pra_why != 0);
	snprintf(out, size, "%s%s %s %s/%u%s%s", text(fip, pa->pra_name),
	    pa->pra_flags & PROBE_ARG_RETURN ? "=" : "",
	    text(fip, pa->pra_type), place, pa->pra_size,
	    pa->pra_flags & PROBE_ARG_SIGNED ? "s" : "",
	    pa->pra_flags & PROBE_ARG_BYREF ? "&" : "");
}

static void
args_are(const struct file_probes *fip, uint32_t site, const char *const *want)
{
	const struct probe_arg *pa = file_probes_args(fip, site);
	char got[1024];
	unsigned int i;

	for (i = 0; i < fip->fip_sites[site].psi_nargs; i++) {
		arg_text(fip, &pa[i], got, sizeof(got));
		assert_non_null(want[i]);
		assert_string_equal(got, want[i]);
	}
	assert_null(want[i]);
}

/* The words of user_regs_struct: rdi 14, rsi 13, rdx 12, rcx 11, r8 9, r9 8,
 * rax 10, rsp 19. */
static const struct {
	const char *fa_function;
	const char *fa_args[12];
} functions[] = {
	{ "ints",
	    { "a int r14/4s", "b unsigned int r13/4", "c const char * r12/8",
		"d unsigned char r11/1", "e long int r9/8s",
		"f short int r8/2s", "stack long int m19+-1*1+8/8s",
		"last int m19+-1*1+16/4s", "-= long int r10/8s" } },
	{ "structs",
	    { "p pair r14/8", "t two r13+r12/16", "l large m19+-1*1+8/24",
		"z int r11/4s", "-= two r10+r12/16" } },
	{ "hidden",
	    { "d double !/8", "a int r13/4s", "f floats !/8", "m mixed !/16",
		"z int r11/4s", "-= large r10/24&" } },
	{ "full",
	    { "a long int r14/8s", "b long int r13/8s", "c long int r12/8s",
		"d long int r11/8s", "e long int r9/8s", "t two m19+-1*1+8/16",
		"g long int r8/8s", "i __int128 m19+-1*1+24/16s",
		"k long int m19+-1*1+40/8s", "-= long int r10/8s" } },
	{ "others",
	    { "x long double !/16", "b bool r14/1", "c colour r13/4",
		"p int ** r12/8", "f void (*)() r11/8",
		"k packed m19+-1*1+24/5", "z int r9/4s", "-= double !/8" } },
	{ "nothing", { NULL } },
	{ "thing::get",
	    { "this thing * r14/8", "g guard r13/4&", "x int r12/4s",
		"-= int r10/4s" } },
};

static void
test_arguments(void **state)
{
	static const char *const files[] = { "probes", "probes.stripped" };
	struct file_probes fip;
	uint64_t off;
	unsigned int i, j;

	(void)state;
	for (j = 0; j < 2; j++)
		for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
			fip = find(files[j], PROBE_QUERY_FUNCTIONS,
			    functions[i].fa_function, 0);
			assert_int_equal(fip.fip_nsites, 1);
			off = fip.fip_sites[0].psi_off;
			file_probes_free(&fip);
			fip = find(files[j], PROBE_QUERY_ARGS, NULL, off);
			assert_int_equal(fip.fip_nsites, 1);
			assert_int_equal(fip.fip_sites[0].psi_flags,
			    PROBE_SITE_DWARF);
			args_are(&fip, 0, functions[i].fa_args);
			file_probes_free(&fip);
		}
}

/* All of them at once are the same as one by one. */
static void
test_signatures(void **state)
{
	struct file_probes all = find("probes", PROBE_QUERY_SIGNATURES, "*", 0);
	struct file_probes one;
	const struct probe_arg *pa;
	char got[1024], want[1024];
	uint32_t i, j, nargs = 0;

	(void)state;
	for (i = 0; i < all.fip_nsites; i++) {
		one = find("probes", PROBE_QUERY_ARGS, NULL,
		    all.fip_sites[i].psi_off);
		assert_int_equal(all.fip_sites[i].psi_nargs,
		    one.fip_sites[0].psi_nargs);
		pa = file_probes_args(&all, i);
		for (j = 0; j < one.fip_nargs; j++, nargs++) {
			arg_text(&all, &pa[j], got, sizeof(got));
			arg_text(&one, &one.fip_args[j], want, sizeof(want));
			assert_string_equal(got, want);
		}
		file_probes_free(&one);
	}
	assert_in_range(nargs, 40, 200);
	file_probes_free(&all);
}

/* Without DWARF, and within a function: a site without arguments. */
static void
test_no_arguments(void **state)
{
	struct file_probes fip = find("probes", PROBE_QUERY_ARGS, NULL,
	    where("probes", "ints") + 1);

	(void)state;
	assert_int_equal(fip.fip_nsites, 1);
	assert_int_equal(fip.fip_sites[0].psi_flags, 0);
	assert_int_equal(fip.fip_nargs, 0);
	file_probes_free(&fip);
}

/*
 * --- static probes ----------------------------------------------------------
 */

static const struct {
	const char *na_name;
	const char *na_args[8];
} notes[] = {
	{ "registers",
	    { "arg0 - r10/8", "arg1 - r14/4s", "arg2 - r9/2", "arg3 - r10h/1s",
		"arg4 - r13/1", "arg5 - r0/8" } },
	{ "constants", { "arg0 - c-5/4s", "arg1 - c16/8", "arg2 - c7/4" } },
	{ "memory",
	    { "arg0 - m19+-1*1+0/8", "arg1 - m4+-1*1-8/4s",
		"arg2 - m10+11*8+16/8", "arg3 - m-1+12*4+0/4" } },
	{ "old", { "arg0 - r10/4", "arg1 - r5/8", "arg2 - c3/8" } },
	{ "bad",
	    { "arg0 - !/8", "arg1 - !/8", "arg2 - !/4", "arg3 - !/8",
		"arg4 - !/8" } },
	{ "none", { NULL } },
};

static void
test_notes(void **state)
{
	struct file_probes fip;
	char name[64];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		snprintf(name, sizeof(name), "test:%s", notes[i].na_name);
		fip = find("probes", PROBE_QUERY_NOTES, name, 0);
		assert_int_equal(fip.fip_nsites, 1);
		assert_string_equal(site_name(&fip, 0), notes[i].na_name);
		assert_string_equal(text(&fip, fip.fip_sites[0].psi_more),
		    "test");
		assert_int_equal(fip.fip_sites[0].psi_semaphore, 0);
		assert_int_equal(fip.fip_sites[0].psi_off,
		    where("probes", "noted") + i + (i > 2));
		args_are(&fip, 0, notes[i].na_args);
		file_probes_free(&fip);
	}
}

/* The distance of a symbol from the probe, and two places with one semaphore. */
static void
test_note_places(void **state)
{
	struct file_probes fip = find("probes", PROBE_QUERY_NOTES,
	    "test:symbols", 0);
	const struct probe_arg *pa = file_probes_args(&fip, 0);

	(void)state;
	assert_int_equal(fip.fip_nargs, 3);
	assert_int_equal(pa[0].pra_place, PROBE_PLACE_MEM);
	assert_int_equal(pa[0].pra_base, 16); /* rip */
	assert_int_equal(pa[1].pra_value, pa[0].pra_value + 8);
	assert_int_equal(pa[2].pra_value, pa[0].pra_value + 16);
	file_probes_free(&fip);

	fip = find("probes", PROBE_QUERY_NOTES, "t*:twi*", 0);
	assert_int_equal(fip.fip_nsites, 2);
	assert_int_equal(fip.fip_sites[1].psi_off,
	    fip.fip_sites[0].psi_off + 1);
	assert_int_not_equal(fip.fip_sites[0].psi_semaphore, 0);
	assert_int_equal(fip.fip_sites[0].psi_semaphore,
	    fip.fip_sites[1].psi_semaphore);
	pa = file_probes_args(&fip, 1);
	assert_int_equal(pa->pra_base, 5); /* rbx */
	file_probes_free(&fip);
}

/* A tool has moved the section that notes refer to by a byte. */
static void
test_moved_notes(void **state)
{
	struct file_probes fip = find("probes", PROBE_QUERY_NOTES, "test:twice",
	    0);
	struct file_probes moved = find("probes.moved", PROBE_QUERY_NOTES,
	    "test:twice", 0);

	(void)state;
	assert_int_equal(moved.fip_nsites, 2);
	assert_int_equal(moved.fip_sites[0].psi_off,
	    fip.fip_sites[0].psi_off + 1);
	assert_int_equal(moved.fip_sites[0].psi_semaphore,
	    fip.fip_sites[0].psi_semaphore + 1);
	file_probes_free(&moved);
	file_probes_free(&fip);
}

/*
 * --- instructions and lines -------------------------------------------------
 */

static void
test_instructions(void **state)
{
	struct file_probes fip = find("probes", PROBE_QUERY_FUNCTIONS, "full",
	    0);
	const struct probe_site ps = fip.fip_sites[0];
	uint64_t off, next = ps.psi_off, nrets = 0;

	(void)state;
	file_probes_free(&fip);
	for (off = ps.psi_off; off < ps.psi_off + ps.psi_size; off++) {
		fip = find("probes", PROBE_QUERY_INSN, NULL, off);
		assert_int_equal(fip.fip_nsites, 1);
		assert_int_equal(fip.fip_sites[0].psi_start, ps.psi_off);
		if (off == next) {
			assert_int_equal(fip.fip_sites[0].psi_flags,
			    PROBE_SITE_EXACT);
			assert_int_equal(fip.fip_sites[0].psi_off, off);
			next += fip.fip_sites[0].psi_size;
		} else {
			assert_int_equal(fip.fip_sites[0].psi_flags, 0);
			assert_in_range(fip.fip_sites[0].psi_off, ps.psi_off,
			    off - 1);
		}
		file_probes_free(&fip);
	}
	assert_int_equal(next, ps.psi_off + ps.psi_size);
	fip = find("probes", PROBE_QUERY_RETS, NULL, ps.psi_off + 1);
	nrets = fip.fip_nsites;
	assert_in_range(nrets, 1, 10);
	assert_int_equal(fip.fip_sites[nrets - 1].psi_off,
	    ps.psi_off + ps.psi_size - 1);
	assert_string_equal(site_name(&fip, 0), "full");
	file_probes_free(&fip);
}

/* Outside of functions, and outside of the file. */
static void
test_no_instruction(void **state)
{
	static const uint64_t offs[] = { 0, 16, 1ULL << 40, UINT64_MAX };
	struct file_probes fip;
	unsigned int i, kind;

	(void)state;
	for (i = 0; i < sizeof(offs) / sizeof(*offs); i++)
		for (kind = PROBE_QUERY_RETS; kind <= PROBE_QUERY_INSN;
		     kind++) {
			fip = find("probes", kind, NULL, offs[i]);
			assert_int_equal(fip.fip_nsites, 0);
			file_probes_free(&fip);
		}
}

/* Returns the number of the line of probes.cc that contains a text. */
static uint32_t
line_with(const char *part)
{
	FILE *f = fopen(DT_SYMFILES "/probes.cc", "r");
	char line[256];
	uint32_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		n++;
		if (strstr(line, part) != NULL)
			break;
	}
	assert_int_equal(fclose(f), 0);
	return n;
}

static struct file_probes
find_line(const char *file, const char *source, uint32_t line)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_LINE,
		.pq_max = PROBE_SITES_MAX,
		.pq_line = line };
	struct file_probes fip;

	assert_int_equal(ask(file, &pq, source, &fip), 0);
	return fip;
}

/* A line that is inlined into two functions has a place in each. */
static void
test_lines(void **state)
{
	uint32_t line = line_with("line of inlined");
	struct file_probes fip = find_line("probes", "probes.cc", line);

	(void)state;
	assert_int_equal(fip.fip_nsites, 2);
	assert_string_equal(site_name(&fip, 0), "ints");
	assert_string_equal(site_name(&fip, 1), "structs");
	assert_int_equal(fip.fip_sites[0].psi_flags, PROBE_SITE_EXACT);
	assert_int_equal(fip.fip_sites[0].psi_line, line);
	assert_int_equal(fip.fip_sites[1].psi_start,
	    where("probes", "structs"));
	assert_in_range(fip.fip_sites[1].psi_off, fip.fip_sites[1].psi_start,
	    fip.fip_sites[1].psi_start + fip.fip_sites[1].psi_size - 1);
	file_probes_free(&fip);

	fip = find_line("probes.stripped", "symfiles/probes.cc", line);
	assert_int_equal(fip.fip_nsites, 2);
	file_probes_free(&fip);
	fip = find_line("probes", "obes.cc", line);
	assert_int_equal(fip.fip_nsites, 0);
	file_probes_free(&fip);
	/* a line without code: the next one that has */
	line = line_with("struct pair");
	fip = find_line("probes", "probes.cc", line);
	assert_in_range(fip.fip_nsites, 1, 10);
	assert_int_equal(fip.fip_sites[0].psi_flags, 0);
	assert_in_range(fip.fip_sites[0].psi_line, line + 1, line + 100);
	file_probes_free(&fip);
}

/*
 * --- errors -----------------------------------------------------------------
 */

static void
test_errors(void **state)
{
	struct probe_query pq = { .pq_kind = 99, .pq_max = 1 };
	struct file_probes fip;
	char name[PROBE_QUERY_NAME + 1];

	(void)state;
	assert_int_equal(ask("probes", &pq, "x", &fip), EINVAL);
	pq.pq_kind = PROBE_QUERY_FUNCTIONS;
	memset(name, 'a', PROBE_QUERY_NAME);
	name[PROBE_QUERY_NAME] = '\0';
	assert_int_equal(ask("probes", &pq, name, &fip), ENAMETOOLONG);
	name[PROBE_QUERY_NAME - 1] = '\0';
	assert_int_equal(ask("probes", &pq, name, &fip), 0);
	assert_int_equal(fip.fip_nsites, 0);
	assert_int_equal(ask("/etc/passwd", &pq, "x", &fip), ENOEXEC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_no_function),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_more),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_variable),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_no_arguments),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_note_places),
		cmocka_unit_test(test_moved_notes),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_no_instruction),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_errors),
	};

	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
