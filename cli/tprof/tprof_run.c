/* SPDX-License-Identifier: ISC */
/*
 * dt tprof monitor and count: run a command while the machine is sampled, or
 * while the machine or the command is counted.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/file_sink.h"
#include "cli/opts/cmd.h"
#include "cli/session/command.h"
#include "cli/session/refusal.h"
#include "cli/tprof/tprof.h"

#define IDLE_MSECS 1000

/*
 * Starts the command, with -d sleep(1), and ignores the terminal's signals, which
 * end the command first.
 */
static void
run_command(struct command *co, const struct opts *o)
{
	static char seconds[32];
	char *sleep[] = { "sleep", seconds, NULL };

	snprintf(seconds, sizeof(seconds), "%.9f", o->o_duration / 1e9);
	command_init(co);
	command_start(co, o->o_command != NULL ? o->o_command : sleep);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
}

/* Returns the error if neither or both of the command and -d are given. */
static const char *
run_check(const struct opts *o)
{
	if (o->o_command == NULL && o->o_duration == 0)
		return "needs a command, or a time (-d)";
	if (o->o_command != NULL && o->o_duration != 0)
		return "-d excludes a command";
	return NULL;
}

#define RUN_ROW_DURATION(txt) \
	{ \
		'd', "duration", "TIME", txt, OPT_TIME, OPT(o_duration) \
	}

/*
 * monitor
 */

static void
stat_print(FILE *fp, const struct tprof_stat *st)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "sample", st->ts_sample },
		{ "overflow", st->ts_overflow },
		{ "buf", st->ts_buf },
		{ "emptybuf", st->ts_emptybuf },
		{ "dropbuf", st->ts_dropbuf },
		{ "dropbuf_sample", st->ts_dropbuf_sample },
	};
	size_t i;

	fprintf(fp, "tprof statistics:\n");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(fp, "\t%s %llu\n", rows[i].name,
		    (unsigned long long)rows[i].value);
}

/*
 * Reads samples that are present, or arrive until timeout.  Returns 1: more may
 * arrive.
 */
static int
monitor_read(struct dt *dt, struct tprof_file *tf, int timeout)
{
	struct dt_tprof_sample ts;
	int r;

	while ((r = dt_tprof_next(dt, &ts, timeout)) == 1)
		tprof_file_sample(tf, &ts);
	if (r == -1 && errno == EINTR)
		r = 0;
	if (r == -1 && errno != ENODATA)
		errx(1, "samples: %s", dt_error(dt));
	return r == 0;
}

/* Runs until the command ends or dtd has stopped. */
static void
monitor_run(struct dt *dt, struct tprof_file *tf, struct command *co)
{
	struct pollfd pfd[2] = { { .fd = dt_fd(dt), .events = POLLIN },
		{ .fd = co->cd_pidfd, .events = POLLIN } };

	while (!command_wait(co, 0)) {
		(void)poll(pfd, 2, IDLE_MSECS);
		if (!monitor_read(dt, tf, 0))
			return;
		tprof_file_idle(tf);
	}
	tprof_stop(dt);
	while (monitor_read(dt, tf, -1))
		;
}

/* Prints the device's statistics at the end. */
static void
monitor_stat(struct dt *dt, const struct tprof_events *tv)
{
	struct tprof_allcounts ct;
	struct tprof_stat st;

	if (dt_ioctl(dt, TPROF_IOC_GETSTAT, &st) == -1)
		refusal_ioctl(dt, "statistics");
	tprof_counts_alloc(&ct, 0);
	tprof_counts_get(&ct, dt);
	stat_print(stderr, &st);
	tprof_counts_title(stderr, 0, 0);
	tprof_counts_print(stderr, tv, &ct, NULL);
	tprof_counts_free(&ct);
}

/* Returns the status of the command; if that is 0, 1 for incomplete results. */
static int
run_end(struct dt *dt, struct command *co, int islacking)
{
	int ended = tprof_ended(dt) || islacking;

	dt_close(dt);
	(void)command_wait(co, 1);
	return co->cd_status == 0 ? ended : co->cd_status;
}

