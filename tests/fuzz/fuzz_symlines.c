/* SPDX-License-Identifier: ISC */
/* Fuzzes lines and inlined functions: DWARF from any source. */
#include "tests/fuzz/fuzz_sym.h"

static int
nothing(const struct symrep_find *sa, int *fd)
{
	(void)sa;
	(void)fd;
	return ENOENT;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_object(fuzz_image(data, n), nothing, 1);
	return 0;
}
