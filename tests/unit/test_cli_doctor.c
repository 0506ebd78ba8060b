/* SPDX-License-Identifier: ISC */
/*
 * dt doctor: its advice for machines of other kinds, and its use of the
 * daemon's messages.
 */
#include "tests/unit/test_cli.h"

#include <errno.h>
#include <linux/capability.h>

#include "cli/doctor/doctor.h"
#include "cli/out/out.h"

#define CAPS(a, b) (UINT64_C(1) << (a) | UINT64_C(1) << (b))

/* A machine without a problem. */
static const struct facts well = {
	.fa_caps = ~UINT64_C(0),
	.fa_btf = 1,
	.fa_paranoid = 2,
};

static void
assert_advice(const struct facts *fa, int error, int isopen, const char *word)
{
	const char *text = doctor_advice(fa, error, isopen);

	if (strstr(text, word) == NULL)
		fail_msg("not about '%s': %s", word, text);
}

static void
a_refusal_of_bpf_has_many_reasons(void **state)
{
	struct facts fa = well;

	(void)state;
	assert_advice(&fa, EPERM, 1, "security module");
	fa.fa_seccomp = 1;
	assert_advice(&fa, EPERM, 1, "seccomp");
	fa.fa_lockdown = LOCKDOWN_INTEGRITY;
	assert_advice(&fa, EPERM, 1, "seccomp");
	fa.fa_lockdown = LOCKDOWN_CONFIDENTIALITY;
	assert_advice(&fa, EPERM, 1, "lockdown=confidentiality");
	fa.fa_caps = CAPS(CAP_BPF, CAP_SYSLOG);
	assert_advice(&fa, EPERM, 1, "--cap-add PERFMON");
	fa.fa_uid = 1000;
	assert_advice(&fa, EPERM, 1, "as root");
	fa.fa_userns = 1;
	assert_advice(&fa, EPERM, 1, "user namespace");
	fa.fa_service = SERVICE_THERE;
	assert_advice(&fa, EPERM, 1,
	    "request the right from the administrator");
}

static void
capabilities_are_enough_in_two_ways(void **state)
{
	struct facts fa = well;

	(void)state;
	fa.fa_uid = 1000;
	fa.fa_caps = CAPS(CAP_BPF, CAP_PERFMON);
	assert_advice(&fa, EPERM, 1, "security module");
	fa.fa_caps = UINT64_C(1) << CAP_SYS_ADMIN;
	assert_advice(&fa, EPERM, 1, "security module");
	fa.fa_caps = UINT64_C(1) << CAP_BPF;
	assert_advice(&fa, EPERM, 1, "as root");
	fa.fa_caps = UINT64_C(1) << CAP_PERFMON;
	assert_advice(&fa, EPERM, 1, "as root");
}

static void
a_clock_that_is_refused(void **state)
{
	struct facts fa = well;

	(void)state;
	fa.fa_caps = CAPS(CAP_BPF, CAP_PERFMON);
	assert_advice(&fa, EACCES, 1, "security module");
	fa.fa_paranoid = 3;
	assert_advice(&fa, EACCES, 1, "perf_event_paranoid=2");
	fa.fa_service = SERVICE_THERE;
	assert_advice(&fa, EACCES, 1, "monitor process");
	fa.fa_service = SERVICE_NONE;
	fa.fa_caps = well.fa_caps;
	assert_advice(&fa, EACCES, 1, "security module");
}

static void
a_kernel_that_has_not_what_it_takes(void **state)
{
	struct facts fa = well;

	(void)state;
	assert_advice(&fa, EINVAL, 1, "dtd -vv");
	fa.fa_btf = 0;
	assert_advice(&fa, ESRCH, 1, "CONFIG_DEBUG_INFO_BTF");
	fa.fa_old = 1;
	assert_advice(&fa, EINVAL, 1, "6.1");
	assert_advice(&well, EMFILE, 1, "ulimit");
	assert_advice(&well, ETIMEDOUT, 1, "hangs");
	assert_advice(&well, ECANCELED, 1, "cost-limit");
}

