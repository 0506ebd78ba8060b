/* SPDX-License-Identifier: ISC */
/*
 * Slots of a device's opens: what an open has in the tables that programs look
 * into.  Each is taken with an open of the user's limit, and given back with
 * it.  The control thread's.
 */
#ifndef DAEMON_DEVICE_SLOT_H
#define DAEMON_DEVICE_SLOT_H

#include <sys/types.h>

struct slots {
	unsigned char *slt_taken; /* slt_n of them */
	unsigned int slt_n;
	unsigned int slt_nclosing; /* are being given back; the device counts */
};

/*
 * A slot for a new open of the user's.  EAGAIN: there will be one when those
 * that are closing have gone; EMFILE, or what limit_take() returns, with a
 * sentence in text (IOCTL_TEXT bytes).
 */
int slot_take(struct slots *, uid_t, unsigned int *slot, char *text);
void slot_give(struct slots *, uid_t, unsigned int slot);

#endif /* DAEMON_DEVICE_SLOT_H */
