/* SPDX-License-Identifier: ISC */
/*
 * The bytes of a file, see image.h.  A file that gets shorter while it is
 * mapped ends this process by SIGBUS, which is what the process is for.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image.h"

#define IMAGE_MAX (2ULL << 30) /* less than RLIMIT_AS of cage.c */

int
image_map(int fd, struct image *im)
{
	off_t size = lseek(fd, 0, SEEK_END);
	void *p;

	if (size == -1)
		return errno;
	if (size == 0)
		return ENOEXEC;
	if ((uint64_t)size > IMAGE_MAX)
		return EFBIG;
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return errno;
	*im = (struct image){ p, size, 1 };
	return 0;
}

void
image_take(void *p, size_t size, struct image *im)
{
	*im = (struct image){ p, size, 0 };
}

void
image_drop(const struct image *im)
{
	if (im->im_mapped)
		(void)madvise(im->im_base, im->im_size, MADV_DONTNEED);
}

void
image_free(struct image *im)
{
	if (im->im_mapped)
		(void)munmap(im->im_base, im->im_size);
	else
		free(im->im_base);
	*im = (struct image){ NULL, 0, 0 };
}
