/* SPDX-License-Identifier: ISC */
/*
 * Reads of memory at a hit: each follows pointers from an argument, the result
 * or the current thread, and appends what it finds to the event.  Included by
 * bpf/, daemon/, lib/ and, installed as dt/read.h, by clients.
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

/* mrd_base: the pointer with which the steps begin */
enum dt_read_base {
	DT_READ_ARG,	/* argument or field mrd_argn, as recorded */
	DT_READ_RETVAL, /* the return value */
	DT_READ_TASK,	/* the kernel's struct task_struct of the thread */
	DT_NREADBASE
};

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
	__u8 mrd_argn;	 /* index for DT_READ_ARG, from 0; else 0 */
	__u8 mrd_nsteps; /* offsets in use; the others are 0 */
	__u16 mrd_size;	 /* of the result */
	__u16 mrd_reserved;
	__u32 mrd_off[DT_READ_NSTEPS];
};

#ifndef __cplusplus
_Static_assert(sizeof(struct dt_read) == 32, "read");
#endif

#endif /* WIRE_READ_H */
