/* SPDX-License-Identifier: ISC */
/*
 * Processes by number and time: scripted events, and a model that keeps the
 * mapping of every page at every time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/procs/proc_table.h"

#define PAGE 4096ULL

static void
event(enum sideband_event_type type, uint64_t when, uint32_t pid, uint32_t ppid)
{
	struct sideband_event se = { .se_type = type,
		.se_time = when,
		.se_pid = pid,
		.se_tid = pid,
		.se_ppid = ppid };

	proc_table_event(&se, NULL);
}

static void
map(uint64_t when, uint32_t pid, uint64_t start, uint64_t npages, uint64_t off,
    const char *path)
{
	struct sideband_event se = { .se_type = SIDEBAND_MMAP,
		.se_time = when,
		.se_pid = pid,
		.se_tid = pid,
		.se_start = start * PAGE,
		.se_end = (start + npages) * PAGE,
		.se_off = off * PAGE };

	se.se_id.ii_path = path;
	se.se_id.ii_pathlen = strlen(path);
	if (path[0] == '/' && path[1] != '/') {
		se.se_id.ii_dev = 1;
		se.se_id.ii_ino = path[1];
	}
	proc_table_event(&se, NULL);
}

struct at {
	uint64_t a_addr;
	char a_text[64];
	int a_n;
};

static void
at_spot(const struct mapping *so, void *arg)
{
	struct at *a = arg;

	if (a->a_addr < so->mg_start || a->a_addr >= so->mg_end)
		return;
	a->a_n++;
	if (so->mg_file->mf_kind == MAPPED_FILE_ANON)
		snprintf(a->a_text, sizeof(a->a_text), "anon");
	else
		snprintf(a->a_text, sizeof(a->a_text), "%s+%llu",
		    so->mg_file->mf_path,
		    (unsigned long long)((a->a_addr - so->mg_start +
					     so->mg_off) /
			PAGE));
}

/*
 * Returns the mapping of a process's page: "path+page", "anon", "-" for none,
 * "?" for an unknown process; narrows from and until.
 */
static const char *
at(uint32_t pid, uint64_t when, uint64_t page, uint64_t *from, uint64_t *until)
{
	static struct at a;
	const struct process *sp = proc_table_find(pid, when);
	const struct proc_span *sn;

	if (sp == NULL)
		return "?";
	sn = proc_table_span(sp, when);
	addr_space_settle(sn->pn_space);
	a = (struct at){ .a_addr = page * PAGE, .a_text = "-" };
	addr_space_walk(sn->pn_space, when < sn->pn_asof ? when : sn->pn_asof,
	    at_spot, &a, from, until);
	assert_in_range(a.a_n, 0, 1);
	return a.a_text;
}

static const char *
was(uint32_t pid, uint64_t when, uint64_t page)
{
	uint64_t from = 0, until = UINT64_MAX;

	return at(pid, when, page, &from, &until);
}

static void
clear(void)
{
	struct proc_table_stat ts;
	struct mapped_file_stat fs;

	proc_table_clear();
	proc_table_stat(&ts);
	mapped_file_stat(&fs);
	assert_int_equal(ts.pt_procs, 0);
	assert_int_equal(ts.pt_ended, 0);
	assert_int_equal(ts.pt_bytes, 0);
	assert_int_equal(addr_space_sum.ast_spaces, 0);
	assert_int_equal(addr_space_sum.ast_mappings, 0);
	assert_int_equal(addr_space_sum.ast_bytes, 0);
	assert_int_equal(fs.mfs_files, 0);
}

/* Compares page by page, time by time. */
#define NPAGES 48
#define NSTEPS 1500

static char model[NSTEPS + 1][NPAGES][16];

static void
model_step(int step, unsigned int *seed)
{
	static const char *const paths[] = { "/a", "/b", "/c", "//anon" };
	uint64_t start = rand_r(seed) % (NPAGES - 1);
	uint64_t n = 1 + rand_r(seed) % (rand_r(seed) % 8 ? 4 : NPAGES - start);
	uint64_t off = rand_r(seed) % 4, i;
	const char *path = paths[rand_r(seed) % 4];

	if (start + n > NPAGES)
		n = NPAGES - start;
	memcpy(model[step], model[step - 1], sizeof(model[0]));
	for (i = 0; i < n; i++)
		if (strcmp(path, "//anon") == 0)
			strcpy(model[step][start + i], "anon");
		else
			snprintf(model[step][start + i], 16, "%s+%d", path,
			    (int)(off + i));
	map(step * 10, 5, start, n, off, path);
}

