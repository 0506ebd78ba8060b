/* SPDX-License-Identifier: ISC */
/* Forks inspectors on request of dtd. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/base/caps.h"
#include "daemon/base/event_loop.h"
#include "daemon/base/fdmsg.h"
#include "daemon/base/log.h"
#include "daemon/base/proctitle.h"
#include "daemon/inspect/forker.h"
#include "daemon/inspect/inspector.h"

#define FORKER_WAIT 5 /* s until an inspector must exist; usually 0.3 ms */

/* Capabilities for reading other users' processes and files. */
#define INSPECT_CAPS \
	(CAPS_BIT(CAP_SYS_PTRACE) | CAPS_BIT(CAP_DAC_READ_SEARCH) | \
	    CAPS_BIT(CAP_CHECKPOINT_RESTORE))

static int forker_sock = -1; /* [I] */
static pid_t forker;	     /* [I] */
static struct event_source forker_ev;
static void (*forker_lost)(void);
static pthread_mutex_t forker_mtx = PTHREAD_MUTEX_INITIALIZER;

/*
 * The forker's side.
 */

/* Closes all descriptors except fd. */
static int
close_others(int fd)
{
	if (fd > 0 && syscall(SYS_close_range, 0, fd - 1, 0) == -1)
		return errno;
	return syscall(SYS_close_range, fd + 1, ~0U, 0) == -1 ? errno : 0;
}

/* If the forker ends before PR_SET_PDEATHSIG is set, sock has no other end. */
static void __attribute__((noreturn)) inspector_main(int sock)
{
	(void)prctl(PR_SET_NAME, "dtd-inspector", 0, 0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    close_others(sock) != 0)
		_exit(0);
	inspect_serve(sock);
}

/* The forker's reply; without an error, a socket is attached. */
struct forked {
	int32_t fkd_error;
	pid_t fkd_pid;
};

/* Forks an inspector.  Returns dtd's end of its socket, or -1. */
static int
inspector_fork(struct forked *fo)
{
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1) {
		fo->fkd_error = errno;
		return -1;
	}
	if ((fo->fkd_pid = fork()) == 0)
		inspector_main(sv[1]);
	fo->fkd_error = fo->fkd_pid == -1 ? errno : 0;
	close(sv[1]);
	if (fo->fkd_error == 0)
		return sv[0];
	close(sv[0]);
	return -1;
}

/*
 * Replies to each message with a socket or an errno.  If sending fails, dtd
 * repeats the request.
 */
static void
forker_serve(int sock)
{
	struct iovec iov;
	struct forked fo;
	char byte;
	int fd;

	while (recv(sock, &byte, 1, 0) == 1) {
		fd = inspector_fork(&fo);
		iov = (struct iovec){ &fo, sizeof(fo) };
		(void)fdmsg_send(sock, &iov, 1, &fd, fd >= 0);
		if (fd >= 0)
			close(fd);
	}
}

/* Blocks all signals: the forker ends only with dtd. */
static int
forker_confine(int sock)
{
	sigset_t all;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_IGN); /* inspectors are not waited for */
	if ((error = close_others(sock)) != 0 ||
	    (error = caps_keep(INSPECT_CAPS)) != 0)
		return error;
	return chdir("/") == -1 ? errno : 0;
}

static void __attribute__((noreturn))
forker_main(int sock, pid_t parent, char **argv)
{
	proctitle(argv, "dtd: inspectors", "dtd-forker");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != -1 &&
	    getppid() == parent && forker_confine(sock) == 0)
		forker_serve(sock);
	_exit(0);
}

/*
 * dtd's side.
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

/* Requests an inspector.  Under forker_mtx. */
static int
forker_request(struct forked *fo)
{
	unsigned int nfds;
	char byte = 0;
	ssize_t n;
	int fd;

	if (send(forker_sock, &byte, 1, MSG_NOSIGNAL) == -1)
		return -errno;
	n = fdmsg_recv(forker_sock, fo, sizeof(*fo), 0, &fd, 1, &nfds);
	if (n == -1)
		return -errno;
	if (n != sizeof(*fo))
		return -EPIPE;
	if (nfds == 1)
		return fd;
	return fo->fkd_error != 0 ? -fo->fkd_error
				  : -EMFILE; /* dtd has no free descriptor for
					      * it */
}

static void
forker_on_end(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	log_warnx("the process that forks inspectors has exited");
	event_loop_del(ev);
	forker_lost();
}

void
forker_watch(void (*lost)(void))
{
	int error;

	forker_lost = lost;
	forker_ev.es_cb = forker_on_end;
	forker_ev.es_fd = forker_sock;
	/* EPOLLHUP only: replies belong to forker_request() */
	if ((error = event_loop_add(&forker_ev, 0)) != 0)
		fatalx("process of inspectors: %s", strerror(error));
}

pid_t
forker_pid(void)
{
	return forker;
}

int
forker_inspector(pid_t *pid)
{
	struct forked fo = { .fkd_pid = 0 };
	int fd;

	pthread_mutex_lock(&forker_mtx);
	fd = forker_request(&fo);
	pthread_mutex_unlock(&forker_mtx);
	*pid = fo.fkd_pid;
	return fd;
}
