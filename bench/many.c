/* SPDX-License-Identifier: ISC */
/*
 * dtd on 64, 256 and 1,024 CPUs with 1 to 128 sessions: memory, descriptors,
 * mappings, and the duration of its commands and passes.
 *
 *	many [-q] [ncpu ...]
 *
 * The daemon is dtd-many, which is dtd with $NCPU simulated CPUs
 * (bench/sim/ncpu.c).  All sessions have the smallest rings.  Rates that need
 * this many CPUs at work are not measured.
 *
 * Prints the table of docs/scale.md.  Takes a minute and 2 GB.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define MANY_MAXOPEN 128
#define MANY_MAXMAP  256
#define MANY_REPEAT  9
#define MANY_GAP     250000LL /* ns between bursts of calls */
#define MANY_BURST   50
#define MANY_WATCH   500000000LL /* ns */
#define MANY_SECOND  1000000000ULL

static const int ncpus[] = { 2, 64, 256, 1024 };
static const int nopens[] = { 1, 16, MANY_MAXOPEN - 1 };
static struct bench_dtd dtd;
static struct dt *dts[MANY_MAXOPEN];
static long data_tid;

static double
since(int64_t start)
{
	return (bench_now() - start) / 1e6;
}

/* Returns the sum of a field of a file like /proc/PID/status; 0 if missing. */
static long
field(const char *path, const char *name)
{
	long sum = 0;
	char line[512];
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			sum += atol(line + strlen(name));
	fclose(f);
	return sum;
}

static long
proc_field(const char *file, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", dtd.bd_pid, file);
	return field(path, name);
}

static int
count_lines(const char *file)
{
	char path[64];
	int ch, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", dtd.bd_pid, file);
	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	while ((ch = getc(f)) != EOF)
		n += ch == '\n';
	fclose(f);
	return n;
}

/*
 * Returns whether a map was not counted yet; objects that share a map have a
 * descriptor each.
 */
static int
map_is_new(long id, int first)
{
	static long ids[MANY_MAXMAP];
	static int nid;
	int i;

	if (first)
		nid = 0;
	for (i = 0; i < nid; i++)
		if (ids[i] == id)
			return 0;
	if (nid < MANY_MAXMAP)
		ids[nid++] = id;
	return 1;
}

/*
 * Returns the number of descriptors, and the kB of the BPF maps among them.
 * Rings are excluded, as dtd keeps no descriptors of them.
 */
static int
count_fds(double *mapkb)
{
	char path[300];
	struct dirent *de;
	int n = 0;
	long id;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", dtd.bd_pid);
	if ((d = opendir(path)) == NULL)
		err(1, "%s", path);
	*mapkb = 0;
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", dtd.bd_pid,
		    de->d_name);
		id = field(path, "map_id:");
		if (id != 0 && map_is_new(id, *mapkb == 0))
			*mapkb += field(path, "memlock:") / 1024.0;
	}
	closedir(d);
	return n;
}

/* Returns the newest thread; before the first open it is the data thread. */
static long
last_thread(void)
{
	char path[64];
	struct dirent *de;
	long tid = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", dtd.bd_pid);
	if ((d = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((de = readdir(d)) != NULL)
		if (atol(de->d_name) > tid)
			tid = atol(de->d_name);
	closedir(d);
	return tid;
}

/* Returns the CPU time of the data thread, and how often it has slept. */
static double
data_thread(long *nsleep)
{
	char path[96];
	double nsecs;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%ld/schedstat", dtd.bd_pid,
	    data_tid);
	if ((f = fopen(path, "re")) == NULL || fscanf(f, "%lf", &nsecs) != 1)
		err(1, "%s", path);
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/task/%ld/status", dtd.bd_pid,
	    data_tid);
	*nsleep = field(path, "voluntary_ctxt_switches:");
	return nsecs;
}

/* Measures the CPU time of a pass, us, and passes per second. */
static void
watch_passes(double *us, double *rate)
{
	long before, after;
	double nsecs = data_thread(&before);
	int64_t start = bench_now();

	bench_sleep(MANY_WATCH);
	nsecs = data_thread(&after) - nsecs;
	*rate = (after - before) * 1e9 / (bench_now() - start);
	*us = after > before ? nsecs / (after - before) / 1e3 : 0;
}

static void
discard(int n)
{
	struct dt_event ev;
	int i;

	for (i = 0; i < n; i++)
		while (dt_next(dts[i], &ev, 0) == 1)
			;
}

/* Makes a few events per pass of the data thread, without loading a CPU. */
static void
bursts(uint64_t n)
{
	for (; n >= MANY_BURST; n -= MANY_BURST) {
		bench_call0.bc_loop(MANY_BURST);
		bench_sleep(MANY_GAP);
	}
}

static const struct bench_call call_bursts = { "bursts", NULL, bursts };

/* Measures passes while all sessions record a slow flow of events. */
static void
flowing(int n, double *us, double *rate)
{
	struct bench_load *bl;
	int i;

	bl = bench_load_start(bench_ncpu() - 1, &call_bursts, 0);
	for (i = 0; i < n; i++)
		bench_record(dts[i], 1);
	bench_load_go(bl);
	watch_passes(us, rate);
	bench_load_stop(bl);
	bench_load_end(bl);
	for (i = 0; i < n; i++)
		bench_record(dts[i], 0);
	discard(n);
}

/* Measures RECORD 1 and RECORD 0, ms, while another session holds the hook. */
static void
record_times(struct dt *dt, double *on, double *off)
{
	double v[2][MANY_REPEAT];
	int64_t start;
	int i;

	for (i = 0; i < MANY_REPEAT; i++) {
		start = bench_now();
		bench_record(dt, 1);
		v[0][i] = since(start);
		start = bench_now();
		bench_record(dt, 0);
		v[1][i] = since(start);
	}
	*on = bench_median(v[0], MANY_REPEAT);
	*off = bench_median(v[1], MANY_REPEAT);
}

