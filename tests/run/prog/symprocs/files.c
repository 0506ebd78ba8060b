/* SPDX-License-Identifier: ISC */
/*
 * Cases of symprocs: files that are hard to find, and files that must not be
 * opened.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"
#include "tests/run/prog/symprocs/symprocs.h"

/* A file that is deleted before its process exits, and one after. */
void
case_deleted(void)
{
	struct stat sb;
	int64_t when;
	int sock;
	pid_t pid;

	own_copy("gone");
	path_stat("gone", &sb);
	pid = child_start("./gone", "wait", &sock);
	unlink("gone"); /* before the table reads it */
	sym_hold();
	sym_has(pid, prog_now(), &sb, NULL, "deleted before");
	child_end(pid, sock);

	own_copy("gone");
	path_stat("gone", &sb);
	pid = child_start("./gone", "wait", &sock);
	when = prog_now();
	sym_has(pid, when, &sb, NULL, "not yet deleted");
	unlink("gone");
	child_end(pid, sock);
	sym_has(pid, when, &sb, NULL, "deleted, and its process ended");
	proc_watch_release();
}

/* Another file with the same name. */
void
case_replaced(void)
{
	struct stat old, new;
	int sock, sock2;
	pid_t pid, pid2;

	own_copy("prog");
	own_copy("prog.new");
	path_stat("prog", &old);
	path_stat("prog.new", &new);
	pid = child_start("./prog", "wait", &sock);
	if (rename("prog.new", "prog") == -1)
		err(1, "rename");
	sym_hold();
	pid2 = child_start("./prog", "wait", &sock2);
	sym_has(pid, prog_now(), &old, NULL, "the old one");
	sym_has(pid2, prog_now(), &new, NULL, "the new one");
	child_end(pid, sock);
	child_end(pid2, sock2);
	proc_watch_release();
}

/* Listens on a CPU like perf record --buildid-mmap; its ring is never read. */
static void
listen_cpu(int cpu)
{
	const size_t size = 65 * getpagesize();
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
	    PERF_FLAG_FD_CLOEXEC);

	if (fd == -1 && errno == ENODEV)
		return; /* offline */
	if (fd == -1 ||
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
		MAP_FAILED)
		err(1, "listener on CPU %d", cpu);
}

/*
 * The listener started after us, so the kernel calls it first, and leaves the
 * flag for it set in our records.
 */
void
case_spoilt(void)
{
	struct proc_watch_stat ps;
	struct stat sb;
	int64_t when;
	int sock, cpu;
	pid_t pid;

	own_copy("spoilt");
	path_stat("spoilt", &sb);
	proc_watch_stat(&ps);
	sym_hold();
	wait_snapshot(&ps, ps.pws_snapshots + 1);
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		listen_cpu(cpu);
	pid = child_start("./spoilt", "wait", &sock);
	when = prog_now();
	child_end(pid, sock);
	sym_has(pid, when, &sb, NULL, "beside a listener for build ids");
	proc_watch_release();
}

struct inner {
	struct stat in_sb[2];
	uint64_t in_addr[2];
	pid_t in_brief;
	int64_t in_when;
};

/* A separate root, on a file system that no other process has mounted. */
static void
container_enter(struct inner *in)
{
	char dir[] = "box";
	struct stat sb;

	if (unshare(CLONE_NEWNS) == -1 ||
	    (mkdir(dir, 0755) == -1 && errno != EEXIST) ||
	    mount("", "/", "", MS_REC | MS_PRIVATE, 0) ||
	    mount("box", dir, "tmpfs", 0, 0) == -1)
		err(1, "container");
	own_copy("box/inner");
	own_copy("box/other");
	path_stat("box/inner", &in->in_sb[0]);
	path_stat("box/other", &in->in_sb[1]);
	if (chroot(dir) == -1 || chdir("/") == -1)
		err(1, "chroot");
	if (stat("/inner", &sb) == -1)
		err(1, "/inner");
}

