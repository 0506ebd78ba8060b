/* SPDX-License-Identifier: ISC */
/* Slots of opens, see slot.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cdevsw.h"
#include "limit.h"
#include "slot.h"

int
slot_take(struct slots *ss, uid_t uid, unsigned int *slot, char *text)
{
	unsigned char *p;
	int error;

	if (ss->ss_nclosing > 0 && !limit_room(uid, LIMIT_OPENS, 1))
		return EAGAIN;
	if ((error = limit_take(uid, LIMIT_OPENS, 1, text)) != 0)
		return error;
	if ((p = memchr(ss->ss_taken, 0, ss->ss_n)) != NULL) {
		*p = 1;
		*slot = p - ss->ss_taken;
		return 0;
	}
	limit_give(uid, LIMIT_OPENS, 1);
	if (ss->ss_nclosing > 0)
		return EAGAIN;
	snprintf(text, IOCTL_TEXT, "%u opens exist already", ss->ss_n);
	limit_refused(LIMIT_OPENS);
	return EMFILE;
}

void
slot_give(struct slots *ss, uid_t uid, unsigned int slot)
{
	ss->ss_taken[slot] = 0;
	limit_give(uid, LIMIT_OPENS, 1);
}
