/* SPDX-License-Identifier: ISC */
/*
 * System calls of this architecture: names and arguments, for the providers
 * syscall and syscall32.  The tables are constant (syscalls.tbl): no
 * function here fails, allocates or queries the running kernel, and any thread
 * may call them.
 *
 * A 32-bit program has other call numbers than a 64-bit one, so each function
 * takes the ABI.  Calls of x32 are unknown here.
 */
#ifndef DAEMON_KERNEL_SYSCALLS_H
#define DAEMON_KERNEL_SYSCALLS_H

#include <stdint.h>

#define SYSCALL_MAXARGS 6 /* argument registers */

/* The ABI of call numbers. */
enum syscall_abi {
	SYSCALL_ABI_64, /* this architecture's own: x86_64, aarch64 */
	SYSCALL_ABI_32, /* 32-bit programs: i386, arm (EABI) */
	SYSCALL_NABI
};

/* One argument.  All fields are constant. */
struct syscall_arg {
	const char *type; /* C type, as the kernel spells it */
	const char *name; /* parameter, in the kernel's words */
	uint8_t is_path;  /* user pointer to the path of a file */
};

/* One system call.  All fields are constant. */
struct syscall_desc {
	const char *name; /* name in libseccomp */
	uint8_t nargs;	  /* used entries of args */
	struct syscall_arg args[SYSCALL_MAXARGS];
};

/*
 * Returns the call with this number; NULL if the table has none.  Any number is
 * permitted: numbers have gaps, hits may contain -1 or x32 numbers, and newer
 * kernels have more calls.
 */
const struct syscall_desc *syscall_desc(enum syscall_abi, unsigned int);

/*
 * Returns the name of the call with this number; NULL if the table has none.
 * libseccomp is not used: it would help only if kernel and libseccomp are both
 * newer than the table.  The unit test uses it.
 */
const char *syscall_name(enum syscall_abi, unsigned int);

/*
 * Returns the number of the call with this name; -1 if there is none.  Linear
 * search.
 */
int syscall_lookup(enum syscall_abi, const char *);

/* Returns the highest known number + 1, for arrays indexed by number. */
unsigned int syscall_max(enum syscall_abi);

/* Kernel release that the tables are complete for, "6.18": for their check. */
const char *syscall_release(void);

#endif /* DAEMON_KERNEL_SYSCALLS_H */
