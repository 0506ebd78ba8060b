/* SPDX-License-Identifier: ISC */
/*
 * /metrics: a row of the table is a metric, and its samples are dtd's sums of
 * that number.  Sums without a row are from a newer dtd, and are omitted.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/dtd_link.h"
#include "exporter/metrics.h"
#include "exporter/process_metrics.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Labels of a sample. */
enum labels {
	LABELS_NONE,
	LABELS_DEVICE,
	LABELS_PROVIDER, /* device, provider */
	LABELS_USER,	 /* device, uid, right */
	LABELS_PROGRAM,	 /* device, program */
	LABELS_REASON,	 /* reason */
};

#define COUNTER "counter"
#define GAUGE	"gauge"

static const struct metric {
	uint32_t what;
	enum labels labels;
	const char *name;
	const char *type;
	double unit; /* unit of the sum, in units of the metric */
	const char *help;
} metrics[] = {
	{ DTSM_FIRED, LABELS_PROVIDER, "dt_events_fired_total", COUNTER, 1,
	    "Hits that matched the filters of a session." },
	{ DTSM_READ, LABELS_PROVIDER, "dt_events_read_total", COUNTER, 1,
	    "Events that a client read." },
	{ DTSM_DROPPED, LABELS_PROVIDER, "dt_events_dropped_total", COUNTER, 1,
	    "Events lost because the ring was full or the client had exited." },
	{ DTSM_RECURSED, LABELS_PROVIDER, "dt_events_recursed_total", COUNTER,
	    1,
	    "Events lost because they occurred during another hit on the same CPU." },
	{ DTSM_COUNTED, LABELS_PROVIDER, "dt_events_counted_total", COUNTER, 1,
	    "Hits counted by key in the kernel, in place of events." },
	{ DTSM_MAPFULL, LABELS_PROVIDER, "dt_events_mapfull_total", COUNTER, 1,
	    "Hits not counted because their key did not fit into the table." },
	{ DTSM_MISSED, LABELS_PROVIDER, "dt_events_missed_total", COUNTER, 1,
	    "Hits that the kernel skipped, known at the end of a run." },
	{ DTSM_EXCLUDED, LABELS_PROVIDER, "dt_events_excluded_total", COUNTER,
	    1, "Hits of dtd and its clients, which are excluded." },
	{ DTSM_SKIPTICK, LABELS_PROVIDER, "dt_ticks_skipped_total", COUNTER, 1,
	    "Clock ticks that did not occur." },
	{ DTSM_OPENS, LABELS_USER, "dt_opens", GAUGE, 1,
	    "Open sessions, by user and highest right." },
	{ DTSM_RECORDING, LABELS_DEVICE, "dt_opens_recording", GAUGE, 1,
	    "Sessions that are recording." },
	{ DTSM_RINGBYTES, LABELS_DEVICE, "dt_ring_size_bytes", GAUGE, 1,
	    "Memory of all rings." },
	{ DTSM_RINGUSED, LABELS_DEVICE, "dt_ring_used_bytes", GAUGE, 1,
	    "Memory of ring contents that clients have not read yet." },
	{ DTSM_RINGFILL, LABELS_DEVICE, "dt_ring_fill_max_ratio", GAUGE, 1e-6,
	    "Fill level of the fullest ring." },
	{ DTSM_BRAKED, LABELS_DEVICE, "dt_brake_stops_total", COUNTER, 1,
	    "Runs stopped because tracing cost too much." },
	{ DTSM_COST, LABELS_DEVICE, "dt_cost_ratio", GAUGE, 1e-6,
	    "Share of the machine's CPU time used by BPF programs." },
	{ DTSM_COSTLIMIT, LABELS_DEVICE, "dt_cost_limit_ratio", GAUGE, 1e-6,
	    "Share above which a run is stopped, 0 for no limit." },
	{ DTSM_PROGRAMS, LABELS_DEVICE, "dt_programs_attached", GAUGE, 1,
	    "BPF programs that sessions keep attached." },
	{ DTSM_PROGNSECS, LABELS_PROGRAM, "dt_program_cpu_seconds_total",
	    COUNTER, 1e-9,
	    "CPU time of BPF programs, estimated from a hundredth of the time." },
	{ DTSM_REFUSED, LABELS_REASON, "dt_refusals_total", COUNTER, 1,
	    "Refused requests, by reason." },
	{ DTSM_SYMPROCS, LABELS_DEVICE, "dt_symbol_processes", GAUGE, 1,
	    "Processes whose mappings are known." },
	{ DTSM_SYMFOLLOW, LABELS_DEVICE, "dt_symbol_processes_bytes", GAUGE, 1,
	    "Memory of the mappings of processes." },
	{ DTSM_SYMEVENTS, LABELS_DEVICE, "dt_symbol_process_events_total",
	    COUNTER, 1, "Kernel events about processes and mappings." },
	{ DTSM_SYMLOST, LABELS_DEVICE, "dt_symbol_process_events_lost_total",
	    COUNTER, 1,
	    "Kernel events about processes and mappings that were lost." },
	{ DTSM_SYMBYTES, LABELS_DEVICE, "dt_symbol_cache_bytes", GAUGE, 1,
	    "Memory of cached symbols." },
	{ DTSM_SYMFILES, LABELS_DEVICE, "dt_symbol_cache_files", GAUGE, 1,
	    "Files whose symbols are cached." },
	{ DTSM_SYMASKED, LABELS_DEVICE, "dt_symbol_lookups_total", COUNTER, 1,
	    "Addresses whose symbols were requested." },
	{ DTSM_SYMHITS, LABELS_DEVICE, "dt_symbol_cache_hits_total", COUNTER, 1,
	    "Requested addresses that were in the cache." },
	{ DTSM_SYMEVICTS, LABELS_DEVICE, "dt_symbol_cache_evictions_total",
	    COUNTER, 1, "Files removed from the cache because it was full." },
	{ DTSM_SYMSTARTS, LABELS_DEVICE, "dt_symbolizer_starts_total", COUNTER,
	    1, "Starts of symbolizer processes." },
	{ DTSM_SYMDEATHS, LABELS_DEVICE, "dt_symbolizer_deaths_total", COUNTER,
	    1, "Symbolizer processes that died while reading a file." },
	{ DTSM_SYMTIMEOUTS, LABELS_DEVICE, "dt_symbolizer_timeouts_total",
	    COUNTER, 1, "Files that a symbolizer did not read in time." },
	{ DTSM_SYMHUNG, LABELS_DEVICE, "dt_symbolizers_hung", GAUGE, 1,
	    "Symbolizer processes that were killed but have not exited." },
	{ DTSM_UNWPAGES, LABELS_DEVICE, "dt_unwind_tables", GAUGE, 1,
	    "Unwind tables, each of 64 kB of code." },
	{ DTSM_UNWPROCS, LABELS_DEVICE, "dt_unwind_processes", GAUGE, 1,
	    "Processes whose stacks are walked by unwind tables." },
	{ DTSM_UNWBYTES, LABELS_DEVICE, "dt_unwind_used_bytes", GAUGE, 1,
	    "Bytes of unwind tables and of processes' mappings." },
	{ DTSM_UNWMEMORY, LABELS_DEVICE, "dt_unwind_memory_bytes", GAUGE, 1,
	    "Memory that is allocated for unwind tables." },
	{ DTSM_UNWMISSES, LABELS_DEVICE, "dt_unwind_misses_total", COUNTER, 1,
	    "Requests of BPF programs for tables, processes and mappings." },
	{ DTSM_UNWBUILT, LABELS_DEVICE, "dt_unwind_tables_built_total", COUNTER,
	    1, "Unwind tables that were built." },
	{ DTSM_UNWFAILED, LABELS_DEVICE, "dt_unwind_failures_total", COUNTER, 1,
	    "Unwind tables and processes that could not be read." },
	{ DTSM_UNWEVICTS, LABELS_DEVICE, "dt_unwind_evictions_total", COUNTER,
	    1, "Unwind tables removed because their memory was full." },
	{ DTSM_UNWFULL, LABELS_DEVICE, "dt_unwind_full_total", COUNTER, 1,
	    "Unwind tables for which there was no memory." },
	{ DTSM_UNWNSECS, LABELS_DEVICE, "dt_unwind_build_seconds_total",
	    COUNTER, 1e-9, "Time that was waited for unwind tables." },
	{ DTSM_UNWCOPIES, LABELS_DEVICE, "dt_unwind_copies_total", COUNTER, 1,
	    "Stacks copied since unwind tables were not ready." },
	{ DTSM_UNWLOST, LABELS_DEVICE, "dt_unwind_copies_lost_total", COUNTER,
	    1, "Copies of stacks lost because memory for them is limited." },
	{ DTSM_UNWWALKED, LABELS_DEVICE, "dt_unwind_copies_walked_total",
	    COUNTER, 1, "Copies of stacks whose frames were found." },
	{ DTSM_UNWGIVENUP, LABELS_DEVICE, "dt_unwind_copies_givenup_total",
	    COUNTER, 1, "Copies walked although tables were missing." },
	{ DTSM_UNWSTACKS, LABELS_REASON, "dt_unwind_stacks_total", COUNTER, 1,
	    "User stacks by unwind tables, by the reason for their end." },
	{ DTSM_CPUNSECS, LABELS_NONE, "dt_daemon_cpu_seconds_total", COUNTER,
	    1e-9, "CPU time of dtd." },
	{ DTSM_RSS, LABELS_NONE, "dt_daemon_resident_memory_bytes", GAUGE, 1,
	    "Resident memory of dtd." },
	{ DTSM_VSIZE, LABELS_NONE, "dt_daemon_virtual_memory_bytes", GAUGE, 1,
	    "Virtual memory of dtd." },
	{ DTSM_MAXFDS, LABELS_NONE, "dt_daemon_max_fds", GAUGE, 1,
	    "Maximum number of file descriptors of dtd." },
	{ DTSM_STARTED, LABELS_NONE, "dt_daemon_start_time_seconds", GAUGE, 1,
	    "Start time of dtd since unix epoch in seconds." },
	{ DTSM_ASKED, LABELS_NONE, "dt_daemon_scrapes_total", COUNTER, 1,
	    "Requests to dtd for these numbers." },
	{ DTSM_ASKEDCPU, LABELS_NONE, "dt_daemon_scrape_cpu_seconds_total",
	    COUNTER, 1e-9, "CPU time of dtd for these requests." },
	{ DTSM_INSPRUNNING, LABELS_NONE, "dt_inspectors", GAUGE, 1,
	    "Processes that inspect processes and files for dtd." },
	{ DTSM_INSPSTUCK, LABELS_NONE, "dt_inspectors_stuck", GAUGE, 1,
	    "Inspectors that are stuck in a process or file." },
	{ DTSM_INSPASKS, LABELS_NONE, "dt_inspector_requests_total", COUNTER, 1,
	    "Requests to inspectors." },
	{ DTSM_INSPTIMEOUTS, LABELS_NONE, "dt_inspector_timeouts_total",
	    COUNTER, 1, "Requests to inspectors that timed out." },
	{ DTSM_INSPREFUSED, LABELS_NONE, "dt_inspector_refusals_total", COUNTER,
	    1, "Requests refused because an inspector is stuck already." },
};

