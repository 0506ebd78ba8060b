/* SPDX-License-Identifier: ISC */
/* Functions that are never probed. */
#ifndef DAEMON_KERNEL_FUNC_DENY_H
#define DAEMON_KERNEL_FUNC_DENY_H

#include <stddef.h>
#include <stdint.h>

/* Addresses that the kernel does not let probe. */
struct deny_range {
	uint64_t dg_begin, dg_end;
};

struct deny_ranges {
	struct deny_range *dgs_list; /* ascending; to be freed */
	size_t dgs_n;
};

/* Why a function is never probed, or NULL. */
const char *func_deny_name(const char *symbol);
/* Reads the kernel's own list, and says the same of an address. */
void func_deny_read(struct deny_ranges *);
const char *func_deny_addr(const struct deny_ranges *, uint64_t addr);

#endif /* DAEMON_KERNEL_FUNC_DENY_H */
