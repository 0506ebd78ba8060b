/* SPDX-License-Identifier: ISC */
/* Keeps copies of stacks by session, and walks those whose tables are ready. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include <dev/dt/dtvar.h>

#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_copies.h"
#include "daemon/unwind/unwind_copy_maps.h"
#include "daemon/unwind/unwind_copy_walk.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_pages.h"

#define LINES	  1024	  /* of the hash; a power of two */
#define AT_ONCE	  16	  /* walks under the lock of the copies */
#define TAKE_WAIT 2000000 /* ns, for that lock */

/* A copy, or its frames. */
struct copy {
	LIST_ENTRY(copy) cop_line;
	TAILQ_ENTRY(copy) cop_entry; /* of its session, the oldest first */
	TAILQ_ENTRY(copy) cop_wait;  /* with cop_mem */
	struct copy_session *cop_session;
	uint32_t cop_number;
	struct copy_proc cop_proc;
	size_t cop_nbytes;  /* as charged */
	uint64_t cop_due;   /* time from which its process is read */
	uint64_t cop_again; /* time from which a page is missed again */
	uint64_t cop_since; /* time of the hit, or of the last missed page */
	struct unwind_pagekey cop_key;	/* page that a walk missed; 0: none */
	struct unwind_copy *cop_mem;	/* NULL: it was walked */
	struct dt_rec_stack *cop_stack; /* then this, and the frames */
};

TAILQ_HEAD(copy_list, copy);

struct copy_session {
	LIST_ENTRY(copy_session) cps_entry;
	uint64_t cps_id;
	size_t cps_nbytes;
	struct copy_list cps_copies;
};

static pthread_mutex_t copies_mtx = PTHREAD_MUTEX_INITIALIZER;
/* All of these are under copies_mtx. */
static LIST_HEAD(, copy_session) sessions = LIST_HEAD_INITIALIZER(sessions);
static LIST_HEAD(copy_line, copy) lines[LINES];
static struct copy_list waiting = TAILQ_HEAD_INITIALIZER(waiting);
static uint32_t nexts[UNWIND_COPY_CPUS]; /* number of each CPU's next copy */
static struct unwind_copies_stat stat;

static struct copy_session *
session_find(uint64_t id)
{
	struct copy_session *cps;

	LIST_FOREACH(cps, &sessions, cps_entry)
		if (cps->cps_id == id)
			return cps;
	return NULL;
}

static struct copy_line *
line_of(uint64_t id, uint32_t number)
{
	return &lines[(number * 2654435761u ^ id) & (LINES - 1)];
}

static struct copy *
copy_find(uint64_t id, uint32_t number)
{
	struct copy *cop;

	LIST_FOREACH(cop, line_of(id, number), cop_line)
		if (cop->cop_number == number && cop->cop_session->cps_id == id)
			return cop;
	return NULL;
}

/* Charges a session for memory, or (n < 0) no longer. */
static void
session_charge(struct copy_session *cps, int64_t n)
{
	cps->cps_nbytes += n;
	stat.ucs_bytes += n;
}

/* Removes a copy that waits from the queue, and clears its memory. */
static void
copy_clear(struct copy *cop)
{
	size_t n;

	if (cop->cop_mem == NULL)
		return;
	n = copy_nbytes(cop->cop_mem);
	explicit_bzero(cop->cop_mem, n);
	free(cop->cop_mem);
	cop->cop_mem = NULL;
	TAILQ_REMOVE(&waiting, cop, cop_wait);
	session_charge(cop->cop_session, -(int64_t)n);
	cop->cop_nbytes -= n;
}

static void
copy_free(struct copy *cop)
{
	stat.ucs_ends[DT_STACK_PENDING] += cop->cop_mem != NULL;
	copy_clear(cop);
	session_charge(cop->cop_session, -(int64_t)cop->cop_nbytes);
	LIST_REMOVE(cop, cop_line);
	TAILQ_REMOVE(&cop->cop_session->cps_copies, cop, cop_entry);
	free(cop->cop_stack);
	free(cop);
}

/*
 * Sessions
 */

int
unwind_copies_open(uint64_t id)
{
	struct copy_session *cps;
	int error = 0;

	pthread_mutex_lock(&copies_mtx);
	if (session_find(id) == NULL) {
		if ((cps = calloc(1, sizeof(*cps))) != NULL) {
			cps->cps_id = id;
			TAILQ_INIT(&cps->cps_copies);
			LIST_INSERT_HEAD(&sessions, cps, cps_entry);
		} else
			error = ENOMEM;
	}
	pthread_mutex_unlock(&copies_mtx);
	return error;
}