/* Returns the duration of a GSTATS request, us. */
static double
stats_time(struct dt *dt)
{
	double v[64];
	struct dtioc_stat st;
	int64_t start;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		start = bench_now();
		if (dt_ioctl(dt, DTIOCGSTATS, &st) == -1)
			err(1, "statistics: %s", dt_error(dt));
		v[i] = since(start) * 1e3;
	}
	return bench_quantile(v, i, 0.25); /* excludes other processes */
}

/*
 * Opens a session with rings.  Returns the duration of its first ENABLE, ms,
 * or -1 after printing the reason.
 */
static double
open_one(int i)
{
	struct dtioc_probe_info *info;
	struct dtioc_req rq = { 0 };
	int64_t start;

	dts[i] = bench_open(&dtd, 1);
	if (dt_lookup(dts[i], bench_call0.bc_probe, &info) != 1)
		errx(1, "no %s", bench_call0.bc_probe);
	rq.dtrq_pbn = info->dtpi_pbn;
	free(info);
	start = bench_now();
	if (dt_ioctl(dts[i], DTIOCPRBENABLE, &rq) == 0)
		return since(start);
	printf("open %d: ENABLE: %s (%s)\n", i + 1, strerror(errno),
	    dt_error(dts[i]));
	dt_close(dts[i]);
	return -1;
}

/*
 * Returns how long the daemon takes to close the last session, as seen by
 * another one.
 */
static double
close_one(int n)
{
	int64_t start = bench_now();
	struct dtioc_fullstat fs;

	dt_close(dts[n - 1]);
	do {
		bench_sleep(100000);
		if (dt_ioctl(dts[0], DTIOCGFULLSTAT, &fs) == -1)
			err(1, "statistics: %s", dt_error(dts[0]));
	} while (fs.dtfs_nopen >= (uint32_t)n);
	return since(start);
}

static void
report(int ncpu, int n, double enable)
{
	double mapkb, on, off, us, rate;
	int nfds = count_fds(&mapkb);

	printf("%5d %5d %9.1f %8.1f %8.1f %8d %8d %9.1f", ncpu, n,
	    bench_rss(dtd.bd_pid) / 1024.0,
	    proc_field("status", "VmPTE:") / 1024.0, mapkb / 1024, nfds,
	    count_lines("maps"), enable);
	fflush(stdout);
	record_times(dts[n - 1], &on, &off);
	flowing(n, &us, &rate);
	printf(" %8.2f %8.1f %8.0f %8.0f %8.0f\n", on, off,
	    stats_time(dts[n - 1]), us, rate);
}

/* Measures a clock on all CPUs, of one session. */
static void
profile(int ncpu)
{
	struct dt *dt = bench_open(&dtd, 1);
	double on, off, mapkb;
	int nfds;

	bench_enable(dt, "profile:hz:97", 0, MANY_SECOND);
	record_times(dt, &on, &off);
	nfds = count_fds(&mapkb);
	bench_record(dt, 1);
	printf("%5d CPUs: profile: RECORD 1 %.1f ms, RECORD 0 %.1f ms, "
	       "%d descriptors\n",
	    ncpu, on, off, count_fds(&mapkb) - nfds);
	bench_record(dt, 0);
	dt_close(dt);
}

static void
many(int ncpu)
{
	double enable[MANY_MAXOPEN];
	char path[4096], text[16];
	int64_t start;
	size_t o = 0;
	int n;

	snprintf(path, sizeof(path), "%s/bench/dtd-many", bench_dir);
	snprintf(text, sizeof(text), "%d", ncpu);
	if (setenv("NCPU", text, 1) == -1)
		err(1, "setenv");
	bench_dtd_start_as(&dtd, path, "ring-bytes = 64G\n");
	data_tid = last_thread();
	for (n = 0; n < nopens[bench_rounds(2, 1)]; n++) {
		if ((enable[n] = open_one(n)) == -1)
			break;
		if (n + 1 == nopens[o]) {
			report(ncpu, n + 1, bench_median(enable, n + 1));
			if (o++ == 0)
				profile(ncpu);
		}
	}
	if (n == 0)
		errx(1, "%d CPUs: no session has rings", ncpu);
	if (n != nopens[o - 1])
		report(ncpu, n, bench_median(enable, n));
	printf("%5d CPUs: close of one session: %.1f ms\n", ncpu, close_one(n));
	for (n--; n > 0; n--)
		dt_close(dts[n - 1]);
	start = bench_now();
	bench_dtd_stop(&dtd);
	printf(
	    "%5d CPUs: end of the daemon, with the other sessions: %.0f ms\n",
	    ncpu, since(start));
}

int
main(int argc, char **argv)
{
	size_t i;
	int a;

	bench_init(argc, argv);
	printf("at most %ld descriptors\n", bench_nofile());
	printf("%5s %5s %9s %8s %8s %8s %8s %9s %8s %8s %8s %8s %8s\n", "CPUs",
	    "opens", "RSS MB", "PTE MB", "maps MB", "fds", "mappings",
	    "ENABLE ms", "REC1 ms", "REC0 ms", "stat us", "pass us",
	    "passes/s");
	if (argc > optind)
		for (a = optind; a < argc; a++)
			many(atoi(argv[a]));
	else
		for (i = 0; i < sizeof(ncpus) / sizeof(ncpus[0]); i++)
			many(ncpus[i]);
	return 0;
}
