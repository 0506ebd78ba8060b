/* SPDX-License-Identifier: ISC */
/*
 * Hands symbolizer processes to threads in turn, starts, kills and reaps them.
 * One lock protects everything here; nothing waits with it held but on the
 * condition.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "daemon/base/log.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/symbolizer_spawn.h"

/* Starts of a user without a wait, and the time between later ones, ms. */
#define START_BURST 8
#define START_MSECS 250

/*
 * Half-life of a user's CPU time, ms; above SPENT_MUCH ns the user has one
 * process at a time.
 */
#define SPENT_HALF 10000
#define SPENT_MUCH 2000000000ULL

struct person {
	uid_t pe_uid;
	unsigned int pe_refs;  /* threads that wait or have a worker */
	unsigned int pe_nbusy; /* workers at work */
	uint64_t pe_spent;     /* ns, as of pe_spentat */
	int64_t pe_spentat;
	int64_t pe_started; /* ms; in the future after many starts */
	int64_t pe_used;    /* ms */
	LIST_ENTRY(person) pe_entry;
};

/* A thread that waits in symbolizer_pool_take(). */
struct turnwait {
	struct person *tw_person;
	TAILQ_ENTRY(turnwait) tw_entry;
};

/* A process that was killed and is not reaped yet. */
struct pool_abandoned {
	pid_t go_pid;
	uid_t go_person, go_owner;
	int64_t go_since; /* ms */
	int go_islogged;  /* that it hangs */
};

/* All by pool_mtx, except for the [o] fields of struct symbolizer_process. */
static pthread_mutex_t pool_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_cond = PTHREAD_COND_INITIALIZER;
static struct symbolizer_process workers[SYMBOLIZER_POOL_MAX];
static unsigned int nbusy;
static LIST_HEAD(, person) persons = LIST_HEAD_INITIALIZER(persons);
static TAILQ_HEAD(, turnwait) waits = TAILQ_HEAD_INITIALIZER(waits);
/*
 * A process starts only while there are less than SYMBOLIZER_POOL_ABANDONED, and
 * each worker's process may join them later.
 */
static struct pool_abandoned
    abandoned[SYMBOLIZER_POOL_ABANDONED + SYMBOLIZER_POOL_MAX];
static unsigned int nabandoned;
static uint64_t nstarts;
static int isended;

/* Waits on pool_cond; 0: something may have changed. */
static int
pool_wait(int64_t deadline)
{
	struct timespec ts = { .tv_sec = deadline / 1000,
		.tv_nsec = deadline % 1000 * 1000000 };

	if (deadline == 0)
		return pthread_cond_wait(&pool_cond, &pool_mtx);
	return pthread_cond_clockwait(&pool_cond, &pool_mtx, CLOCK_MONOTONIC,
	    &ts);
}

/*
 * --- processes that were killed ---------------------------------------------
 */

static int
abandoned_ishung(const struct pool_abandoned *go)
{
	return clock_msecs() - go->go_since >= SYMBOLIZER_POOL_HUNGMSECS;
}

/* Reaps those that have exited; logs the others once. */
static void
abandoned_reap(void)
{
	unsigned int i = 0;
	struct pool_abandoned *go;
	int status;
	pid_t pid;

	while (i < nabandoned) {
		go = &abandoned[i];
		status = 0;
		pid = waitpid(go->go_pid, &status, WNOHANG);
		if (pid != 0 && !(pid == -1 && errno == EINTR)) {
			log_debug("symbolizer %d exited, status %#x",
			    (int)go->go_pid, status);
			*go = abandoned[--nabandoned];
			continue;
		}
		if (!go->go_islogged && abandoned_ishung(go)) {
			log_warnx("symbolizer %d does not exit: a file that it "
				  "read hangs, or a signal stopped it",
			    (int)go->go_pid);
			go->go_islogged = 1;
		}
		i++;
	}
}

static unsigned int
abandoned_nhung(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < nabandoned; i++)
		n += abandoned_ishung(&abandoned[i]);
	return n;
}

