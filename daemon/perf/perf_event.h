/* SPDX-License-Identifier: ISC */
/*
 * Perf events: the one place where dtd opens them, by itself, or where it
 * may not, by the monitor process (monitor.h).  What can be had is a fixed
 * list, since that is all that the monitor does for anybody.
 */
#ifndef DAEMON_PERF_PERF_EVENT_H
#define DAEMON_PERF_PERF_EVENT_H

#include <stdint.h>
#include <sys/types.h>

#define PERF_NAMEMAX 128 /* of a function, with its NUL */

enum perf_kind {
	PERF_CLOCK,	 /* number: period in ns */
	PERF_SIDEBAND,	 /* what processes map, execute, and how they end */
	PERF_TRACEPOINT, /* number: its id */
	PERF_KPROBE,	 /* number: address, or offset from the name */
	PERF_KRETPROBE,	 /* the same */
	PERF_STATS,	 /* no event: run times of BPF programs count */
	PERF_COUNTER,	 /* of tprof; number: period, 0: it only counts */
	PERF_NKINDS
};

/* pw_bits: does not count there */
#define PERF_NOKERNEL 0x1
#define PERF_NOUSER   0x2

/* What is wanted; what the monitor is sent. */
struct perf_want {
	uint32_t pw_kind;
	int32_t pw_cpu; /* of an event, unless pw_tid is set */
	uint64_t pw_number;
	uint64_t pw_event; /* PERF_COUNTER: which, in its unit */
	uint32_t pw_unit;  /* the kernel's number of what counts it */
	uint32_t pw_bits;  /* PERF_NO* */
	/* PERF_COUNTER: counts this thread and its descendants, from its next
	 * execve(2) on; 0: counts the CPU */
	int32_t pw_tid;
	char pw_name[PERF_NAMEMAX]; /* or "" */
};

/*
 * A descriptor, closed by execve(2), or a negative errno.  From any thread;
 * they may wait, a kprobe's for tens of milliseconds.
 *
 * EIO: the monitor process has ended.  perf_event_strerror() tells it.
 */

/* Not enabled. */
int perf_event_clock(int cpu, uint64_t period);
/*
 * Enabled; its records come to who maps it, at CLOCK_MONOTONIC.  Files are told
 * by device and inode: PERF_RECORD_MISC_MMAP_BUILD_ID means nothing here, as
 * another program's event may have set it.
 */
int perf_event_sideband(int cpu);
/* Not enabled; a program attached to it runs on all CPUs all the same. */
int perf_event_tracepoint(int cpu, uint32_t id);
/* func NULL: where is an address of the kernel, else an offset in func. */
int perf_event_kprobe(const char *func, uint64_t where, int isreturn);
/*
 * A counter of a CPU, not enabled.  EINVAL: unit is none of those that only
 * count (perf_direct.c has them): generic hardware, software and cache events,
 * and what the processor's own counters are called here.
 */
int perf_event_counter(int cpu, uint32_t unit, uint64_t event, uint32_t bits,
    uint64_t period);
/*
 * The same of a thread and of the threads and processes that it and its
 * children start.  The event enables itself when the thread executes a program.
 * It takes no samples.
 */
int perf_event_command(pid_t tid, uint32_t unit, uint64_t event, uint32_t bits);
/* While it is open, the kernel counts run times of BPF programs. */
int perf_event_stats(void);

/* The errno's text, or what is known beside it. */
const char *perf_event_strerror(int error);
/* Why nothing of this can be had any more, or NULL. */
const char *perf_event_lacks(void);

/*
 * In the process that may (perf_direct.c); kind and name are to be in bounds.
 */
int perf_event_direct(const struct perf_want *);
/* Reads what that needs from files. */
void perf_event_init(void);

#endif /* DAEMON_PERF_PERF_EVENT_H */
