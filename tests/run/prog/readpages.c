/* SPDX-License-Identifier: ISC */
/*
 * readpages FILE BYTES STEP: reads BYTES of a file or a disk at each multiple of
 * STEP, under the name "reader".  Prints how many of the pages were in memory
 * before, by mincore(2), and how many were not.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <linux/fs.h>

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define READPAGES_PAGE 4096

static uint64_t
readpages_size(int fd, const char *path)
{
	struct stat st;
	uint64_t size;

	if (fstat(fd, &st) == -1)
		err(1, "%s", path);
	if (!S_ISBLK(st.st_mode))
		return st.st_size;
	if (ioctl(fd, BLKGETSIZE64, &size) == -1)
		err(1, "%s", path);
	return size;
}

/* Returns a byte for each page, whose lowest bit is set if it is in memory. */
static unsigned char *
readpages_look(int fd, uint64_t size, const char *path)
{
	unsigned char *pages = calloc(size / READPAGES_PAGE + 1, 1);
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (pages == NULL || p == MAP_FAILED || mincore(p, size, pages) == -1 ||
	    munmap(p, size) == -1)
		err(1, "%s", path);
	return pages;
}

int
main(int argc, char **argv)
{
	uint64_t size, at, page, step;
	size_t nbytes, nhits = 0, nmisses = 0;
	unsigned char *pages;
	ssize_t n;
	void *buf;
	int fd;

	if (argc != 4)
		errx(2, "usage: readpages FILE BYTES STEP");
	nbytes = atol(argv[2]);
	step = atol(argv[3]);
	if (nbytes == 0 || step < nbytes || (buf = malloc(nbytes)) == NULL)
		errx(2, "BYTES must be at least 1, and STEP at least BYTES");
	if ((fd = open(argv[1], O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", argv[1]);
	size = readpages_size(fd, argv[1]);
	pages = readpages_look(fd, size, argv[1]);
	prctl(PR_SET_NAME, "reader");
	for (at = 0; at < size; at += step) {
		if ((n = pread(fd, buf, nbytes, at)) <= 0)
			err(1, "%s", argv[1]);
		for (page = at / READPAGES_PAGE;
		     page <= (at + n - 1) / READPAGES_PAGE; page++)
			if (pages[page] & 1)
				nhits++;
			else {
				nmisses++;
				pages[page] |= 1;
			}
	}
	prctl(PR_SET_NAME, "readpages");
	printf("%zu %zu\n", nhits, nmisses);
	return 0;
}
