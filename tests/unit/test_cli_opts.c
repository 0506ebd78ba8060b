/* SPDX-License-Identifier: ISC */
/*
 * Command lines: the options of each, and the error messages of wrong ones.
 */
#include "tests/unit/test_cli.h"

#include "cli/opts/cmd.h"
#include "cli/opts/opts.h"
#include "cli/opts/pair_key.h"

extern const struct cmd cmd_list, cmd_profile, cmd_record, cmd_report, cmd_stat;

#define MAXARGS 20

/* A subcommand with an option of each type. */
struct own_opts {
	struct opts own_common;
	int own_flag;
	const char *own_string;
	unsigned int own_uint;
	uint64_t own_number, own_seconds, own_span, own_latency, own_size;
};

static const struct opt own_opts[] = {
	OPT_GROUP("Types"),
	{ 'f', "flag", NULL, "set", OPT_FLAG, OPT_OF(struct own_opts, own_flag),
	    7 },
	{ 's', NULL, "S", "set", OPT_STRING,
	    OPT_OF(struct own_opts, own_string) },
	{ 0, "uint", "N", "set", OPT_UINT, OPT_OF(struct own_opts, own_uint), 2,
	    9, "should be from 2 to 9" },
	{ 0, "number", "N", "set", OPT_NUMBER,
	    OPT_OF(struct own_opts, own_number), 1 },
	{ 0, "seconds", "N", "set", OPT_TIME,
	    OPT_OF(struct own_opts, own_seconds), 1000000 },
	{ 0, "span", "N", "set", OPT_TIME, OPT_OF(struct own_opts, own_span) },
	{ 0, "latency", "N", "set", OPT_LATENCY,
	    OPT_OF(struct own_opts, own_latency) },
	{ 0, "size", "N", "set", OPT_SIZE, OPT_OF(struct own_opts, own_size) },
	{ 0 },
};

static const struct cmd cmd_own = {
	.cmd_name = "own",
	.cmd_size = sizeof(struct own_opts),
	.cmd_opts = own_opts,
	.cmd_flags = CMD_PROBES,
};

static const struct cmd cmd_runs = {
	.cmd_name = "runs",
	.cmd_size = sizeof(struct own_opts),
	.cmd_opts = own_opts,
	.cmd_flags = CMD_RUNS,
};

static char why[256];
static char *argv[MAXARGS + 1];

/* Large enough for the options of any subcommand. */
static union {
	struct opts common;
	struct own_opts own;
	char space[4096];
} parsed;

/* Splits at blanks, and parses. */
static int
parse(struct opts *o, const struct cmd *cmd, const char *line)
{
	static char copy[256];
	char *p;
	int argc = 0, c;

	snprintf(copy, sizeof(copy), "%s %s", cmd->cmd_name, line);
	for (p = strtok(copy, " "); p != NULL && argc < MAXARGS;
	     p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	why[0] = '\0';
	assert_true(cmd->cmd_size <= sizeof(parsed));
	c = opts_parse(&parsed.common, cmd, argc, argv, why, sizeof(why));
	*o = parsed.common;
	return c;
}

static void
options_may_precede_and_follow(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_stat, "-i 0.5 a:b:c -j d -d 10"), 0);
	assert_int_equal(o.o_duration, 10000000000);
	assert_int_equal(o.o_print.opi_json, 1);
	assert_int_equal(o.o_nargs, 2);
	assert_string_equal(o.o_args[0], "a:b:c");
	assert_string_equal(o.o_args[1], "d");
	assert_null(o.o_command);
}

static void
only_dashes_begin_a_command(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_stat, "a -- ls -j --strict -x"), 0);
	assert_int_equal(o.o_nargs, 1);
	assert_int_equal(o.o_print.opi_json, 0);
	assert_int_equal(o.o_strict, 0);
	assert_string_equal(o.o_command[0], "ls");
	assert_string_equal(o.o_command[1], "-j");
	assert_string_equal(o.o_command[3], "-x");
	assert_null(o.o_command[4]);
	assert_int_equal(parse(&o, &cmd_stat, "a ls"), 0);
	assert_int_equal(o.o_nargs, 2);
	assert_null(o.o_command);
	assert_int_equal(parse(&o, &cmd_profile, "-- a -- b"), 0);
	assert_string_equal(o.o_command[1], "--");
}

