/* SPDX-License-Identifier: ISC */
/*
 * Reads call frame information, .eh_frame and .debug_frame (DWARF 5, 6.4; Linux
 * Standard Base, 10.6), and computes the rule of each address.
 *
 * libdw computes the rule of one address at a time and starts from the
 * function's beginning each time, which takes too long for all of a file.
 */
#ifndef SYMBOLIZER_UNWIND_CFI_H
#define SYMBOLIZER_UNWIND_CFI_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

struct cfi {
	const uint8_t *cf_bytes;
	size_t cf_size;
	uint64_t cf_addr;    /* address of the section */
	int cf_iseh;	     /* .eh_frame, else .debug_frame */
	uint16_t cf_machine; /* EM_X86_64 or EM_AARCH64 */
};

/* A rule that applies from an address on.  Returns 0 or an errno, which ends. */
typedef int cfi_rowfn(void *arg, uint64_t addr, const struct unwind_rule *);

/*
 * Calls fn for the rows of all functions that overlap [from, to), each function
 * in order of address, and then for its end, with UNWIND_CFA_NONE.  Functions
 * have the section's order.  Returns 0, fn's errno, EBADMSG for a malformed
 * section or E2BIG for one that would take too long; rows before that are valid.
 */
int cfi_rows(const struct cfi *, uint64_t from, uint64_t to, cfi_rowfn *,
    void *arg);

#endif /* SYMBOLIZER_UNWIND_CFI_H */
