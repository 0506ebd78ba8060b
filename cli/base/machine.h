/* SPDX-License-Identifier: ISC */
/*
 * Machines, as far as numbers that programs hand to their kernel mean something
 * else on one than on another.
 */
#ifndef CLI_BASE_MACHINE_H
#define CLI_BASE_MACHINE_H

#include <string.h>

enum machine {
	MACHINE_X86, /* and all that have the numbers of most */
	MACHINE_ARM64,
	MACHINE_N,
};

#ifdef __aarch64__
#define MACHINE_HERE MACHINE_ARM64
#else
#define MACHINE_HERE MACHINE_X86
#endif

/* By what uname(2) told where it was recorded; "armv8l" is what programs of 32
 * bits see there, which have the same numbers. */
static inline enum machine
machine_find(const char *uname)
{
	return strncmp(uname, "aarch64", 7) == 0 ||
		strncmp(uname, "arm", 3) == 0
	    ? MACHINE_ARM64
	    : MACHINE_X86;
}

#endif /* CLI_BASE_MACHINE_H */
