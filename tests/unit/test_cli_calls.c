/* SPDX-License-Identifier: ISC */
/*
 * Printing of events: which events become one line, and when it is printed.
 * Events are built here; a line is compared from its thread number on.
 */
#include "tests/unit/test_cli_print.h"

#include "cli/calls/call_table.h"
#include "cli/calls/calls.h"

#define MS	UINT64_C(1000000)
#define NTHREAD 40000

/* Functions by the number of their entry; the return's is one more. */
enum {
	READ = 1,
	POLL = 3,
	EXECVE = 5,
	EXIT_GROUP = 7,
	CLONE = 9,
	LONE = 11
};

static const struct {
	const char *prov, *func;
	int pbn;
} funcs[] = {
	{ "syscall", "read", READ },
	{ "syscall", "poll", POLL },
	{ "syscall", "execve", EXECVE },
	{ "syscall", "exit_group", EXIT_GROUP },
	{ "syscall", "clone", CLONE },
	{ "vfs", "f", 13 },
	{ "vfs", "g", 15 },
};

static struct calls *tr;
static uint64_t now;

static void
add(const char *prov, const char *func, const char *name, int pbn)
{
	struct dt_probe_desc pd = { .pd_info = { .dtpi_pbn = pbn } };

	snprintf(pd.pd_info.dtpi_prov, DTNAMESIZE, "%s", prov);
	pd.pd_info.dtpi_flags = strcmp(prov, "syscall") == 0 ? DTPI_CALL : 0;
	snprintf(pd.pd_info.dtpi_func, DTNAMESIZE, "%s", func);
	snprintf(pd.pd_info.dtpi_name, DTNAMESIZE, "%s", name);
	name_cache_add_probe(&names, &pd);
}

static void
trace_open(void)
{
	struct consumer consumer = out_consumer(&out);

	tr = calls_open(&opts, &names, &consumer);
}

static int
setup(void **state)
{
	size_t i;

	(void)state;
	print_open(&out_text);
	for (i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
		add(funcs[i].prov, funcs[i].func, "entry", funcs[i].pbn);
		add(funcs[i].prov, funcs[i].func, "return", funcs[i].pbn + 1);
	}
	add("syscall", "lone", "entry", LONE);
	trace_open();
	now = 1000 * MS;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	calls_close(tr);
	print_close();
	return 0;
}

/* A microsecond after the previous one.  Odd numbers are entries. */
static void
event(int pbn, uint32_t pid, uint32_t tid, int64_t value)
{
	static struct {
		struct dt_rec rec;
		struct dt_rec_ret ret;
	} r;
	struct dt_event ev = { .ev_rec = &r.rec, .ev_cpu = 1 };

	now += 1000;
	r.rec = (struct dt_rec){ .dr_length = sizeof(r),
		.dr_pbn = pbn,
		.dr_time = now,
		.dr_pid = pid,
		.dr_tid = tid };
	r.ret = (struct dt_rec_ret){ .drr_retval = value };
	if (pbn % 2 == 0)
		ev.ev_ret = &r.ret;
	calls_event(tr, &ev);
	memset(&r, 0xff, sizeof(r)); /* a pointer to it must not be kept */
}

/* Takes time, CPU and name off each line, and keeps one blank. */
static void
check(const char *want)
{
	char *p, *end, *to, *from;

	buf_c(&out.out_buf, '\0');
	to = out.out_buf.b_data;
	for (p = out.out_buf.b_data; *p != '\0'; p = end + 1) {
		assert_non_null(end = strchr(p, '\n'));
		from = p + strcspn(p, " ") + 1; /* the time */
		from += strcspn(from, " ");	/* the CPU */
		from += strspn(from, " ");
		for (; from <= end; from++) {
			if (*from != ' ' || from[1] != ' ')
				*to++ = *from;
		}
	}
	*to = '\0';
	assert_string_equal(out.out_buf.b_data, want);
	out.out_buf.b_len = 0;
}

static void
calls_of_threads_meet_their_returns(void **state)
{
	(void)state;
	event(READ, 1, 1, -1);
	event(POLL, 1, 2, -1);
	check("");
	event(READ + 1, 1, 1, 5);
	check("1/1 read() = 5 <0.000002>\n");
	event(POLL + 1, 1, 2, 0);
	check("1/2 poll() = 0 (Timeout) <0.000002>\n");
	event(READ + 1, 1, 1, 7); /* once more */
	check("1/1 read = 7\n");
	event(LONE, 1, 1, -1);
	check("1/1 lone()\n");
	assert_int_equal(calls_shown(tr), 6);
}

