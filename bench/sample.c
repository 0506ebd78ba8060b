/* SPDX-License-Identifier: ISC */
/*
 * Time that a clock sample with 30 user frames takes from the program that it
 * interrupts, by unwind tables, by frame pointers, and with a copy of the stack
 * (perf record --call-graph dwarf); and bytes of a sample.
 *
 * The program reads the CPU's counter in a loop, and remembers each gap: most
 * of them are samples, so their median is what a sample takes, interrupt
 * included.  The interrupt's part is what the same perf event takes with a BPF
 * program that does nothing.
 * The program has frame pointers, so that both ways find the same frames of 200
 * bytes.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "empty.skel.h"

#include "bench/bench.h"
#include "bench/perf.h"

#define SAMPLE_MAXROUNDS 32
#define SAMPLE_PERIOD	 200000	     /* ns; the smallest of dt */
#define SAMPLE_WINDOW	 600000000LL /* ns of a run */
#define SAMPLE_WARM	 300000000LL /* ns until all tables are ready */
#define SAMPLE_DEPTH	 23	     /* and main() and those above and below */
#define SAMPLE_LOCALS	 160	     /* bytes of a frame */
#define SAMPLE_GAP	 400	     /* ns that are a gap */
#define SAMPLE_MAXGAPS	 100000
#define SAMPLE_BUFFER	 (8 << 20)
#define SAMPLE_TIMEOUT	 10 /* ms */

enum {
	BY_TABLE,
	BY_FP,
	NO_STACK,
	NHOWS
};
static const uint64_t flags[NHOWS] = { DTEVT_USTACK | DTEVT_UTABLE,
	DTEVT_USTACK, 0 };

/* The load, in memory that is shared with its process. */
struct deep {
	pid_t de_pid;
	atomic_int de_on; /* gaps are remembered */
	atomic_int de_runs, de_stop;
	uint64_t de_least; /* ticks of a gap */
	uint64_t de_ngaps;
	double de_gaps[SAMPLE_MAXGAPS]; /* ticks */
};

/* Results of a run. */
struct run {
	double ru_usecs; /* taken from the load by a sample */
	double ru_bytes; /* of a sample's record */
	double ru_frames;
	double ru_complete; /* percent */
	double ru_lost;	    /* percent */
};

/* Reads until the recording ends. */
struct reader {
	struct dt *re_dt;
	pthread_t re_thread;
	uint64_t re_n, re_bytes, re_frames, re_complete;
};

static struct bench_dtd dtd;
static struct deep *deep;
static double tick_nsecs;
static int64_t window;

static inline uint64_t
ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return bench_now();
#endif
}

static void
calibrate(void)
{
	uint64_t first = ticks();
	int64_t since = bench_now();

	bench_sleep(50000000);
	tick_nsecs = (double)(bench_now() - since) / (ticks() - first);
}

__attribute__((noinline)) static void
deep_loop(struct deep *de)
{
	uint64_t last = ticks(), now;

	atomic_store(&de->de_runs, 1);
	for (; !atomic_load(&de->de_stop); last = now) {
		now = ticks();
		if (now - last < de->de_least || !atomic_load(&de->de_on) ||
		    de->de_ngaps == SAMPLE_MAXGAPS)
			continue;
		de->de_gaps[de->de_ngaps++] = now - last;
		now = ticks();
	}
}

__attribute__((noinline)) static void
deep_call(struct deep *de, int depth)
{
	volatile char locals[SAMPLE_LOCALS];

	locals[0] = depth;
	if (depth == 0)
		deep_loop(de);
	else
		deep_call(de, depth - 1);
	locals[1] = locals[0]; /* keeps the call from being a jump */
}

static void
deep_start(void)
{
	pid_t pid;

	deep = mmap(NULL, sizeof(*deep), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (deep == MAP_FAILED)
		err(1, "mmap");
	deep->de_least = SAMPLE_GAP / tick_nsecs;
	if ((pid = bench_fork(SIGKILL)) == 0) {
		bench_pin(bench_ncpu() - 1);
		deep_call(deep, SAMPLE_DEPTH);
		_exit(0);
	}
	deep->de_pid = pid;
	while (!atomic_load(&deep->de_runs))
		bench_sleep(1000000);
}

/* Returns the median gap of a window, us. */
static double
deep_measure(void)
{
	bench_sleep(SAMPLE_WARM);
	deep->de_ngaps = 0;
	atomic_store(&deep->de_on, 1);
	bench_sleep(window);
	atomic_store(&deep->de_on, 0);
	bench_sleep(1000000);
	return bench_median(deep->de_gaps, deep->de_ngaps) * tick_nsecs / 1e3;
}

static void
reader_add(struct reader *re, const struct dt_event *ev)
{
	const struct dt_rec_stack *st = ev->ev_ustack;

	re->re_n++;
	re->re_bytes += ev->ev_rec->dr_length;
	if (st == NULL)
		return;
	re->re_frames += st->drs_count;
	re->re_complete += st->drs_how == DT_STACK_TABLE &&
	    st->drs_end == DT_STACK_ENDED;
}

static void *
reader_run(void *arg)
{
	struct reader *re = arg;
	struct dt_event ev;
	int r;

	bench_pin(0);
	while ((r = dt_next(re->re_dt, &ev, SAMPLE_TIMEOUT)) != -1)
		if (r == 1)
			reader_add(re, &ev);
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(re->re_dt));
	return NULL;
}

