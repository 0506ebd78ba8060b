/* SPDX-License-Identifier: ISC */
/*
 * Counting by keys: the events of a row, sums, the order and the reading of
 * rows, and the limit of rows.
 */
#include "tests/unit/test_cli_print.h"

#include "cli/stat/count.h"
#include "cli/stat/key_kernel.h"

enum {
	OPEN_ENTRY = 1,
	OPEN_RETURN,
	READ_ENTRY,
	READ_RETURN,
	TICK
};

#define PROBE(pbn, nargs, prov, func, name, flags) \
	{ \
		.dtpi_pbn = (pbn), .dtpi_nargs = (nargs), .dtpi_prov = (prov), \
		.dtpi_func = (func), .dtpi_name = (name), \
		.dtpi_flags = (flags) \
	}

static const struct dt_probe_desc probes[] = {
	{ .pd_info = PROBE(OPEN_ENTRY, 3, "syscall", "openat", "entry",
	      DTPI_CALL),
	    .pd_types = { { .dtai_argtype = "int" },
		{ .dtai_argtype = "const char *" },
		{ .dtai_argtype = "umode_t" } },
	    .pd_names = { { .dtan_name = "dfd" }, { .dtan_name = "filename" },
		{ .dtan_name = "mode" } } },
	{ .pd_info = PROBE(OPEN_RETURN, 0, "syscall", "openat", "return",
	      DTPI_CALL) },
	{ .pd_info = PROBE(READ_ENTRY, 2, "syscall", "read", "entry",
	      DTPI_CALL),
	    .pd_types = { { .dtai_argtype = "unsigned int" },
		{ .dtai_argtype = "size_t" } },
	    .pd_names = { { .dtan_name = "fd" }, { .dtan_name = "count" } } },
	{ .pd_info = PROBE(READ_RETURN, 0, "syscall", "read", "return",
	      DTPI_CALL) },
	{ .pd_info = PROBE(TICK, 0, "profile", "hz", "97", DTPI_CLOCK) },
};

static struct count *tally;

static int
setup(void **state)
{
	size_t i;

	(void)state;
	print_open(&out_json);
	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		name_cache_add_probe(&names, &probes[i]);
	cgroups_add(&names.nm_cgroups, 77, "/system.slice/a.service");
	tally = calloc(1, sizeof(*tally));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	count_free(tally);
	free(tally);
	print_close();
	return 0;
}

static void
begin_with(const struct count_opts *co)
{
	char why[256];

	count_init(tally,
	    keys_alloc(co->cno_by, co->cno_sum, &names, why, sizeof(why)), co);
	assert_non_null(tally->cnt_by);
}

static void
begin(const char *keys, const char *sum, uint64_t maxkeys)
{
	begin_with(&(struct count_opts){ .cno_by = keys,
	    .cno_sum = sum,
	    .cno_maxkeys = maxkeys });
}

/* An event with its record, because tables of calls copy that. */
static struct {
	struct dt_rec rec;
	uint64_t args[3];
	struct dt_rec_ret ret;
	char comm[DT_REC_COMMLEN];
	struct dt_rec_who who;
	struct dt_rec_strings strings;
	struct dt_rec_string string;
	char bytes[32];
} r;
static struct dt_event ev;

static void
event(uint32_t pbn, uint32_t tid)
{
	memset(&r, 0, sizeof(r));
	memset(&ev, 0, sizeof(ev));
	r.rec.dr_length = sizeof(r);
	r.rec.dr_pbn = pbn;
	r.rec.dr_pid = 10;
	r.rec.dr_tid = tid;
	ev.ev_rec = &r.rec;
}

static void
enter(uint32_t pbn, uint32_t tid, uint64_t arg0, uint64_t arg1)
{
	event(pbn, tid);
	r.args[0] = arg0;
	r.args[1] = arg1;
	ev.ev_args = r.args;
	ev.ev_nargs = pbn == OPEN_ENTRY ? 3 : 2;
}

static void
leave(uint32_t pbn, uint32_t tid, int64_t retval, unsigned int error)
{
	event(pbn, tid);
	r.ret.drr_retval = retval;
	r.ret.drr_error = error;
	ev.ev_ret = &r.ret;
}

