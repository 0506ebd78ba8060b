/* SPDX-License-Identifier: ISC */
/*
 * Why a stack ended before its end, in words and for JSON.
 */
#ifndef CLI_STACK_H
#define CLI_STACK_H

#include "buf.h"

/* "[127 frames: limit]"; end is an enum dt_stack_end, error its errno. */
void	 stack_end_text(struct buf *, int iskernel, unsigned int end,
	    unsigned int count, unsigned int error);
/* "limit", or NULL for a stack that ended. */
const char *stack_end_word(unsigned int end);

#endif /* CLI_STACK_H */
