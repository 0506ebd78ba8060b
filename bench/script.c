/* SPDX-License-Identifier: ISC */
/*
 * Scripts, next to bpftrace with the same text: the time of a script without
 * probes, the time to the first line, how many events per second a printf of
 * the interpreter handles without loss, what a hit that is counted costs the
 * program, and the memory while a script counts.
 */
#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"

#define SCRIPT_ROUNDS 9
#define SCRIPT_CALLS  200000	   /* of the load for the rate */
#define SCRIPT_HITS   2000000	   /* calls that are counted */
#define SCRIPT_ATTACH 2000000000LL /* ns for either tool to attach */
#define SCRIPT_DEPTH  4		   /* of the processes that a tool starts */

static const char script_open[] =
    "tracepoint:syscalls:sys_enter_openat { printf(\"%s\\n\", "
    "str(args->filename)); }";
static const char script_rate[] =
    "tracepoint:syscalls:sys_enter_getppid { printf(\"%d %s\\n\", pid, comm); "
    "}";
static const char script_hit[] =
    "tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); }";
static const char script_count[] =
    "tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }";

/* Arguments of dt or of bpftrace for a program. */
static void
script_argv(char *argv[6], const char *program, int isdt)
{
	static char path[4096];
	int n = 0;

	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	argv[n++] = isdt ? path : (char *)"bpftrace";
	if (isdt) {
		argv[n++] = (char *)"run";
		argv[n++] = (char *)"--strict"; /* fails if events are lost */
	} else {
		argv[n++] = (char *)"-B";
		argv[n++] = (char *)"line";
	}
	argv[n++] = (char *)"-e";
	argv[n++] = (char *)program;
	argv[n] = NULL;
}

/* Returns the milliseconds of a script that exits at once. */
static double
script_begin(int isdt)
{
	int64_t start = bench_now();
	char *argv[6];

	script_argv(argv, "BEGIN { exit(); }", isdt);
	bench_wait(bench_spawn(argv), 0);
	return (bench_now() - start) / 1e6;
}

/* A process that opens a file every millisecond, or calls getppid. */
static pid_t
script_load(int isopen)
{
	pid_t pid = bench_fork(SIGKILL);

	if (pid != 0)
		return pid;
	for (;;) {
		if (isopen) {
			FILE *f = fopen("/etc/hostname", "re");

			if (f != NULL)
				fclose(f);
			bench_sleep(1000000);
		} else
			(void)syscall(SYS_getppid);
	}
}

/* Returns the milliseconds until the script prints a line with a text. */
static double
script_first(int isdt)
{
	int64_t start = bench_now();
	char *argv[6], line[4096];
	double ms = 0;
	pid_t pid;
	FILE *f;
	int fd;

	script_argv(argv, script_open, isdt);
	pid = bench_spawn_pipe(argv, &fd);
	if ((f = fdopen(fd, "r")) == NULL)
		err(1, "pipe");
	while (fgets(line, sizeof(line), f) != NULL)
		if (strchr(line, '/') != NULL) {
			ms = (bench_now() - start) / 1e6;
			break;
		}
	bench_wait(pid, SIGKILL);
	fclose(f);
	if (ms == 0)
		errx(1, "%s printed no line", argv[0]);
	return ms;
}

/* Ends a tool, of which dt fails here if events were lost. */
static void
script_end(pid_t pid, int fd, int isdt)
{
	char text[65536];

	if (!isdt) {
		bench_wait(pid, SIGKILL);
		return;
	}
	if (kill(pid, SIGINT) == -1)
		err(1, "dt");
	while (read(fd, text, sizeof(text)) > 0)
		;
	bench_wait(pid, 0);
}

/* Returns the lines per second that the script prints, in millions. */
static double
script_lines(int isdt)
{
	char *argv[6], text[65536];
	int64_t start = 0, now = 0;
	uint64_t lines = 0;
	ssize_t i, n;
	pid_t pid;
	int fd;

	script_argv(argv, script_rate, isdt);
	pid = bench_spawn_pipe(argv, &fd);
	while (lines < SCRIPT_CALLS && (n = read(fd, text, sizeof(text))) > 0) {
		now = bench_now();
		if (start == 0) { /* the first part: a heading, a wait */
			start = now;
			continue;
		}
		for (i = 0; i < n; i++)
			lines += text[i] == '\n';
	}
	script_end(pid, fd, isdt);
	close(fd);
	return now > start ? lines * 1e3 / (now - start) : 0;
}