static void
with_string(unsigned int argn, const char *s, unsigned int flags, int error)
{
	r.string.drt_argn = argn;
	r.string.drt_flags = flags;
	r.string.drt_error = error;
	r.string.drt_length = r.string.drt_truelen = error ? 0 : strlen(s);
	memcpy(r.bytes, s, strlen(s));
	r.strings.drz_count = 1;
	r.strings.drz_nbytes = sizeof(r.string) +
	    ((r.string.drt_length + 7U) & ~7U);
	ev.ev_strings = &r.strings;
}

static void
count(void)
{
	count_event(tally, &ev);
}

static void
print_counts(void)
{
	struct out_counts ot;

	count_result(tally, &ot, 1000000000, 0);
	out_counts(&out, &ot);
	count_next(tally, &ot);
}

static void
printed(const char *want)
{
	count_end(tally);
	print_counts();
	assert_buf(&out.out_buf, want);
}

static void
rows_are_sorted_and_ties_are_stable(void **state)
{
	unsigned int i;

	(void)state;
	begin("tid,cpu", NULL, 0);
	for (i = 0; i < 6; i++) {
		event(TICK, 30 - i % 3);
		ev.ev_cpu = i;
		count();
	}
	event(TICK, 30);
	ev.ev_cpu = 3;
	count();
	printed("{\"tid\":30,\"cpu\":3,\"count\":2}\n"
		"{\"tid\":28,\"cpu\":2,\"count\":1}\n"
		"{\"tid\":28,\"cpu\":5,\"count\":1}\n"
		"{\"tid\":29,\"cpu\":1,\"count\":1}\n"
		"{\"tid\":29,\"cpu\":4,\"count\":1}\n"
		"{\"tid\":30,\"cpu\":0,\"count\":1}\n");
	printed("");
}

static void
what_lacks_is_a_row_of_its_own(void **state)
{
	(void)state;
	begin("uid,ppid,comm,errno,fd", NULL, 0);
	event(TICK, 1);
	count();
	print_counts();
	assert_buf(&out.out_buf,
	    "{\"uid\":null,\"ppid\":null,\"comm\":null,\"errno\":null,"
	    "\"args\":{\"fd\":null},\"count\":1}\n");
	count();
	out.out_format = &out_text;
	printed("       COUNT       RATE/s  UID         PPID  COMM             "
		"ERRNO     FD\n"
		"           1          1.0  -              -  -                "
		"-         -\n");
}

static void
owners_have_names(void **state)
{
	(void)state;
	begin("uid,ppid,cgroup", NULL, 0);
	event(TICK, 1);
	r.who = (struct dt_rec_who){ 77, 1234, 5 };
	ev.ev_who = &r.who;
	count();
	count();
	r.who.drw_cgroup = 78;
	count();
	printed("{\"uid\":1234,\"ppid\":5,"
		"\"cgroup\":\"/system.slice/a.service\","
		"\"cgroup_name\":\"a.service\",\"cgroup_id\":77,\"count\":2}\n"
		"{\"uid\":1234,\"ppid\":5,\"cgroup\":null,\"cgroup_id\":78,"
		"\"count\":1}\n");
	count_free(tally);
	begin("cgroup", NULL, 0);
	count();
	out.out_format = &out_text;
	printed("       COUNT       RATE/s  CGROUP\n"
		"           1          1.0  78\n");
}

/* The bits above a value's type are ignored. */
static void
arguments_count_as_their_type_has_them(void **state)
{
	(void)state;
	begin("fd", "count", 0);
	enter(READ_ENTRY, 1, 3, 100);
	count();
	enter(READ_ENTRY, 1, UINT64_C(0xdeadbeef00000003), 50);
	count();
	enter(READ_ENTRY, 1, UINT64_C(0xffffffff), 7);
	count();
	printed("{\"args\":{\"fd\":3},\"count\":2,\"sum\":150}\n"
		"{\"args\":{\"fd\":-1},\"count\":1,\"sum\":7}\n");
}

