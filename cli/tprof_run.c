/* SPDX-License-Identifier: ISC */
/*
 * dt tprof monitor and count: a command runs, while its machine is sampled or
 * counted.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "deny.h"
#include "tprof.h"

#define IDLE_MSECS 1000

/* Counts, by event and CPU. */
struct counts {
	unsigned int ct_ncpu;
	struct tprof_counts *ct_cpu; /* [ct_ncpu] */
};

char **
tprof_command(int argc, char **argv)
{
	if (optind == argc)
		tprof_usage();
	return argv + optind;
}

/* Its command ends first, then it: that has the terminal's signals, too. */
static void
run_command(struct command *co, char **argv)
{
	command_init(co);
	command_start(co, argv);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
}

/*
 * Counts
 */

static void
counts_alloc(struct counts *ct)
{
	ct->ct_ncpu = sysconf(_SC_NPROCESSORS_CONF);
	ct->ct_cpu = calloc(ct->ct_ncpu, sizeof(*ct->ct_cpu));
	if (ct->ct_cpu == NULL)
		err(1, NULL);
}

static void
counts_free(struct counts *ct)
{
	free(ct->ct_cpu);
}

static void
counts_get(struct counts *ct, struct dt *dt)
{
	unsigned int cpu;

	for (cpu = 0; cpu < ct->ct_ncpu; cpu++)
		if (tprof_counts(dt, cpu, &ct->ct_cpu[cpu]) == -1)
			deny_ioctl(dt, "counts");
}

/* What has come since before. */
static uint64_t
counts_sum(const struct counts *ct, const struct counts *before, unsigned int i,
    int cpu)
{
	uint64_t sum = 0;
	int c;

	for (c = 0; c < (int)ct->ct_ncpu; c++)
		if (cpu == -1 || cpu == c)
			sum += ct->ct_cpu[c].c_count[i] -
			    (before != NULL ? before->ct_cpu[c].c_count[i] : 0);
	return sum;
}

/* A column a CPU, at most as many as a terminal has room for, and all. */
static void
counts_print(FILE *fp, const struct tprof_events *tv, const struct counts *ct,
    const struct counts *before)
{
	int ncpu = ct->ct_ncpu > 8 ? 0 : (int)ct->ct_ncpu, cpu;
	char head[32];
	unsigned int i;

	fprintf(fp, "%-24s", "event");
	for (cpu = 0; cpu < ncpu; cpu++) {
		snprintf(head, sizeof(head), "CPU%d", cpu);
		fprintf(fp, " %16s", head);
	}
	fprintf(fp, " %16s\n", "all");
	for (i = 0; i < tv->tv_n; i++) {
		fprintf(fp, "%-24s", tv->tv_event[i].te_name);
		for (cpu = 0; cpu < ncpu; cpu++)
			fprintf(fp, " %16llu",
			    (unsigned long long)counts_sum(ct, before, i, cpu));
		fprintf(fp, " %16llu\n",
		    (unsigned long long)counts_sum(ct, before, i, -1));
	}
}

/* The event of a name, or -1. */
static int
event_named(const struct tprof_events *tv, const char *name)
{
	unsigned int i;

	for (i = 0; i < tv->tv_n; i++)
		if (strcmp(tv->tv_event[i].te_name, name) == 0)
			return i;
	return -1;
}

/* What people divide by what. */
static const struct {
	const char *of, *by;
	double factor;
	const char *text;
} ratios[] = {
	{ "instructions", "cycles", 1, "instructions a cycle" },
	{ "cache-misses", "instructions", 1000,
	    "cache misses a thousand instructions" },
	{ "branch-misses", "instructions", 1000,
	    "branch misses a thousand instructions" },
	{ "L1-dcache-load-misses", "instructions", 1000,
	    "L1 data misses a thousand instructions" },
	{ "LLC-load-misses", "instructions", 1000,
	    "LLC misses a thousand instructions" },
	{ "dTLB-load-misses", "instructions", 1000,
	    "data TLB misses a thousand instructions" },
	{ "cache-misses", "cache-references", 100, "% of cache references" },
	{ "branch-misses", "branches", 100, "% of branches" },
	{ "migrations", "context-switches", 1000,
	    "migrations a thousand switches" },
};

