/* SPDX-License-Identifier: ISC */
/*
 * The data thread: passes over streams.
 *
 * While data flows, each stream gets a pass per millisecond, without wakeups by
 * its rings.  When little arrives, the device enables wakeups and makes one
 * more pass; only if that pass finds nothing either, the thread sleeps without
 * a timeout.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/latency.h"
#include "daemon/base/log.h"
#include "daemon/base/sched.h"
#include "daemon/device/stream.h"

#define STREAM_BATCH  64      /* events fetched at once */
#define STREAM_PERIOD 1000000 /* ns between two passes while data flows */
#define STREAM_SHORT  250000  /* the same for STREAM_SOON */
#define STREAM_SNDBUF (1 << 20)
#define STREAM_NICE   (-10)

/* data of epoll events: the id of a stream, or one of these */
#define STREAM_EV_MAIL	UINT64_MAX
#define STREAM_EV_CLOCK (UINT64_MAX - 1)

/*
 * I: constant; d: data thread; m: by stream_mtx; a: atomic.
 */
struct stream {
	TAILQ_ENTRY(stream) stm_entry; /* [m] */
	const struct cdevsw *stm_dev;  /* [I] */
	void *stm_sc;		       /* [I] after stream_start */
	uint64_t stm_id;	       /* [I] unique */
	int stm_sock;		       /* [I] nonblocking */
	int stm_started;	       /* [m] */
	int stm_ending;		       /* [m] stream_free waits */
	int stm_ended;		       /* [m] the data thread has released it */
	atomic_int stm_kicked;	       /* [a] a pass is requested */
	int stm_asleep;		       /* [d] until something wakes it */
	int64_t stm_due;	       /* [d] time of the next pass, or 0 */
	int stm_full;		       /* [d] waits for EPOLLOUT */
	int stm_dead;		       /* [d] the client has disconnected */
};

TAILQ_HEAD(streams, stream);

static pthread_mutex_t stream_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stream_cond = PTHREAD_COND_INITIALIZER;
static struct streams streams = TAILQ_HEAD_INITIALIZER(streams);
static uint64_t stream_nextid; /* by stream_mtx */
static int stream_epfd = -1;
static int stream_mailfd = -1;
static int stream_clockfd = -1;
static atomic_uint stream_requests; /* requests for a sign of life */
static atomic_uint stream_replies;  /* the last request that was answered */
static atomic_uint stream_clocks;
static atomic_uint_fast64_t stream_clocktime; /* MONOTONIC, ns */

static void *stream_thread(void *);

unsigned int
stream_clockgen(void)
{
	return atomic_load(&stream_clocks);
}

uint64_t
stream_clockset(void)
{
	return atomic_load(&stream_clocktime);
}

/* Sets a timer that never expires but is cancelled when the clock is set. */
static void
stream_clock_arm(void)
{
	struct itimerspec its = { .it_value.tv_sec = INT64_MAX / 2000000000 };

	if (timerfd_settime(stream_clockfd,
		TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &its, NULL) == -1)
		log_warn("timerfd: changes of the clock are not detected");
}

static int
stream_epoll_add(int fd, uint32_t events, uint64_t id)
{
	struct epoll_event ee = { .events = events, .data.u64 = id };

	if (epoll_ctl(stream_epfd, EPOLL_CTL_ADD, fd, &ee) == 0)
		return 0;
	return errno == ENOSPC ? ENOMEM : errno; /* as in event_loop.c */
}

int
stream_init(void)
{
	pthread_t t;
	int error;

	stream_epfd = epoll_create1(EPOLL_CLOEXEC);
	stream_mailfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stream_clockfd = timerfd_create(CLOCK_REALTIME,
	    TFD_CLOEXEC | TFD_NONBLOCK);
	if (stream_epfd == -1 || stream_mailfd == -1 || stream_clockfd == -1)
		return errno;
	stream_clock_arm();
	if ((error = stream_epoll_add(stream_mailfd, EPOLLIN,
		 STREAM_EV_MAIL)) != 0 ||
	    (error = stream_epoll_add(stream_clockfd, EPOLLIN,
		 STREAM_EV_CLOCK)) != 0)
		return error;
	return pthread_create(&t, NULL, stream_thread, NULL);
}

/* Wakes the data thread. */
static void
stream_mail(void)
{
	uint64_t one = 1;

	if (write(stream_mailfd, &one, sizeof(one)) == -1 && errno != EAGAIN)
		log_warn("stream: eventfd");
}

void
stream_check(void)
{
	atomic_fetch_add(&stream_requests, 1);
	stream_mail();
}

int
stream_isalive(void)
{
	return atomic_load(&stream_replies) == atomic_load(&stream_requests);
}

