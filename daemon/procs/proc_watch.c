/* SPDX-License-Identifier: ISC */
/*
 * Follows processes while at least one user holds it.
 *
 * The thread polls the rings every few milliseconds while records arrive, less
 * often otherwise, and at once when a ring is half full: a wake-up per record
 * would cost more than the record. A request for a process reads the rings
 * first, and so sees all earlier records.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "daemon/access/charge.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/perf/perf_event.h"
#include "daemon/procs/file_opener.h"
#include "daemon/procs/proc_snapshot.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/procs/proc_watch_impl.h"
#include "daemon/procs/sideband.h"

#define PERIOD_MIN 8   /* ms between passes over the rings while data arrives */
#define PERIOD_MAX 64  /* and when none does */
#define NEW_MAX	   256 /* new files of a process that are opened in a second */
#define SECOND	   1000000000ULL
/*
 * After lost records, all processes are read again, in at most this share of
 * the time.
 */
#define SNAP_SHARE 20 /* one part of */
#define SYNC_TRIES 20 /* passes over the rings to wait for the latest records */
#define SNAP_WAIT  2  /* seconds, for a pass in progress */

static pthread_mutex_t hold_mtx = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nholds; /* under hold_mtx */
static char why[160];	    /* the same */
static pthread_t thread;

/* A thread that reads /proc.  It frees this itself; no thread joins it. */
struct snapper {
	atomic_int snp_stop;
	uint64_t snp_since;
};

/* The thread whose results are used; NULL: none runs. */
static struct snapper *snapper; /* under snap_mtx */
static pthread_mutex_t snap_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t snap_cond = PTHREAD_COND_INITIALIZER;

static __thread uint64_t drained; /* see proc_watch_drained() */

/* Held while reading the rings: taken before the lock of proc_table.h. */
static pthread_mutex_t ring_mtx = PTHREAD_MUTEX_INITIALIZER;
static int isopen;		/* under ring_mtx */
static uint64_t lost, lastlost; /* under ring_mtx: records; and when */
static uint64_t readuntil;	/* under ring_mtx */
/* The same: called for each event. */
static void (*listener)(const struct sideband_event *);

static atomic_int stopping;
static atomic_uint_fast64_t nsnaps, snapnsecs, snapend;
/* Records were lost between these times, and not yet read from /proc; 0: none. */
static atomic_uint_fast64_t lostsince;
static atomic_uint_fast64_t lostuntil; /* the same, of all losses; stays */
atomic_int proc_status_wantnums;

/*
 * Queues a new file to be opened at once, unless its process maps too many new
 * files.
 */
static void
proc_watch_new(struct process *ps, struct mapped_file *mf,
    const struct sideband_event *se)
{
	struct sighting ss = { .sg_pid = ps->ps_pid,
		.sg_uid = ps->ps_uid,
		.sg_start = se->se_start,
		.sg_end = se->se_end,
		.sg_root = ps->ps_root };

	if (mf == NULL && !atomic_load(&proc_status_wantnums))
		return;
	if (mf == NULL || mf->mf_kind == MAPPED_FILE_ANON) {
		if (!ps->ps_isinspected)
			(void)file_opener_add(NULL, &ss);
		return;
	}
	if (ps->ps_second != se->se_time / SECOND) {
		ps->ps_second = se->se_time / SECOND;
		ps->ps_nnew = 0;
	}
	if (ps->ps_nnew++ < NEW_MAX)
		(void)file_opener_add(mf, &ss);
}

static void
proc_watch_event(const struct sideband_event *se)
{
	if (se->se_type == SIDEBAND_LOST) {
		lost += se->se_lost;
		lastlost = se->se_time;
		atomic_store(&lostuntil, se->se_time);
	} else
		proc_table_event(se, proc_watch_new);
	if (listener != NULL)
		listener(se);
}

void
proc_watch_listen(void (*fn)(const struct sideband_event *))
{
	pthread_mutex_lock(&ring_mtx);
	listener = fn;
	pthread_mutex_unlock(&ring_mtx);
}

/*
 * Reads the available records.  Returns the time up to which they were read,
 * and their number.
 */
static uint64_t
proc_watch_drain(size_t *np)
{
	uint64_t before, begun = charge_now();
	uint_fast64_t none = 0;

	*np = 0;
	pthread_mutex_lock(&ring_mtx);
	if (isopen) {
		proc_table_lock();
		before = readuntil;
		lastlost = 0;
		readuntil = sideband_read(proc_watch_event, np);
		proc_table_trim(readuntil);
		proc_table_unlock();
		/* records were lost after the previous read */
		if (lastlost != 0)
			atomic_compare_exchange_strong(&lostsince, &none,
			    before);
	}
	before = readuntil;
	pthread_mutex_unlock(&ring_mtx);
	drained += charge_now() - begun;
	return before;
}