static void
model_check(int step, uint64_t when)
{
	uint64_t from, until;
	const char *have;
	int page;

	for (page = 0; page < NPAGES; page++) {
		from = 0;
		until = UINT64_MAX;
		have = at(5, when, page, &from, &until);
		if (strcmp(have, model[step][page]) != 0)
			fail_msg("step %d, page %d: %s instead of %s", step,
			    page, have, model[step][page]);
		assert_in_range(when, from, until - 1);
	}
}

static void
test_model(void **state)
{
	unsigned int seed = 1;
	int step, page;

	(void)state;
	event(SIDEBAND_EXEC, 1, 5, 0);
	for (page = 0; page < NPAGES; page++)
		strcpy(model[0][page], "-");
	for (step = 1; step <= NSTEPS; step++) {
		model_step(step, &seed);
		model_check(step, step * 10);
	}
	/* only the oldest times were dropped */
	for (step = NSTEPS; step > NSTEPS - 400; step--) {
		model_check(step, step * 10);
		model_check(step, step * 10 + 9);
	}
	clear();
}

static void
test_fork(void **state)
{
	(void)state;
	event(SIDEBAND_EXEC, 10, 1, 0);
	map(11, 1, 0, 4, 0, "/a");
	event(SIDEBAND_FORK, 20, 2, 1);
	map(30, 1, 0, 2, 0, "/b"); /* the parent's own */
	assert_string_equal(was(1, 29, 1), "/a+1");
	assert_string_equal(was(1, 30, 1), "/b+1");
	assert_string_equal(was(2, 40, 1), "/a+1");
	assert_string_equal(was(2, 19, 1), "?");
	map(50, 2, 8, 1, 3, "/c"); /* the child's own */
	assert_string_equal(was(2, 49, 8), "-");
	assert_string_equal(was(2, 50, 8), "/c+3");
	assert_string_equal(was(2, 50, 1), "/a+1");
	assert_string_equal(was(2, 45, 1), "/a+1");
	assert_string_equal(was(1, 60, 8), "-");
	/* a child of the child, and the exits of both */
	event(SIDEBAND_FORK, 60, 3, 2);
	event(SIDEBAND_EXIT, 70, 2, 1);
	event(SIDEBAND_EXIT, 71, 1, 0);
	assert_string_equal(was(3, 80, 8), "/c+3");
	assert_string_equal(was(2, 65, 8), "/c+3");
	/* a thread is not a process */
	event(SIDEBAND_FORK, 90, 3, 3);
	assert_string_equal(was(3, 95, 8), "/c+3");
	clear();
}

/*
 * Each process of a chain forks, the child maps code, and the parent exits: of
 * 100,000 generations, few address spaces are kept.
 */
#define CHAIN 100000

static void
test_chain(void **state)
{
	struct proc_table_stat ts;
	uint32_t pid;

	(void)state;
	for (pid = 2; pid < CHAIN; pid++) {
		event(SIDEBAND_FORK, 10ULL * pid, pid, pid - 1);
		map(10ULL * pid + 1, pid, pid % 40, 1, 0, "/a");
		event(SIDEBAND_EXIT, 10ULL * pid + 2, pid - 1, 0);
		if (pid % 1000 == 0)
			proc_table_trim(10ULL * pid);
	}
	proc_table_stat(&ts);
	assert_in_range(addr_space_sum.ast_spaces, 0,
	    ts.pt_procs + ts.pt_ended + 32);
	clear();
}

