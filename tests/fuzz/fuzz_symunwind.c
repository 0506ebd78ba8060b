/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the reader of unwind information.  The input is a byte, whose bits
 * choose the section's kind and the machine, and a section.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/unwind_cfi.h"

#define ADDR 0x10000 /* of the section */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
row(void *arg, uint64_t addr, const struct unwind_rule *un)
{
	uint64_t *sum = arg;

	*sum += addr;
	if (un->un_cfa > UNWIND_CFA_LEAF || un->un_fp > UNWIND_FP_UNKNOWN ||
	    un->un_ra > UNWIND_RA_UNSUPPORTED)
		abort();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	struct cfi cf = { .cf_addr = ADDR };
	struct ranges rs = { 0 };
	uint64_t sum = 0;
	uint8_t *section;
	int error;

	if (nbytes == 0)
		return 0;
	cf.cf_iseh = data[0] & 1;
	cf.cf_machine = data[0] & 2 ? EM_AARCH64 : EM_X86_64;
	cf.cf_size = nbytes - 1;
	/* memory of the exact size, for the sanitizer */
	if ((section = malloc(cf.cf_size)) == NULL && cf.cf_size > 0)
		abort();
	memcpy(section, data + 1, cf.cf_size);
	cf.cf_bytes = section;
	error = cfi_functions(&cf, &rs);
	if (error == 0)
		error = cfi_rows(&cf, rs.rs_v, rs.rs_n, row, &sum);
	if (error != 0 && error != E2BIG)
		abort();
	ranges_free(&rs);
	free(section);
	return 0;
}
