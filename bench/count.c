/* SPDX-License-Identifier: ISC */
/*
 * Cost of a hit that is counted in the kernel, for the traced thread.  The peers
 * are perf record, which records the hit, and bpftrace, which counts it, too.
 * Client and daemon take a snapshot each second.
 *
 * The cost of a tracepoint is CPU time above a BPF program that does nothing,
 * so that it is the cost of counting.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bench/bench.h"
#include "bench/client.h"
#include "bench/perf.h"
#include "empty.skel.h"

#define COUNT_MAXROUNDS 16
#define COUNT_NLOAD	2
#define COUNT_SNAPSHOT	1000000000 /* ns between snapshots */

static struct bench_dtd dtd;

static const struct bench_call count_peek = { "recv",
	"tracepoint:skb:skb_copy_datagram_iovec", bench_peek };
#define COUNT_LEN 1 /* number of its field `len', which has 4 bytes */

/* The session */

/* Opens a session that counts a probe by up to two parts of a key. */
static struct dt *
count_open(const struct bench_call *bc, const struct dt_opd *keys,
    unsigned int nkeys)
{
	struct dt *dt = bench_open(&dtd, 0);
	struct dtioc_agg ia = { .dtag_nkeys = nkeys };
	struct dtioc_probe_info *info;
	unsigned int i;

	bench_enable(dt, bc->bc_probe, 0, 0);
	if (dt_lookup(dt, bc->bc_probe, &info) != 1)
		errx(1, "%s: %s", bc->bc_probe, dt_error(dt));
	ia.dtag_pbn = info->dtpi_pbn;
	free(info);
	for (i = 0; i < nkeys; i++)
		ia.dtag_keys[i] = keys[i];
	if (dt_ioctl(dt, DTIOCSAGG, &ia) == -1)
		err(1, "%s: %s", bc->bc_probe, dt_error(dt));
	bench_record(dt, 1);
	return dt;
}

static const struct dt_opd probe_and_pid[] = {
	{ .op_kind = DT_OPD_PROBE, .op_size = 4 },
	{ .op_kind = DT_OPD_PID, .op_size = 4 },
};
static const struct dt_opd by_len[] = {
	{ .op_kind = DT_OPD_ARG, .op_argn = COUNT_LEN, .op_size = 4 },
};

/* Returns the hits since the last snapshot. */
static uint64_t
count_snapshot(struct dt *dt)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	uint64_t n = 0;
	int r;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "snapshot: %s", dt_error(dt));
	while ((r = dt_agg_next(dt, &row)) == 1)
		n += row.dtrw_count;
	if (r == -1)
		err(1, "rows: %s", dt_error(dt));
	return n;
}

/* Ends a session that must have counted n hits at least. */
static void
count_close(struct dt *dt, uint64_t n)
{
	uint64_t counted;

	bench_record(dt, 0);
	counted = count_snapshot(dt);
	dt_close(dt);
	if (counted < n)
		errx(1, "counted %llu of %llu hits",
		    (unsigned long long)counted, (unsigned long long)n);
}

/* A system call counted by probe and process */

static double
call_none(const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);

	bench_load_go(bl);
	return bench_load_end(bl);
}

static double
call_dt(const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	struct dt *dt = count_open(bc, probe_and_pid, 2);
	double nsecs;

	bench_load_go(bl);
	nsecs = bench_load_end(bl);
	count_close(dt, n);
	return nsecs;
}

static double
call_perf(const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	char null[] = "/dev/null";
	struct perf pe;
	double nsecs;

	perf_start(&pe, null);
	perf_enable(&pe);
	bench_load_go(bl);
	nsecs = bench_load_end(bl);
	perf_stop(&pe);
	return nsecs;
}

static void
count_call(void)
{
	double dt[COUNT_MAXROUNDS], perf[COUNT_MAXROUNDS], none;
	uint64_t ncalls = bench_quick ? 200000 : 1000000;
	int i, n = bench_rounds(7, 1);

	for (i = 0; i < n; i++) {
		none = call_none(&bench_call6, ncalls);
		dt[i] = call_dt(&bench_call6, ncalls);
		none = (none + call_none(&bench_call6, ncalls)) / 2;
		perf[i] = call_perf(&bench_call6, ncalls) - none;
		dt[i] -= none;
	}
	bench_row_peer("count-call", dt, perf, n);
}

/* A tracepoint counted by a field */

static double
field_dt(uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &count_peek,
	    n);
	struct dt *dt = count_open(&count_peek, by_len, 1);
	double nsecs;

	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	count_close(dt, n);
	return nsecs;
}

