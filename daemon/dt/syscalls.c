/* SPDX-License-Identifier: ISC */
/*
 * Looks up system calls in the generated table of the architecture that this
 * is compiled for.  Knows nothing of probes; see syscalls.h.
 */
#include <stddef.h>
#include <string.h>

#include "syscalls.h"

/* What the rows of the generated tables are made of. */
#define A(type, name) \
	{ \
		type, name, 0 \
	}
#define P(type, name) \
	{ \
		type, name, 1 \
	}
#define NOARGS \
	{ \
		NULL, NULL, 0 \
	}

static const struct syscall_desc syscalls[] = {
#if defined(__x86_64__) && defined(__LP64__) /* not x32 */
#include "syscalls_x86_64.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "syscalls_aarch64.h"
#else
#error "no table of system calls for this architecture: see syscalls_gen.sh"
#endif
};

#undef A
#undef P
#undef NOARGS

unsigned int
syscall_max(void)
{
	return sizeof(syscalls) / sizeof(syscalls[0]);
}

const char *
syscall_release(void)
{
	return SYSCALLS_RELEASE;
}

const struct syscall_desc *
syscall_desc(unsigned int nr)
{
	if (nr >= syscall_max() || syscalls[nr].name == NULL)
		return NULL;
	return &syscalls[nr];
}

const char *
syscall_name(unsigned int nr)
{
	const struct syscall_desc *sd = syscall_desc(nr);

	return sd != NULL ? sd->name : NULL;
}

int
syscall_lookup(const char *name)
{
	unsigned int nr;

	for (nr = 0; nr < syscall_max(); nr++)
		if (syscalls[nr].name != NULL &&
		    strcmp(syscalls[nr].name, name) == 0)
			return (int)nr;
	return -1;
}
