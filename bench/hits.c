/* SPDX-License-Identifier: ISC */
/*
 * Cost of a recorded hit of a tracepoint or kernel function for the thread that
 * causes it, compared with perf record, with bpftrace counting the hits, and
 * with an empty BPF program, the lower bound for tracers of this kind.
 *
 * The cost is CPU time of the thread, minus its CPU time without tracing.  On
 * a machine with one CPU, the readers run in between, and their time is
 * excluded.
 */
#include <sys/syscall.h>
#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bench/bench.h"
#include "bench/client.h"
#include "empty.skel.h"
#include "bench/perf.h"

#define HITS_MAXROUNDS 16
#define HITS_QUIETMS   20
#define HITS_TRIAL     20000 /* calls for estimating the time of one */
#define HITS_KPROBES   "/sys/bus/event_source/devices/kprobe/type"
#define HITS_EVENTS    "/sys/kernel/tracing/kprobe_events"

/* Tracers of a hit. */
enum peer {
	PEER_DT,
	PEER_PERF,
	PEER_BPFTRACE,
	PEER_EMPTY,
	NPEERS
};

struct hit {
	const char *hi_row;	 /* row with perf; the others have a suffix */
	const char *hi_probe;	 /* probe of dt */
	const char *hi_bpftrace; /* probe of bpftrace */
	const char *hi_perf;	 /* event of perf */
	const char *hi_define;	 /* defines perf's event; or NULL */
	void (*hi_loop)(uint64_t);
};

static struct bench_dtd dtd;
static struct empty_bpf *empty;

/* Calls that cause one hit each */

static void
loop_getppid(uint64_t n)
{
	while (n-- > 0)
		(void)syscall(SYS_getppid);
}

/* Sets a timer that is off. */
static void
loop_itimer(uint64_t n)
{
	const struct itimerval off = { { 0, 0 }, { 0, 0 } };

	while (n-- > 0)
		(void)setitimer(ITIMER_VIRTUAL, &off, NULL);
}

/* A driver function called through a pointer, so it is never inlined. */
static void
loop_lseek(uint64_t n)
{
	static int fd;

	if (fd == 0 && (fd = open("/dev/null", O_RDONLY)) == -1)
		err(1, "open");
	while (n-- > 0)
		(void)syscall(SYS_lseek, fd, 0L, SEEK_CUR);
}

static const struct hit tracepoints[] = {
	{ "tp0", "tracepoint:syscalls:sys_enter_getppid",
	    "tracepoint:syscalls:sys_enter_getppid",
	    "syscalls:sys_enter_getppid", NULL, loop_getppid },
	{ "tp2", "tracepoint:skb:skb_copy_datagram_iovec",
	    "tracepoint:skb:skb_copy_datagram_iovec",
	    "skb:skb_copy_datagram_iovec", NULL, bench_peek },
	{ "tp6", "tracepoint:timer:itimer_state",
	    "tracepoint:timer:itimer_state", "timer:itimer_state", NULL,
	    loop_itimer },
};

static const struct hit functions[] = {
	{ "fn-entry", "kprobe:null_lseek:entry", "kprobe:null_lseek",
	    "dtbench:entry",
	    "p:dtbench/entry null_lseek file=$arg1 offset=$arg2:s64 "
	    "whence=$arg3:s32",
	    loop_lseek },
	{ "fn-return", "kprobe:null_lseek:return", "kretprobe:null_lseek",
	    "dtbench:return", "r:dtbench/return null_lseek ret=$retval:s64",
	    loop_lseek },
};

/* Tracers: each returns the CPU time of a call, ns */

static struct bench_load *
load_start(const struct hit *hi, uint64_t n)
{
	const struct bench_call bc = { hi->hi_row, hi->hi_probe, hi->hi_loop };

	return bench_load_start(bench_ncpu() - 1, &bc, n);
}

static double
run_none(const struct hit *hi, uint64_t n)
{
	struct bench_load *bl = load_start(hi, n);

	bench_load_go(bl);
	return bench_load_end_cputime(bl);
}

static double
run_dt(const struct hit *hi, uint64_t n)
{
	struct bench_load *bl = load_start(hi, n);
	struct dt *dt = bench_open(&dtd, 0);
	struct dt_event ev;
	uint64_t nread = 0;
	int r;

	/* excludes hits of the daemon */
	bench_filter_pid(dt, bl->bl_pid);
	bench_enable(dt, hi->hi_probe, DTEVT_FUNCARGS, 0);
	bench_record(dt, 1);
	bench_load_go(bl);
	while ((r = dt_next(dt, &ev, HITS_QUIETMS)) == 1 ||
	    (r == 0 && !bench_load_done(bl)))
		nread += r;
	if (r == -1)
		err(1, "dt_next: %s", dt_error(dt));
	bench_record(dt, 0);
	while ((r = dt_next(dt, &ev, -1)) == 1)
		nread++;
	if (r == -1 && errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	dt_close(dt);
	if (nread < n / 2)
		errx(1, "%s: %llu events of %llu hits", hi->hi_probe,
		    (unsigned long long)nread, (unsigned long long)n);
	return bench_load_end_cputime(bl);
}

static double
run_perf(const struct hit *hi, uint64_t n)
{
	struct bench_load *bl = load_start(hi, n);
	char event[64], null[] = "/dev/null";
	struct perf pe;
	double nsecs;

	snprintf(event, sizeof(event), "%s", hi->hi_perf);
	perf_start_event(&pe, event, null);
	perf_enable(&pe);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	perf_stop(&pe);
	return nsecs;
}

static double
run_bpftrace(const struct hit *hi, uint64_t n)
{
	struct bench_load *bl = load_start(hi, n);
	char text[128];
	char *argv[] = { "bpftrace", "-e", text, NULL };
	double nsecs;
	pid_t pid;

	snprintf(text, sizeof(text), "%s { @ = count(); }", hi->hi_bpftrace);
	pid = bench_spawn(argv);
	client_ready(pid);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bench_wait(pid, SIGINT);
	return nsecs;
}

/* Attaches like dt: by kprobe.multi where available, else by a trampoline. */
static struct bpf_link *
attach_function(const char *name, int isreturn)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .retprobe = isreturn,
	    .syms = &name, .cnt = 1);
	struct bpf_link *link;

	link = bpf_program__attach_kprobe_multi_opts(isreturn
		? empty->progs.empty_retmulti
		: empty->progs.empty_multi,
	    NULL, &opts);
	if (link == NULL)
		link = bpf_program__attach(isreturn
			? empty->progs.empty_fexit
			: empty->progs.empty_fentry);
	return link;
}

