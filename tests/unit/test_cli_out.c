/* SPDX-License-Identifier: ISC */
/*
 * The output formats, line by line: events, counts, profiles, ledgers.
 */
#include <errno.h>
#include <time.h>

#include "tests/unit/test_cli_print.h"

#include "cli/calls/call_resolve.h"
#include "cli/procs/procs.h"

static struct dt_probe_desc entry = {
	.pd_info = {
		.dtpi_pbn = 1, .dtpi_nargs = 3, .dtpi_prov = "syscall",
		.dtpi_flags = DTPI_CALL,
		.dtpi_func = "openat", .dtpi_name = "entry",
	},
	.pd_types = {
		{ .dtai_argtype = "int" },
		{ .dtai_argtype = "const char *" },
		{ .dtai_argtype = "umode_t" },
	},
	.pd_names = {
		{ .dtan_name = "dfd" }, { .dtan_name = "filename" }, { 0 },
	},
}, back = {
	.pd_info = {
		.dtpi_pbn = 2, .dtpi_prov = "syscall",
		.dtpi_flags = DTPI_CALL, .dtpi_func = "openat",
		.dtpi_name = "return",
	},
}, tick = {
	.pd_info = {
		.dtpi_pbn = 3, .dtpi_prov = "profile",
		.dtpi_flags = DTPI_CLOCK, .dtpi_func = "hz",
		.dtpi_name = "97",
	},
};

static struct call_texts texts;

/* Prints a call of a process without known descriptors. */
static void
print_call(struct call *cl)
{
	call_resolve_entry(&texts, cl, NULL);
	call_resolve_return(&texts, cl, 0);
	out_consumer(&out).cns_call(&out, cl);
}

/* A stack with space after its header. */
struct stack {
	struct dt_rec_stack st;
	uint64_t pcs[3];
};

static int
setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	print_open(NULL);
	buf_init(&texts.cts_buf, -1);
	name_cache_add_probe(&names, &entry);
	name_cache_add_probe(&names, &back);
	name_cache_add_probe(&names, &tick);
	name_cache_add_ksym(&names, 0xffffffff81000010, "vfs_open", 0x10);
	name_cache_add_ksym(&names, 0xffffffff81000000, "vfs_open", 0);
	columns_parse(&out.out_columns, NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	buf_free(&texts.cts_buf);
	print_close();
	return 0;
}

static void
check(const struct out_format *format, uint32_t pbn, struct dt_event *ev,
    const char *want)
{
	static struct dt_rec rec = {
		.dr_time = 5,
		.dr_pid = 12,
		.dr_tid = 13,
	};

	rec.dr_pbn = pbn;
	ev->ev_rec = &rec;
	ev->ev_cpu = 3;
	ev->ev_realtime.tv_sec = 1700000000;
	ev->ev_realtime.tv_nsec = 123456789;
	out.out_format = format;
	print_call(&(struct call){ .cal_probe = name_cache_probe(&names, pbn),
	    .cal_ev = ev });
	assert_buf(&out.out_buf, want);
}

static void
an_entry_names_its_arguments(void **state)
{
	static const uint64_t args[] = { 0xffffff9c, 0x7f00, 0644 };
	struct dt_event ev = {
		.ev_nargs = 3,
		.ev_args = args,
		.ev_comm = "a\033\"b",
	};

	(void)state;
	check(&out_text, 1, &ev,
	    "22:13:20.123456 003 a\\x1b\"b         "
	    "12/13         openat(dfd=AT_FDCWD, filename=0x7f00, arg2=0644)\n");
	check(&out_json, 1, &ev,
	    "{\"time\":1700000000123456789,"
	    "\"probe\":\"syscall:openat:entry\",\"cpu\":3,\"pid\":12,"
	    "\"tid\":13,\"comm\":\"a\\u001b\\\"b\",\"args\":{\"dfd\":-100,"
	    "\"filename\":\"0x7f00\",\"arg2\":420},"
	    "\"text\":{\"dfd\":\"AT_FDCWD\"}}\n");
}

