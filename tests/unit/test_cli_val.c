/* SPDX-License-Identifier: ISC */
/*
 * Values: each type of argument at its bounds, errnos, numbers of a buffer,
 * ends of stacks.
 */
#include "tests/unit/test_cli.h"

#include "cli/sym/stack.h"
#include "cli/base/val.h"
#include <dt/evt.h>

static const struct {
	const char *type, *name;
	uint64_t value;
	const char *text, *json;
} cases[] = {
	{ "int", "dfd", 0xffffff9c, "-100", "-100" },
	{ "int", "dfd", 0x12345678ffffff9c, "-100", "-100" },
	{ "const int", "x", 5, "5", "5" },
	{ "pid_t", "pid", 0xffffffff, "-1", "-1" },
	{ "const clockid_t", "which", 1, "1", "1" },
	{ "unsigned int", "fd", 0xffffffff, "-1", "-1" },
	{ "unsigned int", "nfds", 0xffffffff, "4294967295", "4294967295" },
	{ "unsigned int", "cmd", 0x5401, "0x5401", "21505" },
	{ "u32", "val", 0x100000007, "7", "7" },
	{ "uid_t", "ruid", 0xffffffff, "-1", "-1" },
	{ "long", "off", (uint64_t)-5, "-5", "-5" },
	{ "compat_long_t", "msgtyp", 0xffffffff, "-1", "-1" },
	{ "compat_off_t", "offset", 0xfffffffb, "-5", "-5" },
	{ "old_uid_t", "user", 0xffff, "65535", "65535" },
	{ "loff_t", "pos", INT64_MIN, "-9223372036854775808",
	    "-9223372036854775808" },
	{ "ssize_t", "n", INT64_MAX, "9223372036854775807",
	    "9223372036854775807" },
	{ "size_t", "count", UINT64_MAX, "18446744073709551615",
	    "18446744073709551615" },
	{ "unsigned long", "len", 4096, "4096", "4096" },
	{ "unsigned long", "addr", 4096, "0x1000", "\"0x1000\"" },
	{ "unsigned long", "arg2", 16, "0x10", "\"0x10\"" },
	{ "unsigned long", "fd", UINT64_MAX, "-1", "-1" },
	{ "unsigned long", "prot", 3, "0x3", "3" },
	{ "int", "flags", 0x80000, "0x80000", "524288" },
	{ "unsigned long", "clone_flags", 0x1200011, "0x1200011", "18874385" },
	{ "umode_t", "mode", 0644, "0644", "420" },
	{ "umode_t", "mode", 0, "0", "0" },
	{ "const char *", "filename", 0x7ffc12345678, "0x7ffc12345678",
	    "\"0x7ffc12345678\"" },
	{ "const char *", "flags", 0, "0x0", "\"0x0\"" },
	{ "const char *const *", "argv", 1, "0x1", "\"0x1\"" },
	{ "struct pollfd *", "ufds", 255, "0xff", "\"0xff\"" },
	{ "cap_user_header_t", "header", UINT64_MAX, "0xffffffffffffffff",
	    "\"0xffffffffffffffff\"" },
	{ "const enum landlock_rule_type", "rule_type", 1, "1", "1" },
	{ "short", "x", 0xffff, "-1", "-1" },
	{ "u8", "x", 0x1ff, "255", "255" },
	{ "char", "x", 0xff, "-1", "-1" },
	{ "u16", "x", 0x1ffff, "65535", "65535" },
	{ "", "", 10, "0xa", "\"0xa\"" },
};

static void
arguments_read_by_their_type(void **state)
{
	enum val_class class;
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, -1);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		class = val_classify(cases[i].type, cases[i].name);
		val_text(&b, class, cases[i].value);
		assert_buf(&b, cases[i].text);
		val_json(&b, class, cases[i].value);
		assert_buf(&b, cases[i].json);
	}
	buf_free(&b);
}

static void
addresses_are_told_from_sizes(void **state)
{
	(void)state;
	assert_int_equal(val_classify_ret("mmap"), VAL_HEX);
	assert_int_equal(val_classify_ret("read"), VAL_S64);
	assert_int_equal(val_classify_ret(""), VAL_S64);
}

static void
errnos_have_names(void **state)
{
	(void)state;
	assert_string_equal(val_errname(2), "ENOENT");
	assert_string_equal(val_errdesc(2), "No such file or directory");
	assert_string_equal(val_errname(512), "ERESTARTSYS");
	assert_string_equal(val_errname(513), "ERESTARTNOINTR");
	assert_string_equal(val_errname(514), "ERESTARTNOHAND");
	assert_string_equal(val_errname(516), "ERESTART_RESTARTBLOCK");
	assert_null(val_errname(0));
	assert_null(val_errname(4000));
	assert_null(val_errdesc(UINT32_MAX));
}