static void
sums_sort_and_do_not_wrap(void **state)
{
	(void)state;
	begin("tid", "count", 0);
	enter(READ_ENTRY, 1, 3, 100);
	count();
	enter(READ_ENTRY, 2, 3, UINT64_MAX);
	count();
	count();
	enter(READ_ENTRY, 3, 3, 1);
	count();
	count();
	count();
	printed("{\"tid\":2,\"count\":2,\"sum\":9223372036854775807}\n"
		"{\"tid\":1,\"count\":1,\"sum\":100}\n"
		"{\"tid\":3,\"count\":3,\"sum\":3}\n");
}

static void
failed_calls_return_nothing_to_add(void **state)
{
	(void)state;
	begin("errno", "retval", 0);
	leave(READ_RETURN, 1, 10, 0);
	count();
	count();
	leave(READ_RETURN, 1, -1, 2);
	count();
	printed("{\"errno\":0,\"count\":2,\"sum\":20}\n"
		"{\"errno\":2,\"text\":{\"errno\":\"ENOENT\"},\"count\":1,"
		"\"sum\":0}\n");
}

static void
an_argument_may_have_the_name_of_a_key(void **state)
{
	(void)state;
	begin("args.count", "args.fd", 0);
	enter(READ_ENTRY, 1, 3, 100);
	count();
	printed("{\"args\":{\"count\":100},\"count\":1,\"sum\":3}\n");
}

static void
both_sides_of_a_call_are_one(void **state)
{
	(void)state;
	begin("fd,errno", "retval", 0);
	assert_true(keys_wants_calls(tally->cnt_by));
	enter(READ_ENTRY, 1, 3, 0);
	count();
	enter(READ_ENTRY, 2, 4, 0);
	count();
	leave(READ_RETURN, 1, 10, 0);
	count();
	leave(READ_RETURN, 2, -1, 9);
	count();
	leave(READ_RETURN, 3, 50, 0); /* its entry was before */
	count();
	enter(READ_ENTRY, 4, 6, 0); /* its return was lost */
	count();
	enter(OPEN_ENTRY, 4, 0, 0);
	count();
	leave(READ_RETURN, 4, 5, 0); /* of another call */
	count();
	enter(READ_ENTRY, 5, 7, 0); /* does not return */
	count();
	event(TICK, 1);
	count();
	printed(
	    "{\"errno\":0,\"args\":{\"fd\":null},\"count\":2,\"sum\":55}\n"
	    "{\"errno\":0,\"args\":{\"fd\":3},\"count\":1,\"sum\":10}\n"
	    "{\"errno\":null,\"args\":{\"fd\":null},\"count\":2,\"sum\":0}\n"
	    "{\"errno\":9,\"args\":{\"fd\":4},"
	    "\"text\":{\"errno\":\"EBADF\"},\"count\":1,\"sum\":0}\n"
	    "{\"errno\":null,\"args\":{\"fd\":6},\"count\":1,\"sum\":0}\n"
	    "{\"errno\":null,\"args\":{\"fd\":7},\"count\":1,\"sum\":0}\n");
}

/* A call in progress belongs to the interval in which it returns. */
static void
calls_go_on_over_intervals(void **state)
{
	(void)state;
	begin("fd,errno", NULL, 0);
	enter(READ_ENTRY, 1, 3, 0);
	count();
	print_counts();
	assert_int_equal(out.out_buf.b_len, 0);
	leave(READ_RETURN, 1, 10, 0);
	count();
	printed("{\"errno\":0,\"args\":{\"fd\":3},\"count\":1}\n");
}

static void
a_path_is_its_string(void **state)
{
	(void)state;
	begin("path", NULL, 0);
	enter(OPEN_ENTRY, 1, 0, 0x7000);
	with_string(1, "/a\033", 0, 0);
	count();
	with_string(1, "", 0, 0);
	count();
	with_string(1, "", 0, 14);
	count();
	with_string(1, "bytes", DT_STR_DATA, 0);
	count();
	out.out_format = &out_text;
	printed("       COUNT       RATE/s  PATH\n"
		"           2          2.0  -\n"
		"           1          1.0  \"\"\n"
		"           1          1.0  /a\\x1b\n");
}

