/* SPDX-License-Identifier: ISC */
/*
 * Opens perf events in this process.  Attributes are set here from a kind and a
 * number; callers cannot supply others.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/cpus.h"
#include "daemon/perf/perf_event.h"

#define PMU_FOLDER    "/sys/bus/event_source/devices"
#define PMU_MAX	      8 /* counting PMUs of this machine */

#define COMMAND_USECS 50000 /* time limit while a process executes a program */

/* types of the PMUs, 0: none; set by init */
static uint32_t kprobe_type, uprobe_type;
static uint32_t counter_types[PMU_MAX]; /* set by init */
static unsigned int counter_ntypes;

/* PMUs that only count what a processor does, by prefix of their names. */
static const char *const counter_pmus[] = { "cpu", "armv8_", "armv7_", "msr" };

static uint32_t
read_type(const char *pmu)
{
	char path[sizeof(PMU_FOLDER) + 280];
	uint32_t type;
	FILE *f;

	snprintf(path, sizeof(path), PMU_FOLDER "/%s/type", pmu);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	if (fscanf(f, "%u", &type) != 1)
		type = 0;
	fclose(f);
	return type;
}

static void
read_counter(const char *pmu)
{
	uint32_t type;
	size_t i;

	for (i = 0; i < sizeof(counter_pmus) / sizeof(counter_pmus[0]); i++)
		if (strncmp(pmu, counter_pmus[i], strlen(counter_pmus[i])) ==
			0 &&
		    counter_ntypes < PMU_MAX && (type = read_type(pmu)) != 0)
			counter_types[counter_ntypes++] = type;
}

static void
read_types(void)
{
	struct dirent *de;
	DIR *d = opendir(PMU_FOLDER);

	kprobe_type = read_type("kprobe");
	uprobe_type = read_type("uprobe");
	while (d != NULL && (de = readdir(d)) != NULL)
		read_counter(de->d_name);
	if (d != NULL)
		closedir(d);
}

/* Excludes tracepoints, breakpoints, probes and processor traces. */
static int
is_counter(const struct perf_want *pw)
{
	unsigned int i;

	switch (pw->pw_unit) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return 1;
	case PERF_TYPE_SOFTWARE:
		return pw->pw_event <= PERF_COUNT_SW_EMULATION_FAULTS;
	}
	for (i = 0; i < counter_ntypes; i++)
		if (pw->pw_unit == counter_types[i])
			return 1;
	return 0;
}

/* Interrupts the system call of the waiting thread with EINTR. */
static void
on_alarm(int sig __attribute__((unused)))
{
}

static void
init_once(void)
{
	const struct sigaction sa = { .sa_handler = on_alarm };

	read_types();
	(void)cpus_end(); /* the monitor cannot read it later */
	(void)sigaction(SIGALRM, &sa, NULL);
}

void
perf_event_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_once);
}

/*
 * Uses a period, not a frequency: the kernel's frequency mode drops up to half
 * of the ticks at some rates.
 */
static void
attr_clock(struct perf_event_attr *attr, const struct perf_want *pw)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = pw->pw_number;
	attr->disabled = 1;
}

/*
 * A dummy event, for its side-band records.  A half-full ring
 * wakes the reader.  Without build ids: if one event requests them, the kernel
 * (5.12 to 6.18 at least) marks the records of all events as having one, and
 * perf script crashes.
 */
static void
attr_sideband(struct perf_event_attr *attr,
    const struct perf_want *pw __attribute__((unused)))
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC; /* as in dtd's records */
	attr->watermark = 1;
}

static void
attr_tracepoint(struct perf_event_attr *attr, const struct perf_want *pw)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = pw->pw_number;
	attr->disabled = 1;
}

static void
attr_kprobe(struct perf_event_attr *attr, const struct perf_want *pw)
{
	attr->type = kprobe_type;
	attr->config = pw->pw_kind == PERF_KRETPROBE;
	attr->config1 = pw->pw_name[0] != '\0' ? (uintptr_t)pw->pw_name : 0;
	attr->config2 = pw->pw_number;
}

