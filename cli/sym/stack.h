/* SPDX-License-Identifier: ISC */
/*
 * What a stack says: which function a frame is in, and why the stack ended
 * before its end, in words and for JSON.
 */
#ifndef CLI_SYM_STACK_H
#define CLI_SYM_STACK_H

#include <stdint.h>

#include "cli/base/buf.h"

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
	int se_isunmapped;     /* frames after it were cut: no code there */
	int se_ishidden;       /* libc's frames in it hide their callers */
};

/*
 * Whether the stack of a thread is complete, by its frame pointers: its
 * outermost frame is where a program or a thread starts; in the kernel if it is
 * a thread of the kernel.  Returns NULL if so, else the reason.  The string
 * lives until the next call.  kernel may be NULL: it was not recorded.
 *
 * A stack that ends where libc calls the program has all of the program, though
 * libc has no frame pointers there.  A function without a frame may still hide
 * its caller inside of the stack, undetected: gcc omits the frame of functions
 * that call no other.
 */
const char *
stack_incomplete(const struct stack_end *kernel, const struct stack_end *user);

#define STACK_CALLS_MAIN "__libc_start_call_main"
/* Whether libc calls the program, or a thread's function, from there.  A stack
 * ends there only if libc was built without frame pointers. */
int stack_is_libc_start(const char *func);
/* The same, or where a program or a thread starts. */
int stack_is_start(const char *func);

#endif /* CLI_SYM_STACK_H */
