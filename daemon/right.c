/* SPDX-License-Identifier: ISC */
/* Who may do what, see right.h. */
#include "right.h"

void
right_grant(struct peer *pr, int own_userns, int private)
{
	if (private || (pr->pr_uid == 0 && own_userns))
		pr->pr_rights = RIGHT_ALL;
	else
		pr->pr_rights = RIGHT_LIST;
}