static void
a_return_tells_failures_apart(void **state)
{
	struct dt_rec_ret ret = { .drr_retval = 3 };
	struct dt_event ev = { .ev_ret = &ret, .ev_comm = "sh" };

	(void)state;
#define HEAD "22:13:20.123456 003 sh              12/13         openat"
	check(&out_text, 2, &ev, HEAD " = 3\n");
	ret.drr_retval = -1;
	check(&out_text, 2, &ev, HEAD " = -1\n"); /* not a failure */
	ret.drr_error = 2;
	check(&out_text, 2, &ev,
	    HEAD " = -1 ENOENT (No such file or directory)\n");
	check(&out_json, 2, &ev,
	    "{\"time\":1700000000123456789,"
	    "\"probe\":\"syscall:openat:return\",\"cpu\":3,\"pid\":12,"
	    "\"tid\":13,\"comm\":\"sh\",\"retval\":-1,\"errno\":2}\n");
	ret.drr_error = 512;
	check(&out_text, 2, &ev,
	    HEAD " = -1 ERESTARTSYS (To be restarted if "
		 "SA_RESTART is set)\n");
	ret.drr_error = 3000;
	check(&out_text, 2, &ev, HEAD " = -1 errno 3000\n");
	out_set_colours(&out, 1);
	ret.drr_error = 1;
	check(&out_text, 2, &ev,
	    "22:13:20.123456 003 sh              12/13   "
	    "      \033[1mopenat\033[m = \033[31m-1 EPERM\033[m (Operation "
	    "not permitted)\n");
	out_set_colours(&out, 0);
}

/*
 * Arguments are as of the entry, the result is as of the return: in between,
 * the call creates a descriptor.
 */
static void
calls_are_joined_and_resolved(void **state)
{
	static const uint64_t args[] = { 0xffffff9c, 0x7f00, 0644 };
	struct dt_rec erec = { .dr_time = 1000, .dr_pid = 12, .dr_tid = 13 };
	struct dt_rec rec = { .dr_time = 1500001999, .dr_pid = 12 };
	struct dt_rec_ret ret = { .drr_retval = 3 };
	struct dt_event e = { .ev_rec = &erec, .ev_nargs = 3, .ev_args = args };
	struct dt_event ev = { .ev_rec = &rec, .ev_ret = &ret };
	struct call cl = { .cal_probe = name_cache_probe(&names, 2),
		.cal_ev = &ev,
		.cal_eprobe = name_cache_probe(&names, 1),
		.cal_entry = &e };
	struct procs *procs = procs_alloc();

	(void)state;
	out.out_format = &out_text;
	procs_set(procs, 12, PROCS_CWD, "/before");
	call_resolve_entry(&texts, &cl, procs);
	procs_set(procs, 12, PROCS_CWD, "/after");
	procs_set(procs, 12, 3, "/new");
	call_resolve_return(&texts, &cl, 0);
	out_consumer(&out).cns_call(&out, &cl);
	assert_buf(&out.out_buf,
	    "00:00:00.000000 000                 12/13         "
	    "openat(dfd=AT_FDCWD</before>, filename=0x7f00, arg2=0644) = "
	    "3</new> <1.500000>\n");
	procs_free(procs);
}

/* A record's strings. */
struct strings {
	struct dt_rec_strings sz;
	uint64_t room[64];
};

static void
put_string(struct strings *ss, unsigned int argn, unsigned int flags,
    unsigned int error, const char *text, unsigned int truelen)
{
	struct dt_rec_string s = { .drt_argn = argn,
		.drt_flags = flags,
		.drt_error = error,
		.drt_length = strlen(text),
		.drt_truelen = truelen };
	char *p = (char *)ss->room + ss->sz.drz_nbytes;

	memcpy(p, &s, sizeof(s));
	memcpy(p + sizeof(s), text, strlen(text));
	ss->sz.drz_count++;
	ss->sz.drz_nbytes += sizeof(s) + ((strlen(text) + 7) & ~7UL);
}

