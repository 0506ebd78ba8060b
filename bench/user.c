/* SPDX-License-Identifier: ISC */
/*
 * Functions of user programs: the cost of a hit, for the traced thread, above
 * the same loop without a probe; attaching and detaching many functions; and
 * the time until a recording has its first event.  The peer is bpftrace, which
 * counts the hits.
 */
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"

#define USER_MAXROUNDS 16
#define USER_NFUNCS    1000
#define USER_PROGRAM   "/usr/bin/python3.11"

void user_function(uint64_t n);

static struct bench_dtd dtd;
static char user_self[PATH_MAX], user_probe[PATH_MAX + 64];

__attribute__((noinline, noclone, used, visibility("default"))) void
user_function(uint64_t n)
{
	__asm__ volatile("" : : "r"(n));
}

static void
user_loop(uint64_t n)
{
	while (n-- > 0)
		user_function(n);
}

static struct bench_call user_call = { "user", user_probe, user_loop };

/* The cost of a hit */

static double
cost_none(uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &user_call,
	    n);

	bench_load_go(bl);
	return bench_load_end_cputime(bl);
}

static double
cost_dt(uint64_t n, int iscounted)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &user_call,
	    n);
	struct dt *dt = bench_open(&dtd, 0);
	struct dtioc_agg ia = { 0 };
	struct dtioc_probe_info *info;
	double nsecs;

	bench_enable(dt, user_probe, iscounted ? 0 : DTEVT_FUNCARGS, 0);
	if (dt_lookup(dt, user_probe, &info) != 1)
		errx(1, "%s: %s", user_probe, dt_error(dt));
	ia.dtag_pbn = info->dtpi_pbn;
	free(info);
	if (iscounted && dt_ioctl(dt, DTIOCSAGG, &ia) == -1)
		errx(1, "%s: %s", user_probe, dt_error(dt));
	bench_record(dt, 1);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bench_record(dt, 0);
	dt_close(dt);
	return nsecs;
}

static double
cost_bpftrace(uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &user_call,
	    n);
	char text[PATH_MAX + 128];
	char *argv[] = { "bpftrace", "-e", text, NULL };
	double nsecs;
	pid_t pid;

	snprintf(text, sizeof(text), "uprobe:%s:user_function { @ = count(); }",
	    user_self);
	pid = bench_spawn(argv);
	client_ready(pid);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bench_wait(pid, SIGINT);
	return nsecs;
}

static void
user_cost(void)
{
	double record[USER_MAXROUNDS], count[USER_MAXROUNDS];
	double peer[USER_MAXROUNDS], none;
	uint64_t ncalls = bench_quick ? 50000 : 300000;
	int i, n = bench_rounds(7, 1);

	for (i = 0; i < n; i++) {
		none = cost_none(ncalls);
		record[i] = cost_dt(ncalls, 0) - none;
		count[i] = cost_dt(ncalls, 1) - none;
		peer[i] = cost_bpftrace(ncalls) - none;
	}
	bench_row_peer("user-record", record, peer, n);
	bench_row_peer("user-count", count, peer, n);
}

/* Many functions */

static void
user_attach(void)
{
	double attach[USER_MAXROUNDS], detach[USER_MAXROUNDS];
	struct dtioc_probe_info *info;
	struct dtioc_req rq = { 0 };
	int i, j, n = bench_rounds(5, 1);
	ssize_t nfuncs;
	struct dt *dt;
	int64_t t;

	if (access(USER_PROGRAM, R_OK) != 0)
		return;
	for (i = 0; i < n; i++) {
		dt = bench_open(&dtd, 0);
		nfuncs = dt_lookup(dt, "uprobe:" USER_PROGRAM ":*Py*:entry",
		    &info);
		if (nfuncs < USER_NFUNCS)
			errx(1, USER_PROGRAM ": %s", dt_error(dt));
		for (j = 0; j < USER_NFUNCS; j++) {
			rq.dtrq_pbn = info[j].dtpi_pbn;
			if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
				errx(1, "%s: %s", info[j].dtpi_func,
				    dt_error(dt));
		}
		free(info);
		t = bench_now();
		bench_record(dt, 1);
		attach[i] = (bench_now() - t) / 1e6;
		t = bench_now();
		bench_record(dt, 0);
		detach[i] = (bench_now() - t) / 1e6;
		dt_close(dt);
	}
	bench_row("user-attach", attach, n);
	bench_row("user-detach", detach, n);
}

/* The first event */

/* Runs a command, and returns the ms until its first output or its end. */
static double
first_run(char *const argv[], int isoutput)
{
	int64_t t = bench_now();
	int fd, got = 0;
	char buf[4096];
	double msecs = 0;
	ssize_t len;
	pid_t pid = bench_spawn_pipe(argv, &fd);

	while ((len = read(fd, buf, sizeof(buf))) > 0)
		if (!got && memmem(buf, (size_t)len, "malloc", 6) != NULL) {
			msecs = (bench_now() - t) / 1e6;
			got = 1;
		}
	close(fd);
	(void)waitpid(pid, NULL, 0);
	if (isoutput && !got)
		errx(1, "%s: no event", argv[0]);
	return isoutput ? msecs : (bench_now() - t) / 1e6;
}

static void
user_first(void)
{
	char path[PATH_MAX];
	char *dt[] = { path, "record", "uprobe:libc:malloc:entry", "-n", "1",
		"--", "ls", NULL };
	char *peer[] = { "bpftrace", "-e",
		"uprobe:libc:malloc { printf(\"malloc\\n\"); exit(); }", "-c",
		"/bin/ls", NULL };
	double ours[USER_MAXROUNDS], theirs[USER_MAXROUNDS];
	int i, n = bench_rounds(9, 1);

	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	for (i = 0; i < n; i++) {
		ours[i] = first_run(dt, 1);
		theirs[i] = first_run(peer, 0);
	}
	bench_row_peer("user-first", ours, theirs, n);
}

int
main(int argc, char **argv)
{
	bench_init(argc, argv);
	if (readlink("/proc/self/exe", user_self, sizeof(user_self) - 1) == -1)
		err(1, "/proc/self/exe");
	snprintf(user_probe, sizeof(user_probe),
	    "uprobe:%s:user_function:entry", user_self);
	bench_dtd_start(&dtd);
	user_cost();
	user_attach();
	bench_dtd_stop(&dtd);
	user_first();
	return 0;
}