/* Returns whether too many hang for a user, or over files of an owner. */
static int
abandoned_toomany(uid_t person, uid_t owner)
{
	unsigned int i, nperson = 0, nowner = 0;

	for (i = 0; i < nabandoned; i++)
		if (abandoned_ishung(&abandoned[i])) {
			nperson += abandoned[i].go_person == person;
			nowner += abandoned[i].go_owner == owner;
		}
	return nabandoned >= SYMBOLIZER_POOL_ABANDONED ||
	    (person != 0 && nperson >= SYMBOLIZER_POOL_PERSONGONE) ||
	    (owner != 0 && owner != (uid_t)-1 &&
		nowner >= SYMBOLIZER_POOL_OWNERGONE);
}

/*
 * If dtd may not kill the process, it exits when it finds its socket closed, or
 * by its alarm.
 */
static void
worker_stop(struct symbolizer_process *wk)
{
	if (wk->sp_pid == 0)
		return;
	close(wk->sp_fd);
	close(wk->sp_channel);
	if (wk->sp_stat != -1)
		close(wk->sp_stat);
	(void)kill(wk->sp_pid, SIGKILL);
	abandoned[nabandoned++] = (struct pool_abandoned){ .go_pid = wk->sp_pid,
		.go_person = wk->sp_person,
		.go_owner = wk->sp_owner,
		.go_since = clock_msecs() };
	log_debug("symbolizer %d ended", (int)wk->sp_pid);
	wk->sp_pid = 0;
	wk->sp_fd = wk->sp_channel = wk->sp_stat = -1;
	abandoned_reap();
}

void
symbolizer_pool_kill(struct symbolizer_process *wk)
{
	pthread_mutex_lock(&pool_mtx);
	worker_stop(wk);
	pthread_mutex_unlock(&pool_mtx);
}

/*
 * --- starts -----------------------------------------------------------------
 */

/* Rate-limits the starts of a user whose files keep crashing the process. */
static int
start_wait(struct person *pe, int64_t deadline)
{
	int64_t now = clock_msecs(), due;

	if (pe->pe_started < now - START_BURST * START_MSECS)
		pe->pe_started = now - START_BURST * START_MSECS;
	due = pe->pe_started += START_MSECS;
	while (!isended && clock_msecs() < due) {
		if (deadline != 0 && clock_msecs() >= deadline)
			return ETIMEDOUT;
		(void)pool_wait(
		    deadline != 0 && deadline < due ? deadline : due);
	}
	return isended ? ECHILD : 0;
}

/* Starts the process of a worker that was taken. */
static int
worker_start(struct symbolizer_process *wk, struct person *pe, int64_t deadline)
{
	int fd, channel, error, stat;
	char path[32];
	pid_t pid;

	pthread_mutex_lock(&pool_mtx);
	error = start_wait(pe, deadline);
	/* again: others were abandoned while this thread waited */
	abandoned_reap();
	if (error == 0 && abandoned_toomany(pe->pe_uid, wk->sp_owner))
		error = ECHILD;
	pthread_mutex_unlock(&pool_mtx);
	if (error != 0)
		return error;
	if (symbolizer_spawn(&pid, &fd, &channel) != 0)
		return ECHILD;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	stat = open(path, O_RDONLY | O_CLOEXEC);
	pthread_mutex_lock(&pool_mtx);
	wk->sp_pid = pid;
	wk->sp_stat = stat;
	wk->sp_fd = fd;
	wk->sp_channel = channel;
	nstarts++;
	log_debug("symbolizer %d started", (int)pid);
	if (isended)
		worker_stop(wk);
	error = isended ? ECHILD : 0;
	pthread_mutex_unlock(&pool_mtx);
	return error;
}

/*
 * --- persons and turns ------------------------------------------------------
 */

static struct person *
person_get(uid_t uid)
{
	struct person *pe;

	LIST_FOREACH(pe, &persons, pe_entry)
		if (pe->pe_uid == uid)
			break;
	if (pe == NULL) {
		if ((pe = calloc(1, sizeof(*pe))) == NULL)
			return NULL;
		pe->pe_uid = uid;
		LIST_INSERT_HEAD(&persons, pe, pe_entry);
	}
	pe->pe_refs++;
	return pe;
}

static void
person_put(struct person *pe)
{
	pe->pe_refs--;
	pe->pe_used = clock_msecs();
}

/* Removes persons whose limits have recovered completely. */
static void
persons_trim(void)
{
	int64_t before = clock_msecs() - 8 * SPENT_HALF;
	struct person *pe, *next;

	for (pe = LIST_FIRST(&persons); pe != NULL; pe = next) {
		next = LIST_NEXT(pe, pe_entry);
		if (pe->pe_refs > 0 || pe->pe_used > before)
			continue;
		LIST_REMOVE(pe, pe_entry);
		free(pe);
	}
}

