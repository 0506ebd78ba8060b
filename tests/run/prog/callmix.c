/* SPDX-License-Identifier: ISC */
/*
 * callmix [-w FILE] [-c]
 *
 * Makes calls with known errors, in its main thread, in a second thread, and in
 * a child named callmix-child, which makes the same calls.  Prints a line for
 * each kind of call, over all threads:
 *
 *	NAME CALLS FAILED NSECS MAX ERRNO:COUNT,...
 *
 * NSECS is the sum of the times of the calls, measured around each, and MAX the
 * longest time.  From entry to return a call takes less.
 * These are calls that neither libc nor the loader makes.
 *
 * -w FILE: waits until the file exists before it begins.  -c: no child and no
 * thread.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIX_NOPID  0x3fffffff /* larger than any pid */
#define MIX_ERRNOS 3

enum {
	MIX_ZERO,
	MIX_PIPE,
	MIX_NOFD,
	MIX_NFDS
};

static int mix_fds[MIX_NFDS];
static const struct timespec mix_pause = { 0, 2000000 };
static const struct timespec mix_wrong = { 0, -1 };

/* Calls of one kind: how many with which first argument, and their errno. */
struct mix_call {
	const char *name;
	long nr;
	struct {
		long arg;
		int isfd; /* arg is an index of mix_fds */
		long count;
		int error;
	} parts[MIX_ERRNOS];
};

static const struct mix_call mix_calls[] = {
	{ "lseek", SYS_lseek,
	    { { MIX_ZERO, 1, 60, 0 }, { MIX_NOFD, 1, 40, EBADF },
		{ MIX_PIPE, 1, 20, ESPIPE } } },
	{ "getpgid", SYS_getpgid,
	    { { 0, 0, 5, 0 }, { MIX_NOPID, 0, 70, ESRCH } } },
	{ "getsid", SYS_getsid, { { 0, 0, 1000, 0 } } },
	{ "fchdir", SYS_fchdir,
	    { { MIX_ZERO, 1, 11, ENOTDIR }, { MIX_NOFD, 1, 7, EBADF } } },
	{ "nanosleep", SYS_nanosleep,
	    { { (long)&mix_pause, 0, 10, 0 },
		{ (long)&mix_wrong, 0, 3, EINVAL } } },
};

#define MIX_NCALLS (sizeof(mix_calls) / sizeof(mix_calls[0]))

/* Measured times, in shared memory. */
static struct {
	uint64_t nsecs, max;
} * mix_times;
static int mix_alone;

static uint64_t
mix_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* Makes one call and adds its time; atomic because threads do so at once. */
static void
mix_one(size_t i, long arg, int error)
{
	uint64_t start = mix_now(), took, max;
	long r = syscall(mix_calls[i].nr, arg, 0, 0);
	int got = r == -1 ? errno : 0;

	took = mix_now() - start;
	if (got != error)
		errx(1, "%s: errno %d, not %d", mix_calls[i].name, got, error);
	__atomic_fetch_add(&mix_times[i].nsecs, took, __ATOMIC_RELAXED);
	max = __atomic_load_n(&mix_times[i].max, __ATOMIC_RELAXED);
	while (took > max &&
	    !__atomic_compare_exchange_n(&mix_times[i].max, &max, took, 0,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

static void *
mix_all(void *arg)
{
	size_t i, j;
	long k, v;

	for (i = 0; i < MIX_NCALLS; i++)
		for (j = 0; j < MIX_ERRNOS; j++) {
			v = mix_calls[i].parts[j].arg;
			if (mix_calls[i].parts[j].isfd)
				v = mix_fds[v];
			for (k = 0; k < mix_calls[i].parts[j].count; k++)
				mix_one(i, v, mix_calls[i].parts[j].error);
		}
	return arg;
}

/* Makes the calls of a second thread and of a child. */
static void
mix_others(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	if (pthread_create(&thread, NULL, mix_all, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		errx(1, "thread");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_NAME, "callmix-child");
		mix_all(NULL);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "child: status %d", status);
}

static void
mix_print(size_t i)
{
	const struct mix_call *mc = &mix_calls[i];
	long ntimes = mix_alone ? 1 : 3, count = 0, failed = 0;
	const char *sep = "";
	size_t j;

	for (j = 0; j < MIX_ERRNOS; j++) {
		count += ntimes * mc->parts[j].count;
		if (mc->parts[j].error != 0)
			failed += ntimes * mc->parts[j].count;
	}
	printf("%s %ld %ld %llu %llu ", mc->name, count, failed,
	    (unsigned long long)mix_times[i].nsecs,
	    (unsigned long long)mix_times[i].max);
	for (j = 0; j < MIX_ERRNOS; j++)
		if (mc->parts[j].error != 0) {
			printf("%s%s:%ld", sep,
			    strerrorname_np(mc->parts[j].error),
			    ntimes * mc->parts[j].count);
			sep = ",";
		}
	printf("%s\n", *sep == '\0' ? "-" : "");
}

int
main(int argc, char **argv)
{
	const char *file = NULL;
	int ch, fds[2];
	size_t i;

	while ((ch = getopt(argc, argv, "cw:")) != -1) {
		if (ch == 'c')
			mix_alone = 1;
		else if (ch == 'w')
			file = optarg;
		else
			return 2;
	}
	mix_times = mmap(NULL, MIX_NCALLS * sizeof(*mix_times),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mix_times == MAP_FAILED || pipe(fds) == -1 ||
	    (mix_fds[MIX_ZERO] = open("/dev/zero", O_RDONLY)) == -1)
		err(1, NULL);
	mix_fds[MIX_PIPE] = fds[0];
	mix_fds[MIX_NOFD] = -1;
	while (file != NULL && access(file, F_OK) == -1)
		usleep(5000);
	mix_all(NULL);
	if (!mix_alone)
		mix_others();
	for (i = 0; i < MIX_NCALLS; i++)
		mix_print(i);
	return 0;
}
