/* SPDX-License-Identifier: ISC */
/*
 * dt kcov without a device: records are read from memory that the test fills,
 * a run is written and read, and tables are printed.
 */
#include "tests/unit/test_cli_print.h"

#include "cli/out/out_json.h"
#include "cli/kcov/kcov.h"
#include "cli/out/out_text.h"

#define NENTRIES 65

static uint64_t mem[NENTRIES];
static struct kcov_drain kd;
static struct kcov_places kp;
static struct kcov_opts kopts;

static int
setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	memset(&kp, 0, sizeof(kp));
	print_open(NULL);
	memset(&kopts, 0, sizeof(kopts));
	out.out_opts = &kopts.kco_common;
	kcov_drain_init(&kd, mem, NENTRIES, KCOV_MODE_TRACE_PC);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	kcov_drain_free(&kd);
	kcov_places_free(&kp);
	print_close();
	return 0;
}

/* Like the device. */
static void
record(uint64_t pc)
{
	assert_true(mem[0] < NENTRIES - 1);
	mem[++mem[0]] = pc;
}

static void
expect(uint64_t pc, uint64_t count, int64_t first)
{
	const struct kcov_record kr = { .krc_pc = pc };
	const struct hash_entry *e = hash_find(&kd.kd_records, &kr, sizeof(kr));

	assert_non_null(e);
	assert_int_equal(e->he_count, count);
	assert_int_equal(e->he_sum, first);
}

static void
records_are_counted_in_their_order(void **state)
{
	(void)state;
	record(7);
	record(9);
	record(7);
	assert_int_equal(kcov_drain(&kd, 0), 3);
	record(8);
	assert_int_equal(kcov_drain(&kd, 0), 1);
	assert_int_equal(kcov_drain(&kd, 0), 0);
	expect(7, 2, 1);
	expect(9, 1, 2);
	expect(8, 1, 4);
	assert_int_equal(mem[0], 4);
}

static void
more_records_than_fit_are_all_read(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		record(1 + i % 10);
		if (i % 7 == 0)
			kcov_drain(&kd, 0);
	}
	kcov_drain(&kd, 1);
	assert_int_equal(kd.kd_n, 1000);
	assert_int_equal(kd.kd_nfull, 0);
	for (i = 1; i <= 10; i++)
		expect(i, 100, i);
}

static void
a_record_that_is_not_there_yet_is_waited_for(void **state)
{
	(void)state;
	record(7);
	record(0);
	record(9);
	assert_int_equal(kcov_drain(&kd, 0), 1);
	mem[2] = 8;
	assert_int_equal(kcov_drain(&kd, 0), 2);
	expect(8, 1, 2);
	record(0);
	record(5);
	assert_int_equal(kcov_drain(&kd, 0), 0);
	assert_int_equal(kcov_drain(&kd, 1), 1); /* the 0 stays empty */
	expect(5, 1, 4);
}

static void
what_the_program_wrote_is_not_trusted(void **state)
{
	(void)state;
	record(7);
	kcov_drain(&kd, 0);
	mem[0] = UINT64_MAX;
	kcov_drain(&kd, 0);
	assert_int_equal(kd.kd_n, 1);
	mem[0] = 0; /* restarts */
	record(6);
	assert_int_equal(kcov_drain(&kd, 0), 1);
	expect(6, 1, 2);
}

static void
a_full_memory_is_noticed(void **state)
{
	(void)state;
	while (mem[0] < NENTRIES - 1)
		record(3);
	kcov_drain(&kd, 0);
	assert_int_equal(kd.kd_nfull, 1);
	assert_int_equal(mem[0], 0);
}

static void
comparisons_are_told_apart_by_their_operands(void **state)
{
	const uint64_t cmps[] = { 2, 5, 1, 77, 2, 5, 1, 77, 3, 5, 1, 77 };
	struct kcov_record kr = { 2, 5, 1, 77 };

	(void)state;
	kcov_drain_init(&kd, mem, NENTRIES, KCOV_MODE_TRACE_CMP);
	memcpy(mem + 1, cmps, sizeof(cmps));
	mem[0] = 3;
	assert_int_equal(kcov_drain(&kd, 0), 3);
	assert_int_equal(kd.kd_records.ha_n, 2);
	assert_int_equal(hash_find(&kd.kd_records, &kr, sizeof(kr))->he_count,
	    2);
}

