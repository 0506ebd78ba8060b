/* SPDX-License-Identifier: ISC */
/*
 * Fetches one debug file. The fetching process (another user if dtd may change
 * that, symbolizer/debuginfod.c) starts in a folder and writes there. All users
 * may write to that folder, since dtd may be unable to change its owner, but
 * its parent admits no other user. The result is copied, so that only dtd can
 * write to what is kept; a second process of that user removes all else, since
 * the folders in it belong to that user.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/spawn_lock.h"
#include "daemon/sym/debuginfod.h"
#include "daemon/sym/symbolizer_spawn.h"

#define FETCH_SHARE 2	 /* maximum size of a file, as a part of the folder */
#define LEFT_SECS   3600 /* age of leftovers of other processes */
#define SUFFIX	    ".debug"
#define FETCHING    "fetch-" /* and a number: folder of a running process */
#define WITHIN	    "in"     /* folder in it, where the process runs */
#define PART	    "part-"  /* a copy in progress */

void
debuginfod_name(const char *id, char *out, unsigned int size)
{
	snprintf(out, size, "%s" SUFFIX, id);
}

/*
 * Opens the folder, created if missing; it is ours, and no other user writes
 * there.
 */
static int
open_folder(const char *path, int *out)
{
	struct stat st;
	int fd, error = EPERM;

	if (mkdir(path, 0700) == -1 && errno != EEXIST)
		return errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return errno;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
		*out = fd;
		return 0;
	}
	close(fd);
	return error;
}

/* Sets up the child: /dev/null as descriptors 0 to 2, and its folder. */
static int
spawn_actions(posix_spawn_file_actions_t *fa, int folder)
{
	int fd, error = 0;

	for (fd = 0; fd < 3 && error == 0; fd++)
		error = posix_spawn_file_actions_addopen(fa, fd, "/dev/null",
		    O_RDWR, 0);
	if (error == 0)
		error = posix_spawn_file_actions_addfchdir_np(fa, folder);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(fa, 3);
	return error;
}

static int
spawn_in(int folder, char **argv, char **envp, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	if ((error = posix_spawn_file_actions_init(&fa)) != 0)
		return error;
	if ((error = posix_spawnattr_init(&at)) == 0) {
		(void)posix_spawnattr_setsigmask(&at, &none);
		(void)posix_spawnattr_setsigdefault(&at, &all);
		(void)posix_spawnattr_setflags(&at,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		if ((error = spawn_actions(&fa, folder)) == 0) {
			spawn_lock();
			error = posix_spawn(pid, argv[0], &fa, &at, argv, envp);
			spawn_unlock();
		}
		posix_spawnattr_destroy(&at);
	}
	posix_spawn_file_actions_destroy(&fa);
	return error;
}

/* Runs the process until it exits; it limits its own time. */
static int
run_in(int folder, char **argv, char **envp, int *status)
{
	char program[4096];
	int error;
	pid_t pid;

	symbolizer_spawn_program(program, sizeof(program));
	argv[0] = program;
	if ((error = spawn_in(folder, argv, envp, &pid)) != 0)
		return error;
	while (waitpid(pid, status, 0) == -1)
		if (errno != EINTR)
			return errno;
	return 0;
}

static int
fetch_in(int folder, const struct debuginfod_conf *fc, const char *id)
{
	static atomic_int told;
	char nbytes[24], urls[4096];
	char *argv[] = { NULL, "fetch", (char *)id, nbytes, NULL };
	char *envp[] = { urls, "DEBUGINFOD_CACHE_PATH=.",
		"DEBUGINFOD_TIMEOUT=30", NULL };
	int error, status;

	snprintf(nbytes, sizeof(nbytes), "%llu",
	    (unsigned long long)fc->fc_nbytes / FETCH_SHARE);
	snprintf(urls, sizeof(urls), "DEBUGINFOD_URLS=%s", fc->fc_urls);
	if ((error = run_in(folder, argv, envp, &status)) != 0)
		return error;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 &&
	    atomic_exchange(&told, 1) == 0)
		log_warnx("debuginfod: debuginfod-find is not installed");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ENOENT;
}

static int
copy(int from, int to, uint64_t max)
{
	ssize_t n;

	while ((n = sendfile(to, from, NULL, 1 << 20)) > 0) {
		if ((uint64_t)n > max)
			return EFBIG;
		max -= n;
	}
	return n == -1 ? errno : 0;
}