static void
ours(int how, struct run *ru)
{
	struct reader re = { .re_dt = bench_open(&dtd, SAMPLE_BUFFER) };

	bench_enable(re.re_dt, "profile:hz:97", flags[how], SAMPLE_PERIOD);
	bench_filter_pid(re.re_dt, deep->de_pid);
	bench_record(re.re_dt, 1);
	if (pthread_create(&re.re_thread, NULL, reader_run, &re) != 0)
		errx(1, "no thread");
	ru->ru_usecs = deep_measure();
	bench_record(re.re_dt, 0);
	pthread_join(re.re_thread, NULL);
	dt_close(re.re_dt);
	if (re.re_n == 0)
		errx(1, "no samples");
	ru->ru_bytes = (double)re.re_bytes / re.re_n;
	ru->ru_frames = (double)re.re_frames / re.re_n;
	ru->ru_complete = 100.0 * re.re_complete / re.re_n;
}

static int
silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static struct bpf_program *
empty_load(void)
{
	struct bpf_program *prog;
	struct empty_bpf *empty;

	libbpf_set_print(silent);
	if ((empty = empty_bpf__open()) == NULL)
		err(1, "empty");
	bpf_object__for_each_program(prog, empty->obj)
	    bpf_program__set_autoload(prog,
		prog == empty->progs.empty_perf_event);
	if (empty_bpf__load(empty) != 0)
		err(1, "empty");
	return empty->progs.empty_perf_event;
}

/* The clock of the load's CPU, with a program that does nothing. */
static void
interrupt(const struct bpf_program *prog, struct run *ru)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = SAMPLE_PERIOD };
	struct bpf_link *link;
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, bench_ncpu() - 1, -1,
	    PERF_FLAG_FD_CLOEXEC);
	if (fd == -1)
		err(1, "perf_event_open");
	if ((link = bpf_program__attach_perf_event(prog, fd)) == NULL)
		err(1, "empty program");
	ru->ru_usecs = deep_measure();
	bpf_link__destroy(link); /* closes fd */
}

/* perf samples the whole CPU, or, without stacks, all CPUs. */
static void
theirs(int how, char *file, struct run *ru)
{
	struct perf_counts pc;
	struct perf pe;
	char period[16], cpu[16];

	snprintf(period, sizeof(period), "%d", SAMPLE_PERIOD);
	snprintf(cpu, sizeof(cpu), "%d", bench_ncpu() - 1);
	if (how == NO_STACK)
		perf_start_clock(&pe, period, file);
	else
		perf_start_dwarf(&pe, cpu, period, file);
	perf_enable(&pe);
	ru->ru_usecs = deep_measure();
	perf_stop(&pe);
	perf_count(file, &pc);
	unlink(file);
	if (pc.pc_samples == 0)
		errx(1, "perf has no samples");
	ru->ru_bytes = (double)pc.pc_bytes / pc.pc_samples;
	ru->ru_lost = 100.0 * pc.pc_lost / (pc.pc_samples + pc.pc_lost);
}

static void
row(const char *name, const struct run *us, const struct run *them, int n,
    int bytes)
{
	double a[SAMPLE_MAXROUNDS], b[SAMPLE_MAXROUNDS];
	int i;

	for (i = 0; i < n; i++) {
		a[i] = bytes ? us[i].ru_bytes : us[i].ru_usecs;
		b[i] = bytes ? them[i].ru_bytes : them[i].ru_usecs;
	}
	bench_row_peer(name, a, b, n);
}

int
main(int argc, char **argv)
{
	struct run us[NHOWS][SAMPLE_MAXROUNDS], them[SAMPLE_MAXROUNDS];
	struct run clock[SAMPLE_MAXROUNDS], empty[SAMPLE_MAXROUNDS];
	double stack[SAMPLE_MAXROUNDS], copy[SAMPLE_MAXROUNDS], tick;
	double above[SAMPLE_MAXROUNDS], theirs_above[SAMPLE_MAXROUNDS];
	struct bpf_program *prog;
	char *file;
	int i, n, how;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	window = bench_quick ? SAMPLE_WINDOW / 4 : SAMPLE_WINDOW;
	file = bench_file();
	calibrate();
	prog = empty_load();
	bench_dtd_start(&dtd);
	deep_start();
	tick = deep_measure();
	for (i = 0; i < n; i++) {
		for (how = 0; how < NHOWS; how++)
			ours(how, &us[how][i]);
		interrupt(prog, &empty[i]);
		theirs(BY_TABLE, file, &them[i]);
		theirs(NO_STACK, file, &clock[i]);
		stack[i] = us[BY_TABLE][i].ru_usecs - us[NO_STACK][i].ru_usecs;
		copy[i] = them[i].ru_usecs - clock[i].ru_usecs;
		above[i] = us[BY_TABLE][i].ru_usecs - empty[i].ru_usecs;
		theirs_above[i] = them[i].ru_usecs - empty[i].ru_usecs;
	}
	atomic_store(&deep->de_stop, 1);
	bench_wait(deep->de_pid, 0);
	bench_dtd_stop(&dtd);
	row("sample", us[BY_TABLE], us[BY_FP], n, 0);
	bench_row_beside("sample-stack", stack, copy, n);
	bench_row_peer("sample-above", above, theirs_above, n);
	row("sample-empty", us[BY_TABLE], empty, n, 0);
	row("sample-none", us[BY_TABLE], us[NO_STACK], n, 0);
	row("sample-dwarf", us[BY_TABLE], them, n, 0);
	row("sample-clock", us[NO_STACK], clock, n, 0);
	row("sample-bytes", us[BY_TABLE], them, n, 1);
	bench_note("sample: %.1f frames by tables (%.1f %% complete), %.1f by "
		   "frame pointers; perf lost %.1f %%; an interrupt of the "
		   "kernel's own clock takes %.1f us",
	    us[BY_TABLE][n - 1].ru_frames, us[BY_TABLE][n - 1].ru_complete,
	    us[BY_FP][n - 1].ru_frames, them[n - 1].ru_lost, tick);
	return 0;
}
