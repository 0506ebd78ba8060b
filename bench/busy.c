/* SPDX-License-Identifier: ISC */
/*
 * A profile of the whole machine at 99 Hz while stock programs (bench/loads)
 * keep all CPUs busy: memory for unwind tables, and the CPU time of everything
 * that dt runs: dtd with its processes, dt, and the time that programs of the
 * kernel take from what they interrupt.  Notes below the table state how many
 * processes the loads start per second; their files are made before.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define BUSY_MAXCPU  64
#define BUSY_START   4000000000LL /* ns until the measurement begins */
#define BUSY_WINDOW  24000000000LL
#define BUSY_POLL    500000000LL
#define BUSY_TIMEOUT 1000 /* ms */
#define BUSY_PREPARE 120000000000LL

static struct bench_dtd dtd;
static char loads_path[4096], dt_path[4096];
static struct dt *sums;

/* Results. */
struct busy {
	double bu_memory; /* peak of unwind tables, bytes */
	double bu_rss;	  /* peak of dtd and its processes, kB */
	/* CPU time, % of all CPUs */
	double bu_dtd, bu_others; /* dtd; the processes that it started */
	double bu_dt;
	double bu_programs; /* of the kernel */
	/* per second */
	double bu_forks, bu_events, bu_copies, bu_tables;
};

/* Runs all loads again and again, from one of the list on. */
static void
chain_run(int at)
{
	static const char script[] =
	    "mkdir chain$1; chmod 755 chain$1; cd chain$1\n"
	    "for l in $(\"$0\" list); do mkdir -m 755 $l; cd $l\n"
	    "\"$0\" $l prepare && list=\"$list $l\"; cd ..; done\n"
	    ": >ready\n"
	    "set -- $1 $list; n=$1; shift\n"
	    "while [ $n -gt 0 ]; do set -- \"$@\" $1; shift; n=$((n - 1)); done\n"
	    "while :; do for l; do cd $l; \"$0\" $l run; cd ..; done; done";
	char number[16];
	char *argv[] = { "sh", "-c", (char *)script, loads_path, number, NULL };

	snprintf(number, sizeof(number), "%d", at * 5);
	setpgid(0, 0);
	bench_wait(bench_spawn(argv), 0);
}

static void
chains_start(pid_t *pids, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if ((pids[i] = bench_fork(SIGKILL)) == 0) {
			chain_run(i);
			_exit(0);
		}
}

/* Waits until they have made their files. */
static void
chains_wait(int n)
{
	int64_t end = bench_now() + BUSY_PREPARE;
	char path[32];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "chain%d/ready", i * 5);
		while (access(path, F_OK) == -1) {
			if (bench_now() > end)
				errx(1, "the loads are not ready");
			bench_sleep(BUSY_POLL);
		}
	}
}