uint64_t
proc_watch_drained(void)
{
	return drained;
}

uint64_t
proc_watch_sync(uint64_t nsecs)
{
	struct timespec ts = { .tv_nsec = SIDEBAND_LAG };
	uint64_t until;
	size_t n;
	int i;

	until = proc_watch_drain(&n);
	if (nsecs > (uint64_t)clock_monotonic())
		return until;
	/* a time slightly in the past, when all records are complete */
	for (i = 0; i < SYNC_TRIES && until != 0 && until < nsecs; i++) {
		nanosleep(&ts, NULL);
		until = proc_watch_drain(&n);
	}
	return until;
}

uint64_t
proc_watch_lost(void)
{
	return atomic_load(&lostuntil);
}

static void
snap_end(struct snapper *sn)
{
	pthread_mutex_lock(&snap_mtx);
	if (snapper == sn)
		snapper = NULL;
	pthread_cond_broadcast(&snap_cond);
	pthread_mutex_unlock(&snap_mtx);
}

static void *
snap_thread(void *arg)
{
	struct snapper *sn = arg;
	uint64_t start = clock_monotonic(), end;

	proc_snapshot_all(sn->snp_since, &sn->snp_stop);
	end = clock_monotonic();
	if (!atomic_load(&sn->snp_stop)) {
		atomic_store(&snapend, end);
		atomic_store(&snapnsecs, end - start);
		atomic_fetch_add(&nsnaps, 1);
	}
	snap_end(sn);
	free(sn);
	return NULL;
}

/* Discards all results that are read from now on. */
static void
snap_stop(void)
{
	pthread_mutex_lock(&snap_mtx);
	if (snapper != NULL)
		atomic_store(&snapper->snp_stop, 1);
	snapper = NULL;
	pthread_cond_broadcast(&snap_cond);
	pthread_mutex_unlock(&snap_mtx);
}

static int
snap_isrunning(void)
{
	int isrunning;

	pthread_mutex_lock(&snap_mtx);
	isrunning = snapper != NULL;
	pthread_mutex_unlock(&snap_mtx);
	return isrunning;
}

void
proc_watch_settle(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += SNAP_WAIT;
	pthread_mutex_lock(&snap_mtx);
	while (snapper != NULL &&
	    pthread_cond_timedwait(&snap_cond, &snap_mtx, &ts) == 0)
		;
	pthread_mutex_unlock(&snap_mtx);
}

static int
snap_start(struct snapper *sn)
{
	pthread_attr_t attr;
	pthread_t id;
	int error;

	pthread_mutex_lock(&snap_mtx);
	snapper = sn;
	pthread_mutex_unlock(&snap_mtx);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&id, &attr, snap_thread, sn);
	pthread_attr_destroy(&attr);
	return error;
}

/* Starts a thread that reads /proc, if none runs. */
static void
proc_watch_snap(void)
{
	struct snapper *sn = calloc(1, sizeof(*sn));

	if (sn != NULL) {
		sn->snp_since = atomic_exchange(&lostsince, 0);
		if (snap_start(sn) == 0)
			return;
		snap_end(sn);
		free(sn);
	}
	log_warnx("no thread to read /proc");
}

/* After lost records: reads all again, if the last time was long enough ago. */
static void
proc_watch_mend(uint64_t now)
{
	uint64_t pause = atomic_load(&snapnsecs) * SNAP_SHARE;

	if (pause < SECOND)
		pause = SECOND;
	if (atomic_load(&lostsince) != 0 &&
	    now > atomic_load(&snapend) + pause && !snap_isrunning())
		proc_watch_snap();
}

static void *
proc_watch_thread(void *arg __attribute__((unused)))
{
	int period = PERIOD_MIN;
	size_t n;

	prctl(PR_SET_NAME, "dtd-procs");
	while (!atomic_load(&stopping)) {
		sideband_wait(period);
		proc_watch_mend(proc_watch_drain(&n));
		period = n > 0 ? PERIOD_MIN : period * 2;
		if (period > PERIOD_MAX)
			period = PERIOD_MAX;
	}
	return NULL;
}

