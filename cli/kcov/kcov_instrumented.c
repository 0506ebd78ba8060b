/* SPDX-License-Identifier: ISC */
/*
 * Detects programs that record their own code: their file contains the mark of
 * libdtkcov.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/kcov/kcov.h"

/* The mark, split in two because dt would otherwise contain it. */
#define MADE_BEGIN "\0dtkcov-"
#define MADE_END   "runtime-1"
#define MADE_LEN   (sizeof(MADE_BEGIN) - 1 + sizeof(MADE_END))
#define MADE_READ  65536

int
kcov_made(const char *path)
{
	char buf[MADE_LEN + MADE_READ], mark[MADE_LEN];
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	size_t kept = 0, n;
	ssize_t r;

	if (fd == -1)
		return 0;
	memcpy(mark, MADE_BEGIN, sizeof(MADE_BEGIN) - 1);
	memcpy(mark + sizeof(MADE_BEGIN) - 1, MADE_END, sizeof(MADE_END));
	while (!found && (r = read(fd, buf + kept, MADE_READ)) > 0) {
		n = kept + r;
		found = memmem(buf, n, mark, sizeof(mark)) != NULL;
		/* the mark may continue in the next block */
		kept = n < sizeof(mark) - 1 ? n : sizeof(mark) - 1;
		memmove(buf, buf + n - kept, kept);
	}
	close(fd);
	return found;
}
