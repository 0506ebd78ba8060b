/* SPDX-License-Identifier: ISC */
/*
 * The worker process, see symworker.h.  There is one, for one request at a
 * time.  It is another program, without our rights: what it says is tested as
 * if a stranger said it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "starting.h"
#include "sym/symdebug.h"
#include "sym/symworker.h"

#ifndef DT_LIBEXEC_SYMBOLIZER
#define DT_LIBEXEC_SYMBOLIZER "/usr/libexec/dt-symbolizer"
#endif

/* Starts that need not wait, and what one costs those after it. */
#define START_BURST 8
#define START_MSECS 250

int symworker_msecs = SYMWORKER_MSECS;

/* Until when this thread's requests may take, ms; 0: each as long as one may.*/
static _Thread_local int64_t limit;

/* All by worker_mtx, but the numbers, which stat_mtx has. */
static pthread_mutex_t worker_mtx = PTHREAD_MUTEX_INITIALIZER;
static int worker_fd = -1; /* changed with stat_mtx, too */
static int64_t started_at; /* as if starts came no faster than they may */
static int64_t used_at;
static struct symreq_buf {
	_Alignas(8) char b_bytes[SYMREQ_MAXMSG];
} buf;

static char worker_ids[32]; /* [I] UID:GID, or "" for the default */

static pthread_mutex_t stat_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct symworker_stat stats;
static int isended; /* by stat_mtx: no worker any more */

static void
count(uint64_t *counter)
{
	pthread_mutex_lock(&stat_mtx);
	(*counter)++;
	pthread_mutex_unlock(&stat_mtx);
}

static int64_t
now_msecs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* As libdt finds dtd: told, beside our executable, where it is installed. */
void
symworker_program(char *out, size_t size)
{
	static const char name[] = "dt-symbolizer";
	const char *env = secure_getenv("DT_SYMBOLIZER");
	char *slash;
	ssize_t n;

	if (env != NULL) {
		snprintf(out, size, "%s", env);
		return;
	}
	n = readlink("/proc/self/exe", out, size - sizeof(name));
	if (n > 0) {
		out[n] = '\0';
		if ((slash = strrchr(out, '/')) != NULL) {
			memcpy(slash + 1, name, sizeof(name));
			if (access(out, X_OK) == 0)
				return;
		}
	}
	snprintf(out, size, "%s", DT_LIBEXEC_SYMBOLIZER);
}

void
symworker_find_user(void)
{
	const struct passwd *pw = getpwnam(SYMWORKER_USER);

	if (pw == NULL || pw->pw_uid == 0) {
		log_notice("there is no user " SYMWORKER_USER
			   ": the symbolizer is user 65534, whose other "
			   "processes may send it signals");
		return;
	}
	snprintf(worker_ids, sizeof(worker_ids), "%u:%u", (unsigned)pw->pw_uid,
	    (unsigned)pw->pw_gid);
	log_debug("the symbolizer is user " SYMWORKER_USER ", %s", worker_ids);
}

/* Who dies all the time is not started all the time. */
static void
wait_turn(void)
{
	int64_t now = now_msecs(), wait;
	struct timespec ts;

	if (started_at < now - START_BURST * START_MSECS)
		started_at = now - START_BURST * START_MSECS;
	started_at += START_MSECS;
	if ((wait = started_at - now) <= 0)
		return;
	ts.tv_sec = wait / 1000;
	ts.tv_nsec = wait % 1000 * 1000000;
	nanosleep(&ts, NULL);
}

