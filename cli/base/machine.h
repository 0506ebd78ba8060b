/* SPDX-License-Identifier: ISC */
/*
 * Machines whose kernel interfaces use different numbers for the same
 * constants.
 */
#ifndef CLI_BASE_MACHINE_H
#define CLI_BASE_MACHINE_H

#include <string.h>

enum machine {
	MACHINE_X86, /* and all architectures with the common numbers */
	MACHINE_ARM64,
	MACHINE_N,
};

#ifdef __aarch64__
#define MACHINE_HERE MACHINE_ARM64
#else
#define MACHINE_HERE MACHINE_X86
#endif

/*
 * Finds the machine by the name that uname(2) returned at the recording.
 * "armv8l" is what 32-bit programs see on arm64; the numbers are the same.
 */
static inline enum machine
machine_find(const char *uname)
{
	return strncmp(uname, "aarch64", 7) == 0 ||
		strncmp(uname, "arm", 3) == 0
	    ? MACHINE_ARM64
	    : MACHINE_X86;
}

#endif /* CLI_BASE_MACHINE_H */
