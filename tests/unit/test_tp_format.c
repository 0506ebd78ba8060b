/* SPDX-License-Identifier: ISC */
/* tp_format_parse(): the formats of tracepoints in kernels 6.1 to 6.18. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/kernel/tp_format.h"

#define COMMON \
	"name: test\nID: 372\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;" \
	"\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;" \
	"\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;" \
	"\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define F(decl, off, size, sign) \
	"\tfield:" decl ";\toffset:" #off ";\tsize:" #size ";\tsigned:" #sign \
	";\n"
#define END "\nprint fmt: \"field:%s offset:1; size:2;\", REC->x\n"

static int
parse(const char *s, int issyscall, struct tp_format *tp)
{
	size_t n = strlen(s) + 1;
	char *copy = malloc(n); /* of the exact size, for a sanitizer */
	int error;

	assert_non_null(copy);
	memcpy(copy, s, n);
	error = tp_format_parse(copy, issyscall, tp);
	free(copy);
	return error;
}

/* Returns "HOW TYPE|NAME off size sign base" of a field. */
static const char *
say(const struct tp_format *tp, unsigned int n)
{
	static const char *const hows[] = { "num", "chars", "locchars", "kern",
		"user", "bytes", "locbytes" };
	static char words[256];
	const struct tfm_format_field *tf = &tp->tfm_fields[n];

	assert_true(n < tp->tfm_n);
	snprintf(words, sizeof(words), "%s%s %s|%s %u %u %u %u",
	    hows[tf->tf_field.fld_how], tf->tf_isnumber ? "!" : "", tf->tf_type,
	    tf->tf_name, tf->tf_field.fld_off, tf->tf_field.fld_size,
	    tf->tf_field.fld_signed, tf->tf_field.fld_base);
	return words;
}

#define ONE(decl, off, size, sign, syscall, words) \
	do { \
		struct tp_format tp; \
		assert_int_equal(parse(COMMON F(decl, off, size, sign) END, \
				     syscall, &tp), \
		    0); \
		assert_int_equal(tp.tfm_n, 1); \
		assert_int_equal(tp.tfm_cut, 0); \
		assert_string_equal(say(&tp, 0), words); \
	} while (0)

static void
test_whole(void **state)
{
	struct tp_format tp;

	(void)state;
	assert_int_equal(parse(COMMON F("char prev_comm[16]", 8, 16, 0)
				   F("pid_t prev_pid", 24, 4, 1)
				       F("long prev_state", 32, 8, 1) END,
			     0, &tp),
	    0);
	assert_int_equal(tp.tfm_id, 372);
	assert_int_equal(tp.tfm_n, 3);
	assert_string_equal(say(&tp, 0), "chars char[16]|prev_comm 8 16 0 0");
	assert_string_equal(say(&tp, 1), "num! pid_t|prev_pid 24 4 1 0");
	assert_string_equal(say(&tp, 2), "num! long|prev_state 32 8 1 0");
	assert_int_equal(parse(COMMON END, 0, &tp), 0); /* has no fields */
	assert_int_equal(tp.tfm_n, 0);
}

static void
test_numbers(void **state)
{
	(void)state;
	ONE("int ret", 8, 4, 1, 0, "num! int|ret 8 4 1 0");
	ONE("unsigned long long x", 8, 8, 0, 0,
	    "num! unsigned long long|x 8 8 0 0");
	ONE("bool idle", 33, 1, 0, 0, "num! bool|idle 33 1 0 0");
	ONE("enum xfs_group_type type", 12, 1, 0, 0,
	    "num! enum xfs_group_type|type 12 1 0 0");
	ONE("const clockid_t which", 16, 8, 0, 1,
	    "num! const clockid_t|which 16 8 0 0");
	ONE("short oom_score_adj", 44, 2, 1, 0,
	    "num! short|oom_score_adj 44 2 1 0");
}

static void
test_pointers(void **state)
{
	(void)state;
	ONE("const void * skbaddr", 24, 8, 0, 0,
	    "num const void *|skbaddr 24 8 0 0");
	ONE("const char * name", 8, 8, 0, 0, "kern const char *|name 8 8 0 0");
	ONE("char *name", 8, 8, 0, 0, "kern char *|name 8 8 0 0");
	ONE("const char * filename", 24, 8, 0, 1,
	    "user const char *|filename 24 8 0 0");
	ONE("const char __user * s", 24, 8, 0, 0,
	    "user const char __user *|s 24 8 0 0");
	ONE("const char *const * argv", 24, 8, 0, 1,
	    "num const char *const *|argv 24 8 0 0");
	ONE("unsigned char * buf", 24, 8, 0, 1,
	    "num unsigned char *|buf 24 8 0 0");
	ONE("void (*fn)(struct work *)", 16, 8, 0, 0,
	    "num void (*)(struct work *)|fn 16 8 0 0");
}

