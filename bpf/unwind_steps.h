/* SPDX-License-Identifier: ISC */
/*
 * The steps of a walk of a user stack by unwind tables (wire/unwind.h), and by
 * frame pointers through code that has no table.  Both BPF programs, which walk
 * stacks of the current thread (bpf/unwind.bpf.h), and dtd, which walks copies
 * of stacks (daemon/unwind/unwind_copy_walk.c), take these steps.
 *
 * A frame takes these steps: find the mapping, look up the page of the file,
 * search its rows, apply the rule.  A rule that was found lately is remembered,
 * because samples have many frames in common.  Searches have no branches that
 * depend on what they find: the verifier would follow each path.
 *
 * Tables are data.  Offsets into a slab are masked, counts are bounded, and
 * addresses are read as user memory, so a wrong table gives wrong frames and
 * nothing else.
 *
 * The includer defines these first:
 *   unwind_copyin(uw, dst, n, addr)  reads user memory; 0: done
 *   unwind_slab(place)		      returns the slab of a place, or NULL
 *   unwind_maps_at(uw, &off)	      returns where the mappings are, or NULL
 *   unwind_page_get(uw, uk)	      returns a page, or NULL
 *   unwind_recent_at(uw, i)	      returns a remembered rule, or NULL
 */
#ifndef BPF_UNWIND_STEPS_H
#define BPF_UNWIND_STEPS_H

#include <dt/evt.h>

#include "bpf/unwind_shared.h"
#include "wire/unwind.h"

/*
 * Numbers of registers in DWARF; their indexes in the kernel's struct pt_regs,
 * which no version has changed; and, relative to the saved stack pointer, in a
 * signal frame.
 */
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)

#define UNWIND_SP    7
#define UNWIND_FP    6
#define UNWIND_BX    3
#define UNWIND_NREG  16

#define UNWIND_AT_FP 4
#define UNWIND_AT_BX 5
#define UNWIND_AT_PC 16
#define UNWIND_AT_SP 19
#define UNWIND_WORDS 21

