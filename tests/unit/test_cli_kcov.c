/* SPDX-License-Identifier: ISC */
/*
 * dt kcov without a device: records are read from memory that the test fills,
 * an earlier run is lines of text, and tables are printed.
 */
#include "tests/unit/test_cli_print.h"

#include "cli/out/json.h"
#include "cli/kcov/kcov.h"
#include "cli/out/text.h"

#define NENTRIES 65

static uint64_t mem[NENTRIES];
static struct kcov_drain kd;
static struct kcov_places kp;

static int
setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	memset(&kp, 0, sizeof(kp));
	print_open(NULL);
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
	assert_int_equal(kcov_sort(&kp, &opts), 2);
	assert_string_equal(kp.kpl_list[0].oa_func, "0xffffffff81000020");
	assert_int_equal(kp.kpl_list[0].oa_count, 2);
	opts.o_order = 1;
	kcov_sort(&kp, &opts);
	assert_string_equal(kp.kpl_list[0].oa_func, "0xffffffff81000010");
}

/*
 * The earlier run
 */

static const char *
line(const char *s)
{
	return kcov_line(&kp, s, strlen(s));
}

static void
lines_of_an_earlier_run_are_read(void **state)
{
	(void)state;
	assert_null(line("{\"func\":\"a\",\"count\":3,\"first\":1}"));
	assert_null(line(" { \"count\" : 4 , \"new\":{\"x\":null}, "
			 "\"func\":\"a\" } "));
	assert_null(line("{\"func\":\"a\",\"module\":\"m\",\"file\":\"f.c\","
			 "\"line\":12,\"count\":1}"));
	assert_null(line("{\"func\":\"a\",\"module\":\"m\",\"file\":\"f.c\","
			 "\"line\":13,\"count\":1}"));
	assert_null(line("{\"func\":\"gone\",\"count\":0,\"before\":7}"));
	assert_null(line("{\"kcov\":{\"read\":3}}"));
	assert_int_equal(kp.kpl_n, 3);
	assert_int_equal(kp.kpl_list[0].oa_before, 7);
	assert_string_equal(kp.kpl_list[1].oa_file, "f.c");
	assert_int_equal(kp.kpl_list[1].oa_line, 12);
}

static void
names_come_back_as_they_were(void **state)
{
	static const char name[] =
	    "a\"\\\x01\x85\xff\xe2\x80\xae\xf3\xa0\x80\x81"
	    "\xc3\xa4";
	const struct out_place oa = { .oa_func = name, .oa_count = 2 };
	const struct out_kcov ok = { .ok_places = &oa, .ok_n = 1 };
	struct buf *b = &out.out_buf;

	(void)state;
	json_kcov(&out, &ok);
	*strchr(b->b_data, '\n') = '\0';
	assert_null(line(b->b_data));
	assert_string_equal(kp.kpl_list[0].oa_func, name);
}

static void
lines_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "", "an object is expected" },
		{ "[]", "an object is expected" },
		{ "{}", "it has no \"func\" and \"count\"" },
		{ "{\"func\":\"a\"}", "it has no \"func\" and \"count\"" },
		{ "{\"count\":1}", "it has no \"func\" and \"count\"" },
		{ "{\"func\":1,\"count\":1}", "a member of another type" },
		{ "{\"func\":\"a\",\"count\":\"1\"}",
		    "a member of another type" },
		{ "{\"func\":\"a\",\"count\":-1}", "a value is expected" },
		{ "{\"count\":99999999999999999999}", "a number is too large" },
		{ "{\"count\":9223372036854775808}", "a number is too large" },
		{ "{\"line\":4294967296}", "a number is too large" },
		{ "{\"func\":\"a\"", "an object without an end" },
		{ "{\"func\":\"a", "a string without an end" },
		{ "{\"func\"", "a colon is expected" },
		{ "{\"func\":\"\\q\"}", "there is no such escape" },
		{ "{\"func\":\"\\u00\"}", "\\u needs four hexadecimal digits" },
		{ "{\"func\":\"\\u0000\"}", "a string with a NUL in it" },
		{ "{\"func\":\"\\ud800\"}", "half of a surrogate pair" },
		{ "{\"func\":\"\\udc00\"}", "half of a surrogate pair" },
		{ "{\"func\":\"\t\"}", "a control character in a string" },
		{ "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}",
		    "nested too deeply" },
		{ "{\"kcov\":{}} x", "there is something behind the object" },
		{ "{\"func\":\"a\",\"count\":1,\"bytes\":3}",
		    "no operand has so many bytes" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(line(rows[i].line), rows[i].why);
	assert_int_equal(kp.kpl_n, 0);
}

static void
comparisons_and_places_are_not_mixed(void **state)
{
	(void)state;
	assert_null(line("{\"func\":\"a\",\"bytes\":4,\"const\":true,"
			 "\"arg1\":18446744073709551615,\"arg2\":2,"
			 "\"count\":1}"));
	assert_null(line("{\"func\":\"a\",\"bytes\":4,\"const\":true,"
			 "\"arg1\":18446744073709551615,\"arg2\":3,"
			 "\"count\":1}"));
	assert_int_equal(kp.kpl_n, 2);
	assert_int_equal(kp.kpl_list[0].oa_type,
	    KCOV_CMP_SIZE(2) | KCOV_CMP_CONST);
	assert_string_equal(line("{\"func\":\"a\",\"count\":1}"),
	    "comparisons and places do not go together");
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
	struct out_kcov ok = { .ok_isdiff = opts.o_diff != NULL, .ok_read = 9 };

	ok.ok_n = kcov_sort(&kp, &opts);
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
	opts.o_order = 1;
	opts.o_top = 1;
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
	opts.o_diff = "f";
	add("gone", 3, 0, 0);
	add("both", 3, 4, 1);
	add("new", 0, 1, 2);
	print(text_kcov);
	assert_buf(&out.out_buf,
	    "        BEFORE          NOW  FUNCTION\n"
	    "+            0            1  new\n"
	    "-            3            0  gone\n");
	opts.o_verbose = 1;
	out.out_colour = 1;
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
		TEST(lines_of_an_earlier_run_are_read),
		TEST(names_come_back_as_they_were),
		TEST(lines_that_make_no_sense_are_refused),
		TEST(comparisons_and_places_are_not_mixed),
		TEST(tables_have_the_highest_count_first),
		TEST(a_diff_has_what_is_new_and_what_is_gone),
		TEST(lines_and_comparisons_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
