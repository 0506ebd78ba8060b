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

/* How a stack ended. */
struct stack_end {
	unsigned int se_end;   /* enum dt_stack_end */
	unsigned int se_error; /* errno with DT_STACK_ERRNO */
	unsigned int se_count; /* frames */
	const char *se_func;   /* of the outermost one, or NULL, and */
	const char *se_noname; /* why, or NULL: no code can be there */
};

/*
 * Whether the stack of a thread is complete: only if its outermost frame is
 * where a program or a thread starts; in the kernel if it is a thread of the
 * kernel.  Returns NULL if so, else why not, as far as that is known:
 * what stood behind the last frame nobody has seen.  The string lives until
 * the next call.  kernel may be NULL: it was not recorded.
 */
const char *
stack_incomplete(const struct stack_end *kernel, const struct stack_end *user);

#endif /* CLI_STACK_H */
