/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the search for debug files: two bytes with the length of the file, the
 * file, and the replies to its requests for debug files.
 */
#include "tests/fuzz/fuzz_sym.h"

#define MAXASKS 100 /* the maximum, and some more */

static const uint8_t *answer;
static size_t nanswer;
static int nasks;

static int
give(const struct symrep_find *sa, int *fd)
{
	if (sa->sa_type != SYMREP_FIND ||
	    sa->sa_buildidlen > sizeof(sa->sa_buildid) ||
	    memchr(sa->sa_name, 0, sizeof(sa->sa_name)) == NULL ||
	    ++nasks > MAXASKS)
		abort();
	if (sa->sa_nth > 1)
		return ENOENT;
	*fd = fuzz_memfd(answer, nanswer);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t first;

	if (n < 2)
		return 0;
	first = data[0] | data[1] << 8;
	if (first > n - 2)
		first = n - 2;
	answer = data + 2 + first;
	nanswer = n - 2 - first;
	nasks = 0;
	fuzz_object(fuzz_image(data + 2, first), give, 1);
	return 0;
}
