/* SPDX-License-Identifier: ISC */
/*
 * Checks that a case leaves neither processes nor BPF programs and links of
 * ours in the kernel.  Other daemons may run on this machine at the same time;
 * after all of the case's own processes have ended, an object that some process
 * holds by a descriptor belongs to another daemon.
 */
#ifndef RUN_CLEAN_H
#define RUN_CLEAN_H

#include <sys/syscall.h>
#include <sys/wait.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLEAN_PREFIX "dt_" /* prefix of our programs' names */

static int64_t
clean_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

static void
clean_pause(int msecs)
{
	const struct timespec ts = { 0, msecs * 1000000L };

	nanosleep(&ts, NULL);
}

/*
 * Processes.  The runner is their subreaper, so orphans become children of the
 * runner.
 */

/* Finds a child: its pid and name, or 0. */
static pid_t
clean_child(char *comm, size_t size)
{
	char path[300], line[300], *end;
	DIR *dir = opendir("/proc");
	struct dirent *de;
	pid_t pid = 0, ppid;
	FILE *fp;

	while (dir != NULL && (de = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)de->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", de->d_name);
		if ((fp = fopen(path, "re")) == NULL)
			continue;
		end = fgets(line, sizeof(line), fp) != NULL ? strrchr(line, ')')
							    : NULL;
		fclose(fp);
		if (end == NULL || sscanf(end, ") %*c %d", &ppid) != 1 ||
		    ppid != getpid())
			continue;
		pid = atoi(de->d_name);
		*end = '\0';
		snprintf(comm, size, "%s", strchr(line, '(') + 1);
		break;
	}
	if (dir != NULL)
		closedir(dir);
	return pid;
}

/*
 * Waits until no child is left.  Returns 0, or -1 with pid and name of one that
 * was left; all of those are killed.
 */
static int
clean_processes(int msecs, pid_t *left, char *comm, size_t size)
{
	int64_t end = clean_now() + msecs;
	pid_t pid;
	int r = 0;

	for (;;) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid == -1)
			return r;
		if (clean_now() >= end &&
		    (pid = clean_child(comm, size)) != 0) {
			*left = pid;
			kill(pid, SIGKILL);
			r = -1;
		}
		clean_pause(2);
	}
}

/*
 * BPF
 */

enum clean_kind {
	CLEAN_PROG,
	CLEAN_LINK,
	CLEAN_NKINDS
};

static const struct {
	const char *name;
	const char *fdinfo;
	int next, get; /* commands of bpf(2) */
} clean_kinds[CLEAN_NKINDS] = {
	[CLEAN_PROG] = { "program", "prog_id:\t%u", BPF_PROG_GET_NEXT_ID,
	    BPF_PROG_GET_FD_BY_ID },
	[CLEAN_LINK] = { "link", "link_id:\t%u", BPF_LINK_GET_NEXT_ID,
	    BPF_LINK_GET_FD_BY_ID },
};

static int
clean_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Returns the next id, 0 at the end (or without the permission). */
static uint32_t
clean_next(enum clean_kind kind, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = id;
	if (clean_bpf(clean_kinds[kind].next, &attr) == -1)
		return 0;
	return attr.next_id;
}

static uint32_t
clean_last(enum clean_kind kind)
{
	uint32_t id, last = 0;

	while ((id = clean_next(kind, last)) != 0)
		last = id;
	return last;
}

static int
clean_info(enum clean_kind kind, uint32_t id, void *info, uint32_t size)
{
	union bpf_attr attr;
	int fd, r;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	if ((fd = clean_bpf(clean_kinds[kind].get, &attr)) == -1)
		return -1;
	memset(&attr, 0, sizeof(attr));
	memset(info, 0, size);
	attr.info.bpf_fd = fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	r = clean_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	return r;
}

/* Returns whether it is ours, by the name of the program. */
static int
clean_is_ours(enum clean_kind kind, uint32_t id)
{
	struct bpf_prog_info prog;
	struct bpf_link_info link;

	if (kind == CLEAN_LINK) {
		if (clean_info(kind, id, &link, sizeof(link)) == -1)
			return 0;
		id = link.prog_id;
	}
	return clean_info(CLEAN_PROG, id, &prog, sizeof(prog)) == 0 &&
	    strncmp(prog.name, CLEAN_PREFIX, strlen(CLEAN_PREFIX)) == 0;
}

/* Returns whether this process holds it by a descriptor. */
static int
clean_holds(const char *pid, enum clean_kind kind, uint32_t id)
{
	char path[600], line[128];
	struct dirent *de;
	DIR *dir;
	FILE *fp;
	unsigned int n;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while (!found && (de = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid,
		    de->d_name);
		if ((fp = fopen(path, "re")) == NULL)
			continue;
		while (!found && fgets(line, sizeof(line), fp) != NULL)
			found = sscanf(line, clean_kinds[kind].fdinfo, &n) ==
				1 &&
			    n == id;
		fclose(fp);
	}
	closedir(dir);
	return found;
}

static int
clean_is_held(enum clean_kind kind, uint32_t id)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	int found = 0;

	while (dir != NULL && !found && (de = readdir(dir)) != NULL)
		if (isdigit((unsigned char)de->d_name[0]))
			found = clean_holds(de->d_name, kind, id);
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* Returns an object of ours after last, up to newest, that no process holds. */
static uint32_t
clean_left(enum clean_kind kind, uint32_t last, uint32_t newest)
{
	uint32_t id = last;

	while ((id = clean_next(kind, id)) != 0 && id <= newest)
		if (clean_is_ours(kind, id) && !clean_is_held(kind, id))
			return id;
	return 0;
}

/*
 * Waits until no object after last[] is left.  Returns 0, or -1 with a text.
 * Objects that appear during the wait are ignored, because they belong to other
 * daemons: an exiting process no longer shows its descriptors, and among many
 * daemons there would always be one.
 */
static int
clean_objects(const uint32_t last[CLEAN_NKINDS], int msecs, char *text,
    size_t size)
{
	uint32_t id, newest[CLEAN_NKINDS];
	int64_t end;
	int kind;

	for (kind = 0; kind < CLEAN_NKINDS; kind++)
		newest[kind] = clean_last(kind);
	for (kind = 0; kind < CLEAN_NKINDS; kind++) {
		end = clean_now() + msecs;
		while ((id = clean_left(kind, last[kind], newest[kind])) != 0) {
			if (clean_now() >= end) {
				snprintf(text, size, "BPF %s %u is left",
				    clean_kinds[kind].name, id);
				return -1;
			}
			clean_pause(10);
		}
	}
	return 0;
}

#endif /* RUN_CLEAN_H */
