/* SPDX-License-Identifier: ISC */
/* The metrics process_* of this process. */
#include <dirent.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "exporter/process_metrics.h"

static void
print(FILE *f, const char *name, const char *type, const char *help,
    double value)
{
	fprintf(f,
	    "# HELP process_%s %s\n# TYPE process_%s %s\nprocess_%s %.17g\n",
	    name, help, name, type, name, value);
}

static double
seconds(clockid_t id)
{
	struct timespec ts;

	return clock_gettime(id, &ts) == 0 ? ts.tv_sec + ts.tv_nsec / 1e9 : 0;
}

/* Returns the start time of this process, from field 22 of /proc/self/stat. */
static double
start_time(void)
{
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/self/stat", "re");

	if (f == NULL)
		return 0;
	if (fscanf(f,
		"%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u "
		"%*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		&ticks) != 1)
		ticks = 0;
	fclose(f);
	return ticks == 0 ? 0
			  : seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) +
		(double)ticks / sysconf(_SC_CLK_TCK);
}

static void
print_memory(FILE *out)
{
	unsigned long long size, resident;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f == NULL)
		return;
	if (fscanf(f, "%llu %llu", &size, &resident) == 2) {
		print(out, "virtual_memory_bytes", "gauge",
		    "Virtual memory size in bytes.",
		    (double)size * getpagesize());
		print(out, "resident_memory_bytes", "gauge",
		    "Resident memory size in bytes.",
		    (double)resident * getpagesize());
	}
	fclose(f);
}

static void
print_fds(FILE *f)
{
	struct rlimit rl;
	unsigned int n = 0;
	DIR *d = opendir("/proc/self/fd");

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0)
		print(f, "max_fds", "gauge",
		    "Maximum number of open file descriptors.", rl.rlim_cur);
	if (d == NULL)
		return;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	/* without ".", ".." and the directory itself */
	print(f, "open_fds", "gauge", "Number of open file descriptors.",
	    n - 3.0);
}

void
process_metrics_print(FILE *f)
{
	print(f, "cpu_seconds_total", "counter",
	    "Total user and system CPU time spent in seconds.",
	    seconds(CLOCK_PROCESS_CPUTIME_ID));
	print_memory(f);
	print_fds(f);
	print(f, "start_time_seconds", "gauge",
	    "Start time of the process since unix epoch in seconds.",
	    start_time());
}
