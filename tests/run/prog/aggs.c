/* SPDX-License-Identifier: ISC */
/*
 * Hits that the kernel counts by key, against counts that the load keeps of
 * itself.  All modes end with "aggs MODE: exact".
 *
 *	aggs exact [-n CALLS] [-t THREADS] [-s SNAPSHOTS]
 *		Threads on all CPUs make CALLS getppid each, which are counted by
 *		probe and thread, while SNAPSHOTS snapshots are taken.  A second
 *		session records one thread's calls as events.
 *	aggs full [-n CALLS] [-t THREADS] [-r ROWS]
 *		The same with a table of fewer rows than there are keys.
 *	aggs values [-n CALLS]
 *		lseek with known offsets: sums, smallest and largest, by buckets
 *		of all kinds.
 *	aggs kill [-n CALLS] [-t THREADS]
 *		Clients that count the same calls are killed meanwhile.
 *	aggs keys [-n KEYS] [-s SNAPSHOTS]
 *		Each of KEYS numbers is a key of two calls in each of SNAPSHOTS
 *		snapshots, of a table that has no more rows.
 *	aggs records [-n CALLS] [-t THREADS] [-s SNAPSHOTS]
 *		As exact, by thread, parent and kernel stack, which are in the
 *		record: the first hits of keys are events.
 *	aggs nested [-n CALLS] [-t THREADS]
 *		A session counts calls, ticks of a fast clock, and tracepoints of
 *		interrupts and timers, which interrupt each other, by keys that
 *		are mostly new.  Snapshots are taken meanwhile.
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define MAXTHREADS 64
#define CALL	   "syscall:getppid:entry"

static long ncalls = 100000, nthreads = 4, nsnapshots = 20, nrows;

/*
 * The load: a child whose threads report what they did.
 */
struct load {
	uint32_t ld_tid[MAXTHREADS];
	uint64_t ld_calls[MAXTHREADS];
	int ld_go;
};

static struct load *load;

static void *
load_thread(void *arg)
{
	size_t i = (size_t)arg;
	long n;

	prog_pin(i % prog_ncpu());
	__atomic_store_n(&load->ld_tid[i], (uint32_t)gettid(),
	    __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&load->ld_go, __ATOMIC_SEQ_CST))
		usleep(100);
	for (n = 0; n < ncalls; n++)
		syscall(SYS_getppid);
	load->ld_calls[i] = ncalls;
	return NULL;
}

static void
load_run(int sock, void *arg)
{
	pthread_t t[MAXTHREADS];
	long i;

	(void)arg;
	for (i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, load_thread, (void *)i) != 0)
			errx(1, "a thread");
	for (i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	prog_tell(sock, 'e');
	prog_hear(sock);
}

/*
 * Sessions that count
 */

static void
count_by(struct dt *dt, const char *probe, uint64_t evtflags,
    struct dtioc_agg *ia)
{
	ia->dtag_pbn = prog_probe(dt, probe);
	prog_enable(dt, probe, evtflags, 0);
	if (dt_ioctl(dt, DTIOCSAGG, ia) == -1)
		err(1, "DTIOCSAGG: %s", dt_error(dt));
}

/* By probe and thread. */
static void
count_by_thread(struct dt *dt, uint32_t maxrows)
{
	struct dtioc_agg ia = {
		.dtag_nkeys = 2,
		.dtag_keys = { { .op_kind = DT_OPD_PROBE, .op_size = 4 },
		    { .op_kind = DT_OPD_TID, .op_size = 4 } },
		.dtag_maxrows = maxrows,
	};

	count_by(dt, CALL, 0, &ia);
}

/* Rows and counts read from a session. */
struct seen {
	uint64_t se_n[MAXTHREADS];
	uint64_t se_all, se_rows, se_snapshots, se_mapfull, se_recursed;
};

static void
snapshot_row(struct seen *se, const struct dtioc_aggrow *row, uint32_t pbn)
{
	long i;

	if (row->dtrw_words[0] != pbn)
		errx(1, "a row of probe %llu",
		    (unsigned long long)row->dtrw_words[0]);
	for (i = 0; i < nthreads; i++)
		if (load->ld_tid[i] == row->dtrw_words[1])
			break;
	if (i == nthreads)
		errx(1, "a row of thread %llu",
		    (unsigned long long)row->dtrw_words[1]);
	se->se_n[i] += row->dtrw_count;
	se->se_all += row->dtrw_count;
	se->se_rows++;
}