/* Its descriptors: nothing, nothing, nothing, and the socket. */
static int
spawn_actions(posix_spawn_file_actions_t *fa, int sock)
{
	int fd, error = 0;

	for (fd = 0; fd < SYMREQ_FD && error == 0; fd++)
		error = posix_spawn_file_actions_addopen(fa, fd, "/dev/null",
		    O_RDWR, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(fa, sock, SYMREQ_FD);
	/* those of ours are O_CLOEXEC; who started us may have left others */
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(fa,
		    SYMREQ_FD + 1);
	return error;
}

static int
spawn_attr(posix_spawnattr_t *at)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	(void)posix_spawnattr_setsigmask(at, &none);
	(void)posix_spawnattr_setsigdefault(at, &all);
	return posix_spawnattr_setflags(at,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Returns when it runs its program, or could not. */
static int
spawn_now(pid_t *pid, char *program, const posix_spawn_file_actions_t *fa,
    const posix_spawnattr_t *at)
{
	char *argv[] = { program, worker_ids[0] != '\0' ? worker_ids : NULL,
		NULL };
	char *envp[] = { NULL };
	int error;

	starting_lock();
	error = posix_spawn(pid, program, fa, at, argv, envp);
	starting_unlock();
	return error;
}

static int
spawn(int sock, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	char program[4096];
	int error;

	symworker_program(program, sizeof(program));
	if ((error = posix_spawn_file_actions_init(&fa)) != 0)
		return error;
	if ((error = posix_spawnattr_init(&at)) == 0) {
		if ((error = spawn_actions(&fa, sock)) == 0 &&
		    (error = spawn_attr(&at)) == 0)
			error = spawn_now(pid, program, &fa, &at);
		posix_spawnattr_destroy(&at);
	}
	posix_spawn_file_actions_destroy(&fa);
	if (error != 0)
		log_warnx("%s: %s", program, strerror(error));
	return error;
}

/* Ends it.  Where it is not ours to kill, the closed socket does. */
static void
worker_stop(void)
{
	int status = 0, mayhang;
	pid_t pid;

	pthread_mutex_lock(&stat_mtx);
	close(worker_fd);
	worker_fd = -1;
	pid = stats.sw_pid;
	stats.sw_pid = 0;
	mayhang = isended;
	pthread_mutex_unlock(&stat_mtx);
	(void)waitpid(pid, &status,
	    kill(pid, SIGKILL) == 0 && !mayhang ? 0 : WNOHANG);
	log_debug("symbolizer %d ended, status %#x", (int)pid, status);
}

static int
worker_start(void)
{
	int sv[2], high, error, istoolate;
	pid_t pid;

	wait_turn();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		return errno;
	/* Not one of those that are opened before it is put in its place. */
	high = fcntl(sv[1], F_DUPFD_CLOEXEC, 16);
	error = high == -1 ? errno : spawn(high, &pid);
	close(high);
	close(sv[1]);
	if (error != 0) {
		close(sv[0]);
		return error;
	}
	pthread_mutex_lock(&stat_mtx);
	worker_fd = sv[0];
	stats.sw_starts++;
	stats.sw_pid = pid;
	istoolate = isended;
	pthread_mutex_unlock(&stat_mtx);
	log_debug("symbolizer %d started", (int)pid);
	if (istoolate)
		worker_stop();
	return istoolate ? ECHILD : 0;
}

/* A message with a descriptor, or -1.  A worker that is gone is EIO. */
static int
tell(const struct symreq *rq, const uint64_t *pcs, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov[] = { { (void *)rq, sizeof(*rq) },
		{ (void *)pcs, rq->sr_npcs * sizeof(*pcs) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd != -1) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	/* It reads before it answers: there is always room. */
	do
		n = sendmsg(worker_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n == -1 && errno == EINTR);
	return n == -1 ? EIO : 0;
}

/* A message within the time; EIO, ETIMEDOUT. */
static int
hear(int64_t deadline, size_t *nbytes)
{
	struct pollfd p = { .fd = worker_fd, .events = POLLIN };
	int64_t left;
	ssize_t n;
	int r;

	do {
		left = deadline - now_msecs();
		r = poll(&p, 1, left < 0 ? 0 : left);
	} while (r == -1 && errno == EINTR);
	if (r == 0)
		return ETIMEDOUT;
	/* No room for descriptors: it has none to send. */
	n = recv(worker_fd, buf.b_bytes, sizeof(buf.b_bytes),
	    MSG_DONTWAIT | MSG_TRUNC);
	if (n <= 0 || (size_t)n > sizeof(buf.b_bytes))
		return EIO;
	*nbytes = n;
	return 0;
}

/* What the worker looks for; the answer goes back with it. */
static int
serve_ask(size_t nbytes, const struct symfile *sf)
{
	const struct symrep_ask *sa = (const void *)buf.b_bytes;
	struct symreq answer = { .sr_type = SYMREQ_FILE };
	int error, fd = -1;

	if (nbytes != sizeof(*sa))
		return EIO;
	answer.sr_error = symdebug_open(sa, sf, &fd);
	error = tell(&answer, NULL, fd);
	if (fd != -1) {
		close(fd);
		count(&stats.sw_debugfiles);
	}
	return error;
}

/* Whether a string is whole, and not longer than it may be. */
static int
good_string(const char *strings, uint32_t nbytes, uint32_t at)
{
	if (at == SYMREP_NONAME)
		return 1;
	return at < nbytes &&
	    memchr(strings + at, '\0',
		nbytes - at < SYMREQ_NAME ? nbytes - at : SYMREQ_NAME) != NULL;
}

static int
good_range(const struct symrep_frame *f, uint64_t pc)
{
	return f->sp_start <= f->sp_end && f->sp_from <= pc &&
	    (f->sp_to > pc || pc == UINT64_MAX);
}

/* Puts the frames of a message into the book.  EIO: they are not good. */
static int
take_frames(const struct symrep *sp, const uint64_t *pcs, uint32_t npcs,
    uint32_t base, struct symbook *sb, uint32_t *last)
{
	const struct symrep_frame *f = (const void *)(sp + 1);
	const char *strings = (const void *)(f + sp->sp_nframes);
	uint32_t i, at = sb->sb_nbytes;
	int error;

	if ((error = symbook_room(sb, sp->sp_nframes, sp->sp_nbytes)) != 0)
		return error;
	if (sp->sp_nbytes > 0)
		memcpy(sb->sb_strings + at, strings, sp->sp_nbytes);
	sb->sb_nbytes += sp->sp_nbytes;
	for (i = 0; i < sp->sp_nframes; i++, f++) {
		/* The next address, or another frame of the last one. */
		if (f->sp_pc >= npcs ||
		    (f->sp_pc != *last && f->sp_pc != *last + 1) ||
		    !good_range(f, pcs[f->sp_pc]) ||
		    !good_string(strings, sp->sp_nbytes, f->sp_func) ||
		    !good_string(strings, sp->sp_nbytes, f->sp_file))
			return EIO;
		*last = f->sp_pc;
		sb->sb_frames[sb->sb_n] = *f;
		sb->sb_frames[sb->sb_n].sp_pc += base;
		if (f->sp_func != SYMREP_NONAME)
			sb->sb_frames[sb->sb_n].sp_func += at;
		if (f->sp_file != SYMREP_NONAME)
			sb->sb_frames[sb->sb_n].sp_file += at;
		sb->sb_n++;
	}
	return 0;
}

/* When an answer to what is sent at this moment is late. */
static int64_t
answer_deadline(void)
{
	int64_t whole = now_msecs() + symworker_msecs;

	return limit != 0 && limit < whole ? limit : whole;
}

/* The answer to a request, to its end. */
static int
hear_answer(const struct symreq *rq, const uint64_t *pcs,
    const struct symfile *sf, uint32_t base, struct symbook *sb, int *answered)
{
	int64_t deadline = answer_deadline();
	const struct symrep *sp = (const void *)buf.b_bytes;
	uint32_t last = UINT32_MAX;
	size_t n;
	int error;

	do {
		if ((error = hear(deadline, &n)) != 0)
			return error;
		if (n >= sizeof(sp->sp_type) && sp->sp_type == SYMREP_ASK) {
			if ((error = serve_ask(n, sf)) != 0)
				return error;
			continue;
		}
		if (n < sizeof(*sp) || sp->sp_type != SYMREP_FRAMES ||
		    sp->sp_nframes > n / sizeof(struct symrep_frame) ||
		    sp->sp_nbytes > n ||
		    n !=
			sizeof(*sp) +
			    sp->sp_nframes * sizeof(struct symrep_frame) +
			    sp->sp_nbytes)
			return EIO;
		if ((error = take_frames(sp, pcs, rq->sr_npcs, base, sb,
			 &last)) != 0)
			return error;
	} while (sp->sp_type != SYMREP_FRAMES || !sp->sp_last);
	if ((sp->sp_error == 0 && last + 1 != rq->sr_npcs) ||
	    sp->sp_buildidlen > sizeof(sp->sp_buildid))
		return EIO;
	memcpy(sb->sb_buildid, sp->sp_buildid, sp->sp_buildidlen);
	sb->sb_buildidlen = sp->sp_buildidlen;
	*answered = 1;
	return sp->sp_error > 4095 ? EIO : (int)sp->sp_error;
}

static int
ask(const struct symreq *rq, const uint64_t *pcs, int fd,
    const struct symfile *sf, uint32_t base, struct symbook *sb)
{
	int64_t start = now_msecs();
	int error, answered = 0;

	if (limit != 0 && start >= limit)
		return ETIMEDOUT;
	if (worker_fd == -1 && worker_start() != 0)
		return ECHILD;
	/* One that died while nobody looked died over nothing. */
	if (tell(rq, pcs, fd) != 0) {
		worker_stop();
		if (worker_start() != 0)
			return ECHILD;
		if (tell(rq, pcs, fd) != 0) {
			worker_stop();
			return ECHILD;
		}
	}
	error = hear_answer(rq, pcs, sf, base, sb, &answered);
	if (answered)
		return error;
	worker_stop();
	count(error == ETIMEDOUT ? &stats.sw_timeouts : &stats.sw_deaths);
	/* A file that did not have all of its time is not to blame. */
	return error == ENOMEM || error == E2BIG ||
		(error == ETIMEDOUT && now_msecs() < start + symworker_msecs)
	    ? error
	    : EIO;
}

/* Others' requests may take all the time that there is: ETIMEDOUT. */
static int
worker_lock(void)
{
	struct timespec ts = { .tv_sec = limit / 1000,
		.tv_nsec = limit % 1000 * 1000000 };

	if (limit == 0)
		return pthread_mutex_lock(&worker_mtx);
	return pthread_mutex_clocklock(&worker_mtx, CLOCK_MONOTONIC, &ts);
}

int
symworker_ask(const struct symreq *rq, const uint64_t *pcs, int fd,
    const struct symfile *sf, uint32_t base, struct symbook *sb)
{
	size_t n = sb->sb_n;
	int error;

	if ((error = worker_lock()) != 0)
		return error;
	error = ask(rq, pcs, fd, sf, base, sb);
	used_at = now_msecs();
	pthread_mutex_unlock(&worker_mtx);
	if (error != 0)
		sb->sb_n = n;
	return error;
}

void
symworker_trim(int seconds)
{
	if (pthread_mutex_trylock(&worker_mtx) != 0)
		return; /* busy */
	if (worker_fd != -1 && now_msecs() - used_at > seconds * 1000)
		worker_stop();
	pthread_mutex_unlock(&worker_mtx);
}

void
symworker_limit(int msecs)
{
	limit = now_msecs() + msecs;
}

void
symworker_end(void)
{
	pthread_mutex_lock(&stat_mtx);
	isended = 1;
	if (stats.sw_pid != 0) {
		(void)kill(stats.sw_pid, SIGKILL);
		(void)shutdown(worker_fd, SHUT_RDWR); /* not ours to kill */
	}
	pthread_mutex_unlock(&stat_mtx);
}

void
symworker_stat(struct symworker_stat *sw)
{
	pthread_mutex_lock(&stat_mtx);
	*sw = stats;
	pthread_mutex_unlock(&stat_mtx);
}
