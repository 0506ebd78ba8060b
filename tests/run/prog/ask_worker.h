/* SPDX-License-Identifier: ISC */
/*
 * The target of recordings: system calls made by ask itself, or by processes
 * that it starts for them (workers).  A worker has a second thread, so that
 * events of two threads can be distinguished.  All calls use syscall(2), so
 * that calls that the C library adds are not mistaken for them.
 */
#ifndef ASK_WORKER_H
#define ASK_WORKER_H

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_place.h"

struct worker {
	char wk_name[16];
	pid_t wk_pid;
	pid_t wk_tid; /* of its second thread */
	int wk_sock;
};

#define WORKER_MAX 8
static struct worker workers[WORKER_MAX];
static int nworkers;

static const struct worker_call {
	const char *wc_name;
	long wc_nr;
	long wc_args[6];
} worker_calls[] = {
	{ "getpid", SYS_getpid, { 0 } },
	{ "getppid", SYS_getppid, { 0 } },
	{ "getuid", SYS_getuid, { 0 } },
	{ "tgkill", SYS_tgkill, { 0 } },
	{ "close", SYS_close, { -1 } },
	{ "openat", SYS_openat,
	    { AT_FDCWD, (long)"/nonexistent/ask", O_RDONLY | O_CLOEXEC, 0 } },
	{ "prctl", SYS_prctl, { PR_GET_DUMPABLE } },
	{ "lseek", SYS_lseek, { -1 } },
	{ "process_vm_readv", SYS_process_vm_readv, { 0 } },
	{ "writev", SYS_writev, { -1 } },
	{ "renameat2", SYS_renameat2, { AT_FDCWD, 0, AT_FDCWD } },
	{ "execve", SYS_execve, { 0 } },
	{ "read", SYS_read, { -1 } },
	{ "write", SYS_write, { -1 } },
	{ "ppoll", SYS_ppoll, { 0 } },
	{ "nanosleep", SYS_nanosleep, { 0 } },
	{ "connect", SYS_connect, { -1 } },
	{ "socket", SYS_socket, { AF_UNIX, SOCK_DGRAM } },
	{ "getsockname", SYS_getsockname, { -1 } },
	{ "utimensat", SYS_utimensat, { -1 } },
	{ "chdir", SYS_chdir, { 0 } },
};

#define WORKER_NCALLS (sizeof(worker_calls) / sizeof(worker_calls[0]))

/* Parses the arguments of a call. */
static void
worker_args(const struct words *w, long *a)
{
	const char *s = name_opt(w, "args");
	int i;

	for (i = 0; i < 6 && s != NULL; i++) {
		a[i] = place_value(s, strcspn(s, ","));
		s = strchr(s, ',');
		s = s != NULL ? s + 1 : NULL;
	}
}

/* Returns the number of repetitions of a call. */
static long
worker_times(const struct words *w)
{
	if (w->wd_n > 2 && strchr(w->wd_v[2], '=') == NULL)
		return name_num(w->wd_v[2]);
	return 1;
}

/*
 * call NAME [N] [args=a,b,...] (see ask_place.h): the last result, or the
 * errno's name.
 */