static void
numbers_have_all_their_digits(void **state)
{
	struct buf b;
	uint64_t v;
	char want[32];
	int i;

	(void)state;
	buf_init(&b, -1);
	for (v = 1, i = 0; i < 20; i++, v *= 10) {
		snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
		buf_u64(&b, v);
		assert_buf(&b, want);
		snprintf(want, sizeof(want), "%llu", (unsigned long long)v - 1);
		buf_u64(&b, v - 1);
		assert_buf(&b, want);
	}
	buf_dec(&b, 42, 6);
	assert_buf(&b, "000042");
	buf_dec(&b, 1234567, 6);
	assert_buf(&b, "1234567");
	buf_hex(&b, 0);
	assert_buf(&b, "0x0");
	buf_hex(&b, UINT64_MAX);
	assert_buf(&b, "0xffffffffffffffff");
	buf_free(&b);
}

static void
a_buffer_grows(void **state)
{
	struct buf b;
	char big[1000];
	size_t i;

	(void)state;
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	buf_init(&b, -1);
	for (i = 0; i < 100; i++)
		buf_printf(&b, "%s", big);
	assert_int_equal(b.b_len, 100 * (sizeof(big) - 1));
	assert_int_equal(buf_flush(&b), 0); /* kept: there is no descriptor */
	assert_int_equal(b.b_len, 100 * (sizeof(big) - 1));
	buf_free(&b);
}

static void
a_stack_tells_why_it_ended(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, -1);
	stack_end_text(&b, 1, DT_STACK_ENDED, 3, 0);
	assert_buf(&b, "");
	stack_end_text(&b, 1, DT_STACK_LIMIT, 127, 0);
	assert_buf(&b, "[127 frames: limit]");
	stack_end_text(&b, 1, DT_STACK_DENIED, 0, 0);
	assert_buf(&b, "[no kernel addresses for this user]");
	stack_end_text(&b, 0, DT_STACK_ERRNO, 0, 14);
	assert_buf(&b, "[no user stack: EFAULT]");
	stack_end_text(&b, 0, DT_STACK_ERRNO, 0, 4000);
	assert_buf(&b, "[no user stack: errno 4000]");
	stack_end_text(&b, 0, 200, 0, 0);
	assert_buf(&b, "[ended for reason 200]");
	assert_null(stack_end_word(DT_STACK_ENDED));
	assert_string_equal(stack_end_word(DT_STACK_LIMIT), "limit");
	assert_string_equal(stack_end_word(255), "unknown");
	buf_free(&b);
}

static void
seconds_are_padded_before_the_point(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, -1);
	val_seconds(&b, 0, 0);
	assert_buf(&b, "0.000000");
	val_seconds(&b, 12000345999, 0);
	assert_buf(&b, "12.000345");
	val_seconds(&b, 1000, 5);
	assert_buf(&b, "    0.000001");
	val_seconds(&b, 1234000000000, 5);
	assert_buf(&b, " 1234.000000");
	val_seconds(&b, UINT64_MAX, 5);
	assert_buf(&b, "18446744073.709551");
	buf_free(&b);
}

static void
bytes_have_a_unit(void **state)
{
	char text[VAL_NSECS];

	(void)state;
	assert_string_equal(val_nbytes(text, 0), "0B");
	assert_string_equal(val_nbytes(text, 999), "999B");
	assert_string_equal(val_nbytes(text, 1000), "0.98kB");
	assert_string_equal(val_nbytes(text, 1024), "1.00kB");
	assert_string_equal(val_nbytes(text, 102400), "100.0kB");
	assert_string_equal(val_nbytes(text, 4 << 20), "4.00MB");
	assert_string_equal(val_nbytes(text, INT64_MAX), "8.00EB");
	assert_string_equal(val_nbytes(text, -1), "-1B");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_read_by_their_type),
		cmocka_unit_test(addresses_are_told_from_sizes),
		cmocka_unit_test(errnos_have_names),
		cmocka_unit_test(numbers_have_all_their_digits),
		cmocka_unit_test(a_buffer_grows),
		cmocka_unit_test(a_stack_tells_why_it_ended),
		cmocka_unit_test(seconds_are_padded_before_the_point),
		cmocka_unit_test(bytes_have_a_unit),
	};

	return cmocka_run_group_tests_name("test_cli_val", tests, NULL, NULL);
}
