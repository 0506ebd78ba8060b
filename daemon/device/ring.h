/* SPDX-License-Identifier: ISC */
/*
 * The rings of a session: one BPF ring buffer per CPU, mapped here and inserted
 * in a map of rings, where the session's programs find them.  Devices define
 * the records and count the dropped ones.
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
 * Letters: I constant after allocation; c creating and freeing thread; d data
 * thread; b written by BPF; a atomic.
 */
struct cpuring {
	int cr_fd;			       /* [c] -1: none, or only in the
					        * map */
	volatile unsigned long *cr_cons;       /* [d] page that BPF reads */
	const volatile unsigned long *cr_prod; /* [b] */
	const uint8_t *cr_data;		       /* [b] mapped twice in
					        * succession */
	size_t cr_size;			       /* [c] bytes of data */
	unsigned long cr_pos;		       /* [d] position of the reader */
	uint64_t cr_fired;		       /* [d] hit count when it was last
					        * empty */
	/*
	 * [a] ring_grow.c: a larger ring that programs may already use; whether
	 * all programs use it
	 */
	struct cpuring *_Atomic cr_next;
	atomic_int cr_retired;
};

struct rings {
	int ri_map;	      /* [I] map of rings */
	int ri_noring;	      /* [I] replaces a ring in the map; -1: unneeded,
			       * the map is released as well */
	uint32_t ri_key;      /* [I] of CPU 0 in the map */
	unsigned int ri_ncpu; /* [I] */
	size_t ri_size;	      /* [c] initial bytes per ring, 0: no rings */
	/* [c] by CPU, NULL: no rings; d: the oldest ring of each CPU */
	struct cpuring **ri_rings;
	struct ring_insert *ri_insert; /* [c] ring.c's */
	struct ring_grow *ri_grow;     /* [c] ring_grow.c's, NULL: fixed size */
};

/* Returns the bytes of one ring for a total budget. */
size_t ring_size(uint64_t budget, unsigned int ncpu);

/*
 * Creates the rings; the first five fields are set.  A ring that wakes its
 * reader requests a pass of the stream.  Blocks in the kernel.  Returns errno.
 */
int rings_alloc(struct rings *, struct stream *);
/*
 * Frees the rings, if any; the data thread must not use them any more.  On
 * error they stay in the map until other rings replace them.
 */
int rings_free(struct rings *);

/*
 * Finds the committed records at the head of a ring, up to the first that
 * reaches max bytes.  Returns their bytes; *nrec excludes those that BPF
 * discarded.
 */
unsigned long ring_scan(const struct cpuring *, unsigned long prod,
    unsigned long max, uint64_t *nrec);

/*
 * For ring_grow.c: creates and maps one ring, with cr_fd open, and unmaps it.
 * ring_map() returns errno, and may leave a partial ring, which ring_unmap()
 * accepts.
 */
int ring_map(struct cpuring *, size_t size);
void ring_unmap(struct cpuring *);

/* Returns the address of a ring's next record. */
static inline const uint8_t *
ring_head(const struct cpuring *r)
{
	return r->cr_data + (r->cr_pos & (r->cr_size - 1));
}

#endif /* DAEMON_DEVICE_RING_H */
