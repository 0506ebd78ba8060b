/* SPDX-License-Identifier: ISC */
/*
 * Text of arguments and results of system calls: every row of cli_arg_rows.h,
 * the same rows as strace(1) prints them if it is installed, and a record's
 * data other than numbers.
 */
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/test_cli.h"

#include "cli/decode/args.h"
#include "cli/sym/name_cache.h"

#include "tests/unit/cli_arg_rows.h"
#include "tests/unit/probe_syscall.h"

#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct name_cache names;
static struct buf buf;
static struct dt_rec rec = { .dr_pid = 12, .dr_tid = 12 };

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

/* The entry of a call. */
static const struct probe *
probe(enum syscall_abi abi, const char *call)
{
	const struct probe *pr = probe_syscall(&names, abi, call, "entry");

	if (pr == NULL)
		fail_msg("%s: no such call", call);
	return pr;
}

/* Returns all printed arguments, without their names. */
static void
put_args(const struct arg_call *ac)
{
	unsigned int i, n = 0;

	for (i = 0; i < ac->ac_entry->ev_nargs; i++) {
		if (!arg_shown(ac, i))
			continue;
		if (n++ > 0)
			buf_str(&buf, ", ");
		arg_text(&buf, ac, i);
	}
}

static void
check(enum syscall_abi abi, const char *call, const uint64_t *values,
    const char *want)
{
	const struct probe *pr = probe(abi, call);
	struct dt_event ev = {
		.ev_rec = &rec,
		.ev_nargs = pr->pr_desc.pd_info.dtpi_nargs,
		.ev_args = values,
	};

	put_args(&(struct arg_call){ .ac_probe = pr, .ac_entry = &ev });
	assert_buf(&buf, want);
}

static void
numbers_read_as_in_the_source(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NROWS; i++)
		check(SYSCALL_ABI_64, rows[i].r_call,
		    (const uint64_t *)rows[i].r_values, rows[i].r_text);
}

/* A register of a 32-bit program: the same kinds, found by other names. */
static void
calls_of_32_bits_read_the_same(void **state)
{
	static const uint64_t fcntl_args[] = { 3, F_SETFD, FD_CLOEXEC },
			      clock_args[] = { 0xfffffffa, 0 },
			      mmap_args[] = { 0, 4096, 3, 0x22, 0xffffffff, 1 },
			      chown_args[] = { 0, 0xffffffff, 5 };

	(void)state;
	check(SYSCALL_ABI_32, "fcntl64", fcntl_args, "3, F_SETFD, FD_CLOEXEC");
	check(SYSCALL_ABI_32, "clock_gettime64", clock_args,
	    "MAKE_PROCESS_CPUCLOCK(0, CPUCLOCK_SCHED), NULL");
	check(SYSCALL_ABI_32, "mmap2", mmap_args,
	    "NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, "
	    "0x1");
	check(SYSCALL_ABI_32, "fchown32", chown_args, "0, -1, 5");
}

/* The bits above the 32 of an int are ignored. */
static void
only_the_bits_of_the_type_count(void **state)
{
	static const uint64_t args[] = { 0xdeadbeefffffff9c, P,
		0xdeadbeef00080000, 0 };

	(void)state;
	check(SYSCALL_ABI_64, "openat", args,
	    "AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC");
}

/* Numbers that differ on another machine, on any machine that reads them. */
static void
numbers_are_of_the_machine_that_recorded(void **state)
{
	static const struct {
		const char *call;
		uint64_t args[6];
		const char *text[MACHINE_N];
	} both[] = {
		{ "openat", { -100, P, 0x4000 },
		    { "AT_FDCWD, 0x1000, O_RDONLY|O_DIRECT",
			"AT_FDCWD, 0x1000, O_RDONLY|O_DIRECTORY" } },
		{ "openat", { -100, P, 0x38002 },
		    { "AT_FDCWD, 0x1000, "
		      "O_RDWR|O_LARGEFILE|O_NOFOLLOW|O_DIRECTORY",
			"AT_FDCWD, 0x1000, "
			"O_RDWR|O_DIRECT|O_LARGEFILE|O_NOFOLLOW" } },
		{ "openat", { -100, P, 0x404001, 0600 },
		    { "AT_FDCWD, 0x1000, O_WRONLY|O_DIRECT|__O_TMPFILE, 0600",
			"AT_FDCWD, 0x1000, O_WRONLY|O_TMPFILE, 0600" } },
		{ "fcntl", { 3, F_SETFL, 0x10000 },
		    { "3, F_SETFL, O_RDONLY|O_DIRECTORY",
			"3, F_SETFL, O_RDONLY|O_DIRECT" } },
		{ "fanotify_init", { 0, 0x20000 },
		    { "FAN_CLASS_NOTIF, O_RDONLY|O_NOFOLLOW",
			"FAN_CLASS_NOTIF, O_RDONLY|O_LARGEFILE" } },
		{ "pipe2", { P, 0x10000 },
		    { "0x1000, 0x10000", "0x1000, O_DIRECT" } },
		{ "ptrace", { 33, 100, 0, 0 },
		    { "PTRACE_SINGLEBLOCK, 100, NULL, 0",
			"PTRACE_PEEKMTETAGS, 100, NULL, NULL" } },
		{ "ptrace", { 12, 100, 0, P },
		    { "PTRACE_GETREGS, 100, 0x1000", "0xc, 100, 0, 0x1000" } },
	};
	enum machine here = names.nm_machine;
	size_t i;
	int m;

	(void)state;
	for (m = 0; m < MACHINE_N; m++) {
		names.nm_machine = m;
		for (i = 0; i < sizeof(both) / sizeof(both[0]); i++)
			check(SYSCALL_ABI_64, both[i].call, both[i].args,
			    both[i].text[m]);
	}
	names.nm_machine = here;
	assert_int_equal(machine_find("aarch64"), MACHINE_ARM64);
	assert_int_equal(machine_find("armv8l"), MACHINE_ARM64);
	assert_int_equal(machine_find("x86_64"), MACHINE_X86);
	assert_int_equal(machine_find("i686"), MACHINE_X86);
}

