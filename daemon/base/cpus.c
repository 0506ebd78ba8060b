/* SPDX-License-Identifier: ISC */
/* Reads the numbers of possible CPUs, which do not change. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/cpus.h"

#define CPUS_FILE "/sys/devices/system/cpu/possible"
#define CPUS_TEXT 4096 /* bytes */

/* Ranges such as 0-3,8-11; without sysfs, as many as there are. */
static char cpus_text[CPUS_TEXT];
static pthread_once_t cpus_once = PTHREAD_ONCE_INIT;

static void
cpus_read(void)
{
	FILE *f = fopen(CPUS_FILE, "re");

	if (f == NULL || fgets(cpus_text, sizeof(cpus_text), f) == NULL)
		snprintf(cpus_text, sizeof(cpus_text), "0-%ld",
		    sysconf(_SC_NPROCESSORS_CONF) - 1);
	if (f != NULL)
		fclose(f);
}

/* Reads a range, and returns where the next one begins; NULL: there is none. */
static const char *
cpus_range(const char *p, unsigned long *first, unsigned long *last)
{
	char *end;

	*first = *last = strtoul(p, &end, 10);
	if (end == p)
		return NULL;
	if (*end == '-')
		*last = strtoul(end + 1, &end, 10);
	return *end == ',' ? end + 1 : end;
}

unsigned int
cpus_list_end(const char *p)
{
	unsigned long first, last, end = 1;

	while ((p = cpus_range(p, &first, &last)) != NULL)
		end = last + 1;
	return end;
}

int
cpus_list_has(const char *p, unsigned int cpu)
{
	unsigned long first, last;

	while ((p = cpus_range(p, &first, &last)) != NULL)
		if (cpu >= first && cpu <= last)
			return 1;
	return 0;
}

unsigned int
cpus_end(void)
{
	pthread_once(&cpus_once, cpus_read);
	return cpus_list_end(cpus_text);
}

int
cpus_ispossible(unsigned int cpu)
{
	pthread_once(&cpus_once, cpus_read);
	return cpus_list_has(cpus_text, cpu);
}
