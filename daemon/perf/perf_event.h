/* SPDX-License-Identifier: ISC */
/*
 * Opens perf events, directly or, where dtd lacks the right, in the monitor
 * process (monitor.h).  No other code of dtd opens them.  The kinds of events
 * are a fixed list, to limit what the monitor does.
 */
#ifndef DAEMON_PERF_PERF_EVENT_H
#define DAEMON_PERF_PERF_EVENT_H

#include <stdint.h>
#include <sys/types.h>

#define PERF_NAMEMAX 128 /* bytes of a function's name, with its NUL */

enum perf_kind {
	PERF_CLOCK,	 /* number: period in ns */
	PERF_SIDEBAND,	 /* mappings, execs and exits of processes */
	PERF_TRACEPOINT, /* number: its id */
	PERF_KPROBE,	 /* number: address, or offset from the name */
	PERF_KRETPROBE,	 /* the same */
	PERF_UPROBE,	 /* number: offset in the file pw_fd */
	PERF_URETPROBE,	 /* the same */
	PERF_STATS,	 /* no event: enables run times of BPF programs */
	PERF_COUNTER,	 /* tprof's; number: period, 0: counting only */
	PERF_NKINDS
};

/* pw_bits: modes that do not count */
#define PERF_NOKERNEL 0x1
#define PERF_NOUSER   0x2

/* Describes an event; sent to the monitor. */
struct perf_want {
	uint32_t pw_kind;
	int32_t pw_cpu; /* unless pw_tid is set */
	uint64_t pw_number;
	/* PERF_COUNTER: the event, in its unit; PERF_UPROBE: offset of the
	 * counter of users, 0: none */
	uint64_t pw_event;
	uint32_t pw_unit; /* the PMU's type number */
	uint32_t pw_bits; /* PERF_NO* */
	/* PERF_COUNTER: counts this thread and its descendants, from its next
	 * execve(2) on; 0: counts the CPU */
	int32_t pw_tid;
	int32_t pw_fd; /* PERF_UPROBE: the file, sent along to the monitor */
	char pw_name[PERF_NAMEMAX]; /* or "" */
};

/*
 * The functions below return a descriptor, closed by execve(2), or a negative
 * errno.  They may block, for a kprobe tens of milliseconds.  Any thread.
 *
 * EIO: the monitor process has ended; perf_event_strerror() has a text for it.
 */

/* Not enabled. */
int perf_event_clock(int cpu, uint64_t period);
/*
 * Enabled; the caller maps it and receives its records, with CLOCK_MONOTONIC.
 * Files are identified by device and inode: ignore
 * PERF_RECORD_MISC_MMAP_BUILD_ID, which another program's event may have
 * caused.
 */
int perf_event_sideband(int cpu);
/* Not enabled; a program attached to it still runs on all CPUs. */
int perf_event_tracepoint(int cpu, uint32_t id);
/* func NULL: where is a kernel address, else an offset in func. */
int perf_event_kprobe(const char *func, uint64_t where, int isreturn);
/*
 * A place in a file; semaphore: offset of a 16-bit counter in the file, which
 * the kernel increments in each process, or 0.  The file is open, O_PATH.
 */
int
perf_event_uprobe(int file, uint64_t offset, uint32_t semaphore, int isreturn);
/*
 * A counter of a CPU, not enabled.  EINVAL: unit is not a counting PMU (listed
 * in perf_event_open.c): generic hardware, software and cache events, and the
 * processor's own PMUs.
 */
int perf_event_counter(int cpu, uint32_t unit, uint64_t event, uint32_t bits,
    uint64_t period);
/*
 * The same for a thread and all threads and processes that it and its
 * descendants start.  The event enables itself when the thread executes a
 * program.  It takes no samples.
 */
int perf_event_command(pid_t tid, uint32_t unit, uint64_t event, uint32_t bits);
/* While it is open, the kernel counts run times of BPF programs. */
int perf_event_stats(void);

/* The kernel returns it for an instruction that it cannot probe; libc has no name. */
#define KERNEL_ENOTSUPP 524

/* Returns the errno's text, or a better known reason. */
const char *perf_event_strerror(int error);
/* Returns why no event can be opened any more, or NULL. */
const char *perf_event_broken(void);

/*
 * Opens the event in this process (perf_event_open.c); the caller has checked kind
 * and name.
 */
int perf_event_direct(const struct perf_want *);
/* Reads the required files of sysfs. */
void perf_event_init(void);

#endif /* DAEMON_PERF_PERF_EVENT_H */
