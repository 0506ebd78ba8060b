/* SPDX-License-Identifier: ISC */
/* Who may do what, see right.h. */
#include <stdio.h>
#include <string.h>

#include "right.h"

static const struct {
	unsigned int bit;
	const char *name;
} right_table[] = {
	{ RIGHT_LIST, "LIST" },
	{ RIGHT_STATS, "STATS" },
	{ RIGHT_PROFILE, "PROFILE" },
	{ RIGHT_TRACE_OWN, "TRACE_OWN" },
	{ RIGHT_TRACE_ALL, "TRACE_ALL" },
	{ RIGHT_ADMIN, "ADMIN" },
};

void
right_grant(struct peer *pr, int own_userns, int private)
{
	if (private || (pr->pr_uid == 0 && own_userns))
		pr->pr_rights = RIGHT_ALL;
	else
		pr->pr_rights = RIGHT_LIST;
}

void
right_names(unsigned int rights, char *text, size_t size)
{
	const char *sep = "";
	size_t i, n;

	for (i = 0; i < sizeof(right_table) / sizeof(right_table[0]); i++) {
		if ((rights & right_table[i].bit) == 0)
			continue;
		n = strlen(text);
		snprintf(text + n, size - n, "%s%s", sep, right_table[i].name);
		sep = " or ";
	}
}
