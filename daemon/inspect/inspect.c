/* SPDX-License-Identifier: ISC */
/* Chooses inspectors, sends them requests and limits the waiting time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/fdmsg.h"
#include "daemon/base/log.h"
#include "daemon/inspect/forker.h"
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_waits.h"
#include "daemon/inspect/inspector.h"

#define KEEP_IDLE 4 /* idle inspectors, from the start */
#define MSEC	  1000000LL
/* How often the time limit is extended for an inspector that is not blocked. */
#define MORE_TIMES 9

struct inspector {
	TAILQ_ENTRY(inspector) ins_entry; /* idle, or stuck */
	LIST_ENTRY(inspector) ins_all;
	pid_t ins_pid;
	int ins_sock;
	uint32_t ins_serial;
	/* Current request, or the one that it is stuck on. */
	uint64_t ins_key;
	uid_t ins_uid;	   /* INSPECT_NOUSER: not known yet */
	int64_t ins_begun; /* when it received the request */
	int64_t ins_msecs; /* time that it waited, from its reply */
};

TAILQ_HEAD(inspectors, inspector);

/* All by inspect_mtx; an inspector with a request belongs to the requester. */
static pthread_mutex_t inspect_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t inspect_cond; /* an inspector is idle */
static struct inspectors idle = TAILQ_HEAD_INITIALIZER(idle);
static struct inspectors stuck = TAILQ_HEAD_INITIALIZER(stuck);
static LIST_HEAD(, inspector) all = LIST_HEAD_INITIALIZER(all);
static unsigned int nidle;
static void (*notify)(pid_t, int); /* inspectors' start and end */
static struct inspect_stat stats;
static int64_t last_logged;

static int end_fd = -1; /* [I] readable: dtd is exiting */

void
inspect_watch(void (*lost)(void))
{
	forker_watch(lost);
}

void
inspect_end(void)
{
	const uint64_t one = 1;

	if (end_fd != -1 && write(end_fd, &one, sizeof(one)) == -1)
		log_warn("inspectors: eventfd");
	pthread_mutex_lock(&inspect_mtx);
	pthread_cond_broadcast(&inspect_cond);
	pthread_mutex_unlock(&inspect_mtx);
}

