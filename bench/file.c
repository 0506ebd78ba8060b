/* SPDX-License-Identifier: ISC */
/*
 * Maximum rate of recording: dt record -o and perf record, with files in
 * memory, while loops on two CPUs make a system call.  Loops and recorders
 * share all CPUs.
 *
 * dt uses its default buffers, 16 MB for all CPUs and at most 4 MB each; perf
 * has 4 MB per CPU.
 */
#include <err.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/client.h"
#include "bench/perf.h"

#define FILE_MAXROUNDS 16
#define FILE_SIZE      (512 << 20) /* more than a round writes */
#define FILE_NLOAD     2

struct figures {
	double fg_rate[FILE_MAXROUNDS]; /* million events per second */
	double fg_lost[FILE_MAXROUNDS]; /* lost events, % */
	double fg_cpu[FILE_MAXROUNDS];	/* CPU time per event, ns */
};

static char *path, *perfpath, *warmpath;

/* Runs the loops for nsecs.  Returns their elapsed time, ns. */
static int64_t
loops(const struct bench_call *bc, int64_t nsecs, uint64_t *ncalls)
{
	struct bench_load *bl[FILE_NLOAD];
	int64_t longest = 0;
	int i;

	*ncalls = 0;

	for (i = 0; i < FILE_NLOAD; i++)
		bl[i] = bench_load_start(i % bench_ncpu(), bc, 0);
	for (i = 0; i < FILE_NLOAD; i++)
		bench_load_go(bl[i]);
	bench_sleep(nsecs);
	for (i = 0; i < FILE_NLOAD; i++)
		bench_load_stop(bl[i]);
	for (i = 0; i < FILE_NLOAD; i++) {
		while (!bench_load_done(bl[i]))
			bench_sleep(1000000);
		*ncalls += bl[i]->bl_calls;
		if (bl[i]->bl_nsecs > longest)
			longest = bl[i]->bl_nsecs;
		bench_load_end(bl[i]);
	}
	return longest;
}

/*
 * Touches the memory that the file will use.  A virtual machine may have
 * returned free memory to its host (free page reporting, after 2 s); each first
 * touch then waits for the host, which reduces the rate to a quarter.
 */
static void
warm(const char *name)
{
	static const char zeros[1 << 20];
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t n;

	if (fd == -1)
		err(1, "%s", name);
	for (n = 0; n < FILE_SIZE; n += sizeof(zeros)) {
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			err(1, "%s", name);
	}
	close(fd);
	unlink(name);
}

static void
figures_add(struct figures *fg, int i, uint64_t nread, uint64_t nlost,
    int64_t nsecs, int64_t cputime)
{
	if (nread == 0)
		errx(1, "no event was read");
	fg->fg_rate[i] = nread * 1e3 / nsecs;
	fg->fg_lost[i] = 100.0 * nlost / (nread + nlost);
	fg->fg_cpu[i] = (double)cputime / nread;
}

static void
file_dt(struct figures *fg, int i, const struct bench_call *bc, int64_t nsecs)
{
	char *argv[] = { NULL, "record", "--no-limit", "-o", path,
		(char *)bc->bc_probe, NULL };
	struct client_ledger lg;
	struct client cl;
	int64_t took, cputime;
	uint64_t ncalls;

	unlink(path); /* dt would create a second file */
	client_start(&cl, argv);
	warm(warmpath);
	took = loops(bc, nsecs, &ncalls);
	cputime = client_settle(&cl);
	client_stop(&cl, &lg);
	figures_add(fg, i, lg.cl_read, lg.cl_lost, took, cputime);
}

static void
file_perf(struct figures *fg, int i, const struct bench_call *bc, int64_t nsecs)
{
	struct perf_counts pc;
	int64_t took, cputime;
	uint64_t ncalls, nlost;
	struct perf pe;

	unlink(perfpath);
	perf_start(&pe, perfpath);
	perf_enable(&pe);
	warm(warmpath);
	cputime = bench_cputime(pe.pe_pid);
	took = loops(bc, nsecs, &ncalls);
	client_idle(&pe.pe_pid, 1);
	cputime = bench_cputime(pe.pe_pid) - cputime;
	perf_stop(&pe);
	perf_count(perfpath, &pc);
	/* perf also records its own calls, and its losses are not attributed */
	nlost = (double)ncalls * pc.pc_lost / (pc.pc_samples + pc.pc_lost);
	figures_add(fg, i, ncalls - nlost, nlost, took, cputime);
}

int
main(int argc, char **argv)
{
	static struct figures dt, perf;
	int64_t nsecs;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	nsecs = bench_quick ? 200000000LL : 1000000000LL;
	path = bench_file();
	perfpath = bench_file();
	warmpath = bench_file();
	for (i = 0; i < n; i++) {
		file_dt(&dt, i, &bench_call0, nsecs);
		file_perf(&perf, i, &bench_call0, nsecs);
	}
	bench_row_peer("file-rate", dt.fg_rate, perf.fg_rate, n);
	bench_row("file-lost", dt.fg_lost, n);
	bench_row_peer("file-cpu", dt.fg_cpu, perf.fg_cpu, n);
	bench_note("perf record -o lost %.4f %%",
	    bench_median(perf.fg_lost, n));
	return 0;
}
