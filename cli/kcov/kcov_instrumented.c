/* SPDX-License-Identifier: ISC */
/*
 * Programs that record what they reach by themselves: their file has the mark
 * of libdtkcov, wherever it stands.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/kcov/kcov.h"

/* A string by itself; not in one piece here, or dt would be such a program. */
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
		/* its beginning may be the end of this */
		kept = n < sizeof(mark) - 1 ? n : sizeof(mark) - 1;
		memmove(buf, buf + n - kept, kept);
	}
	close(fd);
	return found;
}
