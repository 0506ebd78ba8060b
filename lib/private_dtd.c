/* SPDX-License-Identifier: ISC */
/*
 * Starts a private dtd where no service runs, and waits for its end.  The
 * private dtd has one end of a socketpair and exits when the other end is
 * closed, also by the client's death.
 *
 * Does not disturb the calling program: dtd inherits only stderr; only this
 * process is waited for, by pidfd, so a reused pid is harmless; and dtd runs in
 * its own session, so that ^C reaches only the client.
 */
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/device.h"
#include "lib/handle.h"
#include "lib/timeout.h"

#ifndef DT_LIBEXEC_DTD
#define DT_LIBEXEC_DTD "/usr/sbin/dtd"
#endif

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2) /* <linux/close_range.h> */
#endif
#ifndef P_PIDFD
#define P_PIDFD 3 /* <linux/wait.h> */
#endif

#define PRIVATE_WAITMS 5000 /* time to detach and exit after hangup */
#define PRIVATE_KILLMS 2000 /* time to exit after SIGKILL */
#define CHILD_FIRSTFD  3    /* lowest descriptor above the standard ones */

/* Arguments of the new process, prepared before the fork. */
struct private_args {
	const char *ca_path;
	char *ca_argv[7];
	int ca_sock;   /* end of the socketpair, CHILD_FIRSTFD or above */
	int ca_null;   /* /dev/null, CHILD_FIRSTFD or above */
	int ca_status; /* where it writes the errno of a failed exec */
};

/* Finds dtd in the directory of this executable.  Returns 1 if it exists. */
static int
private_beside(char *path, size_t size)
{
	ssize_t n;
	char *slash;

	n = readlink("/proc/self/exe", path, size);
	if (n <= 0 || (size_t)n >= size)
		return 0;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || (size_t)(slash + 1 - path) + sizeof("dtd") > size)
		return 0;
	memcpy(slash + 1, "dtd", sizeof("dtd"));
	return access(path, X_OK) == 0;
}

/*
 * A set-user-id program starts only the installed dtd: its caller controls the
 * environment, and with a link also the directory.
 */
int
dt_daemon_path(char *path, size_t size)
{
	const char *env = secure_getenv("DT_DTD");
	char beside[PATH_MAX];

	if (env == NULL || env[0] == '\0') {
		env = DT_LIBEXEC_DTD;
		if (getauxval(AT_SECURE) == 0 &&
		    private_beside(beside, sizeof(beside)))
			env = beside;
	}
	if (strlen(env) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(path, env);
	return 0;
}

/* Resets handlers, which are functions of the client, and the signal mask. */
static void
private_signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Runs between fork and exec.  The client may have threads, so only
 * async-signal-safe functions are allowed.
 */
static void __attribute__((noreturn)) private_run(const struct private_args *ca)
{
	int error;

	setsid();
	if (dup2(ca->ca_null, STDIN_FILENO) != -1 &&
	    dup2(ca->ca_null, STDOUT_FILENO) != -1 &&
	    syscall(SYS_close_range, CHILD_FIRSTFD, ~0U, CLOSE_RANGE_CLOEXEC) !=
		-1 &&
	    fcntl(ca->ca_sock, F_SETFD, 0) != -1) {
		private_signals();
		execv(ca->ca_path, ca->ca_argv);
	}
	error = errno;
	if (write(ca->ca_status, &error, sizeof(error)) == -1)
		_exit(126);
	_exit(127);
}

/* Forks with all signals blocked, so that no handler runs in the child. */
static pid_t
private_fork(const struct private_args *ca)
{
	sigset_t all, old;
	int error;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid == 0)
		private_run(ca);
	error = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return pid;
}

/* Returns 0 if exec succeeded, else its errno. */
static int
private_status(int fd)
{
	int error = 0;
	ssize_t n;

	do {
		n = read(fd, &error, sizeof(error));
	} while (n == -1 && errno == EINTR);
	if (n == -1)
		return errno;
	return n == sizeof(error) ? error : 0;
}

/* Returns a duplicate of fd above the standard descriptors, and closes fd. */
static int
private_raise(int fd)
{
	int error, high;

	if (fd == -1)
		return -1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FIRSTFD);
	error = errno;
	close(fd);
	errno = error;
	return high;
}

static void
private_close(int fd)
{
	if (fd != -1)
		close(fd);
}

/* Without a pidfd, dtd cannot be waited for; the likely error is EMFILE. */
static int
private_nopidfd(struct dt *dt, int error)
{
	struct dt_private *ch = &dt->h_private;

	/* ESRCH: dtd has exited, and the program ignores SIGCHLD */
	if (error != ESRCH) {
		kill(ch->ch_pid, SIGKILL);
		while (waitpid(ch->ch_pid, NULL, 0) == -1 && errno == EINTR)
			continue;
	}
	ch->ch_pid = 0;
	return dt_fail(dt, error, "pidfd_open: %s", strerror(error));
}

