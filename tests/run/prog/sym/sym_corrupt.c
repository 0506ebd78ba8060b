/* SPDX-License-Identifier: ISC */
/*
 * sym_corrupt [MSECS [SEED]]
 *
 * Spins with a stack pointer, a frame pointer and a stack that are wrong, each
 * time in another way: random words, among them addresses of code and of the
 * stack itself, and pointers to memory that does not exist.
 */
#include <err.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tests/run/prog/sym/spin.h"

#define NWORDS 4096

/*
 * corrupt_rsp(stack, frame) and corrupt_rbp(stack, frame) spin with these stack
 * and frame pointers.  Their frames are found by the stack pointer and by the
 * frame pointer.
 */
#define CORRUPT(name, cfi) \
	".type " name ", @function\n" name ":\n" \
	".cfi_startproc\n" \
	"mov %rsp, %r8\n" \
	"mov %rbp, %r9\n" \
	"mov %rdi, %rsp\n" \
	"mov %rsi, %rbp\n" cfi "mov $100000, %ecx\n" \
	"1: imul $7, %eax, %eax\n" \
	"dec %ecx\n" \
	"jnz 1b\n" \
	"mov %r8, %rsp\n" \
	"mov %r9, %rbp\n" \
	"ret\n" \
	".cfi_endproc\n" \
	".size " name ", . - " name "\n"

__asm__(".text\n" CORRUPT("corrupt_rsp", "") CORRUPT("corrupt_rbp",
    ".cfi_def_cfa %rbp, 16\n.cfi_offset %rbp, -16\n"));
void corrupt_rsp(uintptr_t stack, uintptr_t frame);
void corrupt_rbp(uintptr_t stack, uintptr_t frame);

static uint64_t state;

/* Marsaglia's xorshift. */
static uint64_t
any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Returns an address in memory, below its end, or of none. */
static uintptr_t
pointer(uintptr_t mem)
{
	switch (any() % 8) {
	case 0:
		return any();
	case 1:
		return any() % 2 ? 0 : -(any() % 64);
	case 2:
		return 0xffff888000000000 + any() % (1 << 20);
	case 3:
		return mem + any() % (NWORDS * 8); /* not aligned */
	case 4:
		return mem + NWORDS * 8 - any() % 64; /* nothing follows */
	default:
		return mem + any() % NWORDS * 8;
	}
}

/*
 * Returns a stack pointer.  It has the form of an address: with another one, some
 * virtual machines end the program at the next interrupt.
 */
static uintptr_t
stack_pointer(uintptr_t mem)
{
	return (uintptr_t)((intptr_t)(pointer(mem) << 16) >> 16);
}

static uintptr_t
word(uintptr_t mem)
{
	switch (any() % 4) {
	case 0:
		return (uintptr_t)corrupt_rbp + any() % 40;
	case 1:
		return (uintptr_t)qsort - 50000 + any() % 100000;
	default:
		return pointer(mem);
	}
}

int
main(int argc, char **argv)
{
	long end = msecs_now() + (argc > 1 ? atoi(argv[1]) : 100), i;
	uintptr_t *mem = mmap(NULL, (NWORDS + 4096) * sizeof(*mem),
	    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*spin)(uintptr_t, uintptr_t);

	if (mem == MAP_FAILED ||
	    munmap(mem + NWORDS, 4096 * sizeof(*mem)) == -1)
		err(1, "mmap");
	state = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	while (msecs_now() < end) {
		for (i = 0; i < NWORDS; i++)
			mem[i] = word((uintptr_t)mem);
		for (i = 0; i < 10; i++) {
			spin = any() % 2 ? corrupt_rsp : corrupt_rbp;
			spin(stack_pointer((uintptr_t)mem),
			    pointer((uintptr_t)mem));
		}
	}
	return 0;
}
