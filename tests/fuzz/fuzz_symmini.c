/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes MiniDebugInfo: the packed .gnu_debugdata, and, because hardly any
 * random bytes have valid checksums, the same bytes packed correctly.
 */
#include <lzma.h>

#include "symbolizer/minidebug.h"
#include "tests/fuzz/fuzz_sym.h"

static void
unpack(const uint8_t *data, size_t n, size_t want)
{
	struct elffile mini;

	if (minidebug_unpack(data, n, &mini) != 0)
		return;
	if (want != 0 && mini.ef_bytes.fby_size != want)
		abort();
	elffile_close(&mini);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t max = lzma_stream_buffer_bound(n), packed = 0;
	uint8_t *buf = malloc(max);

	elf_version(EV_CURRENT);
	unpack(data, n, 0);
	if (buf == NULL ||
	    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, data, n, buf,
		&packed, max) != LZMA_OK)
		abort();
	unpack(buf, packed, n);
	free(buf);
	return 0;
}
