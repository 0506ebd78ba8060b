/* SPDX-License-Identifier: ISC */
/*
 * Names of events: those of perf(1), and those that the machine's counters have
 * in sysfs, as PMU/EVENT/ or, of the processor, by their name alone.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

#define PMUS	   "/sys/bus/event_source/devices"
#define PMU_CPU	   "cpu"
#define STATUS_USE 2

static const struct {
	const char *name;
	uint32_t unit;
	uint64_t event;
} rows[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE,
	    PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
#define CACHE(c, op, res) \
	(PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	    PERF_COUNT_HW_CACHE_RESULT_##res << 16)
#define CACHES(name, c) \
	{ name "-loads", PERF_TYPE_HW_CACHE, CACHE(c, READ, ACCESS) }, \
	{ \
		name "-load-misses", PERF_TYPE_HW_CACHE, CACHE(c, READ, MISS) \
	}
	CACHES("L1-dcache", L1D),
	CACHES("L1-icache", L1I),
	CACHES("LLC", LL),
	CACHES("dTLB", DTLB),
	CACHES("iTLB", ITLB),
	CACHES("node", NODE),
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

/* The first line of a file of sysfs: 0 or -1. */
static int
sys_read(char *line, size_t size, const char *pmu, const char *folder,
    const char *name)
{
	char path[512];
	FILE *f;
	int r = -1;

	snprintf(path, sizeof(path), PMUS "/%s/%s%s%s", pmu, folder,
	    folder[0] != '\0' ? "/" : "", name);
	if ((f = fopen(path, "re")) == NULL)
		return -1;
	if (fgets(line, size, f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		r = 0;
	}
	fclose(f);
	return r;
}

/* Puts a value where a format ("config:0-7,32-35") has its bits. */
static int
bits_put(const char *format, uint64_t value, uint64_t *config)
{
	unsigned int lo, hi, bit;
	int n;

	if (strncmp(format, "config:", 7) != 0)
		return -1; /* config1 and so on have no place in a request */
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
	return 0;
}

/* "event=0x3c,umask=0x01" of a PMU. */
static int
terms_put(const char *pmu, char *terms, uint64_t *config)
{
	char format[128], *term, *value, *save = NULL;

	*config = 0;
	for (term = strtok_r(terms, ",", &save); term != NULL;
	     term = strtok_r(NULL, ",", &save)) {
		if ((value = strchr(term, '=')) != NULL)
			*value++ = '\0';
		if (sys_read(format, sizeof(format), pmu, "format", term) ==
			-1 ||
		    bits_put(format, value ? strtoull(value, NULL, 0) : 1,
			config) == -1)
			return -1;
	}
	return 0;
}

/* PMU/EVENT/ or PMU/event=1,umask=2/ */
static int
find_pmu(const char *pmu, const char *what, uint64_t *unit, uint64_t *event)
{
	char type[32], terms[256];

	if (strchr(pmu, '.') != NULL || strchr(what, '/') != NULL ||
	    sys_read(type, sizeof(type), pmu, "", "type") == -1)
		return -1;
	if (strchr(what, '=') != NULL)
		snprintf(terms, sizeof(terms), "%s", what);
	else if (sys_read(terms, sizeof(terms), pmu, "events", what) == -1)
		return -1;
	*unit = strtoull(type, NULL, 10);
	return terms_put(pmu, terms, event);
}

int
tprof_event_find(const char *name, uint64_t *unit, uint64_t *event)
{
	char pmu[64], what[192], *end;
	int n = 0;
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (strcmp(rows[i].name, name) == 0) {
			*unit = rows[i].unit;
			*event = rows[i].event;
			return 0;
		}
	if (sscanf(name, "%63[^/]/%191[^/]/%n", pmu, what, &n) == 2 && n > 0 &&
	    name[n] == '\0')
		return find_pmu(pmu, what, unit, event);
	if (name[0] == 'r' && name[1] != '\0') {
		*event = strtoull(name + 1, &end, 16);
		*unit = PERF_TYPE_RAW;
		if (*end == '\0')
			return 0;
	}
	return find_pmu(PMU_CPU, name, unit, event);
}

/* The events that a PMU has in sysfs. */
static void
each_of_pmu(const char *pmu, void (*fn)(const char *, void *), void *arg)
{
	char path[512], name[512];
	struct dirent **list;
	uint64_t unit, event;
	int i, n;

	snprintf(path, sizeof(path), PMUS "/%s/events", pmu);
	if ((n = scandir(path, &list, NULL, alphasort)) == -1)
		return;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s/", pmu, list[i]->d_name);
		if (list[i]->d_name[0] != '.' &&
		    strchr(list[i]->d_name, '.') == NULL &&
		    tprof_event_find(name, &unit, &event) == 0)
			fn(name, arg);
		free(list[i]);
	}
	free(list);
}

