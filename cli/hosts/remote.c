/* SPDX-License-Identifier: ISC */
/*
 * The far side of -H: runs a command of dt and sends its output as messages.
 * hosts_message.h defines them.  The arguments arrive on standard input, so no
 * shell splits or expands them.
 *
 * If standard input ends early, or standard output has no reader, the other dt
 * or the connection has failed.  The command then gets SIGHUP twice, since dt
 * leaves the first one to the command that it runs, and finally SIGKILL.
 */
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/hosts/hosts_message.h"
#include "cli/hosts/remote.h"
#include "common/clock.h"

#define REMOTE_GRACE  2000 /* ms between signals to a command without a client */
#define REMOTE_LINE   64   /* bytes of the line of the request */
#define REMOTE_ROUNDS 64   /* reads of what a command has left in the pipes */

/* Output of the child, by the type of its messages. */
enum remote_pipe {
	REMOTE_RESULT,
	REMOTE_STDOUT,
	REMOTE_STDERR,
	REMOTE_NPIPES
};

static const char remote_types[REMOTE_NPIPES] = { HOSTS_RESULT, HOSTS_STDOUT,
	HOSTS_STDERR };

/* The command that the other dt requests. */
struct remote_request {
	int rmr_argc;
	char **rmr_argv; /* terminated by NULL; the name of the program first */
	int rmr_isexact; /* profiles need addresses */
};

struct remote {
	pid_t rmt_pid; /* the child, also its process group */
	int rmt_pidfd;
	int rmt_pipes[REMOTE_NPIPES]; /* -1: closed */
	int rmt_isgone;		      /* the client */
	int rmt_hangups;	      /* signals sent since then */
	int64_t rmt_nexthangup;	      /* CLOCK_MONOTONIC, ms */
};

/* The request */

static void
remote_read(void *data, size_t nbytes)
{
	char *p = data;
	ssize_t n;

	for (; nbytes > 0; p += n, nbytes -= n) {
		do
			n = read(STDIN_FILENO, p, nbytes);
		while (n == -1 && errno == EINTR);
		if (n == -1)
			err(1, "remote: request");
		if (n == 0)
			errx(1, "remote: the request has no end");
	}
}

/* Reads up to the end of the line, but no byte after it. */
static void
remote_read_line(char *line, size_t size)
{
	size_t n = 0;

	do {
		if (n == size - 1)
			errx(1, "remote: the request is not of dt");
		remote_read(line + n, 1);
	} while (line[n++] != '\n');
	line[n] = '\0';
}

/* Splits the arguments, of which all end with NUL. */
static void
remote_split(struct remote_request *rr, char *bytes, unsigned int nbytes)
{
	char *end = bytes + nbytes;
	int i;

	for (i = 1; i < rr->rmr_argc; i++, bytes += strlen(bytes) + 1) {
		if (bytes >= end)
			errx(1, "remote: arguments are missing");
		rr->rmr_argv[i] = bytes;
	}
	if (bytes != end)
		errx(1, "remote: the number of arguments is wrong");
}

static void
remote_receive(struct remote_request *rr)
{
	unsigned int nargs, nbytes, isexact;
	char line[REMOTE_LINE], *bytes;

	remote_read_line(line, sizeof(line));
	if (sscanf(line, HOSTS_REQUEST, &nargs, &nbytes, &isexact) != 3)
		errx(1, "remote: the request is not of dt " DT_RELEASE);
	if (nargs == 0 || nargs > HOSTS_MAXARGS || nbytes == 0 ||
	    nbytes > HOSTS_MAXBYTES)
		errx(1, "remote: there are too few or too many arguments");
	rr->rmr_argc = nargs + 1;
	rr->rmr_argv = calloc(nargs + 2, sizeof(*rr->rmr_argv));
	if (rr->rmr_argv == NULL || (bytes = calloc(1, nbytes)) == NULL)
		err(1, NULL);
	rr->rmr_argv[0] = (char *)"dt";
	rr->rmr_isexact = isexact != 0;
	remote_read(bytes, nbytes);
	if (bytes[nbytes - 1] != '\0')
		errx(1, "remote: the last argument has no end");
	remote_split(rr, bytes, nbytes);
}

