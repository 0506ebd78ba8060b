/* SPDX-License-Identifier: ISC */
/*
 * Handles signals as described in sigs.h.  Before sigs_init() the functions
 * work, too, but change no signal.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/sigs.h"

static const int sigs_list[] = { SIGINT, SIGTERM, SIGHUP };
#define SIGS_N (sizeof(sigs_list) / sizeof(sigs_list[0]))

static volatile sig_atomic_t sigs_n;	  /* signals received */
static volatile sig_atomic_t sigs_nsaves; /* SIGUSR1 received, not in sigs_n */
static volatile sig_atomic_t sigs_signo;
static volatile sig_atomic_t sigs_byprocess;
static int sigs_last; /* number of signals that are handled */
static int sigs_inited, sigs_held;
static int sigs_isearly;       /* sigs_old is set */
static sigset_t sigs_waitmask; /* mask while waiting */
static sigset_t sigs_oldmask;  /* initial mask */
static struct sigaction sigs_old[SIGS_N], sigs_oldpipe, sigs_oldusr1;
static int sigs_readfd = -1; /* of sigs_meanwhile() */
static int (*sigs_read)(void *);
static void *sigs_readarg;

static void
sigs_handler(int signo, siginfo_t *info, void *ctx)
{
	(void)ctx;
	if (sigs_n >= sigs_last) {
		signal(signo, SIG_DFL);
		raise(signo); /* takes effect when this handler returns */
		return;
	}
	sigs_signo = signo;
	sigs_byprocess = info->si_code <= 0;
	sigs_n = sigs_n + 1;
}

static void
sigs_save(int signo)
{
	(void)signo;
	sigs_nsaves = sigs_nsaves + 1;
}

/* Has its default action at the second time. */
static void
sigs_nothing(int signo)
{
	static const char text[] = "dt: ended before the recording began\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) == -1)
		_exit(128 + signo);
	raise(signo);
}

void
sigs_early(void)
{
	struct sigaction sa = { .sa_handler = sigs_nothing,
		.sa_flags = SA_RESETHAND };
	size_t i;

	for (i = 0; i < SIGS_N; i++) {
		sigaction(sigs_list[i], NULL, &sigs_old[i]);
		if (sigs_old[i].sa_handler != SIG_IGN)
			sigaction(sigs_list[i], &sa, NULL);
	}
	sigs_isearly = 1;
}

void
sigs_hold(void)
{
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, &sigs_oldmask);
	sigs_held = 1;
}

/* Unblocks the signal of sigs_hold() while dt waits. */
static void
sigs_init_held(void)
{
	struct sigaction sa = { .sa_handler = sigs_save };

	if (!sigs_held)
		return;
	sigdelset(&sigs_waitmask, SIGUSR1);
	sigaction(SIGUSR1, &sa, &sigs_oldusr1);
}

void
sigs_init(int last)
{
	struct sigaction sa = {
		.sa_sigaction = sigs_handler, .sa_flags = SA_SIGINFO,
	}, ign = {
		.sa_handler = SIG_IGN,
	};
	sigset_t block;
	size_t i;

	sigs_last = last;
	if (sigs_inited)
		return;
	sigemptyset(&sa.sa_mask);
	sigemptyset(&block);
	if (!sigs_held)
		sigprocmask(SIG_SETMASK, NULL, &sigs_oldmask);
	sigs_waitmask = sigs_oldmask;
	for (i = 0; i < SIGS_N; i++) {
		if (!sigs_isearly)
			sigaction(sigs_list[i], NULL, &sigs_old[i]);
		/* nohup(1), and shells that start dt in the background */
		if (sigs_old[i].sa_handler == SIG_IGN)
			continue;
		sigaddset(&block, sigs_list[i]);
		sigdelset(&sigs_waitmask, sigs_list[i]);
		sigaction(sigs_list[i], &sa, NULL);
	}
	sigaction(SIGPIPE, &ign, &sigs_oldpipe);
	sigs_init_held();
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigs_inited = 1;
}

void
sigs_restore(void)
{
	size_t i;

	for (i = 0; i < SIGS_N && (sigs_inited || sigs_isearly); i++)
		sigaction(sigs_list[i], &sigs_old[i], NULL);
	if (sigs_inited) {
		sigaction(SIGPIPE, &sigs_oldpipe, NULL);
		if (sigs_held)
			sigaction(SIGUSR1, &sigs_oldusr1, NULL);
	}
	if (sigs_inited || sigs_held)
		sigprocmask(SIG_SETMASK, &sigs_oldmask, NULL);
}

int
sigs_poll(struct pollfd *fds, unsigned int n, int64_t nsecs)
{
	struct timespec ts = {
		.tv_sec = nsecs / 1000000000,
		.tv_nsec = nsecs % 1000000000,
	};

	return ppoll(fds, n, nsecs < 0 ? NULL : &ts,
	    sigs_inited ? &sigs_waitmask : NULL);
}

int
sigs_count(int *signo, int *byprocess)
{
	sigs_poll(NULL, 0, 0);
	*signo = sigs_signo;
	*byprocess = sigs_byprocess;
	return sigs_n;
}

int
sigs_saves(void)
{
	return sigs_nsaves;
}

void
sigs_meanwhile(int fd, int (*fn)(void *), void *arg)
{
	sigs_readfd = fd;
	sigs_read = fn;
	sigs_readarg = arg;
}

void
sigs_wait_writable(int fd)
{
	struct pollfd pfd[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = sigs_readfd, .events = POLLIN },
	};
	int n;

	do {
		if ((n = sigs_poll(pfd, 2, -1)) == -1)
			continue;
		if (pfd[1].revents != 0 && !sigs_read(sigs_readarg))
			pfd[1].fd = -1;
	} while (n == -1 ? errno == EINTR : pfd[0].revents == 0);
}

void
sigs_die(int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	signal(signo, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
	_exit(128 + signo);
}
