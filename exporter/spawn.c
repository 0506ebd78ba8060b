/* SPDX-License-Identifier: ISC */
/* Starts dt(1) with default signals. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "exporter/spawn.h"

extern char **environ;

/* Resets signals, which are blocked or ignored in this process. */
static int
spawn_signals(posix_spawnattr_t *at)
{
	sigset_t none, pipe;
	int error;

	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if ((error = posix_spawnattr_init(at)) != 0)
		return error;
	(void)posix_spawnattr_setsigmask(at, &none);
	(void)posix_spawnattr_setsigdefault(at, &pipe);
	return posix_spawnattr_setflags(at,
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int
spawn_files(posix_spawn_file_actions_t *fa, const int fds[3])
{
	int i, error;

	for (i = 0; i < 3; i++) {
		error = fds[i] != -1
		    ? posix_spawn_file_actions_adddup2(fa, fds[i], i)
		    : posix_spawn_file_actions_addopen(fa, i, "/dev/null",
			  O_RDWR, 0);
		if (error != 0)
			return error;
	}
	return 0;
}

int
spawn_program(const char *program, char *const *argv, const int fds[3],
    pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	int error;

	if ((error = spawn_signals(&at)) != 0)
		return error;
	if ((error = posix_spawn_file_actions_init(&fa)) == 0) {
		if ((error = spawn_files(&fa, fds)) == 0)
			error = posix_spawn(pid, program, &fa, &at, argv,
			    environ);
		posix_spawn_file_actions_destroy(&fa);
	}
	posix_spawnattr_destroy(&at);
	return error;
}