static void
snapshot(struct dt *dt, struct seen *se)
{
	uint32_t pbn = prog_probe(dt, CALL);
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	int n;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while ((n = dt_agg_next(dt, &row)) == 1)
		snapshot_row(se, &row, pbn);
	if (n == -1)
		err(1, "rows: %s", dt_error(dt));
	se->se_mapfull = as.dtas_mapfull;
	se->se_snapshots++;
}

/* Reads up to the end; returns the events. */
static uint64_t
drain(struct dt *dt)
{
	struct dt_event ev;
	uint64_t n = 0;

	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1)
		n++;
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	return n;
}

static void
ledger_check(struct dt *dt, struct seen *se)
{
	struct dt_ledger dl;

	if (dt_ledger(dt, &dl) == -1)
		errx(1, "no ledger");
	if (dl.dl_fired !=
		dl.dl_counted + dl.dl_mapfull + dl.dl_recursed + dl.dl_read +
		    dl.dl_dropped ||
	    dl.dl_counted != se->se_all || dl.dl_mapfull != se->se_mapfull)
		errx(1,
		    "fired %llu, counted %llu, mapfull %llu, recursed %llu; "
		    "the rows have %llu",
		    (unsigned long long)dl.dl_fired,
		    (unsigned long long)dl.dl_counted,
		    (unsigned long long)dl.dl_mapfull,
		    (unsigned long long)dl.dl_recursed,
		    (unsigned long long)se->se_all);
	se->se_recursed = dl.dl_recursed;
}

static void
load_wait(int sock, struct dt *dt, struct seen *se)
{
	struct timespec pause = { 0, 1000000 };
	int snapshots = 0;

	__atomic_store_n(&load->ld_go, 1, __ATOMIC_SEQ_CST);
	while (snapshots++ < nsnapshots) {
		snapshot(dt, se);
		nanosleep(&pause, NULL);
	}
	if (prog_hear(sock) != 'e')
		errx(1, "the load has ended");
}

static int
tids_known(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < nthreads; i++)
		if (__atomic_load_n(&load->ld_tid[i], __ATOMIC_SEQ_CST) == 0)
			return 0;
	return 1;
}

static void
load_start(struct prog_child *pc)
{
	load = prog_shared(sizeof(*load));
	prog_child_start(pc, load_run, NULL);
	prog_wait(tids_known, NULL, "the load's threads");
}

static uint64_t
run_exact(const struct prog_dtd *pd, uint32_t maxrows, struct seen *se)
{
	struct dt *dt = prog_open(pd, 0), *other = prog_open(pd, 0);
	struct dtioc_filter fi = { .dtfi_set = DTFI_TID };
	struct prog_child pc;
	uint64_t nread;
	struct dt_ledger dl;

	load_start(&pc);
	prog_filter(dt, pc.pc_pid);
	count_by_thread(dt, maxrows);
	fi.dtfi_tid = load->ld_tid[0];
	if (dt_ioctl(other, DTIOCSFILTER, &fi) == -1)
		err(1, "filter: %s", dt_error(other));
	prog_budget(other, 64 << 20);
	prog_enable(other, CALL, 0, 0);
	prog_record(dt, 1);
	prog_record(other, 1);
	load_wait(pc.pc_sock, dt, se);
	prog_record(other, 0);
	prog_record(dt, 0);
	if (drain(dt) != 0)
		errx(1, "events of a session that only counts");
	snapshot(dt, se);
	ledger_check(dt, se);
	nread = drain(other);
	prog_ledger(other, NULL, nread, &dl);
	if (dl.dl_fired != (uint64_t)ncalls)
		errx(1, "the other session: %llu hits",
		    (unsigned long long)dl.dl_fired);
	prog_tell(pc.pc_sock, 'q');
	prog_child_end(&pc);
	dt_close(other);
	dt_close(dt);
	return se->se_all;
}

