/* SPDX-License-Identifier: ISC */
/*
 * What writer and reader of recordings share: how a block ends.
 */
#ifndef CLI_DTFILE_BLOCK_SUM_H
#define CLI_DTFILE_BLOCK_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "cli/dtfile/block.h"

/* Content is followed by zeros up to a multiple of 8. */
#define BLOCK_PAD(n) (((n) + 7) & ~(size_t)7)

extern const unsigned char block_zeros[8]; /* at most 7 of them */

/* The checksum of a block of nbytes of content, zeros behind it included. */
uint32_t block_sum(const struct block_hdr *, const void *, size_t nbytes);

#endif /* CLI_DTFILE_BLOCK_SUM_H */