static void
test_exec(void **state)
{
	(void)state;
	event(SIDEBAND_EXEC, 10, 1, 0);
	map(11, 1, 0, 1, 0, "/a");
	event(SIDEBAND_EXEC, 20, 1, 0);
	assert_string_equal(was(1, 19, 0), "/a+0");
	assert_string_equal(was(1, 20, 0), "-");
	map(21, 1, 0, 1, 0, "/b");
	event(SIDEBAND_FORK, 30, 2, 1);
	event(SIDEBAND_EXEC, 31, 2, 0);
	map(32, 2, 0, 1, 0, "/c");
	assert_string_equal(was(2, 30, 0), "/b+0");
	assert_string_equal(was(2, 32, 0), "/c+0");
	assert_string_equal(was(1, 32, 0), "/b+0");
	clear();
}

/* A process executes programs forever: few are remembered, the others unknown. */
static void
test_execs(void **state)
{
	struct proc_table_stat few, many;
	uint64_t t;

	(void)state;
	for (t = 10; t < 1000000; t += 10) {
		event(SIDEBAND_EXEC, t, 1, 0);
		map(t + 1, 1, t / 10, 1, 0, "/a");
		if (t == 1000)
			proc_table_stat(&few);
	}
	proc_table_stat(&many);
	assert_int_equal(many.pt_bytes, few.pt_bytes);
	assert_in_range(addr_space_sum.ast_spaces, 1, 65);
	assert_string_equal(was(1, t - 5, t / 10 - 1), "/a+0");
	assert_string_equal(was(1, t - 25, t / 10 - 3), "/a+0");
	assert_string_equal(was(1, 15, 1), "?");
	clear();
}

/* The records of exits were lost: processes that are there no longer end. */
static void
test_reap(void **state)
{
	const uint32_t none = 0x7ffffff0; /* above any pid */
	struct proc_table_stat ts;

	(void)state;
	event(SIDEBAND_FORK, 10, getpid(), 1);
	event(SIDEBAND_FORK, 11, none, 1);
	event(SIDEBAND_FORK, 30, none + 1, 1); /* after the pass has begun */
	proc_table_reap(20);
	assert_int_equal(proc_table_find(getpid(), 40)->ps_end, 0);
	assert_int_equal(proc_table_find(none, 40)->ps_end, 20);
	assert_int_equal(proc_table_find(none + 1, 40)->ps_end, 0);
	event(SIDEBAND_EXIT, 25, none, 0); /* the late record */
	assert_int_equal(proc_table_find(none, 40)->ps_end, 25);
	proc_table_stat(&ts);
	assert_int_equal(ts.pt_ended, 1);
	clear();
}

/* Memory without a file that grows by pages is one mapping. */
static void
test_grow(void **state)
{
	uint64_t i;

	(void)state;
	event(SIDEBAND_EXEC, 1, 1, 0);
	map(2, 1, 40000, 1, 0, "/a");
	event(SIDEBAND_FORK, 3, 2, 1);
	for (i = 0; i < 20000; i++) {
		map(10 + i, 1, 20000, i + 1, 0, "//anon");     /* upwards */
		map(10 + i, 1, 19999 - i, i + 1, 0, "//anon"); /* downwards */
	}
	assert_in_range(addr_space_sum.ast_mappings, 2, 8);
	assert_string_equal(was(1, 40000, 0), "anon");
	assert_string_equal(was(1, 40000, 39999), "anon");
	assert_string_equal(was(1, 40000, 40000), "/a+0");
	/* where a file was before, it begins when that ends */
	map(50000, 1, 40000, 1, 0, "//anon");
	assert_string_equal(was(1, 49999, 40000), "/a+0");
	assert_string_equal(was(1, 50000, 40000), "anon");
	clear();
}

/*
 * The children of a process with many mappings have these, too, but without
 * copies before they are needed.
 */
static void
test_copy(void **state)
{
	uint64_t i, before;
	uint32_t pid;

	(void)state;
	event(SIDEBAND_EXEC, 1, 1, 0);
	for (i = 0; i < 20000; i++)
		map(2, 1, 2 * i, 1, 0, "/a");
	before = addr_space_sum.ast_mappings;
	for (pid = 2; pid < 10000; pid++) {
		event(SIDEBAND_FORK, 10 * pid, pid, 1);
		map(10 * pid + 1, pid, 50001, 1, 3, "/c");
	}
	assert_in_range(addr_space_sum.ast_mappings, before, before + 10000);
	map(200000, 1, 0, 1, 7, "/b"); /* the parent's own */
	assert_string_equal(was(9, 200001, 0), "/a+0");
	assert_string_equal(was(9, 200001, 39998), "/a+0");
	assert_string_equal(was(9, 200001, 50001), "/c+3");
	assert_string_equal(was(1, 200001, 0), "/b+7");
	clear();
}