/* Forks and waits for exec.  The caller keeps all descriptors of ca and sp. */
static int
private_exec(struct dt *dt, const struct private_args *ca, int *sp)
{
	struct dt_private *ch = &dt->h_private;
	int error;

	ch->ch_pid = private_fork(ca);
	if (ch->ch_pid == -1) {
		ch->ch_pid = 0;
		return dt_fail(dt, errno, "fork: %s", strerror(errno));
	}
	ch->ch_pidfd = (int)syscall(SYS_pidfd_open, ch->ch_pid, 0);
	if (ch->ch_pidfd == -1)
		return private_nopidfd(dt, errno);
	close(sp[1]);
	sp[1] = -1;
	error = private_status(sp[0]);
	if (error != 0)
		return dt_fail(dt, error,
		    "no service, and no private dtd: "
		    "%s: %s",
		    ca->ca_path, strerror(error));
	return 0;
}

int
dt_private_start(struct dt *dt, bool verbose)
{
	char path[PATH_MAX], number[16];
	struct private_args ca = { .ca_path = path, .ca_sock = -1 };
	int error = 0, fd = -1, sock[2] = { -1, -1 }, status[2] = { -1, -1 };

	if (dt_daemon_path(path, sizeof(path)) == -1)
		return dt_fail(dt, errno, "private dtd: its path is too long");
	ca.ca_null = private_raise(open("/dev/null", O_RDWR | O_CLOEXEC));
	if (ca.ca_null == -1 || pipe2(status, O_CLOEXEC) == -1 ||
	    (status[1] = private_raise(status[1])) == -1 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) == -1 ||
	    (sock[1] = private_raise(sock[1])) == -1) {
		error = errno;
		dt_fail(dt, error, "private dtd: %s", strerror(error));
		goto out;
	}
	ca.ca_sock = sock[1];
	ca.ca_status = status[1];
	snprintf(number, sizeof(number), "%d", ca.ca_sock);
	ca.ca_argv[0] = "dtd";
	ca.ca_argv[1] = "--private";
	ca.ca_argv[2] = number;
	ca.ca_argv[3] = "--device";
	ca.ca_argv[4] = (char *)dt->h_device->de_name;
	ca.ca_argv[5] = verbose ? "--verbose" : NULL;
	if (private_exec(dt, &ca, status) == -1) {
		error = errno;
		goto out;
	}
	fd = sock[0];
	sock[0] = -1;
out:
	private_close(sock[0]);
	private_close(sock[1]);
	private_close(status[0]);
	private_close(status[1]);
	private_close(ca.ca_null);
	errno = error;
	return fd;
}

/*
 * Waits at most timeout ms for the exit and reports it in *si.  Returns 0 or
 * -1.
 */
static int
private_reap(struct dt_private *ch, int timeout, siginfo_t *si)
{
	struct pollfd pfd = { .fd = ch->ch_pidfd, .events = POLLIN };
	struct dt_timeout to = { .to_msecs = timeout };

	memset(si, 0, sizeof(*si));
	while (dt_timeout_poll(&to, &pfd) != 1) {
		if (dt_timeout_left(&to) == 0)
			return -1;
	}
	/*
	 * ECHILD: the program ignores SIGCHLD, or has waited for all children
	 */
	waitid(P_PIDFD, (id_t)ch->ch_pidfd, si, WEXITED);
	close(ch->ch_pidfd);
	ch->ch_pidfd = -1;
	ch->ch_pid = 0;
	return 0;
}

int
dt_private_ended(struct dt *dt)
{
	siginfo_t si;

	if (private_reap(&dt->h_private, PRIVATE_WAITMS, &si) == -1)
		return dt_fail(dt, EPIPE,
		    "the private dtd closed the connection");
	if (si.si_code == CLD_EXITED)
		return dt_fail(dt, ECHILD,
		    "the private dtd ended at once, "
		    "status %d",
		    si.si_status);
	if (si.si_code == CLD_KILLED || si.si_code == CLD_DUMPED)
		return dt_fail(dt, ECHILD,
		    "the private dtd ended at once, "
		    "signal %d",
		    si.si_status);
	return dt_fail(dt, ECHILD, "the private dtd ended at once");
}

void
dt_private_wait(struct dt_private *ch)
{
	siginfo_t si;

	if (ch->ch_pidfd == -1)
		return;
	if (private_reap(ch, PRIVATE_WAITMS, &si) == 0)
		return;
	syscall(SYS_pidfd_send_signal, ch->ch_pidfd, SIGKILL, NULL, 0);
	if (private_reap(ch, PRIVATE_KILLMS, &si) == 0)
		return;
	close(ch->ch_pidfd);
	ch->ch_pidfd = -1;
	ch->ch_pid = 0;
}
