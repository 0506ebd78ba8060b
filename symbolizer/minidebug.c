/* SPDX-License-Identifier: ISC */
/*
 * Unpacks MiniDebugInfo with liblzma. libdw does this only as a part of
 * libdwfl, and without a limit.
 */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "symbolizer/minidebug.h"

#define UNPACKED_MAX (32 << 20) /* the largest of Fedora's are some MB */
#define DECODER_MAX  (40 << 20) /* as xz -9 needs; -6, the usual one, 9 MB */
#define PIECE	     (256 << 10)

/* Unpacks all into memory that grows by half. */
static int
unpack(lzma_stream *xz, uint8_t **buf, size_t *size)
{
	size_t max = 0, n = 0;
	uint8_t *p;
	lzma_ret r;

	do {
		if (n == max) {
			if (max >= UNPACKED_MAX)
				return EFBIG;
			max += max / 2 + PIECE;
			if ((p = realloc(*buf, max)) == NULL)
				return ENOMEM;
			*buf = p;
		}
		xz->next_out = *buf + n;
		xz->avail_out = max - n;
		r = lzma_code(xz, LZMA_FINISH);
		n = max - xz->avail_out;
	} while (r == LZMA_OK);
	*size = n;
	if (r == LZMA_MEMLIMIT_ERROR || r == LZMA_MEM_ERROR)
		return ENOMEM;
	return r == LZMA_STREAM_END && n > 0 ? 0 : ENOEXEC;
}

int
minidebug_unpack(const uint8_t *packed, size_t n, struct elffile *mini)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	uint8_t *buf = NULL;
	struct file_bytes im;
	size_t size;
	int error;

	xz.next_in = packed;
	xz.avail_in = n;
	if (lzma_stream_decoder(&xz, DECODER_MAX, 0) != LZMA_OK)
		return ENOMEM;
	error = unpack(&xz, &buf, &size);
	lzma_end(&xz);
	if (error != 0) {
		free(buf);
		return error;
	}
	file_bytes_take(buf, size, &im);
	return elffile_open(mini, &im);
}

int
minidebug_open(const struct elffile *ef, struct elffile *mini)
{
	const uint8_t *packed;
	GElf_Shdr sh;
	size_t n;

	packed = elffile_bytes(elffile_section(ef, ".gnu_debugdata", &sh), &n);
	return packed == NULL ? ENOENT : minidebug_unpack(packed, n, mini);
}
