/* SPDX-License-Identifier: ISC */
/*
 * The clock of (open, CPU), and the ticks of it that did not come.
 *
 * The time since the clock was opened is laid out in periods.  A tick takes
 * the period that it ends, and those before it that nobody has taken are
 * missing; each is counted where it is found, before any filter.  dc_base is
 * where that has come to.  It moves by whole periods, so what a late tick is
 * late by never adds up: ticks and missing ones are together the time that
 * has passed, within one period, however long it was.
 *
 * Of the periods that are missing between two ticks, as many as the CPU was
 * idle for in that time are idle and no loss.  Where the kernel does not say
 * how long that was (exact is 0), the daemon tells them apart when the clock
 * is closed: it needs to know how many ticks came while the CPU was idle.
 *
 * All of this runs on the CPU itself, but for the closing of one that has
 * gone.  A clock is opened before its first tick and closed after the last,
 * so no tick comes in between.
 */
#ifndef BPF_DT_CLOCK_BPF_H
#define BPF_DT_CLOCK_BPF_H

#include "vmlinux/dt_vmlinux.h"
#include "bpf/dt_maps.bpf.h"

/* A variable of each CPU; static there, so not every kernel gives it out. */
extern const struct tick_sched tick_cpu_sched __ksym __weak;

/*
 * How long a CPU has been idle, ns.  In a tick that interrupted the idle
 * thread, that is up to date: the kernel adds at the entry of an interrupt.
 */
static __always_inline __u64
dt_idle_time(__u32 cpu)
{
	const struct tick_sched *ts = bpf_per_cpu_ptr(&tick_cpu_sched, cpu);

	return ts == NULL ? 0 : ts->idle_sleeptime + ts->iowait_sleeptime;
}

/* Periods are missing; idle: of this CPU, by now. */
static __always_inline void
dt_clock_missing(struct dt_count *c, __u64 period, __u64 missing, __u64 idle,
    const int exact)
{
	__u64 n = 0;

	if (!exact) {
		__sync_fetch_and_add(&c->dc_unknown, missing);
		return;
	}
	/* An idle CPU whose clock stops has been idle for a period more or
	 * less than there are ticks missing. */
	if (idle > c->dc_idle0)
		n = (idle - c->dc_idle0 + period / 2) / period;
	if (n > missing)
		n = missing;
	__sync_fetch_and_add(&c->dc_idle, n);
	__sync_fetch_and_add(&c->dc_skiptick, missing - n);
}

static __always_inline void
dt_clock_tick(struct dt_count *c, __u32 cpu, __u64 period, __u64 now,
    int isidle, const int exact)
{
	__u64 idle = exact ? dt_idle_time(cpu) : 0, n = 1;

	if (c->dc_base == 0 || period == 0)
		return;
	/* Signed: what is ahead of its period by jitter takes it, too. */
	if ((__s64)(now - c->dc_base) > (__s64)(period + period / 2))
		n = (now - c->dc_base + period / 2) / period;
	c->dc_base += n * period;
	if (n > 1)
		dt_clock_missing(c, period, n - 1, idle, exact);
	if (exact)
		c->dc_idle0 = idle;
	else if (isidle)
		c->dc_idleticks++;
}

static __always_inline void
dt_clock_open(struct dt_count *c, __u32 cpu, const int exact)
{
	if (exact)
		c->dc_idle0 = dt_idle_time(cpu);
	c->dc_base = bpf_ktime_get_ns();
}

static __always_inline void
dt_clock_close(struct dt_count *c, __u32 cpu, __u64 period, const int exact)
{
	__s64 rest = bpf_ktime_get_ns() - c->dc_base;

	if (c->dc_base != 0 && period != 0 && rest > (__s64)period)
		dt_clock_missing(c, period, (__u64)rest / period,
		    exact ? dt_idle_time(cpu) : 0, exact);
	c->dc_base = 0;
}

#endif /* BPF_DT_CLOCK_BPF_H */