/*
 * strace
 */

/* Cuts comments and the rest after the call off a line of strace. */
static void
strip(char *line)
{
	char *from = line, *to = line, *end;

	while (*from != '\0') {
		if (strncmp(from, " /*", 3) == 0 &&
		    (end = strstr(from, "*/")) != NULL)
			from = end + 2;
		else
			*to++ = *from++;
	}
	*to = '\0';
	if ((end = strstr(line, " = -1 ENOSYS")) == NULL)
		return;
	do
		*end = '\0';
	while (end > line && *--end == ' ');
}

static void
give_rows(FILE *f)
{
	size_t i, j;

	for (i = 0; i < NROWS; i++) {
		fprintf(f, "%d",
		    syscall_lookup(SYSCALL_ABI_64, rows[i].r_call));
		for (j = 0; j < 6; j++)
			fprintf(f, " %lld", (long long)rows[i].r_values[j]);
		fputc('\n', f);
	}
}

/*
 * The program in this folder makes all calls, none of which is carried out;
 * traced, with its input or without.
 */
static void
command(char *cmd, size_t size, const char *dir, const char *args)
{
	char path[256];
	int n;

	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	snprintf(cmd, size, "exec strace -o %s/out %s/onecall -s %s 2>%s/err",
	    dir, path, args, dir);
}

static FILE *
run_strace(const char *dir)
{
	char cmd[700], path[256];
	FILE *f;

	command(cmd, sizeof(cmd), dir, "-");
	f = popen(cmd, "w");
	assert_non_null(f);
	give_rows(f);
	assert_int_equal(pclose(f), 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	return fopen(path, "r");
}

/*
 * Another version may have more or fewer names; and in a container or an
 * emulator tracing may be forbidden.
 */
static int
has_strace(const char *dir)
{
	char cmd[700], version[64] = "";
	FILE *f = popen("strace -V 2>/dev/null", "r");

	assert_non_null(f);
	if (fgets(version, sizeof(version), f) == NULL)
		version[0] = '\0';
	pclose(f);
	command(cmd, sizeof(cmd), dir, "1");
	return strstr(version, "version 6.1\n") != NULL && system(cmd) == 0;
}

static void
compare_with_strace(FILE *f)
{
	char *line = NULL, want[1024];
	size_t size = 0, i = 0, began = 0;

	while (getline(&line, &size, f) > 0 && i < NROWS) {
		strip(line);
		if (!began) {
			began = strncmp(line, "close(-4711)", 12) == 0;
			continue;
		}
		snprintf(want, sizeof(want), "%s(%s)", rows[i].r_call,
		    rows[i].r_text);
		if (!rows[i].r_differs)
			assert_string_equal(line, want);
		i++;
	}
	free(line);
	assert_int_equal(i, NROWS);
}

static void
strace_prints_the_same(void **state)
{
	char dir[] = "/tmp/dt-arg-XXXXXX", cmd[64];
	FILE *f = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	if (has_strace(dir) && (f = run_strace(dir)) != NULL) {
		compare_with_strace(f);
		fclose(f);
	}
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
	if (f == NULL)
		skip();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_read_as_in_the_source),
		cmocka_unit_test(calls_of_32_bits_read_the_same),
		cmocka_unit_test(only_the_bits_of_the_type_count),
		cmocka_unit_test(numbers_are_of_the_machine_that_recorded),
		cmocka_unit_test(strace_prints_the_same),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
