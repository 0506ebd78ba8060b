/* SPDX-License-Identifier: ISC */
/* Finds the lowest set bit of a mask of sessions. */
#ifndef BPF_DT_LOWEST_BIT_BPF_H
#define BPF_DT_LOWEST_BIT_BPF_H

#include <linux/types.h>

/*
 * Returns the index of the lowest set bit of w, which must not be 0.  BPF has
 * no such instruction.  The multiplication by a de Bruijn sequence has no
 * branch, so the verifier keeps a single state for each round of a caller's
 * loop.
 */
static const __u8 bit_of_product[64] = {
	0,
	1,
	48,
	2,
	57,
	49,
	28,
	3,
	61,
	58,
	50,
	42,
	38,
	29,
	17,
	4,
	62,
	55,
	59,
	36,
	53,
	51,
	43,
	22,
	45,
	39,
	33,
	30,
	24,
	18,
	12,
	5,
	63,
	47,
	56,
	27,
	60,
	41,
	37,
	16,
	54,
	35,
	52,
	21,
	44,
	32,
	23,
	11,
	46,
	26,
	40,
	15,
	34,
	20,
	31,
	10,
	25,
	14,
	19,
	9,
	13,
	8,
	7,
	6,
};

static __always_inline __u32
lowest_bit(__u64 w)
{
	return bit_of_product[((w & -w) * 0x03f79d71b4cb0a89ULL) >> 58];
}

#endif /* BPF_DT_LOWEST_BIT_BPF_H */