/* Attaches by the probe's name in bpftrace: kind:A or kind:A:B. */
static struct bpf_link *
attach_empty(const struct hit *hi)
{
	char text[128], *kind = text, *a, *b;

	snprintf(text, sizeof(text), "%s", hi->hi_bpftrace);
	a = strchr(text, ':');
	*a++ = '\0';
	if ((b = strchr(a, ':')) == NULL)
		return attach_function(a, strcmp(kind, "kretprobe") == 0);
	*b++ = '\0';
	return bpf_program__attach_tracepoint(empty->progs.empty_tracepoint, a,
	    b);
}

static double
run_empty(const struct hit *hi, uint64_t n)
{
	struct bench_load *bl = load_start(hi, n);
	struct bpf_link *link = attach_empty(hi);
	double nsecs;

	if (link == NULL)
		err(1, "empty program at %s", hi->hi_bpftrace);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bpf_link__destroy(link);
	return nsecs;
}

static double (*const runs[NPEERS])(const struct hit *, uint64_t) = {
	[PEER_DT] = run_dt,
	[PEER_PERF] = run_perf,
	[PEER_BPFTRACE] = run_bpftrace,
	[PEER_EMPTY] = run_empty,
};

/* Rows */

/* Defines perf's event of a function; line NULL: removes all. */
static void
perf_define(const char *line)
{
	int fd = open(HITS_EVENTS,
	    O_WRONLY | O_CLOEXEC | (line != NULL ? O_APPEND : O_TRUNC));

	if (fd == -1)
		err(1, HITS_EVENTS);
	if (line != NULL && write(fd, line, strlen(line)) == -1)
		err(1, "%s", line);
	close(fd);
}

/* Returns a number of calls that takes a fixed time untraced. */
static uint64_t
hits_ncalls(const struct hit *hi)
{
	const double nsecs = bench_quick ? 10e6 : 50e6;

	return nsecs / run_none(hi, HITS_TRIAL);
}

static void
hits_rows(const struct hit *hi, double added[NPEERS][HITS_MAXROUNDS], int n)
{
	char name[64];

	bench_row_peer(hi->hi_row, added[PEER_DT], added[PEER_PERF], n);
	snprintf(name, sizeof(name), "%s-bpftrace", hi->hi_row);
	bench_row_peer(name, added[PEER_DT], added[PEER_BPFTRACE], n);
	snprintf(name, sizeof(name), "%s-empty", hi->hi_row);
	bench_row_peer(name, added[PEER_DT], added[PEER_EMPTY], n);
}

static void
hits(const struct hit *hi)
{
	double added[NPEERS][HITS_MAXROUNDS], none[HITS_MAXROUNDS], before;
	int i, peer, n = bench_rounds(5, 1);
	uint64_t ncalls = hits_ncalls(hi);

	if (hi->hi_define != NULL)
		perf_define(hi->hi_define);
	for (i = 0; i < n; i++) {
		before = run_none(hi, ncalls);
		for (peer = 0; peer < NPEERS; peer++)
			added[peer][i] = runs[peer](hi, ncalls);
		none[i] = (before + run_none(hi, ncalls)) / 2;
		for (peer = 0; peer < NPEERS; peer++)
			added[peer][i] -= none[i];
	}
	if (hi->hi_define != NULL)
		perf_define(NULL);
	hits_rows(hi, added, n);
	bench_note("a call that hits %s takes %.0f ns of CPU time untraced",
	    hi->hi_probe, bench_median(none, n));
}

static void
hits_open(int hasfunctions)
{
	libbpf_set_print(NULL);
	if ((empty = empty_bpf__open()) == NULL)
		err(1, "empty");
	bpf_program__set_autoload(empty->progs.empty_fentry, hasfunctions);
	bpf_program__set_autoload(empty->progs.empty_fexit, hasfunctions);
	bpf_program__set_autoload(empty->progs.empty_multi, hasfunctions);
	bpf_program__set_autoload(empty->progs.empty_retmulti, hasfunctions);
	if (empty_bpf__load(empty) != 0)
		err(1, "empty");
}

int
main(int argc, char **argv)
{
	int hasfunctions = access(HITS_KPROBES, F_OK) == 0;
	size_t i;

	bench_init(argc, argv);
	hits_open(hasfunctions);
	bench_dtd_start(&dtd);
	for (i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++)
		hits(&tracepoints[i]);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (hasfunctions)
			hits(&functions[i]);
	if (!hasfunctions)
		bench_note("this kernel has no kprobes: use make bench-vm for "
			   "rows of functions");
	bench_dtd_stop(&dtd);
	empty_bpf__destroy(empty);
	return 0;
}