/* No record has such a string, but a file may. */
static void
a_string_beyond_all_limits_is_cut(void **state)
{
	static struct {
		struct dt_rec_strings strings;
		struct dt_rec_string s[8];
		char bytes[60000];
	} big;
	char want[DT_REC_MAXPATH + 64];

	(void)state;
	memset(big.bytes, 'x', sizeof(big.bytes));
	big.s[0].drt_argn = 1;
	big.s[0].drt_length = 60000;
	big.strings.drz_count = 1;
	big.strings.drz_nbytes = sizeof(big.s) + sizeof(big.bytes);
	begin("path", NULL, 0);
	enter(OPEN_ENTRY, 1, 0, 0x7000);
	ev.ev_strings = &big.strings;
	memset(&big.s[1], 'x', sizeof(big.s) - sizeof(big.s[0]));
	count();
	strcpy(want, "{\"path\":\"");
	memset(want + 9, 'x', DT_REC_MAXPATH);
	strcpy(want + 9 + DT_REC_MAXPATH, "...\",\"count\":1}\n");
	printed(want);
}

static void
an_argument_that_is_a_path_is_its_string(void **state)
{
	(void)state;
	begin("filename,errno", NULL, 0);
	key_learn(tally->cnt_by, name_cache_probe(&names, OPEN_ENTRY));
	assert_int_equal(keys_evtflags(tally->cnt_by),
	    DTEVT_FUNCARGS | DTEVT_STRINGS);
	enter(OPEN_ENTRY, 1, 0, 0x7000);
	with_string(1, "/a", 0, 0);
	count();
	leave(OPEN_RETURN, 1, -1, 2);
	count();
	enter(OPEN_ENTRY, 1, 0, 0x7000);
	with_string(1, "", 0, 14);
	count();
	leave(OPEN_RETURN, 1, 3, 0);
	with_string(1, "/b", DT_STR_RETURN, 0);
	count();
	printed("{\"errno\":2,\"args\":{\"filename\":\"/a\"},"
		"\"text\":{\"errno\":\"ENOENT\"},\"count\":1}\n"
		"{\"errno\":0,\"args\":{\"filename\":\"/b\"},\"count\":1}\n");
}

static void
keys_without_room_are_one_row(void **state)
{
	unsigned int i;

	(void)state;
	begin("tid", "count", 2);
	for (i = 0; i < 9; i++) {
		enter(READ_ENTRY, i % 3, 0, i % 3 + 1);
		count();
	}
	printed("{\"tid\":1,\"count\":3,\"sum\":6}\n"
		"{\"tid\":0,\"count\":3,\"sum\":3}\n"
		"{\"tid\":null,\"count\":3,\"sum\":9,\"other\":true}\n");
	/* the next interval starts from zero */
	count();
	printed("{\"tid\":2,\"count\":1,\"sum\":3}\n");
	count_free(tally);
	begin("tid", NULL, 1);
	for (i = 0; i < 5; i++) {
		event(TICK, i);
		count();
	}
	out.out_format = &out_text;
	printed("       COUNT       RATE/s     TID\n"
		"           1          1.0       0\n"
		"           4          4.0  all others: the table is full (1 "
		"rows)\n");
}

static void
columns_of_values(void **state)
{
	struct count_opts co = { .cno_by = "fd", .cno_sum = "count" };
	unsigned int i;

	(void)state;
	co.cno_avg = co.cno_min = co.cno_max = 1;
	begin_with(&co);
	for (i = 1; i <= 4; i++) {
		enter(READ_ENTRY, 1, 3, i * i);
		count();
	}
	leave(READ_RETURN, 1, 0, 0); /* has no argument */
	count();
	printed("{\"args\":{\"fd\":3},\"count\":4,\"sum\":30,"
		"\"avg\":8,\"min\":1,\"max\":16}\n"
		"{\"args\":{\"fd\":null},\"count\":1,\"sum\":0,"
		"\"avg\":null,\"min\":null,\"max\":null}\n");
	count_free(tally);
	co.cno_avg = co.cno_min = 0;
	co.cno_quantiles = 1;
	begin_with(&co);
	for (i = 1; i <= 100; i++) {
		enter(READ_ENTRY, 1, 3, 5);
		count();
	}
	leave(READ_RETURN, 1, 0, 0);
	count();
	out.out_format = &out_text;
	printed("   COUNT       SUM     SUM/s       P50       P90       P99"
		"       MAX  FD\n"
		"     100      500B      500B        5B        5B        5B"
		"        5B  3\n"
		"       1        0B        0B         -         -         -"
		"         -  -\n");
}