/*
 * Symbols: without a daemon they are addresses
 */

static void
places_without_names_are_addresses(void **state)
{
	(void)state;
	record(0xffffffff81000010);
	record(0xffffffff81000020);
	record(0xffffffff81000020);
	kcov_drain(&kd, 1);
	kcov_name(&kp, &kd, NULL, 0, 0);
	assert_int_equal(kp.kpl_n, 2);
	assert_int_equal(kcov_sort(&kp, &kopts), 2);
	assert_string_equal(kp.kpl_list[0].oa_func, "0xffffffff81000020");
	assert_int_equal(kp.kpl_list[0].oa_count, 2);
	kopts.kco_order = 1;
	kcov_sort(&kp, &kopts);
	assert_string_equal(kp.kpl_list[0].oa_func, "0xffffffff81000010");
}

/*
 * The file of a run
 */

static struct {
	unsigned char data[16384];
	size_t len, pos;
} file;

static int
file_writev(void *arg, const struct iovec *iov, int niov)
{
	int i;

	(void)arg;
	for (i = 0; i < niov; i++) {
		assert_true(iov[i].iov_len <= sizeof(file.data) - file.len);
		memcpy(file.data + file.len, iov[i].iov_base, iov[i].iov_len);
		file.len += iov[i].iov_len;
	}
	return 0;
}

static ssize_t
file_read(void *arg, void *buf, size_t nbytes)
{
	(void)arg;
	if (nbytes > file.len - file.pos)
		nbytes = file.len - file.pos;
	memcpy(buf, file.data + file.pos, nbytes);
	file.pos += nbytes;
	return nbytes;
}

static struct block_writer *
file_begin(void)
{
	struct block_writer *w = block_writer_alloc(file_writev, NULL);

	assert_non_null(w);
	file.len = file.pos = 0;
	return w;
}

/* Reads the file into an empty table.  Returns the error, or NULL. */
static const char *
file_places(struct kcov_places *to, struct out_kcov *ok)
{
	struct block_reader *r = block_reader_alloc(file_read, NULL);
	struct block_item it;
	const char *bad = NULL;

	assert_non_null(r);
	while (bad == NULL && block_next(r, &it) == 1)
		bad = kcov_file_item(to, ok, &it);
	if (bad == NULL)
		assert_null(block_damage(r));
	block_reader_free(r);
	return bad;
}

static void
a_run_is_read_as_it_was_written(void **state)
{
	static const char name[] =
	    "a\"\\\x01\x85\xff\xe2\x80\xae\xf3\xa0\x80\x81"
	    "\xc3\xa4";
	const struct out_place places[] = {
		{ .oa_func = name, .oa_offset = 0x10 },
		{ .oa_func = "f",
		    .oa_module = "m",
		    .oa_file = "f.c",
		    .oa_line = 12 },
		{ .oa_func = "f",
		    .oa_module = "m",
		    .oa_file = "f.c",
		    .oa_line = 13 },
	};
	const struct out_kcov ok = { .ok_read = 9,
		.ok_nfull = 2,
		.ok_stat = { .ks_recorded = 10, .ks_missed = 1 } };
	struct kcov_places again = { 0 };
	struct out_kcov read = { 0 };
	struct block_writer *w = file_begin();
	struct out_place *oa;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		oa = kcov_place(&kp, &places[i]);
		oa->oa_count = i == 2 ? 0 : i + 1;
		oa->oa_first = 5 - i;
	}
	assert_int_equal(kcov_file_put(w, &kp, &ok), 0);
	block_writer_free(w);
	assert_null(file_places(&again, &read));
	assert_true(again.kpl_isend);
	assert_int_equal(again.kpl_n, 2); /* the third was not reached */
	assert_string_equal(again.kpl_list[0].oa_func, name);
	assert_int_equal(again.kpl_list[0].oa_offset, 0x10);
	assert_int_equal(again.kpl_list[0].oa_count, 1);
	assert_int_equal(again.kpl_list[0].oa_first, 5);
	assert_null(again.kpl_list[0].oa_module);
	assert_string_equal(again.kpl_list[1].oa_file, "f.c");
	assert_int_equal(again.kpl_list[1].oa_line, 12);
	assert_int_equal(read.ok_read, 9);
	assert_int_equal(read.ok_nfull, 2);
	assert_int_equal(read.ok_stat.ks_missed, 1);
	assert_int_equal(kcov_lost(&read), kcov_lost(&ok));
	kcov_places_free(&again);
}