static int
is_ending(void)
{
	struct pollfd p = { .fd = end_fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/*
 * Inspectors.
 */

static void
inspector_free(struct inspector *in)
{
	if (notify != NULL)
		notify(in->ins_pid, 0);
	LIST_REMOVE(in, ins_all);
	close(in->ins_sock);
	free(in);
	stats.is_running--;
}

/* Closes descriptors of a reply that is no longer wanted. */
static void
close_fds(int *fds, unsigned int n)
{
	while (n > 0)
		close(fds[--n]);
}

static int
is_kind(ssize_t n, const struct inspect_reply *ir, const struct inspector *in,
    enum inspect_kind kind)
{
	return n >= (ssize_t)sizeof(*ir) && ir->ir_serial == in->ins_serial &&
	    ir->ir_kind == (uint32_t)kind;
}

/* Notes the process, or its user, that the inspector has reported. */
static void
inspector_next(struct inspector *in, const struct inspect_reply *ir)
{
	in->ins_uid = ir->ir_uid;
	if (ir->ir_key != 0)
		in->ins_key = ir->ir_key;
}

/* Reads messages of a stuck inspector: 1 done, 0 not yet, -1 it has ended. */
static int
inspector_isdone(struct inspector *in)
{
	union {
		struct inspect_reply ir;
		uint8_t room[sizeof(struct inspect_reply) + INSPECT_MAXMSG];
	} *msg = malloc(sizeof(*msg));
	int fds[INSPECT_MAXFDS], done = 0;
	unsigned int nfds;
	ssize_t n;

	if (msg == NULL)
		return 0;
	while (done == 0) {
		n = fdmsg_recv(in->ins_sock, msg, sizeof(*msg), MSG_DONTWAIT,
		    fds, INSPECT_MAXFDS, &nfds);
		if (n == -1 && errno == EAGAIN)
			break;
		close_fds(fds, nfds);
		if (n <= 0)
			done = -1;
		else if (is_kind(n, &msg->ir, in, INSPECT_BEGUN))
			inspector_next(in, &msg->ir);
		else if (is_kind(n, &msg->ir, in, INSPECT_DONE))
			done = 1;
	}
	free(msg);
	return done;
}

/* Makes an inspector idle.  Under the lock. */
static void
inspector_rest(struct inspector *in)
{
	if (nidle == KEEP_IDLE) {
		inspector_free(in);
		return;
	}
	TAILQ_INSERT_HEAD(&idle, in, ins_entry);
	nidle++;
	pthread_cond_signal(&inspect_cond);
}

/* Recovers inspectors that are no longer stuck.  Under the lock. */
static void
sweep(void)
{
	struct inspector *in, *next;
	int done;

	for (in = TAILQ_FIRST(&stuck); in != NULL; in = next) {
		next = TAILQ_NEXT(in, ins_entry);
		if ((done = inspector_isdone(in)) == 0)
			continue;
		TAILQ_REMOVE(&stuck, in, ins_entry);
		stats.is_stuck--;
		if (done == 1)
			inspector_rest(in);
		else
			inspector_free(in);
	}
}

/*
 * Barred users.
 */

static unsigned int
nstuck_of(uid_t uid)
{
	const struct inspector *in;
	unsigned int n = 0;

	TAILQ_FOREACH(in, &stuck, ins_entry)
		n += in->ins_uid == uid;
	return n;
}

static int
is_barred(uid_t uid)
{
	return nstuck_of(uid) >=
	    (uid == 0 ? INSPECT_ROOTSTUCK : INSPECT_USERSTUCK) ||
	    waits_too_long(uid, clock_monotonic());
}

static void
bar(struct inspect_request *iq, uid_t uid)
{
	uint32_t i;

	for (i = 0; i < iq->iq_nbarred; i++)
		if (iq->iq_barred[i] == uid)
			return;
	if (iq->iq_nbarred < INSPECT_NBARRED && is_barred(uid))
		iq->iq_barred[iq->iq_nbarred++] = uid;
}

/*
 * Adds the barred users to a request: only the inspector knows the user of a
 * process.
 */
static void
bar_all(struct inspect_request *iq)
{
	const struct inspector *in;
	uid_t uids[INSPECT_NBARRED];
	size_t i, n;

	TAILQ_FOREACH(in, &stuck, ins_entry)
		if (in->ins_uid != INSPECT_NOUSER)
			bar(iq, in->ins_uid);
	n = waits_users(uids, INSPECT_NBARRED, clock_monotonic());
	for (i = 0; i < n; i++)
		bar(iq, uids[i]);
}

static uint64_t
query_key(const struct inspect_query *ia)
{
	return ia->ia_key != 0 ? ia->ia_key : (uint64_t)ia->ia_pid;
}

/* Returns whether the request is refused. */
static int
is_refused(const struct inspect_query *ia)
{
	const struct inspector *in;
	uint64_t key = query_key(ia);

	if (key != 0)
		TAILQ_FOREACH(in, &stuck, ins_entry)
			if (in->ins_key == key)
				return 1;
	return ia->ia_pid == 0 && ia->ia_op != INSPECT_PROC &&
	    is_barred(ia->ia_uid);
}

/*
 * Obtaining an inspector.
 */

/* Forks an inspector.  Releases the lock meanwhile. */
static int
inspector_fork(struct inspector *in)
{
	pthread_mutex_unlock(&inspect_mtx);
	in->ins_sock = forker_inspector(&in->ins_pid);
	pthread_mutex_lock(&inspect_mtx);
	if (in->ins_sock < 0)
		return -in->ins_sock;
	stats.is_started++;
	LIST_INSERT_HEAD(&all, in, ins_all);
	if (notify != NULL)
		notify(in->ins_pid, 1);
	return 0;
}

static int
inspector_make(struct inspector **inp)
{
	struct inspector *in = calloc(1, sizeof(*in));
	int error;

	stats.is_running++;
	error = in == NULL ? ENOMEM : inspector_fork(in);
	*inp = in;
	if (error == 0)
		return 0;
	stats.is_running--;
	free(in);
	log_warnx("no inspector: %s", strerror(error));
	return EAGAIN;
}

/*
 * Forks inspectors up to the initial number of usable ones, so that requests
 * need not wait for a fork.  A private daemon may never need one.  Under the
 * lock.
 */
static void
refill(void)
{
	struct inspector *in;

	while (!conf.cf_private && !is_ending() &&
	    stats.is_running - stats.is_stuck < KEEP_IDLE &&
	    stats.is_running < INSPECT_MAX && inspector_make(&in) == 0)
		inspector_rest(in);
}

/* Returns the maximum of inspectors; the last are reserved for root. */
static unsigned int
most(const struct inspect_query *ia)
{
	return ia->ia_pid == 0 && ia->ia_uid == 0
	    ? INSPECT_MAX
	    : INSPECT_MAX - INSPECT_RESERVE;
}

/*
 * Returns an inspector that is idle, new, or becomes idle before the deadline.
 * Under the lock.
 */
static int
inspector_get(const struct inspect_query *ia, const struct timespec *deadline,
    struct inspector **inp)
{
	struct inspector *in;

	while ((in = TAILQ_FIRST(&idle)) == NULL) {
		if (is_ending())
			return ECANCELED;
		if (stats.is_running < most(ia))
			return inspector_make(inp);
		if (pthread_cond_timedwait(&inspect_cond, &inspect_mtx,
			deadline) != 0)
			return EAGAIN;
		sweep();
	}
	TAILQ_REMOVE(&idle, in, ins_entry);
	nidle--;
	*inp = in;
	return 0;
}

static int
inspector_take(const struct inspect_query *ia, const struct timespec *deadline,
    struct inspect_request *iq, struct inspector **inp)
{
	int error;

	pthread_mutex_lock(&inspect_mtx);
	stats.is_asks++;
	sweep();
	if (is_refused(ia)) {
		stats.is_refused++;
		error = EBUSY;
	} else if ((error = inspector_get(ia, deadline, inp)) == 0) {
		bar_all(iq);
		(*inp)->ins_key = query_key(ia);
		(*inp)->ins_uid = ia->ia_pid == 0 ? ia->ia_uid : INSPECT_NOUSER;
		iq->iq_serial = ++(*inp)->ins_serial;
	}
	pthread_mutex_unlock(&inspect_mtx);
	return error;
}

/*
 * Requests.
 */

static int
query_send(const struct inspect_query *ia, struct inspect_request *iq, int sock)
{
	struct iovec iov[2] = { { iq, sizeof(*iq) },
		{ (void *)ia->ia_in, ia->ia_inlen } };

	iq->iq_op = ia->ia_op;
	iq->iq_pid = ia->ia_pid;
	return fdmsg_send(sock, iov, 2, ia->ia_fds, ia->ia_nfds);
}

/*
 * Returns whether the inspector runs or waits only for a CPU.  Reading this of
 * dtd's own process never blocks.
 */
static int
is_running(const struct inspector *in)
{
	char path[32], text[128], *p;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)in->ins_pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return (p = strrchr(text, ')')) != NULL && strncmp(p, ") R", 3) == 0;
}

/* Waits for a message: 0, ETIMEDOUT, ECANCELED. */
static int
query_wait(int sock, int64_t deadline)
{
	struct pollfd p[2] = { { .fd = sock, .events = POLLIN },
		{ .fd = end_fd, .events = POLLIN } };
	int64_t left;
	int n;

	do {
		left = (deadline - clock_monotonic() + MSEC - 1) / MSEC;
		n = poll(p, 2, left > 0 ? left : 0);
	} while (n == -1 && errno == EINTR);
	if (p[0].revents != 0)
		return 0;
	return n == 0 ? ETIMEDOUT : ECANCELED;
}

/* Handles the last message of a reply. */
static int
query_done(struct inspect_query *ia, const struct inspect_reply *ir,
    const void *payload, size_t len, const int *fds, unsigned int nfds)
{
	ia->ia_outlen = len < ia->ia_outmax ? len : ia->ia_outmax;
	if (ia->ia_outlen > 0)
		memcpy(ia->ia_out, payload, ia->ia_outlen);
	memcpy(ia->ia_outfds, fds, nfds * sizeof(*fds));
	ia->ia_noutfds = nfds;
	return ir->ir_error;
}

/* How a request ended; GONE: the inspector has ended. */
enum ended {
	ANSWERED,
	UNANSWERED,
	GONE
};

/* Restarts the time limit for the next process of a request. */
static void
query_next(struct inspector *in, const struct inspect_reply *ir)
{
	int64_t now = clock_monotonic();

	if (ir->ir_msecs > 0 && in->ins_uid != INSPECT_NOUSER &&
	    in->ins_uid != 0) {
		pthread_mutex_lock(&inspect_mtx);
		waits_add(in->ins_uid, ir->ir_msecs, now);
		pthread_mutex_unlock(&inspect_mtx);
	}
	if (ir->ir_key != 0)
		in->ins_begun = now;
	inspector_next(in, ir);
}

/*
 * Receives one message; ANSWERED: *error is the operation's.  If dtd has no
 * free descriptor, the kernel drops an attached one: the reply then has none.
 */
static enum ended
query_receive(struct inspect_query *ia, struct inspector *in, void *buf,
    size_t size, int *error)
{
	const struct inspect_reply *ir = buf;
	const uint8_t *payload = (const uint8_t *)(ir + 1);
	int fds[INSPECT_MAXFDS];
	unsigned int nfds;
	ssize_t n;

	n = fdmsg_recv(in->ins_sock, buf, size, MSG_DONTWAIT, fds,
	    INSPECT_MAXFDS, &nfds);
	if (n == -1 && errno == EAGAIN)
		return UNANSWERED;
	if (is_kind(n, ir, in, INSPECT_DONE)) {
		in->ins_msecs = ir->ir_msecs;
		*error = query_done(ia, ir, payload, n - sizeof(*ir), fds,
		    nfds);
		return ANSWERED;
	}
	close_fds(fds, nfds);
	if (n <= 0)
		return GONE;
	if (is_kind(n, ir, in, INSPECT_BEGUN))
		query_next(in, ir);
	else if (!is_kind(n, ir, in, INSPECT_PIECE))
		return UNANSWERED;
	if (ia->ia_piece != NULL && n > (ssize_t)sizeof(*ir))
		ia->ia_piece(ia->ia_arg, payload, n - sizeof(*ir));
	return UNANSWERED;
}

/*
 * Receives the whole reply; *error is the reason if it does not arrive in time.
 */
static enum ended
query_receive_all(struct inspect_query *ia, struct inspector *in, int64_t nsecs,
    int *error)
{
	size_t size = sizeof(struct inspect_reply) + INSPECT_MAXMSG;
	enum ended how = UNANSWERED;
	void *buf = malloc(size);
	int64_t more = 0;

	*error = buf == NULL ? ENOMEM : 0;
	while (how == UNANSWERED && *error == 0)
		if ((*error = query_wait(in->ins_sock,
			 in->ins_begun + nsecs + more)) == 0)
			how = query_receive(ia, in, buf, size, error);
		else if (*error == ETIMEDOUT && more < MORE_TIMES * nsecs &&
		    is_running(in)) {
			/* it is not blocked: the machine is slow */
			more += nsecs;
			*error = 0;
		}
	free(buf);
	return how;
}

/* Marks an inspector as stuck.  Under the lock. */
static void
inspector_stick(struct inspector *in, int error, int64_t now)
{
	TAILQ_INSERT_TAIL(&stuck, in, ins_entry);
	stats.is_stuck++;
	if (error != ETIMEDOUT)
		return;
	stats.is_timeouts++;
	if (now - last_logged < 1000 * MSEC)
		return;
	last_logged = now;
	if (in->ins_uid == INSPECT_NOUSER)
		log_notice("inspecting process %u takes too long: no "
			   "information about it for now",
		    (unsigned)in->ins_key);
	else if (in->ins_key <= UINT32_MAX)
		log_notice("inspecting process %u of user %u takes too long: "
			   "no information about it for now",
		    (unsigned)in->ins_key, (unsigned)in->ins_uid);
	else
		log_notice(
		    "inspecting a file of user %u, or a process that has "
		    "it mapped, takes too long: no symbols from it for "
		    "now",
		    (unsigned)in->ins_uid);
}

static void
inspector_put(struct inspector *in, enum ended how, int error)
{
	int64_t now = clock_monotonic();
	int64_t msecs = how == ANSWERED ? in->ins_msecs
					: (now - in->ins_begun) / MSEC;

	pthread_mutex_lock(&inspect_mtx);
	if (in->ins_uid != INSPECT_NOUSER && in->ins_uid != 0)
		waits_add(in->ins_uid, msecs, now);
	if (how == ANSWERED)
		inspector_rest(in);
	else if (how == GONE)
		inspector_free(in);
	else
		inspector_stick(in, error, now);
	refill();
	pthread_mutex_unlock(&inspect_mtx);
}

int
inspect(struct inspect_query *ia)
{
	int64_t nsecs = (ia->ia_msecs != 0 ? ia->ia_msecs : INSPECT_MSECS) *
	    MSEC;
	int64_t start = clock_monotonic(), deadline = start + nsecs;
	struct inspect_request iq = { .iq_nbarred = 0 };
	struct inspector *in = NULL;
	struct timespec ts = { deadline / (1000 * MSEC),
		deadline % (1000 * MSEC) };
	enum ended how;
	int error;

	do {
		if ((error = inspector_take(ia, &ts, &iq, &in)) != 0)
			return error;
		/* retries if the inspector was killed */
		how = GONE;
		in->ins_begun = start;
		if ((error = query_send(ia, &iq, in->ins_sock)) == 0)
			how = query_receive_all(ia, in, nsecs, &error);
		inspector_put(in, how, error);
	} while (how == GONE && clock_monotonic() < deadline);
	return how == GONE ? EAGAIN : error;
}

void
inspect_tell(void (*fn)(pid_t, int))
{
	const struct inspector *in;

	pthread_mutex_lock(&inspect_mtx);
	notify = fn;
	if (fn != NULL) {
		fn(forker_pid(), 1);
		LIST_FOREACH(in, &all, ins_all)
			fn(in->ins_pid, 1);
	}
	pthread_mutex_unlock(&inspect_mtx);
}

int
inspect_isstuck(uint64_t key)
{
	const struct inspector *in;

	pthread_mutex_lock(&inspect_mtx);
	TAILQ_FOREACH(in, &stuck, ins_entry)
		if (in->ins_key == key)
			break;
	pthread_mutex_unlock(&inspect_mtx);
	return in != NULL;
}

const char *
inspect_strerror(int error)
{
	switch (error) {
	case ETIMEDOUT:
		return "inspecting it takes too long";
	case EBUSY:
		return "inspectors of it, or of its user's processes, hang";
	case ECANCELED:
		return "dtd is exiting";
	case EAGAIN:
		return "no inspector is free";
	default:
		return strerror(error);
	}
}

void
inspect_start(char **argv)
{
	pthread_condattr_t attr;

	end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (end_fd == -1)
		fatal("eventfd");
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&inspect_cond, &attr);
	forker_start(argv);
	pthread_mutex_lock(&inspect_mtx);
	refill();
	pthread_mutex_unlock(&inspect_mtx);
}

void
inspect_stat(struct inspect_stat *is)
{
	pthread_mutex_lock(&inspect_mtx);
	sweep();
	*is = stats;
	pthread_mutex_unlock(&inspect_mtx);
}
