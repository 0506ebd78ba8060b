/* SPDX-License-Identifier: ISC */
/*
 * Which threads of this process record, and where.
 *
 * A thread's own word tells it at each callback: nobody knows yet (the first
 * callback of the thread asks), no, or its slot.  The slots are in a page
 * that fork(2) empties in the child, whatever makes it: so the child has
 * its parent's word, and records nothing.
 */
#ifndef DTKCOV_SLOT_H
#define DTKCOV_SLOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/kcov.h>

#define NMODES 3 /* KCOV_MODE_NONE, _TRACE_PC, _TRACE_CMP */

/*
 * o: written by the owner while it has no slot, and read by its callbacks;
 * l: under the lock; a: by any thread at any time.
 */
struct dtkcov_slot {
	const volatile void *_Atomic ks_owner; /* [l] its word; NULL: free */
	_Atomic uint64_t *ks_buf;	       /* [o] the memory */
	_Atomic uint64_t ks_max[NMODES];       /* [a] records that have room */
	size_t ks_nbytes;		       /* [l] of ks_buf */
	int ks_handle;			       /* [l] as kr_end() is told */
	/* [o] ms: so long a full memory is waited for, see dtkcov_wait() */
	volatile unsigned int ks_wait;
} __attribute__((aligned(64)));

#define DTKCOV_NEW ((struct dtkcov_slot *)0)
#define DTKCOV_OFF ((struct dtkcov_slot *)1)

/*
 * The thread's word.  In a program its address is the thread's pointer and a
 * constant; a handler of a signal may read it at any time.
 */
extern __thread struct dtkcov_slot *volatile dtkcov_mine
    __attribute__((tls_model("initial-exec")));

/* As kr_begin() and kr_end(); keeps: until the process ends, and may be
 * called by a handler of a signal. */
int dtkcov_begin(int fd, size_t nentries, int mode);
int dtkcov_begin_keeps(int fd, size_t nentries, int mode);
void dtkcov_end(int handle);

/*
 * The memory has max records, and somebody may be emptying it: sleeps until
 * there is room.  0: it took too long, and is not waited for any more.
 */
int dtkcov_wait(struct dtkcov_slot *ks, uint64_t max);

/* The first callback of a thread: sets its word.  errno stays. */
void dtkcov_ask(void);

/* Makes and removes what ends recording with the thread. */
void dtkcov_slot_start(void);
void dtkcov_slot_stop(void);

#endif /* DTKCOV_SLOT_H */