/* A number is reused: by time. */
static void
test_reuse(void **state)
{
	struct proc_table_stat ts;

	(void)state;
	event(SIDEBAND_EXEC, 1, 1, 0);
	event(SIDEBAND_FORK, 10, 9, 1);
	map(11, 9, 0, 1, 0, "/a");
	event(SIDEBAND_EXIT, 20, 9, 1);
	event(SIDEBAND_FORK, 30, 9, 1);
	map(31, 9, 0, 1, 0, "/b");
	assert_string_equal(was(9, 9, 0), "?");
	assert_string_equal(was(9, 15, 0), "/a+0");
	assert_string_equal(was(9, 25, 0), "/a+0");
	assert_string_equal(was(9, 35, 0), "/b+0");
	/* its exit was lost */
	event(SIDEBAND_FORK, 40, 9, 1);
	assert_string_equal(was(9, 35, 0), "/b+0");
	assert_string_equal(was(9, 45, 0), "-");
	proc_table_stat(&ts);
	assert_int_equal(ts.pt_procs, 4);
	assert_int_equal(ts.pt_ended, 2);
	clear();
}

/* A snapshot adds earlier mappings, but later events win over it. */
static void
test_snapshot(void **state)
{
	struct inode_id a = { .ii_dev = 1,
		.ii_ino = 'a',
		.ii_path = "/a",
		.ii_pathlen = 2 };
	struct mapping list[3] = { { 0, 4 * PAGE, 0, 0, NULL },
		{ 8 * PAGE, 9 * PAGE, 0, 0, NULL },
		{ 22 * PAGE, 23 * PAGE, 0, 0, NULL } };
	int isnew;

	(void)state;
	event(SIDEBAND_FORK, 5, 2, 1); /* the parent is unknown */
	map(10, 1, 20, 1, 0, "/x");    /* removed before the snapshot */
	map(11, 1, 22, 1, 0, "/x");    /* another by then */
	map(50, 1, 2, 1, 0, "/b");     /* newer than it */
	event(SIDEBAND_FORK, 55, 3, 1);
	map(56, 3, 30, 1, 0, "/c"); /* so it has its own address space */
	list[0].mg_file = mapped_file_map(&a, 0, &isnew);
	list[1].mg_file = mapped_file_map(&a, 0, &isnew);
	list[2].mg_file = mapped_file_map(&a, 0, &isnew);
	proc_table_snapshot(1, list, 3, 40, 45, 0);
	assert_string_equal(was(1, 60, 1), "/a+1");
	assert_string_equal(was(1, 60, 2), "/b+0");
	assert_string_equal(was(1, 60, 3), "/a+3");
	assert_string_equal(was(1, 60, 20), "-");
	assert_string_equal(was(1, 39, 20), "/x+0");
	assert_string_equal(was(1, 39, 22), "/x+0");
	assert_string_equal(was(1, 60, 22), "/a+0");
	assert_string_equal(was(2, 60, 1), "/a+1");
	assert_string_equal(was(2, 60, 8), "/a+0");
	assert_string_equal(was(3, 60, 1), "/a+1");
	assert_string_equal(was(3, 60, 2), "/b+0");
	assert_string_equal(was(3, 60, 30), "/c+0");
	/* of another program by the time it was read */
	event(SIDEBAND_EXEC, 100, 1, 0);
	list[0].mg_file = mapped_file_map(&a, 0, &isnew);
	proc_table_snapshot(1, list, 1, 95, 105, 0);
	assert_string_equal(was(1, 110, 1), "-");
	clear();
}

/*
 * A snapshot of a process from before its exec reaches the table after the
 * exec.
 */
