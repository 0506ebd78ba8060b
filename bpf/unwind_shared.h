/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables as the BPF programs find them, shared by dtd and the programs.
 * Layout and constants only.
 *
 * Tables are in blocks.  A block is a page's table (wire/unwind.h) or the
 * mappings of a process.  It lies within one slab: the only element of a
 * mappable array map, which is in the array of maps unwind_slabs.  dtd writes a
 * block before any key refers to it, and reuses its memory a grace period after
 * the last key is gone.  A program reads no byte outside of a slab, whatever
 * the slab contains.
 *
 * Letters: D: written by dtd; B: written by BPF.
 */
#ifndef BPF_UNWIND_SHARED_H
#define BPF_UNWIND_SHARED_H

#include <linux/types.h>

#include "wire/unwind.h"

#define UNWIND_SLAB_SHIFT 20 /* bytes of a slab, as a power of two */
#define UNWIND_SLAB	  (1U << UNWIND_SLAB_SHIFT)
#define UNWIND_MAXSLABS	  256
/* A block's place: slab << 14 | offset in the slab >> 6; blocks are aligned. */
#define UNWIND_UNIT_SHIFT 6
#define UNWIND_PLACE(slab, off) \
	((slab) << (UNWIND_SLAB_SHIFT - UNWIND_UNIT_SHIFT) | \
	    (off) >> UNWIND_UNIT_SHIFT)
#define UNWIND_PLACE_SLAB(place) \
	((place) >> (UNWIND_SLAB_SHIFT - UNWIND_UNIT_SHIFT))
#define UNWIND_PLACE_OFF(place) \
	(((place) << UNWIND_UNIT_SHIFT) & (UNWIND_SLAB - 1))

/*
 * A page's table: this head, ub_nrows rows (struct unwind_row), then ub_nrules
 * rules (struct unwind_rule).  Rules are numbered per block.
 */
struct unwind_block {
	__u32 ub_nrows;	 /* [D] */
	__u32 ub_nrules; /* [D] */
	__u32 ub_used;	 /* [B] time of the last use, in seconds */
	__u32 ub_pad;
};

/*
 * Key and value of the hash map unwind_pages.  A page is 64 KiB of a file, by
 * its offset in the file.
 */
struct unwind_pagekey {
	__u32 uk_file; /* number that dtd gave the file */
	__u32 uk_page; /* offset >> UNWIND_PAGE_SHIFT */
};

enum unwind_state {
	UNWIND_READY,
	UNWIND_PENDING, /* dtd is making the table */
	UNWIND_EVICTED, /* the limit of memory has taken it; like no key */
	UNWIND_NONE,	/* has none: its code is unwound by frame pointers */
};

struct unwind_page {
	__u32 up_place; /* [D] of its block, with UNWIND_READY */
	__u32 up_state; /* [D] enum unwind_state */
};

/*
 * Value of the hash map unwind_procs, by process id in the initial namespace.
 * The start time and the exec id are those that a program reported: if they
 * differ, the entry is another program's.  A child that has not executed a
 * program yet has its parent's mappings.
 */
struct unwind_proc {
	__u64 pr_start; /* [D] start_time of the thread group leader */
	__u32 pr_exec;	/* [D] low half of the leader's self_exec_id */
	__u32 pr_state; /* [D] enum unwind_state, of the mappings */
	__u32 pr_place; /* [D] of struct unwind_map[], by address */
	__u32 pr_nmaps; /* [D] at most UNWIND_MAXMAPS */
	__u32 pr_used;	/* [B] time of the last use, in seconds */
	__u32 pr_pad;
};

#define UNWIND_MAXMAPS (1U << 15)

/* An executable mapping. */
struct unwind_map {
	__u64 um_start;
	__u64 um_off;	 /* in the file, of um_start */
	__u32 um_npages; /* of 4 KiB */
	__u32 um_file;	 /* 0: memory without a file, e.g. of a JIT compiler */
};

/*
 * The ring unwind_misses holds the pages and processes that a program did not
 * find.  dtd ignores those that it knows already.  A full ring loses misses;
 * the next sample repeats them.
 */
enum unwind_what {
	UNWIND_MISS_PROC, /* the process is unknown */
	UNWIND_MISS_MAP,  /* no mapping has ms_addr: perhaps it is new */
	UNWIND_MISS_PAGE, /* of ms_key */
};

struct unwind_miss {
	__u32 ms_what; /* enum unwind_what */
	__u32 ms_pid;
	__u64 ms_time;	/* CLOCK_MONOTONIC, ns */
	__u64 ms_start; /* as pr_start, pr_exec */
	__u32 ms_exec;
	__u32 ms_pad;
	__u64 ms_addr;
	struct unwind_pagekey ms_key;
};

/*
 * Rows of unwind_counts: stacks by their enum dt_stack_end, except copied ones,
 * which dtd counts; and copies that found the ring full.
 */
#define UNWIND_NENDS	  16
#define UNWIND_COUNT_LOST UNWIND_NENDS
#define UNWIND_NCOUNTS	  (UNWIND_NENDS + 1)

#define UNWIND_NREGS	  34  /* words of registers in pt_regs; x86-64 has 21 */
#define UNWIND_WINDOW	  512 /* bytes of the stack that are read at a time */

/*
 * The ring unwind_copies holds the registers and a part of the stack of threads
 * whose stacks could not be walked for want of a table.  dtd walks the copy when
 * it has the table, so that the sample is not lost; no client receives a copy.
 *
 * The stack is copied in aligned windows, from the red zone or, if that has no
 * memory, one of the next pages on, up to the stack's end, if that is known, or
 * the last page that can be read.  A copy takes as much of the ring.  The maximum
 * is less when the ring is filling.
 */