static void
mode_exact(const struct prog_dtd *pd)
{
	struct seen se = { 0 };
	long i;

	run_exact(pd, 0, &se);
	for (i = 0; i < nthreads; i++)
		if (se.se_n[i] != (uint64_t)ncalls)
			errx(1, "thread %ld: %llu of %ld calls, in %llu rows",
			    i, (unsigned long long)se.se_n[i], ncalls,
			    (unsigned long long)se.se_rows);
	printf("%llu calls in %llu snapshots\n", (unsigned long long)se.se_all,
	    (unsigned long long)se.se_snapshots);
}

static void
mode_full(const struct prog_dtd *pd)
{
	struct seen se = { 0 };

	run_exact(pd, nrows != 0 ? nrows : 1, &se);
	if (se.se_mapfull == 0)
		errx(1, "all keys fit: %llu rows, %llu hits, %llu recursed",
		    (unsigned long long)se.se_rows,
		    (unsigned long long)se.se_all,
		    (unsigned long long)se.se_recursed);
	if (se.se_all + se.se_mapfull != (uint64_t)(ncalls * nthreads))
		errx(1, "counted %llu, mapfull %llu, of %ld",
		    (unsigned long long)se.se_all,
		    (unsigned long long)se.se_mapfull, ncalls * nthreads);
}

#include "tests/run/prog/aggs_records.h"

/*
 * Values
 */

#define NVALUES 400

/* The offsets of the i-th call; its result is an error, so only it counts. */
static int64_t
value_of(long i)
{
	static const int64_t special[] = { 0, 1, -1, 2, 3, 4, 7, 8, 15, 16, 17,
		31, 32, 33, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX - 1,
		1LL << 40, -(1LL << 40), 4095, 4096, 4097, -4095, -4096,
		-4097 };
	const long n = sizeof(special) / sizeof(special[0]);

	if (i < n)
		return special[i];
	return (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15ULL) >> (i % 61);
}

static void
values_run(int sock, void *arg)
{
	long i;

	(void)arg;
	prog_hear(sock);
	for (i = 0; i < NVALUES; i++)
		syscall(SYS_lseek, -1, value_of(i), 0);
	prog_tell(sock, 'e');
	prog_hear(sock);
}

/* The values of a bucket, as the load made them. */
static void
values_of(const struct dtioc_agg *ia, uint64_t bucket, struct dtioc_aggrow *row)
{
	int64_t first, last, v;
	long i;

	if (dt_agg_bucket(ia, bucket, &first, &last) != 1)
		errx(1, "a row without a value");
	memset(row, 0, sizeof(*row));
	row->dtrw_min = INT64_MAX;
	row->dtrw_max = INT64_MIN;
	for (i = 0; i < NVALUES; i++) {
		v = value_of(i);
		if (v < first || v > last)
			continue;
		row->dtrw_count++;
		row->dtrw_sum = (int64_t)((uint64_t)row->dtrw_sum +
		    (uint64_t)v);
		if (v < row->dtrw_min)
			row->dtrw_min = v;
		if (v > row->dtrw_max)
			row->dtrw_max = v;
	}
}

static void
values_check(struct dt *dt, const struct dtioc_agg *ia)
{
	struct dtioc_aggrow row, same;
	struct dtioc_aggsnap as;
	uint64_t n = 0;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while (dt_agg_next(dt, &row) == 1) {
		values_of(ia, row.dtrw_bucket, &same);
		if (row.dtrw_count != same.dtrw_count ||
		    row.dtrw_sum != same.dtrw_sum ||
		    row.dtrw_min != same.dtrw_min ||
		    row.dtrw_max != same.dtrw_max)
			errx(1,
			    "histogram %u, %u: bucket %llx has count %llu, sum "
			    "%lld, %lld to %lld; not %llu, %lld, %lld, %lld",
			    ia->dtag_hist, ia->dtag_sub,
			    (unsigned long long)row.dtrw_bucket,
			    (unsigned long long)row.dtrw_count,
			    (long long)row.dtrw_sum, (long long)row.dtrw_min,
			    (long long)row.dtrw_max,
			    (unsigned long long)same.dtrw_count,
			    (long long)same.dtrw_sum, (long long)same.dtrw_min,
			    (long long)same.dtrw_max);
		n += row.dtrw_count;
	}
	if (n != NVALUES)
		errx(1, "histogram %u, %u: %llu values of %d", ia->dtag_hist,
		    ia->dtag_sub, (unsigned long long)n, NVALUES);
}

