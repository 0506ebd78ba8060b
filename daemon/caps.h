/* SPDX-License-Identifier: ISC */
/* The capabilities of this process. */
#ifndef DAEMON_CAPS_H
#define DAEMON_CAPS_H

#include <stdint.h>

#define CAPS_BIT(cap) (UINT64_C(1) << (cap))

/* Whether all of these are effective. */
int caps_have(uint64_t mask);

/*
 * Keeps these, of those that there are, and nothing that a program started
 * from here would inherit; the bounding set loses the others if
 * CAP_SETPCAP lets it.  Of the calling thread: before there are others.
 * No program that is executed later gets more, whoever owns it.  0 or errno.
 */
int caps_keep(uint64_t mask);

#endif /* DAEMON_CAPS_H */
