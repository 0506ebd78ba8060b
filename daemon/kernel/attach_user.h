/* SPDX-License-Identifier: ISC */
/*
 * Attaches programs to places in files of user programs: by uprobe.multi, one
 * link for all places of a file, or by perf events, one for each.  A session of
 * uprobe.multi is one link for entries and returns.
 */
#ifndef DAEMON_KERNEL_ATTACH_USER_H
#define DAEMON_KERNEL_ATTACH_USER_H

#include "daemon/kernel/attach.h"

#define ATTACH_USER_REFUSED 64 /* more refused places are not searched */

/* A place and the cookie that identifies its hits. */
struct attach_place {
	uint64_t ap_offset;    /* in the file */
	uint64_t ap_semaphore; /* offset of its counter of users, or 0 */
	uint64_t ap_cookie;
	int ap_refused; /* set by attach_user(): why the kernel refuses it */
};

/* The file of places. */
struct attach_file {
	int afl_fd;	  /* open as O_PATH */
	int afl_isserved; /* by a process, which could stop dtd */
};

/*
 * Returns the expected_attach_type of the programs; 0: perf events are used.
 * NULL in *why, or why it is not uprobe.multi.
 */
unsigned int attach_user_type(const char **why);
/*
 * Returns the expected_attach_type of programs that run at entry and return of
 * a function; 0: this kernel has none.
 */
unsigned int attach_user_session(void);
/* Returns NULL if it works on this kernel, else why not. */
const char *attach_user_missing(void);
/*
 * Attaches to n > 0 places of one file, in the order of their offsets, and sets
 * ap_refused of those that the kernel refuses; other errors end it.  ECANCELED
 * soon after *cancel was set.  The links contain what was attached by then.
 * which: ATTACH_ENTRY, ATTACH_RETURN or ATTACH_SESSION.
 */
int attach_user(struct attach_links *, int progfd, enum attach_kind which,
    const struct attach_file *, struct attach_place *, size_t n,
    const atomic_int *cancel);

#endif /* DAEMON_KERNEL_ATTACH_USER_H */
