/* SPDX-License-Identifier: ISC */
/*
 * The rows that describe pointed-to data: each names an existing call and
 * argument, and the table entries made from them fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/kernel/syscalls_fetch.h"
#include <dt/evt.h>

/* Returns the argument of a call with this name; -1: none. */
static int
argument(const struct syscall_desc *sd, const char *name)
{
	unsigned int i;

	for (i = 0; sd != NULL && i < sd->nargs; i++)
		if (strcmp(sd->args[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* This machine has every call that any machine has. */
#ifdef __x86_64__
#define HAS_ALL_CALLS 1
#else
#define HAS_ALL_CALLS 0
#endif

/* Returns whether a row fits the call in this ABI, if the ABI has it. */
static int
fits(const struct syscall_fetch *sf, enum syscall_abi abi)
{
	int nr = syscall_lookup(abi, sf->sf_call), only;
	const struct syscall_desc *sd;

	only = abi == SYSCALL_ABI_64 ? FETCH_ONLY64 : FETCH_ONLY32;
	if (nr == -1 || (sf->sf_abi != FETCH_BOTH && sf->sf_abi != only))
		return 0;
	sd = syscall_desc(abi, nr);
	if (argument(sd, sf->sf_arg) == -1)
		return 0;
	if (sf->sf_len != NULL && argument(sd, sf->sf_len) == -1)
		fail_msg("%s has no %s", sf->sf_call, sf->sf_len);
	return 1;
}

static void
test_rows(void **state)
{
	const struct syscall_fetch *sf;
	unsigned int n, limit;

	(void)state;
	for (n = 0; (sf = syscall_fetch_row(n)) != NULL; n++) {
		if (!fits(sf, SYSCALL_ABI_64) && !fits(sf, SYSCALL_ABI_32) &&
		    HAS_ALL_CALLS)
			fail_msg("no call %s(%s)", sf->sf_call, sf->sf_arg);
		if ((sf->sf_when & FETCH_ALWAYS) == 0 ||
		    (sf->sf_when & ~FETCH_ALWAYS) != 0)
			fail_msg("%s: when is its %s", sf->sf_call, sf->sf_arg);
		if (sf->sf_how == DT_FETCH_PATH ||
		    sf->sf_how == DT_FETCH_VECTOR ||
		    sf->sf_how == DT_FETCH_COUNT)
			continue;
		if (sf->sf_len == NULL &&
		    (sf->sf_how == DT_FETCH_ARGLEN ||
			sf->sf_how == DT_FETCH_IOVEC ||
			sf->sf_how == DT_FETCH_PTRLEN))
			fail_msg("%s: how long is its %s", sf->sf_call,
			    sf->sf_arg);
		limit = sf->sf_want == DT_EVT_DATA ? DT_REC_MAXDATA
						   : DT_REC_MAXMEMORY;
		if (sf->sf_how == DT_FETCH_IOVEC ||
		    sf->sf_how == DT_FETCH_MSGIOV)
			continue; /* its buffers have data's limit */
		if (sf->sf_max == 0 || sf->sf_max > limit)
			fail_msg("%s: %u bytes of its %s", sf->sf_call,
			    sf->sf_max, sf->sf_arg);
	}
	assert_true(n > 4);
}

/* Checks the entry of a call. */
static void
check_line(enum syscall_abi abi, unsigned int nr, int dir)
{
	const struct syscall_desc *sd = syscall_desc(abi, nr);
	unsigned int i, n, npath = 0, found = 0;
	struct dt_fetches fe;

	n = syscall_fetches(abi, nr, dir, &fe);
	if (n >= DT_NFETCH) /* one more would not have been noticed */
		fail_msg("%s: %u entries of %d", sd->name, n, DT_NFETCH - 1);
	for (i = 0; i < sd->nargs; i++)
		npath += sd->args[i].is_path;
	for (i = 0; i < n; i++)
		npath += fe.fe_row[i].fet_how == DT_FETCH_FILE &&
		    fe.fe_row[i].fet_lenarg == DT_FETCH_NOARG;
	/* the filter by path must include these */
	if (strcmp(sd->name, "chdir") == 0 || strcmp(sd->name, "fchdir") == 0 ||
	    strcmp(sd->name, "chroot") == 0 ||
	    strcmp(sd->name, "close_range") == 0)
		npath = 0;
	for (i = 0; i < n; i++) {
		assert_int_not_equal(fe.fe_row[i].fet_how, DT_FETCH_NONE);
		assert_in_range(fe.fe_row[i].fet_argn, 0, sd->nargs - 1);
		assert_true(
		    fe.fe_row[i].fet_want & (DT_EVT_FETCH | DT_WANT_FILES));
		assert_int_equal(fe.fe_row[i].fet_flags & DT_STR_RETURN,
		    dir == DT_SYS_RETURN ? DT_STR_RETURN : 0);
		found += (fe.fe_row[i].fet_bits & DT_FETCH_ISPATH) != 0;
		assert_int_equal((fe.fe_row[i].fet_bits & DT_FETCH_PTR32) != 0,
		    abi == SYSCALL_ABI_32);
	}
	if (found != npath)
		fail_msg("%s: %u of %u paths", sd->name, found, npath);
	assert_int_equal(n < DT_NFETCH ? fe.fe_row[n].fet_how : 0,
	    DT_FETCH_NONE);
}

static void
test_lines(void **state)
{
	unsigned int abi, nr;

	(void)state;
	for (abi = 0; abi < SYSCALL_NABI; abi++)
		for (nr = 0; nr < syscall_max(abi); nr++) {
			if (syscall_desc(abi, nr) == NULL)
				continue;
			check_line(abi, nr, DT_SYS_ENTRY);
			check_line(abi, nr, DT_SYS_RETURN);
		}
}

/* Returns the entry of a call by its name. */
static unsigned int
line_of(enum syscall_abi abi, const char *name, int dir, struct dt_fetches *fe)
{
	return syscall_fetches(abi, syscall_lookup(abi, name), dir, fe);
}

static void
test_execve(void **state)
{
	struct dt_fetches fe;

	(void)state;
	assert_int_equal(line_of(SYSCALL_ABI_64, "execve", DT_SYS_ENTRY, &fe),
	    4);
	assert_int_equal(fe.fe_row[0].fet_how, DT_FETCH_CWD);
	assert_int_equal(fe.fe_row[1].fet_how, DT_FETCH_PATH);
	assert_int_equal(fe.fe_row[2].fet_how, DT_FETCH_VECTOR);
	assert_int_equal(fe.fe_row[2].fet_flags, DT_STR_VECTOR);
	assert_int_equal(fe.fe_row[3].fet_how, DT_FETCH_COUNT);
	/* nothing after one that succeeded */
	assert_int_equal(line_of(SYSCALL_ABI_64, "execve", DT_SYS_RETURN, &fe),
	    4);
	assert_int_equal(fe.fe_row[0].fet_bits, DT_FETCH_FAILED);
	assert_int_equal(fe.fe_row[1].fet_bits,
	    DT_FETCH_FAILED | DT_FETCH_ISPATH);
	assert_int_equal(fe.fe_row[2].fet_bits, DT_FETCH_FAILED);
	assert_int_equal(fe.fe_row[2].fet_flags, DT_STR_VECTOR | DT_STR_RETURN);
}

/* Bits above an int are not part of a length; a size_t has all bits. */
static void
test_lengths(void **state)
{
	struct dt_fetches fe;

	(void)state;
	assert_true(line_of(SYSCALL_ABI_64, "connect", DT_SYS_ENTRY, &fe) > 1);
	assert_int_equal(fe.fe_row[1].fet_lenarg, 2);
	assert_true(fe.fe_row[1].fet_bits & DT_FETCH_LEN32);
	assert_true(line_of(SYSCALL_ABI_64, "write", DT_SYS_ENTRY, &fe) > 1);
	assert_int_equal(fe.fe_row[1].fet_lenarg, 2);
	assert_false(fe.fe_row[1].fet_bits & DT_FETCH_LEN32);
}

static void
check_file(const struct dt_fetch *f, uint8_t how, uint8_t argn, uint8_t with)
{
	assert_int_equal(f->fet_how, how);
	assert_int_equal(f->fet_argn, argn);
	assert_int_equal(f->fet_lenarg, with);
	assert_int_equal(f->fet_want, DT_WANT_FILES);
	assert_true(f->fet_flags & DT_STR_FILE);
}

/* Descriptors and directories are first, and paths name their directory. */
static void
test_files(void **state)
{
	struct dt_fetches fe;

	(void)state;
	line_of(SYSCALL_ABI_64, "renameat2", DT_SYS_ENTRY, &fe);
	check_file(&fe.fe_row[0], DT_FETCH_FILE, 0, 1);
	check_file(&fe.fe_row[1], DT_FETCH_FILE, 2, 3);
	assert_int_equal(fe.fe_row[2].fet_lenarg, 0);
	assert_int_equal(fe.fe_row[3].fet_lenarg, 2);
	line_of(SYSCALL_ABI_64, "chdir", DT_SYS_ENTRY, &fe);
	check_file(&fe.fe_row[0], DT_FETCH_CWD, 0, 0);
	assert_int_equal(fe.fe_row[1].fet_lenarg, DT_FETCH_NOARG);
	line_of(SYSCALL_ABI_64, "inotify_add_watch", DT_SYS_ENTRY, &fe);
	check_file(&fe.fe_row[0], DT_FETCH_FILE, 0, DT_FETCH_NOARG);
	check_file(&fe.fe_row[1], DT_FETCH_CWD, 1, 1);
	/* where they have changed by then */
	line_of(SYSCALL_ABI_64, "chdir", DT_SYS_RETURN, &fe);
	assert_int_equal(fe.fe_row[0].fet_how, DT_FETCH_PATH);
	assert_int_equal(line_of(SYSCALL_ABI_64, "close", DT_SYS_ENTRY, &fe),
	    1);
	assert_int_equal(line_of(SYSCALL_ABI_64, "close", DT_SYS_RETURN, &fe),
	    0);
	line_of(SYSCALL_ABI_64, "read", DT_SYS_RETURN, &fe);
	check_file(&fe.fe_row[0], DT_FETCH_FILE, 0, DT_FETCH_NOARG);
	assert_true(fe.fe_row[0].fet_flags & DT_STR_RETURN);
	line_of(SYSCALL_ABI_64, "read", DT_SYS_PAIR, &fe);
	check_file(&fe.fe_row[0], DT_FETCH_FILE, 0, DT_FETCH_NOARG);
	assert_false(fe.fe_row[0].fet_flags & DT_STR_RETURN);
}

static void
test_nothing(void **state)
{
	struct dt_fetches fe;

	(void)state;
	assert_int_equal(line_of(SYSCALL_ABI_64, "getpid", DT_SYS_ENTRY, &fe),
	    0);
	assert_int_equal(syscall_fetches(SYSCALL_ABI_64, 100000, DT_SYS_ENTRY,
			     &fe),
	    0);
	assert_int_equal(fe.fe_row[0].fet_how, DT_FETCH_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_execve),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
