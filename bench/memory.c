/* SPDX-License-Identifier: ISC */
/*
 * Memory of the idle service, before and after a session: pages of the process,
 * and pages of its BPF maps in the kernel.  Resident memory during a recording, and
 * of bpftrace with the same probe; and the CPU time of the idle service.
 */
#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>

#include "bench/bench.h"

#define MEMORY_MAXROUNDS 8
#define MEMORY_MAXMAPS	 256
#define MEMORY_BPFTRACE	 1500000000LL /* ns for bpftrace to attach */
#define MEMORY_CLOSE	 500000000LL /* ns for the service to close a session */
#define MEMORY_RECORD	 500000000LL
#define MEMORY_LOAD	 2000000000LL /* ns for the service to load its programs */

static struct bench_dtd dtd;

/* Returns the resident memory while events are recorded, MB. */
static double
recording(const struct bench_call *bc)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, 0);
	struct dt *dt = bench_open(&dtd, 0);
	int64_t end = bench_now() + MEMORY_RECORD;
	struct dt_event ev;
	double kbytes;

	bench_enable(dt, bc->bc_probe, DTEVT_FUNCARGS, 0);
	bench_record(dt, 1);
	bench_load_go(bl);
	while (dt_next(dt, &ev, 1) != -1 && bench_now() < end)
		;
	kbytes = bench_rss(dtd.bd_pid);
	bench_load_stop(bl);
	bench_load_end(bl);
	bench_record(dt, 0);
	dt_close(dt);
	return kbytes / 1024;
}

/* Returns the memory of a BPF map, bytes; 0 if fd is not a map. */
static long
map_bytes(pid_t pid, const char *fd, unsigned int *id)
{
	char path[300], line[128];
	long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, fd);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	*id = 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		sscanf(line, "memlock: %ld", &bytes);
		sscanf(line, "map_id: %u", id);
	}
	fclose(f);
	return *id != 0 ? bytes : 0;
}

/* Returns the memory of all maps that a process has open, MB. */
static double
maps(pid_t pid)
{
	unsigned int seen[MEMORY_MAXMAPS], n = 0, i, id;
	char path[64];
	struct dirent *de;
	double sum = 0;
	long bytes;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	if ((dir = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((de = readdir(dir)) != NULL && n < MEMORY_MAXMAPS) {
		if ((bytes = map_bytes(pid, de->d_name, &id)) == 0)
			continue;
		for (i = 0; i < n && seen[i] != id; i++)
			;
		if (i < n)
			continue;
		seen[n++] = id;
		sum += bytes;
	}
	closedir(dir);
	return sum / 1048576;
}

static double
bpftrace(void)
{
	char *argv[] = { "bpftrace", "-e",
		"tracepoint:syscalls:sys_enter_mmap { @[comm] = count(); }",
		NULL };
	pid_t pid = bench_spawn(argv);
	double kbytes;

	bench_sleep(MEMORY_BPFTRACE);
	kbytes = bench_rss(pid);
	bench_wait(pid, SIGINT);
	return kbytes / 1024;
}

static double
idle_cpu(void)
{
	int64_t cpu = bench_cputime(dtd.bd_pid);

	bench_sleep(bench_quick ? 500000000LL : 2000000000LL);
	return (bench_cputime(dtd.bd_pid) - cpu) / 1e6;
}

int
main(int argc, char **argv)
{
	double idle[MEMORY_MAXROUNDS], after[MEMORY_MAXROUNDS];
	double rec[MEMORY_MAXROUNDS], kernel[MEMORY_MAXROUNDS];
	double peer[MEMORY_MAXROUNDS], cpu[MEMORY_MAXROUNDS];
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(3, 1);
	for (i = 0; i < n; i++) {
		bench_dtd_start(&dtd);
		bench_sleep(MEMORY_LOAD);
		idle[i] = bench_anon(dtd.bd_pid) / 1024.0;
		kernel[i] = maps(dtd.bd_pid);
		cpu[i] = idle_cpu();
		rec[i] = recording(&bench_call6);
		bench_sleep(MEMORY_CLOSE);
		after[i] = bench_anon(dtd.bd_pid) / 1024.0;
		peer[i] = bpftrace();
		bench_dtd_stop(&dtd);
	}
	bench_row_peer("memory", rec, peer, n);
	bench_row("memory-idle", idle, n);
	bench_row("memory-after", after, n);
	bench_row("memory-maps", kernel, n);
	bench_row("cpu-idle", cpu, n);
	return 0;
}
