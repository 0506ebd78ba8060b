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

#include "symbolizer/ranges.h"
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
 * Adds the functions of the section, each with the offset of its entry as its
 * value.  Returns 0, ENOMEM, or E2BIG for too many; a malformed part has none.
 */
int cfi_functions(const struct cfi *, struct ranges *);
/*
 * Calls fn for the rows of some functions, each in order of address, and then
 * for the function's end, with UNWIND_CFA_NONE.  Returns 0, fn's errno, or E2BIG
 * if it would take too long; a malformed function has no further rows.
 */
int cfi_rows(const struct cfi *, const struct range *, size_t n, cfi_rowfn *,
    void *arg);

#endif /* SYMBOLIZER_UNWIND_CFI_H */