static void
strings_are_in_json_as_they_are(void **state)
{
	static const uint64_t args[] = { 0xffffff9c, 0x7f00, 0644 };
	struct strings ss = { 0 };
	struct dt_event ev = {
		.ev_nargs = 3,
		.ev_args = args,
		.ev_strings = &ss.sz,
	};
	char *text;

	(void)state;
	put_string(&ss, 0, DT_STR_VECTOR, 0, "ls", 2);
	put_string(&ss, 0, DT_STR_VECTOR, 0, "a\033\"\xff", 4);
	put_string(&ss, 0, DT_STR_VECTOR, EFAULT, "", 0);
	put_string(&ss, 0, DT_STR_MORE | DT_STR_VECTOR, 0, "", 12);
	put_string(&ss, 1, 0, 0, "/etc", 5000);
	put_string(&ss, 2, DT_STR_DATA, 0, "x\n", 2);
	put_string(&ss, 2, DT_STR_MEMORY, 0, "12345678", 8);
	put_string(&ss, 200, 0, 0, "none", 4);
	out.out_format = &out_json;
	ev.ev_rec = &(struct dt_rec){ .dr_pbn = 1 };
	print_call(&(struct call){ .cal_probe = name_cache_probe(&names, 1),
	    .cal_ev = &ev });
	buf_c(&out.out_buf, '\0');
	text = strstr(out.out_buf.b_data, "\"strings\"");
	assert_non_null(text);
	assert_string_equal(text,
	    "\"strings\":{\"dfd\":[\"ls\",\"a\\u001b\\\"\\u00ff\",null],"
	    "\"filename\":\"/etc\"},\"data\":{\"arg2\":\"x\\u000a\"},"
	    "\"cut\":{\"filename\":5000}}\n");
	out.out_buf.b_len = 0;
}

static void
stacks_have_names_and_ends(void **state)
{
	struct stack k = {
		.st = { .drs_count = 2 },
		.pcs = { 0xffffffff81000010, 0xffffffff82000000 },
	}, u = {
		.st = { .drs_count = 1, .drs_end = DT_STACK_LIMIT },
		.pcs = { 0x5500 },
	};
	struct dt_event ev = {
		.ev_comm = "sh",
		.ev_kstack = &k.st,
		.ev_ustack = &u.st,
	};

	(void)state;
	check(&out_text, 3, &ev,
	    "22:13:20.123456 003 sh              12/13   "
	    "      profile:hz:97\n"
	    "        vfs_open+0x10\n        0xffffffff82000000\n"
	    "        [12: unknown process]\n"
	    "        [incomplete: limit of 1 frames]\n");
	check(&out_json, 3, &ev,
	    "{\"time\":1700000000123456789,"
	    "\"probe\":\"profile:hz:97\",\"cpu\":3,\"pid\":12,\"tid\":13,"
	    "\"comm\":\"sh\",\"kstack\":[\"vfs_open\","
	    "\"0xffffffff82000000\"],\"ustack\":[\"0x5500\"],"
	    "\"uframes\":[{\"pc\":\"0x5500\","
	    "\"name\":\"[12: unknown process]\"}],"
	    "\"ustack_end\":\"limit\",\"complete\":false,"
	    "\"incomplete\":\"limit of 1 frames\"}\n");
}

static void
counts_are_a_table(void **state)
{
	struct keys *by = keys_alloc(NULL, NULL, &names, NULL, 0);
	struct dt_rec rec = { .dr_pbn = 1, .dr_pid = 12 };
	struct dt_event ev = {
		.ev_rec = &rec,
		.ev_comm = (const char[DT_REC_COMMLEN]){ "sh" },
	};
	uint64_t key[KEY_KEYLEN / 8];
	struct out_count counts[] = { { .oc_key = key, .oc_count = 300 } };
	struct out_counts ot = {
		.ot_by = by,
		.ot_counts = counts,
		.ot_n = 1,
		.ot_nsecs = 2000000000,
		.ot_end = { .tv_sec = 1700000000 },
	};

	(void)state;
	key_make(by, &(struct key_call){ .kc_ev = &ev }, key);
	out.out_format = &out_text;
	out_counts(&out, &ot);
	assert_buf(&out.out_buf,
	    "       COUNT       RATE/s     PID  COMM             PROBE\n"
	    "         300        150.0      12  sh               "
	    "syscall:openat:entry\n");
	out.out_format = &out_json;
	out_counts(&out, &ot);
	assert_buf(&out.out_buf,
	    "{\"probe\":\"syscall:openat:entry\","
	    "\"pid\":12,\"comm\":\"sh\",\"count\":300}\n");
	ot.ot_isinterval = 1;
	out_counts(&out, &ot);
	assert_buf(&out.out_buf,
	    "{\"time\":1700000000000000000,"
	    "\"interval\":2000000000,\"probe\":\"syscall:openat:entry\","
	    "\"pid\":12,\"comm\":\"sh\",\"count\":300}\n");
	ot.ot_n = 0;
	out.out_format = &out_text;
	out_counts(&out, &ot);
	assert_buf(&out.out_buf, "22:13:20.000000  2.000 s, 0 events\n");
	keys_free(by);
}

