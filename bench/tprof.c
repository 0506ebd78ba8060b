/* SPDX-License-Identifier: ISC */
/*
 * Cost of a sample of dt tprof, compared with perf record, at several rates:
 * CPU time of the collecting processes (reader and daemon), time taken from the
 * sampled programs, and lost samples.  All CPUs are busy and sampled.
 */
#include <linux/perf_event.h>

#include <sys/resource.h>

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/perf.h"

#define TPROF_MAXROUNDS 8
#define TPROF_MAXCPU	1024
#define TPROF_WAITMS	60000

static const unsigned int rates[] = { 100, 1000, 10000 };
#define NRATES (sizeof(rates) / sizeof(rates[0]))

static struct bench_dtd dtd;
static uint64_t work; /* work of a load */

static void
spin(uint64_t n)
{
	volatile uint64_t i;

	for (i = 0; i < 1000 * n; i++)
		;
}

static const struct bench_call spinning = { "spin", NULL, spin };

/* Results of a run. */
struct run {
	double ru_collect; /* CPU time per sample, ns */
	double ru_load;	   /* time taken from the loads per sample, ns */
	double ru_lost;	   /* lost samples, % */
};

static void
loads_start(struct bench_load **bl)
{
	int i, ncpu = bench_ncpu();

	for (i = 0; i < ncpu; i++)
		bl[i] = bench_load_start(i, &spinning, work);
}

static void
loads_go(struct bench_load **bl)
{
	int i, ncpu = bench_ncpu();

	for (i = 0; i < ncpu; i++)
		bench_load_go(bl[i]);
}

/* Returns the CPU time of all loads, ns. */
static double
loads_end(struct bench_load **bl)
{
	int i, ncpu = bench_ncpu();
	double nsecs = 0;

	for (i = 0; i < ncpu; i++)
		nsecs += work * bench_load_end_cputime(bl[i]);
	return nsecs;
}

static double
alone(void)
{
	struct bench_load *bl[TPROF_MAXCPU];

	loads_start(bl);
	loads_go(bl);
	return loads_end(bl);
}

/* Reads until the end of the run. */
static void *
reader(void *arg)
{
	static tprof_sample_t s[4096];
	struct dt *dt = arg;
	ssize_t n;

	while ((n = dt_read(dt, s, sizeof(s), TPROF_WAITMS)) > 0)
		continue;
	if (n == -1)
		err(1, "dt_read: %s", dt_error(dt));
	return NULL;
}

static void
device_do(struct dt *dt, unsigned long cmd, void *arg)
{
	if (dt_ioctl(dt, cmd, arg) == -1)
		err(1, "tprof: %s", dt_error(dt));
}

static void
ours(unsigned int hz, double before, struct run *ru)
{
	struct tprof_param p = { .p_unit = PERF_TYPE_SOFTWARE,
		.p_event = PERF_COUNT_SW_CPU_CLOCK,
		.p_flags = TPROF_PARAM_KERN | TPROF_PARAM_USER |
		    TPROF_PARAM_PROFILE | TPROF_PARAM_VALUE2_TRIGGERCOUNT,
		.p_value2 = 1000000000 / hz };
	struct bench_load *bl[TPROF_MAXCPU];
	char path[sizeof(dtd.bd_dir) + 16];
	struct tprof_stat st;
	int64_t cpu0, cpu;
	uint32_t mask = 1;
	pthread_t th;
	struct dt *dt;
	double nsecs;

	snprintf(path, sizeof(path), "%s/tprof", dtd.bd_dir);
	if ((dt = dt_open(path, DT_OPEN_SERVICE)) == NULL)
		err(1, "tprof: %s", dt_error(NULL));
	loads_start(bl);
	device_do(dt, TPROF_IOC_CONFIGURE_EVENT, &p);
	device_do(dt, TPROF_IOC_START, &mask);
	if (pthread_create(&th, NULL, reader, dt) != 0)
		errx(1, "no thread");
	cpu0 = bench_cputime(0) + bench_cputime(dtd.bd_pid);
	loads_go(bl);
	nsecs = loads_end(bl);
	device_do(dt, TPROF_IOC_STOP, &mask);
	pthread_join(th, NULL);
	cpu = bench_cputime(0) + bench_cputime(dtd.bd_pid);
	device_do(dt, TPROF_IOC_GETSTAT, &st);
	dt_close(dt);
	ru->ru_collect = (double)(cpu - cpu0) / st.ts_sample;
	ru->ru_load = (nsecs - before) / st.ts_sample;
	ru->ru_lost = 100.0 * (st.ts_overflow + st.ts_dropbuf_sample) /
	    (st.ts_sample + st.ts_overflow + st.ts_dropbuf_sample);
}

/* Returns the CPU time of children that were waited for, ns. */
static int64_t
ended(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_CHILDREN, &ru) == -1)
		err(1, "getrusage");
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000LL +
	    (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000LL;
}

/* Measures perf to its exit: it sleeps during a run and writes at the end. */
static void
theirs(unsigned int hz, double before, char *file, struct run *ru)
{
	struct bench_load *bl[TPROF_MAXCPU];
	char period[16];
	struct perf_counts pc;
	struct perf pe;
	int64_t cpu0, cpu;
	double nsecs;

	snprintf(period, sizeof(period), "%u", 1000000000 / hz);
	loads_start(bl);
	perf_start_clock(&pe, period, file);
	perf_enable(&pe);
	cpu0 = bench_cputime(pe.pe_pid);
	loads_go(bl);
	nsecs = loads_end(bl);
	cpu = -ended();
	perf_stop(&pe);
	cpu += ended();
	perf_count(file, &pc);
	ru->ru_collect = (double)(cpu - cpu0) / pc.pc_samples;
	ru->ru_load = (nsecs - before) / pc.pc_samples;
	ru->ru_lost = 100.0 * pc.pc_lost / (pc.pc_samples + pc.pc_lost);
}

int
main(int argc, char **argv)
{
	double collect[NRATES][2][TPROF_MAXROUNDS];
	double load[2][TPROF_MAXROUNDS], lost[2][TPROF_MAXROUNDS], before;
	struct run us, them;
	char row[32], *file;
	size_t r;
	int i, n;

	bench_init(argc, argv);
	if (bench_ncpu() > TPROF_MAXCPU)
		errx(1, "more than %d CPUs", TPROF_MAXCPU);
	n = bench_rounds(5, 1);
	work = bench_quick ? 200000 : 1000000;
	file = bench_file();
	bench_dtd_start(&dtd);
	for (i = 0; i < n; i++)
		for (r = 0; r < NRATES; r++) {
			before = alone();
			ours(rates[r], before, &us);
			theirs(rates[r], before, file, &them);
			collect[r][0][i] = us.ru_collect / 1000;
			collect[r][1][i] = them.ru_collect / 1000;
			/* of the last rate, 10,000 Hz */
			load[0][i] = us.ru_load;
			load[1][i] = them.ru_load;
			lost[0][i] = us.ru_lost;
			lost[1][i] = them.ru_lost;
		}
	bench_dtd_stop(&dtd);
	for (r = 0; r < NRATES; r++) {
		snprintf(row, sizeof(row), "tprof%u", rates[r]);
		bench_row_peer(row, collect[r][0], collect[r][1], n);
	}
	bench_row_peer("tprof10000-load", load[0], load[1], n);
	bench_row("tprof10000-lost", lost[0], n);
	bench_note("perf record lost %.2f %% of its samples at 10,000 Hz",
	    bench_median(lost[1], n));
	return 0;
}