#define NMETRICS (sizeof(metrics) / sizeof(metrics[0]))

static void (*metrics_more)(FILE *); /* prints other metrics, or NULL */

/* Guards the following. */
static pthread_mutex_t metrics_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dtioc_sum sums[DTSM_MAX];
static int nsums;
static char release[64];

/* Escapes a label, because its value comes from the kernel or a daemon. */
static void
print_label(FILE *f, const char *before, const char *name, const char *value,
    size_t len)
{
	fprintf(f, "%s%s=\"", before, name);
	for (; len > 0 && *value != '\0'; value++, len--)
		switch (*value) {
		case '\\':
		case '"':
			fprintf(f, "\\%c", *value);
			break;
		default:
			fputc((unsigned char)*value < ' ' ||
				    (unsigned char)*value > '~'
				? '?'
				: *value,
			    f);
		}
	fputc('"', f);
}

/* Prints the labels of "UID RIGHT". */
static void
print_user(FILE *f, const char *name)
{
	const char *right = strchr(name, ' ');
	size_t len = right != NULL ? (size_t)(right - name) : strlen(name);

	print_label(f, ",", "uid", name, len);
	print_label(f, ",", "right", right != NULL ? right + 1 : "", SIZE_MAX);
}

static void
print_labels(FILE *f, enum labels labels, const struct dtioc_sum *s)
{
	if (labels == LABELS_NONE)
		return;
	fputc('{', f);
	if (labels == LABELS_REASON)
		print_label(f, "", "reason", s->dtsm_name, SIZE_MAX);
	else
		print_label(f, "", "device", s->dtsm_device, SIZE_MAX);
	if (labels == LABELS_PROVIDER)
		print_label(f, ",", "provider", s->dtsm_name, SIZE_MAX);
	else if (labels == LABELS_PROGRAM)
		print_label(f, ",", "program", s->dtsm_name, SIZE_MAX);
	else if (labels == LABELS_USER)
		print_user(f, s->dtsm_name);
	fputc('}', f);
}

