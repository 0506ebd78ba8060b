/* SPDX-License-Identifier: ISC */
/*
 * Describes a profile for the Firefox profiler: its times, what categories and
 * markers mean, and its losses.
 */
#include <err.h>
#include <stdlib.h>

#include "cli/out/firefox_meta.h"
#include "cli/out/flame.h"
#include "cli/out/out_json.h"

#define FOX_VERSION 57 /* of the format */
#define FOX_GECKO   31 /* of the format that Firefox itself writes */

/* The grey one is the format's default; names are as in the page (page.h). */
static const struct {
	const char *name, *colour;
} fox_categories[] = {
	[FOX_OTHER] = { "Other", "grey" },
	[FOX_USER] = { "User", "yellow" },
	[FOX_KERNEL] = { "Kernel", "orange" },
	[FOX_JIT] = { "Generated code", "purple" },
	[FOX_INCOMPLETE] = { "Incomplete stack", "darkgrey" },
	[FOX_WAIT] = { "Wait", "blue" },
	[FOX_CALL] = { "Call", "green" },
};

#define FOX_NCATEGORIES (sizeof(fox_categories) / sizeof(fox_categories[0]))

void
firefox_msecs(struct buf *b, uint64_t nsecs)
{
	buf_u64(b, nsecs / 1000000);
	if (nsecs % 1000000 == 0)
		return;
	buf_c(b, '.');
	buf_dec(b, nsecs % 1000000, 6);
}

static void
fox_print_categories(struct buf *b)
{
	size_t i;

	json_key(b, "categories");
	for (i = 0; i < FOX_NCATEGORIES; i++)
		buf_printf(b,
		    "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":["
		    "\"Other\"]}",
		    i == 0 ? "[" : ",", fox_categories[i].name,
		    fox_categories[i].colour);
	buf_c(b, ']');
}

/* Prints the losses, for the panel with details of the profile. */
static void
fox_print_extra(struct buf *b, const struct out_profile *first)
{
	const struct out_profile *op;
	uint64_t incomplete = 0, unkept = 0;
	uint64_t lost = first->opr_ledger != NULL
	    ? ledger_lost(first->opr_ledger)
	    : 0;
	const struct {
		const char *label;
		const uint64_t *n;
	} rows[] = {
		{ "Events that were lost", &lost },
		{ "Incomplete stacks", &incomplete },
		{ "Events that are not in this file", &unkept },
	};
	size_t i;

	for (op = first; op != NULL; op = op->opr_next) {
		incomplete += op->opr_judged - op->opr_complete;
		unkept += op->opr_nunkept;
	}
	buf_str(b, ",\"extra\":[{\"label\":\"Recording\",\"entries\":[");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		buf_printf(b,
		    "%s{\"label\":\"%s\",\"format\":\"integer\",\"value\":%llu}",
		    i > 0 ? "," : "", rows[i].label,
		    (unsigned long long)*rows[i].n);
	buf_str(b, "]}]");
	if (unkept > 0)
		warnx("the file lacks %llu later events",
		    (unsigned long long)unkept);
}

static int
fox_compare_nsecs(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Recordings do not contain it, so it is the median of the times between two
 * samples of a thread.
 */
uint64_t
firefox_interval(const struct out_profile *op)
{
	const struct out_sample *sa = op->opr_samples;
	uint64_t *list, nsecs = 1000000;
	size_t i, n = 0;

	if (op->opr_period != 0 || op->opr_nsamples == 0)
		return op->opr_period != 0 ? op->opr_period : nsecs;
	if ((list = calloc(op->opr_nsamples, sizeof(*list))) == NULL)
		err(1, "samples");
	for (i = 1; i < op->opr_nsamples; i++)
		if (sa[i].osa_thread == sa[i - 1].osa_thread)
			list[n++] = sa[i].osa_time - sa[i - 1].osa_time;
	qsort(list, n, sizeof(*list), fox_compare_nsecs);
	if (n > 0 && list[n / 2] > 0)
		nsecs = list[n / 2];
	free(list);
	return nsecs;
}

void
firefox_meta(struct buf *b, const struct out *out, const struct out_profile *op,
    uint64_t origin)
{
	struct buf title;

	buf_init(&title, -1);
	flame_title(&title, out, op);
	buf_c(&title, '\0');
	buf_str(b, "{\"meta\":{\"interval\":");
	firefox_msecs(b, firefox_interval(op));
	json_key(b, "startTime");
	firefox_msecs(b, origin + (uint64_t)op->opr_clock);
	json_field(b, "product", title.b_data);
	json_field(b, "importedFrom", "dt " DT_RELEASE);
	buf_printf(b,
	    ",\"processType\":0,\"stackwalk\":1,\"version\":%d,"
	    "\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
	    "\"platform\":\"Linux\",\"oscpu\":\"Linux\",\"usesOnlyOneStackType\":true,"
	    "\"sourceCodeIsNotOnSearchfox\":true",
	    FOX_GECKO, FOX_VERSION);
	buf_str(b,
	    ",\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
	    "\"threadCPUDelta\":\"ns\"},\n\"markerSchema\":[{\"name\":\"dt\","
	    "\"display\":[\"marker-chart\",\"marker-table\","
	    "\"timeline-overview\"],\"tooltipLabel\":\"{marker.name}\","
	    "\"tableLabel\":\"{marker.name} {marker.data.text}\","
	    "\"chartLabel\":\"{marker.name}\",\"fields\":[{\"key\":\"text\","
	    "\"label\":\"Arguments and result\",\"format\":\"unique-string\"}]"
	    "}]");
	fox_print_categories(b);
	fox_print_extra(b, op);
	buf_c(b, '}');
	buf_free(&title);
}