/* Messages */

/* Sends the next signal to a child whose client has disconnected. */
static void
remote_hangup(struct remote *rm)
{
	static const int signals[] = { SIGHUP, SIGHUP, SIGKILL };
	const int n = sizeof(signals) / sizeof(signals[0]);

	if (!rm->rmt_isgone || rm->rmt_hangups == n ||
	    clock_msecs() < rm->rmt_nexthangup)
		return;
	rm->rmt_nexthangup = clock_msecs() + REMOTE_GRACE;
	if (rm->rmt_hangups == n - 1)
		kill(rm->rmt_pid, signals[n - 1]);
	else
		kill(-rm->rmt_pid, signals[rm->rmt_hangups]);
	rm->rmt_hangups++;
}

static void
remote_gone(struct remote *rm)
{
	rm->rmt_isgone = 1;
	remote_hangup(rm);
}

/* Handles what the client has sent after its request. */
static void
remote_control(struct remote *rm)
{
	char bytes[16];
	ssize_t i, n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		remote_gone(rm);
	for (i = 0; i < n; i++)
		if (bytes[i] == HOSTS_INTERRUPT)
			kill(-rm->rmt_pid, SIGINT);
}

/* Sends bytes, and handles signals of the client while it does not read. */
static void
remote_send(struct remote *rm, const char *p, size_t nbytes)
{
	struct pollfd pfd[] = {
		{ .fd = STDOUT_FILENO, .events = POLLOUT },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	ssize_t n;

	while (nbytes > 0 && !rm->rmt_isgone) {
		if (poll(pfd, 2, -1) == -1)
			continue;
		if (pfd[1].revents != 0)
			remote_control(rm);
		if (pfd[0].revents == 0)
			continue;
		n = write(STDOUT_FILENO, p, nbytes);
		if (n == -1 && errno != EAGAIN && errno != EINTR)
			remote_gone(rm);
		if (n > 0) {
			p += n;
			nbytes -= n;
		}
	}
}

static void
remote_message(struct remote *rm, char type, const char *data, size_t n)
{
	const char head[HOSTS_HEAD] = { type, n >> 24, n >> 16, n >> 8, n };

	remote_send(rm, head, sizeof(head));
	remote_send(rm, data, n);
}

/* Forwards at most nbytes of a pipe; returns how many, 0 at its end. */
static size_t
remote_forward(struct remote *rm, enum remote_pipe p, size_t nbytes)
{
	char data[HOSTS_MAXMSG];
	ssize_t n;

	if (nbytes > sizeof(data))
		nbytes = sizeof(data);
	n = read(rm->rmt_pipes[p], data, nbytes);
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0) {
		remote_message(rm, remote_types[p], data, n);
		return n;
	}
	close(rm->rmt_pipes[p]);
	rm->rmt_pipes[p] = -1;
	return 0;
}

/* Forwards what is in a pipe now. */
static void
remote_drain(struct remote *rm, enum remote_pipe p)
{
	int nbytes;
	size_t n;

	if (rm->rmt_pipes[p] == -1 ||
	    ioctl(rm->rmt_pipes[p], FIONREAD, &nbytes) == -1)
		return;
	do {
		n = remote_forward(rm, p, nbytes > 0 ? nbytes : 1);
		nbytes -= n;
	} while (n > 0 && nbytes > 0);
}

/*
 * Forwards what is in the pipes.  Messages about a result follow it, so
 * standard error is read first and sent last.  Returns whether it had any.
 */
static int
remote_drain_all(struct remote *rm)
{
	char data[HOSTS_MAXMSG];
	ssize_t n = -1;

	if (rm->rmt_pipes[REMOTE_STDERR] != -1)
		n = read(rm->rmt_pipes[REMOTE_STDERR], data, sizeof(data));
	remote_drain(rm, REMOTE_RESULT);
	remote_drain(rm, REMOTE_STDOUT);
	if (n > 0)
		remote_message(rm, HOSTS_STDERR, data, n);
	if (n == 0) {
		close(rm->rmt_pipes[REMOTE_STDERR]);
		rm->rmt_pipes[REMOTE_STDERR] = -1;
	}
	return n > 0;
}

