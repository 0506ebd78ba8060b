/* SPDX-License-Identifier: ISC */
/* Fuzzes MiniDebugInfo: what is packed into .gnu_debugdata. */
#include "tests/fuzz/fuzz_sym.h"

#include "symbolizer/minidebug.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct elffile mini;

	elf_version(EV_CURRENT);
	if (minidebug_unpack(data, n, &mini) == 0)
		elffile_close(&mini);
	return 0;
}