int
stream_alloc(const struct cdevsw *dev, struct stream **stp, int *clientfd)
{
	struct stream *st;
	int sv[2], sndbuf = STREAM_SNDBUF, error;

	if ((st = calloc(1, sizeof(*st))) == NULL)
		return ENOMEM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1) {
		error = errno;
		free(st);
		return error;
	}
	/*
	 * The client must not send: its data, and above all descriptors, whose
	 * close can block, would be queued here.
	 */
	(void)shutdown(sv[0], SHUT_RD);
	/* Best effort: without CAP_NET_ADMIN the system's limit holds. */
	if (setsockopt(sv[0], SOL_SOCKET, SO_SNDBUFFORCE, &sndbuf,
		sizeof(sndbuf)) == -1)
		(void)setsockopt(sv[0], SOL_SOCKET, SO_SNDBUF, &sndbuf,
		    sizeof(sndbuf));
	st->stm_dev = dev;
	st->stm_sock = sv[0];
	pthread_mutex_lock(&stream_mtx);
	st->stm_id = stream_nextid++;
	TAILQ_INSERT_TAIL(&streams, st, stm_entry);
	pthread_mutex_unlock(&stream_mtx);
	/* Polled only while the socket is full. */
	if ((error = stream_epoll_add(st->stm_sock, 0, st->stm_id)) != 0) {
		close(sv[1]);
		stream_free(st);
		return error;
	}
	*stp = st;
	*clientfd = sv[1];
	return 0;
}

void
stream_start(struct stream *st, void *sc)
{
	pthread_mutex_lock(&stream_mtx);
	st->stm_sc = sc;
	st->stm_started = 1;
	pthread_mutex_unlock(&stream_mtx);
}

int
stream_watch(struct stream *st, int fd)
{
	return stream_epoll_add(fd, EPOLLIN | EPOLLET, st->stm_id);
}

void
stream_kick(struct stream *st)
{
	atomic_store(&st->stm_kicked, 1);
	stream_mail();
}

void
stream_free(struct stream *st)
{
	if (st == NULL)
		return;
	pthread_mutex_lock(&stream_mtx);
	if (st->stm_started) {
		st->stm_ending = 1;
		pthread_mutex_unlock(&stream_mtx);
		stream_mail(); /* the data thread needs the lock immediately */
		pthread_mutex_lock(&stream_mtx);
		while (!st->stm_ended)
			pthread_cond_wait(&stream_cond, &stream_mtx);
	}
	TAILQ_REMOVE(&streams, st, stm_entry);
	pthread_mutex_unlock(&stream_mtx);
	close(st->stm_sock);
	free(st);
}

/*
 * Waits for space, once: otherwise each read of the client would wake the
 * thread.
 */
static void
stream_wait_room(struct stream *st)
{
	struct epoll_event ee = { .events = EPOLLOUT | EPOLLONESHOT,
		.data.u64 = st->stm_id };

	st->stm_full = 1;
	if (epoll_ctl(stream_epfd, EPOLL_CTL_MOD, st->stm_sock, &ee) == 0)
		return;
	/* no event would continue the stream: end it */
	log_warn("stream: epoll_ctl");
	(void)shutdown(st->stm_sock, SHUT_RDWR);
	st->stm_full = 0;
	st->stm_dead = 1;
}

ssize_t
stream_send(struct stream *st, const struct iovec *iov, int niov)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)iov,
		.msg_iovlen = niov };
	ssize_t n;

	if (st->stm_dead)
		return -1;
	n = sendmsg(st->stm_sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		return n;
	/* the kernel has no memory: the next pass tries again */
	if (errno == ENOBUFS || errno == ENOMEM || errno == EINTR)
		return 0;
	if (errno == EAGAIN) {
		stream_wait_room(st);
		return 0;
	}
	st->stm_dead = 1;
	return -1;
}

/* Returns the stream with this id; NULL: it has ended. */
static struct stream *
stream_find(uint64_t id)
{
	struct stream *st;

	TAILQ_FOREACH(st, &streams, stm_entry)
		if (st->stm_id == id)
			return st;
	return NULL;
}