static uint64_t
person_spent(struct person *pe)
{
	int64_t halves = (clock_msecs() - pe->pe_spentat) / SPENT_HALF;

	if (halves > 0) {
		pe->pe_spent = halves > 63 ? 0 : pe->pe_spent >> halves;
		pe->pe_spentat += halves * SPENT_HALF;
	}
	return pe->pe_spent;
}

void
symbolizer_pool_spent(uid_t uid, uint64_t nsecs)
{
	struct person *pe;

	pthread_mutex_lock(&pool_mtx);
	if ((pe = person_get(uid)) != NULL) {
		(void)person_spent(pe);
		pe->pe_spent += nsecs;
		person_put(pe);
	}
	pthread_mutex_unlock(&pool_mtx);
}

/* Returns whether one more process may work for a user. */
static int
person_may(struct person *pe)
{
	unsigned int max = SYMBOLIZER_POOL_MAX -
	    (pe->pe_uid == 0 ? 0 : SYMBOLIZER_POOL_ROOT);

	if (pe->pe_nbusy == 0)
		return nbusy < max;
	return pe->pe_nbusy < SYMBOLIZER_POOL_PERSON && nbusy + 1 < max &&
	    person_spent(pe) < SPENT_MUCH;
}

static int
person_before(struct person *a, struct person *b)
{
	if (a->pe_nbusy != b->pe_nbusy)
		return a->pe_nbusy < b->pe_nbusy;
	return person_spent(a) < person_spent(b);
}

/* Returns the thread whose turn it is; NULL: none may continue. */
static struct turnwait *
turn_next(void)
{
	struct turnwait *tw, *next = NULL;

	TAILQ_FOREACH(tw, &waits, tw_entry)
		if (person_may(tw->tw_person) &&
		    (next == NULL ||
			person_before(tw->tw_person, next->tw_person)))
			next = tw;
	return next;
}

/* Waits for the turn of a user's thread. */
static int
turn_wait(struct person *pe, int64_t deadline)
{
	struct turnwait tw = { .tw_person = pe };
	int error = 0;

	TAILQ_INSERT_TAIL(&waits, &tw, tw_entry);
	while (!isended && turn_next() != &tw && error == 0)
		error = pool_wait(deadline);
	if (!isended && error != 0 && turn_next() == &tw)
		error = 0;
	TAILQ_REMOVE(&waits, &tw, tw_entry);
	pthread_cond_broadcast(&pool_cond); /* another may be next now */
	return isended ? ECHILD : error;
}

/* Rates how well an idle process suits a user. */
static int
worker_suits(const struct symbolizer_process *wk, uid_t person)
{
	if (wk->sp_pid == 0)
		return 1;
	return wk->sp_person == person ? 2 : 0;
}

/* Returns an idle process for a user. There is one, as not all are busy. */
static struct symbolizer_process *
worker_pick(uid_t person)
{
	struct symbolizer_process *wk, *best = NULL;
	int suits, bestsuits = -1;

	for (wk = workers; wk < &workers[SYMBOLIZER_POOL_MAX]; wk++) {
		if (wk->sp_isbusy)
			continue;
		suits = worker_suits(wk, person);
		/*
		 * for this person the most recently used, for others the oldest
		 */
		if (suits > bestsuits ||
		    (suits == bestsuits &&
			(suits == 2 ? wk->sp_used > best->sp_used
				    : wk->sp_used < best->sp_used))) {
			best = wk;
			bestsuits = suits;
		}
	}
	if (bestsuits == 0)
		worker_stop(best);
	return best;
}