static void
what_lost_its_other_half_stands_alone(void **state)
{
	(void)state;
	event(READ, 1, 1, -1);
	event(READ, 1, 1, -1); /* the first one's return was lost */
	check("1/1 read()\n");
	event(POLL, 1, 1, -1);
	check("1/1 read()\n");
	event(READ + 1, 1, 1, 3); /* two were lost */
	check("1/1 poll()\n1/1 read = 3\n");
	event(READ, 1, 1, -1);
	event(LONE, 1, 1, -1);
	check("1/1 read()\n1/1 lone()\n");
}

static void
functions_call_each_other(void **state)
{
	(void)state;
	event(READ, 1, 1, -1);
	event(13, 1, 1, -1);
	event(15, 1, 1, -1);
	event(16, 1, 1, 2);
	event(14, 1, 1, 1);
	event(READ + 1, 1, 1, 5);
	check("1/1 vfs:g() = 2 <0.000001>\n"
	      "1/1 vfs:f() = 1 <0.000003>\n"
	      "1/1 read() = 5 <0.000005>\n");
}

static void
long_calls_are_cut_by_the_time_of_events(void **state)
{
	(void)state;
	event(POLL, 1, 1, -1);
	now += 100 * MS;
	event(READ, 1, 2, -1);
	now += 149 * MS;
	event(READ + 1, 1, 2, 5);
	check("1/2 read() = 5 <0.149001>\n");
	now += 2 * MS;
	event(READ, 1, 2, -1);
	check("1/1 poll( <unfinished ...>\n");
	event(POLL + 1, 1, 1, 1);
	check("1/1 <... poll resumed>) = 1 <0.251004>\n");
	now += 300 * MS;
	event(READ + 1, 1, 2, 5); /* its return, likewise */
	check("1/2 read( <unfinished ...>\n"
	      "1/2 <... read resumed>) = 5 <0.300002>\n");
}

static void
long_calls_are_cut_by_the_clock_a_little_later(void **state)
{
	uint64_t t;

	(void)state;
	assert_int_equal(calls_idle(tr, now), 0);
	event(POLL, 1, 1, -1);
	t = now;
	assert_int_equal(calls_idle(tr, t + 1), t + 300 * MS);
	assert_int_equal(calls_idle(tr, t + 300 * MS), t + 300 * MS);
	check("");
	assert_int_equal(calls_idle(tr, t + 300 * MS + 1), 0);
	check("1/1 poll( <unfinished ...>\n");
	assert_int_equal(calls_end(tr), 0);
	check(""); /* was printed already */
}

static void
what_goes_on_at_the_end_is_unfinished(void **state)
{
	(void)state;
	event(POLL, 1, 1, -1);
	event(READ, 1, 2, -1);
	calls_end(tr);
	check("1/1 poll( <unfinished ...>\n1/2 read( <unfinished ...>\n");
	calls_end(tr);
	check("");
}

static void
exit_and_exec_end_other_threads(void **state)
{
	(void)state;
	event(POLL, 1, 1, -1);
	event(POLL, 2, 2, -1);
	event(EXIT_GROUP, 1, 3, -1);
	check("1/3 exit_group() = ?\n1/1 poll() = ?\n");
	event(READ, 2, 5, -1);
	event(EXECVE, 2, 6, -1);
	event(EXECVE + 1, 2, 2, 0); /* as the first thread */
	check("2/2 poll() = ?\n2/5 read() = ?\n"
	      "2/6 execve() = 0 <0.000001>\n");
	event(EXECVE, 2, 2, -1);
	event(POLL, 2, 7, -1);
	event(EXECVE + 1, 2, 2, 0);
	check("2/7 poll() = ?\n2/2 execve() = 0 <0.000002>\n");
	calls_end(tr);
	check("");
}

static void
fork_returns_twice(void **state)
{
	(void)state;
	event(CLONE, 1, 1, -1);
	event(CLONE + 1, 2, 2, 0);
	event(CLONE + 1, 1, 1, 2);
	check("2/2 clone = 0\n1/1 clone() = 2 <0.000002>\n");
}