/* Course */

/* Waits for output, signals of the client, or the child's end. */
static int
remote_wait(struct remote *rm)
{
	struct pollfd pfd[] = {
		{ .fd = rm->rmt_isgone ? -1 : STDIN_FILENO, .events = POLLIN },
		{ .fd = rm->rmt_isgone ? -1 : STDOUT_FILENO },
		{ .fd = rm->rmt_pidfd, .events = POLLIN },
		{ .fd = rm->rmt_pipes[REMOTE_RESULT], .events = POLLIN },
		{ .fd = rm->rmt_pipes[REMOTE_STDOUT], .events = POLLIN },
		{ .fd = rm->rmt_pipes[REMOTE_STDERR], .events = POLLIN },
	};
	int n = poll(pfd, 6, rm->rmt_isgone ? REMOTE_GRACE : -1);

	remote_hangup(rm);
	if (n == -1)
		return 0;
	if (pfd[0].revents != 0)
		remote_control(rm);
	if (pfd[1].revents & (POLLERR | POLLHUP | POLLNVAL))
		remote_gone(rm);
	return pfd[2].revents != 0;
}

static int
remote_status(const struct remote *rm)
{
	int status;

	if (waitpid(rm->rmt_pid, &status, 0) == -1)
		return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static void __attribute__((noreturn)) remote_serve(struct remote *rm)
{
	int hasended, i;
	char status;

	signal(SIGPIPE, SIG_IGN);
	(void)fcntl(STDOUT_FILENO, F_SETFL,
	    fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
	do {
		hasended = remote_wait(rm);
		remote_drain_all(rm);
	} while (!hasended);
	status = remote_status(rm);
	for (i = 0; i < REMOTE_ROUNDS && remote_drain_all(rm); i++)
		;
	remote_message(rm, HOSTS_STATUS, &status, 1);
	exit(0);
}

/* The child: standard input is empty, and the output goes to pipes. */
static void
remote_child(int *ends)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null == -1 || dup2(null, STDIN_FILENO) == -1 ||
	    dup2(ends[REMOTE_STDOUT], STDOUT_FILENO) == -1 ||
	    dup2(ends[REMOTE_STDERR], STDERR_FILENO) == -1)
		err(1, "remote: output");
	close(null);
	close(ends[REMOTE_STDOUT]);
	close(ends[REMOTE_STDERR]);
	setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGHUP);
}

int
remote_begin(int *argc, char ***argv, int *isexact)
{
	struct remote_request rr = { 0 };
	struct remote rm = { 0 };
	int fds[2], ends[REMOTE_NPIPES];
	unsigned int i;

	printf(HOSTS_HELLO "%s\n", DT_RELEASE);
	if (fflush(stdout) == EOF)
		err(1, "remote: output");
	remote_receive(&rr);
	for (i = 0; i < REMOTE_NPIPES; i++) {
		if (pipe2(fds, O_CLOEXEC) == -1)
			err(1, "remote: pipe");
		rm.rmt_pipes[i] = fds[0];
		ends[i] = fds[1];
		(void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
	}
	if ((rm.rmt_pid = fork()) == -1)
		err(1, "remote: fork");
	if (rm.rmt_pid != 0) {
		setpgid(rm.rmt_pid, rm.rmt_pid);
		if ((rm.rmt_pidfd = pidfd_open(rm.rmt_pid, 0)) == -1)
			err(1, "remote: pidfd_open");
		for (i = 0; i < REMOTE_NPIPES; i++)
			close(ends[i]);
		remote_serve(&rm);
	}
	for (i = 0; i < REMOTE_NPIPES; i++)
		close(rm.rmt_pipes[i]);
	remote_child(ends);
	*argc = rr.rmr_argc;
	*argv = rr.rmr_argv;
	*isexact = rr.rmr_isexact;
	return ends[REMOTE_RESULT];
}
