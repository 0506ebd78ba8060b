/* SPDX-License-Identifier: ISC */
/*
 * Precedes the system header of this name, to add what OpenBSD has there: the
 * numbers N of the probes syscall:sys%N, from 1 up, and a table of names.
 *
 * N is the number of the call, except for the call 0, which is the last before
 * SYS_MAXSYSCALL.  The list of probes has such names if the program is compiled
 * with -DDT_COMPAT_SYSNUM (see dt/compat.h).
 */
#pragma GCC system_header
#ifndef DT_COMPAT_SYS_SYSCALL_H
#define DT_COMPAT_SYS_SYSCALL_H

#include_next <sys/syscall.h>

#define SYS_MAXSYSCALL 1024
#define syscallnames   dt_compat_syscallnames

#ifdef __cplusplus
extern "C" {
#endif
/* A number without a call has the name "#". */
extern const char *const syscallnames[SYS_MAXSYSCALL + 1];
#ifdef __cplusplus
}
#endif

#endif /* DT_COMPAT_SYS_SYSCALL_H */
