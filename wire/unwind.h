/* SPDX-License-Identifier: ISC */
/*
 * Unwind tables: how to find the caller's frame from a frame, by address.
 *
 * Code is divided into pages of 64 KiB, by its offset in the ELF file.  A page
 * has rows, sorted by offset; a row applies from its offset to the next row's,
 * the first from the page's start.  Its rule is in the page's table of rules.
 *
 * A rule computes the canonical frame address (CFA, the stack pointer before
 * the call, see DWARF 5, 6.4), the return address, and the caller's frame
 * pointer.  Registers have their DWARF numbers.
 */
#ifndef WIRE_UNWIND_H
#define WIRE_UNWIND_H

#include <linux/types.h>

#define UNWIND_PAGE_SHIFT 16
#define UNWIND_PAGE	  (1U << UNWIND_PAGE_SHIFT) /* bytes of code */
#define UNWIND_MAXROWS	  16384 /* of a page; libcrypto has up to 3,074 */
#define UNWIND_MAXRULES	  4096	/* of a page; whole files have some 600 */

struct unwind_row {
	__u16 ur_low;  /* offset from the start of the page */
	__u16 ur_rule; /* index of the rule */
};

enum unwind_cfa {
	UNWIND_CFA_NONE,	/* no table covers the address */
	UNWIND_CFA_UNSUPPORTED, /* an expression that no rule can hold */
	UNWIND_CFA_REG,		/* un_reg + un_cfaoff */
	/* the word at un_reg + UNWIND_MEM_OFF, plus UNWIND_MEM_ADD */
	UNWIND_CFA_MEM,
	/*
	 * an entry of the procedure linkage table: 8 more than REG from byte
	 * un_raoff of its 16 on
	 */
	UNWIND_CFA_PLT,
	UNWIND_CFA_SIGNAL, /* a signal frame: all registers are at un_reg */
	/*
	 * Go: as REG in a frame whose next instruction is known, as NONE in one
	 * that waits for a call to return, which has a frame pointer
	 */
	UNWIND_CFA_LEAF,
};

enum unwind_ra {
	UNWIND_RA_MEM, /* at CFA + un_raoff */
	UNWIND_RA_REG, /* in register un_raoff */
	UNWIND_RA_END, /* no caller: the first frame of a thread */
	/*
	 * x86-64: at CFA - 8, and the caller's rbx is at CFA + un_raoff.  The
	 * dynamic linker's entry finds its frame by rbx.  Other rules keep rbx.
	 */
	UNWIND_RA_BX,
	UNWIND_RA_UNSUPPORTED, /* an expression that no rule can hold */
};

enum unwind_fp {
	UNWIND_FP_SAME,	   /* as in the called function */
	UNWIND_FP_CFA,	   /* at CFA + un_fpoff */
	UNWIND_FP_FP,	   /* at the frame pointer + un_fpoff */
	UNWIND_FP_UNKNOWN, /* lost, until a rule restores it */
};

struct unwind_rule {
	__u8 un_cfa; /* enum unwind_cfa */
	__u8 un_reg;
	__u8 un_ra; /* enum unwind_ra */
	__u8 un_fp; /* enum unwind_fp */
	__s32 un_cfaoff;
	__s16 un_raoff;
	__s16 un_fpoff;
};

/* un_cfaoff of UNWIND_CFA_MEM has two offsets. */
#define UNWIND_MEM(off, add)   ((__s32)((__u32)(add) << 16 | (__u16)(off)))
#define UNWIND_MEM_OFF(cfaoff) ((__s16)(cfaoff))
#define UNWIND_MEM_ADD(cfaoff) ((__s16)((cfaoff) >> 16))

_Static_assert(sizeof(struct unwind_row) == 4, "unwind_row");
_Static_assert(sizeof(struct unwind_rule) == 12, "unwind_rule");

#endif /* WIRE_UNWIND_H */
