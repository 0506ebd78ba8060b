/* SPDX-License-Identifier: ISC */
/*
 * Cost of kcov: for a traced thread and for an untraced thread that calls the
 * same functions, compared with the same calls while nothing is attached; and
 * the time of attaching and detaching.
 *
 * Measured for the default set of functions, for vfs_*, for about a thousand
 * functions and for all.  Costs are CPU time of the thread, so the daemon's
 * time is excluded.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/kcov.h>

#include "bench/bench.h"

#define KCOV_MAXROUNDS 8
#define KCOV_TRIAL     2000 /* calls for estimating the time of one */
#define KCOV_RESET     64   /* calls before the memory is reset */
#define KCOV_NBYTES    (KCOV_BUF_MAX * KCOV_ENTRY_SIZE)

static uint64_t *mem; /* the traced thread's memory; NULL: not traced */

static void
reset(uint64_t n)
{
	if (mem != NULL && n % KCOV_RESET == 0)
		__atomic_store_n(mem, 0, __ATOMIC_RELAXED);
}

static void
loop_getppid(uint64_t n)
{
	for (; n > 0; n--) {
		reset(n);
		(void)syscall(SYS_getppid);
	}
}

static void
loop_file(uint64_t n)
{
	char c;
	int fd;

	for (; n > 0; n--) {
		reset(n);
		if ((fd = open("/proc/self/comm", O_RDONLY)) == -1 ||
		    read(fd, &c, 1) != 1)
			err(1, "/proc/self/comm");
		close(fd);
	}
}

static const struct call {
	const char *ca_suffix; /* suffix of its rows */
	void (*ca_loop)(uint64_t);
} calls[] = {
	{ "", loop_getppid },
	{ "-file", loop_file },
};

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/* Sets of functions.  The set of about a thousand is found by glob. */
static const struct set {
	const char *st_name;
	const char *st_globs; /* NULL: search for a glob */
} sets[] = {
	{ "default", "" },
	{ "vfs", "vfs_*" },
	{ "1000", NULL },
	{ "all", "*" },
};

static uint64_t ncalls[NCALLS];

static struct bench_load *
load_start(const struct call *ca)
{
	const struct bench_call bc = { "kcov", NULL, ca->ca_loop };

	return bench_load_start(bench_ncpu() - 1, &bc,
	    ncalls[ca - calls] != 0 ? ncalls[ca - calls] : KCOV_TRIAL);
}

/* Runs a load to its end.  Returns the CPU time of a call, ns. */
static double
load_end(struct bench_load *bl)
{
	bench_load_go(bl);
	return bench_load_end_cputime(bl);
}

static void
must(struct dt *dt, unsigned long cmd, void *arg, const char *what)
{
	if (dt_ioctl(dt, cmd, arg) == -1)
		errx(1, "%s: %s", what, dt_error(dt));
}

static void
set_funcs(struct dt *dt, const char *globs)
{
	struct kio_funcs kf;

	memset(&kf, 0, sizeof(kf));
	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "%s", globs);
	must(dt, KIOSETFUNCS, &kf, globs);
}

/* Opens the device with a private daemon, which exits with it. */
static struct dt *
device_open(const char *globs)
{
	struct dt *dt = dt_open(KCOVDEVNAME, DT_OPEN_PRIVATE);

	if (dt == NULL)
		errx(1, "kcov: %s", dt_error(NULL));
	set_funcs(dt, globs);
	return dt;
}

/* Finds a letter with which about a thousand functions begin. */
static void
find_thousand(char glob[3])
{
	struct dt *dt = device_open("");
	uint32_t best = UINT32_MAX, diff;
	struct kio_price kp;
	char try[3] = "?*", c;

	for (c = 'a'; c <= 'z'; c++) {
		try[0] = c;
		set_funcs(dt, try);
		must(dt, KIOGETPRICE, &kp, try);
		diff = kp.kp_nfuncs > 1000 ? kp.kp_nfuncs - 1000
					   : 1000 - kp.kp_nfuncs;
		if (diff < best) {
			best = diff;
			memcpy(glob, try, sizeof(try));
		}
	}
	dt_close(dt);
}

