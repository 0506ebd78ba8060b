/* SPDX-License-Identifier: ISC */
/*
 * The backends of tprof, both with perf events: the processor's own counters
 * where available, else the kernel's software events.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/reason.h"
#include "daemon/perf/perf_event.h"
#include "daemon/tprof/tprof_softc.h"

#define TPROF_HZ 1000 /* samples per second of an event as fast as cycles */

/* Minimum period of the kernel's clocks. */
#define CLOCK_MIN_NSECS 10000

/* CPU 0 may go offline later, after this first use. */
#define PROBE_CPU 0

/*
 * The kernel's software events
 */

static uint32_t
soft_ident(void)
{
	return TPROF_IDENT_SOFTWARE;
}

static uint32_t
soft_ncounters(void)
{
	return TPROF_MAXCOUNTERS;
}

/* The kernel's clocks count nanoseconds. */
static uint64_t
soft_estimate_freq(void)
{
	return 1000000000;
}

static int
soft_valid(const struct tprof_param *p, struct reason *rs)
{
	if (p->p_unit == PERF_TYPE_SOFTWARE &&
	    p->p_event <= PERF_COUNT_SW_EMULATION_FAULTS)
		return 0;
	if (p->p_unit >= PERF_TYPE_MAX && p->p_unit <= UINT32_MAX)
		return 0; /* for example msr; perf_event_counter() knows them */
	return reason_fail(rs, EINVAL,
	    "this machine has no hardware counters: unit %llu and event %llu "
	    "are unavailable",
	    (unsigned long long)p->p_unit, (unsigned long long)p->p_event);
}

static int
is_clock(const struct tprof_param *p)
{
	return p->p_unit == PERF_TYPE_SOFTWARE &&
	    (p->p_event == PERF_COUNT_SW_CPU_CLOCK ||
		p->p_event == PERF_COUNT_SW_TASK_CLOCK);
}

/* Takes a sample at each fault, switch and the like, which are rare. */
static uint64_t
soft_period(const struct tprof_param *p)
{
	return is_clock(p) ? soft_estimate_freq() / TPROF_HZ : 1;
}

/*
 * Returns the rate of clocks, which run whatever the load is.  The kernel
 * throttles counters of the processor, but not these.
 */
static uint64_t
perf_rate(const struct tprof_param *p, uint64_t period)
{
	if (!is_clock(p) || period == 0)
		return 0;
	return 1000000000 /
	    (period > CLOCK_MIN_NSECS ? period : CLOCK_MIN_NSECS);
}

static uint32_t
perf_bits(const struct tprof_param *p)
{
	return ((p->p_flags & TPROF_PARAM_KERN) == 0 ? PERF_NOKERNEL : 0) |
	    ((p->p_flags & TPROF_PARAM_USER) == 0 ? PERF_NOUSER : 0);
}

static int
perf_open(const struct tprof_param *p, unsigned int cpu, uint64_t period)
{
	if (p->p_unit > UINT32_MAX)
		return -EINVAL;
	return perf_event_counter(cpu, p->p_unit, p->p_event, perf_bits(p),
	    period);
}

static int
perf_open_command(const struct tprof_param *p, pid_t tid)
{
	if (p->p_unit > UINT32_MAX)
		return -EINVAL;
	return perf_event_command(tid, p->p_unit, p->p_event, perf_bits(p));
}

static const struct tprof_backend tprof_soft = {
	.tb_name = "software",
	.tb_ident = soft_ident,
	.tb_ncounters = soft_ncounters,
	.tb_estimate_freq = soft_estimate_freq,
	.tb_valid = soft_valid,
	.tb_period = soft_period,
	.tb_rate = perf_rate,
	.tb_open = perf_open,
	.tb_open_command = perf_open_command,
};

/*
 * Counters of the processor
 */

static pthread_once_t hard_once = PTHREAD_ONCE_INIT;
static uint32_t hard_id; /* by hard_once */
static uint64_t hard_freq;

/* Returns the first "vendor_id : NAME" of /proc/cpuinfo. */
static uint32_t
hard_vendor(void)
{
	char line[256], name[64] = "";
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f != NULL && name[0] == '\0' &&
	    fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "vendor_id : %63s", name);
	if (f != NULL)
		fclose(f);
	if (strcmp(name, "GenuineIntel") == 0)
		return TPROF_IDENT_INTEL_GENERIC;
	if (strcmp(name, "AuthenticAMD") == 0)
		return TPROF_IDENT_AMD_GENERIC;
#ifdef __aarch64__
	return TPROF_IDENT_ARMV8_GENERIC;
#else
	return TPROF_IDENT_OTHER;
#endif
}

/* Returns the maximum rate of a processor's cycles; 1e9 if it is unknown. */
static uint64_t
hard_khz(void)
{
	static const char path[] =
	    "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
	unsigned long long khz = 0;
	double mhz;
	char line[256];
	FILE *f;

	if ((f = fopen(path, "re")) != NULL) {
		if (fscanf(f, "%llu", &khz) != 1)
			khz = 0;
		fclose(f);
	}
	if (khz == 0 && (f = fopen("/proc/cpuinfo", "re")) != NULL) {
		while (khz == 0 && fgets(line, sizeof(line), f) != NULL)
			if (sscanf(line, "cpu MHz : %lf", &mhz) == 1)
				khz = mhz * 1000;
		fclose(f);
	}
	return khz != 0 ? khz : 1000000;
}

static void
hard_probe(void)
{
	int fd = perf_event_counter(PROBE_CPU, PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_CPU_CYCLES, 0, 0);

	if (fd < 0)
		return;
	close(fd);
	hard_freq = hard_khz() * 1000;
	hard_id = hard_vendor();
}

static uint32_t
hard_ident(void)
{
	pthread_once(&hard_once, hard_probe);
	return hard_id;
}

static uint64_t
hard_estimate_freq(void)
{
	return hard_freq;
}

/* The kernel checks the event when the counter is opened. */
static int
hard_valid(const struct tprof_param *p, struct reason *rs)
{
	if (p->p_unit <= UINT32_MAX)
		return 0;
	return reason_fail(rs, EINVAL, "there is no unit %llu",
	    (unsigned long long)p->p_unit);
}

static uint64_t
hard_period(const struct tprof_param *p)
{
	return p->p_unit == PERF_TYPE_SOFTWARE ? soft_period(p)
					       : hard_freq / TPROF_HZ;
}

static const struct tprof_backend tprof_hard = {
	.tb_name = "hardware",
	.tb_ident = hard_ident,
	.tb_ncounters = soft_ncounters, /* the kernel multiplexes */
	.tb_estimate_freq = hard_estimate_freq,
	.tb_valid = hard_valid,
	.tb_period = hard_period,
	.tb_rate = perf_rate,
	.tb_open = perf_open,
	.tb_open_command = perf_open_command,
};

/* In the order of preference. */
static const struct tprof_backend *const tprof_backends[] = { &tprof_hard,
	&tprof_soft };

const struct tprof_backend *
tprof_backend_get(void)
{
	size_t i;

	for (i = 0; i < sizeof(tprof_backends) / sizeof(tprof_backends[0]); i++)
		if (tprof_backends[i]->tb_ident() != TPROF_IDENT_NONE)
			return tprof_backends[i];
	return NULL;
}