static void
places_that_make_no_sense_are_refused(void **state)
{
	const struct block_kcov end = { 0 };
	const struct {
		struct block_place place;
		const char *why;
	} rows[] = {
		{ { { .bpl_count = 1 }, "", "", "" },
		    "a place of kcov is invalid" },
		{ { { .bpl_count = 0 }, "a", "", "" },
		    "a place of kcov is invalid" },
		{ { { .bpl_count = UINT64_MAX }, "a", "", "" },
		    "a place of kcov is invalid" },
		{ { { .bpl_count = 1, .bpl_iscmp = 1, .bpl_type = 8 }, "a", "",
		      "" },
		    "a place of kcov is invalid" },
		{ { { .bpl_count = 1 }, "a", "", "" }, NULL },
		{ { { .bpl_count = 1, .bpl_iscmp = 1 }, "a", "", "" },
		    "comparisons and functions are mixed" },
	};
	struct out_kcov ok = { 0 };
	struct block_head head;
	struct block_writer *w;
	const char *bad;
	size_t i;

	(void)state;
	block_head_init(&head);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		w = file_begin();
		block_head(w, &head);
		block_place(w, &rows[i].place);
		assert_int_equal(block_flush(w), 0);
		assert_int_equal(block_end_kcov(w, &end), 0);
		block_writer_free(w);
		bad = file_places(&kp, &ok);
		if (rows[i].why == NULL)
			assert_null(bad);
		else
			assert_string_equal(bad, rows[i].why);
	}
	assert_int_equal(kp.kpl_n, 1);
}

static void
operands_of_comparisons_are_read(void **state)
{
	const struct out_place name = { .oa_func = "a",
		.oa_iscmp = 1,
		.oa_type = KCOV_CMP_SIZE(2) | KCOV_CMP_CONST,
		.oa_arg1 = UINT64_MAX,
		.oa_arg2 = 2 };
	const struct out_kcov ok = { .ok_iscmp = 1, .ok_isuser = 1 };
	struct kcov_places again = { 0 };
	struct out_kcov read = { 0 };
	struct block_writer *w = file_begin();

	(void)state;
	kcov_place(&kp, &name)->oa_count = 1;
	assert_int_equal(kcov_file_put(w, &kp, &ok), 0);
	block_writer_free(w);
	assert_null(file_places(&again, &read));
	assert_int_equal(again.kpl_list[0].oa_type, name.oa_type);
	assert_true(again.kpl_list[0].oa_arg1 == UINT64_MAX);
	assert_int_equal(again.kpl_list[0].oa_arg2, 2);
	assert_true(read.ok_iscmp && read.ok_isuser && !read.ok_hasexited);
	kcov_places_free(&again);
}

/*
 * Printing
 */

static void
add(const char *func, uint64_t before, uint64_t count, uint64_t first)
{
	struct out_place *oa = kcov_place(&kp,
	    &(struct out_place){ .oa_func = func });

	oa->oa_before = before;
	oa->oa_count = count;
	oa->oa_first = first;
}

static void
print(void (*fn)(struct out *, const struct out_kcov *))
{
	struct out_kcov ok = { .ok_isdiff = kopts.kco_diff != NULL,
		.ok_read = 9 };

	ok.ok_n = kcov_sort(&kp, &kopts);
	ok.ok_places = kp.kpl_list;
	fn(&out, &ok);
}

