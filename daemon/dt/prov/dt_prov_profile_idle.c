/* SPDX-License-Identifier: ISC */
/*
 * Reads the idle time of each CPU from /proc/stat, for kernels that do not
 * provide it to BPF programs. Its unit is a hundredth of a second.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/dt/dt_softc.h"

/* "cpuN user nice system idle iowait ...": the line's CPU, and its idle. */
static int
idle_parse(const char *line, unsigned int *cpu, unsigned long long *ticks)
{
	unsigned long long idle, iowait;

	if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu", cpu, &idle, &iowait) !=
	    3)
		return -1;
	*ticks = idle + iowait;
	return 0;
}

uint64_t
dt_idle_unit(void)
{
	return 1000000000ULL / sysconf(_SC_CLK_TCK);
}

int
dt_idle_read(uint64_t *nsecs)
{
	unsigned long long ticks;
	unsigned int cpu;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	memset(nsecs, 0, dt_ncpu * sizeof(*nsecs));
	if ((f = fopen("/proc/stat", "re")) == NULL)
		return errno;
	while (getline(&line, &size, f) > 0 && strncmp(line, "cpu", 3) == 0)
		if (idle_parse(line, &cpu, &ticks) == 0 && cpu < dt_ncpu)
			nsecs[cpu] = ticks * dt_idle_unit();
	free(line);
	fclose(f);
	return 0;
}
