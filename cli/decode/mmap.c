/* SPDX-License-Identifier: ISC */
/*
 * Memory of a process: mmap(2) and related calls, advice, locks, NUMA policies.
 */
#include <linux/mempolicy.h>
#include <linux/mman.h>

#include "cli/decode/flag_names.h"
#include "mmap_names.h"

/* MAP_PRIVATE|MAP_HUGETLB|21<<MAP_HUGE_SHIFT */
static void
vm_map_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const uint64_t mask = (uint64_t)MAP_HUGE_MASK << MAP_HUGE_SHIFT;
	uint64_t huge = 0, rest;
	int any = 0;

	(void)ac;
	(void)argn;
	(void)ak;
	if (v & MAP_HUGETLB) {
		huge = (v & mask) >> MAP_HUGE_SHIFT;
		v &= ~mask;
	}
	rest = arg_put_bits(b, &map_names, v, &any);
	arg_put_rest(b, rest, any);
	if (huge != 0) {
		buf_c(b, '|');
		buf_u64(b, huge);
		buf_str(b, "<<MAP_HUGE_SHIFT");
	}
}

/* The new address is an argument, not chosen by the kernel. */
static int
mremap_shown(const struct arg_call *ac, unsigned int argn)
{
	const uint64_t given = MREMAP_FIXED | MREMAP_MAYMOVE;

	return argn != 4 || (arg_value(ac, 3) & given) == given;
}

static const struct arg_row mmap_rows[] = {
	{ "mmap mmap2 mprotect pkey_mprotect remap_file_pages", "prot", NULL,
	    ARG_FLAGS(arg_names_prot) },
	{ "mmap mmap2 remap_file_pages", "flags", NULL,
	    ARG_FUNC_NAMES(vm_map_text, map_names) },
	{ "mmap", "off", NULL, ARG_FUNC(arg_hex_text) },
	{ "mmap2", "pgoff", NULL, ARG_FUNC(arg_hex_text) },
	{ "mmap2", "off_4k", NULL, ARG_FUNC(arg_hex_text) },
	{ "mremap", "flags", NULL, ARG_FLAGS(mremap_names) },
	{ "mremap", "new_addr", NULL, ARG_FUNC(arg_ptr_text) },
	{ "mremap", "addr", NULL, ARG_FUNC(arg_ptr_text) },
	{ "msync", "flags", NULL, ARG_FLAGS(msync_names) },
	{ "mlockall", "flags", NULL, ARG_FLAGS(mlockall_names) },
	{ "mlock2", "flags", NULL, ARG_FLAGS(mlock2_names) },
	{ "madvise process_madvise", "behavior", NULL,
	    ARG_ENUM(madvise_names) },
	{ "pkey_alloc", "init_val", NULL, ARG_FLAGS(pkey_names) },
	{ "pkey_alloc", "flags", NULL, ARG_FUNC(arg_hex_text) },
	{ "mbind set_mempolicy", "mode", NULL, ARG_FLAGS(mpol_names) },
	{ "mbind migrate_pages move_pages", "flags", NULL,
	    ARG_FLAGS(mbind_names) },
	{ "get_mempolicy", "flags", NULL, ARG_FLAGS(getpol_names) },
	{ "map_shadow_stack", "flags", NULL, ARG_FLAGS(shadow_names) },
};

static const struct arg_show mmap_shows[] = { { "mremap", mremap_shown } };

const struct arg_table arg_table_mmap = ARG_TABLE_SHOW(mmap_rows, mmap_shows);
