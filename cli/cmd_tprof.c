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

struct list {
	struct buf li_buf;
	const char *li_default; /* of -e */
	char li_group[64];	/* of the last event */
};

struct dt *
tprof_open(struct tprof_info *ti)
{
	struct dt *dt = refusal_open(TPROFDEVNAME, 0);

	if (dt_ioctl(dt, TPROF_IOC_GETINFO, ti) == -1)
		refusal_ioctl(dt, "tprof");
	if (ti->ti_version != TPROF_VERSION)
		errx(1, "the device has version %u, but dt has version %u",
		    ti->ti_version, TPROF_VERSION);
	return dt;
}

void
tprof_configure(struct dt *dt, const struct tprof_info *ti,
    struct tprof_events *tv, uint64_t flags)
{
	struct tprof_param *p;
	unsigned int i;

	if (tv->tv_n == 0)
		(void)tprof_event_add(tv, tprof_event_default(ti->ti_ident));
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
	buf_str(&b, "; earlier results are complete\n");
	buf_flush(&b);
	buf_free(&b);
	return 1;
}

static void
list_text(const char *group, const char *name, void *arg)
{
	struct list *li = arg;
	struct buf *b = &li->li_buf;

	if (strcmp(group, li->li_group) != 0) {
		esc_str(b, group);
		buf_str(b, ":\n");
	}
	snprintf(li->li_group, sizeof(li->li_group), "%s", group);
	buf_c(b, '\t');
	esc_str(b, name);
	buf_c(b, '\n');
}

static void
list_json(const char *group, const char *name, void *arg)
{
	struct list *li = arg;
	struct buf *b = &li->li_buf;

	buf_str(b, "{\"event\":\"");
	esc_json(b, name, strlen(name));
	buf_str(b, "\",\"group\":\"");
	esc_json(b, group, strlen(group));
	buf_printf(b, "\",\"default\":%s}\n",
	    strcmp(name, li->li_default) == 0 ? "true" : "false");
}

static int
tprof_list(struct opts *opts)
{
	struct tprof_info ti;
	struct list li = { 0 };
	struct dt *dt;
	uint32_t n;

	dt = tprof_open(&ti);
	if (dt_ioctl(dt, TPROF_IOC_GETNCOUNTERS, &n) == -1)
		refusal_ioctl(dt, "counters");
	buf_init(&li.li_buf, STDOUT_FILENO);
	li.li_default = tprof_event_default(ti.ti_ident);
	if (opts->o_print.opi_json)
		buf_printf(&li.li_buf, "{\"counters\":%u}\n", n);
	else
		buf_printf(&li.li_buf,
		    "%u events can be counted at the same time\n"
		    "the default of -e is %s\n",
		    n, li.li_default);
	tprof_event_each(ti.ti_ident,
	    opts->o_print.opi_json ? list_json : list_text, &li);
	dt_close(dt);
	if (buf_flush(&li.li_buf) == -1)
		errx(1, "output: %s", strerror(li.li_buf.b_error));
	buf_free(&li.li_buf);
	return 0;
}

static const struct opt list_opts[] = {
	OPT_ROW_JSON,
	{ 0 },
};

static const struct cmd cmd_tprof_list = {
	.cmd_name = "tprof list",
	.cmd_args = "[-j]",
	.cmd_what = "print the events that this machine can count",
	.cmd_run = tprof_list,
	.cmd_opts = list_opts,
	.cmd_examples = "  # print the events that this machine can count\n"
			"  dt tprof list\n",
};

static const struct cmd *const tprof_subs[] = {
	&cmd_tprof_list,
	&cmd_tprof_monitor,
	&cmd_tprof_count,
	&cmd_tprof_analyze,
	&cmd_tprof_top,
	NULL,
};

const struct cmd cmd_tprof = {
	.cmd_name = "tprof",
	.cmd_args = "list | monitor | count | analyze | top ...",
	.cmd_what = "sample or count with hardware and software counters",
	.cmd_subs = tprof_subs,
	.cmd_examples =
	    "  # print the events that this machine can count\n"
	    "  dt tprof list\n"
	    "  # sample the whole machine while a command runs\n"
	    "  dt tprof monitor -e cpu-clock -o tprof.out sleep 1\n"
	    "  dt tprof analyze -s tprof.out\n"
	    "  # count on the whole machine while a command runs\n"
	    "  dt tprof count -e context-switches -e page-faults sleep 1\n"
	    "  # count a command and its children only\n"
	    "  dt tprof count -c -e context-switches -e page-faults ls\n",
};