static int
proc_watch_attach(void)
{
	int error;

	pthread_mutex_lock(&ring_mtx);
	error = sideband_open();
	isopen = error == 0;
	lost = 0;
	readuntil = clock_monotonic();
	pthread_mutex_unlock(&ring_mtx);
	if (error != 0)
		snprintf(why, sizeof(why), "perf events cannot be opened: %s%s",
		    perf_event_strerror(error),
		    error == EACCES || error == EPERM
			? " (it needs root, or CAP_PERFMON)"
			: "");
	return error;
}

static void
proc_watch_detach(void)
{
	pthread_mutex_lock(&ring_mtx);
	if (isopen)
		sideband_close();
	isopen = 0;
	readuntil = 0;
	pthread_mutex_unlock(&ring_mtx);
	file_opener_clear();
	proc_table_lock();
	proc_table_clear();
	proc_table_unlock();
}

static void proc_watch_stop(int);

static int
proc_watch_start(void)
{
	int error;

	if ((error = proc_watch_attach()) != 0)
		return error;
	atomic_store(&stopping, 0);
	atomic_store(&lostsince, 0);
	atomic_store(&lostuntil, 0);
	atomic_store(&proc_status_wantnums, 0);
	/* before the thread, which may need this */
	proc_watch_snap();
	if ((error = pthread_create(&thread, NULL, proc_watch_thread, NULL)) !=
	    0)
		proc_watch_stop(0);
	return error;
}

static void
proc_watch_stop(int hasthread)
{
	atomic_store(&stopping, 1);
	if (hasthread) {
		sideband_wake();
		pthread_join(thread, NULL);
	}
	snap_stop();
	proc_watch_detach();
}

int
proc_watch_hold(void)
{
	int error = 0;

	pthread_mutex_lock(&hold_mtx);
	if (nholds == 0)
		error = proc_watch_start();
	if (error == 0)
		nholds++;
	pthread_mutex_unlock(&hold_mtx);
	return error;
}

void
proc_watch_release(void)
{
	pthread_mutex_lock(&hold_mtx);
	if (--nholds == 0)
		proc_watch_stop(1);
	pthread_mutex_unlock(&hold_mtx);
}

const char *
proc_watch_why(void)
{
	return why;
}

/* Without an event for the CPU, the kernel has recorded nothing there. */
void
proc_watch_cpu(unsigned int cpu)
{
	uint_fast64_t none = 0;
	uint64_t before;
	size_t n;

	before = proc_watch_drain(&n);
	pthread_mutex_lock(&ring_mtx);
	if (isopen && sideband_cpu(cpu)) {
		atomic_store(&lostuntil, clock_monotonic());
		atomic_compare_exchange_strong(&lostsince, &none, before);
	}
	pthread_mutex_unlock(&ring_mtx);
}

/* Returns the CPU time of the thread that reads the rings, which runs. */
static uint64_t
proc_watch_cputime(void)
{
	struct timespec ts;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 ||
	    clock_gettime(clock, &ts) == -1)
		return 0;
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

void
proc_watch_stat(struct proc_watch_stat *pws)
{
	struct proc_table_stat ts;
	struct mapped_file_stat fs;

	memset(pws, 0, sizeof(*pws));
	pthread_mutex_lock(&hold_mtx);
	pws->pws_held = nholds;
	pws->pws_cpunsecs = nholds > 0 ? proc_watch_cputime() : 0;
	pthread_mutex_unlock(&hold_mtx);
	pthread_mutex_lock(&ring_mtx);
	sideband_stat(&pws->pws_records, &pws->pws_bad);
	pws->pws_lost = lost;
	proc_table_lock();
	proc_table_stat(&ts);
	pws->pws_images = addr_space_sum.ast_spaces;
	pws->pws_maps = addr_space_sum.ast_mappings;
	pws->pws_dropped = addr_space_sum.ast_dropped;
	pws->pws_bytes = ts.pt_bytes + addr_space_sum.ast_bytes;
	proc_table_unlock();
	pthread_mutex_unlock(&ring_mtx);
	mapped_file_stat(&fs);
	pws->pws_procs = ts.pt_procs;
	pws->pws_ended = ts.pt_ended;
	pws->pws_forgotten = ts.pt_forgotten;
	pws->pws_bytes += fs.mfs_bytes;
	pws->pws_files = fs.mfs_files;
	pws->pws_open = fs.mfs_open;
	pws->pws_unopened = fs.mfs_failed;
	pws->pws_snapshots = atomic_load(&nsnaps);
	pws->pws_snapnsecs = atomic_load(&snapnsecs);
}