static void
apart_there_is_nothing_to_wait_for(void **state)
{
	(void)state;
	calls_close(tr);
	opts.o_print.opi_nojoin = 1;
	trace_open();
	event(POLL, 1, 1, -1);
	check("1/1 poll()\n");
	assert_int_equal(calls_idle(tr, now + 1000 * MS), 0);
	event(EXIT_GROUP, 1, 2, -1);
	check("1/2 exit_group()\n");
	event(POLL + 1, 1, 1, 4);
	check("1/1 poll = 4\n");
	calls_end(tr);
	check("");
}

/* More threads than are remembered; events of the others print alone. */
static void
memory_is_bounded(void **state)
{
	unsigned int i, n = 0;
	const char *p;

	(void)state;
	for (i = 1; i <= NTHREAD; i++)
		event(POLL, i, i, -1);
	for (i = 1; i <= NTHREAD; i++)
		event(POLL + 1, i, i, 0);
	buf_c(&out.out_buf, '\0');
	for (p = out.out_buf.b_data; (p = strstr(p, "() = 0")) != NULL; p++)
		n++;
	assert_int_equal(n, CALL_TABLE_MAX);
	for (p = out.out_buf.b_data, n = 0; (p = strchr(p, '\n')) != NULL; p++)
		n++;
	assert_int_equal(n, CALL_TABLE_MAX + 2 * (NTHREAD - CALL_TABLE_MAX));
	assert_int_equal(calls_shown(tr), 2 * NTHREAD);
	out.out_buf.b_len = 0;
}

/* Threads that were killed in a call are eventually forgotten. */
static void
those_that_were_killed_make_room(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 1; i <= CALL_TABLE_MAX; i++)
		event(POLL, i, i, -1);
	now += 300 * MS;
	event(READ, NTHREAD, NTHREAD, -1);
	out.out_buf.b_len = 0;
	event(READ + 1, NTHREAD, NTHREAD, 5);
	check("40000/40000 read() = 5 <0.000001>\n");
	event(POLL + 1, 1, 1, 5); /* the forgotten one */
	check("1/1 poll = 5\n");
	event(POLL + 1, 2, 2, 5);
	check("2/2 <... poll resumed>) = 5 <0.316386>\n");
}

/* Large records have their own limit, and keep their own sections. */
static void
copies_are_whole_and_bounded(void **state)
{
	static struct call_table pp;
	static uint64_t mem[8192];
	struct dt_rec *rec = (struct dt_rec *)mem;
	struct dt_event ev = { .ev_rec = rec,
		.ev_args = mem + 3,
		.ev_nargs = 2,
		.ev_strings = (const void *)(mem + 100) };
	struct table_call *pa, *first = NULL;
	uint32_t i;

	(void)state;
	call_table_init(&pp);
	mem[4] = 77;
	mem[100] = 0x1234;
	rec->dr_length = 65528;
	for (i = 1;; i++) {
		rec->dr_tid = i;
		pa = call_table_put(&pp, (struct call_key){ i, 0 }, &ev);
		if (pa == NULL)
			break;
		first = first != NULL ? first : pa;
	}
	assert_in_range(i, 500, 513);
	assert_ptr_equal(call_table_find(&pp, (struct call_key){ 1, 0 }),
	    first);
	assert_null(call_table_find(&pp, (struct call_key){ 1, 1 }));
	assert_int_equal(first->tc_ev.ev_rec->dr_tid, 1);
	assert_int_equal(first->tc_ev.ev_args[1], 77);
	assert_int_equal(*(const uint64_t *)first->tc_ev.ev_strings, 0x1234);
	assert_null(first->tc_ev.ev_comm);
	call_table_drop(&pp, first);
	assert_non_null(call_table_put(&pp, (struct call_key){ i, 0 }, &ev));
	call_table_free(&pp);
	assert_int_equal(pp.ctb_n, 0);
	assert_null(call_table_each(&pp, 0, NULL));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(calls_of_threads_meet_their_returns),
		T(what_lost_its_other_half_stands_alone),
		T(functions_call_each_other),
		T(long_calls_are_cut_by_the_time_of_events),
		T(long_calls_are_cut_by_the_clock_a_little_later),
		T(what_goes_on_at_the_end_is_unfinished),
		T(exit_and_exec_end_other_threads),
		T(fork_returns_twice),
		T(apart_there_is_nothing_to_wait_for),
		T(memory_is_bounded),
		T(those_that_were_killed_make_room),
		T(copies_are_whole_and_bounded),
	};

	return cmocka_run_group_tests_name("test_cli_calls", tests, NULL, NULL);
}
