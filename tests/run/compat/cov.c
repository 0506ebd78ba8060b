/* SPDX-License-Identifier: ISC */
/*
 * cov [GLOBS]: a program written for OpenBSD's /dev/kcov: sections of coverage,
 * and a session that parent and child share after fork(2).  GLOBS: the set of
 * functions; an addition of Linux.
 */
#include <sys/types.h>
#include <sys/ioctl.h>
#include <sys/kcov.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NENTRIES 4096
#define ROUNDS	 300

static int fd;
static unsigned long *memory;

static int
enable(void)
{
	int mode = KCOV_MODE_TRACE_PC;

	return ioctl(fd, KIOENABLE, &mode) == -1 ? errno : 0;
}

static int
disable(void)
{
	return ioctl(fd, KIODISABLE) == -1 ? errno : 0;
}

static void
check(int ok, const char *what)
{
	if (!ok)
		errx(1, "not so: %s", what);
	printf("%s\n", what);
	fflush(stdout);
}

/* Traces mkdir(2) n times.  Returns the number of records. */
static unsigned long
section(int n)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/cov.%d", (int)getpid());
	memory[0] = 0;
	if ((errno = enable()) != 0)
		err(1, "KIOENABLE");
	while (n-- > 0) {
		mkdir(path, 0700);
		rmdir(path);
	}
	if ((errno = disable()) != 0)
		err(1, "KIODISABLE");
	return memory[0];
}

static int
wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static pid_t
child(void)
{
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	return pid;
}

static void
forks(void)
{
	pid_t pid;

	check(enable() == 0, "the parent enables");
	if ((pid = child()) == 0)
		_exit(enable() != EBUSY || disable() != EPERM);
	check(wait_for(pid) == 0, "a child: KIOENABLE EBUSY, KIODISABLE EPERM");
	check(disable() == 0, "the parent disables");

	if ((pid = child()) == 0)
		_exit(section(1) == 0 || close(fd) != 0);
	check(wait_for(pid) == 0 && memory[0] != 0, "a child traces itself");
	if ((pid = child()) == 0)
		_exit(enable());
	check(wait_for(pid) == 0 && section(1) != 0,
	    "what it leaves enabled ends with it");
}

/* Enables and disables; with another process, each may be busy. */
static int
rounds(int n)
{
	int error = 0;

	while (n-- > 0 && error == 0) {
		if ((error = enable()) == 0)
			error = disable();
		else if (error == EBUSY || error == ENXIO)
			error = 0;
	}
	return error;
}

static void
at_once(void)
{
	pid_t pid;
	int i, error;

	if ((pid = child()) == 0)
		_exit(rounds(ROUNDS));
	error = rounds(ROUNDS);
	check(wait_for(pid) == 0 && error == 0, "both at once");
	for (i = 0; i < 20 && error == 0; i++) {
		if ((pid = child()) == 0)
			_exit(rounds(1000000));
		usleep(5000 + i * 100);
		kill(pid, SIGKILL);
		error = rounds(10);
		(void)wait_for(pid);
	}
	check(error == 0 && section(1) != 0, "a child that is killed");
}

int
main(int argc, char **argv)
{
	unsigned long n = NENTRIES;
	struct kio_funcs kf = { 0 };
	pid_t pid;

	if ((fd = open("/dev/kcov", O_RDWR)) == -1)
		err(1, "/dev/kcov");
	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "%s",
	    argc == 2 ? argv[1] : "");
	if (ioctl(fd, KIOSETFUNCS, &kf) == -1)
		err(1, "KIOSETFUNCS");
	if (ioctl(fd, KIOSETBUFSIZE, &n) == -1)
		err(1, "KIOSETBUFSIZE");
	memory = mmap(NULL, n * sizeof(*memory), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	printf("an empty section has %lu functions\n", section(0));
	check(section(1) != 0, "and mkdir has some");
	forks();
	printf("after a fork an empty section has %lu functions\n", section(0));
	at_once();
	if ((pid = child()) == 0) {
		usleep(200000);
		_exit(section(1) == 0);
	}
	close(fd);
	check(ioctl(fd, KIODISABLE) == -1 && errno == EBADF, "a closed one");
	check(wait_for(pid) == 0, "a child when the parent has closed it");
	return 0;
}
