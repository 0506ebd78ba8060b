/* SPDX-License-Identifier: ISC */
/*
 * Files that are read for symbols besides the file itself: debug files, lines,
 * build ids, perf maps; and files that have no symbols.
 */
#include "daemon/sym/debug_file.h"

#include "tests/unit/test_symbolizer.h"

/*
 * --- what was stripped ------------------------------------------------------
 */

static void
test_debug_by_id(void **state)
{
	struct mapped_file sf = file_open_in("byid", "/usr/bin/byid");
	struct mapped_file no = file_open("byid");

	(void)state;
	expect(&sf, "pie", "quiet", 0, "quiet");
	expect(&no, "pie", "main", 0, "main"); /* exported */
	file_close(&sf);
	file_close(&no);
}

/* If its debug file is not found, the exported symbols remain. */
static void
test_debug_missing(void **state)
{
	struct mapped_file sf;

	(void)state;
	forget();
	symbolizer_trim();
	sf = file_open_in("badlink", "/opt/badlink");
	expect(&sf, "noid", "quiet", 0, "?");
	file_close(&sf);
}

static void
test_debug_by_link(void **state)
{
	struct mapped_file sf = file_open_in("bylink", "/opt/bylink");

	(void)state;
	expect(&sf, "noid", "quiet", 0, "quiet");
	expect(&sf, "noid", "main", 0, "main");
	file_close(&sf);
}

static void
test_minidebug(void **state)
{
	struct mapped_file sf = file_open("mini");

	(void)state;
	expect(&sf, "noid", "quiet", 0, "quiet");
	expect(&sf, "noid", "quiet_caller", 0, "?"); /* was omitted */
	file_close(&sf);
}

/*
 * --- lines ------------------------------------------------------------------
 */

