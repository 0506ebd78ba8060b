/* SPDX-License-Identifier: ISC */
/*
 * manager [-j] [-w USEC] [-l PATH] ... PROGRAM [ARGUMENT ...]
 *
 * A service manager for tests: passes listening sockets (-l), names the socket
 * for reports (and prints each line of them, "notify LINE"), and sets the
 * watchdog interval (-w).  With -j it is the journal, too: "journal FIELD".
 *
 * SIGUSR1 restarts the program: SIGTERM, its exit ("ended STATUS"), and a new
 * process with the same sockets; SIGUSR2 does so with SIGKILL.  SIGTERM ends
 * it, and its status becomes ours, as it does when it exits by itself.  SIGHUP
 * is forwarded.  "started PID" is printed at each start.
 */
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define MANAGER_FDS  8
#define FIRST_FD     3
#define JOURNAL	     "/run/systemd/journal/socket"
#define NOTIFY	     "manager.notify"
#define JOURNAL_TEXT "manager.journal" /* stderr of the program */

static int socks[MANAGER_FDS], nsocks;
static const char *watchdog;
static int journal = -1, notify, signals;
static char **program;

static int
bind_unix(int type, const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	unlink(path);
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		err(1, "%s", path);
	return fd;
}

/* The path where libsystemd looks for it, in our mount namespace. */
static void
journal_start(void)
{
	if (unshare(CLONE_NEWNS) == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("none", "/run", "tmpfs", 0, NULL) == -1 ||
	    mkdir("/run/systemd", 0755) == -1 ||
	    mkdir("/run/systemd/journal", 0755) == -1)
		err(1, "/run");
	journal = bind_unix(SOCK_DGRAM, JOURNAL);
}

static void
set_number(const char *name, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	setenv(name, text, 1);
}

static void
child_journal(void)
{
	int fd = open(JOURNAL_TEXT, O_WRONLY | O_CREAT | O_APPEND, 0644);
	struct stat st;
	char text[64];

	if (fd == -1 || fstat(fd, &st) == -1 || dup2(fd, STDERR_FILENO) == -1)
		err(126, JOURNAL_TEXT);
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
}

/* First moves the sockets away from their final numbers. */
static void
child_sockets(void)
{
	int i;

	for (i = 0; i < nsocks; i++)
		if ((socks[i] = fcntl(socks[i], F_DUPFD_CLOEXEC, 64)) == -1)
			err(126, "fcntl");
	for (i = 0; i < nsocks; i++)
		if (dup2(socks[i], FIRST_FD + i) == -1)
			err(126, "dup2");
	set_number("LISTEN_FDS", nsocks);
	set_number("LISTEN_PID", getpid());
}

static pid_t
start(void)
{
	char path[PROG_PATH], *cwd;
	sigset_t none;
	pid_t pid;

	if ((pid = prog_fork()) != 0) {
		printf("started %d\n", (int)pid);
		return pid;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	cwd = getcwd(NULL, 0);
	snprintf(path, sizeof(path), "%s/" NOTIFY, cwd);
	setenv("NOTIFY_SOCKET", path, 1);
	if (watchdog != NULL) {
		setenv("WATCHDOG_USEC", watchdog, 1);
		set_number("WATCHDOG_PID", getpid());
	}
	if (journal != -1)
		child_journal();
	if (nsocks > 0)
		child_sockets();
	execvp(program[0], program);
	err(127, "%s", program[0]);
}

/* Prints the lines of a message. */
static void
hear(int fd, const char *what)
{
	char buf[8192], *line, *next = buf;
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT);

	if (n <= 0)
		return;
	buf[n] = '\0';
	while ((line = strsep(&next, "\n")) != NULL)
		if (*line != '\0')
			printf("%s %s\n", what, line);
}

/* Prints all reports that it sent before it ended. */
static int
reap(pid_t pid)
{
	int status, i;

	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	for (i = 0; i < 64; i++) {
		hear(notify, "notify");
		if (journal != -1)
			hear(journal, "journal");
	}
	status = WIFEXITED(status) ? WEXITSTATUS(status)
				   : 128 + WTERMSIG(status);
	printf("ended %d\n", status);
	return status;
}

/* Returns whether it has ended; a restarted program also leaves a signal. */
static int
has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == pid;
}

/* Returns the process that runs now; 0: *status is the last one's. */
static pid_t
on_signal(pid_t pid, int *status)
{
	struct signalfd_siginfo si;

	if (read(signals, &si, sizeof(si)) != sizeof(si))
		err(1, "signalfd");
	switch (si.ssi_signo) {
	case SIGHUP:
		kill(pid, SIGHUP);
		return pid;
	case SIGUSR1:
	case SIGUSR2:
		kill(pid, si.ssi_signo == SIGUSR1 ? SIGTERM : SIGKILL);
		reap(pid);
		return start();
	case SIGTERM:
		kill(pid, SIGTERM);
		break;
	case SIGCHLD:
		if (!has_ended(pid))
			return pid;
		break;
	}
	*status = reap(pid);
	return 0;
}

static void
prepare_signals(void)
{
	static const int set[] = { SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD };
	sigset_t all;
	size_t i;

	sigemptyset(&all);
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		sigaddset(&all, set[i]);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if ((signals = signalfd(-1, &all, SFD_CLOEXEC)) == -1)
		err(1, "signalfd");
}

static void
parse(int argc, char **argv)
{
	int ch;

	while ((ch = getopt(argc, argv, "+jl:w:")) != -1) {
		if (ch == 'j')
			journal_start();
		else if (ch == 'w')
			watchdog = optarg;
		else if (ch == 'l' && nsocks < MANAGER_FDS) {
			socks[nsocks] = bind_unix(SOCK_STREAM, optarg);
			if (chmod(optarg, 0666) == -1 ||
			    listen(socks[nsocks++], 64) == -1)
				err(1, "%s", optarg);
		} else
			exit(2);
	}
	program = argv + optind;
	if (*program == NULL)
		errx(2, "no program");
}

int
main(int argc, char **argv)
{
	struct pollfd pfd[3] = { { .events = POLLIN }, { .events = POLLIN },
		{ .events = POLLIN } };
	int status = 0;
	pid_t pid;

	setlinebuf(stdout);
	prog_init("manager", PROG_DEADLINE);
	parse(argc, argv);
	prepare_signals();
	notify = bind_unix(SOCK_DGRAM, NOTIFY);
	pid = start();
	pfd[0].fd = notify;
	pfd[1].fd = journal;
	pfd[2].fd = signals;
	while (pid != 0 && poll(pfd, 3, -1) > 0) {
		hear(notify, "notify");
		if (journal != -1)
			hear(journal, "journal");
		if (pfd[2].revents != 0)
			pid = on_signal(pid, &status);
	}
	return status;
}
