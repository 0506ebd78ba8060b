/* SPDX-License-Identifier: ISC */
/*
 * The checksum of blocks: CRC-32 of zlib, which runs at memory speed and is
 * available in the library of every language.
 */
#include <zlib.h>

#include "cli/dtfile/block_sum.h"

const unsigned char block_zeros[8];

uint32_t
block_sum(const struct block_hdr *h, const void *data, size_t nbytes)
{
	uLong sum;

	sum = crc32_z(0, (const void *)h, offsetof(struct block_hdr, bh_sum));
	sum = crc32_z(sum, data, nbytes);
	return crc32_z(sum, block_zeros, BLOCK_PAD(nbytes) - nbytes);
}
