/* SPDX-License-Identifier: ISC */
/* Symbols as other compilers, or nobody, would make them. */
#define FUNC(fn, len) \
	.globl fn; .type fn, @function; .size fn, len; fn:

	.text
	.balign 64
	/* without a size: to the next one */
	.globl nosize
	.type nosize, @function
nosize:	.skip 16
	/* without a type, too */
	.globl label
label:	.skip 8
	/* a mark, as ARM has them */
$x:	.skip 8
	/* a label in the middle of a function */
	FUNC(marked, 32)
	.skip 16
inside:	.skip 16
	/* one in another */
	FUNC(around, 48)
	.skip 16
	FUNC(within, 16)
	.skip 32
	/* of one address the better one, and what covers more below it */
	.local wide
	.type wide, @function
	.size wide, 32
wide:
	FUNC(narrow, 16)
	.skip 32
	FUNC(_ZNK3BoxIiE3getEi, 16)
	.skip 16
	FUNC(_ZN3FooC2ERKSt6vectorIiSaIiEE, 16)
	.skip 16
	FUNC(_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE, 16)
	.skip 16
	FUNC(_RNvMs_NtC5alloc3vecINtB4_3VechE4push, 16)
	.skip 16
	/* no more than looks like one */
	FUNC(_Znonsense, 16)
	.skip 16
	FUNC(evil, 16)
	.skip 16
	FUNC(long, 16)
	.skip 16
	/* not code */
	.globl data_here
	.type data_here, @object
	.size data_here, 16
data_here: .skip 16
	.section .note.GNU-stack,"",@progbits