/* Translates the key of the current event's probe, or returns the reason. */
static const char *
translate(struct key_kernel *kk, int wantsprobe)
{
	static char why[256];

	kk->kyk_pbn = r.rec.dr_pbn;
	if (key_kernel_wants_probe(tally->cnt_by) ||
	    keys_sumname(tally->cnt_by) != NULL)
		key_learn(tally->cnt_by, name_cache_probe(&names, kk->kyk_pbn));
	return key_kernel_agg(tally->cnt_by, wantsprobe, kk, why,
		   sizeof(why)) == 0
	    ? NULL
	    : why;
}

/* Rows of two CPUs and an event become one row. */
static void
rows_of_the_kernel_are_events(void **state)
{
	struct hist_part hp = { 3, -1, -4, 9 };
	struct dtioc_aggrow row = { .dtrw_words = { READ_RETURN, 7, 9, -1 } };
	struct key_kernel kk = { 0 };
	struct key_row kr;

	(void)state;
	begin("probe,tid,retval", "retval", 0);
	leave(READ_RETURN, 7, -1, 9);
	count();
	assert_null(translate(&kk, 1));
	assert_int_equal(kk.kyk_agg.dtag_nkeys, 4);
	assert_int_equal(kk.kyk_agg.dtag_keys[2].op_kind, DT_OPD_ERRNO);
	assert_int_equal(kk.kyk_agg.dtag_value.op_kind, DT_OPD_RETVAL);
	assert_int_equal(kk.kyk_agg.dtag_flags, DTAG_OKONLY);
	key_kernel_row(&kk, &row, &kr);
	count_hits(tally, &kr.kyr_ev, 4, NULL);
	row.dtrw_words[2] = 0;
	row.dtrw_words[3] = 12;
	key_kernel_row(&kk, &row, &kr);
	count_hits(tally, &kr.kyr_ev, 3, &hp);
	count_full(tally, 17);
	printed("{\"probe\":\"syscall:read:return\",\"tid\":7,"
		"\"retval\":-1,\"count\":5,\"sum\":0}\n"
		"{\"probe\":\"syscall:read:return\",\"tid\":7,"
		"\"retval\":12,\"count\":3,\"sum\":-1}\n"
		"{\"probe\":null,\"tid\":null,\"retval\":null,\"count\":17,"
		"\"sum\":0,\"other\":true,\"full\":true}\n");
}

static void
keys_that_the_kernel_has(void **state)
{
	static const struct {
		const char *by, *sum, *why;
		uint32_t pbn;
		int wantsprobe, isrecord;
	} keys[] = {
		{ NULL, NULL, NULL, READ_ENTRY, 1, 0 },
		{ "comm,pid,tid,cpu", NULL, NULL, READ_ENTRY, 0, 0 },
		{ "comm,pid,tid,cpu", NULL, "the kernel counts by fewer keys",
		    READ_ENTRY, 1, 0 },
		{ "path", NULL, NULL, OPEN_ENTRY, 1, 1 },
		{ "filename,comm,pid,tid", NULL, NULL, OPEN_ENTRY, 0, 1 },
		{ "filename", NULL, NULL, READ_ENTRY, 1, 0 },
		{ "kstack,ustack,ppid", NULL, NULL, READ_ENTRY, 0, 1 },
		{ "fd", "retval",
		    "calls are joined from their entry and return", READ_ENTRY,
		    1, 0 },
		{ "from.pid", NULL, NULL, READ_ENTRY, 1, 1 },
		{ "fd", "count", NULL, READ_ENTRY, 1, 0 },
	};
	struct key_kernel kk;
	const char *why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		count_free(tally);
		begin(keys[i].by, keys[i].sum, 0);
		event(keys[i].pbn, 1);
		memset(&kk, 0, sizeof(kk));
		why = translate(&kk, keys[i].wantsprobe);
		assert_int_equal(kk.kyk_isrecord, keys[i].isrecord);
		if (keys[i].why == NULL)
			assert_null(why);
		else {
			assert_non_null(why);
			assert_string_equal(why, keys[i].why);
		}
	}
	assert_int_equal(kk.kyk_agg.dtag_keys[1].op_kind, DT_OPD_ARG);
	assert_int_equal(kk.kyk_agg.dtag_keys[1].op_size, 4);
	assert_int_equal(kk.kyk_agg.dtag_keys[1].op_issigned, 1);
	assert_int_equal(kk.kyk_agg.dtag_value.op_size, 8);
	assert_true(kk.kyk_isunsigned);
}

