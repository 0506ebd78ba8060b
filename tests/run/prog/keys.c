/* SPDX-License-Identifier: ISC */
/*
 * Makes calls whose keys and sums are known:
 *
 *	keys calls	3 openat of "here", 5 of "gone" (ENOENT), 2 of a name
 *			with an escape sequence; 7 reads of 100 bytes from
 *			/dev/zero, 2 from descriptor -1; 4 getppid
 *	keys threads N	N threads, the first makes 1 getppid, the next 2, ...
 *	keys names N	N openat, each of another name
 *	keys mixed N	N calls of several kinds in three threads, which fail
 *			or not, with sizes and offsets of all magnitudes
 */
#include <sys/syscall.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
keys_open(const char *name, int times, int flags)
{
	int fd;

	while (times-- > 0) {
		fd = openat(AT_FDCWD, name, flags, 0600);
		if (fd != -1)
			close(fd);
	}
}

static void
keys_read(int fd, int times)
{
	char buf[100];
	ssize_t n;

	while (times-- > 0) {
		n = read(fd, buf, sizeof(buf));
		if ((n == -1) != (fd == -1))
			err(1, "read");
	}
}

static void
keys_calls(void)
{
	int i, fd;

	for (i = 0; i < 4; i++)
		syscall(SYS_getppid);
	keys_open("here", 3, O_RDWR | O_CREAT);
	keys_open("gone", 5, O_RDONLY);
	keys_open("\033[31mred", 2, O_RDONLY);
	if ((fd = open("/dev/zero", O_RDONLY)) == -1)
		err(1, "/dev/zero");
	keys_read(fd, 7);
	keys_read(-1, 2);
}

static void *
keys_thread(void *arg)
{
	intptr_t n = (intptr_t)arg;

	while (n-- > 0)
		syscall(SYS_getppid);
	return NULL;
}

/* One thread after the other. */
static void
keys_threads(int n)
{
	pthread_t t;
	intptr_t i;

	for (i = 1; i <= n; i++) {
		if (pthread_create(&t, NULL, keys_thread, (void *)i) != 0)
			errx(1, "a thread");
		pthread_join(t, NULL);
	}
}

static void
keys_names(int n)
{
	char name[32];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "name%06d", i);
		keys_open(name, 1, O_RDONLY);
	}
}

/* Opens one of several files: absolute and relative, that exist or not. */
static void
keys_open_any(uint64_t r)
{
	static const char *const names[] = { "/", "/dev/null", "gone", "..",
		"/proc/self/gone", "", "./a/longer/name/of/a/file/that/is/gone",
		"\xff\n" };

	keys_open(names[r & 7], 1, O_RDONLY);
}

/* The same calls in every run. */
static void *
keys_mix(void *arg)
{
	static char buf[70000];
	uint64_t seed = (uint64_t)(intptr_t)arg, r;
	int zero = open("/dev/zero", O_RDONLY), fd;
	int null = open("/dev/null", O_WRONLY);
	int n;

	for (n = (int)(seed >> 8); n > 0; n--) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		r = seed >> 33;
		fd = r >> 12 & 7 ? (r & 1 ? zero : null) : -1;
		switch (r >> 16 & 7) {
		case 0:
		case 1:
			syscall(SYS_read, fd, buf, r % 65536 >> (r >> 20 & 15));
			break;
		case 2:
		case 3:
			syscall(SYS_write, fd, buf,
			    r % 65536 >> (r >> 20 & 15));
			break;
		case 4:
			syscall(SYS_lseek, fd, (int64_t)seed >> (r & 63), 0);
			break;
		case 5:
			syscall(SYS_dup3, fd, 200 + (r & 3), 0);
			break;
		case 6:
			syscall(SYS_close, 200 + (r & 3));
			break;
		case 7:
			if (r >> 20 & 1)
				syscall(SYS_getppid);
			else
				keys_open_any(r >> 21);
			break;
		}
	}
	close(zero);
	close(null);
	return NULL;
}

static void
keys_mixed(int n)
{
	pthread_t t[3];
	intptr_t i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, keys_mix,
			(void *)((intptr_t)n << 8 | i)) != 0)
			errx(1, "a thread");
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "calls") == 0)
		keys_calls();
	else if (argc == 3 && strcmp(argv[1], "threads") == 0)
		keys_threads(atoi(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "names") == 0)
		keys_names(atoi(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "mixed") == 0)
		keys_mixed(atoi(argv[2]));
	else
		errx(2, "usage: keys calls | threads N | names N | mixed N");
	return 0;
}
