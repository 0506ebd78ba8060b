/* SPDX-License-Identifier: ISC */
/*
 * Makes readers of processes and files hang for ever, because a FUSE file
 * system does not reply:
 *
 *   fusehang exec|maps DIR   a process of another user hangs in execve(2), or
 *                            with its mappings locked (Linux before 6.16)
 *   fusehang link DIR CMD    runs a command of another user, in whose mount
 *                            namespace a lookup of a *.debug file in DIR
 *                            hangs; its standard input gets a byte for each
 *                            request that hangs
 *
 * Prints the number of the process when it hangs, or runs.  Ends with its
 * standard input, and with it all processes that hang.
 */
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <linux/fuse.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USER 7002
#define PAGE 4096

static const char *dir;
static int dev;
static int hung[2]; /* the server reports a request here */

static void
reply(const struct fuse_in_header *in, int error, const void *out, size_t len)
{
	char buf[sizeof(struct fuse_out_header) + PAGE];
	struct fuse_out_header oh = { .len = sizeof(oh) + len,
		.error = error,
		.unique = in->unique };

	memcpy(buf, &oh, sizeof(oh));
	if (len > 0)
		memcpy(buf + sizeof(oh), out, len);
	if (write(dev, buf, oh.len) == -1 && errno != ENOENT)
		err(1, "FUSE");
}

static struct fuse_attr
attr_of(uint64_t node)
{
	return (struct fuse_attr){ .ino = node,
		.size = node == FUSE_ROOT_ID ? 0 : PAGE,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0777,
		.uid = USER,
		.nlink = 1 };
}

static void
never(void)
{
	if (write(hung[1], "", 1) != 1)
		err(1, "pipe");
}

static void
lookup(const struct fuse_in_header *in)
{
	const char *name = (const char *)(in + 1);
	const struct fuse_entry_out entry = { .nodeid = 2,
		.entry_valid = 100,
		.attr_valid = 100,
		.attr = attr_of(2) };

	if (strcmp(name, "file") == 0)
		reply(in, 0, &entry, sizeof(entry));
	else if (strstr(name, ".debug") != NULL)
		never();
	else
		reply(in, -ENOENT, NULL, 0);
}

static void
answer(const struct fuse_in_header *in)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = PAGE };
	const struct fuse_attr_out attr = { .attr_valid = 100,
		.attr = attr_of(in->nodeid) };
	const struct fuse_open_out opened = { .fh = 1 };
	static const char page[PAGE];

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		lookup(in);
		break;
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		reply(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		reply(in, 0, page, sizeof(page));
		break;
	case FUSE_FLUSH:
	case FUSE_WRITE:
		never();
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

static void *
serve(void *arg)
{
	static _Alignas(8) char buf[FUSE_MIN_READ_BUFFER + PAGE];
	ssize_t n;

	while ((n = read(dev, buf, sizeof(buf))) > 0 || errno == EINTR)
		if (n > 0)
			answer((const struct fuse_in_header *)buf);
	return arg;
}

static void
mount_it(void)
{
	char options[96];

	if ((dev = open("/dev/fuse", O_RDWR | O_CLOEXEC)) == -1)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options),
	    "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", dev,
	    USER, USER);
	if (unshare(CLONE_NEWNS) == -1 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("test", dir, "fuse", 0, options) == -1)
		err(1, "%s", dir);
}

static void
become_user(void)
{
	/* a change of the user clears the signal */
	if (setresgid(USER, USER, USER) == -1 ||
	    setresuid(USER, USER, USER) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		err(1, "user");
}

static int
open_file(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/file", dir);
	if ((fd = open(path, O_RDWR | O_CLOEXEC)) == -1)
		err(1, "%s", path);
	return fd;
}

/* Its end closes the file, which waits for FLUSH. */
static void
hang_exec(char **argv)
{
	(void)argv;
	(void)open_file();
	execl("/bin/true", "true", NULL);
	err(1, "true");
}

/* Returns whether a task is blocked for good, which its status never shows. */
static int
is_waiting(pid_t pid, const char *task)
{
	char path[300], text[512] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, task);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	return strstr(text, "\nState:\tD") != NULL;
}

static char *page;
static volatile pid_t writer;

/* The page is under write-back: this waits with the lock of the mapping, */
static void *
page_write(void *arg)
{
	writer = gettid();
	page[1] = 2;
	return arg;
}

/* and this waits for that lock, with the lock of all mappings. */
static void
hang_maps(char **argv)
{
	int fd = open_file();
	char task[16];
	pthread_t th;

	(void)argv;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	page[0] = 1;
	if (sync_file_range(fd, 0, PAGE, SYNC_FILE_RANGE_WRITE) == -1)
		err(1, "sync_file_range");
	if (pthread_create(&th, NULL, page_write, NULL) != 0)
		errx(1, "no thread");
	snprintf(task, sizeof(task), "%d", (int)writer);
	while (!is_waiting(getpid(), task)) {
		usleep(10000);
		snprintf(task, sizeof(task), "%d", (int)writer);
	}
	munmap(page, PAGE);
	pause();
}

static void
run_command(char **argv)
{
	if (dup2(hung[0], STDIN_FILENO) == -1)
		err(1, "dup2");
	execvp(argv[0], argv);
	err(1, "%s", argv[0]);
}

/* Returns whether all threads of a process are blocked. */
static int
is_hung(pid_t pid)
{
	char path[64];
	struct dirent *de;
	int hangs = 1;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((d = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((de = readdir(d)) != NULL)
		if (de->d_name[0] != '.' && !is_waiting(pid, de->d_name))
			hangs = 0;
	closedir(d);
	return hangs;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **);
		int hangs; /* 1: by a request, 2: by locks, too */
	} modes[] = { { "exec", hang_exec, 1 }, { "maps", hang_maps, 2 },
		{ "link", run_command, 0 } };
	size_t i, n = sizeof(modes) / sizeof(modes[0]);
	pthread_t th;
	char byte;
	pid_t pid;

	for (i = 0; i < n && argc > 2; i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			break;
	if (argc < 3 || i == n)
		errx(2, "usage: fusehang exec|maps|link DIR [CMD ...]");
	dir = argv[2];
	mount_it();
	if (pipe2(hung, O_CLOEXEC) == -1 ||
	    pthread_create(&th, NULL, serve, NULL) != 0)
		err(1, "server");
	if ((pid = fork()) == 0) {
		close(dev);
		become_user();
		modes[i].run(argv + 3);
		_exit(0);
	}
	if (modes[i].hangs && read(hung[0], &byte, 1) != 1)
		err(1, "pipe");
	while (modes[i].hangs == 2 && !is_hung(pid))
		usleep(10000);
	printf("%d\n", (int)pid);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	(void)umount2(dir, MNT_DETACH | MNT_FORCE);
	_exit(0); /* closes the device, which ends all waits */
}
