/* SPDX-License-Identifier: ISC */
/*
 * Looks up descriptors and directories in /proc, for procs.h.
 *
 * A lookup is a readlink(2) of some 10 us; QUERY_MAXRATE of them per second are a
 * few percent of a CPU.  Descriptors are looked up one at a time and not all of
 * a process, since most processes use few of theirs and exit soon.  Paths of a
 * process with a root of its own are relative to that root.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/procs/procs_table.h"

#define QUERY_MAXRATE  5000 /* lookups per second */
#define QUERY_MAXFDS   4096 /* descriptors of a process, at the start */
#define QUERY_MAXPROCS 1024 /* processes, at the start */

/*
 * Reads the link NAME of a process into buf (PATH_MAX).  Returns 0, or -1 with
 * errno.
 */
static int
query_link(uint32_t pid, const char *name, char *buf)
{
	char link[96];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/%.63s", pid, name);
	if ((n = readlink(link, buf, PATH_MAX - 1)) == -1)
		return -1;
	buf[n] = '\0';
	return 0;
}

/* Removes the process's own root from the path. */
static const char *
query_in_root(struct proc *pc, const char *path)
{
	char root[PATH_MAX];
	size_t n;

	if (!pc->pc_rooted) {
		pc->pc_rooted = 1;
		if (query_link(pc->pc_pid, "root", root) == 0 &&
		    strcmp(root, "/") != 0)
			pc->pc_root = strdup(root);
	}
	if (pc->pc_root == NULL)
		return path;
	n = strlen(pc->pc_root);
	if (strncmp(path, pc->pc_root, n) != 0)
		return path;
	if (path[n] == '\0')
		return "/";
	return path[n] == '/' ? path + n : path;
}

/* Remembers a result, NULL if there is none, and reports a new one. */
static void
query_note(struct procs *pr, struct proc *pc, int fd, const char *path,
    enum procs_onexec onexec)
{
	struct fd_table *ds = pc->pc_fds[fd < 0];
	const struct fd_path *before = fd_table_find(ds, fd)->fe_path;
	struct fd_entry *de;

	if (path != NULL)
		path = query_in_root(pc, path);
	de = procs_note(pr, ds, fd, path);
	if (path == NULL)
		return; /* the known path was true while it was open */
	de->fe_seq = 0; /* true by now, not as of the event */
	de->fe_onexec = onexec;
	if (de->fe_path != before && pr->pcs_watch != NULL)
		pr->pcs_watch(pr->pcs_watcharg, pc->pc_pid, fd,
		    de->fe_path->fp_text);
}

static int
query_may(struct procs *pr)
{
	if (pr->pcs_time - pr->pcs_second >= PROCS_SECOND) {
		pr->pcs_second = pr->pcs_time;
		pr->pcs_nqueries = 0;
	}
	return pr->pcs_nqueries++ < QUERY_MAXRATE;
}

void
procs_query(struct procs *pr, struct proc *pc, int fd, const char *begins)
{
	char name[32] = "cwd", path[PATH_MAX];
	int found;

	if (pc->pc_exited || !query_may(pr))
		return;
	if (fd != PROCS_CWD)
		snprintf(name, sizeof(name), "fd/%d", fd);
	found = query_link(pc->pc_pid, name, path) == 0;
	if (!found && (errno != ENOENT || query_link(pc->pc_pid, "exe", path)))
		pc->pc_exited = pr->pcs_time; /* exited, or not accessible */
	if (found && begins != NULL &&
	    strncmp(path, begins, strlen(begins)) != 0)
		found = 0; /* it is another file by now */
	query_note(pr, pc, fd, found ? path : NULL, PROCS_UNSURE);
}

/*
 * At the start
 */

/* Returns whether exec closes it, from fdinfo. */
static enum procs_onexec
query_onexec(uint32_t pid, int fd)
{
	enum procs_onexec onexec = PROCS_UNSURE;
	char line[128];
	unsigned int flags;
	FILE *fp;

	snprintf(line, sizeof(line), "/proc/%u/fdinfo/%d", pid, fd);
	if ((fp = fopen(line, "re")) == NULL)
		return onexec;
	while (fgets(line, sizeof(line), fp) != NULL) {
		if (sscanf(line, "flags: %o", &flags) == 1)
			onexec = flags & O_CLOEXEC ? PROCS_CLOSED : PROCS_KEPT;
	}
	fclose(fp);
	return onexec;
}

/*
 * execs: notes only descriptors that an execve(2) keeps open.  Those above 2
 * whose flag cannot be read are looked up when a call uses them.
 */
static void
query_files(struct procs *pr, struct proc *pc, int execs)
{
	enum procs_onexec onexec;
	char name[64], path[PATH_MAX];
	struct dirent *d;
	unsigned int n = 0, nunsure = 0;
	int fd;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%u/fd", pc->pc_pid);
	if ((dir = opendir(name)) == NULL)
		return;
	while ((d = readdir(dir)) != NULL && n < QUERY_MAXFDS) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		n++;
		fd = atoi(d->d_name);
		onexec = query_onexec(pc->pc_pid, fd);
		if (execs && procs_ends(onexec, fd)) {
			nunsure += onexec == PROCS_UNSURE;
			continue;
		}
		snprintf(name, sizeof(name), "fd/%d", fd);
		if (query_link(pc->pc_pid, name, path) == 0)
			query_note(pr, pc, fd, path, onexec);
	}
	pc->pc_isknown = d == NULL && nunsure == 0;
	closedir(dir);
}

/*
 * Appends the children of a process to the list; returns the new length.  A
 * kernel without this file reports none.
 */
static unsigned int
query_children(uint32_t pid, uint32_t *list, unsigned int n)
{
	char name[300];
	struct dirent *d;
	uint32_t child;
	DIR *dir;
	FILE *fp;

	snprintf(name, sizeof(name), "/proc/%u/task", pid);
	if ((dir = opendir(name)) == NULL)
		return n;
	while ((d = readdir(dir)) != NULL) {
		snprintf(name, sizeof(name), "/proc/%u/task/%s/children", pid,
		    d->d_name);
		if (d->d_name[0] == '.' || (fp = fopen(name, "re")) == NULL)
			continue;
		while (n < QUERY_MAXPROCS && fscanf(fp, "%u", &child) == 1)
			list[n++] = child;
		fclose(fp);
	}
	closedir(dir);
	return n;
}

void
procs_scan(struct procs *pr, uint32_t pid, int children)
{
	uint32_t list[QUERY_MAXPROCS] = { pid };
	unsigned int i, n = 1;
	struct proc *pc;

	for (i = 0; i < n; i++) {
		pc = procs_get(pr, list[i]);
		procs_query(pr, pc, PROCS_CWD, NULL);
		query_files(pr, pc, 0);
		if (children)
			n = query_children(list[i], list, n);
	}
}

void
procs_scan_command(struct procs *pr, uint32_t pid)
{
	struct proc *pc = procs_get(pr, pid);

	procs_query(pr, pc, PROCS_CWD, NULL);
	query_files(pr, pc, 1);
}