#define UNWIND_COPY_WINDOW  2048
#define UNWIND_COPY_WINDOWS 32
#define UNWIND_COPY_STACK   (UNWIND_COPY_WINDOWS * UNWIND_COPY_WINDOW)
#define UNWIND_COPY_BELOW   128 /* bytes of the red zone */
#define UNWIND_COPY_SPARING (12 * UNWIND_COPY_WINDOW)
/*
 * A copy's number: the CPU, and how many copies it had made before.  Few copies
 * are kept for long, so the count may begin again.
 */
#define UNWIND_COPY_CPUS	   (1U << 12)
#define UNWIND_COPY_NUMBER(cpu, n) ((n) << 12 | (cpu))
#define UNWIND_COPY_CPU(number)	   ((number) & (UNWIND_COPY_CPUS - 1))

/*
 * The second part is of the stack that a signal on an alternate stack has
 * interrupted.
 */
#define UNWIND_NPARTS 2

/*
 * A part of a stack: whole windows.  A hole is a window that cannot be read.
 * upt_until is upt_from if there is no part.
 */
struct unwind_part {
	__u64 upt_from;	 /* address of the first byte */
	__u64 upt_until; /* and of the first after them */
	__u32 upt_holes; /* bits of windows */
	__u32 upt_iscut; /* the stack is larger than the maximum */
};

_Static_assert(UNWIND_COPY_WINDOWS <= 32, "upt_holes");

/*
 * A rule that a CPU has found in a table, and the second in which it did.
 * Numbers of files begin at 1, so zeros match no file.  There are so many that
 * few frames of a stack share a place.
 */
#define UNWIND_RECENT_SHIFT 9
#define UNWIND_NRECENT	    (1U << UNWIND_RECENT_SHIFT)

struct unwind_recent {
	__u32 urc_off;		     /* [B] in the file */
	__u32 urc_file;		     /* [B] number that dtd gave the file */
	__u32 urc_now;		     /* [B] uw_now */
	struct unwind_rule urc_rule; /* [B] */
};

/*
 * A walk in progress, in the scratch of a CPU: the next frame, and where the
 * last one was found, since many frames are of the same file and page.
 */
struct unwind_walk {
	__u64 uw_pc;	/* [B] */
	__u64 uw_sp;	/* [B] */
	__u64 uw_fp;	/* [B] frame pointer, or where it is saved: uw_bits */
	__u64 uw_bx;	/* [B] rbx of x86-64, or where it is saved */
	__u64 uw_uregs; /* [B] address of a signal frame's registers, or 0 */
	__u32 uw_bits;	/* [B] UNWIND_BIT_* of bpf/unwind.bpf.h */
	__u32 uw_end;	/* [B] enum dt_stack_end */
	__u32 uw_count; /* [B] frames found */
	__u32 uw_now;	/* [B] time of the walk, in seconds */
	__u32 uw_maps;	/* [B] place of the mappings */
	__u32 uw_nmaps; /* [B] and their number */
	struct unwind_map uw_map;     /* [B] of the last frame */
	struct unwind_pagekey uw_key; /* [B] of the last frame */
	struct unwind_page uw_page;   /* [B] of the last frame */
	struct unwind_miss uw_miss;   /* [B] first missing entry */
	__u64 uw_regs[UNWIND_NREGS];  /* [B] of the first frame */
	__u64 uw_pair[2];	      /* [B] words at a frame pointer */
	struct unwind_rule uw_rule;   /* [B] of the last frame */
	__u32 uw_sect;	  /* [B] offset of the section in the record */
	__u32 uw_ncopies; /* [B] that this CPU has made */
	__u32 uw_copy;	  /* [B] number of the last one */
	__u32 uw_pid;	  /* [B] the process, if t_nsinum is not 0 */
	__u32 uw_parent;  /* [B] and its parent */
	struct unwind_part uw_parts[UNWIND_NPARTS]; /* [B] to be copied */
	__u64 uw_pending;      /* [B] a call whose return is probed, or 0 */
	__u64 uw_pendingstack; /* [B] stack pointer at the entry */
	/* [B] the code that replaces return addresses; 0: unknown */
	__u64 uw_pendingcode;
	__u64 uw_word;		       /* [B] the word read last */
	__u64 uw_base;		       /* [B] address of uw_window */
	__u8 uw_window[UNWIND_WINDOW]; /* [B] a part of the stack */
};

struct unwind_copy {
	__u32 ucp_number; /* drs_copy of the record */
	__u32 ucp_slot;	  /* session of the record */
	__u32 ucp_gen;
	__u32 ucp_pid;
	__u32 ucp_uid;
	__u32 ucp_exec;	 /* as pr_exec */
	__u64 ucp_time;	 /* of the hit, CLOCK_MONOTONIC, ns */
	__u64 ucp_start; /* as pr_start */
	__u64 ucp_regs[UNWIND_NREGS];
	struct unwind_part ucp_parts[UNWIND_NPARTS];
	__u8 ucp_stack[]; /* of each part */
};

_Static_assert(sizeof(struct unwind_block) == 16, "unwind_block");
_Static_assert(sizeof(struct unwind_proc) == 32, "unwind_proc");
_Static_assert(sizeof(struct unwind_map) == 24, "unwind_map");
_Static_assert(sizeof(struct unwind_miss) == 48, "unwind_miss");
_Static_assert(sizeof(struct unwind_recent) == 24, "unwind_recent");

#endif /* BPF_UNWIND_SHARED_H */
