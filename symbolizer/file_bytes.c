/* SPDX-License-Identifier: ISC */
/*
 * Maps or allocates the bytes of a file. A file that is truncated while it is
 * mapped ends this process by SIGBUS, which affects no other process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/file_bytes.h"

#define IMAGE_MAX (2ULL << 30) /* less than RLIMIT_AS of sandbox.c */

int
file_bytes_map(int fd, struct file_bytes *im)
{
	off_t size = lseek(fd, 0, SEEK_END);
	void *p;

	if (size == -1)
		return errno;
	if (size == 0)
		return ENOEXEC;
	if ((uint64_t)size > IMAGE_MAX)
		return EFBIG;
	/* a private mapping would have the breakpoints of uprobes */
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return errno;
	*im = (struct file_bytes){ p, size, 1, 0, 0 };
	return 0;
}

void
file_bytes_take(void *p, size_t size, struct file_bytes *im)
{
	*im = (struct file_bytes){ p, size, 0, 0, 0 };
}

int
file_bytes_own(struct file_bytes *im, uint64_t off, uint64_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t from = off & ~(page - 1);
	size_t to = (off + size + page - 1) & ~(page - 1);
	uint8_t *copy;
	void *p;

	if (!im->fby_mapped || im->fby_ownend != 0)
		return 0;
	if (size == 0)
		return 0;
	if (off >= im->fby_size || size > im->fby_size - off)
		return ENOEXEC;
	if ((copy = malloc(to - from)) == NULL)
		return ENOMEM;
	memcpy(copy, im->fby_base + from,
	    to > im->fby_size ? im->fby_size - from : to - from);
	p = mmap(im->fby_base + from, to - from, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (p != MAP_FAILED)
		memcpy(im->fby_base + from, copy,
		    to > im->fby_size ? im->fby_size - from : to - from);
	free(copy);
	if (p == MAP_FAILED)
		return ENOMEM;
	im->fby_own = from;
	im->fby_ownend = to;
	return 0;
}

void
file_bytes_drop(const struct file_bytes *im)
{
	if (!im->fby_mapped)
		return;
	if (im->fby_ownend == 0)
		(void)madvise(im->fby_base, im->fby_size, MADV_DONTNEED);
	else {
		(void)madvise(im->fby_base, im->fby_own, MADV_DONTNEED);
		if (im->fby_ownend < im->fby_size)
			(void)madvise(im->fby_base + im->fby_ownend,
			    im->fby_size - im->fby_ownend, MADV_DONTNEED);
	}
}

void
file_bytes_free(struct file_bytes *im)
{
	if (im->fby_mapped)
		(void)munmap(im->fby_base, im->fby_size);
	else
		free(im->fby_base);
	*im = (struct file_bytes){ 0 };
}