/* Each is a process group. */
static void
chains_stop(const pid_t *pids, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		kill(-pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

static double
sum_of(uint32_t what)
{
	static struct dtioc_sum list[DTSM_MAX];
	int i, n = dt_sums_read(sums, list, DTSM_MAX, BUSY_TIMEOUT);

	if (n == -1)
		err(1, "dt_sums_read: %s", dt_error(sums));
	for (i = 0; i < n; i++)
		if (list[i].dtsm_what == what)
			return list[i].dtsm_value;
	errx(1, "dtd has no sum %u", what);
}

static void
poll_until(int64_t end, struct busy *bu)
{
	double nsecs, kbytes, bytes;

	while (bench_now() < end) {
		bench_sleep(BUSY_POLL);
		nsecs = kbytes = 0;
		bench_tree(dtd.bd_pid, &nsecs, &kbytes);
		bytes = sum_of(DTSM_UNWMEMORY);
		if (bytes > bu->bu_memory)
			bu->bu_memory = bytes;
		if (kbytes > bu->bu_rss)
			bu->bu_rss = kbytes;
	}
}

/* Reads the mean cost of programs, millionths, from the last line of dt -j. */
static double
cost_of(const char *path)
{
	char *line = NULL, *at;
	double cost = -1;
	size_t size = 0;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	while (getline(&line, &size, f) != -1)
		if (strncmp(line, "{\"ledger\"", 9) == 0 &&
		    (at = strstr(line, "\"cost\":")) != NULL)
			cost = strtod(at + 7, NULL);
	free(line);
	fclose(f);
	if (cost < 0)
		errx(1, "dt printed no cost");
	return cost;
}

static pid_t
profile_start(const char *output)
{
	pid_t pid = bench_fork(SIGTERM);

	if (pid != 0)
		return pid;
	if (freopen(output, "w", stdout) == NULL ||
	    (getenv("BENCH_VERBOSE") == NULL &&
		freopen("/dev/null", "w", stderr) == NULL))
		err(1, "%s", output);
	execl(dt_path, "dt", "profile", "-j", "--no-limit", "-F", "99", NULL);
	_exit(127);
}

/* Returns the processes and threads that the machine has started. */
static double
forks(void)
{
	unsigned long long n = 0;
	char line[4096];
	FILE *f;

	if ((f = fopen("/proc/stat", "re")) == NULL)
		err(1, "/proc/stat");
	while (fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "processes %llu", &n);
	fclose(f);
	return n;
}

/* CPU times of the processes, ns, and counts. */
struct times {
	int64_t ti_now;
	double ti_dtd, ti_others, ti_dt;
	double ti_forks, ti_events, ti_copies, ti_tables;
};

static void
times_get(struct times *ti, pid_t dt)
{
	ti->ti_now = bench_now();
	ti->ti_dtd = bench_cputime(dtd.bd_pid);
	ti->ti_dt = bench_cputime(dt);
	ti->ti_others = -ti->ti_dtd;
	bench_tree(dtd.bd_pid, &ti->ti_others, NULL);
	ti->ti_forks = forks();
	ti->ti_events = sum_of(DTSM_SYMEVENTS);
	ti->ti_copies = sum_of(DTSM_UNWCOPIES);
	ti->ti_tables = sum_of(DTSM_UNWBUILT);
}

static void
measure(struct busy *bu, int64_t window)
{
	char *output = bench_file();
	pid_t pid = profile_start(output);
	struct times from, to;
	double percent, rate;

	poll_until(bench_now() + BUSY_START, bu);
	times_get(&from, pid);
	poll_until(from.ti_now + window, bu);
	times_get(&to, pid);
	percent = 100.0 / (to.ti_now - from.ti_now) / bench_ncpu();
	bu->bu_dtd = percent * (to.ti_dtd - from.ti_dtd);
	bu->bu_others = percent * (to.ti_others - from.ti_others);
	bu->bu_dt = percent * (to.ti_dt - from.ti_dt);
	rate = 1e9 / (to.ti_now - from.ti_now);
	bu->bu_forks = rate * (to.ti_forks - from.ti_forks);
	bu->bu_events = rate * (to.ti_events - from.ti_events);
	bu->bu_copies = rate * (to.ti_copies - from.ti_copies);
	bu->bu_tables = rate * (to.ti_tables - from.ti_tables);
	bench_wait(pid, SIGINT);
	bu->bu_programs = cost_of(output) / 1e4;
}

static void
print(const struct busy *bu)
{
	double mbytes = bu->bu_memory / (1 << 20);
	double cpu = bu->bu_dtd + bu->bu_others + bu->bu_dt + bu->bu_programs;

	bench_row("busy-memory", &mbytes, 1);
	bench_row("busy-cpu", &cpu, 1);
	bench_note("busy: dtd %.2f %%, its processes %.2f %%, dt %.2f %%, "
		   "programs of the kernel %.2f %%",
	    bu->bu_dtd, bu->bu_others, bu->bu_dt, bu->bu_programs);
	bench_note("busy: per second, the machine starts %.0f processes and "
		   "threads, the kernel reports %.0f events about processes, "
		   "programs copy %.0f stacks, dtd builds %.0f tables",
	    bu->bu_forks, bu->bu_events, bu->bu_copies, bu->bu_tables);
	bench_note("busy: %.0f tables, %.0f processes, %.0f removed, %.0f "
		   "without memory; dtd and its processes at most %.0f MB",
	    sum_of(DTSM_UNWBUILT), sum_of(DTSM_UNWPROCS),
	    sum_of(DTSM_UNWEVICTS), sum_of(DTSM_UNWFULL), bu->bu_rss / 1024);
}

int
main(int argc, char **argv)
{
	char dir[] = "/tmp/dt-bench.XXXXXX", *rm[] = { "rm", "-rf", dir, NULL };
	const char *loads = getenv("LOADS");
	struct busy bu = { 0 };
	pid_t chains[BUSY_MAXCPU];
	char name[4096];
	int n;

	bench_init(argc, argv);
	if ((n = bench_ncpu()) > BUSY_MAXCPU)
		n = BUSY_MAXCPU;
	snprintf(name, sizeof(name), "%.4000s/dt", bench_dir);
	if (realpath(name, dt_path) == NULL ||
	    realpath(loads != NULL ? loads : "bench/loads", loads_path) == NULL)
		err(1, "programs");
	bench_dtd_start(&dtd);
	bench_dtd_serve(&dtd, 1);
	sums = bench_open(&dtd, 0);
	if (dt_sums_open(sums) == -1)
		err(1, "dt_sums_open: %s", dt_error(sums));
	if (mkdtemp(dir) == NULL || chmod(dir, 0755) == -1 || chdir(dir) == -1)
		err(1, "%s", dir);
	chains_start(chains, n);
	chains_wait(n);
	measure(&bu, bench_quick ? BUSY_WINDOW / 8 : BUSY_WINDOW);
	chains_stop(chains, n);
	print(&bu);
	dt_close(sums);
	bench_dtd_serve(&dtd, 0);
	bench_dtd_stop(&dtd);
	bench_wait(bench_spawn(rm), 0);
	return 0;
}
