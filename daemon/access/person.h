/* SPDX-License-Identifier: ISC */
/*
 * Finds the user to whom a user id belongs, for limits by person.  Subordinate
 * user ids belong to the user whose range in /etc/subuid contains them; every
 * other user id stands for itself.
 */
#ifndef DAEMON_ACCESS_PERSON_H
#define DAEMON_ACCESS_PERSON_H

#include <sys/types.h>

#define PERSON_FILE "/etc/subuid"

/*
 * Replaces the known ranges by the ranges in a file, see subuid(5).  A missing
 * file has no ranges.  Malformed lines are skipped.  Returns their number, or
 * -1 with errno and the ranges unchanged.  Control thread, at start-up and at
 * SIGHUP.
 */
int person_read(const char *path);

/*
 * Returns the user whose limits apply to a user id.  That is root only for uid
 * 0: within a range of root's, the range's first user id stands for all.
 * Control thread.
 */
uid_t person_of(uid_t);

/*
 * Returns the user whose limits apply to a client in a foreign user namespace,
 * from its user id and the owner of the outermost such namespace, both in dtd's
 * own; (uid_t)-1: the owner is unknown.  If root created the namespace for a
 * container, 65536 user ids count as one user.  Control thread.
 */
uid_t person_of_owner(uid_t uid, uid_t owner);

#endif /* DAEMON_ACCESS_PERSON_H */
