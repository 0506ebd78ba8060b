/* SPDX-License-Identifier: ISC */
/*
 * Prints the counts of dt tprof: a row per CPU, like tprof(8) of NetBSD, or a
 * single row for a command; and the usual ratios.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/session/refusal.h"
#include "cli/tprof/tprof.h"

#define COLUMN 11 /* minimum width of a count */

void
tprof_counts_alloc(struct tprof_allcounts *ct, int iscommand)
{
	ct->ct_iscommand = iscommand;
	ct->ct_ncpu = iscommand ? 1 : sysconf(_SC_NPROCESSORS_CONF);
	ct->ct_cpu = calloc(ct->ct_ncpu, sizeof(*ct->ct_cpu));
	if (ct->ct_cpu == NULL)
		err(1, NULL);
}

void
tprof_counts_free(struct tprof_allcounts *ct)
{
	free(ct->ct_cpu);
}

void
tprof_counts_get(struct tprof_allcounts *ct, struct dt *dt)
{
	unsigned int cpu;

	for (cpu = 0; cpu < ct->ct_ncpu; cpu++)
		if (tprof_counts(dt, cpu, &ct->ct_cpu[cpu]) == -1)
			refusal_ioctl(dt, "counts");
}

static uint64_t
counts_one(const struct tprof_allcounts *ct,
    const struct tprof_allcounts *before, unsigned int cpu, unsigned int i)
{
	uint64_t n = ct->ct_cpu[cpu].c_count[i];

	return before != NULL ? n - before->ct_cpu[cpu].c_count[i] : n;
}

static uint64_t
counts_sum(const struct tprof_allcounts *ct,
    const struct tprof_allcounts *before, unsigned int i)
{
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < ct->ct_ncpu; cpu++)
		sum += counts_one(ct, before, cpu, i);
	return sum;
}

static int
column(const struct tprof_event *te)
{
	size_t len = strlen(te->te_name);

	return len < COLUMN ? COLUMN : (int)len;
}

/* A ratio of two events with the same scope. */
static const struct {
	const char *of, *by;
	double factor;
	const char *text;
} ratios[] = {
	{ "instructions", "cycles", 1, "instructions per cycle" },
	{ "cache-misses", "instructions", 1000,
	    "cache misses per thousand instructions" },
	{ "branch-misses", "instructions", 1000,
	    "branch misses per thousand instructions" },
	{ "L1-dcache-load-misses", "instructions", 1000,
	    "L1 data misses per thousand instructions" },
	{ "LLC-load-misses", "instructions", 1000,
	    "LLC misses per thousand instructions" },
	{ "dTLB-load-misses", "instructions", 1000,
	    "data TLB misses per thousand instructions" },
	{ "cache-misses", "cache-references", 100, "% of cache references" },
	{ "branch-misses", "branches", 100, "% of branches" },
	{ "migrations", "context-switches", 1000,
	    "migrations per thousand switches" },
};

/*
 * Returns the first event from i on that has this meaning, under any name; or
 * -1.
 */
static int
event_named(const struct tprof_events *tv, const char *name, unsigned int i)
{
	uint64_t unit, event;

	if (tprof_event_find(name, &unit, &event) == -1)
		return -1;
	for (; i < tv->tv_n; i++)
		if (tv->tv_event[i].te_param.p_unit == unit &&
		    tv->tv_event[i].te_param.p_event == event)
			return i;
	return -1;
}

/*
 * Finds the first two events of a ratio with the same scope: programs, the
 * kernel or both.
 */
static int
ratio_find(const struct tprof_events *tv, size_t n, int *of, int *by)
{
	const uint64_t where = TPROF_PARAM_KERN | TPROF_PARAM_USER;
	const struct tprof_event *te = tv->tv_event;
	int i, j;

	for (i = event_named(tv, ratios[n].of, 0); i != -1;
	     i = event_named(tv, ratios[n].of, i + 1))
		for (j = event_named(tv, ratios[n].by, 0); j != -1;
		     j = event_named(tv, ratios[n].by, j + 1))
			if (((te[i].te_param.p_flags ^ te[j].te_param.p_flags) &
				where) == 0) {
				*of = i;
				*by = j;
				return 0;
			}
	return -1;
}

static void
ratios_print(FILE *fp, const struct tprof_events *tv,
    const struct tprof_allcounts *ct, const struct tprof_allcounts *before)
{
	uint64_t by;
	int i, j;
	size_t n;

	for (n = 0; n < sizeof(ratios) / sizeof(ratios[0]); n++)
		if (ratio_find(tv, n, &i, &j) == 0 &&
		    (by = counts_sum(ct, before, j)) != 0)
			fprintf(fp, "%.2f %s\n",
			    ratios[n].factor * counts_sum(ct, before, i) / by,
			    ratios[n].text);
}

static void
counts_json_one(FILE *fp, const struct tprof_event *te, int cpu, uint64_t n)
{
	struct buf b;

	buf_init(&b, -1);
	esc_json(&b, te->te_name, strlen(te->te_name));
	fprintf(fp, "{\"event\":\"%.*s\",\"cpu\":", (int)b.b_len, b.b_data);
	buf_free(&b);
	if (cpu == -1)
		fprintf(fp, "null");
	else
		fprintf(fp, "%d", cpu);
	fprintf(fp, ",\"count\":%llu}\n", (unsigned long long)n);
}

void
tprof_counts_json(FILE *fp, const struct tprof_events *tv,
    const struct tprof_allcounts *ct, const struct tprof_allcounts *before)
{
	unsigned int cpu, i;

	for (i = 0; i < tv->tv_n; i++) {
		for (cpu = 0; cpu < ct->ct_ncpu && !ct->ct_iscommand; cpu++)
			counts_json_one(fp, &tv->tv_event[i], cpu,
			    counts_one(ct, before, cpu, i));
		counts_json_one(fp, &tv->tv_event[i], -1,
		    counts_sum(ct, before, i));
	}
	fflush(fp);
}

void
tprof_counts_title(FILE *fp, int iscommand, int option)
{
	if (iscommand)
		fprintf(fp, "counts of COMMAND and its children\n");
	else
		fprintf(fp, "counts of the whole machine while COMMAND ran%s\n",
		    option ? " (--command counts COMMAND alone)" : "");
}

void
tprof_counts_print(FILE *fp, const struct tprof_events *tv,
    const struct tprof_allcounts *ct, const struct tprof_allcounts *before)
{
	const struct tprof_event *te = tv->tv_event;
	unsigned int cpu, i;

	fprintf(fp, "%-6s", "");
	for (i = 0; i < tv->tv_n; i++)
		fprintf(fp, " %*s", column(&te[i]), te[i].te_name);
	for (cpu = 0; cpu < ct->ct_ncpu && !ct->ct_iscommand; cpu++) {
		fprintf(fp, "\nCPU%-3u", cpu);
		for (i = 0; i < tv->tv_n; i++)
			fprintf(fp, " %*llu", column(&te[i]),
			    (unsigned long long)counts_one(ct, before, cpu, i));
	}
	fprintf(fp, "\n%-6s", "all");
	for (i = 0; i < tv->tv_n; i++)
		fprintf(fp, " %*llu", column(&te[i]),
		    (unsigned long long)counts_sum(ct, before, i));
	fprintf(fp, "\n");
	ratios_print(fp, tv, ct, before);
}
