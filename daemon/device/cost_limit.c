/* SPDX-License-Identifier: ISC */
/* Opens windows in which the kernel counts run times of BPF programs. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/device/cost_limit.h"
#include "daemon/perf/perf_event.h"

#define STATS_WINDOW 10000000 /* ns */
#define STATS_SYSCTL "/proc/sys/kernel/bpf_stats_enabled"

/* Returns whether the sysctl makes the kernel count all the time. */
static int
stats_by_sysctl(void)
{
	FILE *f = fopen(STATS_SYSCTL, "re");
	int on = 0;

	if (f == NULL)
		return 0;
	if (fscanf(f, "%d", &on) != 1)
		on = 0;
	fclose(f);
	return on;
}

int
cost_limit_measure(void (*look)(void *arg, int isend), void *arg)
{
	static const struct timespec ts = { .tv_nsec = STATS_WINDOW };
	int fd = perf_event_stats();

	if (fd < 0 && !stats_by_sysctl())
		return -fd;
	look(arg, 0);
	(void)nanosleep(&ts, NULL);
	look(arg, 1);
	if (fd >= 0)
		close(fd);
	return 0;
}

void
cost_limit_unmeasured(const char *whose, int error)
{
	if (!conf.cf_private)
		log_notice("the cost of %s is unknown, and cost-limit is not "
			   "enforced: %s%s",
		    whose, perf_event_strerror(error),
		    error == EPERM ? " (it needs CAP_SYS_ADMIN)" : "");
}
