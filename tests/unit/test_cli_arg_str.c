/* SPDX-License-Identifier: ISC */
/*
 * A record's data for an argument besides its number: strings and vectors, of
 * the entry and of the return; and results.
 */
#include <linux/fcntl.h>

#include "tests/unit/test_cli.h"

#include "cli/decode/args.h"
#include "cli/sym/name_cache.h"

static struct name_cache names;
static struct buf buf;
static struct dt_rec rec = { .dr_pid = 12, .dr_tid = 12 };

/* A section of strings, filled by put(). */
struct strings {
	struct dt_rec_strings head;
	uint8_t bytes[512];
};

static int
setup(void **state)
{
	(void)state;
	name_cache_init(&names, NULL);
	buf_init(&buf, -1);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	buf_free(&buf);
	name_cache_free(&names);
	return 0;
}

/* A call with up to three arguments. */
static const struct probe *
probe(const char *call, const char *const *types, const char *const *argnames)
{
	static uint32_t pbn;
	struct dt_probe_desc pd = { 0 };
	unsigned int i;

	pd.pd_info.dtpi_pbn = ++pbn;
	strcpy(pd.pd_info.dtpi_prov, "syscall");
	pd.pd_info.dtpi_flags = DTPI_CALL;
	strcpy(pd.pd_info.dtpi_func, call);
	strcpy(pd.pd_info.dtpi_name, "entry");
	for (i = 0; i < 3 && types[i] != NULL; i++) {
		strcpy(pd.pd_types[i].dtai_argtype, types[i]);
		strcpy(pd.pd_names[i].dtan_name, argnames[i]);
	}
	pd.pd_info.dtpi_nargs = i;
	name_cache_add_probe(&names, &pd);
	return name_cache_probe(&names, pbn);
}

static void
put(struct strings *st, unsigned int argn, unsigned int flags, const char *text,
    unsigned int length, unsigned int truelen, unsigned int error)
{
	struct dt_rec_string s = {
		.drt_argn = argn,
		.drt_flags = flags,
		.drt_error = error,
		.drt_length = length,
		.drt_truelen = truelen,
	};
	uint8_t *p = st->bytes + st->head.drz_nbytes;

	memcpy(p, &s, sizeof(s));
	memcpy(p + sizeof(s), text, length);
	st->head.drz_count++;
	st->head.drz_nbytes += sizeof(s) + ((length + 7U) & ~7U);
}

static const char *const path_types[] = { "const char *", "const char *",
	NULL };
static const char *const path_names[] = { "oldname", "newname", NULL };
static const uint64_t path_args[] = { 0x1000, 0x2000 };

static void
check(const struct probe *pr, const struct strings *entry,
    const struct strings *ret, unsigned int argn, const char *want)
{
	struct dt_event ev = {
		.ev_rec = &rec,
		.ev_nargs = 2,
		.ev_args = path_args,
		.ev_strings = entry != NULL ? &entry->head : NULL,
	}, back = {
		.ev_rec = &rec,
		.ev_strings = ret != NULL ? &ret->head : NULL,
	};
	struct arg_call ac = {
		.ac_probe = pr,
		.ac_entry = &ev,
		.ac_ret = ret != NULL ? &back : NULL,
	};

	arg_text(&buf, &ac, argn);
	assert_buf(&buf, want);
}

static void
paths_are_quoted_and_told_from_one_another(void **state)
{
	const struct probe *pr = probe("rename", path_types, path_names);
	struct strings st = { 0 };

	(void)state;
	put(&st, 1, 0, "/etc/motd", 9, 9, 0);
	check(pr, &st, NULL, 0, "0x1000");
	check(pr, &st, NULL, 1, "\"/etc/motd\"");
	put(&st, 0, 0, "", 0, 0, 0);
	check(pr, &st, NULL, 0, "\"\"");
	check(pr, NULL, NULL, 0, "0x1000");
}

