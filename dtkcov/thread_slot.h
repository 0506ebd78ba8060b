/* SPDX-License-Identifier: ISC */
/*
 * Slots of recording threads in this process.
 *
 * A thread-local word is read at each callback: DTKCOV_NEW (this is the
 * thread's first callback, which looks up whether to record), DTKCOV_OFF, or
 * the thread's slot.  The slots are in a page that fork(2) clears in the
 * child, however the child is created.  A child thus inherits its parent's
 * word but records nothing.
 */
#ifndef DTKCOV_THREAD_SLOT_H
#define DTKCOV_THREAD_SLOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/kcov.h>

#define NMODES 3 /* KCOV_MODE_NONE, _TRACE_PC, _TRACE_CMP */

/*
 * Letters: o: written by the owner while it has no slot, read by its callbacks;
 * l: with the lock held; a: by any thread at any time.
 */
struct dtkcov_slot {
	const volatile void
	    *_Atomic dks_owner;	   /* [l] word of the thread; NULL: free */
	_Atomic uint64_t *dks_buf; /* [o] memory of the records */
	_Atomic uint64_t dks_max[NMODES]; /* [a] capacity in records, by mode */
	size_t dks_nbytes;		  /* [l] size of dks_buf */
	int dks_handle;			  /* [l] handle of kr_end() */
	/* [o] ms to wait for space in a full memory, see dtkcov_wait() */
	volatile unsigned int dks_wait;
} __attribute__((aligned(64)));

#define DTKCOV_NEW ((struct dtkcov_slot *)0)
#define DTKCOV_OFF ((struct dtkcov_slot *)1)

/*
 * The thread's word.  In a program, its address is the thread pointer plus a
 * constant, so a signal handler may read it at any time.
 */
extern __thread struct dtkcov_slot *volatile dtkcov_mine
    __attribute__((tls_model("initial-exec")));

/*
 * Like kr_begin() and kr_end().  dtkcov_begin_keeps() records until the process
 * exits, and may be called in a signal handler.
 */
int dtkcov_begin(int fd, size_t nentries, int mode);
int dtkcov_begin_keeps(int fd, size_t nentries, int mode);
void dtkcov_end(int handle);

/*
 * Sleeps until a reader has freed space in a memory with max records.  Returns
 * 0 if that takes too long; later calls then do not wait.
 */
int dtkcov_wait(struct dtkcov_slot *ks, uint64_t max);

/* Sets the thread's word at its first callback.  Preserves errno. */
void dtkcov_first(void);

/* Create and delete the key whose destructor ends recording with the thread. */
void dtkcov_slot_start(void);
void dtkcov_slot_stop(void);

#endif /* DTKCOV_THREAD_SLOT_H */
