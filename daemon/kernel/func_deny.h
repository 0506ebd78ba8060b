/* SPDX-License-Identifier: ISC */
/* Decides which functions are never probed. */
#ifndef DAEMON_KERNEL_FUNC_DENY_H
#define DAEMON_KERNEL_FUNC_DENY_H

#include <stddef.h>
#include <stdint.h>

/* Addresses that the kernel does not permit to probe. */
struct deny_range {
	uint64_t dg_begin, dg_end;
};

struct deny_ranges {
	struct deny_range *dgs_list; /* ascending; owned by the struct */
	size_t dgs_n;
};

/* Returns why a function is never probed, or NULL. */
const char *func_deny_name(const char *symbol);
/* Read the kernel's own list, and check an address against it. */
void func_deny_read(struct deny_ranges *);
const char *func_deny_addr(const struct deny_ranges *, uint64_t addr);

#endif /* DAEMON_KERNEL_FUNC_DENY_H */