static double
field_bpftrace(uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &count_peek,
	    n);
	char text[128];
	char *argv[] = { "bpftrace", "-e", text, NULL };
	double nsecs;
	pid_t pid;

	snprintf(text, sizeof(text), "%s { @[args->len] = count(); }",
	    count_peek.bc_probe);
	pid = bench_spawn(argv);
	client_ready(pid);
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bench_wait(pid, SIGINT);
	return nsecs;
}

static double
field_empty(struct empty_bpf *empty, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, &count_peek,
	    n);
	struct bpf_link *link =
	    bpf_program__attach_tracepoint(empty->progs.empty_tracepoint, "skb",
		"skb_copy_datagram_iovec");
	double nsecs;

	if (link == NULL)
		err(1, "empty program");
	bench_load_go(bl);
	nsecs = bench_load_end_cputime(bl);
	bpf_link__destroy(link);
	return nsecs;
}

static struct empty_bpf *
empty_load(void)
{
	struct empty_bpf *empty = empty_bpf__open();

	if (empty == NULL)
		err(1, "empty");
	bpf_program__set_autoload(empty->progs.empty_fentry, 0);
	bpf_program__set_autoload(empty->progs.empty_fexit, 0);
	bpf_program__set_autoload(empty->progs.empty_multi, 0);
	bpf_program__set_autoload(empty->progs.empty_retmulti, 0);
	if (empty_bpf__load(empty) != 0)
		err(1, "empty");
	return empty;
}

static void
count_field(void)
{
	double dt[COUNT_MAXROUNDS], peer[COUNT_MAXROUNDS], none;
	uint64_t ncalls = bench_quick ? 50000 : 500000;
	int i, n = bench_rounds(7, 1);
	struct empty_bpf *empty;

	libbpf_set_print(NULL);
	empty = empty_load();
	for (i = 0; i < n; i++) {
		none = field_empty(empty, ncalls);
		dt[i] = field_dt(ncalls);
		none = (none + field_empty(empty, ncalls)) / 2;
		peer[i] = field_bpftrace(ncalls) - none;
		dt[i] -= none;
	}
	empty_bpf__destroy(empty);
	bench_row_peer("count-field", dt, peer, n);
}

/* As many calls as two loops make */

struct busy {
	double bu_rate[COUNT_MAXROUNDS]; /* M/s */
	double bu_cpu[COUNT_MAXROUNDS];	 /* ns of client and daemon, a hit */
	double bu_lost[COUNT_MAXROUNDS];
};

static void
busy_round(struct busy *bu, int i, int64_t nsecs)
{
	struct dt *dt = count_open(&bench_call0, probe_and_pid, 2);
	struct bench_load *bl[COUNT_NLOAD];
	struct dtioc_fullstat fs;
	uint64_t n = 0;
	int64_t start, cpu;
	int j;

	for (j = 0; j < COUNT_NLOAD; j++)
		bl[j] = bench_load_start(j % bench_ncpu(), &bench_call0, 0);
	cpu = bench_cputime(0) + bench_cputime(dtd.bd_pid);
	start = bench_now();
	for (j = 0; j < COUNT_NLOAD; j++)
		bench_load_go(bl[j]);
	do {
		bench_sleep(COUNT_SNAPSHOT);
		n += count_snapshot(dt);
	} while (bench_now() < start + nsecs);
	bu->bu_rate[i] = n * 1e3 / (bench_now() - start);
	cpu = bench_cputime(0) + bench_cputime(dtd.bd_pid) - cpu;
	bu->bu_cpu[i] = (double)cpu / n;
	for (j = 0; j < COUNT_NLOAD; j++)
		bench_load_stop(bl[j]);
	for (j = 0; j < COUNT_NLOAD; j++)
		bench_load_end(bl[j]);
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "statistics: %s", dt_error(dt));
	bu->bu_lost[i] = fs.dtfs_dropped + fs.dtfs_recursed;
	dt_close(dt);
}

static void
count_busy(void)
{
	int i, n = bench_rounds(5, 1);
	struct busy bu;

	for (i = 0; i < n; i++) {
		busy_round(&bu, i, bench_quick ? 1 : 3 * INT64_C(1000000000));
		/* ns a hit, at 5 million hits a second: % of one CPU */
		bu.bu_cpu[i] *= 5e6 / 1e9 * 100;
	}
	bench_row("count-rate", bu.bu_rate, n);
	bench_row("count-lost", bu.bu_lost, n);
	bench_row("count-cpu", bu.bu_cpu, n);
}

int
main(int argc, char **argv)
{
	bench_init(argc, argv);
	bench_dtd_start(&dtd);
	count_call();
	count_field();
	count_busy();
	bench_dtd_stop(&dtd);
	return 0;
}
