/* SPDX-License-Identifier: ISC */
/* Functions shared by the cases of symprocs; symprocs.h documents them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"
#include "tests/run/prog/symprocs/symprocs.h"

void
sym_hold(void)
{
	int error = proc_watch_hold();

	if (error != 0)
		errx(1, "proc_watch_hold: %s: %s", strerror(error),
		    proc_watch_why());
}

void
wait_snapshot(struct proc_watch_stat *ps, uint64_t n)
{
	const struct timespec ts = { 0, 1000000 };

	for (proc_watch_stat(ps); ps->pws_snapshots < n; proc_watch_stat(ps))
		nanosleep(&ts, NULL);
}

struct proc_view *
sym_view(pid_t pid, uint64_t nsecs)
{
	struct proc_view *sv;
	int error = proc_view_get(pid, nsecs, &sv);

	if (error != 0)
		errx(1, "process %d: %s", (int)pid, strerror(error));
	if (sv->pv_from > nsecs || sv->pv_until <= nsecs)
		errx(1, "process %d: was so from %lld to %lld", (int)pid,
		    (long long)(sv->pv_from - nsecs),
		    (long long)(sv->pv_until - nsecs));
	return sv;
}

static const struct proc_mapping *
view_at(const struct proc_view *sv, uint64_t addr)
{
	size_t i;

	for (i = 0; i < sv->pv_nmaps; i++)
		if (addr >= sv->pv_maps[i].pm_start &&
		    addr < sv->pv_maps[i].pm_end)
			return &sv->pv_maps[i];
	return NULL;
}

const struct proc_mapping *
sym_at(const struct proc_view *sv, uint64_t addr, const char *what)
{
	const struct proc_mapping *sm = view_at(sv, addr);

	if (sm == NULL)
		errx(1, "%s: nothing is mapped at %llx", what,
		    (unsigned long long)addr);
	return sm;
}

static int
file_is(const struct mapped_file *sf, const struct stat *sb)
{
	struct stat have;

	return sf->mf_fd != -1 && fstat(sf->mf_fd, &have) == 0 &&
	    have.st_dev == sb->st_dev && have.st_ino == sb->st_ino;
}

void
sym_is(const struct proc_mapping *sm, const struct stat *sb, const char *path,
    const char *what)
{
	const struct mapped_file *sf = sm->pm_file;

	if (path != NULL && strcmp(sf->mf_path, path) != 0)
		errx(1, "%s: %s instead of %s", what, sf->mf_path, path);
	if (sf->mf_fd == -1)
		errx(1, "%s: %s is not open: %s", what, sf->mf_path,
		    strerror(sf->mf_error));
	if (!file_is(sf, sb))
		errx(1, "%s: %s is another file", what, sf->mf_path);
}

void
sym_has(pid_t pid, uint64_t nsecs, const struct stat *sb, const char *path,
    const char *what)
{
	struct proc_view *sv = sym_view(pid, nsecs);
	size_t i;

	for (i = 0; i < sv->pv_nmaps; i++)
		if (file_is(sv->pv_maps[i].pm_file, sb))
			break;
	if (i == sv->pv_nmaps) {
		for (i = 0; i < sv->pv_nmaps; i++)
			warnx("%s: %s: %s", what,
			    sv->pv_maps[i].pm_file->mf_path,
			    strerror(sv->pv_maps[i].pm_file->mf_error));
		errx(1, "%s: process %d of %zu mappings has none of the file",
		    what, (int)pid, sv->pv_nmaps);
	}
	sym_is(&sv->pv_maps[i], sb, path, what);
	proc_watch_view_free(sv);
}

void
sym_hasnot(pid_t pid, uint64_t nsecs, uint64_t addr, const char *what)
{
	struct proc_view *sv = sym_view(pid, nsecs);
	const struct proc_mapping *sm = view_at(sv, addr);

	if (sm != NULL)
		errx(1, "%s: %s is mapped at %llx", what, sm->pm_file->mf_path,
		    (unsigned long long)addr);
	proc_watch_view_free(sv);
}

const char *
own_path(void)
{
	static char path[4096];

	if (path[0] == '\0' &&
	    readlink("/proc/self/exe", path, sizeof(path) - 1) == -1)
		err(1, "/proc/self/exe");
	return path;
}

void
path_stat(const char *path, struct stat *sb)
{
	if (stat(path, sb) == -1)
		err(1, "%s", path);
}

void
own_copy(const char *path)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out;
	struct stat sb;

	unlink(path);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (in == -1 || out == -1 || fstat(in, &sb) == -1 ||
	    sendfile(out, in, NULL, sb.st_size) != sb.st_size)
		err(1, "%s", path);
	close(in);
	close(out);
}

pid_t
child_run(const char *path, const char *what)
{
	char *argv[] = { (char *)path, "child", (char *)what, NULL };
	pid_t pid = vfork();
	int status = 0;

	if (pid == 0) {
		execv(path, argv);
		_exit(127);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "%s child %s: status %x", path, what, status);
	return pid;
}

/* Its socket is its standard input. */
pid_t
child_start(const char *path, const char *what, int *sock)
{
	char *argv[] = { (char *)path, "child", (char *)what, NULL };
	int sv[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
	if ((pid = prog_fork()) == 0) {
		dup2(sv[1], 0);
		execv(path, argv);
		_exit(127);
	}
	close(sv[1]);
	*sock = sv[0];
	if (prog_hear(*sock) == -1)
		errx(1, "%s child %s: it has ended", path, what);
	return pid;
}

void
child_end(pid_t pid, int sock)
{
	int status;

	close(sock);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "child %d: status %x", (int)pid, status);
}

void *
map_page(const char *path, void *addr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p;

	if (fd == -1)
		err(1, "%s", path);
	p = mmap(addr, getpagesize(), PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | (addr != NULL ? MAP_FIXED : 0), fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap %s", path);
	close(fd);
	return p;
}
