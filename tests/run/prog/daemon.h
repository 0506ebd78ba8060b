/* SPDX-License-Identifier: ISC */
/* Counts a daemon's descriptors, and checks that it is idle. */
#ifndef DAEMON_H
#define DAEMON_H

#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

/* A sanitizer has its own memory, and keeps freed memory for some time. */
#ifdef __SANITIZE_ADDRESS__
#define DAEMON_SANITIZED 1
#else
#define DAEMON_SANITIZED 0
#endif

struct daemon_fds {
	const struct prog_dtd *df_pd;
	unsigned int df_n; /* expected number */
	unsigned int df_now;
};

static inline unsigned int
daemon_nfds(const struct prog_dtd *pd)
{
	struct dirent *de;
	unsigned int n = 0;
	char path[64];
	DIR *d;

	if ((d = opendir(prog_proc(path, sizeof(path), pd->pd_pid, "fd"))) ==
	    NULL)
		err(1, "the daemon is gone: %s", path);
	while ((de = readdir(d)) != NULL)
		n += de->d_name[0] != '.';
	closedir(d);
	return n;
}

/* The second session: loads the programs that walk with unwind tables. */
static inline void
daemon_warm_tables(const struct prog_dtd *pd)
{
	struct dt *dt = prog_open(pd, 0);
	char line[128];

	prog_load_all(dt, DTEVT_USTACK | DTEVT_UTABLE);
	dt_close(dt);
	prog_dtd_line(pd, "close 0", "close 0", line, sizeof(line));
}

/*
 * First sessions create everything that is created once; then it is counted.
 */
static inline void
daemon_warm(const struct prog_dtd *pd, struct daemon_fds *df)
{
	struct dt *dt = prog_open(pd, 0);
	const uint64_t pc = (uint64_t)(uintptr_t)daemon_nfds;
	struct dtioc_getaux ga = { .dtga_pid = getpid() };
	struct dtioc_filter children = { .dtfi_set = DTFI_PID | DTFI_CHILDREN,
		.dtfi_pid = getpid() };
	struct dt_frames names; /* starts the symbolizer, too */
	char line[128];

	/* so that the programs of following are loaded, too */
	if (dt_ioctl(dt, DTIOCSFILTER, &children) == -1)
		errx(1, "SFILTER: %s", dt_error(dt));
	prog_load_all(dt, 0);
	if (dt_ioctl(dt, DTIOCGETAUXBASE, &ga) == -1) /* loads a program, too */
		errx(1, "GETAUXBASE: %s", dt_error(dt));
	if (dt_symbolize(dt, getpid(), prog_now(), &pc, 1, 0, &names) == 0)
		dt_frames_free(&names);
	dt_close(dt);
	prog_dtd_line(pd, NULL, "close 0", line, sizeof(line));
	daemon_warm_tables(pd);
	df->df_pd = pd;
	df->df_n = daemon_nfds(pd);
}

/*
 * Waits until the daemon has at most n descriptors, or until their number has
 * not fallen for a while.  The daemon closes links and perf events one after
 * another, each after a grace period of the kernel.
 */
static inline void
daemon_wait(struct daemon_fds *df, unsigned int n)
{
	const struct timespec pause = { 0, 5000000 };
	const int64_t limit = 20 * INT64_C(1000000000);
	unsigned int least = UINT_MAX;
	int64_t end = 0;

	while ((df->df_now = daemon_nfds(df->df_pd)) > n) {
		if (df->df_now < least) {
			least = df->df_now;
			end = prog_now() + limit;
		}
		if (prog_now() > end)
			break;
		nanosleep(&pause, NULL);
	}
}

/* Prints what the descriptors are of. */
static inline void
daemon_list(const struct prog_dtd *pd)
{
	char dir[64], path[400], to[256];
	struct dirent *de;
	ssize_t n;
	DIR *d;

	d = opendir(prog_proc(dir, sizeof(dir), pd->pd_pid, "fd"));
	while (d != NULL && (de = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		if ((n = readlink(path, to, sizeof(to))) > 0)
			warnx("%s is %.*s", de->d_name, (int)n, to);
	}
	if (d != NULL)
		closedir(d);
}

/* Waits until the daemon has no more descriptors than before. */
static inline void
daemon_same(struct daemon_fds *df)
{
	daemon_wait(df, df->df_n);
	if (df->df_now <= df->df_n)
		return;
	daemon_list(df->df_pd);
	errx(1, "the daemon has %u descriptors, had %u", df->df_now, df->df_n);
}

/* Takes what the daemon has after it has closed what it does not keep. */
static inline void
daemon_settle(struct daemon_fds *df)
{
	daemon_wait(df, df->df_n);
	df->df_n = df->df_now;
}

/*
 * Returns the CPU time that the idle daemon uses, in percent of a CPU.  This
 * waits for a fixed time, because there is no event to wait for.
 */
static inline double
daemon_busy(const struct prog_dtd *pd)
{
	const struct timespec pause = { 0, 300000000 };
	struct timespec a, b;
	int64_t start;
	clockid_t id;

	if (clock_getcpuclockid(pd->pd_pid, &id) != 0)
		errx(1, "no clock of the daemon");
	clock_gettime(id, &a);
	start = prog_now();
	nanosleep(&pause, NULL);
	clock_gettime(id, &b);
	return 100.0 * ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) /
	    (prog_now() - start);
}

#endif /* DAEMON_H */