static void
values_one(const struct prog_dtd *pd, struct dtioc_agg ia)
{
	struct prog_child pc;
	struct dt *dt;

	prog_child_start(&pc, values_run, NULL);
	dt = prog_open(pd, 0);
	prog_filter(dt, pc.pc_pid);
	ia.dtag_value = (struct dt_opd){ .op_kind = DT_OPD_ARG,
		.op_argn = 1,
		.op_size = 8,
		.op_issigned = 1 };
	count_by(dt, "syscall:lseek:entry", 0, &ia);
	prog_record(dt, 1);
	prog_tell(pc.pc_sock, 'g');
	prog_hear(pc.pc_sock);
	prog_record(dt, 0);
	drain(dt);
	/* all on one CPU, or each CPU would have a part of a bucket */
	values_check(dt, &ia);
	prog_tell(pc.pc_sock, 'q');
	prog_child_end(&pc);
	dt_close(dt);
}

static void
mode_values(const struct prog_dtd *pd)
{
	unsigned int sub;

	prog_pin(0);
	values_one(pd, (struct dtioc_agg){ .dtag_hist = DTAG_PLAIN });
	for (sub = 0; sub <= DTAG_MAXSUB; sub++)
		values_one(pd,
		    (struct dtioc_agg){ .dtag_hist = DTAG_LOG,
			.dtag_sub = sub });
	values_one(pd,
	    (struct dtioc_agg){ .dtag_hist = DTAG_LINEAR,
		.dtag_min = -10,
		.dtag_step = 7,
		.dtag_nsteps = 100 });
	values_one(pd,
	    (struct dtioc_agg){ .dtag_hist = DTAG_LINEAR,
		.dtag_min = INT64_MIN,
		.dtag_step = 1ULL << 60,
		.dtag_nsteps = 16 });
}

/*
 * Killed clients
 */

static void
kill_client(int sock, void *arg)
{
	struct dt *dt = prog_open(arg, 0);
	struct dtioc_aggsnap as;

	count_by_thread(dt, 0);
	prog_record(dt, 1);
	prog_tell(sock, 'r');
	for (;;) {
		dt_ioctl(dt, DTIOCAGGSNAP, &as);
		usleep(500);
	}
}

static void
mode_kill(struct prog_dtd *pd)
{
	struct prog_child victims[3];
	struct seen se;
	int i;

	for (i = 0; i < 3; i++) {
		prog_child_start(&victims[i], kill_client, pd);
		if (prog_hear(victims[i].pc_sock) != 'r')
			errx(1, "a client");
	}
	for (i = 0; i < 3; i++) {
		memset(&se, 0, sizeof(se));
		run_exact(pd, 0, &se);
		kill(victims[i].pc_pid, SIGKILL);
		if (se.se_all != (uint64_t)(ncalls * nthreads))
			errx(1, "%llu calls", (unsigned long long)se.se_all);
	}
}

/*
 * Many keys
 */

#define KEYS_MAX 100000

static void
keys_run(int sock, void *arg)
{
	long i;

	(void)arg;
	while (prog_hear(sock) == 'g') {
		for (i = 0; i < 2 * ncalls; i++)
			syscall(SYS_lseek, -1, i % ncalls, 0);
		prog_tell(sock, 'e');
	}
}

/* Both calls of a key may be on different CPUs, which have separate rows. */
static void
keys_check(struct dt *dt)
{
	static uint8_t seen[KEYS_MAX];
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	uint64_t n = 0;
	int r;

	memset(seen, 0, sizeof(seen));
	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while ((r = dt_agg_next(dt, &row)) == 1) {
		if (row.dtrw_words[0] >= (uint64_t)ncalls)
			errx(1, "a row of key %llu",
			    (unsigned long long)row.dtrw_words[0]);
		seen[row.dtrw_words[0]] += row.dtrw_count;
		n += row.dtrw_count;
		if (seen[row.dtrw_words[0]] > 2)
			errx(1, "key %llu is counted twice",
			    (unsigned long long)row.dtrw_words[0]);
	}
	if (r == -1)
		err(1, "rows: %s", dt_error(dt));
	if (n != 2 * (uint64_t)ncalls || as.dtas_mapfull != 0)
		errx(1, "%llu hits of %ld keys, and %llu did not fit",
		    (unsigned long long)n, ncalls,
		    (unsigned long long)as.dtas_mapfull);
}

