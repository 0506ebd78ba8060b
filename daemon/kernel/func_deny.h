/* SPDX-License-Identifier: ISC */
/* Decides which functions are never probed. */
#ifndef DAEMON_KERNEL_FUNC_DENY_H
#define DAEMON_KERNEL_FUNC_DENY_H

#include <stdint.h>

/* Returns why a function is never probed, or NULL. */
const char *func_deny_name(const char *symbol);
/*
 * Read the kernel's own list, and check an address against it.  Called by one
 * thread at a time.
 */
void func_deny_read(void);
const char *func_deny_addr(uint64_t addr);

#endif /* DAEMON_KERNEL_FUNC_DENY_H */