static void
test_arrays(void **state)
{
	(void)state;
	ONE("__data_loc char[] name", 8, 4, 0, 0,
	    "locchars __data_loc char[]|name 8 4 0 0");
	ONE("__rel_loc char[] name", 8, 4, 0, 0,
	    "locchars __rel_loc char[]|name 8 4 0 12");
	ONE("__data_loc u64[] stack", 12, 4, 0, 0,
	    "locbytes __data_loc u64[]|stack 12 4 0 0");
	ONE("__rel_loc unsigned long[] cpus", 16, 4, 0, 0,
	    "locbytes __rel_loc unsigned long[]|cpus 16 4 0 20");
	ONE("__u8 saddr[4]", 20, 4, 0, 0, "bytes __u8[4]|saddr 20 4 0 0");
	ONE("__u8 saddr[sizeof(struct sockaddr_in6)]", 20, 28, 0, 0,
	    "bytes __u8[sizeof(struct sockaddr_in6)]|saddr 20 28 0 0");
	ONE("char rwbs[10]", 40, 10, 0, 0, "chars char[10]|rwbs 40 10 0 0");
	ONE("unsigned char mac[6]", 40, 6, 0, 0,
	    "bytes unsigned char[6]|mac 40 6 0 0");
	ONE("unsigned long args[6]", 16, 48, 0, 0,
	    "bytes unsigned long[6]|args 16 48 0 0");
	ONE("struct iatt attr", 16, 24, 0, 0,
	    "bytes struct iatt|attr 16 24 0 0");
}

/*
 * More fields than a record has; and those missing in a system call's record.
 */
static void
test_cut(void **state)
{
	static char text[8192];
	struct tp_format tp;
	int i, n;

	(void)state;
	n = snprintf(text, sizeof(text), "%s", COMMON);
	for (i = 0; i < DT_TP_FIELDS + 3; i++)
		n += snprintf(text + n, sizeof(text) - n,
		    "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n", i,
		    8 + 4 * i);
	assert_int_equal(parse(text, 0, &tp), 0);
	assert_int_equal(tp.tfm_n, DT_TP_FIELDS);
	assert_int_equal(tp.tfm_cut, 3);
	assert_string_equal(tp.tfm_fields[DT_TP_FIELDS - 1].tf_name, "f23");
	assert_int_equal(parse(COMMON F("long a5", 56, 8, 0)
				   F("__data_loc char[] name_val", 64, 4, 0),
			     1, &tp),
	    0);
	assert_int_equal(tp.tfm_n, 1);
	assert_int_equal(tp.tfm_cut, 1);
}

static void
test_nonsense(void **state)
{
	static const char *const texts[] = {
		"",
		"name: x\n",
		"ID: 1\n\tfield:int x\n",
		"ID: 1\n\tfield:int x;\toffset:8;\tsize:4;\n",
		"ID: 1\n\tfield:int x;\toffset:-8;\tsize:4;\tsigned:1;\n",
		"ID: 1\n\tfield:int x;\toffset:8;\tsize:9999;\tsigned:1;\n",
		("ID: 1\n\tfield:int x;\toffset:8192000000000000000000;\tsize:4;"
		 "\tsigned:1;\n"),
		"ID: 1\n\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
		"ID: 1\n\tfield:x;\toffset:8;\tsize:4;\tsigned:1;\n",
		"ID: 1\n\tfield:int [4];\toffset:8;\tsize:4;\tsigned:1;\n",
		"ID: 1\n\tfield:void (*)();\toffset:8;\tsize:8;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n",
	};
	struct tp_format tp;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (parse(texts[i], 0, &tp) != EINVAL)
			fail_msg("taken: %s", texts[i]);
}

/* A name of any length is cut to the size of its buffer. */
static void
test_long(void **state)
{
	static char text[1024];
	struct tp_format tp;
	char name[201];

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	snprintf(text, sizeof(text),
	    "ID: 1\n\tfield:%s %s;\toffset:8;\tsize:4;\tsigned:1;\n", "int",
	    name);
	assert_int_equal(parse(text, 0, &tp), 0);
	assert_int_equal(strlen(tp.tfm_fields[0].tf_name), TP_FORMAT_NAME - 1);
	memset(text, 0, sizeof(text));
	snprintf(text, sizeof(text),
	    "ID: 1\n\tfield:%s%s x;\toffset:8;\tsize:4;\tsigned:1;\n", name,
	    name);
	assert_int_equal(parse(text, 0, &tp), EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