static void
ratios_print(FILE *fp, const struct tprof_events *tv, const struct counts *ct,
    const struct counts *before)
{
	uint64_t of, by;
	int i, j;
	size_t n;

	for (n = 0; n < sizeof(ratios) / sizeof(ratios[0]); n++) {
		if ((i = event_named(tv, ratios[n].of)) == -1 ||
		    (j = event_named(tv, ratios[n].by)) == -1)
			continue;
		of = counts_sum(ct, before, i, -1);
		by = counts_sum(ct, before, j, -1);
		if (by != 0)
			fprintf(fp, "%-24s %.2f %s\n", ratios[n].of,
			    ratios[n].factor * of / by, ratios[n].text);
	}
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

/* Samples that are there, or that come until timeout.  1: more may come. */
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

static void
monitor_run(struct dt *dt, struct tprof_file *tf, struct command *co)
{
	struct pollfd pfd[2] = { { .fd = dt_fd(dt), .events = POLLIN },
		{ .fd = co->co_pidfd, .events = POLLIN } };

	while (!command_wait(co, 0)) {
		(void)poll(pfd, 2, IDLE_MSECS);
		(void)monitor_read(dt, tf, 0);
		tprof_file_idle(tf);
	}
	tprof_stop(dt);
	while (monitor_read(dt, tf, -1))
		;
}

int
tprof_monitor(int argc, char **argv)
{
	const char *name = TPROF_FILE;
	struct tprof_events tv = { 0 };
	struct tprof_file tf;
	struct tprof_info ti;
	struct tprof_stat st;
	struct counts ct;
	struct command co;
	struct dt *dt;
	int ch;

	while ((ch = getopt(argc, argv, "+e:o:")) != -1)
		switch (ch) {
		case 'e':
			tprof_event_add(&tv, optarg);
			break;
		case 'o':
			name = optarg;
			break;
		default:
			tprof_usage();
		}
	argv = tprof_command(argc, argv);
	if (tv.tv_n == 0)
		tprof_usage();
	dt = tprof_open(&ti);
	tprof_configure(dt, &tv, TPROF_PARAM_PROFILE);
	run_command(&co, argv);
	tprof_file_open(&tf, name, &tv);
	tprof_start(dt, &tv);
	command_go(&co);
	monitor_run(dt, &tf, &co);
	if (dt_ioctl(dt, TPROF_IOC_GETSTAT, &st) == -1)
		deny_ioctl(dt, "statistics");
	stat_print(stderr, &st);
	counts_alloc(&ct);
	counts_get(&ct, dt);
	counts_print(stderr, &tv, &ct, NULL);
	counts_free(&ct);
	tprof_file_close(&tf);
	dt_close(dt);
	return co.co_status;
}

/*
 * count
 */

/* Each so many ms, 0: only at the end. */
static void
count_run(struct dt *dt, const struct tprof_events *tv, struct counts *ct,
    struct command *co, int msecs)
{
	struct pollfd pfd = { .fd = co->co_pidfd, .events = POLLIN };
	struct counts before;

	counts_alloc(&before);
	while (!command_wait(co, 0)) {
		if (poll(&pfd, 1, msecs != 0 ? msecs : -1) != 0)
			continue;
		counts_get(ct, dt);
		counts_print(stderr, tv, ct, &before);
		ratios_print(stderr, tv, ct, &before);
		memcpy(before.ct_cpu, ct->ct_cpu,
		    ct->ct_ncpu * sizeof(*ct->ct_cpu));
	}
	tprof_stop(dt);
	counts_get(ct, dt);
	if (msecs != 0) {
		counts_print(stderr, tv, ct, &before);
		ratios_print(stderr, tv, ct, &before);
	}
	counts_free(&before);
}

int
tprof_count(int argc, char **argv)
{
	struct tprof_events tv = { 0 };
	struct tprof_info ti;
	struct command co;
	struct counts ct;
	struct dt *dt;
	uint64_t nsecs = 0;
	int ch;

	while ((ch = getopt(argc, argv, "+e:i:")) != -1)
		switch (ch) {
		case 'e':
			tprof_event_add(&tv, optarg);
			break;
		case 'i':
			if (opts_nsecs(optarg, &nsecs) == -1 ||
			    nsecs < 1000000 || nsecs / 1000000 > INT32_MAX)
				errx(2, "-i %s: should be seconds, above 0.001",
				    optarg);
			break;
		default:
			tprof_usage();
		}
	argv = tprof_command(argc, argv);
	if (tv.tv_n == 0)
		tprof_usage();
	dt = tprof_open(&ti);
	tprof_configure(dt, &tv, 0);
	counts_alloc(&ct);
	run_command(&co, argv);
	tprof_start(dt, &tv);
	command_go(&co);
	count_run(dt, &tv, &ct, &co, nsecs / 1000000);
	if (nsecs == 0) {
		counts_print(stderr, &tv, &ct, NULL);
		ratios_print(stderr, &tv, &ct, NULL);
	}
	counts_free(&ct);
	dt_close(dt);
	return co.co_status;
}