static int
tprof_monitor(struct opts *opts)
{
	struct tprof_events *tv = &((struct tprof_opts *)opts)->tpo_events;
	const char *name = opts->o_file.ofi_name;
	struct tprof_file tf;
	struct tprof_info ti;
	struct command co;
	struct dt *dt;
	int islacking;

	dt = tprof_open(&ti);
	tprof_configure(dt, &ti, tv, TPROF_PARAM_PROFILE);
	run_command(&co, opts);
	tprof_file_open(&tf, name != NULL ? name : TPROF_FILE, tv);
	tprof_start(dt, tv);
	command_go(&co);
	monitor_run(dt, &tf, &co);
	monitor_stat(dt, tv);
	islacking = tprof_file_close(&tf);
	return run_end(dt, &co, islacking);
}

/* A name: monitor writes two files. */
static const char *
monitor_check_output(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '\0' || strcmp(arg, "-") == 0
	    ? "should be the name of a file"
	    : NULL;
}

static const struct opt monitor_opts[] = {
	TPROF_ROW_EVENT("NAME[:uk][,SCALE]",
	    "sample this event, in user (u) or kernel (k) code; SCALE: cycles "
	    "per event, or =N: sample every Nth event"),
	RUN_ROW_DURATION("sample for TIME, in place of COMMAND"),
	OPT_ROW_OUTPUT("FILE", "write samples to FILE (default tprof.out)",
	    monitor_check_output),
	{ 0 },
};

const struct cmd cmd_tprof_monitor = {
	.cmd_name = "tprof monitor",
	.cmd_args = "[-e NAME[:uk][,SCALE]] ... [-o FILE] COMMAND | -d TIME",
	.cmd_what = "sample the whole machine while COMMAND runs",
	.cmd_run = tprof_monitor,
	.cmd_size = sizeof(struct tprof_opts),
	.cmd_opts = monitor_opts,
	.cmd_flags = CMD_RUNS | CMD_OPTIONAL,
	.cmd_check = run_check,
	.cmd_examples =
	    "  # sample the whole machine while a command runs\n"
	    "  dt tprof monitor -e cpu-clock -o tprof.out sleep 1\n",
};

/*
 * count
 */

/*
 * Waits for the end of the command, of the time, or of dtd.  Returns 1: the
 * time is over.
 */
static int
count_wait(struct dt *dt, const struct command *co, int msecs)
{
	struct pollfd pfd[2] = { { .fd = dt_fd(dt), .events = POLLIN },
		{ .fd = co->cd_pidfd, .events = POLLIN } };
	struct dt_tprof_sample ts;
	int r = poll(pfd, 2, msecs != 0 ? msecs : -1);

	/* no samples, but the reason why dtd has stopped */
	if (pfd[0].revents != 0 && dt_tprof_next(dt, &ts, 0) == -1 &&
	    errno != ENODATA && errno != EINTR)
		errx(1, "counts: %s", dt_error(dt));
	return r == 0;
}

/* Where counts are printed: text on stderr, JSON on stdout, or in a file. */
static FILE *
count_output(const struct opts *o)
{
	FILE *fp = o->o_print.opi_json ? stdout : stderr;

	if (o->o_file.ofi_name != NULL &&
	    (fp = fdopen(file_sink_make(o->o_file.ofi_name), "w")) == NULL)
		err(1, "%s", o->o_file.ofi_name);
	return fp;
}