static void
mode_keys(const struct prog_dtd *pd)
{
	struct dtioc_agg ia = { .dtag_nkeys = 1,
		.dtag_keys = {
		    { .op_kind = DT_OPD_ARG, .op_argn = 1, .op_size = 8 } } };
	struct prog_child pc;
	struct dt *dt;
	int i;

	if (ncalls > KEYS_MAX)
		errx(2, "at most %d keys", KEYS_MAX);
	prog_pin(0); /* or each CPU would have rows of its own */
	prog_child_start(&pc, keys_run, NULL);
	dt = prog_open(pd, 0);
	prog_filter(dt, pc.pc_pid);
	ia.dtag_maxrows = ncalls;
	count_by(dt, "syscall:lseek:entry", 0, &ia);
	prog_record(dt, 1);
	for (i = 0; i < nsnapshots; i++) {
		prog_tell(pc.pc_sock, 'g');
		if (prog_hear(pc.pc_sock) != 'e')
			errx(1, "the load has ended");
		keys_check(dt);
	}
	prog_record(dt, 0);
	drain(dt);
	prog_tell(pc.pc_sock, 'q');
	prog_child_end(&pc);
	dt_close(dt);
}

/*
 * Hits in interrupts
 */

/* What a session counts, by probe and a number of few or many values. */
static const struct nested {
	const char *ns_probe;
	uint64_t ns_nsecs;
	struct dt_opd ns_key;
} nested[] = {
	{ "syscall:getppid:entry", 0, { .op_kind = DT_OPD_TID, .op_size = 4 } },
	{ "syscall:lseek:entry", 0,
	    { .op_kind = DT_OPD_ARG, .op_argn = 1, .op_size = 8 } },
	{ "profile:hz:97", 200000, { .op_kind = DT_OPD_TID, .op_size = 4 } },
	{ "tracepoint:timer:hrtimer_expire_entry", 0,
	    { .op_kind = DT_OPD_ARG, .op_argn = 1, .op_size = 8 } },
	{ "tracepoint:timer:hrtimer_start", 0,
	    { .op_kind = DT_OPD_ARG, .op_argn = 2, .op_size = 8 } },
	{ "tracepoint:irq:softirq_entry", 0,
	    { .op_kind = DT_OPD_ARG, .op_argn = 0, .op_size = 4 } },
	{ "tracepoint:irq:softirq_exit", 0,
	    { .op_kind = DT_OPD_ARG, .op_argn = 0, .op_size = 4 } },
};

#define NNESTED (sizeof(nested) / sizeof(nested[0]))

static void *
nested_thread(void *arg)
{
	size_t i = (size_t)arg;
	long n;

	prog_pin(i % prog_ncpu());
	for (n = 0; n < ncalls; n++) {
		syscall(SYS_getppid);
		syscall(SYS_lseek, -1, n * nthreads + i, 0);
	}
	return NULL;
}

static void
nested_run(int sock, void *arg)
{
	pthread_t t[MAXTHREADS];
	long i;

	(void)arg;
	prog_hear(sock);
	for (i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, nested_thread, (void *)i) != 0)
			errx(1, "a thread");
	for (i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	prog_tell(sock, 'e');
	prog_hear(sock);
}

static void
nested_enable(struct dt *dt, uint32_t *pbns)
{
	struct dtioc_agg ia = { .dtag_nkeys = 2,
		.dtag_keys = { { .op_kind = DT_OPD_PROBE, .op_size = 4 } } };
	size_t i;

	for (i = 0; i < NNESTED; i++) {
		pbns[i] = ia.dtag_pbn = prog_probe(dt, nested[i].ns_probe);
		ia.dtag_keys[1] = nested[i].ns_key;
		prog_enable(dt, nested[i].ns_probe, 0, nested[i].ns_nsecs);
		if (dt_ioctl(dt, DTIOCSAGG, &ia) == -1)
			err(1, "DTIOCSAGG: %s", dt_error(dt));
	}
}

