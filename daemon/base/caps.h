/* SPDX-License-Identifier: ISC */
/* Queries and reduces the capabilities of this process. */
#ifndef DAEMON_BASE_CAPS_H
#define DAEMON_BASE_CAPS_H

#include <linux/capability.h>
#include <stdint.h>

#define CAPS_BIT(cap) (UINT64_C(1) << (cap))

/*
 * Capabilities with which a program that dtd starts gives up all rights: it
 * changes its user and empties its bounding set.
 */
#define CAPS_HEIRS \
	(CAPS_BIT(CAP_SETUID) | CAPS_BIT(CAP_SETGID) | CAPS_BIT(CAP_SETPCAP))

/* Returns whether all of these are effective. */
int caps_have(uint64_t mask);

/*
 * Limits what programs started from the calling thread inherit to CAPS_HEIRS.
 * Returns 0 or errno.
 */
int caps_heirs(void);

/*
 * Reduces the calling thread's capabilities to mask, its inheritable ones to
 * CAPS_HEIRS as well, and its bounding set to mask if it has CAP_SETPCAP.  Sets
 * no_new_privs, so that no program executed later gains privileges.  To be
 * called before other threads are started.  Returns 0 or errno.
 */
int caps_keep(uint64_t mask);

#endif /* DAEMON_BASE_CAPS_H */