static void
long_options_are_the_letters(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(
	    parse(&o, &cmd_record,
		"--stacks --count=3 "
		"--output x.dt --freq 50 --pid 12 --tid 13 --uid 14 p"),
	    0);
	assert_string_equal(o.o_file.ofi_name, "x.dt");
	assert_int_equal(o.o_hz, 50);
	assert_int_equal(o.o_filter.dtfi_set, DTFI_PID | DTFI_TID | DTFI_UID);
	assert_int_equal(o.o_filter.dtfi_pid, 12);
	assert_int_equal(o.o_filter.dtfi_tid, 13);
	assert_int_equal(o.o_filter.dtfi_uid, 14);
	assert_int_equal(parse(&o, &cmd_record, "-gn3 p"), 0);
	assert_int_equal(o.o_nargs, 1);
}

static void
values_have_the_type_of_their_row(void **state)
{
	static const char *const bad[] = { "--uint 1", "--uint 10", "--uint x",
		"--number 0", "--seconds 0.0001", "--span 1x", "--latency 1",
		"--size 1x", "--uint", "-x" };
	struct opts o;
	size_t i;

	(void)state;
	assert_int_equal(parse(&o, &cmd_own,
			     "-f -s text --uint 9 --number 5 --seconds 0.5 "
			     "--span 2m --latency 3us --size 4k p"),
	    0);
	assert_int_equal(parsed.own.own_flag, 7);
	assert_string_equal(parsed.own.own_string, "text");
	assert_int_equal(parsed.own.own_uint, 9);
	assert_int_equal(parsed.own.own_number, 5);
	assert_int_equal(parsed.own.own_seconds, 500000000);
	assert_int_equal(parsed.own.own_span, 120000000000);
	assert_int_equal(parsed.own.own_latency, 3000);
	assert_int_equal(parsed.own.own_size, 4096);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(&o, &cmd_own, bad[i]), -1);
	assert_int_equal(parse(&o, &cmd_own, "--uint 1"), -1);
	assert_string_equal(why, "--uint 1: should be from 2 to 9");
}

static void
a_command_begins_at_the_first_operand(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_runs, "-f ls -s x --help"), 0);
	assert_int_equal(parsed.own.own_flag, 7);
	assert_null(parsed.own.own_string);
	assert_string_equal(o.o_command[0], "ls");
	assert_string_equal(o.o_command[1], "-s");
	assert_int_equal(parse(&o, &cmd_runs, "-f -- ls -s"), 0);
	assert_string_equal(o.o_command[0], "ls");
	assert_int_equal(parse(&o, &cmd_runs, "-f"), -1);
	assert_string_equal(why, "needs a command");
}

static void
filters_take_names(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_stat,
			     "-u root "
			     "--comm a-name-that-is-too-long x"),
	    0);
	assert_int_equal(o.o_filter.dtfi_uid, 0);
	assert_int_equal(o.o_filter.dtfi_set, DTFI_UID | DTFI_COMM);
	assert_string_equal(o.o_filter.dtfi_comm, "a-name-that-is-");
}

