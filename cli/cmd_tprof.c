/* SPDX-License-Identifier: ISC */
/*
 * dt tprof: samples the program counter, like tprof(8) of NetBSD, with the same
 * subcommands and options.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/opts/cmd.h"
#include "cli/session/refusal.h"
#include "cli/tprof/tprof.h"

#define STATUS_USAGE 2
#define LIST_GROUP   64 /* name of a group */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *args;
} subs[] = {
	{ "list", tprof_list, "" },
	{ "monitor", tprof_monitor,
	    " [-e NAME[:uk][,SCALE]] [-e ...] [-o FILE] COMMAND" },
	{ "count", tprof_count,
	    " [-c] -e NAME[:uk] [-e ...] [-i SEC] COMMAND" },
	{ "analyze", tprof_analyze, " [-CkLPs] [-p PID] FILE" },
	{ "top", tprof_top,
	    " [-acu] [-e NAME[:uk][,SCALE]] [-e ...] [-i SEC] [-n TIMES]" },
};

#define NSUBS (sizeof(subs) / sizeof(subs[0]))

static void
usage(FILE *fp)
{
	size_t i;

	for (i = 0; i < NSUBS; i++)
		fprintf(fp, "%s dt tprof %s%s\n", i == 0 ? "usage:" : "      ",
		    subs[i].name, subs[i].args);
}

void
tprof_usage(void)
{
	usage(stderr);
	exit(STATUS_USAGE);
}

struct dt *
tprof_open(struct tprof_info *ti)
{
	struct dt *dt = refusal_open(TPROFDEVNAME, 0);

	if (dt_ioctl(dt, TPROF_IOC_GETINFO, ti) == -1)
		refusal_ioctl(dt, "tprof");
	if (ti->ti_version != TPROF_VERSION)
		errx(1, "the device has version %u, this program %u",
		    ti->ti_version, TPROF_VERSION);
	return dt;
}

void
tprof_configure(struct dt *dt, struct tprof_events *tv, uint64_t flags)
{
	struct tprof_param *p;
	unsigned int i;

	for (i = 0; i < tv->tv_n; i++) {
		p = &tv->tv_event[i].te_param;
		p->p_counter = i;
		p->p_flags |= flags;
		if (dt_ioctl(dt, TPROF_IOC_CONFIGURE_EVENT, p) == -1)
			refusal_ioctl(dt, tv->tv_event[i].te_name);
	}
}

void
tprof_start(struct dt *dt, const struct tprof_events *tv)
{
	uint32_t mask = tv->tv_n == 32 ? ~0U : (1U << tv->tv_n) - 1;

	if (dt_ioctl(dt, TPROF_IOC_START, &mask) == -1)
		refusal_ioctl(dt, "start");
}

void
tprof_stop(struct dt *dt)
{
	uint32_t mask = ~0U;

	if (dt_ioctl(dt, TPROF_IOC_STOP, &mask) == -1)
		refusal_ioctl(dt, "stop");
}

int
tprof_counts(struct dt *dt, uint32_t cpu, struct tprof_counts *tc)
{
	memset(tc, 0, sizeof(*tc));
	tc->c_cpu = cpu;
	return dt_ioctl(dt, TPROF_IOC_GETCOUNTS, tc);
}

int
tprof_ended(struct dt *dt)
{
	const char *note = dt_note(dt);
	struct buf b;

	if (note == NULL)
		return 0;
	buf_init(&b, STDERR_FILENO);
	buf_str(&b, "dt: dtd stopped: ");
	esc_str(&b, note);
	buf_str(&b, "; all until then is told\n");
	buf_flush(&b);
	buf_free(&b);
	return 1;
}

static void
list_one(const char *group, const char *name, void *arg)
{
	char *last = arg;

	if (strcmp(group, last) != 0)
		printf("%s:\n", group);
	snprintf(last, LIST_GROUP, "%s", group);
	printf("\t%s\n", name);
}

int
tprof_list(int argc, char **argv)
{
	char last[LIST_GROUP] = "";
	struct tprof_info ti;
	struct dt *dt;
	uint32_t n;

	(void)argv;
	if (argc > 1)
		tprof_usage();
	dt = tprof_open(&ti);
	if (dt_ioctl(dt, TPROF_IOC_GETNCOUNTERS, &n) == -1)
		refusal_ioctl(dt, "counters");
	printf("%u events can be counted at the same time\n", n);
	printf("without -e it is %s\n", tprof_event_default(ti.ti_ident));
	tprof_event_each(ti.ti_ident, list_one, last);
	dt_close(dt);
	return 0;
}

static int
tprof_main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < NSUBS; i++)
		if (strcmp(argv[1], subs[i].name) == 0)
			return subs[i].run(argc - 1, argv + 1);
	if (argc > 1)
		warnx("tprof has no '%s'", argv[1]);
	tprof_usage();
}

static const char tprof_help[] =
    "  list                  what can be counted here\n"
    "  monitor               sample the whole machine while COMMAND runs\n"
    "  count                 count on the whole machine while COMMAND runs\n"
    "  analyze               what monitor has sampled, by name\n"
    "  top                   sample the whole machine, and show it now\n"
    "\n"
    "  -c, --command         count: COMMAND and its children only, as perf stat\n"
    "                        does (dt profile -- COMMAND samples it alone)\n"
    "  -e NAME[:uk][,SCALE]  this event, in user (u) or kernel (k); SCALE: how\n"
    "                        many times slower than cycles it counts, so that\n"
    "                        it has as many samples; ,=N: a sample at each N\n"
    "  -o FILE               monitor: samples go there (tprof.out)\n"
    "  -i SEC                count, top: so often\n"
    "  -p PID                analyze: this process only\n"
    "  -k                    analyze: the kernel only\n"
    "  -s                    analyze: by function, not by address\n"
    "  -C, -L, -P            analyze: CPUs, threads, processes not apart\n"
    "  -a                    top: add up, from the start\n"
    "  -c                    top: with the counts of each CPU\n"
    "  -u                    top: programs, too, not the kernel only\n"
    "  -n TIMES              top: ends after so many\n";

static const struct opt tprof_opts[] = { { 0 } };

const struct cmd cmd_tprof = {
	.cmd_name = "tprof",
	.cmd_args = "list | monitor | count | analyze | top ...",
	.cmd_what = "sample or count by the processor's counters",
	.cmd_main = tprof_main,
	.cmd_help = tprof_help,
	.cmd_opts = tprof_opts,
	.cmd_examples =
	    "  # what can be counted here\n"
	    "  dt tprof list\n"
	    "  # where the whole machine is while a command runs\n"
	    "  dt tprof monitor -e cpu-clock -o tprof.out sleep 1\n"
	    "  dt tprof analyze -s tprof.out\n"
	    "  # counts of it\n"
	    "  dt tprof count -e context-switches -e page-faults sleep 1\n"
	    "  # counts of a command and its children only\n"
	    "  dt tprof count -c -e context-switches -e page-faults ls\n",
};
