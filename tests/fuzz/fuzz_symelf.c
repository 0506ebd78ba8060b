/* SPDX-License-Identifier: ISC */
/* Fuzzes the index of functions and stubs: ELF files from any source. */
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
	fuzz_object(fuzz_image(data, n), nothing, 0);
	return 0;
}