static void
sizes_have_suffixes(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(opts_size("4096", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(opts_size("512k", &v), 0);
	assert_int_equal(v, 512 << 10);
	assert_int_equal(opts_size("16M", &v), 0);
	assert_int_equal(v, 16 << 20);
	assert_int_equal(opts_size("1G", &v), 0);
	assert_int_equal(v, 1 << 30);
	v = 7;
	assert_int_equal(opts_size("", &v), -1);
	assert_int_equal(opts_size("k", &v), -1);
	assert_int_equal(opts_size("0", &v), -1);
	assert_int_equal(opts_size("-1", &v), -1);
	assert_int_equal(opts_size("1kb", &v), -1);
	assert_int_equal(opts_size("1T", &v), -1);
	assert_int_equal(opts_size("99999999999999999999", &v), -1);
	assert_int_equal(opts_size("1025G", &v), -1);
	assert_int_equal(v, 7); /* untouched on failure */
}

static void
times_are_seconds_or_have_units(void **state)
{
	static const char *const bad[] = {
		"",
		"s",
		"-1",
		"+1",
		" 1",
		"x",
		"nan",
		"inf",
		".",
		"0x10",
		"1e99",
		"1e3s",
		"1 s",
		"1sec",
		"1d",
		"1.2.3",
		"999999999999h",
		"0000000000000000000000000000000001s",
	};
	static const struct {
		const char *text;
		uint64_t nsecs;
	} good[] = {
		{ "30", 30000000000 },
		{ "1.5", 1500000000 },
		{ ".25", 250000000 },
		{ "0", 0 },
		{ "100ns", 100 },
		{ "20us", 20000 },
		{ "500ms", 500000000 },
		{ "30s", 30000000000 },
		{ "1.5m", 90000000000 },
		{ "2h", 7200000000000 },
	};
	uint64_t v = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(opts_time(bad[i], 1e9, &v), -1);
	assert_int_equal(v, 7);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(opts_time(good[i].text, 1e9, &v), 0);
		assert_int_equal(v, good[i].nsecs);
	}
}

static void
latencies_have_units(void **state)
{
	static const char *const bad[] = { "", "1", "ms", "1 ms", "-1ms",
		"1.2.3ms", "1e3ns", "0x1s", "1msx", ".ms", "1e30s",
		"9999999999999999999s" };
	uint64_t v = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(opts_time(bad[i], 0, &v), -1);
	assert_int_equal(v, 7);
	assert_int_equal(opts_time("1.5ms", 0, &v), 0);
	assert_int_equal(v, 1500000);
	assert_int_equal(opts_time("0ns", 0, &v), 0);
	assert_int_equal(v, 0);
}

static void
keys_of_pairs_have_two_names(void **state)
{
	static const char *const bad[] = { "", ",", "a,", ",a", "=", "a=", "=a",
		"a=b=c", "a,b,c", "a,,b" };
	struct pair_key_name kn[DTPA_NKEYS];
	char longest[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pair_key_parse(bad[i], kn), 0);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(pair_key_parse(longest, kn), 0);
	assert_int_equal(pair_key_parse("tid", kn), 1);
	assert_string_equal(kn[0].kn_from, "tid");
	assert_string_equal(kn[0].kn_to, "tid");
	assert_int_equal(pair_key_parse("dev,args.pid=next_pid", kn), 2);
	assert_string_equal(kn[0].kn_to, "dev");
	assert_string_equal(kn[1].kn_from, "args.pid");
	assert_string_equal(kn[1].kn_to, "next_pid");
}

static void
the_flight_recorder_has_its_options(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_record,
			     "--last 30s --memory 16M -o x.dt "
			     "--until a:b:c --until d p"),
	    0);
	assert_int_equal(o.o_file.ofi_last, 30000000000);
	assert_int_equal(o.o_file.ofi_memory, 16 << 20);
	assert_int_equal(o.o_until.oun_n, 2);
	assert_string_equal(o.o_until.oun_patterns[0], "a:b:c");
	assert_string_equal(o.o_until.oun_patterns[1], "d");
	assert_int_equal(o.o_nargs, 1);
	assert_int_equal(parse(&o, &cmd_profile, "--until a"), 0);
	assert_int_equal(o.o_until.oun_n, 1);
}

