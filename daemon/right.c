/* SPDX-License-Identifier: ISC */
/* Who may do what, see right.h. */
#include "right.h"

static const struct {
	unsigned int	 bit;
	const char	*name;
} right_names[] = {
	{ RIGHT_LIST,		"LIST" },
	{ RIGHT_STATS,		"STATS" },
	{ RIGHT_PROFILE,	"PROFILE" },
	{ RIGHT_TRACE_OWN,	"TRACE_OWN" },
	{ RIGHT_TRACE_ALL,	"TRACE_ALL" },
	{ RIGHT_ADMIN,		"ADMIN" },
};

void
right_grant(struct peer *pr, int own_userns, int private)
{
	if (private || (pr->pr_uid == 0 && own_userns))
		pr->pr_rights = RIGHT_ALL;
	else
		pr->pr_rights = RIGHT_LIST;
}

const char *
right_name(unsigned int rights)
{
	size_t i;

	for (i = 0; i < sizeof(right_names) / sizeof(right_names[0]); i++)
		if (rights & right_names[i].bit)
			return right_names[i].name;
	return "no";
}