static void
container_child(int sock, void *arg)
{
	struct inner *in = arg;
	int status;
	pid_t pid;

	container_enter(in);
	in->in_addr[0] = (uintptr_t)map_page("/inner", NULL);
	prog_tell(sock, 1);
	if (prog_hear(sock) == -1)
		_exit(1);
	if ((pid = prog_fork()) == 0) {
		in->in_addr[1] = (uintptr_t)map_page("/other", NULL);
		in->in_when = prog_now();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		_exit(1);
	in->in_brief = pid;
	prog_tell(sock, 1);
	(void)prog_hear(sock);
	_exit(0);
}

void
case_container(void)
{
	struct inner *in = prog_shared(sizeof(*in));
	struct prog_child pc;
	struct proc_view *sv;
	const struct proc_mapping *sm;
	struct proc_watch_stat ps;
	struct stat sb;

	proc_watch_stat(&ps);
	sym_hold();
	wait_snapshot(&ps, ps.pws_snapshots + 1);
	prog_child_start(&pc, container_child, in);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "no container");
	sv = sym_view(pc.pc_pid, prog_now());
	sm = sym_at(sv, in->in_addr[0], "in the container");
	sym_is(sm, &in->in_sb[0], "/inner", "in the container");
	if (sm->pm_file->mf_rootfd == -1 ||
	    fstatat(sm->pm_file->mf_rootfd, "inner", &sb, 0) == -1 ||
	    sb.st_ino != in->in_sb[0].st_ino)
		errx(1, "its root is not known");
	proc_watch_view_free(sv);
	prog_tell(pc.pc_sock, 1);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "the container has ended");
	sv = sym_view(in->in_brief, in->in_when);
	sym_is(sym_at(sv, in->in_addr[1], "of a brief process in there"),
	    &in->in_sb[1], "/other", "of a brief process in there");
	proc_watch_view_free(sv);
	prog_child_end(&pc);
	proc_watch_release();
}

static void
memfd_child(int sock, void *arg)
{
	static char prog[] = "wait", child[] = "child", name[] = "x";
	char *argv[] = { name, child, prog, NULL }, *envp[] = { NULL };
	int fd = memfd_create("program", MFD_CLOEXEC);
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat sb;

	if (fd == -1 || in == -1 || fstat(in, &sb) == -1 ||
	    sendfile(fd, in, NULL, sb.st_size) != sb.st_size ||
	    fstat(fd, arg) == -1)
		err(1, "memfd");
	dup2(sock, 0);
	fexecve(fd, argv, envp);
	err(1, "fexecve");
}

void
case_memfd(void)
{
	struct stat *sb = prog_shared(sizeof(*sb));
	struct prog_child pc;
	int64_t when;

	sym_hold();
	prog_child_start(&pc, memfd_child, sb);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "it has ended");
	when = prog_now();
	sym_has(pc.pc_pid, when, sb, "/memfd:program", "a memfd");
	prog_child_end(&pc);
	sym_has(pc.pc_pid, when, sb, "/memfd:program", "a memfd, later");
	proc_watch_release();
}

/* Finds a file that was mapped, after another file has taken its name. */
static void
find_is(const char *path, const struct stat *sb, int error)
{
	struct inode_id si = { .ii_dev = sb->st_dev,
		.ii_ino = sb->st_ino,
		.ii_path = path,
		.ii_pathlen = strlen(path) };
	struct sighting ss = { .sg_pid = 1u << 30 };
	struct mapped_file *sf, *found;
	int isnew;

	sf = mapped_file_map(&si, 0, &isnew);
	if (sf == NULL || !isnew)
		errx(1, "%s: it is known", path);
	if ((found = mapped_file_find(sf, &ss, 0)) == NULL)
		errx(1, "%s: no memory", path);
	if (found->mf_error != error || (found->mf_fd == -1) != (error != 0))
		errx(1, "%s: %s instead of %s", path, strerror(found->mf_error),
		    strerror(error));
	mapped_file_release(found);
	mapped_file_unmap(sf);
}

void
case_hostile(void)
{
	char dir[4096], path[4200];
	struct mapped_file *sf;
	struct stat sb;

	if (getcwd(dir, sizeof(dir)) == NULL)
		err(1, "getcwd");
	snprintf(path, sizeof(path), "%s/trap", dir);
	own_copy("trap");
	own_copy("trap.other");
	path_stat("trap", &sb);
	find_is(path, &sb, 0);
	if (rename("trap", "trap.old") == -1)
		err(1, "rename");
	find_is(path, &sb, ENOENT);
	if (symlink("trap.old", "trap") == -1)
		err(1, "symlink");
	find_is(path, &sb, ELOOP);
	unlink("trap");
	if (rename("trap.other", "trap") == -1)
		err(1, "rename");
	find_is(path, &sb, ESTALE);
	unlink("trap");
	if (mkfifo("trap", 0666) == -1)
		err(1, "mkfifo");
	find_is(path, &sb, EINVAL); /* and nothing waits for a writer */
	if (mapped_file_open(path, NULL, 0, 0, &sf) != EINVAL ||
	    mapped_file_open("/dev/zero", NULL, 0, 0, &sf) != EINVAL ||
	    mapped_file_open(dir, NULL, 0, 0, &sf) != EINVAL)
		errx(1, "a special file was opened");
	snprintf(path, sizeof(path), "%s/trap.old", dir);
	if (mapped_file_open(path, NULL, 0, 0, &sf) != 0)
		errx(1, "a regular file was not opened");
	mapped_file_release(sf);
	find_is("relative/../../../etc/passwd", &sb, ENOENT);
}