void
tprof_event_each(uint32_t ident, void (*fn)(const char *, void *), void *arg)
{
	static const char *const pmus[] = { PMU_CPU, "cpu_core", "cpu_atom",
		"msr" };
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (ident != TPROF_IDENT_SOFTWARE ||
		    rows[i].unit == PERF_TYPE_SOFTWARE)
			fn(rows[i].name, arg);
	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		each_of_pmu(pmus[i], fn, arg);
}

/*
 * -e
 */

static void __attribute__((noreturn)) bad(const char *arg, const char *why)
{
	warnx("-e %s: %s", arg, why);
	exit(STATUS_USE);
}

/* "=1000": at each 1000; "1/10", "0.1": so often for one of the cycle counter. */
static void
scale_set(struct tprof_param *p, const char *arg, const char *scale)
{
	double a, b = 1;
	char *end;

	if (*scale == '=') {
		errno = 0;
		p->p_value2 = strtoull(scale + 1, &end, 10);
		if (scale[1] < '0' || scale[1] > '9' || *end != '\0' ||
		    errno != 0 || p->p_value2 == 0)
			bad(arg, "behind '=' should be a number above 0");
		p->p_flags |= TPROF_PARAM_VALUE2_TRIGGERCOUNT;
		return;
	}
	a = strtod(scale, &end);
	if (end != scale && *end == '/') {
		scale = end + 1;
		b = strtod(scale, &end);
	}
	if (end == scale || *end != '\0' || !(a > 0) || !(b > 0) ||
	    !(a / b >= 1e-9 && a / b <= 4e9))
		bad(arg, "SCALE should be a ratio, as 0.1 or 1/10, or =NUMBER");
	p->p_value2 = 4294967296.0 * b / a;
	p->p_flags |= TPROF_PARAM_VALUE2_SCALE;
}

static void
where_set(struct tprof_param *p, const char *arg, const char *where)
{
	if (*where == '\0')
		bad(arg, "behind ':' should be u, k, or both");
	for (; *where != '\0'; where++)
		switch (*where) {
		case 'u':
			p->p_flags |= TPROF_PARAM_USER;
			break;
		case 'k':
			p->p_flags |= TPROF_PARAM_KERN;
			break;
		default:
			bad(arg, "behind ':' should be u, k, or both");
		}
}

/* Behind PMU/.../, in which there may be commas and colons; else the start. */
static char *
event_end(char *s)
{
	char *first = s + strcspn(s, "/,:"), *second;

	if (*first != '/' || (second = strchr(first + 1, '/')) == NULL)
		return s;
	return second + 1;
}

void
tprof_event_add(struct tprof_events *tv, const char *arg)
{
	struct tprof_event *te = &tv->tv_event[tv->tv_n];
	struct tprof_param *p = &te->te_param;
	char *s, *scale, *where;

	if (tv->tv_n == TPROF_MAXCOUNTERS)
		bad(arg, "there are no more counters");
	if ((s = strdup(arg)) == NULL)
		err(1, NULL);
	memset(te, 0, sizeof(*te));
	scale = strchr(event_end(s), ',');
	if (scale != NULL)
		*scale++ = '\0';
	if ((where = strchr(event_end(s), ':')) != NULL)
		*where++ = '\0';
	if (tprof_event_find(s, &p->p_unit, &p->p_event) == -1)
		bad(arg,
		    "there is no such event; 'dt tprof list' has those "
		    "that there are");
	snprintf(te->te_name, sizeof(te->te_name), "%s", s);
	if (where != NULL)
		where_set(p, arg, where);
	else
		p->p_flags |= TPROF_PARAM_USER | TPROF_PARAM_KERN;
	if (scale != NULL)
		scale_set(p, arg, scale);
	free(s);
	tv->tv_n++;
}
