/* SPDX-License-Identifier: ISC */
/*
 * sym_maps [MSECS [N [EACH]]]
 *
 * Maps the program's own file N (100,000) times as executable, in processes of
 * EACH (50,000) mappings, since the kernel's default limit is 65,530; then all of
 * them work.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

BURN_CHAIN(maps)

/* Adjacent mappings of one page of a file, which therefore are not merged. */
static void
map_many(long n)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	long size = sysconf(_SC_PAGESIZE), i;
	char *room = mmap(NULL, n * size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fd == -1 || room == MAP_FAILED)
		err(1, "map");
	for (i = 0; i < n; i++)
		if (mmap(room + i * size, size, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			err(1, "mapping %ld", i);
	close(fd);
}

int
main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 100000;
	long most = argc > 3 ? atol(argv[3]) : 50000, each;
	int status;

	for (; n > 0; n -= each) {
		each = n < most ? n : most;
		if (fork() == 0) {
			map_many(each);
			burn_for(maps_top, burn_arg(argc, argv));
			BURN_TELL(maps);
			_exit(0);
		}
	}
	while (wait(&status) != -1)
		if (status != 0)
			errx(1, "status %d", status);
	return 0;
}
