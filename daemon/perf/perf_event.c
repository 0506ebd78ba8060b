/* SPDX-License-Identifier: ISC */
/*
 * Opens perf events in this process or through the monitor.
 */
#include <errno.h>
#include <string.h>

#include "daemon/perf/monitor.h"
#include "daemon/perf/perf_event.h"

static int
want_open(const struct perf_want *pw)
{
	return monitor_is_used() ? monitor_open(pw) : perf_event_direct(pw);
}

int
perf_event_clock(int cpu, uint64_t period)
{
	struct perf_want pw = { .pw_kind = PERF_CLOCK,
		.pw_cpu = cpu,
		.pw_number = period };

	return want_open(&pw);
}

int
perf_event_sideband(int cpu)
{
	struct perf_want pw = { .pw_kind = PERF_SIDEBAND, .pw_cpu = cpu };

	return want_open(&pw);
}

int
perf_event_tracepoint(int cpu, uint32_t id)
{
	struct perf_want pw = { .pw_kind = PERF_TRACEPOINT,
		.pw_cpu = cpu,
		.pw_number = id };

	return want_open(&pw);
}

int
perf_event_kprobe(const char *func, uint64_t where, int isreturn)
{
	struct perf_want pw = { .pw_kind = isreturn ? PERF_KRETPROBE
						    : PERF_KPROBE,
		.pw_number = where };

	if (func != NULL) {
		if (strlen(func) >= sizeof(pw.pw_name))
			return -ENAMETOOLONG;
		strcpy(pw.pw_name, func);
	}
	return want_open(&pw);
}

int
perf_event_uprobe(int file, uint64_t offset, uint32_t semaphore, int isreturn)
{
	struct perf_want pw = { .pw_kind = isreturn ? PERF_URETPROBE
						    : PERF_UPROBE,
		.pw_number = offset,
		.pw_event = semaphore,
		.pw_fd = file };

	return want_open(&pw);
}

int
perf_event_counter(int cpu, uint32_t unit, uint64_t event, uint32_t bits,
    uint64_t period)
{
	struct perf_want pw = { .pw_kind = PERF_COUNTER,
		.pw_cpu = cpu,
		.pw_number = period,
		.pw_event = event,
		.pw_unit = unit,
		.pw_bits = bits };

	return want_open(&pw);
}

int
perf_event_command(pid_t tid, uint32_t unit, uint64_t event, uint32_t bits)
{
	struct perf_want pw = { .pw_kind = PERF_COUNTER,
		.pw_event = event,
		.pw_unit = unit,
		.pw_bits = bits,
		.pw_tid = tid };

	return want_open(&pw);
}

int
perf_event_stats(void)
{
	struct perf_want pw = { .pw_kind = PERF_STATS };

	return want_open(&pw);
}

const char *
perf_event_broken(void)
{
	return monitor_is_used() ? monitor_broken() : NULL;
}

const char *
perf_event_strerror(int error)
{
	const char *why = error == EIO ? perf_event_broken() : NULL;

	if (error == ETIMEDOUT)
		why = "the kernel takes too long to open it";
	if (error == KERNEL_ENOTSUPP)
		why = "the kernel cannot put a breakpoint on its first "
		      "instruction";
	return why != NULL ? why : strerror(error);
}