static void
a_device_that_does_not_open(void **state)
{
	struct facts fa = well;

	(void)state;
	assert_advice(&fa, ENOENT, 0, "install dtd");
	assert_advice(&fa, ECHILD, 0, "dtd --version");
	fa.fa_dtdenv = 1;
	assert_advice(&fa, ENOENT, 0, "$DT_DTD");
	assert_advice(&fa, ETIMEDOUT, 0, "$DT_DTD");
	fa.fa_service = SERVICE_CLOSED;
	assert_advice(&fa, EACCES, 0, "request access from the administrator");
	fa.fa_service = SERVICE_THERE;
	assert_advice(&fa, ETIMEDOUT, 0, "service hangs");
	assert_advice(&fa, EPERM, 0, "allowdt");
	assert_advice(&fa, EPIPE, 0, "log of the service");
	assert_advice(&fa, EPROTONOSUPPORT, 0, "releases");
}

static void
what_is_missing_is_a_fact_where_all_works(void **state)
{
	static const struct doctor_check dc = { .dc_name = "x" };
	static struct doctor doc;

	(void)state;
	doctor_add(&doc, &dc, OUT_MISSING, "get it", "%s", "none");
	assert_int_equal(doc.do_checks[0].ox_verdict, OUT_MISSING);
	assert_string_equal(doc.do_checks[0].ox_advice, "get it");
	doc.do_works = 1;
	doctor_add(&doc, &dc, OUT_MISSING, "get it", "%s", "none");
	assert_int_equal(doc.do_checks[1].ox_verdict, OUT_FACT);
	assert_null(doc.do_checks[1].ox_advice);
	doctor_add(&doc, &dc, OUT_WARNING, "get it", "%s", "none");
	assert_int_equal(doc.do_checks[2].ox_verdict, OUT_WARNING);
	assert_string_equal(doc.do_checks[2].ox_advice, "get it");
}

static void
more_checks_than_there_is_room_are_left_out(void **state)
{
	static const struct doctor_check dc = { .dc_name = "x" };
	static struct doctor doc;
	int i;

	(void)state;
	for (i = 0; i < DOCTOR_MAXCHECKS + 3; i++)
		doctor_add(&doc, &dc, OUT_OK, NULL, "%d", i);
	assert_int_equal(doc.do_nchecks, DOCTOR_MAXCHECKS);
}

static void
the_daemons_words_are_escaped(void **state)
{
	static const struct out_check ox = {
		.ox_section = "daemon",
		.ox_title = "The daemon",
		.ox_name = "open",
		.ox_verdict = OUT_WARNING,
		.ox_found = "a\033[2J\"b",
		.ox_advice = "do",
		.ox_for = "all",
	};
	static const struct out_trial trials[2] = {
		{ .ol_probe = "p", .ol_made = 2, .ol_read = 1, .ol_event = 5 },
	};
	const struct out_doctor od = { "0.1", 0, &ox, 1, trials, 2 };
	struct opts opts = { .o_print.opi_verbose = 1 };
	struct out out = { .out_opts = &opts, .out_format = &out_text };

	(void)state;
	buf_init(&out.out_buf, -1);
	out_doctor(&out, &od);
	assert_buf(&out.out_buf,
	    "The daemon\n"
	    "  warning  open                      a\\x1b[2J\"b\n"
	    "                                     for: all\n"
	    "                                     -> do\n"
	    "\ndt does not work here, or only in part\n");
	out.out_format = &out_json;
	out_doctor(&out, &od);
	assert_buf(&out.out_buf,
	    "{\"release\":\"0.1\",\"works\":false,\"checks\":[{"
	    "\"section\":\"daemon\",\"check\":\"open\","
	    "\"verdict\":\"warning\",\"found\":\"a\\u001b[2J\\\"b\","
	    "\"advice\":\"do\"}],\"trials\":[{\"probe\":\"p\","
	    "\"works\":false,\"made\":2,\"read\":1,\"enable\":0,"
	    "\"record\":0,\"event\":5}]}\n");
	buf_free(&out.out_buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_of_bpf_has_many_reasons),
		cmocka_unit_test(capabilities_are_enough_in_two_ways),
		cmocka_unit_test(a_clock_that_is_refused),
		cmocka_unit_test(a_kernel_that_has_not_what_it_takes),
		cmocka_unit_test(a_device_that_does_not_open),
		cmocka_unit_test(what_is_missing_is_a_fact_where_all_works),
		cmocka_unit_test(more_checks_than_there_is_room_are_left_out),
		cmocka_unit_test(the_daemons_words_are_escaped),
	};

	return cmocka_run_group_tests_name("test_cli_doctor", tests, NULL,
	    NULL);
}
