/* SPDX-License-Identifier: ISC */
/*
 * The CPU time of dtd, dt-exporter and the processes of its defined metrics, of
 * which all shipped ones are served, while every CPU makes system calls as fast
 * as it can.  The time that programs of the kernel add to the calls is in the
 * rows of cost and count.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

#define DEFINED_MAXCPU 64
#define DEFINED_FOLDER "exporter/metrics.d"
#define DEFINED_EVERY  1000000000LL  /* ns between scrapes */
#define DEFINED_START  60000000000LL /* ns until all metrics are up */

static struct bench_dtd dtd;
static char folder[4096], page_path[108];
static double calls; /* counted, of the last page */

static pid_t
exporter_start(void)
{
	char program[4096], dt[4096];
	char *argv[] = { program, "-l", "none", "-u", page_path, "-s",
		dtd.bd_path, "-m", folder, "--dt", dt, NULL };

	snprintf(program, sizeof(program), "%s/dt-exporter", bench_dir);
	snprintf(dt, sizeof(dt), "%s/dt", bench_dir);
	snprintf(page_path, sizeof(page_path), "%s/metrics", dtd.bd_dir);
	return bench_spawn(argv);
}

/* Requests the page, and returns a stream of it; NULL: no exporter. */
static FILE *
page_open(void)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1)
		err(1, "socket");
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", page_path);
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    write(fd, request, sizeof(request) - 1) == -1) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

/* Returns how many metrics are down; -1: there is no page, or no metric. */
static int
scrape(void)
{
	char line[1024], *value;
	int nup = 0, ndown = 0;
	FILE *f = page_open();

	if (f == NULL)
		return -1;
	calls = 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (*line == '#' || (value = strrchr(line, ' ')) == NULL)
			continue;
		if (strncmp(line, "dt_defined_metric_up", 20) == 0)
			*(atoi(value) == 1 ? &nup : &ndown) += 1;
		else if (strncmp(line, "dt_syscall_latency_seconds_count",
			     32) == 0)
			calls += strtod(value, NULL);
	}
	fclose(f);
	return nup + ndown == 0 ? -1 : ndown;
}

static void
wait_up(void)
{
	int64_t end = bench_now() + DEFINED_START;

	while (scrape() != 0) {
		if (bench_now() > end)
			errx(1, "not all metrics are up");
		bench_sleep(DEFINED_EVERY / 10);
	}
}

/* Returns the CPU time during some scrapes, % of all CPUs. */
static double
window(pid_t exporter)
{
	int64_t begin = bench_now();
	double before = 0, after = 0;
	int i;

	bench_tree(dtd.bd_pid, &before, NULL);
	bench_tree(exporter, &before, NULL);
	for (i = bench_rounds(20, 2); i > 0; i--) {
		bench_sleep(DEFINED_EVERY);
		if (scrape() != 0)
			errx(1, "a metric is down");
	}
	bench_tree(dtd.bd_pid, &after, NULL);
	bench_tree(exporter, &after, NULL);
	return 100 * (after - before) / (bench_now() - begin) / bench_ncpu();
}

int
main(int argc, char **argv)
{
	struct bench_load *loads[DEFINED_MAXCPU];
	char program[4096];
	double cpu, before;
	int64_t begin;
	int i, n;
	pid_t exporter;

	bench_init(argc, argv);
	if (realpath(DEFINED_FOLDER, folder) == NULL)
		err(1, DEFINED_FOLDER);
	snprintf(program, sizeof(program), "%s/dtd", bench_dir);
	bench_dtd_start_as(&dtd, program, "cost-limit = 0\n");
	exporter = exporter_start();
	wait_up();
	n = bench_ncpu() < DEFINED_MAXCPU ? bench_ncpu() : DEFINED_MAXCPU;
	for (i = 0; i < n; i++) {
		loads[i] = bench_load_start(i, &bench_call6, 0);
		bench_load_go(loads[i]);
	}
	before = calls;
	begin = bench_now();
	cpu = window(exporter);
	bench_note("defined: %.2f million system calls per second",
	    (calls - before) * 1e3 / (bench_now() - begin));
	for (i = 0; i < n; i++) {
		bench_load_stop(loads[i]);
		bench_load_end(loads[i]);
	}
	bench_wait(exporter, SIGTERM);
	unlink(page_path);
	bench_dtd_stop(&dtd);
	bench_row("defined-cpu", &cpu, 1);
	return 0;
}
