/* SPDX-License-Identifier: ISC */
/*
 * Corrects the checksums of a recording, block by block, because hardly any
 * random block has a valid one.
 */
#ifndef FUZZ_MEND_H
#define FUZZ_MEND_H

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "cli/dtfile/block.h"

static inline void
mend(uint8_t *data, size_t len)
{
	struct block_hdr h;
	size_t pos = 0, n;

	while (len - pos >= sizeof(h)) {
		memcpy(&h, data + pos, sizeof(h));
		n = ((size_t)h.bh_length + 7) & ~(size_t)7;
		if (len - pos - sizeof(h) < n)
			return;
		memset(data + pos + sizeof(h) + h.bh_length, 0,
		    n - h.bh_length);
		h.bh_sum = crc32_z(0, (void *)&h,
		    offsetof(struct block_hdr, bh_sum));
		if (n > 0)
			h.bh_sum = crc32_z(h.bh_sum, data + pos + sizeof(h), n);
		memcpy(data + pos, &h, sizeof(h));
		pos += sizeof(h) + n;
	}
}

#endif /* FUZZ_MEND_H */
