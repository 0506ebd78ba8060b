/* SPDX-License-Identifier: ISC */
/* Allocates slots of sessions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/access/limit.h"
#include "daemon/base/reason.h"
#include "daemon/device/cdevsw.h"
#include "daemon/device/session_slot.h"

/* Finds a free slot beyond those reserved for root; NULL: none. */
static unsigned char *
slot_find(struct slots *ss, uid_t person)
{
	unsigned char *first = memchr(ss->slt_taken, 0, ss->slt_n), *p;
	uint64_t kept = limit_kept(person, ss->slt_n);

	for (p = first; p != NULL && kept > 0; kept--)
		p = memchr(p + 1, 0, ss->slt_taken + ss->slt_n - p - 1);
	return p != NULL ? first : NULL;
}

int
slot_take(struct slots *ss, uid_t person, unsigned int *slot, struct reason *rs)
{
	unsigned char *p;
	int error;

	if (ss->slt_nclosing > 0 && !limit_room(person, LIMIT_OPENS, 1))
		return EAGAIN;
	if ((error = limit_take(person, LIMIT_OPENS, 1, rs)) != 0)
		return error;
	if ((p = slot_find(ss, person)) != NULL) {
		*p = 1;
		*slot = p - ss->slt_taken;
		return 0;
	}
	limit_give(person, LIMIT_OPENS, 1);
	if (ss->slt_nclosing > 0)
		return EAGAIN;
	reason_set(rs, "%u opens exist already", ss->slt_n);
	limit_refused(LIMIT_OPENS);
	return EMFILE;
}

void
slot_give(struct slots *ss, uid_t person, unsigned int slot)
{
	ss->slt_taken[slot] = 0;
	limit_give(person, LIMIT_OPENS, 1);
}
