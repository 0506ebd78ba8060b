/* SPDX-License-Identifier: ISC */
/*
 * The case that runs, its evidence, and the processes that live as long as it
 * does: the service, and ask(1).
 */
#ifndef RUN_PEER_H
#define RUN_PEER_H

#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/run_case.h"
#include "tests/run/prog/run_clean.h"

#define RUN_EXCERPT   1500 /* bytes of output that evidence prints */
#define RUN_LEFTOVERS 10   /* s until processes of a case must have ended */

/* The case that runs. */
struct run {
	const struct testcase *r_case;
	char r_dir[80]; /* $T */
	pid_t r_dtd;	/* 0: none */
	pid_t r_ask;
	int r_askin, r_askout; /* pipes; -1: closed */
	int r_failed;
	char *r_out, *r_err;	      /* of the last step */
	uint32_t r_ids[CLEAN_NKINDS]; /* before the case */
};

static const char *current; /* file of the case, without its folder */
static int slow = 1;	    /* factor for all time limits */
static char reason[200];    /* why the last failed case failed, one line */

/* Appends the last line of text that is not empty to the reason. */
static void
run_reason(const char *text)
{
	size_t n = strlen(text), len = strlen(reason), i;

	while (n > 0 && text[n - 1] == '\n')
		n--;
	for (i = n; i > 0 && text[i - 1] != '\n';)
		i--;
	if (i == n)
		return;
	snprintf(reason + len, sizeof(reason) - len, "%s%.*s",
	    len > 0 ? ": " : "", (int)(n - i), text + i);
	/* a tab separates the fields of a result */
	for (; reason[len] != '\0'; len++)
		if (reason[len] == '\t')
			reason[len] = ' ';
}

/* Prints evidence, indented; the first call prints the FAIL line before it. */
static void __attribute__((format(printf, 2, 3)))
run_fail(struct run *r, const char *fmt, ...)
{
	char text[sizeof(reason)];
	va_list ap;

	if (!r->r_failed) {
		printf("FAIL %s: %s\n", current, r->r_case->tc_name);
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		*reason = '\0';
		run_reason(text);
	}
	r->r_failed = 1;
	printf("    ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static void
run_excerpt(const char *what, const char *text)
{
	size_t i, n = strlen(text);

	if (n == 0)
		return;
	printf("    %s:\n", what);
	for (i = 0; i < n && i < RUN_EXCERPT; i++) {
		if (i == 0 || text[i - 1] == '\n')
			printf("    | ");
		putchar(text[i]);
	}
	if (i < n)
		printf("\n    | ... %zu bytes more", n - i);
	if (i < n || text[n - 1] != '\n')
		putchar('\n');
}

static char *
run_path(const struct run *r, const char *name)
{
	static char path[sizeof(r->r_dir) + 24];

	snprintf(path, sizeof(path), "%s/%s", r->r_dir, name);
	return path;
}

static int64_t
run_deadline(const struct run *r)
{
	return clean_now() + (int64_t)r->r_case->tc_timeout * slow * 1000;
}

/*
 * Waits for a child.  Returns 0 and its status like a shell, or -1 if its time
 * is over; then it is killed with its process group.
 */
static int
run_wait(pid_t pid, int64_t deadline, int *status)
{
	struct pollfd pfd = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	int64_t left = deadline - clean_now();
	int n, ws;

	do
		n = poll(&pfd, 1, left > 0 ? left : 0);
	while (n == -1 && errno == EINTR);
	close(pfd.fd);
	if (n == 0) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, &ws, 0) == -1 && errno == EINTR)
		continue;
	*status = WIFEXITED(ws) ? WEXITSTATUS(ws) : 128 + WTERMSIG(ws);
	return n == 0 ? -1 : 0;
}

static void
run_redirect(int fd, const char *path, int flags)
{
	int to = open(path, flags, 0644);

	if (to == -1 || dup2(to, fd) == -1)
		err(126, "%s", path);
	close(to);
}

/*
 * Between fork and exec: sets a process group and the folder, unblocks signals.
 */
static void
run_child(const struct run *r)
{
	setpgid(0, 0);
	/* a shell starts background commands without SIGINT */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (chdir(r->r_dir) == -1)
		err(126, "%s", r->r_dir);
}

/*
 * The service
 */

/* Returns whether a process listens there. */
static int
run_listens(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

	strncpy(sun.sun_path, path, sizeof(sun.sun_path) - 1);
	r = connect(sock, (struct sockaddr *)&sun, sizeof(sun));
	close(sock);
	return r == 0;
}

static void
run_service_conf(const struct run *r)
{
	FILE *fp = fopen(run_path(r, "conf"), "we");

	if (fp == NULL)
		err(1, "%s", run_path(r, "conf"));
	fprintf(fp, "directory = %s/run\n%s\n", r->r_dir,
	    r->r_case->tc_service);
	fclose(fp);
}

