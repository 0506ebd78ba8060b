/* SPDX-License-Identifier: ISC */
/*
 * The symbol of an address: in the files that symfiles/make builds, the C
 * library, dtd, the vdso.
 */
#include <time.h>

#include "daemon/kernel/vdso.h"

#include "tests/unit/test_symbolizer.h"

/*
 * --- every function of a file -----------------------------------------------
 */

struct every {
	const struct view *ev_view;
	uint32_t ev_type;
	size_t ev_n;
	uint64_t ev_offs[1 << 16];
};

static void
add_every(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct every *ev = arg;
	uint64_t off = off_of(v, sym->st_value);

	(void)name;
	if (!is_code(v, sym) || sym->st_size == 0)
		return;
	assert_in_range(ev->ev_n, 0, (1 << 16) - 2);
	ev->ev_offs[ev->ev_n++] = off;
	ev->ev_offs[ev->ev_n++] = off + sym->st_size - 1;
}

/* A symbol must be that of a function which has the address. */
struct claim {
	uint64_t cl_off;
	uint64_t cl_start; /* of the function */
	const char *cl_func;
	int cl_ok;
};

static void
check_claim(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct claim *cl = arg;
	uint64_t off = off_of(v, sym->st_value);
	size_t n = strcspn(name, "@");

	if (is_code(v, sym) && cl->cl_off >= off &&
	    cl->cl_off < off + sym->st_size && cl->cl_start == off &&
	    (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
		n >= SYMREQ_NAME ||
		(strncmp(name, cl->cl_func, n) == 0 && cl->cl_func[n] == '\0')))
		cl->cl_ok = 1;
}

static void
check_every(const char *file, uint32_t type)
{
	struct view v = view_of(file);
	struct mapped_file sf = file_open(file);
	static struct every ev;
	struct symbol_frames f;
	size_t i;

	ev = (struct every){ .ev_view = &v };
	each_symbol(&v, type, add_every, &ev);
	assert_in_range(ev.ev_n, 20, 1 << 16);
	assert_int_equal(symbolizer_names(&sf, ev.ev_offs, ev.ev_n, 0, &f), 0);
	assert_int_equal(f.syf_n, ev.ev_n);
	for (i = 0; i < f.syf_n; i++) {
		struct claim cl = { ev.ev_offs[i],
			ev.ev_offs[i] - f.syf_frames[i].wf_offset,
			func_of(&f, i), 0 };

		assert_int_equal(f.syf_frames[i].wf_pc, i);
		if (cl.cl_func != NULL)
			each_symbol(&v, type, check_claim, &cl);
		if (!cl.cl_ok)
			fail_msg("%s: %#lx is not %s", file, cl.cl_off,
			    cl.cl_func);
	}
	symbol_frames_free(&f);
	file_close(&sf);
	munmap(v.v_base, v.v_size);
}

static void
test_every_function(void **state)
{
	char dtd[4096];

	(void)state;
	snprintf(dtd, sizeof(dtd), "%s/dtd", build);
	check_every(dtd, SHT_SYMTAB);
	check_every("pie", SHT_SYMTAB);
	check_every("nopie", SHT_SYMTAB);
	check_every("static", SHT_SYMTAB);
	check_every("libc", SHT_DYNSYM);
}

/*
 * --- choice of the symbol
 * -------------------------------------------------------
 */

static void
test_best_name(void **state)
{
	struct mapped_file sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "strong", 0, "strong");
	expect(&sf, "pie", "weak_alias", 1, "strong");
	expect(&sf, "pie", "__under_alias", 1, "plain_alias");
	expect(&sf, "pie", "versioned", 2, "versioned");
	expect(&sf, "pie", "resolved", 0, "resolved");
	expect(&sf, "pie", "quiet", 3, "quiet");
	expect(&sf, "pie", "narrow", 15, "narrow");
	expect(&sf, "pie", "narrow", 16, "wide");
	file_close(&sf);
}

static void
test_no_size(void **state)
{
	struct mapped_file sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "nosize", 15, "nosize");
	expect(&sf, "pie", "label", 0, "label");
	expect(&sf, "pie", "label", 8, "$x");
	expect(&sf, "pie", "inside", 0, "marked");
	expect(&sf, "pie", "inside", 15, "marked");
	expect(&sf, "pie", "data_here", 0, "?");
	file_close(&sf);
}

static void
test_marks(void **state)
{
	struct mapped_file sf = file_open("marks");

	(void)state;
	expect(&sf, "nopie", "label", 0, "label");
	expect(&sf, "nopie", "label", 8, "label");
	file_close(&sf);
}