/* Adds a snapshot's rows by probe. */
static void
nested_snapshot(struct dt *dt, const uint32_t *pbns, uint64_t *counts,
    struct seen *se)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	size_t i;
	int r;

	if (dt_ioctl(dt, DTIOCAGGSNAP, &as) == -1)
		err(1, "DTIOCAGGSNAP: %s", dt_error(dt));
	while ((r = dt_agg_next(dt, &row)) == 1) {
		for (i = 0; i < NNESTED; i++)
			if (pbns[i] == row.dtrw_words[0])
				break;
		if (i == NNESTED)
			errx(1, "a row of probe %llu",
			    (unsigned long long)row.dtrw_words[0]);
		counts[i] += row.dtrw_count;
		se->se_all += row.dtrw_count;
		se->se_rows++;
	}
	if (r == -1)
		err(1, "rows: %s", dt_error(dt));
	se->se_mapfull = as.dtas_mapfull;
	se->se_snapshots++;
}

/* The tracepoints of interrupts hit on all CPUs: no filter. */
static void
mode_nested(const struct prog_dtd *pd)
{
	struct pollfd pfd = { .events = POLLIN };
	uint64_t counts[NNESTED] = { 0 };
	uint32_t pbns[NNESTED];
	struct seen se = { 0 };
	struct prog_child pc;
	struct dt *dt;
	size_t i;

	prog_child_start(&pc, nested_run, NULL);
	dt = prog_open(pd, 0);
	nested_enable(dt, pbns);
	prog_record(dt, 1);
	prog_tell(pc.pc_sock, 'g');
	pfd.fd = pc.pc_sock;
	do
		nested_snapshot(dt, pbns, counts, &se);
	while (poll(&pfd, 1, 1) == 0);
	prog_record(dt, 0);
	if (drain(dt) != 0)
		errx(1, "events of a session that only counts");
	nested_snapshot(dt, pbns, counts, &se);
	ledger_check(dt, &se);
	printf("nested: fired %llu, rows %llu, snapshots %llu, recursed %llu, "
	       "mapfull %llu\n",
	    (unsigned long long)(se.se_all + se.se_recursed + se.se_mapfull),
	    (unsigned long long)se.se_rows, (unsigned long long)se.se_snapshots,
	    (unsigned long long)se.se_recursed,
	    (unsigned long long)se.se_mapfull);
	for (i = 0; i < NNESTED; i++) {
		printf("%s: %llu\n", nested[i].ns_probe,
		    (unsigned long long)counts[i]);
		if (counts[i] == 0)
			errx(1, "%s is not hit", nested[i].ns_probe);
	}
	/* others may call getppid(2), too */
	if (se.se_recursed + se.se_mapfull == 0 &&
	    (counts[0] < (uint64_t)(ncalls * nthreads) ||
		counts[1] < (uint64_t)(ncalls * nthreads)))
		errx(1, "not all calls are counted");
	prog_tell(pc.pc_sock, 'q');
	prog_child_end(&pc);
	dt_close(dt);
}

int
main(int argc, char **argv)
{
	struct prog_dtd pd;
	const char *mode;
	int opt;

	if (argc < 2)
		errx(2, "usage: aggs MODE [-n CALLS] [-t THREADS] ...");
	mode = argv[1];
	while ((opt = getopt(argc - 1, argv + 1, "n:t:s:r:")) != -1)
		switch (opt) {
		case 'n':
			ncalls = prog_number(optarg, 1000000000);
			break;
		case 't':
			nthreads = prog_number(optarg, MAXTHREADS);
			break;
		case 's':
			nsnapshots = prog_number(optarg, 100000);
			break;
		case 'r':
			nrows = prog_number(optarg, 100000);
			break;
		default:
			return 2;
		}
	prog_init("aggs", 600);
	prog_dtd_start(&pd, "");
	if (strcmp(mode, "exact") == 0)
		mode_exact(&pd);
	else if (strcmp(mode, "full") == 0)
		mode_full(&pd);
	else if (strcmp(mode, "values") == 0)
		mode_values(&pd);
	else if (strcmp(mode, "kill") == 0)
		mode_kill(&pd);
	else if (strcmp(mode, "keys") == 0)
		mode_keys(&pd);
	else if (strcmp(mode, "records") == 0)
		mode_records(&pd);
	else if (strcmp(mode, "nested") == 0)
		mode_nested(&pd);
	else
		errx(2, "no mode %s", mode);
	prog_dtd_stop(&pd);
	printf("aggs %s: exact\n", mode);
	return 0;
}
