/* SPDX-License-Identifier: ISC */
/*
 * Cases of symprocs: many mappings and processes, fast changes, and their cost.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"
#include "tests/run/prog/symprocs/symprocs.h"

#define SECOND 1000000000LL

static long
max_map_count(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	long n = 0;

	if (f == NULL || fscanf(f, "%ld", &n) != 1)
		errx(1, "no max_map_count");
	fclose(f);
	return n;
}

/*
 * Maps as many pages as possible, up to 100,000, every second one executable.
 */
static void
many_child(int sock, void *arg)
{
	long n = max_map_count() - 1000, i, page = getpagesize();
	int fd = open(own_path(), O_RDONLY | O_CLOEXEC);
	uint64_t *shared = arg;
	char *p;

	if (n > 100000)
		n = 100000;
	p = mmap(NULL, n * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < n; i += 2)
		if (mmap(p + i * page, page, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			err(1, "mmap");
	shared[0] = (uintptr_t)p;
	shared[1] = n;
	prog_tell(sock, 1);
	(void)prog_hear(sock);
	_exit(0);
}

/* One process with very many mappings: known, and no delay for others. */
void
case_many(void)
{
	uint64_t *shared = prog_shared(16), at;
	struct proc_watch_stat ps;
	struct prog_child pc;
	struct proc_view *sv;
	struct stat sb;
	int64_t start, end;
	size_t i, n = 0;

	path_stat(own_path(), &sb);
	prog_child_start(&pc, many_child, shared);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "it has ended");
	proc_watch_stat(&ps);
	n = ps.pws_snapshots;
	start = prog_now();
	sym_hold();
	sym_has(getpid(), prog_now(), &sb, own_path(), "another process");
	end = prog_now();
	wait_snapshot(&ps, n + 1);
	sv = sym_view(pc.pc_pid, prog_now());
	for (i = 0, n = 0; i < sv->pv_nmaps; i++)
		n += sv->pv_maps[i].pm_start >= shared[0] &&
		    sv->pv_maps[i].pm_start <
			shared[0] + shared[1] * getpagesize();
	at = shared[0] + shared[1] / 2 / 2 * 2 * getpagesize();
	sym_is(sym_at(sv, at, "one of many"), &sb, NULL, "one of many");
	if (n < shared[1] / 2)
		errx(1, "%zu of %llu are known", n,
		    (unsigned long long)shared[1] / 2);
	proc_watch_view_free(sv);
	printf("many: %llu mappings, of code %zu; another process known after "
	       "%lld us, all after %llu us; %llu bytes\n",
	    (unsigned long long)shared[1], n, (long long)(end - start) / 1000,
	    (unsigned long long)ps.pws_snapnsecs / 1000,
	    (unsigned long long)ps.pws_bytes);
	prog_child_end(&pc);
	proc_watch_release();
}

/* Changes its mappings rate times a second; at the end it sends the count. */
struct storm {
	long st_rate; /* 0: as fast as possible */
	uint64_t st_n;
	int st_stop;
};

static void
storm_child(int sock, void *arg)
{
	struct storm *st = arg;
	long page = getpagesize();
	int64_t start = prog_now();
	const struct timespec ts = { 0, 1000000 };
	char *p;

	p = mmap(NULL, 4096 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);
	prog_tell(sock, 1);
	while (!__atomic_load_n(&st->st_stop, __ATOMIC_RELAXED)) {
		while (st->st_rate != 0 &&
		    (prog_now() - start) * st->st_rate / SECOND <
			(int64_t)st->st_n &&
		    !__atomic_load_n(&st->st_stop, __ATOMIC_RELAXED))
			nanosleep(&ts, NULL);
		(void)map_page(st->st_n % 3 ? own_path() : "other",
		    p + st->st_n * 7 % 4096 * page);
		st->st_n++;
	}
	(void)prog_hear(sock);
	_exit(0);
}

#define NBESIDE 100

/* Next to a process that remaps all the time, others lose no record. */
void
case_storm(void)
{
	struct storm *st = prog_shared(sizeof(*st));
	struct proc_watch_stat before, after;
	int64_t times[NBESIDE], start;
	struct prog_child pc;
	pid_t pids[NBESIDE];
	struct stat sb;
	int i;

	own_copy("other");
	own_copy("beside");
	path_stat("beside", &sb);
	st->st_rate = 10000;
	sym_hold();
	proc_watch_stat(&before);
	prog_child_start(&pc, storm_child, st);
	start = prog_now();
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "it has ended");
	for (i = 0; i < NBESIDE; i++) {
		pids[i] = child_run("./beside", "end");
		times[i] = prog_now();
		while (prog_now() - start < SECOND * i / NBESIDE)
			usleep(1000);
	}
	for (i = 0; i < NBESIDE; i++)
		sym_has(pids[i], times[i], &sb, NULL, "beside");
	st->st_stop = 1;
	proc_watch_stat(&after);
	printf("storm: %llu changes in %lld ms, lost %llu, dropped %llu, "
	       "%llu bytes\n",
	    (unsigned long long)st->st_n,
	    (long long)(prog_now() - start) / 1000000,
	    (unsigned long long)(after.pws_lost - before.pws_lost),
	    (unsigned long long)(after.pws_dropped - before.pws_dropped),
	    (unsigned long long)after.pws_bytes);
	if (after.pws_lost != before.pws_lost)
		errx(1, "records were lost");
	prog_child_end(&pc);
	proc_watch_release();
}

