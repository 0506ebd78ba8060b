/* SPDX-License-Identifier: ISC */
/*
 * holdthread TID COMMAND [ARGUMENT ...]
 *
 * Runs a command while one thread of another process is stopped; the other
 * threads of that process continue.  Status: the command's.
 */
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

int
main(int argc, char **argv)
{
	int status, stopped;
	pid_t tid, pid;

	prog_init("holdthread", PROG_DEADLINE);
	if (argc < 3)
		errx(2, "usage: holdthread TID COMMAND [ARGUMENT ...]");
	tid = prog_number(argv[1], 1 << 22);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == -1 ||
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == -1 ||
	    waitpid(tid, &stopped, __WALL) == -1)
		err(1, "cannot hold thread %d", (int)tid);
	if ((pid = fork()) == 0) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		err(1, "%s", argv[2]);
	if (ptrace(PTRACE_DETACH, tid, NULL, NULL) == -1)
		err(1, "the thread stays held");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
