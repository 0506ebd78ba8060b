/* SPDX-License-Identifier: ISC */
/*
 * The clock of a session on one CPU, and the count of its missing ticks.
 *
 * The time since the clock was opened is divided into periods.  A tick takes
 * the period that it ends.  Earlier periods that no tick has taken are
 * missing, and are counted here, before any filter.  dc_base is the end of the
 * last period accounted for.  It advances by whole periods, so delays of
 * single ticks do not add up: ticks plus missing ticks equal the elapsed time
 * to within one period.
 *
 * Missing periods during which the CPU was idle count as idle, not as skipped.
 * If the kernel does not provide the CPU's idle time (exact is 0), missing
 * periods count as unknown, and the daemon classifies them when the clock is
 * closed.  For that it needs the number of ticks that interrupted the idle
 * thread.
 *
 * Runs in perf_event programs (ticks) and raw_tp programs (open, close), all on
 * the CPU of the clock; only the clock of an offline CPU is closed from another
 * one.  A clock is opened before its first tick and closed after its last, so
 * none of these functions races with a tick.
 */
#ifndef BPF_DT_CLOCK_BPF_H
#define BPF_DT_CLOCK_BPF_H

#include "vmlinux/dt_vmlinux.h"
#include "bpf/dt_maps.bpf.h"

/* A static per-CPU variable, so some kernels do not expose it to BPF. */
extern const struct tick_sched tick_cpu_sched __ksym __weak;

/*
 * Returns how long a CPU has been idle, ns.  The value is current in a tick
 * that interrupted the idle thread: the kernel updates it at interrupt entry.
 */
static __always_inline __u64
dt_idle_time(__u32 cpu)
{
	const struct tick_sched *ts = bpf_per_cpu_ptr(&tick_cpu_sched, cpu);

	return ts == NULL ? 0 : ts->idle_sleeptime + ts->iowait_sleeptime;
}

/* Counts missing periods.  idle: idle time of this CPU by now, ns. */
static __always_inline void
dt_clock_missing(struct dt_count *c, __u64 period, __u64 missing, __u64 idle,
    const int exact)
{
	__u64 n = 0;

	if (!exact) {
		__sync_fetch_and_add(&c->dc_unknown, missing);
		return;
	}
	/*
	 * A CPU that stops its clock while idle has been idle for up to one
	 * period more or less than the missing periods.
	 */
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
	/*
	 * Signed: jitter may put a tick before the end of its period; such a
	 * tick takes the period all the same.
	 */
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
