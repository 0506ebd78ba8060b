/* SPDX-License-Identifier: ISC */
/*
 * Names of events: those of perf(1), of NetBSD, and of the machine's counters
 * (tprof_pmu.c); and the parser of -e.
 */
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tprof/tprof.h"

struct tprof_event_row {
	const char *name;
	uint32_t unit;
	uint64_t event;
};

#define SOFT(name, event) \
	{ \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event \
	}
#define HARD(name, event) \
	{ \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event \
	}
#define CACHE(c, op, res) \
	(PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	    PERF_COUNT_HW_CACHE_RESULT_##res << 16)
#define CACHES(name, c) \
	{ name "-loads", PERF_TYPE_HW_CACHE, CACHE(c, READ, ACCESS) }, \
	{ \
		name "-load-misses", PERF_TYPE_HW_CACHE, CACHE(c, READ, MISS) \
	}

static const struct tprof_event_row soft_rows[] = {
	SOFT("cpu-clock", CPU_CLOCK),
	SOFT("task-clock", TASK_CLOCK),
	SOFT("page-faults", PAGE_FAULTS),
	SOFT("minor-faults", PAGE_FAULTS_MIN),
	SOFT("major-faults", PAGE_FAULTS_MAJ),
	SOFT("context-switches", CONTEXT_SWITCHES),
	SOFT("migrations", CPU_MIGRATIONS),
};

static const struct tprof_event_row hard_rows[] = {
	HARD("cycles", CPU_CYCLES),
	HARD("instructions", INSTRUCTIONS),
	HARD("cache-references", CACHE_REFERENCES),
	HARD("cache-misses", CACHE_MISSES),
	HARD("branches", BRANCH_INSTRUCTIONS),
	HARD("branch-misses", BRANCH_MISSES),
	HARD("bus-cycles", BUS_CYCLES),
	HARD("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARD("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HARD("ref-cycles", REF_CPU_CYCLES),
};

static const struct tprof_event_row cache_rows[] = {
	CACHES("L1-dcache", L1D),
	CACHES("L1-icache", L1I),
	CACHES("LLC", LL),
	CACHES("dTLB", DTLB),
	CACHES("iTLB", ITLB),
	CACHES("node", NODE),
};

/* NetBSD's names of the events that all Intel processors have. */
static const struct tprof_event_row bsd_rows[] = {
	HARD("unhalted-core-cycles", CPU_CYCLES),
	HARD("instruction-retired", INSTRUCTIONS),
	HARD("unhalted-reference-cycles", REF_CPU_CYCLES),
	HARD("llc-reference", CACHE_REFERENCES),
	HARD("llc-misses", CACHE_MISSES),
	HARD("branch-instruction-retired", BRANCH_INSTRUCTIONS),
	HARD("branch-misses-retired", BRANCH_MISSES),
};

#define GROUP(name, ishard, rows) \
	{ \
		name, ishard, rows, sizeof(rows) / sizeof((rows)[0]) \
	}

static const struct {
	const char *name;
	int ishard; /* requires hardware counters */
	const struct tprof_event_row *rows;
	size_t nrows;
} groups[] = {
	GROUP("software", 0, soft_rows),
	GROUP("hardware", 1, hard_rows),
	GROUP("hardware, as NetBSD calls it", 1, bsd_rows),
	GROUP("cache", 1, cache_rows),
};

#define NGROUPS (sizeof(groups) / sizeof(groups[0]))

static const struct tprof_event_row *
row_find(const char *name)
{
	size_t i, j;

	for (i = 0; i < NGROUPS; i++)
		for (j = 0; j < groups[i].nrows; j++)
			if (strcmp(groups[i].rows[j].name, name) == 0)
				return &groups[i].rows[j];
	return NULL;
}

/* "r3c": an event by its number. */
static int
raw_find(const char *name, uint64_t *unit, uint64_t *event)
{
	char *end;

	if (name[0] != 'r' || name[1] == '\0' || name[1] == '-')
		return -1;
	errno = 0;
	*event = strtoull(name + 1, &end, 16);
	*unit = PERF_TYPE_RAW;
	return *end == '\0' && errno == 0 ? 0 : -1;
}

int
tprof_event_find(const char *name, uint64_t *unit, uint64_t *event)
{
	const struct tprof_event_row *row = row_find(name);
	char pmu[64], what[192];
	int n = 0;

	if (row != NULL) {
		*unit = row->unit;
		*event = row->event;
		return 0;
	}
	if (sscanf(name, "%63[^/]/%191[^/]/%n", pmu, what, &n) == 2 && n > 0 &&
	    name[n] == '\0')
		return tprof_pmu_find(pmu, what, unit, event);
	if (raw_find(name, unit, event) == 0)
		return 0;
	return tprof_pmu_find_cpu(name, unit, event);
}

void
tprof_event_each(uint32_t ident, tprof_event_fn *fn, void *arg)
{
	size_t i, j;

	for (i = 0; i < NGROUPS; i++)
		for (j = 0; j < groups[i].nrows &&
		     !(groups[i].ishard && ident == TPROF_IDENT_SOFTWARE);
		     j++)
			fn(groups[i].name, groups[i].rows[j].name, arg);
	tprof_pmu_each(fn, arg);
}

const char *
tprof_event_default(uint32_t ident)
{
	return ident == TPROF_IDENT_SOFTWARE ? "cpu-clock" : "cycles";
}

/*
 * -e
 */

/*
 * "=1000": a sample per 1000 events; "1000": the event is 1000 times as rare as
 * cycles.
 */
static const char *
scale_set(struct tprof_param *p, const char *scale)
{
	char *end;
	double n;

	if (*scale == '=') {
		errno = 0;
		p->p_value2 = strtoull(scale + 1, &end, 0);
		if (scale[1] < '0' || scale[1] > '9' || *end != '\0' ||
		    errno != 0 || p->p_value2 == 0)
			return "needs a number above 0 after '='";
		p->p_flags |= TPROF_PARAM_VALUE2_TRIGGERCOUNT;
		return NULL;
	}
	n = strtod(scale, &end);
	if (end == scale || *end != '\0' || !(n >= 1e-9 && n <= 4e9))
		return "SCALE should be cycles per event, for example 1000, or "
		       "=NUMBER";
	p->p_value2 = 4294967296.0 / n;
	p->p_flags |= TPROF_PARAM_VALUE2_SCALE;
	return NULL;
}

static const char *
where_set(struct tprof_param *p, const char *where)
{
	if (*where == '\0')
		return "needs u, k, or both after ':'";
	for (; *where != '\0'; where++)
		switch (*where) {
		case 'u':
			p->p_flags |= TPROF_PARAM_USER;
			break;
		case 'k':
			p->p_flags |= TPROF_PARAM_KERN;
			break;
		default:
			return "needs u, k, or both after ':'";
		}
	return NULL;
}

/*
 * Returns the end of PMU/.../, which may contain commas and colons; else the
 * start.
 */
static char *
event_end(char *s)
{
	char *first = s + strcspn(s, "/,:"), *second;

	if (*first != '/' || (second = strchr(first + 1, '/')) == NULL)
		return s;
	return second + 1;
}

/* Parses the copy s of an argument, which it changes. */
static const char *
event_parse(struct tprof_event *te, char *s)
{
	struct tprof_param *p = &te->te_param;
	char *scale = strchr(event_end(s), ','), *where;
	const char *bad;

	memset(te, 0, sizeof(*te));
	if (scale != NULL)
		*scale++ = '\0';
	if ((where = strchr(event_end(s), ':')) != NULL)
		*where++ = '\0';
	if (tprof_event_find(s, &p->p_unit, &p->p_event) == -1)
		return "there is no such event; 'dt tprof list' prints all";
	snprintf(te->te_name, sizeof(te->te_name), "%s", s);
	if (where == NULL)
		p->p_flags |= TPROF_PARAM_USER | TPROF_PARAM_KERN;
	else if ((bad = where_set(p, where)) != NULL)
		return bad;
	return scale != NULL ? scale_set(p, scale) : NULL;
}

const char *
tprof_event_add(struct tprof_events *tv, const char *arg)
{
	const char *bad;
	char *s;

	if (tv->tv_n == TPROF_MAXCOUNTERS)
		return "there are no more counters";
	if ((s = strdup(arg)) == NULL)
		err(1, NULL);
	bad = event_parse(&tv->tv_event[tv->tv_n], s);
	free(s);
	tv->tv_n += bad == NULL;
	return bad;
}

const char *
tprof_check_event(struct opts *o, const char *arg)
{
	return tprof_event_add(&((struct tprof_opts *)o)->tpo_events, arg);
}
