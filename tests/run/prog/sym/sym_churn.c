/* SPDX-License-Identifier: ISC */
/*
 * sym_churn [MSECS [RATE]]
 *
 * Changes its own executable mappings RATE (10,000) times a second, by a map
 * and an unmap each, and works in between.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

BURN_CHAIN(churn)

static long
now_nsecs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static void
change(int fd, long size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED || munmap(p, size) == -1)
		err(1, "mmap");
}

int
main(int argc, char **argv)
{
	long rate = argc > 2 ? atol(argv[2]) : 10000, done = 0;
	long size = sysconf(_SC_PAGESIZE), start = now_nsecs();
	long end = burn_msecs() + burn_arg(argc, argv);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		err(1, "/proc/self/exe");
	while (burn_msecs() < end) {
		churn_top();
		while (done < (now_nsecs() - start) / 1000 * rate / 1000000) {
			change(fd, size);
			done++;
		}
	}
	fprintf(stderr, "changes %ld in %ld ms\n", done,
	    (now_nsecs() - start) / 1000000);
	BURN_TELL(churn);
	return 0;
}
