/* SPDX-License-Identifier: ISC */
/*
 * Starts the command of command.h.  The child waits in read(2) on a pipe and
 * exits if the pipe is closed without a byte, so also when dt dies.  PATH is
 * searched before, so the child calls execve(2) once; a file that the kernel
 * cannot execute (ENOEXEC: a script without "#!") is passed to /bin/sh by a
 * second call, as execvp(3) does.
 *
 * The child takes the name that the kernel will give to the command, since the
 * entry of execve(2), the first event of the command, has the name of the
 * caller.
 */
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/session/command.h"

/* Statuses of env(1) */
#define COMMAND_NOEXEC	 126
#define COMMAND_NOTFOUND 127

void
command_init(struct command *co)
{
	memset(co, 0, sizeof(*co));
	co->cd_pidfd = co->cd_gofd = -1;
}

/* Returns 0, or the errno of execve(2) for a common failure. */
static int
command_check(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) == -1 ? errno : 0;
}

/* Finds the first executable file in PATH. */
char *
command_find(const char *name)
{
	const char *dir, *path = getenv("PATH");
	char *file;
	size_t n;
	int error, why = ENOENT;

	if (strchr(name, '/') != NULL || *name == '\0') {
		if ((errno = command_check(name)) != 0)
			return NULL;
		return strdup(name);
	}
	for (dir = path ? path : "/bin:/usr/bin";; dir += n + 1) {
		n = strcspn(dir, ":");
		if (asprintf(&file, "%.*s%s%s", (int)n, dir, n ? "/" : "",
			name) == -1)
			return NULL;
		if ((error = command_check(file)) == 0)
			return file;
		free(file);
		if (error == EACCES)
			why = error; /* it exists, but may not be executed */
		if (dir[n] == '\0')
			break;
	}
	errno = why;
	return NULL;
}

static void __attribute__((noreturn)) command_fail(const char *name)
{
	int error = errno;

	warn("'%s'", name);
	_exit(error == ENOENT ? COMMAND_NOTFOUND : COMMAND_NOEXEC);
}

/* Sets the process name as execve(2) of this file would. */
static void
command_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	(void)prctl(PR_SET_NAME, slash != NULL ? slash + 1 : file);
}

/* Returns, with errno, if the kernel does not execute the file. */
static void
command_exec(const char *file, char **argv)
{
	char **shargv;
	size_t n;

	execv(file, argv);
	if (errno != ENOEXEC)
		return;
	for (n = 1; argv[n] != NULL; n++)
		continue;
	if ((shargv = calloc(n + 2, sizeof(*shargv))) == NULL)
		return;
	shargv[0] = _PATH_BSHELL;
	shargv[1] = (char *)file;
	memcpy(shargv + 2, argv + 1, (n - 1) * sizeof(*shargv));
	command_name(_PATH_BSHELL);
	execv(_PATH_BSHELL, shargv);
}

static void __attribute__((noreturn))
command_child(const struct command *co, int fd, const char *file, char **argv)
{
	ssize_t n;
	char c;

	sigs_restore();
	command_name(file);
	if (co->cd_prepare != NULL)
		co->cd_prepare(co->cd_arg);
	do
		n = read(fd, &c, 1);
	while (n == -1 && errno == EINTR);
	if (n != 1)
		_exit(COMMAND_NOEXEC);
	command_exec(file, argv);
	command_fail(argv[0]);
}

void
command_start(struct command *co, char **argv)
{
	char *file;
	int fds[2];

	if ((file = command_find(argv[0])) == NULL)
		command_fail(argv[0]);
	if (pipe2(fds, O_CLOEXEC) == -1)
		err(1, "pipe");
	if ((co->cd_pid = fork()) == -1)
		err(1, "fork");
	if (co->cd_pid == 0) {
		close(fds[1]);
		command_child(co, fds[0], file, argv);
	}
	free(file);
	close(fds[0]);
	co->cd_gofd = fds[1];
	if ((co->cd_pidfd = pidfd_open(co->cd_pid, 0)) == -1)
		err(1, "pidfd_open");
}

void
command_go(struct command *co)
{
	if (co->cd_gofd == -1)
		return;
	/* EPIPE if the child was killed: then it has ended */
	(void)!write(co->cd_gofd, "", 1);
	close(co->cd_gofd);
	co->cd_gofd = -1;
}

void
command_kill(const struct command *co, int signo)
{
	if (co->cd_pid > 0 && !co->cd_ended)
		kill(co->cd_pid, signo);
}

int
command_wait(struct command *co, int block)
{
	int status;
	pid_t pid;

	if (co->cd_pid == 0 || co->cd_ended)
		return co->cd_ended;
	do
		pid = waitpid(co->cd_pid, &status, block ? 0 : WNOHANG);
	while (pid == -1 && errno == EINTR);
	if (pid == 0)
		return 0;
	co->cd_ended = 1;
	if (pid == -1)
		co->cd_status = COMMAND_NOEXEC;
	else if (WIFSIGNALED(status))
		co->cd_status = 128 + WTERMSIG(status);
	else
		co->cd_status = WEXITSTATUS(status);
	close(co->cd_pidfd);
	co->cd_pidfd = -1;
	return 1;
}
