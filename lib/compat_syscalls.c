/* SPDX-License-Identifier: ISC */
/*
 * Names and numbers of system calls as programs written for OpenBSD expect them
 * (dt/compat/sys/syscall.h): from 1 up, so the call 0 has another number.
 */
#include <string.h>

#include <dt/compat/sys/syscall.h>
#include "lib/compat_list.h"

const char *const syscallnames[SYS_MAXSYSCALL + 1] = {
#if defined(__x86_64__)
#include "bsd_syscalls_x86_64.h"
#elif defined(__aarch64__)
#include "bsd_syscalls_aarch64.h"
#endif
};

int
dt_compat_sysnum(const char *name)
{
	int n;

	for (n = 1; n < SYS_MAXSYSCALL; n++)
		if (strcmp(syscallnames[n], name) == 0)
			return n;
	return -1;
}
