/* SPDX-License-Identifier: ISC */
/*
 * The system calls of this architecture: names, and what their arguments are.
 * For the providers syscall and syscall32.  The tables are generated
 * (syscalls_gen.sh) and constant: nothing here fails, allocates or asks the
 * running kernel, and every function may be called from any thread.
 *
 * A program of 32 bits has other numbers for its calls than one of 64 bits,
 * so each function is told whose are meant.  Those of x32 are not known here.
 */
#ifndef DAEMON_KERNEL_SYSCALLS_H
#define DAEMON_KERNEL_SYSCALLS_H

#include <stdint.h>

#define SYSCALL_MAXARGS 6 /* registers that the kernel takes them from */

/* Whose numbers. */
enum syscall_abi {
	SYSCALL_ABI_64, /* this architecture's own: x86_64, aarch64 */
	SYSCALL_ABI_32, /* its 32-bit programs': i386, arm (EABI) */
	SYSCALL_NABI
};

/* One argument.  All fields are constant. */
struct syscall_arg {
	const char *type; /* C type, in the kernel's words */
	const char *name; /* parameter, in the kernel's words */
	uint8_t is_path;  /* user pointer to the path of a file */
};

/* One system call.  All fields are constant. */
struct syscall_desc {
	const char *name; /* as libseccomp calls it */
	uint8_t nargs;	  /* used entries of args */
	struct syscall_arg args[SYSCALL_MAXARGS];
};

/*
 * The call with this number; NULL if the table has none.  Numbers have gaps,
 * and a newer kernel has calls that the table doesn't know: any number may
 * come from a hit, so -1 and x32 numbers are welcome too.
 */
const struct syscall_desc *syscall_desc(enum syscall_abi, unsigned int);

/*
 * Name of the call with this number; NULL if the table has none.  libseccomp
 * isn't asked then: it could only help on a kernel newer than the table, with
 * a libseccomp newer than the table, and the daemon needn't be linked with it
 * just for that.  The generator and the unit test are.
 */
const char *syscall_name(enum syscall_abi, unsigned int);

/* Number of the call with this name; -1 if there is none.  Linear search. */
int syscall_lookup(enum syscall_abi, const char *);

/* Highest known number + 1: the size of an array with a place for each. */
unsigned int syscall_max(enum syscall_abi);

/* Kernel release that the tables were made from, "6.18": for its check. */
const char *syscall_release(void);

#endif /* DAEMON_KERNEL_SYSCALLS_H */
