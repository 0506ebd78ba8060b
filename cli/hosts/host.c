/* SPDX-License-Identifier: ISC */
/*
 * Runs ssh(1) and reads the messages of hosts_message.h.  The command there is
 * always 'dt remote': its arguments follow on standard input, unseen by the
 * shell there.
 */
#include <sys/pidfd.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/hosts/host.h"
#include "cli/hosts/hosts_message.h"

#define HOST_MAXNOISE (64 << 10) /* bytes before HOSTS_HELLO */
#define HOST_MAXLINE  (4 << 20)	 /* bytes of a line */
#define HOST_READ     65536
#define HOST_ROUNDS   64 /* reads of what ssh has left */

#define SSH_FAILED    255 /* exit statuses: of ssh itself, */
#define SSH_NOTFOUND  127 /* and of the shell there */

/*
 * ssh uses the first value of an option, so options of the user's command
 * override these.
 */
static const char *const host_options[] = { "-T", "-x", "-oBatchMode=yes",
	"-oConnectTimeout=10", "-oServerAliveInterval=15" };
#define HOST_NOPTIONS (sizeof(host_options) / sizeof(host_options[0]))

static void __attribute__((format(printf, 2, 3)))
host_fail(struct host *ho, const char *fmt, ...)
{
	va_list ap;

	if (ho->hst_why[0] != '\0')
		return;
	va_start(ap, fmt);
	vsnprintf(ho->hst_why, sizeof(ho->hst_why), fmt, ap);
	va_end(ap);
}

/* Start */

struct host *
host_list(const char *names, unsigned int *n)
{
	struct host *list = NULL;
	size_t len;

	for (*n = 0;; names += len + 1) {
		len = strcspn(names, ",");
		list = reallocarray(list, *n + 1, sizeof(*list));
		if (list == NULL)
			err(1, NULL);
		memset(&list[*n], 0, sizeof(*list));
		list[*n].hst_i = *n;
		if ((list[*n].hst_name = strndup(names, len)) == NULL)
			err(1, NULL);
		(*n)++;
		if (names[len] == '\0')
			return list;
	}
}

const char *
host_ssh(const struct opts *o)
{
	const char *env = getenv("DT_SSH");

	if (o->o_hosts.ohs_ssh != NULL)
		return o->o_hosts.ohs_ssh;
	return env != NULL && *env != '\0' ? env : "ssh";
}

/*
 * Ctrl-C of the terminal must not end ssh before the answer arrives, so ssh is
 * in another session.
 */
static void __attribute__((noreturn))
host_exec(const struct host *ho, const char *ssh, const int fds[3])
{
	const char *argv[HOST_NOPTIONS + 9];
	unsigned int n = 0, i;
	char *command;

	for (i = 0; i < 3; i++)
		if (dup2(fds[i], i) == -1)
			_exit(1);
	sigs_restore();
	setsid();
	if (asprintf(&command, "exec %s \"$@\"", ssh) == -1)
		_exit(1);
	argv[n++] = "sh";
	argv[n++] = "-c";
	argv[n++] = command;
	argv[n++] = "dt";
	for (i = 0; i < HOST_NOPTIONS; i++)
		argv[n++] = host_options[i];
	argv[n++] = "--";
	argv[n++] = ho->hst_name;
	argv[n++] = HOSTS_COMMAND;
	argv[n] = NULL;
	execv(_PATH_BSHELL, (char *const *)argv);
	warn("%s", _PATH_BSHELL);
	_exit(1);
}

void
host_start(struct host *ho, const char *ssh, const struct buf *request)
{
	int in[2], out[2], error[2];
	unsigned int i;

	for (i = 0; i < HOST_NLINES; i++)
		buf_init(&ho->hst_lines[i], -1);
	buf_init(&ho->hst_got, -1);
	buf_init(&ho->hst_send, -1);
	buf_mem(&ho->hst_send, request->b_data, request->b_len);
	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1 ||
	    pipe2(error, O_CLOEXEC) == -1)
		err(1, "pipe");
	if ((ho->hst_pid = fork()) == -1)
		err(1, "fork");
	if (ho->hst_pid == 0)
		host_exec(ho, ssh, (const int[]){ in[0], out[1], error[1] });
	if ((ho->hst_pidfd = pidfd_open(ho->hst_pid, 0)) == -1)
		err(1, "pidfd_open");
	close(in[0]);
	close(out[1]);
	close(error[1]);
	ho->hst_in = in[1];
	ho->hst_out = out[0];
	ho->hst_err = error[0];
	for (i = 0; i < 3; i++)
		(void)fcntl((const int[]){ ho->hst_in, ho->hst_out,
				ho->hst_err }[i],
		    F_SETFL, O_NONBLOCK);
}