/* An idle process sends nothing, unless it has ended or is broken. */
static int
worker_isdead(const struct symbolizer_process *wk)
{
	struct pollfd p = { .fd = wk->sp_fd, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

static void
worker_give(struct symbolizer_process *wk, struct person *pe)
{
	wk->sp_isbusy = 0;
	wk->sp_used = clock_msecs();
	nbusy--;
	pe->pe_nbusy--;
	person_put(pe);
	pthread_cond_broadcast(&pool_cond);
}

/* The pool is locked; the worker's process need not run. */
static int
worker_take(struct person *pe, uid_t owner, int64_t deadline,
    struct symbolizer_process **wkp)
{
	struct symbolizer_process *wk;
	int error;

	abandoned_reap();
	if (abandoned_toomany(pe->pe_uid, owner))
		return ECHILD;
	if ((error = turn_wait(pe, deadline)) != 0)
		return error;
	wk = worker_pick(pe->pe_uid);
	wk->sp_isbusy = 1;
	wk->sp_used = clock_msecs();
	wk->sp_person = pe->pe_uid;
	wk->sp_owner = owner;
	nbusy++;
	pe->pe_nbusy++;
	if (wk->sp_pid != 0 && worker_isdead(wk))
		worker_stop(wk);
	*wkp = wk;
	return 0;
}

int
symbolizer_pool_take(uid_t person, uid_t owner, int64_t deadline,
    struct symbolizer_process **wkp)
{
	struct symbolizer_process *wk = NULL;
	struct person *pe;
	int error;

	pthread_mutex_lock(&pool_mtx);
	if ((pe = person_get(person)) == NULL) {
		pthread_mutex_unlock(&pool_mtx);
		return ENOMEM;
	}
	if ((error = worker_take(pe, owner, deadline, &wk)) != 0)
		person_put(pe);
	pthread_mutex_unlock(&pool_mtx);
	if (error != 0)
		return error;
	if (wk->sp_pid == 0 && (error = worker_start(wk, pe, deadline)) != 0) {
		symbolizer_pool_give(wk);
		return error;
	}
	*wkp = wk;
	return 0;
}

void
symbolizer_pool_give(struct symbolizer_process *wk)
{
	struct person *pe;

	pthread_mutex_lock(&pool_mtx);
	LIST_FOREACH(pe, &persons, pe_entry)
		if (pe->pe_uid == wk->sp_person)
			break;
	worker_give(wk, pe);
	pthread_mutex_unlock(&pool_mtx);
}

/*
 * --- all of them ------------------------------------------------------------
 */

void
symbolizer_pool_trim(int seconds)
{
	int64_t before = clock_msecs() - (int64_t)seconds * 1000;
	struct symbolizer_process *wk;

	pthread_mutex_lock(&pool_mtx);
	for (wk = workers; wk < &workers[SYMBOLIZER_POOL_MAX]; wk++)
		if (!wk->sp_isbusy && wk->sp_used < before)
			worker_stop(wk);
	abandoned_reap();
	persons_trim();
	pthread_mutex_unlock(&pool_mtx);
}

void
symbolizer_pool_end(void)
{
	struct symbolizer_process *wk;

	pthread_mutex_lock(&pool_mtx);
	isended = 1;
	for (wk = workers; wk < &workers[SYMBOLIZER_POOL_MAX]; wk++) {
		if (!wk->sp_isbusy)
			worker_stop(wk);
		else if (wk->sp_pid != 0) {
			(void)kill(wk->sp_pid, SIGKILL);
			/* wakes its thread also if that failed */
			(void)shutdown(wk->sp_fd, SHUT_RDWR);
		}
	}
	pthread_cond_broadcast(&pool_cond);
	pthread_mutex_unlock(&pool_mtx);
}

static int
used_cmp(const void *a, const void *b)
{
	const struct symbolizer_process *const *x = a, *const *y = b;

	return ((*x)->sp_used < (*y)->sp_used) -
	    ((*x)->sp_used > (*y)->sp_used);
}

void
symbolizer_pool_stat(struct symbolizer_pool_stat *sp)
{
	struct symbolizer_process *v[SYMBOLIZER_POOL_MAX];
	unsigned int i, n = 0;

	pthread_mutex_lock(&pool_mtx);
	abandoned_reap();
	for (i = 0; i < SYMBOLIZER_POOL_MAX; i++)
		if (workers[i].sp_pid != 0)
			v[n++] = &workers[i];
	qsort(v, n, sizeof(v[0]), used_cmp);
	*sp = (struct symbolizer_pool_stat){ .po_starts = nstarts,
		.po_hung = abandoned_nhung(),
		.po_nbusy = nbusy,
		.po_npids = n };
	for (i = 0; i < n; i++)
		sp->po_pids[i] = v[i]->sp_pid;
	pthread_mutex_unlock(&pool_mtx);
}
