/* SPDX-License-Identifier: ISC */
/*
 * freeze PID NAME
 *
 * Stops the thread with this name, and no other of its process, until standard
 * input ends; then the thread continues.  Prints "frozen" when it is stopped.
 */
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

static int
is_named(pid_t pid, pid_t tid, const char *name)
{
	char path[64], file[32], comm[32] = "";
	FILE *f;

	snprintf(file, sizeof(file), "task/%d/comm", (int)tid);
	if ((f = fopen(prog_proc(path, sizeof(path), pid, file), "re")) == NULL)
		return 0;
	if (fgets(comm, sizeof(comm), f) != NULL)
		comm[strcspn(comm, "\n")] = '\0';
	fclose(f);
	return strcmp(comm, name) == 0;
}

static pid_t
find_thread(pid_t pid, const char *name)
{
	struct dirent *de;
	char path[64];
	pid_t tid = 0;
	DIR *d;

	if ((d = opendir(prog_proc(path, sizeof(path), pid, "task"))) == NULL)
		err(1, "%s", path);
	while (tid == 0 && (de = readdir(d)) != NULL)
		if (is_named(pid, atoi(de->d_name), name))
			tid = atoi(de->d_name);
	closedir(d);
	if (tid == 0)
		errx(1, "no thread %s", name);
	return tid;
}

int
main(int argc, char **argv)
{
	int status;
	pid_t tid;

	if (argc != 3)
		errx(2, "usage: freeze PID NAME");
	prog_init("freeze", PROG_DEADLINE);
	tid = find_thread(prog_number(argv[1], 1 << 30), argv[2]);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == -1 ||
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == -1 ||
	    waitpid(tid, &status, __WALL) != tid)
		err(1, "ptrace");
	printf("frozen\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0; /* the end of it resumes the thread */
}