/* Lines */

/* Splits bytes into lines.  A line that is too long becomes several. */
static void
host_lines(struct host *ho, enum host_line kind, const char *data, size_t n,
    host_line_fn *fn, void *arg)
{
	struct buf *b = &ho->hst_lines[kind];
	const char *end;
	size_t len;

	for (; n > 0; data += len, n -= len) {
		end = memchr(data, '\n', n);
		len = end != NULL ? (size_t)(end - data) : n;
		buf_mem(b, data, len);
		if (end == NULL && b->b_len < HOST_MAXLINE)
			return;
		buf_c(b, '\0');
		fn(arg, ho, kind, b->b_data, b->b_len - 1);
		b->b_len = 0;
		len += end != NULL;
	}
}

/* Passes on lines whose end did not arrive. */
static void
host_lines_end(struct host *ho, host_line_fn *fn, void *arg)
{
	unsigned int i;

	for (i = 0; i < HOST_NLINES; i++)
		if (ho->hst_lines[i].b_len > 0)
			host_lines(ho, i, "\n", 1, fn, arg);
}

/* Messages */

/* Removes the first n bytes of a buffer. */
static void
host_shift(struct buf *b, size_t n)
{
	b->b_len -= n;
	memmove(b->b_data, b->b_data + n, b->b_len);
}

/* Returns the first line, terminated, and its length with the newline. */
static char *
host_first_line(struct buf *b, size_t *len)
{
	char *end = b->b_len > 0 ? memchr(b->b_data, '\n', b->b_len) : NULL;

	if (end == NULL)
		return NULL;
	*end = '\0';
	*len = end + 1 - b->b_data;
	return b->b_data;
}

/* Finds the greeting, after what the shell's start files may print. */
static void
host_hello(struct host *ho)
{
	const size_t head = strlen(HOSTS_HELLO);
	const char *line;
	size_t len;

	while (!ho->hst_isready &&
	    (line = host_first_line(&ho->hst_got, &len)) != NULL) {
		if (strncmp(line, HOSTS_HELLO, head) != 0)
			ho->hst_nnoise += len;
		else if (strcmp(line + head, DT_RELEASE) != 0) {
			host_fail(ho,
			    "has dt %.64s, and this is dt " DT_RELEASE
			    "; install the same version",
			    line + head);
			host_stop(ho, "");
			return;
		} else
			ho->hst_isready = 1;
		host_shift(&ho->hst_got, len);
	}
	if (!ho->hst_isready &&
	    ho->hst_nnoise + ho->hst_got.b_len > HOST_MAXNOISE)
		host_stop(ho, "its shell prints too much before dt starts");
}

/* Handles the first message of a buffer; returns its bytes, 0: incomplete. */
static size_t
host_message(struct host *ho, const char *p, size_t nbytes, host_line_fn *fn,
    void *arg)
{
	static const char types[HOST_SSH] = { HOSTS_RESULT, HOSTS_STDOUT,
		HOSTS_STDERR };
	const unsigned char *u = (const unsigned char *)p;
	const char *type;
	size_t len;

	if (nbytes < HOSTS_HEAD)
		return 0;
	len = (size_t)u[1] << 24 | u[2] << 16 | u[3] << 8 | u[4];
	type = memchr(types, p[0], sizeof(types));
	if (ho->hst_hasended || len > HOSTS_MAXMSG ||
	    (type == NULL && (p[0] != HOSTS_STATUS || len != 1))) {
		host_stop(ho, "sent a malformed message");
		return 0;
	}
	if (nbytes < HOSTS_HEAD + len)
		return 0;
	if (type != NULL)
		host_lines(ho, type - types, p + HOSTS_HEAD, len, fn, arg);
	else {
		ho->hst_hasended = 1;
		ho->hst_status = u[HOSTS_HEAD];
	}
	return HOSTS_HEAD + len;
}

static void
host_messages(struct host *ho, host_line_fn *fn, void *arg)
{
	struct buf *b = &ho->hst_got;
	size_t at = 0, n;

	while (ho->hst_why[0] == '\0' &&
	    (n = host_message(ho, b->b_data + at, b->b_len - at, fn, arg)) > 0)
		at += n;
	host_shift(b, at);
}

/* Reads once; returns 0 if nothing is there. */
static int
host_read(struct host *ho, int *fd, host_line_fn *fn, void *arg)
{
	char data[HOST_READ];
	ssize_t n;

	if (*fd == -1)
		return 0;
	n = read(*fd, data, sizeof(data));
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	if (fd == &ho->hst_err)
		host_lines(ho, HOST_SSH, data, n, fn, arg);
	else if (ho->hst_why[0] == '\0') {
		buf_mem(&ho->hst_got, data, n);
		host_hello(ho);
		if (ho->hst_isready)
			host_messages(ho, fn, arg);
	}
	return 1;
}

