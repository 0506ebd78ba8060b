/* SPDX-License-Identifier: ISC */
/*
 * Interprets a stack: the function of a frame, and why the stack ended early,
 * as text and for JSON.
 */
#ifndef CLI_SYM_STACK_H
#define CLI_SYM_STACK_H

#include <stdint.h>

#include "cli/base/buf.h"

/* "[127 frames: limit]"; end is an enum dt_stack_end, error its errno. */
void stack_end_text(struct buf *, int iskernel, unsigned int end,
    unsigned int count, unsigned int error);
/* Returns "limit", for example, or NULL for a complete stack. */
const char *stack_end_word(unsigned int end);

/*
 * Returns the address to look up for frame i.  Frames after the first are
 * return addresses, and the call before one may be the last instruction of its
 * function; so the byte before it is looked up.
 */
uint64_t stack_pc(const uint64_t *pcs, unsigned int i);

/*
 * Returns whether a kernel function of this name only calls programs that trace.
 * Some kernels have such frames at the begin of a stack.
 */
int stack_istracing(const char *func);

/* How a stack ended. */
struct stack_end {
	unsigned int se_end;   /* enum dt_stack_end */
	unsigned int se_error; /* errno with DT_STACK_ERRNO */
	unsigned int se_count; /* frames */
	unsigned int se_how;   /* enum dt_stack_how */
	const char *se_func;   /* symbol of the outermost frame, or NULL */
	const char *se_noname; /* why it has none, or NULL: no code can be
			        * there */
	int se_isunmapped;     /* frames after it were cut: no code there */
	int se_ishidden;       /* frames of libc in it hide their callers */
};

/*
 * Returns NULL if the stack of a thread is complete, else the reason.  The string
 * is valid until the next call.  kernel may be NULL: not recorded.
 *
 * Unwind tables mark the first frame of a thread; a start in assembly may have
 * none.  By frame pointers, a stack is
 * complete if its outermost frame is the start of a program or a thread, or in
 * the kernel for a kernel thread.  One that ends where libc calls the program contains all of the program,
 * although libc has no frame pointers there.  A function without a frame may
 * still hide its caller inside of the stack, undetected: gcc omits the frame of
 * leaf functions.
 */
const char *
stack_incomplete(const struct stack_end *kernel, const struct stack_end *user);

#define STACK_CALLS_MAIN "__libc_start_call_main"
/*
 * Returns whether func is where libc calls the program, or a thread's function.
 * A stack ends there only if libc was built without frame pointers.
 */
int stack_is_libc_start(const char *func);
/* The same, or the start of a program or a thread. */
int stack_is_start(const char *func);

#endif /* CLI_SYM_STACK_H */