static void
wrong_usage_is_reported(void **state)
{
	static const struct {
		const struct cmd *cmd;
		const char *line;
		const char *say;
	} cases[] = {
		{ &cmd_stat, "",
		    "needs a probe, for example syscall:openat:entry "
		    "('dt list' prints all)" },
		{ &cmd_stat, "-x p", "there is no option -x" },
		{ &cmd_stat, "--json -jx p", "there is no option -x" },
		{ &cmd_stat, "--nonsense p", "there is no option --nonsense" },
		{ &cmd_stat, "--json=1 p", "--json=1: it takes no argument" },
		{ &cmd_stat, "p -d", "-d needs an argument" },
		{ &cmd_stat, "p --pid", "--pid needs an argument" },
		{ &cmd_stat, "-d 0 p",
		    "-d 0: should be a time, for example 10 (seconds), 500ms or 5m; "
		    "units are ns, us, ms, s, m, h" },
		{ &cmd_stat, "-p no/such p",
		    "-p no/such: 'no/such' is neither the number nor the name "
		    "of a running process" },
		{ &cmd_stat, "-p 1, p",
		    "-p 1,: should be processes with a comma between: 1,2 or "
		    "sshd" },
		{ &cmd_stat, "-p 1,2,3,4,5,6,7,8 -p 1,9 p",
		    "-p 1,9: is more than 8 processes; --comm, --cgroup and "
		    "--children select any number" },
		{ &cmd_stat, "-p 1,2 --children p",
		    "--children needs one process" },
		{ &cmd_stat, "-u no-such-user p",
		    "-u no-such-user: is neither a user nor a number" },
		{ &cmd_stat, "-F 0 p",
		    "-F 0: should be ticks per second, from 1 to 5000" },
		{ &cmd_stat, "-F 5001 p",
		    "-F 5001: should be ticks per second, from 1 to 5000" },
		{ &cmd_stat, "--buffer 1x p",
		    "--buffer 1x: should be bytes, for example 512k, 16M or "
		    "1G" },
		{ &cmd_stat, "p --", "-- needs a command after it" },
		{ &cmd_record, "-n 0 p",
		    "-n 0: should be a number, 1 or "
		    "more" },
		{ &cmd_record, "--last 1x -o f p",
		    "--last 1x: should be a time, for example 10 (seconds), "
		    "500ms or 5m; "
		    "units are ns, us, ms, s, m, h" },
		{ &cmd_record, "--last 30s p",
		    "--last needs the name of a file: -o FILE.dt" },
		{ &cmd_record, "--last 30s -o - p",
		    "--last needs the name of a file: -o FILE.dt" },
		{ &cmd_record, "--last 30s --rotate 2 -o f p",
		    "--last limits the file by --memory, not by --max-size or "
		    "--rotate" },
		{ &cmd_record, "--memory 16M -o f p",
		    "--memory needs --last TIME" },
		{ &cmd_record, "--last 1s --memory 64k -o f p",
		    "--memory 64k: should be bytes, at least 1M (for example "
		    "64M)" },
		{ &cmd_record,
		    "--until 1 --until 2 --until 3 --until 4 --until 5 "
		    "--until 6 --until 7 --until 8 --until 9",
		    "needs a probe, for example syscall:openat:entry "
		    "('dt list' prints all)" },
		{ &cmd_profile, "p",
		    "unexpected argument 'p'; a command follows --: dt profile "
		    "-- p" },
		{ &cmd_list, "-- ls", "takes no command" },
		{ &cmd_list, "-d 1", "there is no option -d" },
		{ &cmd_report, "", "needs one file" },
		{ &cmd_report, "a b", "needs one file" },
	};
	struct opts o;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&o, cases[i].cmd, cases[i].line), -1);
		assert_string_equal(why, cases[i].say);
	}
}

static void
help_needs_nothing_else(void **state)
{
	struct opts o;

	(void)state;
	assert_int_equal(parse(&o, &cmd_stat, "--help"), 0);
	assert_int_equal(o.o_help, 1);
	assert_int_equal(parse(&o, &cmd_report, "-h"), 0);
	assert_int_equal(o.o_help, 1);
	assert_int_equal(parse(&o, &cmd_stat, "p -- ls --help"), 0);
	assert_int_equal(o.o_help, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_have_units),
		cmocka_unit_test(keys_of_pairs_have_two_names),
		cmocka_unit_test(options_may_precede_and_follow),
		cmocka_unit_test(only_dashes_begin_a_command),
		cmocka_unit_test(long_options_are_the_letters),
		cmocka_unit_test(values_have_the_type_of_their_row),
		cmocka_unit_test(a_command_begins_at_the_first_operand),
		cmocka_unit_test(filters_take_names),
		cmocka_unit_test(sizes_have_suffixes),
		cmocka_unit_test(times_are_seconds_or_have_units),
		cmocka_unit_test(the_flight_recorder_has_its_options),
		cmocka_unit_test(wrong_usage_is_reported),
		cmocka_unit_test(help_needs_nothing_else),
	};

	return cmocka_run_group_tests_name("test_cli_opts", tests, NULL, NULL);
}