/* Prints counts at each interval, or only at the end. */
static void
count_run(struct dt *dt, const struct tprof_opts *to, struct command *co,
    FILE *fp)
{
	void (*print)(FILE *, const struct tprof_events *,
	    const struct tprof_allcounts *,
	    const struct tprof_allcounts *) = to->tpo_common.o_print.opi_json
	    ? tprof_counts_json
	    : tprof_counts_print;
	const struct tprof_events *tv = &to->tpo_events;
	struct tprof_allcounts ct, before;

	tprof_counts_alloc(&before, to->tpo_iscommand);
	tprof_counts_alloc(&ct, to->tpo_iscommand);
	if (print == tprof_counts_print)
		tprof_counts_title(fp, to->tpo_iscommand, 1);
	while (!command_wait(co, 0) && dt_note(dt) == NULL) {
		if (!count_wait(dt, co, to->tpo_nsecs / 1000000))
			continue;
		tprof_counts_get(&ct, dt);
		print(fp, tv, &ct, &before);
		memcpy(before.ct_cpu, ct.ct_cpu,
		    ct.ct_ncpu * sizeof(*ct.ct_cpu));
	}
	tprof_stop(dt);
	tprof_counts_get(&ct, dt);
	print(fp, tv, &ct, &before);
	tprof_counts_free(&ct);
	tprof_counts_free(&before);
}

/* Makes dtd count what the child executes, in place of all CPUs. */
static void
count_command(struct dt *dt, const struct command *co)
{
	uint32_t pid = co->cd_pid;

	if (dt_ioctl(dt, TPROF_IOC_SETCOMMAND, &pid) == -1)
		refusal_ioctl(dt, "--command");
}

static int
tprof_count(struct opts *opts)
{
	struct tprof_opts *to = (struct tprof_opts *)opts;
	struct tprof_events *tv = &to->tpo_events;
	struct tprof_info ti;
	FILE *fp = count_output(opts);
	struct command co;
	struct dt *dt;
	int islacking;

	dt = tprof_open(&ti);
	tprof_configure(dt, &ti, tv, 0);
	run_command(&co, opts);
	if (to->tpo_iscommand)
		count_command(dt, &co);
	tprof_start(dt, tv);
	command_go(&co);
	count_run(dt, to, &co, fp);
	islacking = ferror(fp) || fflush(fp) == EOF;
	if (islacking)
		warn("%s",
		    to->tpo_common.o_file.ofi_name != NULL
			? to->tpo_common.o_file.ofi_name
			: "output");
	return run_end(dt, &co, islacking);
}

static const char *
count_check(const struct opts *o)
{
	const struct tprof_opts *to = (const struct tprof_opts *)o;

	if (to->tpo_events.tv_n == 0)
		return "needs an event (-e); 'dt tprof list' prints all";
	if (to->tpo_iscommand && o->o_command == NULL)
		return "-c needs a command";
	return run_check(o);
}

static const struct opt count_opts[] = {
	{ 'c', "command", NULL, "count COMMAND and its children only", OPT_FLAG,
	    OPT_OF(struct tprof_opts, tpo_iscommand) },
	TPROF_ROW_EVENT("NAME[:uk]",
	    "count this event, in user (u) or kernel (k) code"),
	RUN_ROW_DURATION("count for TIME, in place of COMMAND"),
	{ 'i', "interval", "TIME", "print the counts every TIME", OPT_TIME,
	    OPT_OF(struct tprof_opts, tpo_nsecs), 1000000,
	    (uint64_t)INT32_MAX * 1000000, "should be a time of 1ms or more" },
	OPT_ROW_OUTPUT("FILE", "write to FILE in place of stderr; x.json: JSON",
	    opts_check_errtext),
	{ 'j', "json", NULL, "print JSON, one object per line, to stdout",
	    OPT_FLAG, OPT(o_print.opi_json) },
	{ 0 },
};

const struct cmd cmd_tprof_count = {
	.cmd_name = "tprof count",
	.cmd_args = "[-c] -e NAME[:uk] ... [-i TIME] COMMAND | -d TIME",
	.cmd_what = "count on the whole machine while COMMAND runs",
	.cmd_run = tprof_count,
	.cmd_size = sizeof(struct tprof_opts),
	.cmd_opts = count_opts,
	.cmd_flags = CMD_RUNS | CMD_OPTIONAL,
	.cmd_check = count_check,
	.cmd_examples =
	    "  # count on the whole machine while a command runs\n"
	    "  dt tprof count -e context-switches -e page-faults sleep 1\n"
	    "  # count a command and its children only\n"
	    "  dt tprof count -c -e context-switches -e page-faults ls\n",
};