/*
 * A function inside another one.  The cache has the spans of the first
 * requests, so it knows the other addresses, with their own offsets.
 */
static void
test_nested(void **state)
{
	uint64_t base = where("pie", "around");
	uint64_t offs[] = { base + 47, base, base + 16, base + 31, base + 48 };
	uint64_t others[] = { base + 33, base + 9, base + 18 };
	struct symbolizer_stat before, after;
	struct mapped_file sf = file_open("pie");
	struct symbol_frames f;
	struct wire_frame *v;

	(void)state;
	assert_int_equal(symbolizer_names(&sf, offs, 5, 0, &f), 0);
	assert_int_equal(f.syf_n, 5);
	v = f.syf_frames;
	assert_string_equal(func_of(&f, 0), "around");
	assert_int_equal(v[0].wf_offset, 47);
	assert_string_equal(func_of(&f, 1), "around");
	assert_int_equal(v[1].wf_offset, 0);
	assert_string_equal(func_of(&f, 2), "within");
	assert_int_equal(v[2].wf_offset, 0);
	assert_string_equal(func_of(&f, 3), "within");
	assert_int_equal(v[3].wf_offset, 15);
	symbol_frames_free(&f);
	symbolizer_stat(&before);
	assert_int_equal(symbolizer_names(&sf, others, 3, 0, &f), 0);
	symbolizer_stat(&after);
	assert_int_equal(after.ss_hits, before.ss_hits + 3);
	v = f.syf_frames;
	assert_string_equal(func_of(&f, 0), "around");
	assert_int_equal(v[0].wf_offset, 33);
	assert_string_equal(func_of(&f, 1), "around");
	assert_int_equal(v[1].wf_offset, 9);
	assert_string_equal(func_of(&f, 2), "within");
	assert_int_equal(v[2].wf_offset, 2);
	symbol_frames_free(&f);
	file_close(&sf);
}

static void
test_demangled(void **state)
{
	struct mapped_file sf = file_open("pie");

	(void)state;
	expect(&sf, "pie", "_ZNK3BoxIiE3getEi", 0, "Box<int>::get");
	expect(&sf, "pie", "_ZN3FooC2ERKSt6vectorIiSaIiEE", 0, "Foo::Foo");
	expect(&sf, "pie", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	    0, "core::fmt::Write::write_fmt");
	expect(&sf, "pie", "_RNvMs_NtC5alloc3vecINtB4_3VechE4push", 0,
	    "<alloc::vec::Vec<u8>>::push");
	expect(&sf, "pie",
	    "_ZN2ns4spinILi100000EiEElRK3BoxIT0_ENSt6vectorIiSaIiEEE", 0,
	    "ns::spin<100000, int>");
	expect(&sf, "pie", "_Znonsense", 0, "_Znonsense");
	file_close(&sf);
}

/* Symbols are returned unchanged; printers escape them. */
static void
test_hostile_names(void **state)
{
	struct mapped_file sf = file_open("pie");
	uint64_t before = where("pie", "_Znonsense");
	const char *name;

	(void)state;
	assert_string_equal(name_at(&sf, before + 16), "a\033[31m<script>&\"b");
	name = name_at(&sf, before + 32);
	assert_int_equal(strlen(name), SYMREQ_NAME - 1);
	assert_string_equal(name + SYMREQ_NAME - 6, "xx...");
	file_close(&sf);
}

/*
 * --- stubs ------------------------------------------------------------------
 */

struct stub {
	struct mapped_file st_file;
	int st_n;
};

/* An undefined function with a value: that of its stub. */
static void
check_stub(const struct view *v, const Elf64_Sym *sym, const char *name,
    void *arg)
{
	struct stub *st = arg;
	char want[SYMREQ_NAME];

	if (sym->st_shndx != SHN_UNDEF || sym->st_value == 0 ||
	    ELF64_ST_TYPE(sym->st_info) != STT_FUNC)
		return;
	snprintf(want, sizeof(want), "%s@plt", name);
	assert_string_equal(name_at(&st->st_file, off_of(v, sym->st_value)),
	    want);
	st->st_n++;
}

