/* SPDX-License-Identifier: ISC */
/*
 * sym_stray [MSECS]
 *
 * Spins in stray_leaf() with a forged chain of frame pointers: the first return
 * address is in no mapping, the second in main().  Samples of the C code around
 * the loop have the true frames.
 */
#include <stdlib.h>
#include <time.h>

#define STRAY_NOWHERE 0x1000 /* below vm.mmap_min_addr */
#define STRAY_ROUNDS  1000000

struct stray_frame {
	const struct stray_frame *sf_next;
	const void *sf_return;
};

/* Moves the stack pointer below the memory that the compiler may use there. */
static __attribute__((noinline, noclone)) void
stray_leaf(const struct stray_frame *sf)
{
	unsigned long n = STRAY_ROUNDS;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "push %%rbp\n"
			 "mov %1, %%rbp\n"
			 "1: dec %0\n"
			 "jnz 1b\n"
			 "pop %%rbp\n"
			 "lea 128(%%rsp), %%rsp"
			 : "+r"(n)
			 : "r"(sf)
			 : "cc", "memory");
}

int
main(int argc, char **argv)
{
	struct stray_frame frames[2] = {
		{ &frames[1], (const void *)STRAY_NOWHERE },
		{ NULL, (const char *)main + 1 },
	};
	clock_t msecs = argc > 1 ? atoi(argv[1]) : 500;

	while (clock() < msecs * (CLOCKS_PER_SEC / 1000))
		stray_leaf(frames);
	return 0;
}