static void
map_write(const char *path, mode_t mode, uid_t uid)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd == -1 || write(fd, "1000 10 f\n", 10) != 10 ||
	    fchmod(fd, mode) == -1 || fchown(fd, uid, -1) == -1)
		err(1, "%s", path);
	close(fd);
}

static void
jit_is(pid_t pid, const char *what, int error)
{
	char buf[16], path[32];
	int readfd, fd = -1, e = proc_perf_map_open(pid, prog_now(), &fd);

	if (e != error)
		errx(1, "%s: %s instead of %s", what, strerror(e),
		    strerror(error));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (e == 0 &&
	    ((readfd = open(path, O_RDONLY | O_CLOEXEC)) == -1 ||
		read(readfd, buf, sizeof(buf)) != 10 || close(readfd) == -1))
		errx(1, "%s: it cannot be read", what);
	if (e == 0)
		close(fd);
}

/* The perf map of a process that generates code: valid only if it owns it. */
void
case_jit(void)
{
	const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	char path[64], other[80];
	int sock;
	pid_t pid;

	sym_hold();
	pid = child_start(own_path(), "wait", &sock);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	snprintf(other, sizeof(other), "%s.other", path);
	unlink(path);
	jit_is(pid, "no file", ENOENT);
	map_write(path, 0644, getuid());
	jit_is(pid, "its own", 0);
	utimensat(AT_FDCWD, path, old, 0);
	jit_is(pid, "older than the process", ESTALE);
	unlink(path);
	map_write(path, 0666, getuid());
	jit_is(pid, "writable by others", EPERM);
	unlink(path);
	map_write(path, 0644, 12345);
	jit_is(pid, "of another user", EPERM);
	rename(path, other);
	if (symlink(other, path) == -1)
		err(1, "symlink");
	jit_is(pid, "a link", ELOOP);
	unlink(path);
	unlink(other);
	if (mkfifo(path, 0644) == -1)
		err(1, "mkfifo");
	jit_is(pid, "a FIFO", EINVAL);
	unlink(path);
	map_write(path, 0644, getuid());
	child_end(pid, sock);
	jit_is(pid, "of one that has ended", 0);
	unlink(path);
	proc_watch_release();
}

static void
pidns_child(int sock, void *arg)
{
	uint64_t *shared = arg;
	int told[2]; /* the child's number here */
	struct stat sb;
	pid_t pid;
	char c;

	if (unshare(CLONE_NEWPID) == -1 || pipe(told) == -1)
		err(1, "unshare");
	if ((pid = fork()) == 0) { /* the parent has no number here */
		close(told[1]);
		if (read(told[0], &c, 1) != 0)
			errx(1, "pipe");
		if (stat("/proc/self/ns/pid", &sb) == -1)
			err(1, "/proc/self/ns/pid");
		shared[0] = sb.st_ino;
		prog_tell(sock, 1);
		(void)prog_hear(sock);
		if ((pid = prog_fork()) == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		prog_tell(sock, 1);
		(void)prog_hear(sock);
		_exit(0);
	}
	shared[1] = pid;
	close(told[1]);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* By the number in another pid namespace. */
void
case_pidns(void)
{
	uint64_t *shared = prog_shared(16);
	struct prog_child pc;
	uint32_t pid;

	sym_hold();
	prog_child_start(&pc, pidns_child, shared);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "no namespace");
	if (proc_perf_map_translate(shared[0], 1, 1, prog_now(), &pid) != 0 ||
	    pid != shared[1])
		errx(1, "the first process there is not found");
	if (proc_perf_map_translate(shared[0], 1, 77, prog_now(), &pid) !=
	    ESRCH)
		errx(1, "there is one that cannot be");
	prog_tell(pc.pc_sock, 1);
	if (prog_hear(pc.pc_sock) == -1)
		errx(1, "the namespace has ended");
	prog_child_end(&pc);
	proc_watch_release();
}
