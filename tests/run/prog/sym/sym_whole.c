/* SPDX-License-Identifier: ISC */
/*
 * sym_whole [MSECS]
 *
 * Its own _start calls the working functions, with frames from end to end: the
 * stacks of this program are complete.
 */
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

BURN_CHAIN(whole)

__attribute__((used)) static BURN_APART void
whole_main(const long *stack)
{
	burn_for(whole_top, stack[0] > 1 ? atol((char *)stack[2]) : 300);
	BURN_TELL(whole);
	fflush(stdout);
	_exit(0);
}

#ifdef __x86_64__
__asm__(".globl _start\n.type _start, @function\n"
	"_start:	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call whole_main\n"
	"	hlt\n"
	".size _start, . - _start\n");
#else
__asm__(".globl _start\n.type _start, %function\n"
	"_start:	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl whole_main\n"
	"	brk #0\n"
	".size _start, . - _start\n");
#endif