static void
stream_event(const struct epoll_event *ee)
{
	struct stream *st;
	uint64_t n;

	if (ee->data.u64 == STREAM_EV_MAIL) {
		if (read(stream_mailfd, &n, sizeof(n)) == -1)
			return; /* already done */
	} else if (ee->data.u64 == STREAM_EV_CLOCK) {
		if (read(stream_clockfd, &n, sizeof(n)) == -1 &&
		    errno == ECANCELED) {
			atomic_store(&stream_clocktime, clock_monotonic());
			atomic_fetch_add(&stream_clocks, 1);
		}
		stream_clock_arm();
		TAILQ_FOREACH(st, &streams, stm_entry)
			atomic_store(&st->stm_kicked, 1);
	} else if ((st = stream_find(ee->data.u64)) != NULL) {
		if (ee->events & (EPOLLHUP | EPOLLERR)) {
			st->stm_dead = 1;
			st->stm_full = 0;
			/* epoll would report it continuously */
			(void)epoll_ctl(stream_epfd, EPOLL_CTL_DEL,
			    st->stm_sock, NULL);
		}
		if (ee->events & EPOLLOUT)
			st->stm_full = 0;
		st->stm_asleep = 0;
		st->stm_due = 0;
	}
}

void
stream_pause(struct stream *st, long nsecs)
{
	st->stm_due = clock_monotonic() + nsecs;
}

/* Returns the ns until a pass that is due later; 0: none is. */
static long
stream_left(const struct stream *st)
{
	int64_t left = st->stm_due == 0 ? 0 : st->stm_due - clock_monotonic();

	return left > 0 ? left : 0;
}

/* Makes a pass over a stream.  Returns the ns until the next; 0: on request. */
static long
stream_pass(struct stream *st)
{
	enum stream_state state;
	long left;

	if (atomic_exchange(&st->stm_kicked, 0))
		st->stm_asleep = st->stm_due = 0;
	if (st->stm_full && !st->stm_asleep && st->stm_dev->d_stalled != NULL) {
		if (st->stm_dev->d_stalled(st->stm_sc))
			return STREAM_PERIOD;
		st->stm_asleep = 1;
	}
	if (st->stm_full || st->stm_asleep)
		return 0;
	if ((left = stream_left(st)) != 0)
		return left;
	st->stm_due = 0;
	state = st->stm_dev->d_stream(st->stm_sc, st);
	st->stm_asleep = state == STREAM_IDLE;
	if (state == STREAM_SOON)
		return STREAM_SHORT;
	if (state == STREAM_LATER && (left = stream_left(st)) != 0)
		return left;
	if (st->stm_full && st->stm_dev->d_stalled != NULL)
		return STREAM_PERIOD;
	return state == STREAM_FLOWING || state == STREAM_LATER ||
		(state == STREAM_FULL && !st->stm_full && !st->stm_dead)
	    ? STREAM_PERIOD
	    : 0;
}

/*
 * Makes a pass over all streams, and ends those that are to end.  Returns as
 * above.
 */
static long
stream_round(void)
{
	struct stream *st;
	long due = 0, next;

	TAILQ_FOREACH(st, &streams, stm_entry) {
		if (!st->stm_started || st->stm_ended ||
		    st->stm_dev->d_stream == NULL)
			continue;
		next = stream_pass(st);
		if (next != 0 && (due == 0 || next < due))
			due = next;
	}
	TAILQ_FOREACH(st, &streams, stm_entry) {
		if (!st->stm_ending || st->stm_ended)
			continue;
		if (st->stm_dev->d_stream != NULL && !st->stm_dead)
			st->stm_dev->d_stream(st->stm_sc, st);
		st->stm_ended = 1;
		pthread_cond_broadcast(&stream_cond);
	}
	return due;
}

static void *
stream_thread(void *arg __attribute__((unused)))
{
	struct epoll_event ee[STREAM_BATCH];
	struct timespec wait = { 0 };
	struct sched_realtime realtime = { 0 };
	unsigned int nrequests;
	int i, n;

	/*
	 * The thread works little but must run promptly: rings fill while it
	 * waits for a CPU.  The nice value is for machines that refuse
	 * real-time priority, and for streams that keep the thread busy;
	 * without the permission (LimitNICE) it runs like other threads.  Short
	 * slices (sched.h) would delay it: 35 us from a lone hit to its reader.
	 */
	(void)setpriority(PRIO_PROCESS, gettid(), STREAM_NICE);
	(void)prctl(PR_SET_NAME, "dtd-data", 0, 0, 0);
	for (;;) {
		sched_realtime(&realtime);
		n = epoll_pwait2(stream_epfd, ee, STREAM_BATCH,
		    wait.tv_nsec != 0 ? &wait : NULL, NULL);
		nrequests = atomic_load(&stream_requests);
		latency_begin(LATENCY_DATA);
		pthread_mutex_lock(&stream_mtx);
		for (i = 0; i < n; i++)
			stream_event(&ee[i]);
		wait.tv_nsec = stream_round();
		pthread_mutex_unlock(&stream_mtx);
		latency_end(LATENCY_DATA, wait.tv_nsec != 0);
		atomic_store(&stream_replies, nrequests);
	}
	return NULL;
}
