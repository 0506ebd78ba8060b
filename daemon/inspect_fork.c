/* SPDX-License-Identifier: ISC */
/* The forker, see inspect_fork.h. */
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

#include "caps.h"
#include "fdmsg.h"
#include "inspect_fork.h"
#include "inspect_proc.h"
#include "log.h"
#include "proctitle.h"

#define FORKER_WAIT 10 /* s for an inspector; it takes 0.3 ms */

/* What it takes to look at other users' processes and files. */
#define INSPECT_CAPS \
	(CAPS_BIT(CAP_SYS_PTRACE) | CAPS_BIT(CAP_DAC_READ_SEARCH) | \
	    CAPS_BIT(CAP_CHECKPOINT_RESTORE))

static int forker_sock = -1; /* [I] */
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

static void __attribute__((noreturn))
inspector_main(int sock, pid_t forker)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    getppid() != forker || close_others(sock) != 0)
		_exit(0);
	inspect_serve(sock);
}

/* Forks one: dtd's end of its socket, or a negative errno. */
static int
inspector_fork(void)
{
	pid_t pid, self = getpid();
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		return -errno;
	if ((pid = fork()) == 0)
		inspector_main(sv[1], self);
	close(sv[1]);
	if (pid != -1)
		return sv[0];
	close(sv[0]);
	return -errno;
}

/* Answers each message with a socket or an errno. */
static void
forker_serve(int sock)
{
	struct iovec iov;
	char byte;
	int fd, error;

	while (recv(sock, &byte, 1, 0) == 1) {
		fd = inspector_fork();
		error = fd < 0 ? -fd : 0;
		iov = (struct iovec){ &error, sizeof(error) };
		if (fdmsg_send(sock, &iov, 1, &fd, fd >= 0) != 0)
			return;
		if (fd >= 0)
			close(fd);
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
	pid_t pid, parent = getpid();
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1 ||
	    setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) == -1)
		fatal("process of inspectors");
	if ((pid = fork()) == -1)
		fatal("process of inspectors");
	if (pid == 0)
		forker_main(sv[1], parent, argv);
	close(sv[1]);
	forker_sock = sv[0];
	log_debug("process %d forks inspectors", (int)pid);
}

/* By forker_mtx. */
static int
forker_ask(void)
{
	unsigned int nfds;
	char byte = 0;
	int error, fd;
	ssize_t n;

	if (send(forker_sock, &byte, 1, MSG_NOSIGNAL) == -1)
		return -errno;
	n = fdmsg_recv(forker_sock, &error, sizeof(error), 0, &fd, 1, &nfds);
	if (n == -1)
		return -errno;
	if (n != sizeof(error))
		return -EPIPE;
	if (nfds == 1)
		return fd;
	return error != 0 ? -error : -EMFILE; /* no number for it here */
}

int
forker_inspector(void)
{
	int fd;

	pthread_mutex_lock(&forker_mtx);
	fd = forker_ask();
	pthread_mutex_unlock(&forker_mtx);
	return fd;
}
