/* SPDX-License-Identifier: ISC */
/*
 * sideband_event_parse(): valid and damaged records of perf's side-band.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "daemon/procs/sideband_event.h"

#define WHEN 1234567890123ULL

/* A record under construction. */
static uint8_t rec[65536];
static size_t nrec;

static void
add(const void *p, size_t nbytes)
{
	memcpy(rec + nrec, p, nbytes);
	nrec += nbytes;
}

static void
add32(uint32_t v)
{
	add(&v, sizeof(v));
}

static void
add64(uint64_t v)
{
	add(&v, sizeof(v));
}

static void
begin(uint32_t type, uint16_t misc)
{
	nrec = 0;
	add32(type);
	add(&misc, sizeof(misc));
	add(&misc, sizeof(misc)); /* the size, once it is known */
}

/* Adds the trailer if there is one, and sets the size. */
static void
end(int istrailed)
{
	uint16_t size;

	if (istrailed) {
		add32(77);
		add32(78);
		add64(WHEN);
	}
	size = nrec;
	memcpy(rec + 6, &size, sizeof(size));
}

/*
 * Parses a copy of the exact size, so that a sanitizer detects a read past the
 * end.
 */
static int
parse(size_t nbytes, struct sideband_event *se)
{
	void *copy = malloc(nbytes > 0 ? nbytes : 1);
	int error;

	assert_non_null(copy);
	memcpy(copy, rec, nbytes);
	error = sideband_event_parse(copy, nbytes, se);
	if (error == 0 && se->se_type == SIDEBAND_MMAP)
		assert_true(strlen(se->se_id.ii_path) == se->se_id.ii_pathlen);
	free(copy);
	return error;
}

static void
mmap2(uint16_t misc, uint64_t addr, uint64_t len, uint32_t prot,
    const char *path, size_t pathlen)
{
	begin(PERF_RECORD_MMAP2, misc);
	add32(100);
	add32(101);
	add64(addr);
	add64(len);
	add64(0x3000);
	add32(8);
	add32(1);
	add64(4711);
	add64(9);
	add32(prot);
	add32(MAP_PRIVATE);
	add(path, pathlen);
	end(1);
}

static void
test_mmap(void **state)
{
	struct sideband_event se;

	(void)state;
	mmap2(PERF_RECORD_MISC_USER, 0x1000, 0x2000, PROT_READ | PROT_EXEC,
	    "/bin/ls", 8);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_MMAP);
	assert_int_equal(se.se_time, WHEN);
	assert_int_equal(se.se_pid, 100);
	assert_int_equal(se.se_tid, 101);
	assert_int_equal(se.se_start, 0x1000);
	assert_int_equal(se.se_end, 0x3000);
	assert_int_equal(se.se_off, 0x3000);
	assert_int_equal(se.se_id.ii_dev, makedev(8, 1));
	assert_int_equal(se.se_id.ii_ino, 4711);
	assert_int_equal(se.se_id.ii_gen, 9);
	assert_int_equal(se.se_id.ii_pathlen, 7);

	/* another listener requested build ids: only the flag is set */
	mmap2(PERF_RECORD_MISC_MMAP_BUILD_ID, 0x1000, 0x2000, PROT_EXEC,
	    "/bin/ls", 8);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_id.ii_dev, makedev(8, 1));
	assert_int_equal(se.se_id.ii_ino, 4711);
	assert_int_equal(se.se_id.ii_gen, 9);
}

static void
test_mmap_other(void **state)
{
	struct sideband_event se;

	(void)state;
	mmap2(0, 0x1000, 0x2000, PROT_READ, "/bin/ls", 8); /* not executable */
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_OTHER);
	mmap2(0, 0x1000, 0, PROT_EXEC, "/bin/ls", 8);
	assert_int_equal(parse(nrec, &se), EINVAL);
	mmap2(0, UINT64_MAX - 0xfff, 0x2000, PROT_EXEC, "/bin/ls", 8);
	assert_int_equal(parse(nrec, &se), EINVAL);
	mmap2(0, 0x1000, 0x2000, PROT_EXEC, "/bin/lsx", 8); /* unterminated */
	assert_int_equal(parse(nrec, &se), EINVAL);
	mmap2(0, 0x1000, 0x2000, PROT_EXEC, "", 0);
	assert_int_equal(parse(nrec, &se), EINVAL);
}

static void
task(uint32_t type)
{
	begin(type, 0);
	add32(200);
	add32(100);
	add32(201);
	add32(101);
	add64(WHEN);
	end(1);
}

static void
test_task(void **state)
{
	struct sideband_event se;

	(void)state;
	task(PERF_RECORD_FORK);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_FORK);
	assert_int_equal(se.se_pid, 200);
	assert_int_equal(se.se_tid, 201);
	assert_int_equal(se.se_ppid, 100);
	task(PERF_RECORD_EXIT);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_EXIT);
	begin(PERF_RECORD_FORK, 0);
	add64(1);
	end(1);
	assert_int_equal(parse(nrec, &se), EINVAL);
}

static void
test_comm(void **state)
{
	struct sideband_event se;

	(void)state;
	begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	add32(300);
	add32(301);
	add("ls\0\0\0\0\0", 8);
	end(1);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_EXEC);
	assert_int_equal(se.se_pid, 300);
	begin(PERF_RECORD_COMM, 0); /* only a name */
	add64(300);
	end(1);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_OTHER);
	begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	end(1);
	assert_int_equal(parse(nrec, &se), EINVAL);
}

static void
test_lost(void **state)
{
	struct sideband_event se;

	(void)state;
	begin(PERF_RECORD_LOST, 0);
	add64(1);
	add64(42);
	end(1);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_LOST);
	assert_int_equal(se.se_lost, 42);
	begin(PERF_RECORD_LOST, 0);
	add64(1);
	end(1);
	assert_int_equal(parse(nrec, &se), EINVAL);
	begin(4711, 0); /* possible in later kernels */
	end(1);
	assert_int_equal(parse(nrec, &se), 0);
	assert_int_equal(se.se_type, SIDEBAND_OTHER);
}

/* Any record cut anywhere is either parsed or refused. */
static void
test_short(void **state)
{
	struct sideband_event se;
	size_t n;

	(void)state;
	mmap2(0, 0x1000, 0x2000, PROT_EXEC, "/bin/ls", 8);
	for (n = 0; n < nrec; n++)
		assert_int_equal(parse(n, &se), EINVAL);
	task(PERF_RECORD_FORK);
	for (n = 0; n < nrec; n++)
		assert_int_equal(parse(n, &se), EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap),
		cmocka_unit_test(test_mmap_other),
		cmocka_unit_test(test_task),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests_name("symevent", tests, NULL, NULL);
}