void
unwind_copies_close(uint64_t id)
{
	struct copy_session *cps;

	pthread_mutex_lock(&copies_mtx);
	if ((cps = session_find(id)) != NULL) {
		while (!TAILQ_EMPTY(&cps->cps_copies))
			copy_free(TAILQ_FIRST(&cps->cps_copies));
		LIST_REMOVE(cps, cps_entry);
		free(cps);
	}
	pthread_mutex_unlock(&copies_mtx);
}

static struct copy_session *
session_largest(void)
{
	struct copy_session *cps, *most = LIST_FIRST(&sessions);

	LIST_FOREACH(cps, &sessions, cps_entry)
		if (cps->cps_nbytes > most->cps_nbytes)
			most = cps;
	return most;
}

/* Returns the frames that a session has not taken for the longest time. */
static struct copy *
session_oldest(struct copy_session *cps)
{
	struct copy *cop;

	TAILQ_FOREACH(cop, &cps->cps_copies, cop_entry)
		if (cop->cop_mem == NULL)
			return cop;
	return NULL;
}

/* Drops something of a session for another one; 0: its own limit prevents it. */
static int
session_reduce(struct copy_session *most, const struct copy_session *cps)
{
	struct copy *cop = session_oldest(most);

	if (cop == NULL && most != cps)
		cop = TAILQ_FIRST(&most->cps_copies);
	if (cop == NULL)
		return 0;
	stat.ucs_dropped++;
	copy_free(cop);
	return 1;
}

/* Returns whether a session has memory, or was given some. */
static int
session_has(struct copy_session *cps, size_t n)
{
	while (cps->cps_nbytes + n > UNWIND_COPIES_SESSION)
		if (!session_reduce(cps, cps))
			return 0;
	while (stat.ucs_bytes + n > UNWIND_COPIES_BYTES)
		if (!session_reduce(session_largest(), cps))
			return 0;
	return 1;
}

/*
 * Copies
 */

static struct copy *
copy_make(struct copy_session *cps, const struct unwind_copy *ucp, size_t n)
{
	struct copy *cop = calloc(1, sizeof(*cop));

	if (cop == NULL || (cop->cop_mem = malloc(n)) == NULL) {
		free(cop);
		return NULL;
	}
	memcpy(cop->cop_mem, ucp, n);
	cop->cop_number = ucp->ucp_number;
	cop->cop_proc = (struct copy_proc){ ucp->ucp_pid, ucp->ucp_uid,
		ucp->ucp_exec, ucp->ucp_start, ucp->ucp_time };
	cop->cop_since = ucp->ucp_time;
	cop->cop_nbytes = sizeof(*cop) + n;
	cop->cop_session = cps;
	session_charge(cps, cop->cop_nbytes);
	TAILQ_INSERT_TAIL(&cps->cps_copies, cop, cop_entry);
	TAILQ_INSERT_TAIL(&waiting, cop, cop_wait);
	LIST_INSERT_HEAD(line_of(cps->cps_id, cop->cop_number), cop, cop_line);
	return cop;
}

void
unwind_copies_add(const struct unwind_copy *ucp, size_t nbytes)
{
	size_t n = nbytes < sizeof(*ucp) ? 0 : copy_nbytes(ucp);
	uint64_t id = UNWIND_SESSION(ucp->ucp_slot, ucp->ucp_gen);
	struct copy_session *cps;
	struct copy *old;

	if (n == 0 || n > nbytes)
		return;
	pthread_mutex_lock(&copies_mtx);
	nexts[UNWIND_COPY_CPU(ucp->ucp_number)] = ucp->ucp_number +
	    UNWIND_COPY_CPUS;
	if ((cps = session_find(id)) != NULL) {
		stat.ucs_copies++;
		if ((old = copy_find(id, ucp->ucp_number)) != NULL)
			copy_free(old); /* the counter has begun again */
		if (!session_has(cps, sizeof(struct copy) + n) ||
		    copy_make(cps, ucp, n) == NULL) {
			stat.ucs_dropped++;
			stat.ucs_ends[DT_STACK_PENDING]++;
		}
	}
	pthread_mutex_unlock(&copies_mtx);
}

/* Returns whether a copy is still in the ring, which the client cannot know. */
static int
copy_iscoming(uint32_t number)
{
	return (int32_t)(number - nexts[UNWIND_COPY_CPU(number)]) >= 0;
}

