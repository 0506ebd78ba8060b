/* SPDX-License-Identifier: ISC */
/*
 * What a stack says: which function a frame is in, and why the stack ended
 * before its end, in words and for JSON.
 */
#ifndef CLI_STACK_H
#define CLI_STACK_H

#include <stdint.h>

#include "buf.h"

/* "[127 frames: limit]"; end is an enum dt_stack_end, error its errno. */
void stack_end_text(struct buf *, int iskernel, unsigned int end,
    unsigned int count, unsigned int error);
/* "limit", or NULL for a stack that ended. */
const char *stack_end_word(unsigned int end);

/*
 * The address whose function frame i is in.  Behind the first frame stand
 * return addresses, and the call before one may be the last instruction of its
 * function: so the byte before it is looked up.
 */
uint64_t stack_pc(const uint64_t *pcs, unsigned int i);

#endif /* CLI_STACK_H */
