/* SPDX-License-Identifier: ISC */
/*
 * Who may do what.  A right is a bit of dtvar.h; a command names the rights
 * of which one is needed (struct ioctl_desc), a provider the rights that its
 * probes need.
 */
#ifndef DAEMON_RIGHT_H
#define DAEMON_RIGHT_H

#include <sys/types.h>

#include "cdevsw.h"

/*
 * Fills pr_rights: uid 0 of the daemon's own user namespace has all, others
 * may list; the one client of a private daemon has all, whoever it is, since
 * the daemon can do no more than its client.
 */
void right_grant(struct peer *, int own_userns, int private);

#endif /* DAEMON_RIGHT_H */