static void
test_snapshot_late(void **state)
{
	struct inode_id a = { .ii_dev = 1,
		.ii_ino = 'a',
		.ii_path = "/a",
		.ii_pathlen = 2 };
	struct mapping list = { 0, 4 * PAGE, 0, 0, NULL };
	int isnew;

	(void)state;
	event(SIDEBAND_FORK, 10, 2, 1); /* the parent is unknown */
	event(SIDEBAND_EXEC, 50, 2, 0);
	map(51, 2, 1, 1, 0, "/new");
	list.mg_file = mapped_file_map(&a, 0, &isnew);
	proc_table_snapshot(2, &list, 1, 20, 30, 0);
	assert_string_equal(was(2, 40, 1), "/a+1");
	assert_string_equal(was(2, 60, 1), "/new+0");
	assert_string_equal(was(2, 60, 2), "-");
	clear();
}

static void
test_bounds(void **state)
{
	struct proc_table_stat ts;
	uint64_t i, forgotten;

	(void)state;
	proc_table_stat(&ts);
	forgotten = ts.pt_forgotten;
	event(SIDEBAND_EXEC, 1, 1, 0);
	for (i = 2; i < PROC_TABLE_ENDED + 100; i++) {
		event(SIDEBAND_FORK, i, i, 1);
		event(SIDEBAND_EXIT, i, i, 1);
	}
	proc_table_trim(i);
	proc_table_stat(&ts);
	/* a sixteenth more is removed than is necessary */
	assert_int_equal(ts.pt_ended, PROC_TABLE_ENDED / 16 * 15);
	assert_int_equal(ts.pt_forgotten,
	    forgotten + PROC_TABLE_ENDED / 16 + 98);
	proc_table_trim(i + PROC_TABLE_AGE);
	proc_table_stat(&ts);
	assert_int_equal(ts.pt_ended, 0);
	/* too many mappings of one process affect only that process */
	map(i, 2, 5, 1, 0, "/b");
	for (i = 0; i < 2 * ADDR_SPACE_MAPS; i++)
		map(1000000 + i, 1, 2 * i, 1, 0, "/a");
	assert_int_equal(addr_space_sum.ast_mappings, ADDR_SPACE_MAPS + 1);
	for (i = 0; i < 12; i++) {
		uint64_t j;

		for (j = 0; j < ADDR_SPACE_MAPS; j++)
			map(2000000, 100 + i, 2 * j, 1, 0, "/a");
		proc_table_trim(2000000);
	}
	proc_table_stat(&ts);
	assert_in_range(ts.pt_bytes + addr_space_sum.ast_bytes, 1,
	    PROC_TABLE_BYTES);
	assert_string_equal(was(2, 2000000, 5), "/b+0");
	clear();
}

/* A process of a user. */
static void
user_fork(uint64_t nsecs, uint32_t pid, uid_t uid)
{
	struct process *ps;

	event(SIDEBAND_FORK, nsecs, pid, 0);
	ps = proc_table_find(pid, UINT64_MAX);
	assert_non_null(ps);
	ps->ps_uid = uid;
}

/* A user with many processes or mappings takes no other user's names away. */
static void
test_share(void **state)
{
	uint64_t i;
	uint32_t pid;

	(void)state;
	user_fork(1, 2, 1000);
	map(1, 2, 5, 1, 0, "/b");
	event(SIDEBAND_EXIT, 2, 2, 0);
	for (pid = 3; pid < 3 + 2 * PROC_TABLE_ENDED; pid++) {
		user_fork(pid, pid, 1001);
		event(SIDEBAND_EXIT, pid, pid, 0);
		proc_table_trim(pid);
	}
	assert_string_equal(was(2, 1, 5), "/b+0");
	/* subordinate user ids are one user's */
	for (pid = 100000; pid < 100020; pid++) {
		user_fork(pid, pid, 4 * 65536 + pid % 32);
		for (i = 0; i < ADDR_SPACE_MAPS; i++)
			map(pid, pid, 2 * i, 1, 0, "/a");
		event(SIDEBAND_EXIT, pid, pid, 0);
		proc_table_trim(pid);
	}
	assert_string_equal(was(2, 1, 5), "/b+0");
	clear();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_execs),
		cmocka_unit_test(test_reap),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_snapshot_late),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests_name("symtab", tests, NULL, NULL);
}
