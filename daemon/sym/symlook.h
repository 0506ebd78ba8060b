/* SPDX-License-Identifier: ISC */
/*
 * What /proc tells of a process beside its mappings: user, numbers in pid
 * namespaces, root directory.  Asked while it lives, once for each program
 * that it executes.  Any thread without the lock of symtab.h.
 */
#ifndef DAEMON_SYM_SYMLOOK_H
#define DAEMON_SYM_SYMLOOK_H

#include <stdint.h>

void symlook(uint32_t pid);

#endif /* DAEMON_SYM_SYMLOOK_H */
