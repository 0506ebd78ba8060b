/* SPDX-License-Identifier: ISC */
/* Padding and checksum of blocks, shared by writer and reader. */
#ifndef CLI_DTFILE_BLOCK_SUM_H
#define CLI_DTFILE_BLOCK_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "cli/dtfile/block.h"

/* Length of content with its padding to a multiple of 8. */
#define BLOCK_PAD(n) (((n) + 7) & ~(size_t)7)

extern const unsigned char block_zeros[8]; /* for padding, at most 7 */

/*
 * Returns the checksum of a block of nbytes of content, including its padding.
 */
uint32_t block_sum(const struct block_hdr *, const void *, size_t nbytes);

#endif /* CLI_DTFILE_BLOCK_SUM_H */
