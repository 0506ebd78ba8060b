/* SPDX-License-Identifier: ISC */
/*
 * Start of a profile with 500 running processes, one of them a program of 200
 * MB with DWARF (bench/big): the time until an address in each process has a
 * symbol, and the peak memory of dtd and its symbolizer together.
 *
 * With the service, the time begins before ENABLE, which starts to follow
 * processes.  With a private dtd, it begins before dt_open().  perf record -a
 * -g is measured from its start until it records; by then it has written the
 * mappings of all processes, which perf script later uses for symbols.
 * bpftrace, counting user stacks, is measured until its clock has run for a
 * millisecond; it symbolizes at its end the processes that are still alive.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/perf.h"
#include "bench/running.h"

#define RUNNING_MAXROUNDS 8
#define RUNNING_MAXPROC	  500
#define RUNNING_PERIOD	  10101010 /* ns, 99 Hz */

static struct running procs[RUNNING_MAXPROC];
static int nproc;

/* Process to be symbolized: reports its address and sleeps. */
static int __attribute__((noinline)) running_sleep(int fd)
{
	struct running ru = { .ru_pid = getpid(),
		.ru_n = 1,
		.ru_pcs = { (uintptr_t)running_sleep } };

	if (write(fd, &ru, sizeof(ru)) != sizeof(ru))
		return 1;
	for (;;)
		pause();
}

/* Starts the processes; the first is the large program. */
static void
start_procs(void)
{
	char fd[16], big[4096], exe[] = "/proc/self/exe", word[] = "sleep";
	char *bigargv[] = { big, fd, NULL }, *argv[] = { exe, word, fd, NULL };
	int p[2], i;

	snprintf(big, sizeof(big), "%s/bench/big", bench_dir);
	if (access(big, X_OK) == -1)
		err(1, "%s", big);
	if (pipe(p) == -1)
		err(1, "pipe");
	snprintf(fd, sizeof(fd), "%d", p[1]);
	for (i = 0; i < nproc; i++) {
		bench_spawn(i == 0 ? bigargv : argv);
		if (read(p[0], &procs[i], sizeof(procs[i])) != sizeof(procs[i]))
			errx(1, "a process does not start");
	}
	close(p[0]);
	close(p[1]);
}

static void
stop_procs(void)
{
	int i;

	for (i = 0; i < nproc; i++)
		kill(procs[i].ru_pid, SIGTERM);
	for (i = 0; i < nproc; i++)
		bench_wait(procs[i].ru_pid, SIGTERM);
}

/*
 * Symbolizes a process at a time.  Each address must have a function, and a
 * line if requested.
 */
static void
name_proc(struct dt *dt, const struct running *ru, uint64_t nsecs,
    unsigned int flags)
{
	const struct dt_frame *df;
	struct dt_frames fr;
	size_t i;

	if (dt_symbolize(dt, ru->ru_pid, nsecs, ru->ru_pcs, ru->ru_n, flags,
		&fr) == -1)
		errx(1, "dt_symbolize: %s", dt_error(dt));
	for (i = 0; i < fr.df_n; i++) {
		df = &fr.df_frames[i];
		if (df->df_func == NULL || (flags != 0 && df->df_file == NULL))
			errx(1, "process %d, address %zu: no name: %u, %s",
			    ru->ru_pid, df->df_pc, df->df_why,
			    strerror(df->df_error));
	}
	dt_frames_free(&fr);
}

/* Starts a profile.  Returns the ms until all addresses have symbols. */
static double
name_procs(struct dt *dt, int64_t start)
{
	uint64_t nsecs;
	int i;

	bench_enable(dt, "profile:hz:97", DTEVT_KSTACK | DTEVT_USTACK,
	    RUNNING_PERIOD);
	bench_record(dt, 1);
	nsecs = bench_now();
	for (i = 0; i < nproc; i++)
		name_proc(dt, &procs[i], nsecs, 0);
	return (bench_now() - start) / 1e6;
}

/* Returns the peak memory of dtd and its symbolizer, MB. */
static double
peak(const struct bench_dtd *bd, struct dt *dt)
{
	struct dtioc_fullstat fs;

	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "statistics: %s", dt_error(dt));
	if (fs.dtfs_sym.dtss_pid == 0 || fs.dtfs_sym.dtss_starts != 1)
		errx(1, "the symbolizer was started %llu times",
		    (unsigned long long)fs.dtfs_sym.dtss_starts);
	return (bench_peak(bd->bd_pid) + bench_peak(fs.dtfs_sym.dtss_pid)) /
	    1024.0;
}

