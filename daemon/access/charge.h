/* SPDX-License-Identifier: ISC */
/*
 * Accounts CPU time that dtd and its child processes spend for a user outside
 * the user's probes: threads that run operations, the symbolizer.  It counts
 * towards the cost limit.  Users are counted as people (person.h).
 */
#ifndef DAEMON_ACCESS_CHARGE_H
#define DAEMON_ACCESS_CHARGE_H

#include <stdint.h>
#include <sys/types.h>

/* Charges CPU time to a person.  Root and the client of a private daemon are
 * not charged.  Any thread. */
void charge_cpu(uid_t person, uint64_t nsecs);

/*
 * Returns the CPU time of the calling thread in ns; callers charge the
 * difference of two calls.
 */
uint64_t charge_now(void);

/* A period of this length ends: averages what was charged over about the last
 * CHARGE_SECS seconds. */
#define CHARGE_SECS 8
void charge_period(uint64_t nsecs);
/* Forgets everything that was charged. */
void charge_reset(void);
/* The average of a person: ns of CPU time in a second.  Any thread. */
uint64_t charge_of(uid_t person);

#endif /* DAEMON_ACCESS_CHARGE_H */