static unsigned int
line_of(const char *mark)
{
	char line[256], want[64];
	FILE *f = fopen(DT_SYMFILES "/func.c", "re");
	unsigned int n = 0, found = 0;

	assert_non_null(f);
	snprintf(want, sizeof(want), "LINE %s *", mark);
	while (found == 0 && fgets(line, sizeof(line), f) != NULL) {
		n++;
		if (strstr(line, want) != NULL)
			found = n;
	}
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static int
is_frame(const struct symbol_frames *f, size_t i, const char *func,
    unsigned int flags)
{
	const struct wire_frame *wf = &f->syf_frames[i];
	const char *file = wire_string(f->syf_strings, wf->wf_file);

	return func_of(f, i) != NULL && strcmp(func_of(f, i), func) == 0 &&
	    wf->wf_flags == flags && file != NULL &&
	    strstr(file, "func.c") != NULL && wf->wf_line == line_of(func);
}

/* Somewhere in outer() are all three, each with its line. */
static void
check_inlined(struct mapped_file *sf, const char *whole)
{
	uint64_t base = where(whole, "outer"), offs[20];
	struct symbol_frames f;
	size_t i;
	int n = 0;

	for (i = 0; i < 20; i++)
		offs[i] = base + i;
	assert_int_equal(symbolizer_names(sf, offs, 20, SYM_LINES, &f), 0);
	for (i = 0; i + 2 < f.syf_n; i++) {
		struct wire_frame *wf = &f.syf_frames[i];

		if (wf[0].wf_pc == wf[2].wf_pc &&
		    is_frame(&f, i, "innermost", WIRE_FRAME_INLINED) &&
		    is_frame(&f, i + 1, "middle", WIRE_FRAME_INLINED) &&
		    is_frame(&f, i + 2, "outer", 0)) {
			assert_int_equal(wf[0].wf_offset,
			    offs[wf[0].wf_pc] - base);
			n++;
		}
	}
	assert_int_not_equal(n, 0);
	symbol_frames_free(&f);
}

static void
test_lines(void **state)
{
	struct mapped_file sf = file_open("pie");

	(void)state;
	check_inlined(&sf, "pie");
	check_inlined(&sf, "pie"); /* from the cache */
	file_close(&sf);
	sf = file_open("packed");
	check_inlined(&sf, "pie");
	file_close(&sf);
	sf = file_open("nopie");
	check_inlined(&sf, "nopie");
	file_close(&sf);
	sf = file_open_in("bylink", "/opt/bylink");
	check_inlined(&sf, "noid");
	file_close(&sf);
	assert_int_equal(stat_now().ss_deaths, 0);
}

/*
 * --- build ids --------------------------------------------------------------
 */

/* The build id is the same from each source; of file, or none. */
static void
expect_buildid(const char *file, uint32_t want)
{
	struct mapped_file named = file_open(file), asked = file_open(file);
	uint8_t a[MAPPED_FILE_BUILDID], b[MAPPED_FILE_BUILDID];
	struct symbol_frames f;
	uint64_t off = 0;
	uint32_t len;

	assert_false(mapped_file_getid(&named, a, &len));
	assert_int_equal(symbolizer_names(&named, &off, 1, 0, &f), 0);
	symbol_frames_free(&f);
	assert_int_equal(symbolizer_buildid(&named, a, &len), 0);
	assert_int_equal(len, want);
	assert_int_equal(symbolizer_buildid(&asked, b, &len), 0);
	assert_int_equal(len, want);
	assert_memory_equal(a, b, want);
	assert_true(mapped_file_getid(&asked, b, &len));
	file_close(&named);
	if (want > 0) { /* the id that the file must have */
		memcpy(asked.mf_want, b, want);
		asked.mf_wantlen = want;
		asked.mf_id = next_id++;
		assert_int_equal(symbolizer_names(&asked, &off, 1, 0, &f), 0);
		symbol_frames_free(&f);
	}
	file_close(&asked);
}

static void
test_buildid(void **state)
{
	struct mapped_file no = { .mf_id = next_id++,
		.mf_fd = memfile("#!/bin/sh\n", 10),
		.mf_rootfd = -1 };
	uint8_t id[MAPPED_FILE_BUILDID];
	uint32_t len;

	(void)state;
	expect_buildid("pie", 20);
	expect_buildid("noid", 0);
	assert_int_equal(symbolizer_buildid(&no, id, &len), ENOEXEC);
	assert_int_equal(len, 0);
	file_close(&no);
}

/*
 * --- perf maps --------------------------------------------------------------
 */

static void
expect_jit(int fd, uint64_t id, uint64_t pc, const char *name)
{
	struct symbol_frames f;

	assert_int_equal(symbolizer_jit(fd, 0, id, &pc, 1, &f), 0);
	assert_int_equal(f.syf_n, 1);
	if (name == NULL)
		assert_null(func_of(&f, 0));
	else {
		assert_non_null(func_of(&f, 0));
		assert_string_equal(func_of(&f, 0), name);
	}
	symbol_frames_free(&f);
}

static void
test_jit(void **state)
{
	static const char text[] = "7f0000001000 100 LazyCompile:~a b.js:1\n"
				   "0x7f0000002000 0x40 second\n"
				   "no line\n7f0000003000\n7f0000003000 10\n"
				   "7f0000003000 -1 minus\n"
				   "7f0000003000 0 nothing\n"
				   "7f0000001080 20 later\n"
				   "7f0000002000 80 again\n"
				   "7f0000004000 10 unended";
	int fd = memfile(text, strlen(text));

	(void)state;
	expect_jit(fd, 1, 0x7f0000001000, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f00000010ff, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f0000001080, "later");
	expect_jit(fd, 1, 0x7f000000109f, "later");
	expect_jit(fd, 1, 0x7f00000010a0, "LazyCompile:~a b.js:1");
	expect_jit(fd, 1, 0x7f0000001100, NULL);
	expect_jit(fd, 1, 0x7f0000002000, "again");
	expect_jit(fd, 1, 0x7f0000002070, "again");
	expect_jit(fd, 1, 0x7f0000003000, NULL);
	expect_jit(fd, 1, 0x7f0000004000, NULL);
	/* The map grows. */
	assert_int_equal(write(fd, "\n7f0000000ff0 20 new\n", 21), 21);
	expect_jit(fd, 1, 0x7f0000004000, "unended");
	expect_jit(fd, 1, 0x7f0000001000, "new");
	close(fd);
}

/*
 * --- files without code, and files that change
 * ---------------------------------
 */

static void
expect_error(int fd, const uint8_t *id, size_t len, int error)
{
	struct mapped_file sf = { .mf_id = next_id++,
		.mf_fd = fd,
		.mf_error = ESTALE,
		.mf_rootfd = -1,
		.mf_wantlen = len };
	struct symbol_frames f;
	uint64_t off = 0x1000;

	memcpy(sf.mf_want, id, len);
	assert_int_equal(symbolizer_names(&sf, &off, 1, 0, &f), error);
	assert_int_equal(symbolizer_names(&sf, &off, 1, 0, &f), error);
	if (fd != -1)
		close(fd);
}

static void
test_errors(void **state)
{
	const uint8_t id[20] = { 1, 2, 3 };

	(void)state;
	expect_error(-1, id, 0, ESTALE);
	expect_error(memfile("", 0), id, 0, ENOEXEC);
	expect_error(memfile("#!/bin/sh\n", 10), id, 0, ENOEXEC);
	expect_error(memfile("\177ELF\2\1\1", 7), id, 0, ENOEXEC);
	expect_error(open(path_of("pie"), O_RDONLY | O_CLOEXEC), id, 20,
	    ESTALE);
	assert_int_equal(stat_now().ss_deaths, 0);
}

/*
 * A file that becomes shorter while the worker has it mapped: when the worker
 * requests its debug file.
 */
static int truncate_fd = -1;

int __real_debug_file_open(const struct symrep_find *,
    const struct mapped_file *, int *, uint64_t *);
int __wrap_debug_file_open(const struct symrep_find *,
    const struct mapped_file *, int *, uint64_t *);

int
__wrap_debug_file_open(const struct symrep_find *sa,
    const struct mapped_file *sf, int *fd, uint64_t *serial)
{
	if (truncate_fd == -1)
		return __real_debug_file_open(sa, sf, fd, serial);
	assert_int_equal(ftruncate(truncate_fd, 0), 0);
	truncate_fd = -1;
	return ENOENT;
}

static void
test_truncated(void **state)
{
	struct symbolizer_stat before = stat_now();
	int fd = copy_of("byid");

	(void)state;
	truncate_fd = fd;
	assert_int_equal((long)ask_thread(&fd), EIO);
	assert_int_equal(truncate_fd, -1);
	assert_int_equal(stat_now().ss_deaths, before.ss_deaths + 1);
	close(fd);
	fd = copy_of("byid");
	assert_int_equal((long)ask_thread(&fd), 0);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_by_id),
		cmocka_unit_test(test_debug_by_link),
		cmocka_unit_test(test_debug_missing),
		cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_buildid),
		cmocka_unit_test(test_truncated),
	};

	if (getenv("UNIT_RUN") != NULL)
		return 0; /* an emulator cannot execute its own kind */
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
