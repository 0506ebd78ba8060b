/* SPDX-License-Identifier: ISC */
/*
 * fdpaths [ROOT]: opens a descriptor of each kind, in ROOT as its own root
 * directory if given.  For each descriptor it prints the readlink(2) of its
 * link in /proc/self/fd, or "null" if that fails, as a line of JSON; and it
 * makes one lseek(2) with it, which it calls nowhere else.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NDEEP	  300 /* components */
#define LONG_NAME 255

static int links; /* /proc/self/fd, opened before chroot(2) */

/* No path here needs escapes in JSON. */
static void
show(const char *what, int fd)
{
	char name[16], path[PATH_MAX];
	ssize_t n;

	if (fd == -1)
		err(1, "%s", what);
	snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(links, name, path, sizeof(path));
	if (n == -1)
		printf("null\n");
	else
		printf("\"%.*s\"\n", (int)n, path);
	syscall(SYS_lseek, fd, 0L, SEEK_CUR);
}

/* Makes a folder in the current one, and changes to it. */
static void
enter(const char *name)
{
	if ((mkdir(name, 0755) == -1 && errno != EEXIST) || chdir(name) == -1)
		err(1, "%.20s", name);
}

static int
make(const char *name)
{
	return open(name, O_RDWR | O_CREAT, 0644);
}

static void
show_files(void)
{
	int fd;

	show("a file", make("file"));
	show("a folder", open(".", O_RDONLY | O_DIRECTORY));
	show("the root", open("/", O_RDONLY | O_DIRECTORY));
	show("O_PATH", open("file", O_PATH));
	fd = make("gone");
	unlink("gone");
	show("a deleted file", fd);
	enter("gonedir");
	fd = open(".", O_RDONLY | O_DIRECTORY);
	rmdir("../gonedir");
	show("a deleted folder", fd);
	if (chdir("..") == -1 && fchdir(fd) == -1)
		err(1, "..");
}

static void
show_others(void)
{
	int two[2];
	sigset_t set;

	sigemptyset(&set);
	show("memfd", (int)syscall(SYS_memfd_create, "a name", 0));
	show("eventfd", eventfd(0, 0));
	show("epoll", epoll_create1(0));
	show("inotify", inotify_init1(0));
	show("signalfd", signalfd(-1, &set, 0));
	show("timerfd", timerfd_create(CLOCK_MONOTONIC, 0));
	show("pidfd", (int)syscall(SYS_pidfd_open, getpid(), 0));
	if (pipe(two) == -1)
		err(1, "pipe");
	show("pipe", two[0]);
	show("pipe", two[1]);
	show("socket", socket(AF_UNIX, SOCK_STREAM, 0));
}

static void
show_proc(void)
{
	show("proc", open("/proc/self/status", O_RDONLY));
	show("namespace", open("/proc/self/ns/mnt", O_RDONLY));
	show("device", open("/dev/null", O_RDONLY));
}

/* Makes nested folders: as deep as paths can get, and one deeper. */
static void
show_deep(void)
{
	char name[LONG_NAME + 1];
	int i;

	memset(name, 'n', LONG_NAME);
	name[LONG_NAME] = '\0';
	show("a long name", make(name));
	enter("deep");
	for (i = 0; i < NDEEP; i++)
		enter("d");
	show("a deep file", make("file"));
	for (i = 0; i < PATH_MAX / LONG_NAME; i++)
		enter(name);
	show("a file too deep", make("file"));
}

int
main(int argc, char **argv)
{
	if ((links = open("/proc/self/fd", O_RDONLY | O_DIRECTORY)) == -1)
		err(1, "/proc/self/fd");
	if (argc > 1 && (chdir(argv[1]) == -1 || chroot(".") == -1))
		err(1, "%s", argv[1]);
	enter("fdpaths");
	show_files();
	show_others();
	if (argc == 1)
		show_proc();
	show_deep();
	return 0;
}
