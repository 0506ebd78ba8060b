/* SPDX-License-Identifier: ISC */
/* Functions that are never probed. */
#ifndef DAEMON_KERNEL_FUNC_DENY_H
#define DAEMON_KERNEL_FUNC_DENY_H

#include <stddef.h>
#include <stdint.h>

/* Addresses that the kernel does not let probe. */
struct krange {
	uint64_t ra_begin, ra_end;
};

struct kranges {
	struct krange *kr_list; /* ascending; to be freed */
	size_t kr_n;
};

/* Why a function is never probed, or NULL. */
const char *kdeny_name(const char *symbol);
/* Reads the kernel's own list, and says the same of an address. */
void kdeny_read(struct kranges *);
const char *kdeny_addr(const struct kranges *, uint64_t addr);

#endif /* DAEMON_KERNEL_FUNC_DENY_H */