/* Results for a set, by round. */
struct figures {
	double fi_attach[KCOV_MAXROUNDS], fi_detach[KCOV_MAXROUNDS];
	double fi_none[NCALLS][KCOV_MAXROUNDS];
	double fi_untraced[NCALLS][KCOV_MAXROUNDS];
	double fi_traced[NCALLS][KCOV_MAXROUNDS];
};

/* Starts a waiting load, with the memory that it resets. */
static struct bench_load *
traced_start(struct dt *dt, const struct call *ca)
{
	unsigned long n = KCOV_BUF_MAX;
	struct bench_load *bl;

	must(dt, KIOSETBUFSIZE, &n, "memory");
	mem = dt_mmap(dt, KCOV_NBYTES, PROT_READ | PROT_WRITE, 0);
	if (mem == NULL)
		errx(1, "memory: %s", dt_error(dt));
	bl = load_start(ca);
	munmap(mem, KCOV_NBYTES);
	mem = NULL; /* other loads are not traced */
	return bl;
}

/*
 * Measures a kind of calls in one round.  Returns 0 if this many functions
 * cannot be attached here.
 */
static int
measure_call(const char *globs, struct figures *fi, int c, int i)
{
	struct dt *dt = device_open(globs);
	struct bench_load *bl = traced_start(dt, &calls[c]);
	struct kio_thread kt = { KCOV_MODE_TRACE_PC, bl->bl_pid };
	int64_t begun;
	int failed;

	fi->fi_none[c][i] = load_end(load_start(&calls[c]));
	begun = bench_now();
	failed = dt_ioctl(dt, KIOENABLETHREAD, &kt) == -1;
	fi->fi_attach[i] = (bench_now() - begun) / 1e6;
	if (failed && errno != E2BIG)
		errx(1, "%s: %s", globs, dt_error(dt));
	if (failed)
		bench_note("kcov of '%s': %s", globs, dt_error(dt));
	else
		fi->fi_untraced[c][i] = load_end(load_start(&calls[c]));
	fi->fi_traced[c][i] = load_end(bl);
	begun = bench_now();
	dt_close(dt); /* returns when the daemon has exited and thus detached */
	fi->fi_detach[i] = (bench_now() - begun) / 1e6;
	return !failed;
}

static void
rows(const struct set *st, const struct figures *fi, int n)
{
	char name[64];
	size_t c;

	for (c = 0; c < NCALLS; c++) {
		snprintf(name, sizeof(name), "kcov-%s-untraced%s", st->st_name,
		    calls[c].ca_suffix);
		bench_row_peer(name, fi->fi_untraced[c], fi->fi_none[c], n);
		snprintf(name, sizeof(name), "kcov-%s-traced%s", st->st_name,
		    calls[c].ca_suffix);
		bench_row_peer(name, fi->fi_traced[c], fi->fi_none[c], n);
	}
	snprintf(name, sizeof(name), "kcov-%s-attach", st->st_name);
	bench_row(name, fi->fi_attach, n);
	snprintf(name, sizeof(name), "kcov-%s-detach", st->st_name);
	bench_row(name, fi->fi_detach, n);
}

static void
measure(const struct set *st)
{
	int i, n = bench_rounds(3, 1);
	struct figures fi;
	const char *globs = st->st_globs;
	char found[3];
	size_t c;

	if (globs == NULL) {
		find_thousand(found);
		globs = found;
	}
	for (i = 0; i < n; i++)
		for (c = 0; c < NCALLS; c++)
			if (!measure_call(globs, &fi, c, i))
				return;
	rows(st, &fi, n);
}

int
main(int argc, char **argv)
{
	struct dt *dt;
	struct kio_price kp;
	size_t i;

	bench_init(argc, argv);
	dt = device_open("");
	must(dt, KIOGETPRICE, &kp, "price");
	dt_close(dt);
	if (kp.kp_method == KCOV_METHOD_NONE) {
		bench_note("this kernel has no kprobes: use make bench-vm for "
			   "rows of kcov");
		return 0;
	}
	for (i = 0; i < NCALLS; i++)
		ncalls[i] = (bench_quick ? 10e6 : 100e6) /
		    load_end(load_start(&calls[i]));
	bench_note("kcov: getppid, and open, read and close of a file in "
		   "/proc; the default set has %u functions",
	    kp.kp_nfuncs);
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		measure(&sets[i]);
	return 0;
}