/* The upper half of config is the offset of the counter of users. */
static void
attr_uprobe(struct perf_event_attr *attr, const struct perf_want *pw)
{
	attr->type = uprobe_type;
	attr->config = (pw->pw_kind == PERF_URETPROBE) | pw->pw_event << 32;
	attr->config1 = (uintptr_t)pw->pw_name;
	attr->config2 = pw->pw_number;
}

static void
attr_counter(struct perf_event_attr *attr, const struct perf_want *pw)
{
	attr->type = pw->pw_unit;
	attr->config = pw->pw_event;
	attr->sample_period = pw->pw_number;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
	    PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->exclude_kernel = (pw->pw_bits & PERF_NOKERNEL) != 0;
	attr->exclude_user = (pw->pw_bits & PERF_NOUSER) != 0;
	attr->disabled = 1;
	attr->inherit = attr->enable_on_exec = pw->pw_tid != 0;
}

static void (*const attrs[PERF_NKINDS])(struct perf_event_attr *,
    const struct perf_want *) = {
	[PERF_CLOCK] = attr_clock,
	[PERF_SIDEBAND] = attr_sideband,
	[PERF_TRACEPOINT] = attr_tracepoint,
	[PERF_KPROBE] = attr_kprobe,
	[PERF_KRETPROBE] = attr_kprobe,
	[PERF_UPROBE] = attr_uprobe,
	[PERF_URETPROBE] = attr_uprobe,
	[PERF_COUNTER] = attr_counter,
};

/*
 * libbpf's function would move the descriptor above 2, which needs more system
 * calls.
 */
static int
open_stats(void)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	fd = syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));
	return fd == -1 ? -errno : fd;
}

/*
 * Opens the event of a command.  The kernel blocks while the command's process
 * executes a program, possibly forever if a file that it closes is on a file
 * system that does not respond.  A timer limits the wait.  All other threads
 * block its signal, and tprof has one session, so only one such event is opened
 * at a time.
 */
static int
open_command(struct perf_event_attr *attr, pid_t tid)
{
	const struct timeval usecs = { .tv_usec = COMMAND_USECS };
	/* repeats, as the first signal may precede the system call */
	const struct itimerval on = { usecs, usecs }, off = { { 0 }, { 0 } };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	(void)setitimer(ITIMER_REAL, &on, NULL);
	fd = syscall(SYS_perf_event_open, attr, tid, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (fd == -1)
		fd = errno == EINTR ? -ETIMEDOUT : -errno;
	(void)setitimer(ITIMER_REAL, &off, NULL);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	return fd;
}

int
perf_event_direct(const struct perf_want *pw)
{
	struct perf_event_attr attr;
	struct perf_want file = *pw;
	int fd;

	if (pw->pw_kind == PERF_STATS)
		return open_stats();
	/* the kernel accesses the data of the CPU before it checks */
	if (pw->pw_cpu >= 0 && !cpus_ispossible(pw->pw_cpu))
		return -ENODEV;
	perf_event_init();
	if (attrs[pw->pw_kind] == attr_kprobe && kprobe_type == 0)
		return -ENOENT; /* no CONFIG_KPROBE_EVENTS */
	if (attrs[pw->pw_kind] == attr_uprobe && uprobe_type == 0)
		return -ENOENT; /* no CONFIG_UPROBE_EVENTS */
	if (pw->pw_kind == PERF_COUNTER && !is_counter(pw))
		return -EINVAL;
	if (pw->pw_tid != 0 &&
	    (pw->pw_kind != PERF_COUNTER || pw->pw_number != 0 ||
		pw->pw_tid < 0))
		return -EINVAL;
	if (attrs[pw->pw_kind] == attr_uprobe) {
		/* the kernel looks the file up by name */
		snprintf(file.pw_name, sizeof(file.pw_name), "/proc/self/fd/%d",
		    pw->pw_fd);
		pw = &file;
	}
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attrs[pw->pw_kind](&attr, pw);
	if (pw->pw_tid != 0)
		return open_command(&attr, pw->pw_tid);
	fd = syscall(SYS_perf_event_open, &attr, -1, pw->pw_cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);
	return fd == -1 ? -errno : fd;
}