static void
tables_have_the_highest_count_first(void **state)
{
	(void)state;
	add("vfs_read", 0, 2, 1);
	add("vfs\033open", 0, 12, 2);
	add("vfs_write", 0, 2, 3);
	print(text_kcov);
	assert_buf(&out.out_buf,
	    "       COUNT  FUNCTION\n"
	    "          12  vfs\\x1bopen\n"
	    "           2  vfs_read\n"
	    "           2  vfs_write\n");
	kopts.kco_order = 1;
	kopts.kco_common.o_print.opi_top = 1;
	print(text_kcov);
	assert_buf(&out.out_buf,
	    "       COUNT  FUNCTION\n"
	    "           2  vfs_read\n"
	    "         and 2 more rows\n");
	print(json_kcov);
	assert_buf(&out.out_buf,
	    "{\"func\":\"vfs_read\",\"count\":2,\"first\":1}\n"
	    "{\"func\":\"vfs\\u001bopen\",\"count\":12,\"first\":2}\n"
	    "{\"func\":\"vfs_write\",\"count\":2,\"first\":3}\n"
	    "{\"kcov\":{\"read\":9,\"full\":0,\"recorded\":0,\"dropped\":0,"
	    "\"interrupt\":0,\"missed\":0,\"stopped\":0}}\n");
}

static void
a_diff_has_what_is_new_and_what_is_gone(void **state)
{
	(void)state;
	kopts.kco_diff = "f";
	add("gone", 3, 0, 0);
	add("both", 3, 4, 1);
	add("new", 0, 1, 2);
	print(text_kcov);
	assert_buf(&out.out_buf,
	    "        BEFORE          NOW  FUNCTION\n"
	    "+            0            1  new\n"
	    "-            3            0  gone\n");
	kopts.kco_common.o_print.opi_verbose = 1;
	out_set_colours(&out, 1);
	print(text_kcov);
	assert_buf(&out.out_buf,
	    "\033[1m        BEFORE          NOW  FUNCTION\033[m\n"
	    "\033[32m+            0            1  new\033[m\n"
	    "             3            4  both\n"
	    "\033[31m-            3            0  gone\033[m\n");
}

static void
lines_and_comparisons_are_shown(void **state)
{
	const struct out_place oa[] = {
		{ .oa_func = "main",
		    .oa_module = "prog",
		    .oa_file = "p.c",
		    .oa_line = 12,
		    .oa_iscmp = 1,
		    .oa_type = KCOV_CMP_SIZE(2) | KCOV_CMP_CONST,
		    .oa_arg1 = 0x10,
		    .oa_arg2 = 3,
		    .oa_count = 1,
		    .oa_first = 1 },
		{ .oa_func = "f",
		    .oa_module = "prog",
		    .oa_offset = 0x1c,
		    .oa_iscmp = 1,
		    .oa_count = 1,
		    .oa_first = 2 },
	};
	const struct out_kcov ok = { .ok_places = oa,
		.ok_n = 2,
		.ok_iscmp = 1,
		.ok_isuser = 1 };

	(void)state;
	text_kcov(&out, &ok);
	assert_buf(&out.out_buf,
	    "       COUNT BYTES                    FIRST             SECOND"
	    "  FUNCTION\n"
	    "           1     4 const               0x10                0x3"
	    "  main (prog) p.c:12\n"
	    "           1     1                        0                  0"
	    "  f+0x1c (prog)\n");
	json_kcov(&out, &ok);
	assert_buf(&out.out_buf,
	    "{\"func\":\"main\",\"module\":\"prog\",\"file\":\"p.c\","
	    "\"line\":12,\"bytes\":4,\"const\":true,\"arg1\":16,\"arg2\":3,"
	    "\"count\":1,\"first\":1}\n"
	    "{\"func\":\"f\",\"offset\":28,\"module\":\"prog\",\"bytes\":1,"
	    "\"const\":false,\"arg1\":0,\"arg2\":0,\"count\":1,\"first\":2}\n"
	    "{\"kcov\":{\"read\":0,\"full\":0,\"late\":false}}\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_are_counted_in_their_order),
		TEST(more_records_than_fit_are_all_read),
		TEST(a_record_that_is_not_there_yet_is_waited_for),
		TEST(what_the_program_wrote_is_not_trusted),
		TEST(a_full_memory_is_noticed),
		TEST(comparisons_are_told_apart_by_their_operands),
		TEST(places_without_names_are_addresses),
		TEST(a_run_is_read_as_it_was_written),
		TEST(places_that_make_no_sense_are_refused),
		TEST(operands_of_comparisons_are_read),
		TEST(tables_have_the_highest_count_first),
		TEST(a_diff_has_what_is_new_and_what_is_gone),
		TEST(lines_and_comparisons_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
