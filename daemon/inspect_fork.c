/* SPDX-License-Identifier: ISC */
/* The forker, see inspect_fork.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "caps.h"
#include "ev.h"
#include "fdmsg.h"
#include "inspect_fork.h"
#include "inspect_proc.h"
#include "log.h"
#include "proctitle.h"

#define FORKER_WAIT 5 /* s for an inspector; it takes 0.3 ms */

/* What it takes to look at other users' processes and files. */
#define INSPECT_CAPS \
	(CAPS_BIT(CAP_SYS_PTRACE) | CAPS_BIT(CAP_DAC_READ_SEARCH) | \
	    CAPS_BIT(CAP_CHECKPOINT_RESTORE))

static int forker_sock = -1; /* [I] */
static pid_t forker;	     /* [I] */
static struct ev forker_ev;
static void (*forker_lost)(void);
static pthread_mutex_t forker_mtx = PTHREAD_MUTEX_INITIALIZER;

/*
 * The forker's side
 */

/* All but one. */
static int
close_others(int fd)
{
	if (fd > 0 && syscall(SYS_close_range, 0, fd - 1, 0) == -1)
		return errno;
	return syscall(SYS_close_range, fd + 1, ~0U, 0) == -1 ? errno : 0;
}

/* If the forker ends before this is done, nobody has the other end of sock. */
static void __attribute__((noreturn))
inspector_main(int sock)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    close_others(sock) != 0)
		_exit(0);
	inspect_serve(sock);
}

/* What the forker answers; without an error, two descriptors come with it: the
 * inspector's socket, and its /proc/PID/stat. */
struct forked {
	int32_t fo_error;
	pid_t fo_pid;
};

static int
open_stat(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Forks one: the descriptors for dtd, or an error. */
static void
inspector_fork(struct forked *fo, int fds[2])
{
	int sv[2];

	fo->fo_error = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1) {
		fo->fo_error = errno;
		return;
	}
	if ((fo->fo_pid = fork()) == 0)
		inspector_main(sv[1]);
	close(sv[1]);
	fds[0] = sv[0];
	if (fo->fo_pid == -1 || (fds[1] = open_stat(fo->fo_pid)) == -1) {
		fo->fo_error = errno;
		close(sv[0]);
	}
}

/* Answers each message with a socket or an errno.  If that fails, dtd asks
 * again. */
static void
forker_serve(int sock)
{
	struct iovec iov;
	struct forked fo;
	unsigned int n;
	int fds[2];
	char byte;

	while (recv(sock, &byte, 1, 0) == 1) {
		inspector_fork(&fo, fds);
		iov = (struct iovec){ &fo, sizeof(fo) };
		n = fo.fo_error == 0 ? 2 : 0;
		(void)fdmsg_send(sock, &iov, 1, fds, n);
		while (n > 0)
			close(fds[--n]);
	}
}

/* Its end is that of dtd, whatever a terminal or a service manager sends. */
static int
forker_confine(int sock)
{
	sigset_t all;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_IGN); /* nobody waits for inspectors */
	if ((error = close_others(sock)) != 0 ||
	    (error = caps_keep(INSPECT_CAPS)) != 0)
		return error;
	return chdir("/") == -1 ? errno : 0;
}

static void __attribute__((noreturn))
forker_main(int sock, pid_t parent, char **argv)
{
	proctitle(argv, "dtd: inspectors", "dtd-inspect");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != -1 &&
	    getppid() == parent && forker_confine(sock) == 0)
		forker_serve(sock);
	_exit(0);
}

/*
 * dtd's side
 */

void
forker_start(char **argv)
{
	const struct timeval tv = { .tv_sec = FORKER_WAIT };
	pid_t parent = getpid();
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1 ||
	    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) == -1)
		fatal("process of inspectors");
	if ((forker = fork()) == -1)
		fatal("process of inspectors");
	if (forker == 0)
		forker_main(sv[1], parent, argv);
	close(sv[1]);
	forker_sock = sv[0];
	log_debug("process %d forks inspectors", (int)forker);
}

/* By forker_mtx. */
static int
forker_ask(struct forked *fo, int fds[2])
{
	unsigned int nfds;
	char byte = 0;
	ssize_t n;

	if (send(forker_sock, &byte, 1, MSG_NOSIGNAL) == -1)
		return errno;
	n = fdmsg_recv(forker_sock, fo, sizeof(*fo), 0, fds, 2, &nfds);
	if (n == -1)
		return errno;
	if (n == sizeof(*fo) && nfds == 2)
		return 0;
	if (nfds == 1)
		close(fds[0]); /* no number was left for the other */
	if (n != sizeof(*fo))
		return EPIPE;
	return fo->fo_error != 0 ? fo->fo_error : EMFILE;
}

static void
forker_on_end(struct ev *ev, uint32_t events __attribute__((unused)))
{
	log_warnx("the process that forks inspectors has ended");
	ev_del(ev);
	forker_lost();
}

void
forker_watch(void (*lost)(void))
{
	int error;

	forker_lost = lost;
	forker_ev.ev_cb = forker_on_end;
	forker_ev.ev_fd = forker_sock;
	/* its end only: what it answers is for who has asked */
	if ((error = ev_add(&forker_ev, 0)) != 0)
		fatalx("process of inspectors: %s", strerror(error));
}

pid_t
forker_pid(void)
{
	return forker;
}

int
forker_inspector(pid_t *pid, int *sock, int *stat)
{
	struct forked fo;
	int fds[2], error;

	pthread_mutex_lock(&forker_mtx);
	error = forker_ask(&fo, fds);
	pthread_mutex_unlock(&forker_mtx);
	if (error != 0)
		return error;
	*pid = fo.fo_pid;
	*sock = fds[0];
	*stat = fds[1];
	return 0;
}
