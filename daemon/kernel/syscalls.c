/* SPDX-License-Identifier: ISC */
/*
 * Looks up system calls in the tables of the architecture that dtd is compiled
 * for, which the build makes from syscalls.tbl.  Does not depend on probes.
 */
#include <stddef.h>
#include <string.h>

#include "daemon/kernel/syscalls.h"

#if defined(__x86_64__) && defined(__LP64__) /* not x32 */
#define TABLE_64 "syscalls_x86_64.h"
#define TABLE_32 "syscalls_i386.h"
#elif defined(__aarch64__) && defined(__LP64__)
#define TABLE_64 "syscalls_aarch64.h"
#define TABLE_32 "syscalls_arm.h"
#else
#error "syscalls.tbl has no column for this architecture"
#endif

static const struct syscall_desc syscalls_32[] = {
#include TABLE_32
};

static const struct syscall_desc syscalls_64[] = {
#include TABLE_64
};

#define NITEMS(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const struct syscall_desc *rows;
	unsigned int nrows;
} tables[SYSCALL_NABI] = {
	[SYSCALL_ABI_64] = { syscalls_64, NITEMS(syscalls_64) },
	[SYSCALL_ABI_32] = { syscalls_32, NITEMS(syscalls_32) },
};

unsigned int
syscall_max(enum syscall_abi abi)
{
	return tables[abi].nrows;
}

const char *
syscall_release(void)
{
	return SYSCALLS_RELEASE;
}

const struct syscall_desc *
syscall_desc(enum syscall_abi abi, unsigned int nr)
{
	if (nr >= tables[abi].nrows || tables[abi].rows[nr].name == NULL)
		return NULL;
	return &tables[abi].rows[nr];
}

const char *
syscall_name(enum syscall_abi abi, unsigned int nr)
{
	const struct syscall_desc *sd = syscall_desc(abi, nr);

	return sd != NULL ? sd->name : NULL;
}

int
syscall_lookup(enum syscall_abi abi, const char *name)
{
	const char *known;
	unsigned int nr;

	for (nr = 0; nr < tables[abi].nrows; nr++) {
		known = syscall_name(abi, nr);
		if (known != NULL && strcmp(known, name) == 0)
			return (int)nr;
	}
	return -1;
}
