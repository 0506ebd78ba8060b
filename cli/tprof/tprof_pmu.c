/* SPDX-License-Identifier: ISC */
/*
 * Events of the machine's counters in sysfs: PMU/EVENT/, PMU/TERMS/, or for the
 * processor EVENT alone.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tprof/tprof.h"

const char *tprof_pmus = "/sys/bus/event_source/devices";

/*
 * PMUs that only count what a processor does, by prefix of their names.  The
 * daemon refuses others (daemon/perf/perf_event_open.c).
 */
static const struct {
	const char *name;
	int iscpu; /* events are found without the name of the PMU */
} pmus[] = {
	{ "cpu", 1 },
	{ "armv8_", 1 },
	{ "armv7_", 1 },
	{ "msr", 0 },
};

#define NPMUS (sizeof(pmus) / sizeof(pmus[0]))

/* Reads the first line of a file in sysfs.  Returns 0 or -1. */
static int
sys_read(char *line, size_t size, const char *pmu, const char *folder,
    const char *name)
{
	char path[512];
	FILE *f;
	int r = -1;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s%s%s", tprof_pmus,
		pmu, folder, folder[0] != '\0' ? "/" : "",
		name) >= sizeof(path) ||
	    (f = fopen(path, "re")) == NULL)
		return -1;
	if (fgets(line, size, f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		r = 0;
	}
	fclose(f);
	return r;
}

/* Stores a value in the bits of a format ("config:0-7,32-35"). */
static int
bits_put(const char *format, uint64_t value, uint64_t *config)
{
	unsigned int lo, hi, bit;
	int n;

	if (strncmp(format, "config:", 7) != 0)
		return -1; /* a request has no space for config1 and others */
	for (format += 7; *format != '\0'; format += *format == ',') {
		if (sscanf(format, "%u%n", &lo, &n) != 1)
			return -1;
		format += n;
		hi = lo;
		if (*format == '-') {
			if (sscanf(format, "-%u%n", &hi, &n) != 1)
				return -1;
			format += n;
		}
		for (bit = lo; bit <= hi && bit < 64; bit++, value >>= 1)
			*config |= (value & 1) << bit;
	}
	return value != 0 ? -1 : 0; /* the value does not fit */
}

/* Parses a term of "event=0x3c,umask=0x01": a number, or 1 without one. */
static int
term_put(const char *pmu, char *term, uint64_t *config)
{
	char format[128], *value, *end;
	uint64_t n = 1;

	if ((value = strchr(term, '=')) != NULL) {
		*value++ = '\0';
		n = strtoull(value, &end, 0);
		if (end == value || *end != '\0')
			return -1;
	}
	if (sys_read(format, sizeof(format), pmu, "format", term) == -1)
		return -1;
	return bits_put(format, n, config);
}

static int
terms_put(const char *pmu, char *terms, uint64_t *config)
{
	char *term, *save = NULL;

	*config = 0;
	for (term = strtok_r(terms, ",", &save); term != NULL;
	     term = strtok_r(NULL, ",", &save))
		if (term_put(pmu, term, config) == -1)
			return -1;
	return 0;
}

/*
 * Reads the file of an event; NetBSD uses the names of ARM's manuals, which are
 * in capitals.
 */
static int
event_read(char *terms, size_t size, const char *pmu, const char *name)
{
	char low[192];
	size_t i;

	if (sys_read(terms, size, pmu, "events", name) == 0)
		return 0;
	snprintf(low, sizeof(low), "%s", name);
	for (i = 0; low[i] != '\0'; i++)
		low[i] = (char)tolower((unsigned char)low[i]);
	return sys_read(terms, size, pmu, "events", low);
}

static int
event_find(const char *pmu, const char *name, uint64_t *unit, uint64_t *event)
{
	char type[32], terms[256];

	if (strchr(name, '/') != NULL ||
	    sys_read(type, sizeof(type), pmu, "", "type") == -1 ||
	    event_read(terms, sizeof(terms), pmu, name) == -1)
		return -1;
	*unit = strtoull(type, NULL, 10);
	return terms_put(pmu, terms, event);
}

int
tprof_pmu_find(const char *pmu, const char *what, uint64_t *unit,
    uint64_t *event)
{
	char type[32], terms[256];

	if (strchr(pmu, '.') != NULL || strchr(pmu, '/') != NULL)
		return -1;
	if (event_find(pmu, what, unit, event) == 0)
		return 0;
	if (sys_read(type, sizeof(type), pmu, "", "type") == -1)
		return -1;
	snprintf(terms, sizeof(terms), "%s", what);
	*unit = strtoull(type, NULL, 10);
	return terms_put(pmu, terms, event);
}

/*
 * Returns whether it is the processor (1), or another PMU (0); -1: unsupported.
 */
static int
pmu_iscpu(const char *name)
{
	size_t i;

	for (i = 0; i < NPMUS; i++)
		if (strncmp(name, pmus[i].name, strlen(pmus[i].name)) == 0)
			return pmus[i].iscpu;
	return -1;
}

static int
pmu_filter(const struct dirent *de)
{
	return pmu_iscpu(de->d_name) != -1;
}

/* Frees the list. */
static void
list_free(struct dirent **list, int n)
{
	int i;

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

int
tprof_pmu_find_cpu(const char *name, uint64_t *unit, uint64_t *event)
{
	struct dirent **list;
	int i, n, r = -1;

	if ((n = scandir(tprof_pmus, &list, pmu_filter, alphasort)) == -1)
		return -1;
	for (i = 0; i < n && r == -1; i++)
		if (pmu_iscpu(list[i]->d_name) == 1)
			r = event_find(list[i]->d_name, name, unit, event);
	list_free(list, n);
	return r;
}

/*
 * Iterates over the events of a PMU that can be requested; names with a dot are
 * units of others.
 */
static void
pmu_each(const char *pmu, tprof_event_fn *fn, void *arg)
{
	char path[512], name[512];
	struct dirent **list;
	uint64_t unit, event;
	int i, n;

	snprintf(path, sizeof(path), "%s/%s/events", tprof_pmus, pmu);
	if ((n = scandir(path, &list, NULL, alphasort)) == -1)
		return;
	for (i = 0; i < n; i++) {
		if (strchr(list[i]->d_name, '.') != NULL ||
		    event_find(pmu, list[i]->d_name, &unit, &event) == -1)
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu, list[i]->d_name);
		fn(pmu, name, arg);
	}
	list_free(list, n);
}

void
tprof_pmu_each(tprof_event_fn *fn, void *arg)
{
	struct dirent **list;
	int i, n;

	if ((n = scandir(tprof_pmus, &list, pmu_filter, alphasort)) == -1)
		return;
	for (i = 0; i < n; i++)
		pmu_each(list[i]->d_name, fn, arg);
	list_free(list, n);
}