static void
top_cuts_the_table(void **state)
{
	unsigned int i;

	(void)state;
	begin("tid", NULL, 0);
	for (i = 0; i < 5; i++) {
		event(TICK, i);
		count();
	}
	out.out_format = &out_text;
	opts.o_print.opi_top = 2;
	printed("       COUNT       RATE/s     TID\n"
		"           1          1.0       0\n"
		"           1          1.0       1\n"
		"         and 3 more rows (--top N prints N rows, -j all)\n");
}

static void
default_keys_ask_for_the_name_only(void **state)
{
	(void)state;
	begin(NULL, NULL, 0);
	assert_int_equal(keys_evtflags(tally->cnt_by), DTEVT_EXECNAME);
	event(TICK, 1);
	count();
	ev.ev_comm = r.comm;
	memcpy(r.comm, "sh", 2);
	count();
	printed("{\"probe\":\"profile:hz:97\",\"pid\":10,\"comm\":\"\","
		"\"count\":1}\n"
		"{\"probe\":\"profile:hz:97\",\"pid\":10,\"comm\":\"sh\","
		"\"count\":1}\n");
}

static void
wrong_keys_are_told(void **state)
{
	static const struct {
		const char *keys, *sum, *why;
	} bad[] = {
		{ "", NULL, "should be names" },
		{ "pid,", NULL, "should be names" },
		{ ",pid", NULL, "should be names" },
		{ "pid,tid,pid", NULL, "pid is given twice" },
		{ "a,b,c,d,e,f,g,h,i", NULL, "8 keys at most" },
		{ "pid", "", "should be retval, duration, or" },
		{ "pid", "a,b", "should be retval, duration, or" },
	};
	char why[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(keys_alloc(bad[i].keys, bad[i].sum, &names, why,
		    sizeof(why)));
		assert_non_null(strstr(why, bad[i].why));
	}
	begin("fdd", NULL, 0);
	key_learn(tally->cnt_by, name_cache_probe(&names, READ_ENTRY));
	assert_int_equal(key_check(tally->cnt_by, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "did you mean fd?"));
	assert_non_null(strstr(why, "Keys are probe, pid, "));
	assert_non_null(strstr(why, "arguments are fd and count"));
	count_free(tally);
	begin("pid", "pid", 0); /* a key cannot be summed */
	key_learn(tally->cnt_by, name_cache_probe(&names, READ_ENTRY));
	assert_int_equal(key_check(tally->cnt_by, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "--sum pid"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_sorted_and_ties_are_stable),
		TEST(what_lacks_is_a_row_of_its_own),
		TEST(owners_have_names),
		TEST(arguments_count_as_their_type_has_them),
		TEST(sums_sort_and_do_not_wrap),
		TEST(failed_calls_return_nothing_to_add),
		TEST(an_argument_may_have_the_name_of_a_key),
		TEST(both_sides_of_a_call_are_one),
		TEST(calls_go_on_over_intervals),
		TEST(a_path_is_its_string),
		TEST(a_string_beyond_all_limits_is_cut),
		TEST(an_argument_that_is_a_path_is_its_string),
		TEST(keys_without_room_are_one_row),
		TEST(columns_of_values),
		TEST(rows_of_the_kernel_are_events),
		TEST(keys_that_the_kernel_has),
		TEST(top_cuts_the_table),
		TEST(default_keys_ask_for_the_name_only),
		TEST(wrong_keys_are_told),
	};

	return cmocka_run_group_tests_name("test_cli_count", tests, NULL, NULL);
}
