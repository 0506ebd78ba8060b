/* SPDX-License-Identifier: ISC */
/*
 * Memory of a process: mmap(2) and related calls, advice, locks, NUMA policies.
 */
#include <linux/mempolicy.h>
#include <linux/mman.h>

#include "cli/decode/flag_names.h"

#ifndef MAP_32BIT
#define MAP_32BIT 0x40 /* x86 only */
#endif
#ifndef MAP_ABOVE4G
#define MAP_ABOVE4G 0x80 /* Linux 6.6, x86 only */
#endif
#ifndef PROT_BTI
#define PROT_BTI 0x10 /* arm64 only, as the next; unused on x86 */
#define PROT_MTE 0x20
#endif
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08 /* Linux 6.11 */
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#define MADV_GUARD_REMOVE  103
#endif
#ifndef SHADOW_STACK_SET_TOKEN
#define SHADOW_STACK_SET_TOKEN 1 /* Linux 6.6 */
#endif
#ifndef MPOL_WEIGHTED_INTERLEAVE
#define MPOL_WEIGHTED_INTERLEAVE 6 /* Linux 6.9 */
#endif

static const struct arg_name prot_list[] = { ARG_BIT(PROT_READ),
	ARG_BIT(PROT_WRITE), ARG_BIT(PROT_EXEC), ARG_BIT(PROT_SEM),
	ARG_BIT(PROT_BTI), ARG_BIT(PROT_MTE), ARG_BIT(PROT_GROWSDOWN),
	ARG_BIT(PROT_GROWSUP) };
const struct arg_names arg_names_prot = ARG_NAMES_ZERO(prot_list, "PROT_NONE");

static const struct arg_name map_list[] = { ARG_FIELD(MAP_TYPE, MAP_SHARED),
	ARG_FIELD(MAP_TYPE, MAP_PRIVATE),
	ARG_FIELD(MAP_TYPE, MAP_SHARED_VALIDATE),
	ARG_FIELD(MAP_TYPE, MAP_DROPPABLE),
	ARG_NAME(MAP_TYPE, MAP_FILE, "MAP_FILE"), ARG_BIT(MAP_FIXED),
	ARG_BIT(MAP_ANONYMOUS), ARG_BIT(MAP_32BIT), ARG_BIT(MAP_ABOVE4G),
	ARG_BIT(MAP_NORESERVE), ARG_BIT(MAP_POPULATE), ARG_BIT(MAP_NONBLOCK),
	ARG_BIT(MAP_GROWSDOWN), ARG_BIT(MAP_DENYWRITE), ARG_BIT(MAP_EXECUTABLE),
	ARG_BIT(MAP_LOCKED), ARG_BIT(MAP_STACK), ARG_BIT(MAP_HUGETLB),
	ARG_BIT(MAP_SYNC), ARG_BIT(MAP_FIXED_NOREPLACE),
	ARG_BIT(MAP_UNINITIALIZED) };
static const struct arg_names map_names = ARG_NAMES(map_list);

static const struct arg_name mremap_list[] = { ARG_BIT(MREMAP_MAYMOVE),
	ARG_BIT(MREMAP_FIXED), ARG_BIT(MREMAP_DONTUNMAP) };
static const struct arg_names mremap_names = ARG_NAMES(mremap_list);

static const struct arg_name msync_list[] = { ARG_BIT(MS_SYNC),
	ARG_BIT(MS_ASYNC), ARG_BIT(MS_INVALIDATE) };
static const struct arg_names msync_names = ARG_NAMES(msync_list);

static const struct arg_name mlockall_list[] = { ARG_BIT(MCL_CURRENT),
	ARG_BIT(MCL_FUTURE), ARG_BIT(MCL_ONFAULT) };
static const struct arg_names mlockall_names = ARG_NAMES(mlockall_list);

static const struct arg_name mlock2_list[] = { ARG_BIT(MLOCK_ONFAULT) };
static const struct arg_names mlock2_names = ARG_NAMES(mlock2_list);

static const struct arg_name madvise_list[] = { ARG_IS(MADV_NORMAL),
	ARG_IS(MADV_RANDOM), ARG_IS(MADV_SEQUENTIAL), ARG_IS(MADV_WILLNEED),
	ARG_IS(MADV_DONTNEED), ARG_IS(MADV_FREE), ARG_IS(MADV_REMOVE),
	ARG_IS(MADV_DONTFORK), ARG_IS(MADV_DOFORK), ARG_IS(MADV_MERGEABLE),
	ARG_IS(MADV_UNMERGEABLE), ARG_IS(MADV_HUGEPAGE),
	ARG_IS(MADV_NOHUGEPAGE), ARG_IS(MADV_DONTDUMP), ARG_IS(MADV_DODUMP),
	ARG_IS(MADV_WIPEONFORK), ARG_IS(MADV_KEEPONFORK), ARG_IS(MADV_COLD),
	ARG_IS(MADV_PAGEOUT), ARG_IS(MADV_POPULATE_READ),
	ARG_IS(MADV_POPULATE_WRITE), ARG_IS(MADV_DONTNEED_LOCKED),
	ARG_IS(MADV_COLLAPSE), ARG_IS(MADV_HWPOISON), ARG_IS(MADV_SOFT_OFFLINE),
	ARG_IS(MADV_GUARD_INSTALL), ARG_IS(MADV_GUARD_REMOVE) };
static const struct arg_names madvise_names = ARG_NAMES(madvise_list);

static const struct arg_name pkey_list[] = { ARG_BIT(PKEY_DISABLE_ACCESS),
	ARG_BIT(PKEY_DISABLE_WRITE) };
static const struct arg_names pkey_names = ARG_NAMES(pkey_list);

/* Mask of the policy, without its flags. */
#define MPOL_VALUE 0xfff

static const struct arg_name mpol_list[] = { ARG_FIELD(MPOL_VALUE,
						 MPOL_DEFAULT),
	ARG_FIELD(MPOL_VALUE, MPOL_PREFERRED), ARG_FIELD(MPOL_VALUE, MPOL_BIND),
	ARG_FIELD(MPOL_VALUE, MPOL_INTERLEAVE),
	ARG_FIELD(MPOL_VALUE, MPOL_LOCAL),
	ARG_FIELD(MPOL_VALUE, MPOL_PREFERRED_MANY),
	ARG_FIELD(MPOL_VALUE, MPOL_WEIGHTED_INTERLEAVE),
	ARG_BIT(MPOL_F_NUMA_BALANCING), ARG_BIT(MPOL_F_RELATIVE_NODES),
	ARG_BIT(MPOL_F_STATIC_NODES) };
static const struct arg_names mpol_names = ARG_NAMES(mpol_list);

static const struct arg_name mbind_list[] = { ARG_BIT(MPOL_MF_STRICT),
	ARG_BIT(MPOL_MF_MOVE), ARG_BIT(MPOL_MF_MOVE_ALL), ARG_BIT(MPOL_MF_LAZY),
	ARG_BIT(MPOL_MF_INTERNAL) };
static const struct arg_names mbind_names = ARG_NAMES(mbind_list);

static const struct arg_name getpol_list[] = { ARG_BIT(MPOL_F_NODE),
	ARG_BIT(MPOL_F_ADDR), ARG_BIT(MPOL_F_MEMS_ALLOWED) };
static const struct arg_names getpol_names = ARG_NAMES(getpol_list);

static const struct arg_name shadow_list[] = { ARG_BIT(
    SHADOW_STACK_SET_TOKEN) };
static const struct arg_names shadow_names = ARG_NAMES(shadow_list);

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
