/* SPDX-License-Identifier: ISC */
/* Runs perf record and counts the samples in its files. */
#include <linux/perf_event.h>

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/perf.h"

static void
perf_ask(const struct perf *pe, const char *what)
{
	char reply[16];

	if (write(pe->pe_ctl, what, strlen(what)) == -1 ||
	    read(pe->pe_ack, reply, sizeof(reply)) <= 0)
		errx(1, "perf record does not start: is it installed?");
}

void
perf_start(struct perf *pe, char *output)
{
	char event[] = "raw_syscalls:sys_enter";

	perf_start_event(pe, event, output);
}

/* Starts perf with the given options, which select what is recorded. */
static void
perf_spawn(struct perf *pe, char *const *what, char *output)
{
	char control[64];
	char *argv[24] = { "perf", "record", "-q", "-a", "-D", "-1",
		"--control", control, "-o", output };
	int to[2], from[2], i;

	for (i = 0; argv[i] != NULL;)
		i++;
	while (*what != NULL)
		argv[i++] = *what++;
	if (pipe(to) == -1 || pipe(from) == -1)
		err(1, "pipe");
	snprintf(control, sizeof(control), "fd:%d,%d", to[0], from[1]);
	pe->pe_pid = bench_spawn(argv);
	close(to[0]);
	close(from[1]);
	pe->pe_ctl = to[1];
	pe->pe_ack = from[0];
}

void
perf_start_event(struct perf *pe, char *event, char *output)
{
	char *what[] = { "-m", "1024", "-e", event, NULL };

	perf_spawn(pe, what, output);
}

void
perf_start_stacks(struct perf *pe, char *output)
{
	char *what[] = { "-g", "-F", "99", "-e", "cpu-clock", NULL };

	perf_spawn(pe, what, output);
}

void
perf_start_clock(struct perf *pe, char *period, char *output)
{
	char *what[] = { "-B", "-N", "-e", "cpu-clock", "-c", period, NULL };

	perf_spawn(pe, what, output);
}

void
perf_start_dwarf(struct perf *pe, char *cpu, char *period, char *output)
{
	char *what[] = { "-B", "-N", "-m", "4096", "-C", cpu, "--call-graph",
		"dwarf", "-e", "cpu-clock", "-c", period, NULL };

	perf_spawn(pe, what, output);
}

void
perf_enable(struct perf *pe)
{
	perf_ask(pe, "enable\n");
}

void
perf_stop(struct perf *pe)
{
	bench_wait(pe->pe_pid, SIGINT);
	close(pe->pe_ctl);
	close(pe->pe_ack);
}

static void
count_event(const struct perf_event_header *eh, const uint64_t *data,
    struct perf_counts *pc)
{
	if (eh->type == PERF_RECORD_SAMPLE) {
		pc->pc_samples++;
		pc->pc_bytes += eh->size;
	} else if (eh->type == PERF_RECORD_LOST)
		pc->pc_lost += data[1]; /* after the event's id */
	else if (eh->type == PERF_RECORD_LOST_SAMPLES)
		pc->pc_lost += data[0];
}

/* Finds the events by the file's header. */
void
perf_count(const char *path, struct perf_counts *pc)
{
	uint64_t header[7], end, data[8192]; /* [5], [6]: offset, bytes */
	struct perf_event_header eh;
	size_t n;
	FILE *f;

	memset(pc, 0, sizeof(*pc));
	if ((f = fopen(path, "re")) == NULL ||
	    fread(header, sizeof(header), 1, f) != 1 ||
	    fseek(f, header[5], SEEK_SET) == -1)
		err(1, "%s", path);
	end = header[5] + header[6];
	while ((uint64_t)ftell(f) < end && fread(&eh, sizeof(eh), 1, f) == 1) {
		n = eh.size - sizeof(eh);
		if (eh.size < sizeof(eh) || fread(data, 1, n, f) != n)
			errx(1, "%s: not a valid perf.data", path);
		count_event(&eh, data, pc);
	}
	fclose(f);
}