static void
probes_are_listed(void **state)
{
	(void)state;
	out.out_format = &out_text;
	out_probe(&out, name_cache_probe(&names, 1));
	assert_buf(&out.out_buf, "syscall:openat:entry\n");
	opts.o_print.opi_verbose = 1;
	out_probe(&out, name_cache_probe(&names, 1));
	assert_buf(&out.out_buf,
	    "syscall:openat:entry (int dfd, "
	    "const char *filename, umode_t arg2)\n");
	out_probe(&out, name_cache_probe(&names, 2));
	assert_buf(&out.out_buf, "syscall:openat:return\n");
	opts.o_print.opi_verbose = 0;
	out.out_format = &out_json;
	out_probe(&out, name_cache_probe(&names, 1));
	assert_buf(&out.out_buf,
	    "{\"probe\":\"syscall:openat:entry\","
	    "\"pbn\":1,\"args\":[{\"name\":\"dfd\",\"type\":\"int\"},"
	    "{\"name\":\"filename\",\"type\":\"const char *\"},"
	    "{\"name\":\"arg2\",\"type\":\"umode_t\"}]}\n");
}

static void
the_ledger_is_the_last_line(void **state)
{
	struct ledger_run lr = { 0 };
	struct dt_ledger dl = {
		.dl_fired = 1,
		.dl_read = 2,
		.dl_dropped = 3,
		.dl_recursed = 4,
		.dl_missed = 5,
		.dl_excluded = 6,
		.dl_skiptick = 7,
		.dl_idle = 2,
	};

	(void)state;
	out.out_format = &out_json;
	lr.lr_late = 8;
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":5,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8}}\n");
	opts.o_select.ose_path = "/etc";
	lr.lr_filtered = 9;
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":5,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8,\"filtered\":9,"
	    "\"path_unknown\":0}}\n");
	opts.o_select.ose_path = NULL;
	dl.dl_flags = DT_LEDGER_MISSED_UNKNOWN;
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":null,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8}}\n");
	dl.dl_flags = DT_LEDGER_STOPPED;
	lr.lr_ncpu = 2;
	lr.lr_cost = 18000;
	lr.lr_note = "so \"much\"";
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":5,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8},\"cost\":18000,"
	    "\"stopped\":\"so \\\"much\\\"\"}\n");
	dl.dl_flags = DT_LEDGER_ENDED;
	lr.lr_ncpu = 0;
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":5,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8},\"ended\":true}\n");
	dl.dl_flags = DT_LEDGER_NOTABLES;
	out_ledger(&out, &dl, &lr);
	assert_buf(&out.out_buf,
	    "{\"ledger\":{\"fired\":1,\"read\":2,"
	    "\"dropped\":3,\"recursed\":4,\"missed\":5,\"excluded\":6,"
	    "\"skipped\":7,\"late\":8},\"no_tables\":true}\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_names_its_arguments),
		cmocka_unit_test(a_return_tells_failures_apart),
		cmocka_unit_test(calls_are_joined_and_resolved),
		cmocka_unit_test(strings_are_in_json_as_they_are),
		cmocka_unit_test(stacks_have_names_and_ends),
		cmocka_unit_test(counts_are_a_table),
		cmocka_unit_test(probes_are_listed),
		cmocka_unit_test(the_ledger_is_the_last_line),
	};

	return cmocka_run_group_tests_name("test_cli_out", tests, setup,
	    teardown);
}