struct figures {
	double fi_ms, fi_mb, fi_linesmb; /* with a service */
	double fi_privatems;
	double fi_perfms, fi_perfmb;
	double fi_bpftracems, fi_bpftracemb;
};

static void
with_service(struct figures *fi)
{
	struct bench_dtd bd;
	struct dt *dt;

	bench_dtd_start(&bd);
	dt = bench_open(&bd, 0);
	fi->fi_ms = name_procs(dt, bench_now());
	fi->fi_mb = peak(&bd, dt);
	name_proc(dt, &procs[0], bench_now(), DT_SYM_LINES);
	fi->fi_linesmb = peak(&bd, dt);
	dt_close(dt);
	bench_dtd_stop(&bd);
}

static void
with_private(struct figures *fi)
{
	int64_t start = bench_now();
	struct dt *dt = dt_open(NULL, DT_OPEN_PRIVATE);

	if (dt == NULL)
		errx(1, "%s", dt_error(NULL));
	fi->fi_privatems = name_procs(dt, start);
	dt_close(dt);
}

static void
with_perf(struct figures *fi, char *path)
{
	int64_t start = bench_now();
	struct perf pe;

	perf_start_stacks(&pe, path);
	perf_enable(&pe);
	fi->fi_perfms = (bench_now() - start) / 1e6;
	fi->fi_perfmb = bench_peak(pe.pe_pid) / 1024.0;
	perf_stop(&pe);
	unlink(path);
}

static void
with_bpftrace(struct figures *fi)
{
	char *argv[] = { "bpftrace", "-B", "line", "-e",
		"profile:hz:99 { @[ustack] = count(); } "
		"interval:ms:1 { printf(\"on\\n\"); }",
		NULL };
	int64_t start = bench_now();
	pid_t pid;
	char c;
	int fd;

	pid = bench_spawn_pipe(argv, &fd);
	do {
		if (read(fd, &c, 1) != 1)
			errx(1, "bpftrace does not start");
	} while (c != 'o');
	fi->fi_bpftracems = (bench_now() - start) / 1e6;
	fi->fi_bpftracemb = bench_peak(pid) / 1024.0;
	close(fd);
	bench_wait(pid, SIGTERM);
}

int
main(int argc, char **argv)
{
	double ms[RUNNING_MAXROUNDS], mb[RUNNING_MAXROUNDS];
	double linesmb[RUNNING_MAXROUNDS], privatems[RUNNING_MAXROUNDS];
	double perfms[RUNNING_MAXROUNDS], perfmb[RUNNING_MAXROUNDS];
	double btms[RUNNING_MAXROUNDS], btmb[RUNNING_MAXROUNDS];
	struct figures fi;
	char *path;
	int i, n;

	if (argc == 3 && strcmp(argv[1], "sleep") == 0)
		return running_sleep(atoi(argv[2]));
	bench_init(argc, argv);
	n = bench_rounds(3, 1);
	nproc = bench_quick ? 20 : RUNNING_MAXPROC;
	path = bench_file();
	start_procs();
	for (i = 0; i < n; i++) {
		with_service(&fi);
		with_private(&fi);
		with_perf(&fi, path);
		with_bpftrace(&fi);
		ms[i] = fi.fi_ms;
		mb[i] = fi.fi_mb;
		linesmb[i] = fi.fi_linesmb;
		privatems[i] = fi.fi_privatems;
		perfms[i] = fi.fi_perfms;
		perfmb[i] = fi.fi_perfmb;
		btms[i] = fi.fi_bpftracems;
		btmb[i] = fi.fi_bpftracemb;
	}
	stop_procs();
	bench_row("running", ms, n);
	bench_row_peer("running-private", privatems, perfms, n);
	bench_row_peer("running-memory", mb, perfmb, n);
	bench_row_peer("running-private-bpftrace", privatems, btms, n);
	bench_row_peer("running-memory-bpftrace", mb, btmb, n);
	bench_row("running-lines", linesmb, n);
	return 0;
}