/* Sends what the machine may get: nothing before its greeting. */
static void
host_write(struct host *ho)
{
	ssize_t n;

	n = write(ho->hst_in, ho->hst_send.b_data + ho->hst_sent,
	    ho->hst_send.b_len - ho->hst_sent);
	if (n > 0)
		ho->hst_sent += n;
	if (n == -1 && errno != EAGAIN && errno != EINTR) {
		close(ho->hst_in);
		ho->hst_in = -1;
	}
}

/* End */

/* Says why there is no answer, after ssh has ended without one. */
static void
host_explain(struct host *ho)
{
	int status = ho->hst_sshstatus;

	if (ho->hst_hasended)
		return;
	if (WIFSIGNALED(status))
		host_fail(ho, "ssh was killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == SSH_FAILED)
		host_fail(ho, "%s",
		    ho->hst_isready ? "the connection broke"
				    : "ssh could not connect");
	else if (ho->hst_isready)
		host_fail(ho, "dt exited early there, with status %d",
		    WEXITSTATUS(status));
	else if (WEXITSTATUS(status) == SSH_NOTFOUND)
		host_fail(ho, "there is no dt in the PATH of commands there");
	else
		host_fail(ho,
		    "has another version of dt, which has no 'dt remote', or a "
		    "shell that runs no commands (exit status %d)",
		    WEXITSTATUS(status));
}

static void
host_reap(struct host *ho, host_line_fn *fn, void *arg)
{
	pid_t pid;
	int i;

	do
		pid = waitpid(ho->hst_pid, &ho->hst_sshstatus, 0);
	while (pid == -1 && errno == EINTR);
	ho->hst_pid = 0;
	close(ho->hst_pidfd);
	ho->hst_pidfd = -1;
	/* a shared connection's master may keep the descriptors open */
	for (i = 0; i < HOST_ROUNDS && host_read(ho, &ho->hst_err, fn, arg);
	     i++)
		;
	while (host_read(ho, &ho->hst_out, fn, arg))
		;
	host_lines_end(ho, fn, arg);
	host_explain(ho);
}

void
host_poll(const struct host *ho, struct pollfd *pfd, int ispaused)
{
	int hasbytes = ho->hst_isready && ho->hst_sent < ho->hst_send.b_len;

	pfd[0] = (struct pollfd){ .fd = ho->hst_in,
		.events = hasbytes ? POLLOUT : 0 };
	if (!hasbytes)
		pfd[0].fd = -1;
	pfd[1] = (struct pollfd){ .fd = ispaused ? -1 : ho->hst_out,
		.events = POLLIN };
	pfd[2] = (struct pollfd){ .fd = ho->hst_err, .events = POLLIN };
	pfd[3] = (struct pollfd){ .fd = ispaused ? -1 : ho->hst_pidfd,
		.events = POLLIN };
}

void
host_serve(struct host *ho, const struct pollfd *pfd, host_line_fn *fn,
    void *arg)
{
	if (pfd[0].revents != 0)
		host_write(ho);
	if (pfd[1].revents != 0)
		host_read(ho, &ho->hst_out, fn, arg);
	if (pfd[2].revents != 0)
		host_read(ho, &ho->hst_err, fn, arg);
	if (pfd[3].revents != 0)
		host_reap(ho, fn, arg);
}

int
host_isover(const struct host *ho)
{
	return ho->hst_pid == 0;
}

void
host_interrupt(struct host *ho)
{
	if (host_isover(ho))
		return;
	if (!ho->hst_isready)
		host_stop(ho, "had not answered yet");
	else
		buf_c(&ho->hst_send, HOSTS_INTERRUPT);
}

void
host_stop(struct host *ho, const char *why)
{
	host_fail(ho, "%s", why);
	if (ho->hst_pid != 0)
		kill(ho->hst_pid, SIGTERM);
}

pid_t
host_abandon(struct host *ho)
{
	pid_t pid = ho->hst_pid;

	if (pid == 0)
		return 0;
	kill(pid, SIGTERM);
	close(ho->hst_pidfd);
	ho->hst_pidfd = -1;
	ho->hst_pid = 0;
	return pid;
}

void
host_free(struct host *ho)
{
	const int fds[] = { ho->hst_in, ho->hst_out, ho->hst_err };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (fds[i] != -1)
			close(fds[i]);
	for (i = 0; i < HOST_NLINES; i++)
		buf_free(&ho->hst_lines[i]);
	buf_free(&ho->hst_got);
	buf_free(&ho->hst_send);
	free(ho->hst_name);
}