static void
run_service(struct run *r)
{
	char conf[128], pid[16];
	int64_t end = run_deadline(r);
	const char *dtd = getenv("DT_DTD");

	run_service_conf(r);
	snprintf(conf, sizeof(conf), "%s", run_path(r, "conf"));
	if ((r->r_dtd = fork()) == 0) {
		run_child(r);
		run_redirect(0, "/dev/null", O_RDONLY);
		run_redirect(1, "dtd.log", O_WRONLY | O_CREAT | O_APPEND);
		dup2(1, 2);
		execl(dtd, "dtd", "-v", "-c", conf, (char *)NULL);
		err(127, "%s", dtd);
	}
	snprintf(pid, sizeof(pid), "%d", (int)r->r_dtd);
	setenv("DTD_PID", pid, 1);
	while (!run_listens(run_path(r, "run/dt"))) {
		if (clean_now() > end ||
		    waitpid(r->r_dtd, NULL, WNOHANG) == r->r_dtd) {
			run_fail(r, "the service does not listen");
			r->r_dtd = clean_now() > end ? r->r_dtd : 0;
			break;
		}
		clean_pause(2);
	}
}

static void
run_service_wait(struct run *r)
{
	int status;

	if (r->r_dtd == 0)
		return;
	kill(r->r_dtd, SIGTERM);
	if (run_wait(r->r_dtd, clean_now() + RUN_LEFTOVERS * slow * 1000,
		&status) == -1)
		run_fail(r, "the service does not end by SIGTERM");
	else if (status != 0)
		run_fail(r, "the service ended with status %d", status);
	r->r_dtd = 0;
}

static void
run_service_end(struct run *r)
{
	char *log;

	run_service_wait(r);
	if (!r->r_failed || r->r_case->tc_service == NULL)
		return;
	log = case_slurp(run_path(r, "dtd.log"));
	run_excerpt("log of the service", log);
	free(log);
}

/*
 * ask(1): lives as long as the case, and replies to each line with a line.
 */

static void
run_ask_start(struct run *r)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1)
		err(1, "pipe");
	if ((r->r_ask = fork()) == 0) {
		run_child(r);
		dup2(in[0], 0);
		dup2(out[1], 1);
		run_redirect(2, "ask.err", O_WRONLY | O_CREAT | O_APPEND);
		execlp("ask", "ask", (char *)NULL);
		err(127, "ask");
	}
	close(in[0]);
	close(out[1]);
	r->r_askin = in[1];
	r->r_askout = out[0];
}

/*
 * Returns a line from ask, without its end; NULL if it died or takes too long.
 */
static char *
run_ask_line(struct run *r, int64_t deadline)
{
	struct pollfd pfd = { .fd = r->r_askout, .events = POLLIN };
	char *line = NULL;
	size_t len = 0;
	int64_t left;

	for (;;) {
		if ((line = realloc(line, len + 2)) == NULL)
			err(1, NULL);
		left = deadline - clean_now();
		if (poll(&pfd, 1, left > 0 ? left : 0) != 1 ||
		    read(r->r_askout, line + len, 1) != 1) {
			free(line);
			return NULL;
		}
		if (line[len] == '\n')
			break;
		len++;
	}
	line[len] = '\0';
	return line;
}

static int
run_ask(struct run *r, const struct step *sp)
{
	char *p, *text;
	int ok;

	if (r->r_ask == 0)
		run_ask_start(r);
	if (asprintf(&text, "%s\n", sp->sp_text) == -1)
		err(1, NULL);
	for (p = text; p[1] != '\0'; p++)
		if (*p == '\n')
			*p = ' ';
	ok = write(r->r_askin, text, strlen(text)) == (ssize_t)strlen(text);
	free(text);
	r->r_out = ok ? run_ask_line(r, run_deadline(r)) : NULL;
	r->r_err = strdup("");
	if (r->r_out != NULL)
		return 0;
	r->r_out = strdup("");
	run_fail(r, "ASK %s: no answer", sp->sp_text);
	return -1;
}

static void
run_ask_end(struct run *r)
{
	char *log;
	int status;

	if (r->r_ask == 0)
		return;
	close(r->r_askin);
	if (run_wait(r->r_ask, clean_now() + RUN_LEFTOVERS * slow * 1000,
		&status) == -1)
		run_fail(r, "ask does not end");
	else if (status != 0)
		run_fail(r, "ask ended with status %d", status);
	close(r->r_askout);
	if (r->r_failed) {
		log = case_slurp(run_path(r, "ask.err"));
		run_excerpt("stderr of ask", log);
		free(log);
	}
}

#endif /* RUN_PEER_H */
