/* SPDX-License-Identifier: ISC */
/*
 * Threads by their numbers.  A client names one by the number that it has in
 * the client's own pid namespace, and everything here comes from /proc: whose
 * thread that is, when it was started (its number is used again), and whether
 * it is exiting.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer_thread.h"

#define PF_EXITING 0x4 /* in the flags that /proc tells */

/* Reads all of a small file below /proc. */
static int
proc_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	ssize_t n;

	if (fd == -1)
		return errno;
	n = read(fd, buf, size - 1);
	error = n == -1 ? errno : 0;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return error;
}

/* The rest of a line of status that begins with this name. */
static const char *
status_line(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	return p != NULL && p > status && p[-1] == '\n' ? p + strlen(name)
							: NULL;
}

static unsigned long
status_number(const char *status, const char *name)
{
	const char *p = status_line(status, name);

	return p != NULL ? strtoul(p, NULL, 10) : 0;
}

/* The n-th of its numbers, from 1: dtd's namespace first, then those below. */
static unsigned long
status_nth(const char *status, unsigned int n)
{
	const char *p = status_line(status, "NSpid:");
	unsigned long number = 0;
	char *end;

	for (; p != NULL && n > 0; n--, p = end) {
		number = strtoul(p, &end, 10);
		if (end == p || (n > 1 && *end == '\n'))
			return 0;
	}
	return number;
}

/* How many numbers it has. */
static unsigned int
status_depth(const char *status)
{
	unsigned int n = 0;

	while (status_nth(status, n + 1) != 0)
		n++;
	return n;
}

static int
status_read(const char *path, char *buf, size_t size)
{
	int error = proc_read(path, buf, size);

	return error == ENOENT || error == EACCES ? ESRCH : error;
}

int
peer_thread_get(pid_t tid, struct peer_thread *th)
{
	unsigned long long start;
	unsigned int flags;
	char path[32], buf[1024], *p;
	int error;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	if ((error = status_read(path, buf, sizeof(buf))) != 0)
		return error;
	/* fields 3 on are behind the name, which may be anything: state, five
	 * numbers, flags (9), 12 numbers, start (22) */
	if ((p = strrchr(buf, ')')) == NULL ||
	    sscanf(p + 1,
		" %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d "
		"%*d %*d %*d %*d %llu",
		&flags, &start) != 2)
		return ESRCH;
	if (flags & PF_EXITING)
		return ESRCH;
	*th = (struct peer_thread){ .th_tid = tid, .th_start = start };
	return 0;
}

int
peer_thread_same(const struct peer_thread *a, const struct peer_thread *b)
{
	return a->th_tid != 0 && a->th_tid == b->th_tid &&
	    a->th_start == b->th_start;
}

int
peer_thread_lives(const struct peer_thread *th)
{
	struct peer_thread now;

	return peer_thread_get(th->th_tid, &now) == 0 &&
	    peer_thread_same(th, &now);
}

/*
 * Finding
 */

/* Looks at a file of numbers' names: fn returns not 0 for the one that is
 * meant.  Returns it, or 0. */
static pid_t
dir_find(const char *path, int (*fn)(const char *dir, const char *name, void *),
    void *arg)
{
	DIR *d = opendir(path);
	struct dirent *de;
	pid_t found = 0;

	if (d == NULL)
		return 0;
	while (found == 0 && (de = readdir(d)) != NULL)
		if (de->d_name[0] != '.' && fn(path, de->d_name, arg))
			found = atoi(de->d_name);
	closedir(d);
	return found;
}

/* Who is looked for, as another namespace than dtd's has it. */
struct find {
	unsigned long fi_tid;
	unsigned int fi_depth; /* of that namespace, 1: dtd's */
	pid_t fi_child;	       /* as dtd has it; 0: not found */
};

static int
find_is(const char *dir, const char *name, void *arg)
{
	const struct find *fi = arg;
	char path[96], status[4096];

	snprintf(path, sizeof(path), "%s/%s/status", dir, name);
	return status_read(path, status, sizeof(status)) == 0 &&
	    status_nth(status, fi->fi_depth) == fi->fi_tid;
}

/* The peer's namespace. */
static int
find_begin(const struct peer *pr, uint32_t tid, struct find *fi)
{
	char path[32], status[4096];
	int error;

	*fi = (struct find){ .fi_tid = tid, .fi_depth = 1 };
	if (pr->pr_pidns_own)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pr->pr_pid);
	if ((error = status_read(path, status, sizeof(status))) != 0)
		return error;
	fi->fi_depth = status_depth(status);
	return 0;
}

int
peer_thread_own(const struct peer *pr, uint32_t tid, struct peer_thread *th)
{
	char path[64];
	struct find fi;
	pid_t found = (pid_t)tid;
	int error;

	if (tid == 0 || tid > INT32_MAX)
		return ESRCH;
	if ((error = find_begin(pr, tid, &fi)) != 0)
		return error;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pr->pr_pid);
	if (fi.fi_depth > 1 && (found = dir_find(path, find_is, &fi)) == 0)
		return ESRCH;
	if ((error = peer_thread_get(found, th)) != 0)
		return error;
	/* its number may have been another's before */
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pr->pr_pid,
	    (int)found);
	return access(path, F_OK) == 0 ? 0 : ESRCH;
}

/* Whether a process is the peer's child, and has one thread. */
static int
is_child(const struct peer *pr, pid_t pid)
{
	char path[32], status[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return status_read(path, status, sizeof(status)) == 0 &&
	    status_number(status, "Tgid:") == (unsigned long)pid &&
	    status_number(status, "PPid:") == (unsigned long)pr->pr_pid &&
	    status_number(status, "Threads:") == 1;
}

/* Whether it is a child of this thread: one of a process's has made each, and
 * nobody can have others' processes looked through. */
static int
child_is(const char *dir, const char *name, void *arg)
{
	struct find *fi = arg;
	char path[512], child[16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/children", dir, name);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fi->fi_child == 0 && fscanf(f, "%15s", child) == 1)
		if (find_is("/proc", child, fi))
			fi->fi_child = atoi(child);
	fclose(f);
	return fi->fi_child != 0;
}

/* A child of the peer's, by its number in the peer's namespace; 0: none. */
static pid_t
child_find(const struct peer *pr, struct find *fi)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pr->pr_pid);
	(void)dir_find(path, child_is, fi);
	return fi->fi_child;
}

int
peer_thread_other(const struct peer *pr, uint32_t tid, struct peer_thread *th)
{
	pid_t found = (pid_t)tid;
	struct find fi;
	int error = peer_thread_own(pr, tid, th);

	if (error != ESRCH || tid == 0 || tid > INT32_MAX)
		return error;
	if ((error = find_begin(pr, tid, &fi)) != 0)
		return error;
	if (fi.fi_depth > 1 && (found = child_find(pr, &fi)) == 0)
		return ESRCH;
	if ((error = peer_thread_get(found, th)) != 0)
		return error;
	/* and it was the child all the time in between */
	return is_child(pr, found) && peer_thread_lives(th) ? 0 : ESRCH;
}
