/* SPDX-License-Identifier: ISC */
/*
 * Reads of memory at a hit: each follows pointers from an argument, the result,
 * a register, the current thread or an address, and appends what it finds to the
 * event.  Included by bpf/, daemon/, lib/ and, installed as dt/read.h, by clients.
 *
 * A read is data: dtd checks it, and a program that is part of dtd takes its
 * steps.  The client computes the offsets, from the kernel's types.
 */
#ifndef WIRE_READ_H
#define WIRE_READ_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define DT_READ_MAX	 16	   /* reads of a probe */
#define DT_READ_NSTEPS	 6	   /* steps of a read */
#define DT_READ_MAXOFF	 (1 << 20) /* offsets are less */
#define DT_READ_MAXBYTES 512	   /* = DT_REC_MAXMEMORY */
#define DT_READ_MAXTEXT	 4095	   /* a string of an event, without NUL */

/* mrd_base: mrd_disp is added to it, and is the pointer with which steps begin */
enum dt_read_base {
	DT_READ_ARG,	/* argument or field mrd_argn, as recorded */
	DT_READ_RETVAL, /* the return value */
	DT_READ_TASK,	/* the kernel's struct task_struct of the thread */
	DT_READ_CONST,	/* 0, so that mrd_disp is the pointer */
	/*
	 * Register mrd_argn: a 64-bit word of struct user_regs_struct on x86-64
	 * (rdi is 14), of struct user_pt_regs on arm64 (x0 is 0).
	 */
	DT_READ_REG,
	DT_NREADBASE
};

/* dtpi_regs: the registers that hits of a probe have */
enum dt_read_regs {
	DT_REGS_NONE,
	/*
	 * Those that a hook of a kernel function saves: of arguments or results,
	 * the frame pointer, and at entries stack pointer and program counter.
	 */
	DT_REGS_FUNC,
	DT_REGS_ALL
};

/* The number of registers, the program counter's, and DT_REGS_FUNC as bits. */
#if defined(__aarch64__)
#define DT_READ_NREGS	   34
#define DT_READ_PC	   32
#define DT_READ_RETURNREGS 0x200000ffULL  /* x0 to x7, x29 */
#define DT_READ_ENTRYREGS  0x1e00001ffULL /* and x8, x30, sp, pc */
#else
#define DT_READ_NREGS	   21
#define DT_READ_PC	   16
#define DT_READ_RETURNREGS 0x01410ULL /* rbp, rax, rdx */
#define DT_READ_ENTRYREGS  0x97f10ULL /* and r9, r8, rcx, rsi, rdi, rip, rsp */
#endif

/* Returns the registers with which reads of a probe may begin, as bits. */
static inline __u64
dt_read_registers(unsigned int regs, int isreturn)
{
	return regs == DT_REGS_ALL ? (1ULL << DT_READ_NREGS) - 1
	    : regs == DT_REGS_NONE ? 0
	    : isreturn		   ? DT_READ_RETURNREGS
				   : DT_READ_ENTRYREGS;
}

/* mrd_kind */
enum dt_read_kind {
	DT_READ_BYTES, /* mrd_size bytes */
	DT_READ_TEXT,  /* up to a NUL, at most mrd_size bytes */
	DT_NREADKIND
};

/*
 * A step adds its offset to a pointer.  All but the last then load the next
 * pointer from there; the last one is where the result is.  Without steps the
 * result is the first pointer itself, 8 bytes.  An address of the kernel is read
 * in the kernel's memory, another one in the memory of the process.
 */
struct dt_read {
	__u8 mrd_kind;	 /* DT_READ_BYTES or DT_READ_TEXT */
	__u8 mrd_base;	 /* enum dt_read_base */
	__u8 mrd_argn;	 /* index for DT_READ_ARG and _REG, from 0; else 0 */
	__u8 mrd_nsteps; /* offsets in use; the others are 0 */
	__u16 mrd_size;	 /* of the result */
	__u16 mrd_reserved;
	__u32 mrd_off[DT_READ_NSTEPS];
	__s64 mrd_disp;
};

#ifndef __cplusplus
_Static_assert(sizeof(struct dt_read) == 40, "read");
#endif

#endif /* WIRE_READ_H */