static void
worker_do_call(const struct words *w, char *reply, size_t size)
{
	const struct worker_call *wc = NULL;
	long a[6], r = 0, n = worker_times(w);
	size_t i;

	for (i = 0; i < WORKER_NCALLS; i++)
		if (strcmp(worker_calls[i].wc_name, name_word(w, 1)) == 0)
			wc = &worker_calls[i];
	if (wc == NULL)
		errx(2, "call %s: not known", w->wd_v[1]);
	memcpy(a, wc->wc_args, sizeof(a));
	worker_args(w, a);
	while (n-- > 0)
		r = syscall(wc->wc_nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	place_result = r;
	if (r == -1)
		snprintf(reply, size, "%s", name_errno(errno));
	else
		snprintf(reply, size, "0");
}

static pid_t worker_self; /* of a worker: getpid(2) would be traced */
static int worker_pipe[2] = { -1, -1 };

static void
worker_alarm(int signo)
{
	(void)signo;
	if (worker_pipe[1] != -1 && write(worker_pipe[1], "", 1) != 1)
		_exit(2);
}

#ifdef __x86_64__
/* Makes a call as 32-bit programs do, with full registers as arguments. */
static long
worker_int80(long nr, const long *a)
{
	register long bp __asm__("r12") = a[5];
	long r = nr;

	__asm__ volatile("xchg %%rbp, %1; int $0x80; xchg %%rbp, %1"
			 : "+a"(r), "+r"(bp)
			 : "b"(a[0]), "c"(a[1]), "d"(a[2]), "S"(a[3]), "D"(a[4])
			 : "r8", "r9", "r10", "r11", "memory");
	return r;
}
#else
static long
worker_int80(long nr, const long *a)
{
	(void)nr;
	(void)a;
	return -ENOSYS;
}
#endif

#define INT80_GETPID 20
#define INT80_PAUSE  29

/* int80 NR [N] [args=a,b,...] */
static void
worker_do_int80(const struct words *w, char *reply, size_t size)
{
	long nr = name_num(name_word(w, 1)), n = worker_times(w);
	long a[6] = { -1 }, r = 0;

	worker_args(w, a);
	while (n-- > 0)
		r = worker_int80(nr, a);
	if (nr == INT80_GETPID)
		snprintf(reply, size, "%s", r == worker_self ? "0" : "WRONG");
	else
		snprintf(reply, size, "%s",
		    (int)r < 0 && (int)r >= -4095 ? name_errno(-(int)r) : "0");
}

/* pause(2) of 32-bit programs, with errno like syscall(2). */
static long
worker_int80_pause(void)
{
	const long a[6] = { 0 };
	long r = worker_int80(INT80_PAUSE, a);

	errno = -(int)r;
	return -1;
}

/*
 * eintr CALL [restart]: a call that a handled signal interrupts.  With restart
 * the kernel continues it, and the handler ends it by writing.  CALL int80 is a
 * 32-bit one.
 */
static void
worker_do_eintr(const struct words *w, char *reply, size_t size)
{
	const char *what = name_word(w, 1);
	struct sigaction sa = { .sa_handler = worker_alarm,
		.sa_flags = name_has(w, "restart") ? SA_RESTART : 0 };
	const struct itimerval it = { .it_value = { .tv_usec = 50000 } };
	const struct timespec ts = { .tv_sec = 50 };
	long r;
	char c;

	if (worker_pipe[0] == -1 && pipe2(worker_pipe, O_CLOEXEC) == -1)
		err(2, "pipe");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	if (strcmp(what, "nanosleep") == 0)
		r = syscall(SYS_nanosleep, &ts, NULL);
	else if (strcmp(what, "int80") == 0)
		r = worker_int80_pause();
	else if (strcmp(what, "rt_sigsuspend") == 0)
		r = syscall(SYS_rt_sigsuspend, &(uint64_t){ 0 }, 8);
	else
		r = syscall(SYS_read, worker_pipe[0], &c, 1);
	snprintf(reply, size, "%s", r == -1 ? name_errno(errno) : "0");
}

/* burn MSECS: uses MSECS milliseconds of CPU time. */
static void
worker_do_burn(const struct words *w, char *reply, size_t size)
{
	struct timespec ts;
	int64_t now, end = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
		if (end == 0)
			end = now + (int64_t)name_num(name_word(w, 1));
	} while (now < end);
	snprintf(reply, size, "0");
}

/* child CALL ...: in a separate process; prints its status. */
static void worker_do(const struct words *, char *, size_t);

