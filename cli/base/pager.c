/* SPDX-License-Identifier: ISC */
/* Starts the pager of pager.h, and waits for it. */
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/pager.h"
#include "cli/base/program.h"
#include "cli/base/sigs.h"

#define PAGER_DEFAULT "less"
#define PAGER_LESS    "FRX" /* ends if one screen suffices, colours, no clear */

/* Exit status of a shell that cannot run a command. */
#define PAGER_CANNOT   126
#define PAGER_NOTFOUND 127

static int pager_isoff;
static const char *pager_wanted; /* the command; NULL: none, or it runs */
static volatile sig_atomic_t pager_pid; /* 0: it does not run */
static pid_t pager_owner;		/* the process that started it */
static int pager_tty = -1;		/* the terminal */
static int pager_null = -1;		/* replaces the pipe at the end */
static int pager_haserr;		/* stderr is the pipe, too */

void
pager_off(void)
{
	pager_isoff = 1;
}

/* Returns the command, or NULL. */
static const char *
pager_command(void)
{
	const char *command = getenv("DT_PAGER");

	if (command == NULL)
		command = getenv("PAGER");
	if (command == NULL)
		return program_exists(PAGER_DEFAULT) ? PAGER_DEFAULT : NULL;
	return *command == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

void
pager_want(void)
{
	const char *term = getenv("TERM");

	if (pager_isoff || pager_isused() || !isatty(STDOUT_FILENO) ||
	    term == NULL || strcmp(term, "dumb") == 0)
		return;
	pager_wanted = pager_command();
}

int
pager_isused(void)
{
	return pager_wanted != NULL || pager_pid != 0;
}

/*
 * Closes the pipe and waits.  A private dtd may have inherited it as its
 * stderr, and ends when its connections are closed.  Only async-signal-safe
 * functions.
 */
static int
pager_finish(void)
{
	int status = 0;

	dup2(pager_null, STDOUT_FILENO);
	if (pager_haserr)
		dup2(pager_null, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	while (waitpid(pager_pid, &status, 0) == -1 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void
pager_exit(void)
{
	int status;

	if (getpid() != pager_owner)
		return;
	(void)fflush(stdout);
	status = pager_finish();
	if (status == PAGER_CANNOT || status == PAGER_NOTFOUND)
		_exit(1); /* after the shell's message; the output is lost */
}

/* The pager goes on, and with it the terminal that the shell would take. */
static void
pager_signal(int signo)
{
	pager_finish();
	_exit(128 + signo);
}

static void
pager_signals(void)
{
	static const int list[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = pager_signal }, old;
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		sigaction(list[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(list[i], &sa, NULL);
	}
	/* a pager that the user has left: writes fail with EPIPE */
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

static void
pager_run(const char *command, int fd)
{
	dup2(fd, STDIN_FILENO);
	sigs_restore();
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(PAGER_NOTFOUND);
}

void
pager_begin(void)
{
	const char *command = pager_wanted;
	int fds[2];

	if (command == NULL)
		return;
	pager_wanted = NULL;
	if (setenv("LESS", PAGER_LESS, 0) == -1 || pipe2(fds, O_CLOEXEC) == -1)
		err(1, "pager");
	pager_null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pager_tty = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	pager_owner = getpid();
	if (pager_null == -1 || pager_tty == -1 || (pager_pid = fork()) == -1)
		err(1, "pager");
	if (pager_pid == 0)
		pager_run(command, fds[0]);
	close(fds[0]);
	pager_haserr = isatty(STDERR_FILENO);
	dup2(fds[1], STDOUT_FILENO);
	if (pager_haserr)
		dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	pager_signals();
	(void)atexit(pager_exit);
}

int
pager_size(int fd, struct winsize *ws)
{
	int ispager = pager_tty != -1 &&
	    (fd == STDOUT_FILENO || (fd == STDERR_FILENO && pager_haserr));

	return ioctl(ispager ? pager_tty : fd, TIOCGWINSZ, ws);
}