/* Opens the fetched file. -1: it is missing, or not a regular file. */
static int
open_fetched(int tmp, const char *id)
{
	int fd,
	    sub = openat(tmp, id,
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (sub == -1)
		return -1;
	fd = openat(sub, "debuginfo",
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(sub);
	if (fd != -1 && (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Stores the file under its name, completely or not at all. */
static int
keep(int folder, int tmp, const char *part, const char *id, uint64_t max)
{
	char name[DEBUGINFOD_ID + 16];
	int from, to, error;

	if ((from = open_fetched(tmp, id)) == -1)
		return ENOENT;
	to = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600);
	error = to == -1 ? errno : copy(from, to, max);
	close(from);
	if (to == -1)
		return error;
	close(to);
	debuginfod_name(id, name, sizeof(name));
	if (error == 0 && renameat(folder, part, folder, name) == -1)
		error = errno;
	if (error != 0)
		(void)unlinkat(folder, part, 0);
	return error;
}

/*
 * Removes a folder with its contents; debuginfod-find creates no deeper
 * folders.
 */
static void
clear(int dir, const char *name, int depth)
{
	int fd = openat(dir, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd == -1 ? NULL : fdopendir(fd);
	struct dirent *de;

	if (d == NULL && fd != -1)
		close(fd);
	while (d != NULL && (de = readdir(d)) != NULL) {
		if (strcmp(de->d_name, ".") == 0 ||
		    strcmp(de->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(d), de->d_name, 0) == -1 && depth > 0)
			clear(dirfd(d), de->d_name, depth - 1);
	}
	if (d != NULL)
		closedir(d);
	(void)unlinkat(dir, name, AT_REMOVEDIR);
}

/* Opens the folder of a past, running or future process. */
static int
open_within(int folder, const char *name)
{
	int fd,
	    outer = openat(folder, name,
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (outer == -1)
		return -1;
	fd = openat(outer, WITHIN,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(outer);
	return fd;
}

/* Removes it. */
static void
clear_fetching(int folder, const char *name)
{
	char *argv[] = { NULL, "clear", NULL }, *envp[] = { NULL };
	int fd = open_within(folder, name), status;

	if (fd != -1) {
		(void)run_in(fd, argv, envp, &status);
		close(fd);
	}
	clear(folder, name, 2);
}

/* A file that is kept. */
struct debuginfod_kept {
	char dk_name[DEBUGINFOD_ID + 16];
	struct timespec dk_used;
	uint64_t dk_nbytes;
};

struct debuginfod_keeps {
	struct debuginfod_kept *dks_v;
	size_t dks_n;
	uint64_t dks_nbytes;
};

static int
kept_cmp(const void *a, const void *b)
{
	const struct timespec *x = &((const struct debuginfod_kept *)a)
					->dk_used;
	const struct timespec *y = &((const struct debuginfod_kept *)b)
					->dk_used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Counts a file, or removes leftovers of a killed daemon. */
static void
look_at(int folder, const char *name, struct debuginfod_keeps *ks)
{
	size_t len = strlen(name);
	struct debuginfod_kept *v, *ke;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return;
	if (strncmp(name, FETCHING, strlen(FETCHING)) == 0 ||
	    strncmp(name, PART, strlen(PART)) == 0) {
		if (time(NULL) - st.st_mtime > LEFT_SECS &&
		    unlinkat(folder, name, 0) == -1)
			clear_fetching(folder, name);
		return;
	}
	if (len < strlen(SUFFIX) || len >= sizeof(ke->dk_name) ||
	    strcmp(name + len - strlen(SUFFIX), SUFFIX) != 0)
		return;
	v = reallocarray(ks->dks_v, ks->dks_n + 1, sizeof(*v));
	if (v == NULL)
		return;
	ks->dks_v = v;
	ke = &v[ks->dks_n++];
	memcpy(ke->dk_name, name, len + 1);
	ke->dk_used = st.st_mtim;
	ke->dk_nbytes = st.st_blocks * 512ULL;
	ks->dks_nbytes += ke->dk_nbytes;
}

/*
 * Removes the files that were unused for the longest time, until the rest is
 * small enough.
 */
static void
bound(int folder, uint64_t max)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd == -1 ? NULL : fdopendir(fd);
	struct debuginfod_keeps ks = { NULL, 0, 0 };
	struct dirent *de;
	size_t i;

	if (d == NULL) {
		if (fd != -1)
			close(fd);
		return;
	}
	while ((de = readdir(d)) != NULL)
		look_at(folder, de->d_name, &ks);
	closedir(d);
	if (ks.dks_n > 0)
		qsort(ks.dks_v, ks.dks_n, sizeof(*ks.dks_v), kept_cmp);
	for (i = 0; i < ks.dks_n && ks.dks_nbytes > max; i++)
		if (unlinkat(folder, ks.dks_v[i].dk_name, 0) == 0)
			ks.dks_nbytes -= ks.dks_v[i].dk_nbytes;
	free(ks.dks_v);
}

/* Creates a folder for the process, see above. */
static int
make_within(int folder, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/" WITHIN, name);
	if (mkdirat(folder, name, 0700) == -1 ||
	    mkdirat(folder, path, 0700) == -1 ||
	    (fd = open_within(folder, name)) == -1)
		return -1;
	if (fchmod(fd, 0777) == 0) /* whatever the umask is */
		return fd;
	close(fd);
	return -1;
}

int
debuginfod_run(const struct debuginfod_conf *fc, const char *id)
{
	static atomic_uint count;
	unsigned int n = atomic_fetch_add(&count, 1);
	char name[48], part[48];
	int folder = -1, tmp, error;

	if ((error = open_folder(fc->fc_folder, &folder)) != 0) {
		log_warnx("%s: %s", fc->fc_folder, strerror(error));
		return error;
	}
	snprintf(name, sizeof(name), FETCHING "%d-%u", (int)getpid(), n);
	snprintf(part, sizeof(part), PART "%d-%u", (int)getpid(), n);
	if ((tmp = make_within(folder, name)) == -1)
		error = errno;
	if (error == 0 && (error = fetch_in(tmp, fc, id)) == 0)
		error = keep(folder, tmp, part, id,
		    fc->fc_nbytes / FETCH_SHARE);
	if (tmp != -1)
		close(tmp);
	clear_fetching(folder, name);
	bound(folder, fc->fc_nbytes);
	close(folder);
	return error;
}
