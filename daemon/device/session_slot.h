/* SPDX-License-Identifier: ISC */
/*
 * Allocates slots: a session's indices in the BPF tables of a device.  Taking
 * and returning a slot also counts a session of the user's limit.  Control
 * thread only.
 */
#ifndef DAEMON_DEVICE_SESSION_SLOT_H
#define DAEMON_DEVICE_SESSION_SLOT_H

#include <sys/types.h>

struct reason;

struct slots {
	unsigned char *slt_taken; /* slt_n flags */
	unsigned int slt_n;
	unsigned int slt_nclosing; /* being released; counted by the device */
};

/*
 * Takes a slot for a new session of the user.  Returns EAGAIN if slots are
 * being released, EMFILE, or the errno of limit_take(), and a reason.
 */
int slot_take(struct slots *, uid_t, unsigned int *slot, struct reason *);
void slot_give(struct slots *, uid_t, unsigned int slot);

#endif /* DAEMON_DEVICE_SESSION_SLOT_H */