static void
worker_do_child(const struct words *w, char *reply, size_t size)
{
	struct words inner = { .wd_n = w->wd_n - 1 };
	pid_t pid;
	int status;

	memcpy(inner.wd_v, w->wd_v + 1, w->wd_n * sizeof(w->wd_v[0]));
	if ((pid = fork()) == 0) {
		worker_do(&inner, reply, size);
		_exit(99);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		err(2, "a child");
	snprintf(reply, size, "%d",
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* comm NAME */
static void
worker_do_comm(const struct words *w, char *reply, size_t size)
{
	prctl(PR_SET_NAME, name_word(w, 1));
	snprintf(reply, size, "0");
}

/* until FILE CALL ...: repeats a call until FILE exists. */
static void
worker_do_until(const struct words *w, char *reply, size_t size)
{
	struct words inner = { .wd_n = w->wd_n - 2 };
	const struct timespec ts = { .tv_nsec = 1000000 };
	const char *file = name_word(w, 1);

	memcpy(inner.wd_v, w->wd_v + 2,
	    (inner.wd_n + 1) * sizeof(inner.wd_v[0]));
	while (access(file, F_OK) == -1) {
		worker_do(&inner, reply, size);
		nanosleep(&ts, NULL);
	}
}

static const struct {
	const char *name;
	void (*fn)(const struct words *, char *, size_t);
} worker_rows[] = {
	{ "call", worker_do_call },
	{ "eintr", worker_do_eintr },
	{ "int80", worker_do_int80 },
	{ "burn", worker_do_burn },
	{ "child", worker_do_child },
	{ "comm", worker_do_comm },
	{ "until", worker_do_until },
};

/* ns: the next window can begin only after this time */
static void
worker_do(const struct words *w, char *reply, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(worker_rows) / sizeof(worker_rows[0]); i++)
		if (w->wd_n > 0 &&
		    strcmp(worker_rows[i].name, w->wd_v[0]) == 0) {
			worker_rows[i].fn(w, reply, size);
			return;
		}
	errx(2, "a worker has no '%s'", w->wd_n > 0 ? w->wd_v[0] : "");
}

/*
 * The worker's side: a datagram is a request, and one its reply.  Each thread
 * reads from its own socket.
 */

static void
worker_serve(int sock)
{
	struct words w;
	char line[512], reply[64];
	ssize_t n;

	while ((n = recv(sock, line, sizeof(line) - 1, 0)) > 0) {
		line[n] = '\0';
		name_split(&w, line);
		snprintf(reply, sizeof(reply), "?");
		worker_do(&w, reply, sizeof(reply));
		if (send(sock, reply, strlen(reply), 0) == -1)
			break;
	}
}

static void *
worker_thread(void *arg)
{
	int *socks = arg;
	pid_t tid = gettid();

	if (send(socks[0], &tid, sizeof(tid), 0) == sizeof(tid))
		worker_serve(socks[1]);
	return NULL;
}

/* Forwards requests that begin with "thread" to the second thread. */
static void
worker_main(int sock)
{
	char line[512];
	int pair[2], socks[2];
	pthread_t thread;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		err(2, "socketpair");
	worker_self = getpid();
	socks[0] = sock;
	socks[1] = pair[1];
	if (pthread_create(&thread, NULL, worker_thread, socks) != 0)
		err(2, "pthread_create");
	while ((n = recv(sock, line, sizeof(line) - 1, MSG_PEEK)) > 0) {
		struct words w;
		char reply[64] = "?";

		n = recv(sock, line, sizeof(line) - 1, 0);
		line[n] = '\0';
		if (strncmp(line, "thread ", 7) == 0) {
			if (send(pair[0], line + 7, n - 7, 0) == -1 ||
			    (n = recv(pair[0], reply, sizeof(reply), 0)) == -1)
				break;
			send(sock, reply, n, 0);
			continue;
		}
		name_split(&w, line);
		worker_do(&w, reply, sizeof(reply));
		if (send(sock, reply, strlen(reply), 0) == -1)
			break;
	}
	exit(0);
}

/* ask's side */

static struct worker *
worker_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < nworkers; i++)
		if (strlen(workers[i].wk_name) == len &&
		    memcmp(workers[i].wk_name, name, len) == 0)
			return &workers[i];
	return NULL;
}

/* Returns a process or thread: "self", a worker's name, NAME.t, a number. */
static uint32_t
worker_id(const char *s)
{
	size_t n = strcspn(s, ".");
	const struct worker *wk = worker_find(s, n);

	if (strcmp(s, "self") == 0)
		return getpid();
	if (wk != NULL)
		return s[n] == '.' ? wk->wk_tid : wk->wk_pid;
	return name_num(s);
}

/* spawn NAME [uid=N] [comm=NAME] */
static void
worker_spawn(const struct words *w)
{
	const char *comm = name_opt(w, "comm");
	uint64_t uid = name_optnum(w, "uid", 0);
	struct worker *wk;
	int pair[2];

	if (nworkers == WORKER_MAX)
		errx(2, "too many workers");
	wk = &workers[nworkers++];
	snprintf(wk->wk_name, sizeof(wk->wk_name), "%s", name_word(w, 1));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		err(2, "socketpair");
	fflush(NULL);
	if ((wk->wk_pid = fork()) == 0) {
		close(pair[0]);
		if (comm != NULL)
			prctl(PR_SET_NAME, comm);
		if (uid != 0 && setresuid(uid, uid, uid) == -1)
			err(2, "setresuid");
		worker_main(pair[1]);
	}
	close(pair[1]);
	wk->wk_sock = pair[0];
	if (recv(pair[0], &wk->wk_tid, sizeof(wk->wk_tid), 0) !=
	    sizeof(wk->wk_tid))
		errx(2, "worker %s died", wk->wk_name);
}

/* in NAME [thread] CALL ...: made by the worker. */
static void
worker_in(const struct words *w, char *reply, size_t size)
{
	const char *name = name_word(w, 1);
	struct worker *wk = worker_find(name, strlen(name));
	char line[512] = "";
	ssize_t n;
	int i;

	if (wk == NULL)
		errx(2, "there is no worker %s", name);
	for (i = 2; i < w->wd_n; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
		    "%s%s", i > 2 ? " " : "", w->wd_v[i]);
	if (send(wk->wk_sock, line, strlen(line), MSG_NOSIGNAL) == -1 ||
	    (n = recv(wk->wk_sock, reply, size - 1, 0)) <= 0)
		errx(2, "worker %s died", name);
	reply[n] = '\0';
}

/* Ends all workers. */
static void
worker_endall(void)
{
	while (nworkers > 0) {
		close(workers[--nworkers].wk_sock);
		waitpid(workers[nworkers].wk_pid, NULL, 0);
	}
}

#endif /* ASK_WORKER_H */