static void
what_was_cut_has_dots_behind(void **state)
{
	const struct probe *pr = probe("rename", path_types, path_names);
	struct strings st = { 0 };

	(void)state;
	put(&st, 0, 0, "/usr/sha", 8, 4095, 0);
	check(pr, &st, NULL, 0, "\"/usr/sha\"...");
}

static void
no_text_ends_its_quotes_or_reaches_the_terminal(void **state)
{
	const struct probe *pr = probe("rename", path_types, path_names);
	struct strings st = { 0 };

	(void)state;
	put(&st, 0, 0, "a\"b\\c\n\033[m\xff", 10, 10, 0);
	check(pr, &st, NULL, 0, "\"a\\\"b\\\\c\\n\\x1b[m\\xff\"");
	put(&st, 1, 0, "a\xe2\x80\xae\xc3\xa4", 6, 6, 0);
	check(pr, &st, NULL, 1, "\"a\\xe2\\x80\\xae\xc3\xa4\"");
}

static void
the_return_tells_what_the_entry_could_not(void **state)
{
	const struct probe *pr = probe("rename", path_types, path_names);
	struct strings entry = { 0 }, ret = { 0 }, bad = { 0 };

	(void)state;
	put(&entry, 0, 0, "", 0, 0, 14);
	put(&entry, 1, 0, "then", 4, 4, 0);
	put(&ret, 0, DT_STR_RETURN, "/late", 5, 5, 0);
	put(&ret, 1, DT_STR_RETURN, "now", 3, 3, 0);
	check(pr, &entry, &ret, 0, "\"/late\"");
	check(pr, &entry, &ret, 1, "\"then\"");
	put(&bad, 0, DT_STR_RETURN, "", 0, 0, 14);
	check(pr, &entry, &bad, 0, "0x1000");
}

/* Raw bytes are not text. */
static void
only_strings_are_strings(void **state)
{
	const struct probe *pr = probe("rename", path_types, path_names);
	struct strings st = { 0 };

	(void)state;
	put(&st, 0, DT_STR_MEMORY, "abcdefgh", 8, 8, 0);
	put(&st, 0, DT_STR_VECTOR, "x", 1, 1, 0);
	check(pr, &st, NULL, 0, "0x1000");
}

static void
a_vector_is_a_list(void **state)
{
	static const char *const types[] = { "const char *",
		"const char *const *", NULL };
	static const char *const argnames[] = { "filename", "argv", NULL };
	const struct probe *pr = probe("execve", types, argnames);
	struct strings st = { 0 };

	(void)state;
	check(pr, NULL, NULL, 1, "0x2000");
	put(&st, 0, 0, "/bin/ls", 7, 7, 0);
	put(&st, 1, DT_STR_VECTOR, "ls", 2, 2, 0);
	check(pr, &st, NULL, 1, "[\"ls\"]");
	put(&st, 1, DT_STR_VECTOR, "a\"", 2, 9, 0);
	put(&st, 1, DT_STR_VECTOR, "", 0, 0, 14);
	put(&st, 1, DT_STR_MORE, "", 0, 5, 0);
	check(pr, &st, NULL, 1, "[\"ls\", \"a\\\"\"..., ?, ...]");
}

/*
 * Results
 */

