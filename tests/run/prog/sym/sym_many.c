/* SPDX-License-Identifier: ISC */
/*
 * sym_many [N]
 *
 * Runs N (1000) processes of sym_tiny, one after another, from the folder of
 * this program.  They start for longer than they work, and the times that they
 * print cover only the functions below tiny_top.
 */
#include <err.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void
tiny_path(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 16);

	if (n == -1)
		err(1, "/proc/self/exe");
	path[n] = '\0';
	strcpy(strrchr(path, '/'), "/sym_tiny");
}

int
main(int argc, char **argv)
{
	long i, n = argc > 1 ? atol(argv[1]) : 1000;
	char path[PATH_MAX], *args[] = { "sym_tiny", NULL };
	int error, status;
	pid_t pid;

	tiny_path(path, sizeof(path));
	for (i = 0; i < n; i++) {
		error = posix_spawn(&pid, path, NULL, NULL, args, environ);
		if (error != 0)
			errx(1, "%s: %s", path, strerror(error));
		if (waitpid(pid, &status, 0) == -1 || status != 0)
			errx(1, "%s: status %d", path, status);
	}
	return 0;
}