/*
 * Starves the thread that reads the rings of CPU time, or restores its share.
 */
static void
starve(int on)
{
	const struct sched_param param = { 0 };
	char path[64], name[32];
	cpu_set_t set;
	DIR *dir = opendir("/proc/self/task");
	struct dirent *de;
	FILE *f;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	while (dir != NULL && (de = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm",
		    de->d_name);
		if ((f = fopen(path, "re")) == NULL)
			continue;
		if (fgets(name, sizeof(name), f) != NULL &&
		    strcmp(name, "dtd-procs\n") == 0 &&
		    (sched_setaffinity(atoi(de->d_name), sizeof(set), &set) ==
			    -1 ||
			sched_setscheduler(atoi(de->d_name),
			    on ? SCHED_IDLE : SCHED_OTHER, &param) == -1))
			err(1, "scheduler");
		fclose(f);
	}
	closedir(dir);
}

/*
 * Starts ./other and maps ./late while records are lost, and waits for the notice
 * of the loss.
 */
static pid_t
lose(struct storm *st, int *sock)
{
	const struct timespec ts = { 0, 10000000 };
	struct proc_watch_stat ps;
	struct prog_child pc;
	uint64_t lost;
	pid_t pid;

	proc_watch_stat(&ps);
	lost = ps.pws_lost;
	st->st_n = st->st_stop = 0;
	starve(1);
	prog_child_start(&pc, storm_child, st);
	while (st->st_n < 50000)
		nanosleep(&ts, NULL);
	pid = child_start("./other", "wait", sock);
	(void)map_page("late", NULL);
	st->st_stop = 1;
	prog_child_end(&pc);
	starve(0);
	for (proc_watch_stat(&ps); ps.pws_lost == lost; proc_watch_stat(&ps)) {
		(void)map_page(own_path(), NULL);
		nanosleep(&ts, NULL);
	}
	return pid;
}

/*
 * Lost mappings are read from /proc: of all processes at most once a second, and
 * of one process when they are requested.
 */
