/* SPDX-License-Identifier: ISC */
/*
 * Starts dt-symbolizer by posix_spawn(3).  The process inherits two sockets and
 * no other descriptor: one for requests and replies, and one on which it only
 * receives files.
 */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/sym/symbolizer_spawn.h"
#include "wire/symbolizer.h"

#ifndef DT_LIBEXEC_SYMBOLIZER
#define DT_LIBEXEC_SYMBOLIZER "/usr/libexec/dt-symbolizer"
#endif

/* Above the numbers that the symbolizer's ends get. */
#define SPAWN_HIGHFD 16

_Static_assert(SYMREQ_FD == 3 && SYMREQ_CHANNEL_FD == 4,
    "the descriptors below and above these are replaced and closed");

static char worker_ids[32]; /* [I] UID:GID, or "" for the default */

/*
 * The value of DT_SYMBOLIZER, the program next to our executable, or the
 * installed one: the order in which libdt looks for dtd.
 */
void
symbolizer_spawn_program(char *out, size_t size)
{
	static const char name[] = "dt-symbolizer";
	const char *env = secure_getenv("DT_SYMBOLIZER");
	char *slash;
	ssize_t n;

	if (env != NULL) {
		snprintf(out, size, "%s", env);
		return;
	}
	n = readlink("/proc/self/exe", out, size - sizeof(name));
	if (n > 0) {
		out[n] = '\0';
		if ((slash = strrchr(out, '/')) != NULL) {
			memcpy(slash + 1, name, sizeof(name));
			if (access(out, X_OK) == 0)
				return;
		}
	}
	snprintf(out, size, "%s", DT_LIBEXEC_SYMBOLIZER);
}

void
symbolizer_spawn_find_user(void)
{
	const struct passwd *pw = getpwnam(SYMBOLIZER_SPAWN_USER);

	if (pw == NULL || pw->pw_uid == 0) {
		log_notice(
		    "user " SYMBOLIZER_SPAWN_USER
		    " does not exist: the symbolizer runs as user 65534, "
		    "whose other processes may send it signals");
		return;
	}
	snprintf(worker_ids, sizeof(worker_ids), "%u:%u", (unsigned)pw->pw_uid,
	    (unsigned)pw->pw_gid);
	log_debug("the symbolizer runs as user " SYMBOLIZER_SPAWN_USER ", %s",
	    worker_ids);
}

/* Descriptors of the new process: /dev/null three times, and the sockets. */
static int
spawn_actions(posix_spawn_file_actions_t *fa, const int ends[2])
{
	int fd, error = 0;

	for (fd = 0; fd < SYMREQ_FD && error == 0; fd++)
		error = posix_spawn_file_actions_addopen(fa, fd, "/dev/null",
		    O_RDWR, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(fa, ends[0],
		    SYMREQ_FD);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(fa, ends[1],
		    SYMREQ_CHANNEL_FD);
	/* Ours are O_CLOEXEC, but those that dtd inherited may not be. */
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(fa,
		    SYMREQ_CHANNEL_FD + 1);
	return error;
}

static int
spawn_attr(posix_spawnattr_t *at)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	(void)posix_spawnattr_setsigmask(at, &none);
	(void)posix_spawnattr_setsigdefault(at, &all);
	return posix_spawnattr_setflags(at,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Returns when the child has executed its program, or failed to. */
static int
spawn_now(pid_t *pid, char *program, const posix_spawn_file_actions_t *fa,
    const posix_spawnattr_t *at)
{
	char *argv[] = { program, worker_ids[0] != '\0' ? worker_ids : NULL,
		NULL };
	char *envp[] = { NULL };
	int error;

	spawn_lock();
	error = posix_spawn(pid, program, fa, at, argv, envp);
	spawn_unlock();
	return error;
}

static int
spawn(const int ends[2], pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	char program[4096];
	int error;

	symbolizer_spawn_program(program, sizeof(program));
	if ((error = posix_spawn_file_actions_init(&fa)) != 0)
		return error;
	if ((error = posix_spawnattr_init(&at)) == 0) {
		if ((error = spawn_actions(&fa, ends)) == 0 &&
		    (error = spawn_attr(&at)) == 0)
			error = spawn_now(pid, program, &fa, &at);
		posix_spawnattr_destroy(&at);
	}
	posix_spawn_file_actions_destroy(&fa);
	if (error != 0)
		log_warnx("%s: %s", program, strerror(error));
	return error;
}

/*
 * A socket pair whose second end has a high number, so that no action of
 * posix_spawn(3) replaces it before it is duplicated.
 */
static int
pair(int *ours, int *theirs)
{
	int pv[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pv) == -1)
		return errno;
	*theirs = fcntl(pv[1], F_DUPFD_CLOEXEC, SPAWN_HIGHFD);
	error = *theirs == -1 ? errno : 0;
	close(pv[1]);
	if (error != 0)
		close(pv[0]);
	else
		*ours = pv[0];
	return error;
}

int
symbolizer_spawn(pid_t *pid, int *sock, int *channel)
{
	int ours[2], theirs[2], error;

	if ((error = pair(&ours[0], &theirs[0])) != 0)
		return error;
	if ((error = pair(&ours[1], &theirs[1])) != 0) {
		close(ours[0]);
		close(theirs[0]);
		return error;
	}
	(void)shutdown(ours[1], SHUT_RD); /* files are sent in one direction */
	error = spawn(theirs, pid);
	close(theirs[0]);
	close(theirs[1]);
	if (error != 0) {
		close(ours[0]);
		close(ours[1]);
		return error;
	}
	*sock = ours[0];
	*channel = ours[1];
	return 0;
}