static const struct {
	const char *call, *argtype, *argname;
	uint64_t arg; /* all of its arguments */
	int64_t retval;
	const char *text;
} results[] = {
	{ "openat", "int", "dfd", 0, 3, "3" },
	{ "read", "unsigned int", "fd", 0, 4096, "4096" },
	{ "lseek", "unsigned int", "fd", 0, -1, "-1" },
	{ "mmap", "unsigned long", "addr", 0, 0x7f0012340000,
	    "0x7f0012340000" },
	{ "umask", "int", "mask", 0, 022, "022" },
	{ "fcntl", "unsigned int", "cmd", F_GETFL, O_RDWR | O_APPEND,
	    "0x402 (flags O_RDWR|O_APPEND)" },
	{ "fcntl", "unsigned int", "cmd", F_GETFL, 0, "0 (flags O_RDONLY)" },
	{ "fcntl", "unsigned int", "cmd", F_GETFD, 1,
	    "0x1 (flags FD_CLOEXEC)" },
	{ "fcntl", "unsigned int", "cmd", F_GETFD, 0, "0" },
	{ "fcntl", "unsigned int", "cmd", F_GET_SEALS, 3,
	    "0x3 (seals F_SEAL_SEAL|F_SEAL_SHRINK)" },
	{ "fcntl", "unsigned int", "cmd", F_GETSIG, 10, "10 (SIGUSR1)" },
	{ "fcntl", "unsigned int", "cmd", F_GETPIPE_SZ, 65536, "65536" },
	{ "rt_sigtimedwait", "size_t", "sigsetsize", 8, 34, "34 (SIGRT_2)" },
	{ "personality", "unsigned int", "personality", 0, 0x40000,
	    "0x40000 (PER_LINUX|ADDR_NO_RANDOMIZE)" },
	{ "sched_getscheduler", "pid_t", "pid", 0, 1, "1 (SCHED_FIFO)" },
	{ "ioprio_get", "int", "which", 0, 0x4004,
	    "16388 (IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4))" },
	{ "prctl", "int", "option", 3, 1, "1 (SUID_DUMP_USER)" },
	{ "prctl", "int", "option", 27, 0x10, "0x10 (SECBIT_KEEP_CAPS)" },
	{ "prctl", "int", "option", 23, 1, "1" },
	{ "membarrier", "int", "cmd", 0, 3,
	    "0x3 (MEMBARRIER_CMD_GLOBAL|MEMBARRIER_CMD_GLOBAL_EXPEDITED)" },
	{ "membarrier", "int", "cmd", 8, 0, "0" },
};

/* The argument is in all three positions. */
static void
results_read_as_their_call_means_them(void **state)
{
	const char *types[4] = { NULL }, *argnames[4] = { NULL };
	struct dt_rec_ret ret = { 0 };
	struct dt_event ev = { .ev_rec = &rec, .ev_nargs = 3 };
	struct dt_event back = { .ev_rec = &rec, .ev_ret = &ret };
	struct arg_call ac = { .ac_entry = &ev, .ac_ret = &back };
	uint64_t args[3];
	size_t i, j;

	(void)state;
	ev.ev_args = args;
	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		for (j = 0; j < 3; j++) {
			types[j] = results[i].argtype;
			argnames[j] = results[i].argname;
			args[j] = results[i].arg;
		}
		ac.ac_probe = probe(results[i].call, types, argnames);
		ret.drr_retval = results[i].retval;
		arg_ret_text(&buf, &ac);
		assert_buf(&buf, results[i].text);
	}
}

/* Without its entry the command of fcntl(2) is unknown. */
static void
a_return_alone_is_a_number(void **state)
{
	static const char *const none[] = { NULL };
	struct dt_rec_ret ret = { .drr_retval = 0x402 };
	struct dt_event back = { .ev_rec = &rec, .ev_ret = &ret };
	struct arg_call ac = { .ac_ret = &back };

	(void)state;
	ac.ac_probe = probe("fcntl", none, none);
	arg_ret_text(&buf, &ac);
	assert_buf(&buf, "1026");
	ac.ac_probe = probe("bpf", none, none);
	arg_ret_text(&buf, &ac);
	assert_buf(&buf, "1026");
	ac.ac_probe = probe("openat", none, none);
	arg_ret_text(&buf, &ac);
	assert_buf(&buf, "1026");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_quoted_and_told_from_one_another),
		cmocka_unit_test(what_was_cut_has_dots_behind),
		cmocka_unit_test(
		    no_text_ends_its_quotes_or_reaches_the_terminal),
		cmocka_unit_test(the_return_tells_what_the_entry_could_not),
		cmocka_unit_test(only_strings_are_strings),
		cmocka_unit_test(a_vector_is_a_list),
		cmocka_unit_test(results_read_as_their_call_means_them),
		cmocka_unit_test(a_return_alone_is_a_number),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
