/* SPDX-License-Identifier: ISC */
/* The capabilities of this process. */
#ifndef DAEMON_BASE_CAPS_H
#define DAEMON_BASE_CAPS_H

#include <linux/capability.h>
#include <stdint.h>

#define CAPS_BIT(cap) (UINT64_C(1) << (cap))

/* What a program that dtd starts takes to give all rights up: to become
 * another user, and to have no capability within its bounds. */
#define CAPS_HEIRS \
	(CAPS_BIT(CAP_SETUID) | CAPS_BIT(CAP_SETGID) | CAPS_BIT(CAP_SETPCAP))

/* Whether all of these are effective. */
int caps_have(uint64_t mask);

/* Programs that are started from here inherit CAPS_HEIRS at most, of those
 * that they would have.  Of the calling thread, as below.  0 or errno. */
int caps_heirs(void);

/*
 * Keeps these, of those that there are; what a program started from here would
 * inherit is of CAPS_HEIRS; the bounding set loses the others if
 * CAP_SETPCAP lets it.  Of the calling thread: before there are others.
 * No program that is executed later gets more, whoever owns it.  0 or errno.
 */
int caps_keep(uint64_t mask);

#endif /* DAEMON_BASE_CAPS_H */