void
case_lossy(void)
{
	struct storm *st = prog_shared(sizeof(*st));
	struct proc_watch_stat ps;
	struct stat sb, late;
	uint64_t snaps;
	int sock;
	pid_t pid;

	own_copy("other");
	own_copy("late");
	path_stat("other", &sb);
	path_stat("late", &late);
	proc_watch_stat(&ps);
	snaps = ps.pws_snapshots;
	prog_pin(0);
	sym_hold();
	wait_snapshot(&ps, snaps + 1);
	pid = lose(st, &sock);
	wait_snapshot(&ps, snaps + 2);
	sym_has(pid, prog_now(), &sb, NULL, "what was lost");
	sym_has(getpid(), prog_now(), &late, NULL, "what was lost");
	child_end(pid, sock);
	own_copy("late"); /* another file */
	path_stat("late", &late);
	pid = lose(st, &sock);
	sym_has(pid, prog_now(), &sb, NULL, "a program of a moment ago");
	sym_has(getpid(), prog_now(), &late, NULL, "a mapping of a moment ago");
	child_end(pid, sock);
	proc_watch_release();
}

/* Returns the CPU time of all threads but this one, in ns. */
static int64_t
others_cpu(void)
{
	struct timespec all, own;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all) == -1 ||
	    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own) == -1)
		err(1, "clock_gettime");
	return (all.tv_sec - own.tv_sec) * SECOND + all.tv_nsec - own.tv_nsec;
}

static long
own_rss(void)
{
	char line[128];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "VmRSS: %ld", &kb);
	if (f != NULL)
		fclose(f);
	return kb;
}

#define NCOST 2000

/* Executes 1,000 programs a second. */
void
case_cost(void)
{
	struct proc_watch_stat ps;
	uint64_t n;
	int64_t start, cpu;
	int i;

	proc_watch_stat(&ps);
	n = ps.pws_snapshots;
	sym_hold();
	wait_snapshot(&ps, n + 1);
	proc_watch_stat(&ps);
	n = ps.pws_records;
	start = prog_now();
	cpu = others_cpu();
	for (i = 0; i < NCOST; i++) {
		(void)child_run(own_path(), "end");
		while (prog_now() - start < SECOND / 1000 * i)
			usleep(200);
	}
	cpu = others_cpu() - cpu;
	start = prog_now() - start;
	proc_watch_stat(&ps);
	printf("cost: %d execs in %lld ms, %llu records, %lld us of CPU: %lld "
	       "ns each, %.2f %% of a CPU at 1,000/s; lost %llu, "
	       "%llu processes, %llu bytes, RSS %ld kB\n",
	    NCOST, (long long)start / 1000000,
	    (unsigned long long)(ps.pws_records - n), (long long)cpu / 1000,
	    (long long)cpu / NCOST, (double)cpu / NCOST * 1000 / SECOND * 100,
	    (unsigned long long)ps.pws_lost, (unsigned long long)ps.pws_procs,
	    (unsigned long long)ps.pws_bytes, own_rss());
	proc_watch_release();
}

#define NSTART 500

/* 500 processes that exist already. */
void
case_start(void)
{
	static pid_t pids[NSTART];
	static int socks[NSTART];
	struct proc_watch_stat ps;
	uint64_t n;
	long rss = own_rss();
	int64_t start;
	int i;

	for (i = 0; i < NSTART; i++)
		pids[i] = child_start(own_path(), "wait", &socks[i]);
	proc_watch_stat(&ps);
	n = ps.pws_snapshots;
	start = prog_now();
	sym_hold();
	printf("start: hold %lld us, ", (long long)(prog_now() - start) / 1000);
	wait_snapshot(&ps, n + 1);
	printf("%llu processes, %llu mappings in %llu us, files %llu, "
	       "%llu bytes, RSS %ld kB before, %ld kB now\n",
	    (unsigned long long)ps.pws_procs, (unsigned long long)ps.pws_maps,
	    (unsigned long long)ps.pws_snapnsecs / 1000,
	    (unsigned long long)ps.pws_files, (unsigned long long)ps.pws_bytes,
	    rss, own_rss());
	for (i = 0; i < NSTART; i++)
		child_end(pids[i], socks[i]);
	start = prog_now();
	proc_watch_release();
	printf("start: release %lld us\n",
	    (long long)(prog_now() - start) / 1000);
}