/* Takes the lock for the control thread, which may not wait long. */
static int
copies_lock_soon(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_nsec += TAKE_WAIT;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	return pthread_mutex_clocklock(&copies_mtx, CLOCK_MONOTONIC, &ts) == 0;
}

int
unwind_copy_take(uint64_t id, uint32_t number, struct dtioc_stack *dtsk)
{
	struct copy *cop;
	int error = 0;

	memset(dtsk, 0, sizeof(*dtsk));
	dtsk->dtsk_copy = number;
	if (!copies_lock_soon())
		return EAGAIN;
	if ((cop = copy_find(id, number)) == NULL)
		error = copy_iscoming(number) ? EAGAIN : ENOENT;
	else if (cop->cop_mem != NULL)
		error = EAGAIN;
	else {
		dtsk->dtsk_stack = *cop->cop_stack;
		memcpy(dtsk->dtsk_pcs, cop->cop_stack + 1,
		    cop->cop_stack->drs_count * sizeof(dtsk->dtsk_pcs[0]));
		copy_free(cop);
	}
	pthread_mutex_unlock(&copies_mtx);
	return error;
}

/* The walk of a copy has ended: its frames remain. */
static void
copy_done(struct copy *cop, const struct copy_walk *cwk, uint64_t now)
{
	const struct unwind_walk *uw = &cwk->cwk_walk;
	size_t n = uw->uw_count * sizeof(cwk->cwk_pcs[0]);
	struct dt_rec_stack *st = malloc(sizeof(*st) + n);

	stat.ucs_walked++;
	stat.ucs_ends[uw->uw_end & (UNWIND_NENDS - 1)]++;
	stat.ucs_givenup += uw->uw_end == DT_STACK_PENDING ||
	    uw->uw_end == DT_STACK_EVICTED;
	stat.ucs_nsecs += now - cop->cop_proc.cpr_time;
	copy_clear(cop);
	if (st == NULL) {
		copy_free(cop);
		return;
	}
	*st = (struct dt_rec_stack){ .drs_count = uw->uw_count,
		.drs_end = uw->uw_end,
		.drs_how = DT_STACK_TABLE };
	memcpy(st + 1, cwk->cwk_pcs, n);
	cop->cop_stack = st;
	cop->cop_nbytes += sizeof(*st) + n;
	session_charge(cop->cop_session, sizeof(*st) + n);
}

/*
 * Walks
 */

/* Returns whether the page that a walk missed is there, or to be missed again. */
static int
copy_isready(const struct copy *cop, uint64_t now)
{
	struct unwind_page up;

	if (cop->cop_key.uk_file == 0)
		return 1;
	if (!unwind_pages_find(&cop->cop_key, &up) ||
	    up.up_state == UNWIND_EVICTED)
		return now >= cop->cop_again;
	return up.up_state != UNWIND_PENDING;
}

static int
copy_islate(const struct copy *cop, uint64_t now)
{
	return cop->cop_since + UNWIND_COPIES_AGE < now ||
	    cop->cop_proc.cpr_time + UNWIND_COPIES_MOST < now;
}

/* Walks a copy, and has the missing table built. */
static void
copy_try(struct copy *cop, const struct copy_maps *cpm, uint64_t now)
{
	struct copy_walk cwk;
	struct unwind_walk *uw = &cwk.cwk_walk;

	copy_walk(&cwk, cop->cop_mem, cpm->cpm_maps, cpm->cpm_n);
	if (uw->uw_end != DT_STACK_PENDING && uw->uw_end != DT_STACK_EVICTED) {
		copy_done(cop, &cwk, now);
		return;
	}
	if (unwind_pages_miss(&uw->uw_key))
		unwind_build_add(&uw->uw_key, cop->cop_proc.cpr_uid);
	if (memcmp(&cop->cop_key, &uw->uw_key, sizeof(cop->cop_key)) != 0)
		cop->cop_since = now;
	cop->cop_key = uw->uw_key;
	cop->cop_again = now + UNWIND_COPIES_RETRY;
	if (copy_islate(cop, now))
		copy_done(cop, &cwk, now);
}

/* Gives a copy up whose process is unknown. */
static void
copy_unknown(struct copy *cop, uint64_t now)
{
	struct copy_walk cwk;

	copy_walk(&cwk, cop->cop_mem, NULL, 0);
	cwk.cwk_walk.uw_end = DT_STACK_PENDING;
	copy_done(cop, &cwk, now);
}

