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
 * Reads the ranges of a file, see subuid(5), in place of those known so far.
 * A missing file has no ranges.  Other lines are skipped.  Returns the
 * number of these, or -1 with errno and the ranges as they were.
 * Control thread, at start-up and at SIGHUP.
 */
int person_read(const char *path);

/*
 * Returns whom limits count for a user id.  Never root, unless the user id is
 * root's own: in a range of root's, the range's first user id stands for all.
 * Control thread.
 */
uid_t person_of(uid_t);

/*
 * Returns whom limits count for a client of a foreign user namespace, by its
 * user id and the owner of the outermost such namespace, both in dtd's own;
 * (uid_t)-1: the owner is unknown.  If root has made the namespace for a
 * container, 65536 user ids count as one.  Control thread.
 */
uid_t person_of_owner(uid_t uid, uid_t owner);

#endif /* DAEMON_ACCESS_PERSON_H */