/* Returns the number in a line of a file of /proc/PID, or 0. */
static long
script_proc(pid_t pid, const char *name, const char *format)
{
	char path[64], line[256];
	long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	if ((f = fopen(path, "re")) == NULL)
		return 0; /* it has exited */
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, format, &n) == 1)
			break;
	fclose(f);
	return n;
}

/* Returns the memory of a process and those that it has started, kB. */
static long
script_pss(pid_t pid, int depth)
{
	long sum = script_proc(pid, "smaps_rollup", "Pss: %ld");
	struct dirent *de;
	pid_t child;
	DIR *dir;

	if (depth == 0)
		return sum;
	if ((dir = opendir("/proc")) == NULL)
		err(1, "/proc");
	while ((de = readdir(dir)) != NULL)
		if ((child = atoi(de->d_name)) > 0 &&
		    script_proc(child, "status", "PPid: %ld") == pid)
			sum += script_pss(child, depth - 1);
	closedir(dir);
	return sum;
}

/* Returns the memory of a script that counts, in a shared page's part, MB. */
static double
script_memory(int isdt)
{
	char *argv[6];
	double mbytes;
	pid_t pid;
	int fd;

	script_argv(argv, script_count, isdt);
	pid = bench_spawn_pipe(argv, &fd);
	bench_sleep(SCRIPT_ATTACH);
	mbytes = script_pss(pid, SCRIPT_DEPTH) / 1024.0;
	bench_wait(pid, SIGINT);
	close(fd);
	return mbytes;
}

/* Returns the ns of a system call. */
static double
script_call(void)
{
	int64_t start = bench_now();
	int i;

	for (i = 0; i < SCRIPT_HITS; i++)
		(void)syscall(SYS_getppid);
	return (double)(bench_now() - start) / SCRIPT_HITS;
}

/* Returns the ns that counting adds to it. */
static double
script_added(int isdt)
{
	double bare = script_call(), counted;
	char *argv[6];
	pid_t pid;
	int fd;

	script_argv(argv, script_hit, isdt);
	pid = bench_spawn_pipe(argv, &fd);
	bench_sleep(SCRIPT_ATTACH);
	counted = script_call();
	script_end(pid, fd, isdt);
	close(fd);
	return counted - bare;
}

static void
script_rows(const char *row, double (*fn)(int))
{
	double ours[SCRIPT_ROUNDS], theirs[SCRIPT_ROUNDS];
	int i, n = bench_rounds(SCRIPT_ROUNDS, 1);

	for (i = 0; i < n; i++) {
		ours[i] = fn(1);
		theirs[i] = fn(0);
	}
	bench_row_peer(row, ours, theirs, n);
}

/* The first line, with a service and with a private dtd. */
static void
script_firsts(const struct bench_dtd *bd)
{
	double ours[SCRIPT_ROUNDS], theirs[SCRIPT_ROUNDS];
	double alone[SCRIPT_ROUNDS];
	int i, n = bench_rounds(SCRIPT_ROUNDS, 1);

	for (i = 0; i < n; i++) {
		alone[i] = script_first(1);
		bench_dtd_serve(bd, 1);
		ours[i] = script_first(1);
		bench_dtd_serve(bd, 0);
		theirs[i] = script_first(0);
	}
	bench_row_peer("script-first", ours, theirs, n);
	bench_row_peer("script-first-private", alone, theirs, n);
}

int
main(int argc, char **argv)
{
	struct bench_dtd bd;
	pid_t load;

	bench_init(argc, argv);
	bench_dtd_start(&bd);
	script_rows("script-begin", script_begin);
	script_rows("script-hit", script_added);
	load = script_load(1);
	script_firsts(&bd);
	script_rows("script-memory", script_memory);
	bench_wait(load, SIGKILL);
	load = script_load(0);
	script_rows("script-rate", script_lines);
	bench_wait(load, SIGKILL);
	bench_dtd_stop(&bd);
	return 0;
}
