/* SPDX-License-Identifier: ISC */
/*
 * CPU time per event, of dt(1) and its dtd together, where dt processes events:
 * the flight recorder (--last) at a million events per second, and counts by
 * path.
 */
#include <sys/syscall.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"

#define VIEWS_MAXROUNDS 8
#define VIEWS_PERIOD	1000000LL /* ns for BENCH_SPINS calls: 1 M/s */
#define VIEWS_NPATHS	100

/* Makes n calls per period. */
static void
loop_paced(uint64_t n)
{
	static int64_t next;
	int64_t now = bench_now();

	if (next == 0)
		next = now;
	bench_call0.bc_loop(n);
	next += VIEWS_PERIOD;
	if (next > now)
		bench_sleep(next - now);
}

static void
loop_paths(uint64_t n)
{
	static unsigned int i;
	char name[64];

	while (n-- > 0) {
		snprintf(name, sizeof(name), "/nonexistent/folder/file%u.txt",
		    i++ % VIEWS_NPATHS);
		(void)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);
	}
}

static const struct bench_call call_paced = { "getppid",
	"syscall:getppid:entry", loop_paced };
static const struct bench_call call_paths = { "openat", "syscall:openat:entry",
	loop_paths };

static char *path; /* file of the flight recorder */

/* Returns ns per event; *lost: lost events, %. */
static double
view(char **argv, const struct bench_call *bc, int64_t nsecs, double *lost)
{
	struct bench_load *bl;
	struct client_ledger lg;
	struct client cl;
	int64_t cputime;

	unlink(path);
	client_start(&cl, argv);
	bl = bench_load_start(bench_ncpu() - 1, bc, 0);
	bench_load_go(bl);
	bench_sleep(nsecs);
	bench_load_stop(bl);
	while (!bench_load_done(bl))
		bench_sleep(1000000);
	cputime = client_settle(&cl);
	bench_load_end(bl);
	client_stop(&cl, &lg);
	if (lg.cl_read == 0)
		errx(1, "no event was read");
	*lost = 100.0 * lg.cl_lost / (lg.cl_read + lg.cl_lost);
	return (double)cputime / lg.cl_read;
}

int
main(int argc, char **argv)
{
	char *flight[] = { NULL, "record", "--no-limit", "--last", "5s", "-o",
		path = bench_file(), (char *)call_paced.bc_probe, NULL };
	char *bypath[] = { NULL, "stat", "--no-limit", "--by", "path",
		(char *)call_paths.bc_probe, NULL };
	double last[VIEWS_MAXROUNDS], by[VIEWS_MAXROUNDS];
	double lost[VIEWS_MAXROUNDS], lostby[VIEWS_MAXROUNDS];
	int64_t nsecs;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	nsecs = bench_quick ? 200000000LL : 1000000000LL;
	for (i = 0; i < n; i++) {
		last[i] = view(flight, &call_paced, nsecs, &lost[i]);
		by[i] = view(bypath, &call_paths, nsecs, &lostby[i]);
	}
	bench_row("flight-cpu", last, n);
	bench_row("by-path-cpu", by, n);
	bench_note("lost by --last %.4f %%, by --by path %.4f %%",
	    bench_median(lost, n), bench_median(lostby, n));
	return 0;
}
