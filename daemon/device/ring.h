/* SPDX-License-Identifier: ISC */
/*
 * The rings of an open: one BPF ring buffer a CPU, mapped here and put into a
 * map of rings, where the open's programs find them.  Any device's: what a
 * record is, and who counts what is lost, is its affair.
 */
#ifndef DAEMON_DEVICE_RING_H
#define DAEMON_DEVICE_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct ring_insert;
struct ring_grow;

/*
 * Letters: I constant once it is there; c who makes and frees; d data thread;
 * b written by BPF; a atomic.
 */
struct cpuring {
	int cr_fd;			       /* [c] -1: none, or in the map */
	volatile unsigned long *cr_cons;       /* [d] page that BPF reads */
	const volatile unsigned long *cr_prod; /* [b] */
	const uint8_t *cr_data;		       /* [b] mapped twice in a row */
	size_t cr_size;			       /* [c] bytes of data */
	unsigned long cr_pos;		       /* [d] consumed so far */
	uint64_t cr_fired;		       /* [d] hits when it was empty */
	/* [a] of ring_grow.c: a larger ring that programs may use already, and
	 * whether they use no other any more */
	struct cpuring *_Atomic cr_next;
	atomic_int cr_retired;
};

struct rings {
	int ri_map;	      /* [I] where programs look */
	int ri_noring;	      /* [I] what takes their place there; -1: nothing
				 * has to, as the map ends, too */
	uint32_t ri_key;      /* [I] of CPU 0 in the map */
	unsigned int ri_ncpu; /* [I] */
	size_t ri_size;	      /* [c] bytes of one at first, 0: there are none */
	/* [c] by CPU, NULL: there are none; d: the first of those that grow */
	struct cpuring **ri_rings;
	struct ring_insert *ri_insert; /* [c] ring.c's */
	struct ring_grow *ri_grow;     /* [c] ring_grow.c's, NULL: fixed size */
};

/* Bytes of one ring that a budget for all CPUs gives. */
size_t ring_size(uint64_t budget, unsigned int ncpu);

/*
 * Makes the rings; the first five fields are set.  Whoever wakes a reader of
 * one asks for a pass of the stream.  Waits for the kernel.  Returns errno.
 */
int rings_alloc(struct rings *, struct stream *);
/* Frees them, if there are any; the data thread does not look any more.  An
 * errno: they stay in the map until others come to the same place. */
int rings_free(struct rings *);

/*
 * Finds the committed records at the head of a ring, until they have max bytes
 * or more.  Returns their bytes; *nrec without those that BPF discarded.
 */
unsigned long ring_scan(const struct cpuring *, unsigned long prod,
    unsigned long max, uint64_t *nrec);

/*
 * ring.c, for ring_grow.c: makes and maps one ring, whose cr_fd is open then,
 * and undoes that.  ring_map() returns errno, and may leave half of a ring.
 */
int ring_map(struct cpuring *, size_t size);
void ring_unmap(struct cpuring *);

/* Where the next record of a ring is. */
static inline const uint8_t *
ring_head(const struct cpuring *r)
{
	return r->cr_data + (r->cr_pos & (r->cr_size - 1));
}

#endif /* DAEMON_DEVICE_RING_H */