/* Prints integers exactly. */
static void
print_value(FILE *f, const struct metric *m, uint64_t value)
{
	if (m->unit == 1)
		fprintf(f, " %llu\n", (unsigned long long)value);
	else
		fprintf(f, " %.9g\n", value * m->unit);
}

static void
print_head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
print_metric(FILE *f, const struct metric *m)
{
	int i, n = 0;

	for (i = 0; i < nsums; i++) {
		if (sums[i].dtsm_what != m->what)
			continue;
		if (n++ == 0)
			print_head(f, m->name, m->type, m->help);
		fputs(m->name, f);
		print_labels(f, m->labels, &sums[i]);
		print_value(f, m, sums[i].dtsm_value);
	}
}

static void
print_build(FILE *f)
{
	print_head(f, "dt_build_info", GAUGE,
	    "1, with the releases of the exporter and of dtd.");
	fputs("dt_build_info", f);
	print_label(f, "{", "version", DT_RELEASE, SIZE_MAX);
	print_label(f, ",", "daemon_version", nsums >= 0 ? release : "",
	    SIZE_MAX);
	fputs("} 1\n", f);
}

static void
print_all(FILE *f)
{
	size_t i;

	nsums = dtd_link_read(sums, DTSM_MAX, release, sizeof(release));
	print_head(f, "dt_up", GAUGE, "1 if dtd replies, otherwise 0.");
	fprintf(f, "dt_up %d\n", nsums >= 0);
	print_build(f);
	for (i = 0; i < NMETRICS; i++)
		print_metric(f, &metrics[i]);
	process_metrics_print(f);
	if (metrics_more != NULL)
		metrics_more(f);
}

void
metrics_add(void (*print)(FILE *))
{
	metrics_more = print;
}

int
metrics_isname(const char *name)
{
	size_t i;

	for (i = 0; i < NMETRICS; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return 1;
	return 0;
}

void
metrics_page(struct MHD_Connection *mc, struct http_reply *hr)
{
	FILE *f = open_memstream(&hr->hr_body, &hr->hr_len);

	(void)mc;
	if (f != NULL) {
		pthread_mutex_lock(&metrics_mtx);
		print_all(f);
		pthread_mutex_unlock(&metrics_mtx);
	}
	if (f == NULL || fclose(f) != 0)
		http_error(hr, 503, "out of memory\n");
	else
		hr->hr_type = METRICS_TYPE;
}
