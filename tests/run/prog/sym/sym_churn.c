/* SPDX-License-Identifier: ISC */
/*
 * sym_churn [MSECS [RATE]]
 *
 * Works for MSECS, and changes its own executable mappings meanwhile: RATE
 * (10,000) times per second of work, by a map and an unmap each.  Both are
 * measured in CPU time, so the work gets its time however slow the changes are.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

BURN_CHAIN(churn)

static uint64_t
worked_nsecs(void)
{
	return churn_times.bt_top + churn_times.bt_middle + churn_times.bt_leaf;
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
	uint64_t end = burn_arg(argc, argv) * UINT64_C(1000000);
	uint64_t rate = argc > 2 ? atol(argv[2]) : 10000, done = 0;
	long size = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		err(1, "/proc/self/exe");
	while (worked_nsecs() < end) {
		burn_unit = BURN_UNITS + rand() % (2 * BURN_UNITS);
		burn_mark(&burn_outside);
		churn_top();
		for (; done < worked_nsecs() / 1000 * rate / 1000000; done++)
			change(fd, size);
	}
	fprintf(stderr, "changes %ju\n", (uintmax_t)done);
	BURN_TELL(churn);
	return 0;
}