int
unwind_copies_walk(uint64_t now)
{
	struct copy *cop, *next;
	struct copy_maps cpm;
	int n = 0;

	pthread_mutex_lock(&copies_mtx);
	for (cop = TAILQ_FIRST(&waiting); cop != NULL && n < AT_ONCE;
	     cop = next) {
		next = TAILQ_NEXT(cop, cop_wait);
		if (!copy_islate(cop, now) && !copy_isready(cop, now))
			continue;
		if (copy_maps_find(&cop->cop_proc, &cpm)) {
			copy_try(cop, &cpm, now);
			n++;
		} else if (copy_islate(cop, now))
			copy_unknown(cop, now);
	}
	pthread_mutex_unlock(&copies_mtx);
	return n == AT_ONCE;
}

/*
 * Returns whether the process of a copy, whose mappings are unknown, is to be
 * read.  Another thread may be reading it for programs.
 */
static int
copy_wants(const struct copy *cop, uint64_t now,
    int (*mayread)(const struct copy_proc *))
{
	const struct copy_proc *cpr = &cop->cop_proc;

	if (cpr->cpr_time + UNWIND_COPIES_DEFER > now &&
	    unwind_procs_isreading(cpr->cpr_pid, cpr->cpr_start, cpr->cpr_exec,
		now))
		return 0;
	return cop->cop_due <= now && mayread(cpr) &&
	    !copy_maps_ispaused(cpr, now);
}

int
unwind_copies_next(struct copy_proc *cpr, uint64_t now,
    int (*mayread)(const struct copy_proc *))
{
	struct copy_maps cpm;
	struct copy *cop;

	pthread_mutex_lock(&copies_mtx);
	TAILQ_FOREACH(cop, &waiting, cop_wait)
		if (!copy_maps_find(&cop->cop_proc, &cpm) &&
		    copy_wants(cop, now, mayread)) {
			*cpr = cop->cop_proc;
			break;
		}
	pthread_mutex_unlock(&copies_mtx);
	return cop != NULL;
}

int
unwind_copies_isdue(uint64_t now, int (*mayread)(const struct copy_proc *),
    int *iswaiting)
{
	struct copy_maps cpm;
	struct copy *cop;

	pthread_mutex_lock(&copies_mtx);
	*iswaiting = !TAILQ_EMPTY(&waiting);
	TAILQ_FOREACH(cop, &waiting, cop_wait)
		if (copy_islate(cop, now) ||
		    (copy_maps_find(&cop->cop_proc, &cpm)
			    ? copy_isready(cop, now)
			    : copy_wants(cop, now, mayread)))
			break;
	pthread_mutex_unlock(&copies_mtx);
	return cop != NULL;
}

/* Returns a copy that waits for the mappings of a process. */
static const struct copy *
copy_waits(const struct unwind_proc_request *upa)
{
	const struct copy *cop;

	TAILQ_FOREACH(cop, &waiting, cop_wait)
		if (cop->cop_proc.cpr_pid == upa->upa_pid &&
		    cop->cop_proc.cpr_start == upa->upa_start &&
		    cop->cop_proc.cpr_exec == upa->upa_exec)
			return cop;
	return NULL;
}

void
unwind_copies_maps(const struct unwind_proc_request *upa,
    const struct proc_view *pv)
{
	const struct copy *cop;
	struct copy_maps cpm;

	pthread_mutex_lock(&copies_mtx);
	if ((cop = copy_waits(upa)) != NULL &&
	    cop->cop_proc.cpr_time >= pv->pv_from &&
	    cop->cop_proc.cpr_time < pv->pv_until &&
	    !copy_maps_find(&cop->cop_proc, &cpm))
		(void)copy_maps_add(&cop->cop_proc, pv);
	pthread_mutex_unlock(&copies_mtx);
}

void
unwind_copies_delay(const struct copy_proc *cpr, uint64_t due)
{
	struct copy *cop;

	pthread_mutex_lock(&copies_mtx);
	TAILQ_FOREACH(cop, &waiting, cop_wait)
		if (cop->cop_proc.cpr_pid == cpr->cpr_pid)
			cop->cop_due = due;
	pthread_mutex_unlock(&copies_mtx);
}

void
unwind_copies_clear(void)
{
	pthread_mutex_lock(&copies_mtx);
	while (!TAILQ_EMPTY(&waiting))
		copy_free(TAILQ_FIRST(&waiting));
	pthread_mutex_unlock(&copies_mtx);
}

void
unwind_copies_stat(struct unwind_copies_stat *ucs)
{
	pthread_mutex_lock(&copies_mtx);
	*ucs = stat;
	pthread_mutex_unlock(&copies_mtx);
}
