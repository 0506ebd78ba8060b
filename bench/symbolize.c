/* SPDX-License-Identifier: ISC */
/*
 * Time to symbolize 100,000 stacks of 30 frames with a few thousand different
 * addresses, by one dt_symbolize() per stack: with an empty handle and daemon
 * (cold: the symbolizer starts and reads the files), and with full caches
 * (warm).  Compared with perf script, which also prints, for as many samples
 * of a stack of 30 frames.
 */
#include <sys/syscall.h>

#include <err.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define SYM_MAXROUNDS 8
#define SYM_NFRAMES   30
#define SYM_NADDRS    6000

static uint64_t addrs[SYM_NADDRS]; /* in code of this process */
static size_t nregions;
static struct {
	uint64_t start, size;
} regions[64];

/* A dl_iterate_phdr() function: collects code with symbols. */
static int
region(struct dl_phdr_info *info, size_t size, void *arg)
{
	size_t i;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum && nregions < 64; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD ||
		    (info->dlpi_phdr[i].p_flags & PF_X) == 0)
			continue;
		regions[nregions].start = info->dlpi_addr +
		    info->dlpi_phdr[i].p_vaddr;
		regions[nregions++].size = info->dlpi_phdr[i].p_memsz;
	}
	return 0;
}

static void
make_addrs(void)
{
	size_t i, r;

	dl_iterate_phdr(region, NULL);
	if (nregions == 0)
		errx(1, "no code");
	for (i = 0; i < SYM_NADDRS; i++) {
		r = (size_t)random() % nregions;
		addrs[i] = regions[r].start +
		    (uint64_t)random() % regions[r].size;
	}
}

/* Symbolizes n stacks.  Returns seconds. */
static double
name_stacks(struct dt *dt, int n, uint64_t *nnamed)
{
	int64_t start = bench_now();
	uint64_t pcs[SYM_NFRAMES];
	struct dt_frames fr;
	uint32_t x = 1;
	size_t j;
	int i;

	*nnamed = 0;
	for (i = 0; i < n; i++) {
		for (j = 0; j < SYM_NFRAMES; j++) {
			x = x * 1664525 + 1013904223;
			pcs[j] = addrs[(x >> 8) % SYM_NADDRS];
		}
		if (dt_symbolize(dt, getpid(), (uint64_t)start, pcs,
			SYM_NFRAMES, 0, &fr) == -1)
			errx(1, "dt_symbolize: %s", dt_error(dt));
		for (j = 0; j < fr.df_n; j++)
			*nnamed += fr.df_frames[j].df_func != NULL;
		dt_frames_free(&fr);
	}
	return (bench_now() - start) / 1e9;
}

static double
cold(int n, double *warm, uint64_t *nnamed)
{
	struct dt *dt = dt_open(NULL, DT_OPEN_PRIVATE);
	double secs;

	if (dt == NULL)
		errx(1, "%s", dt_error(NULL));
	secs = name_stacks(dt, n, nnamed);
	*warm = name_stacks(dt, n, nnamed);
	dt_close(dt);
	return secs;
}

/* Load for perf: calls with this many frames above main(). */
static int __attribute__((noinline)) deep(int depth, int ncalls)
{
	int i, n = 0;

	if (depth > 0)
		n = deep(depth - 1, ncalls);
	for (i = 0; depth == 0 && i < ncalls; i++)
		n += (int)syscall(SYS_getppid);
	__asm__ volatile("" : "+r"(n));
	return n;
}

static void
record_perf(char *path, int n)
{
	char count[16], exe[] = "/proc/self/exe";
	char *argv[] = { "perf", "record", "-q", "-g", "-o", path, "-e",
		"syscalls:sys_enter_getppid", "-m", "16M", "--", exe, "deep",
		count, NULL };
	char self[4096];
	ssize_t len;

	snprintf(count, sizeof(count), "%d", n);
	if ((len = readlink(exe, self, sizeof(self) - 1)) == -1)
		err(1, "%s", exe);
	self[len] = '\0';
	argv[11] = self;
	bench_wait(bench_spawn(argv), 0);
}

int
main(int argc, char **argv)
{
	double ours[SYM_MAXROUNDS], warm[SYM_MAXROUNDS], theirs[SYM_MAXROUNDS];
	char *perfpath, *script[] = { "perf", "script", "-i", NULL, NULL };
	int i, n, rounds;
	uint64_t nnamed;
	int64_t start;

	if (argc == 3 && strcmp(argv[1], "deep") == 0)
		return deep(SYM_NFRAMES - 4, atoi(argv[2])) == 1;
	bench_init(argc, argv);
	rounds = bench_rounds(5, 1);
	n = bench_quick ? 2000 : 100000;
	make_addrs();
	script[3] = perfpath = bench_file();
	record_perf(perfpath, n);
	for (i = 0; i < rounds; i++) {
		ours[i] = cold(n, &warm[i], &nnamed);
		start = bench_now();
		bench_wait(bench_spawn(script), 0);
		theirs[i] = (bench_now() - start) / 1e9;
	}
	bench_row("symbolize", ours, rounds);
	bench_row("symbolize-warm", warm, rounds);
	bench_row_peer("symbolize-perf", ours, theirs, rounds);
	bench_note("symbolize: %d stacks of %d frames, %d addresses; %.0f %% "
		   "have names",
	    n, SYM_NFRAMES, SYM_NADDRS, 100.0 * nnamed / n / SYM_NFRAMES);
	return 0;
}