/* Returns how many of the stubs in the sections of a file have this name. */
static int
count_stubs(const char *file, const char *name)
{
	struct view v = view_of(file);
	struct mapped_file sf = file_open(file);
	const char *names = (const char *)v.v_base +
	    section(&v, ehdr(&v)->e_shstrndx)->sh_offset;
	unsigned int i;
	uint64_t off;
	int n = 0;

	for (i = 0; i < ehdr(&v)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(&v, i);

		if (strncmp(names + sh->sh_name, ".plt", 4) != 0)
			continue;
		for (off = 0; off < sh->sh_size; off += 8)
			n += strcmp(name_at(&sf, sh->sh_offset + off), name) ==
			    0;
	}
	file_close(&sf);
	munmap(v.v_base, v.v_size);
	return n;
}

static void
test_stubs(void **state)
{
	struct view v = view_of("nopie");
	struct stub st = { file_open("nopie"), 0 };

	(void)state;
	each_symbol(&v, SHT_DYNSYM, check_stub, &st);
	assert_in_range(st.st_n, 1, 100);
	file_close(&st.st_file);
	munmap(v.v_base, v.v_size);
	/* Looks up every 8 bytes; a stub has 16. */
	assert_in_range(count_stubs("pie", "rename@plt"), 1, 4);
	assert_in_range(count_stubs("byid", "rename@plt"), 1, 4);
	assert_in_range(count_stubs("static", "strchr@plt") +
		count_stubs("static", "strlen@plt"),
	    1, 9);
}

/*
 * --- the vdso, none, known ones ---------------------------------------------
 */

static void
test_vdso(void **state)
{
	struct mapped_file sf = { .mf_id = next_id++,
		.mf_kind = MAPPED_FILE_VDSO,
		.mf_fd = vdso_fd(),
		.mf_rootfd = -1 };
	struct symbol_frames f;
	uint64_t offs[0x2000 / 16], i;
	int n = 0;

	(void)state;
	if (sf.mf_fd == -1)
		skip();
	for (i = 0; i < 0x2000 / 16; i++)
		offs[i] = i * 16;
	assert_int_equal(symbolizer_names(&sf, offs, i, 0, &f), 0);
	for (i = 0; i < f.syf_n; i++)
		n += func_of(&f, i) != NULL &&
		    strstr(func_of(&f, i), "gettimeofday") != NULL;
	assert_int_not_equal(n, 0);
	symbol_frames_free(&f);
}

/* Offsets outside of any file. */
static void
test_no_offsets(void **state)
{
	const uint64_t offs[] = { UINT64_MAX, 0, UINT64_MAX - 1, 1ULL << 63,
		UINT64_MAX };
	struct mapped_file sf = file_open("nopie");
	struct symbol_frames f;
	size_t i;

	(void)state;
	assert_int_equal(symbolizer_names(&sf, offs, 5, SYM_LINES, &f), 0);
	assert_int_equal(f.syf_n, 5);
	for (i = 0; i < 5; i++)
		assert_null(func_of(&f, i));
	symbol_frames_free(&f);
	assert_int_equal(symbolizer_names(&sf, offs, 0, 0, &f), 0);
	assert_int_equal(f.syf_n, 0);
	assert_int_equal(symbolizer_names(&sf, offs, SYM_MAXPCS + 1, 0, &f),
	    E2BIG);
	expect(&sf, "nopie", "main", 0, "main");
	file_close(&sf);
}

static void
test_cache(void **state)
{
	struct symbolizer_stat before, after;
	struct mapped_file sf;

	(void)state;
	expect_alive();
	before = stat_now();
	sf = file_open("pie"); /* the same file, another number */
	expect(&sf, "pie", "main", 3, "main");
	expect(&sf, "pie", "main", 4, "main");
	after = stat_now();
	assert_int_equal(after.ss_asked, before.ss_asked);
	assert_int_equal(after.ss_hits, before.ss_hits + 2);
	assert_in_range(after.ss_bytes, 1, 16 << 20);
	file_close(&sf);
}

/*
 * --- speed -------------------------------------------------------------------
 */

/* 10,000 addresses take some 10 ms. */
static void
test_fast(void **state)
{
	static uint64_t offs[10000];
	struct mapped_file sf = file_open("static");
	uint64_t base = where("static", "main");
	struct timespec a, b;
	struct symbol_frames f;
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		offs[i] = base + (i - 5000) * 16;
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(symbolizer_names(&sf, offs, 10000, 0, &f), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_int_equal(f.syf_n, 10000);
	assert_true(b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < 1);
	symbol_frames_free(&f);
	file_close(&sf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_function),
		cmocka_unit_test(test_best_name),
		cmocka_unit_test(test_no_size),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_demangled),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_no_offsets),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_fast),
	};

	if (getenv("UNIT_RUN") != NULL)
		return 0; /* an emulator cannot execute its own kind */
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