static const volatile __u8 unwind_regs[UNWIND_NREG] = { 10, 12, 11, 5, 13, 14,
	4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
static const volatile __u8 unwind_gregs[UNWIND_NREG] = { 13, 12, 14, 11, 9, 8,
	10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };
#define UNWIND_GREG_FP 10
#define UNWIND_GREG_BX 11
#define UNWIND_GREG_SP 15
#define UNWIND_GREG_PC 16
/* Offset of the saved stack pointer from the address of the alternate stack. */
#define UNWIND_UC_SP 144

/* The code segment selector of 64-bit user code. */
#define UNWIND_ISUSER64(regs) (((regs)[17] & 3) == 3 && (regs)[17] != 0x23)
#define UNWIND_CODE(ra)	      (ra)
/* The stack pointer at the entry of a call, of that after its return. */
#define UNWIND_ENTRY_SP(sp) ((sp)-8)
/* A frame pointer's words are the upper end of the frame. */
#define UNWIND_CHAIN UNWIND_CHAINED

#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)

#define UNWIND_SP	      31
#define UNWIND_FP	      29
#define UNWIND_BX	      32 /* none */
#define UNWIND_NREG	      32

#define UNWIND_AT_FP	      29
#define UNWIND_AT_BX	      0
#define UNWIND_AT_PC	      32
#define UNWIND_AT_SP	      31
#define UNWIND_WORDS	      34

static const volatile __u8 unwind_regs[UNWIND_NREG] = { 0, 1, 2, 3, 4, 5, 6, 7,
	8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31 };
static const volatile __u8 unwind_gregs[UNWIND_NREG] = { 0, 1, 2, 3, 4, 5, 6, 7,
	8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31 };
#define UNWIND_GREG_FP	      29
#define UNWIND_GREG_BX	      0
#define UNWIND_GREG_SP	      31
#define UNWIND_GREG_PC	      32
#define UNWIND_UC_SP	      416

/* The mode of the processor: EL0, 64 bits. */
#define UNWIND_ISUSER64(regs) (((regs)[33] & 0x1f) == 0)
/* Removes the pointer authentication code from a return address. */
#define UNWIND_CODE(ra)	      ((ra) & ((1ULL << 48) - 1))
#define UNWIND_ENTRY_SP(sp)   (sp)
/* A frame pointer's words are somewhere in the frame. */
#define UNWIND_CHAIN	      (UNWIND_CHAINED | UNWIND_NOSP)

#else
#error "this architecture has no unwinding here yet"
#endif

/* uw_bits */
#define UNWIND_EXACT   0x1  /* uw_pc is not a return address */
#define UNWIND_SAVED   0x2  /* uw_fp is where the frame pointer is saved */
#define UNWIND_LOST    0x4  /* the frame pointer is unknown */
#define UNWIND_FIRST   0x8  /* uw_regs are valid */
#define UNWIND_CHAINED 0x10 /* the frame was found by a frame pointer */
#define UNWIND_MISSED  0x20 /* uw_miss is to be reported */
#define UNWIND_BXSAVED 0x40 /* uw_bx is where rbx is saved */
#define UNWIND_BXKNOWN 0x80
#define UNWIND_NOSP    0x100 /* uw_sp is below the frame, only */
#define UNWIND_BXBITS  (UNWIND_BXSAVED | UNWIND_BXKNOWN)

/* Besides enum unwind_state: the page has no key. */
#define UNWIND_ABSENT	0xff

#define UNWIND_NOWINDOW ~0ULL << 32

#ifdef __bpf__
#define UNWIND_UNROLL  _Pragma("unroll")
#define UNWIND_LOAD(p) (*(const __u64 *)(p)) /* of any alignment */
#else
#define UNWIND_UNROLL
static inline __u64
UNWIND_LOAD(const void *p)
{
	__u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}
/* Only the BPF verifier has to forget the value of a variable. */
#define barrier_var(v) (void)(v)
#endif

/*
 * Takes one step of a binary search among n elements of size bytes, which begin
 * at off. base is the index of the last element so far whose key is not above
 * the searched key.  Keys are compared by their bits from shift on, as unsigned
 * numbers.
 */
#define UNWIND_STEP(us, off, n, base, size, type, shift, key) \
	do { \
		__u32 half_ = (n) >> 1; \
		__u32 at_ = ((off) + ((base) + half_) * (size)) & \
		    (UNWIND_SLAB - sizeof(type)); \
		__u64 less_ = (__u64)(*(const type *)((us) + at_) >> shift) - \
		    ((key) >> shift) - 1; \
		less_ = (__s64)less_ >> 63; \
		barrier_var(less_); \
		(base) += half_ & (__u32)less_; \
		(n) -= half_; \
	} while (0)

/*
 * Returns the index of the row of an address in a page.  A page has about 1000
 * rows.
 */
static __always_inline __u32
unwind_row(const __u8 *us, __u32 off, __u32 n, __u64 low)
{
	__u32 base = 0;
	int i;

	_Static_assert(UNWIND_MAXROWS == 1 << (2 + 4 + 8), "steps");
	if (n > 4096) {
		UNWIND_UNROLL
		for (i = 0; i < 2; i++)
			UNWIND_STEP(us, off, n, base, 4, __u16, 0, low);
	}
	if (n > 256) {
		UNWIND_UNROLL
		for (i = 0; i < 4; i++)
			UNWIND_STEP(us, off, n, base, 4, __u16, 0, low);
	}
	UNWIND_UNROLL
	for (i = 0; i < 8; i++)
		UNWIND_STEP(us, off, n, base, 4, __u16, 0, low);
	return base;
}

/* Returns the index of the mapping of an address. */
static __always_inline __u32
unwind_mapping(const __u8 *us, __u32 off, __u32 n, __u64 pc)
{
	__u32 base = 0;
	int i;

	_Static_assert(UNWIND_MAXMAPS == 1 << (7 + 8), "steps");
	if (n > 256) {
		UNWIND_UNROLL
		for (i = 0; i < 7; i++)
			UNWIND_STEP(us, off, n, base, 24, __u64, 1, pc);
	}
	UNWIND_UNROLL
	for (i = 0; i < 8; i++)
		UNWIND_STEP(us, off, n, base, 24, __u64, 1, pc);
	return base;
}

/*
 * Frames
 */

static __always_inline long
unwind_end(struct unwind_walk *uw, __u32 end)
{
	uw->uw_end = end;
	return 1;
}

static __always_inline long
unwind_missed(struct unwind_walk *uw, __u32 what, __u32 end)
{
	uw->uw_miss.ms_what = what;
	uw->uw_miss.ms_addr = uw->uw_pc;
	uw->uw_miss.ms_key = uw->uw_key;
	uw->uw_bits |= UNWIND_MISSED;
	return unwind_end(uw, end);
}

/*
 * Reads a part of the stack, beginning somewhat below the address, where
 * functions save registers.  Returns 0 if it cannot be read.
 */
static __always_inline int
unwind_window(struct unwind_walk *uw, __u64 addr)
{
	uw->uw_base = addr - 56;
	if (unwind_copyin(uw, uw->uw_window, sizeof(uw->uw_window),
		uw->uw_base) == 0)
		return 1;
	uw->uw_base = UNWIND_NOWINDOW;
	return 0;
}

/*
 * Reads a word of user memory; 0: it cannot be read.  Even a short read costs
 * as much as all other work for a frame.
 */
static __always_inline int
unwind_read_word(struct unwind_walk *uw, __u64 addr)
{
	__u64 at;

	at = addr - uw->uw_base;
	if (at > UNWIND_WINDOW - 8) {
		if (!unwind_window(uw, addr))
			return unwind_copyin(uw, &uw->uw_word, 8, addr) == 0;
		at = 56;
	}
	barrier_var(at);
	if (at > UNWIND_WINDOW - 8)
		return 0;
	uw->uw_word = UNWIND_LOAD(uw->uw_window + at);
	return 1;
}

static __always_inline int
unwind_read(struct unwind_walk *uw, __u64 *v, __u64 addr)
{
	int ok = unwind_read_word(uw, addr);

	*v = uw->uw_word;
	return ok;
}

/*
 * Makes uw_fp the frame pointer.  It is read when a frame needs it, since most
 * rules use the stack pointer.
 */
static __always_inline int
unwind_fp(struct unwind_walk *uw)
{
	if ((uw->uw_bits & UNWIND_SAVED) &&
	    !unwind_read(uw, &uw->uw_fp, uw->uw_fp))
		return 0;
	uw->uw_bits &= ~UNWIND_SAVED;
	return 1;
}

/* Returns the value of a register other than stack and frame pointer. */
static __always_inline int
unwind_reg(struct unwind_walk *uw, __u32 reg, __u64 *v)
{
	reg &= UNWIND_NREG - 1;
	if (reg == UNWIND_BX && (uw->uw_bits & UNWIND_BXKNOWN)) {
		*v = uw->uw_bx;
		return (uw->uw_bits & UNWIND_BXSAVED) == 0 ||
		    unwind_read(uw, v, *v);
	}
	if (uw->uw_bits & UNWIND_FIRST) {
		reg = unwind_regs[reg];
		if (reg >= UNWIND_NREGS)
			return 0;
		*v = uw->uw_regs[reg];
		return 1;
	}
	return uw->uw_uregs != 0 &&
	    unwind_read(uw, v, uw->uw_uregs + unwind_gregs[reg] * 8);
}

/*
 * Finds the mapping of an address, by default the last frame's.  Returns 0 if
 * there is none.
 */
static __always_inline int
unwind_map_find(struct unwind_walk *uw, __u64 pc)
{
	struct unwind_map *um = &uw->uw_map;
	const struct unwind_map *found;
	const __u8 *us;
	__u32 off, i;

	if (pc - um->um_start < (__u64)um->um_npages << 12)
		return 1;
	if (uw->uw_nmaps == 0 || (us = unwind_maps_at(uw, &off)) == NULL)
		return 0;
	i = unwind_mapping(us, off, uw->uw_nmaps, pc);
	off = (off + i * sizeof(*um)) & (UNWIND_SLAB - 8);
	if (off > UNWIND_SLAB - sizeof(*um))
		return 0;
	found = (const struct unwind_map *)(us + off);
	um->um_start = found->um_start;
	um->um_off = found->um_off;
	um->um_npages = found->um_npages;
	um->um_file = found->um_file;
	return pc - um->um_start < (__u64)um->um_npages << 12;
}

/* Finds the page of an offset in the file, by default the last frame's. */
static __always_inline void
unwind_page_find(struct unwind_walk *uw, __u64 off)
{
	struct unwind_pagekey uk = { uw->uw_map.um_file,
		off >> UNWIND_PAGE_SHIFT };
	const struct unwind_page *up;

	if (uk.uk_file == uw->uw_key.uk_file &&
	    uk.uk_page == uw->uw_key.uk_page)
		return;
	uw->uw_key = uk;
	up = unwind_page_get(uw, &uk);
	if (up != NULL)
		uw->uw_page = *up;
	else
		uw->uw_page.up_state = UNWIND_ABSENT;
}

/*
 * Goes to the caller's frame by the frame pointer.  The chain ascends, and ends
 * with 0.
 */
static __always_inline long
unwind_by_fp(struct unwind_walk *uw)
{
	__u64 *frame = uw->uw_pair, fp;

	if ((uw->uw_bits & UNWIND_LOST) || !unwind_fp(uw))
		return unwind_end(uw, DT_STACK_NOTABLE);
	fp = uw->uw_fp;
	if (fp == 0 && (uw->uw_bits & UNWIND_CHAINED))
		return unwind_end(uw, DT_STACK_ENDED);
	if ((fp & 7) || fp < uw->uw_sp ||
	    unwind_copyin(uw, frame, sizeof(uw->uw_pair), fp) != 0)
		return unwind_end(uw, DT_STACK_NOTABLE);
	uw->uw_pc = UNWIND_CODE(frame[1]);
	uw->uw_sp = fp + sizeof(uw->uw_pair);
	uw->uw_fp = frame[0];
	uw->uw_uregs = 0;
	uw->uw_bits = UNWIND_CHAIN;
	return 0;
}

/* Goes to the frame that a signal has interrupted. */
static __always_inline long
unwind_signal(struct unwind_walk *uw, __u64 spsaved)
{
	__u64 regs = spsaved - UNWIND_GREG_SP * 8, pc;

	if (!unwind_read(uw, &pc, regs + UNWIND_GREG_PC * 8) ||
	    !unwind_read(uw, &uw->uw_sp, spsaved) ||
	    !unwind_read(uw, &uw->uw_fp, regs + UNWIND_GREG_FP * 8))
		return unwind_end(uw, DT_STACK_FAULT);
	uw->uw_pc = pc;
	uw->uw_uregs = regs;
	uw->uw_bx = regs + UNWIND_GREG_BX * 8;
	uw->uw_bits = UNWIND_EXACT | UNWIND_BXBITS;
	return 0;
}

/* Computes the canonical frame address by a rule; not 0: the walk ends. */
static __always_inline long
unwind_cfa(struct unwind_walk *uw, const struct unwind_rule *un, __u64 *cfa)
{
	__u64 v;

	if (un->un_reg == UNWIND_SP) {
		if (uw->uw_bits & UNWIND_NOSP)
			return unwind_end(uw, DT_STACK_RULE);
		v = uw->uw_sp;
	} else if (un->un_reg == UNWIND_FP) {
		if (uw->uw_bits & UNWIND_LOST)
			return unwind_end(uw, DT_STACK_RULE);
		if (!unwind_fp(uw))
			return unwind_end(uw, DT_STACK_FAULT);
		v = uw->uw_fp;
	} else if (!unwind_reg(uw, un->un_reg, &v))
		return unwind_end(uw, DT_STACK_RULE);
	if (un->un_cfa == UNWIND_CFA_MEM) {
		if (!unwind_read(uw, &v, v + UNWIND_MEM_OFF(un->un_cfaoff)))
			return unwind_end(uw, DT_STACK_FAULT);
		v += UNWIND_MEM_ADD(un->un_cfaoff);
	} else
		v += (__s64)un->un_cfaoff;
	if (un->un_cfa == UNWIND_CFA_PLT &&
	    (uw->uw_pc & 15) >= (__u16)un->un_raoff)
		v += 8;
	*cfa = v;
	return 0;
}

/* Computes the return address by a rule; not 0: the walk ends. */
static __always_inline long
unwind_ra(struct unwind_walk *uw, const struct unwind_rule *un, __u64 cfa,
    __u64 *ra)
{
	__s64 off = un->un_raoff;

	if (un->un_cfa == UNWIND_CFA_PLT || un->un_ra == UNWIND_RA_BX)
		off = -8;
	if (un->un_ra == UNWIND_RA_MEM || un->un_ra == UNWIND_RA_BX)
		return unwind_read(uw, ra, cfa + off)
		    ? 0
		    : unwind_end(uw, DT_STACK_FAULT);
	if (un->un_ra == UNWIND_RA_REG && off < UNWIND_NREG &&
	    unwind_reg(uw, off, ra))
		return 0;
	return unwind_end(uw, DT_STACK_RULE);
}

/* Restores the frame pointer and rbx of the caller by a rule. */
static __always_inline void
unwind_restore(struct unwind_walk *uw, const struct unwind_rule *un, __u64 cfa)
{
	__u32 bits = uw->uw_bits & (UNWIND_SAVED | UNWIND_LOST);
	__u64 at;

	if (un->un_fp == UNWIND_FP_CFA) {
		uw->uw_fp = cfa + un->un_fpoff;
		bits = UNWIND_SAVED;
		at = uw->uw_fp - uw->uw_base;
		if (at <= UNWIND_WINDOW - 8) {
			uw->uw_fp = UNWIND_LOAD(uw->uw_window + at);
			bits = 0;
		}
	} else if (un->un_fp == UNWIND_FP_FP && bits == 0) {
		uw->uw_fp += un->un_fpoff;
		bits = UNWIND_SAVED;
	} else if (un->un_fp != UNWIND_FP_SAME)
		bits = UNWIND_LOST;
	if (un->un_ra == UNWIND_RA_BX) {
		uw->uw_bx = cfa + un->un_raoff;
		bits |= UNWIND_BXBITS;
	} else
		bits |= uw->uw_bits & UNWIND_BXBITS;
	uw->uw_bits = bits;
}

/* Goes to the caller's frame by a rule. */
static __always_inline long
unwind_by_rule(struct unwind_walk *uw, const struct unwind_rule *un)
{
	__u64 cfa = 0, ra = 0;
	long end;

	if (un->un_cfa == UNWIND_CFA_NONE ||
	    (un->un_cfa == UNWIND_CFA_LEAF && !(uw->uw_bits & UNWIND_EXACT)))
		return unwind_by_fp(uw);
	if (un->un_ra == UNWIND_RA_END)
		return unwind_end(uw, DT_STACK_ENDED);
	if (un->un_cfa == UNWIND_CFA_UNSUPPORTED)
		return unwind_end(uw, DT_STACK_RULE);
	if (un->un_fp == UNWIND_FP_FP && !unwind_fp(uw))
		return unwind_end(uw, DT_STACK_FAULT);
	if ((end = unwind_cfa(uw, un, &cfa)) != 0)
		return end;
	if (un->un_cfa == UNWIND_CFA_SIGNAL)
		return unwind_signal(uw, cfa);
	if ((end = unwind_ra(uw, un, cfa, &ra)) != 0)
		return end;
	unwind_restore(uw, un, cfa);
	uw->uw_pc = UNWIND_CODE(ra);
	uw->uw_sp = cfa;
	uw->uw_uregs = 0;
	return 0;
}

/*
 * Finds the rule of an offset in the last frame's page.  Returns 0 if the table
 * is wrong.
 */
static __always_inline int
unwind_rule_find(struct unwind_walk *uw, __u32 low)
{
	__u32 off = UNWIND_PLACE_OFF(uw->uw_page.up_place), nrows, i;
	__u8 *us = unwind_slab(uw->uw_page.up_place);
	struct unwind_block *ub;

	if (us == NULL)
		return 0;
	off &= UNWIND_SLAB - (1 << UNWIND_UNIT_SHIFT);
	ub = (struct unwind_block *)(us + off);
	if (ub->ub_used != uw->uw_now)
		ub->ub_used = uw->uw_now;
	nrows = ub->ub_nrows;
	off += sizeof(*ub);
	i = unwind_row(us, off, nrows, low);
	i = *(__u16 *)(us + ((off + i * 4 + 2) & (UNWIND_SLAB - 2)));
	off = (off + nrows * 4 + i * sizeof(uw->uw_rule)) & (UNWIND_SLAB - 4);
	if (off > UNWIND_SLAB - sizeof(uw->uw_rule))
		return 0;
	uw->uw_rule = *(struct unwind_rule *)(us + off);
	return 1;
}

/* Returns where the rule of an offset in the last frame's file is remembered. */
static __always_inline struct unwind_recent *
unwind_recent_of(struct unwind_walk *uw, __u64 off)
{
	__u32 mix = ((__u32)off ^ uw->uw_map.um_file) * 0x9e3779b1;

	return unwind_recent_at(uw, mix >> (32 - UNWIND_RECENT_SHIFT));
}

/*
 * Sets the rule of an offset in the last frame's file, if it was found before in
 * this second.  A file's rules never change, but a page that is in use must have
 * its ub_used set.
 */
static __always_inline int
unwind_recall(struct unwind_walk *uw, __u64 off)
{
	const struct unwind_recent *ur = unwind_recent_of(uw, off);

	if (ur == NULL || ur->urc_off != off || ur->urc_now != uw->uw_now ||
	    ur->urc_file != uw->uw_map.um_file)
		return 0;
	uw->uw_rule = ur->urc_rule;
	return 1;
}

static __always_inline void
unwind_remember(struct unwind_walk *uw, __u64 off)
{
	struct unwind_recent *ur = unwind_recent_of(uw, off);

	if (ur == NULL || off >> 32 != 0)
		return;
	ur->urc_off = off;
	ur->urc_now = uw->uw_now;
	ur->urc_file = uw->uw_map.um_file;
	ur->urc_rule = uw->uw_rule;
}

/* Goes to the caller's frame if its page has no table, or the walk ends. */
static __always_inline long
unwind_without(struct unwind_walk *uw)
{
	switch (uw->uw_page.up_state) {
	case UNWIND_NONE:
		return unwind_by_fp(uw);
	case UNWIND_PENDING:
		return unwind_end(uw, DT_STACK_PENDING);
	case UNWIND_EVICTED:
		return unwind_missed(uw, UNWIND_MISS_PAGE, DT_STACK_EVICTED);
	default:
		return unwind_missed(uw, UNWIND_MISS_PAGE, DT_STACK_PENDING);
	}
}

/*
 * Goes to the caller of the frame in uw.  Returns 0, or not 0 if there is no
 * caller.
 */
static __always_inline long
unwind_step(struct unwind_walk *uw)
{
	__u64 pc = uw->uw_pc, off;

	if ((uw->uw_bits & UNWIND_EXACT) == 0)
		pc--; /* the call, which may be the function's end */
	if (!unwind_map_find(uw, pc))
		return unwind_missed(uw, UNWIND_MISS_MAP, DT_STACK_NOMAP);
	if (uw->uw_map.um_file == 0)
		return unwind_by_fp(uw);
	off = pc - uw->uw_map.um_start + uw->uw_map.um_off;
	if (!unwind_recall(uw, off)) {
		unwind_page_find(uw, off);
		if (uw->uw_page.up_state != UNWIND_READY)
			return unwind_without(uw);
		if (!unwind_rule_find(uw, off & (UNWIND_PAGE - 1)))
			return unwind_end(uw, DT_STACK_RULE);
		unwind_remember(uw, off);
	}
	return unwind_by_rule(uw, &uw->uw_rule);
}

/*
 * Begins a walk with the frame whose registers are in uw_regs.  Returns 0
 * unless it is a 64-bit frame.
 */
static __always_inline int
unwind_first(struct unwind_walk *uw)
{
	if (!UNWIND_ISUSER64(uw->uw_regs))
		return 0;
	uw->uw_pc = uw->uw_regs[UNWIND_AT_PC];
	uw->uw_sp = uw->uw_regs[UNWIND_AT_SP];
	uw->uw_fp = uw->uw_regs[UNWIND_AT_FP];
	uw->uw_bx = uw->uw_regs[UNWIND_AT_BX];
	uw->uw_uregs = 0;
	uw->uw_bits = UNWIND_EXACT | UNWIND_FIRST | UNWIND_BXKNOWN;
	return 1;
}

/* Prepares a walk without a previous frame. secs: the time. */
static __always_inline void
unwind_reset(struct unwind_walk *uw, __u32 secs)
{
	uw->uw_now = secs;
	uw->uw_map.um_npages = 0;
	uw->uw_base = UNWIND_NOWINDOW;
	uw->uw_key.uk_file = 0;
	uw->uw_end = DT_STACK_LIMIT;
	uw->uw_count = 0;
}

#endif /* BPF_UNWIND_STEPS_H */
