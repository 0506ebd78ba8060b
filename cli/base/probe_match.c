/* SPDX-License-Identifier: ISC */
/* Splits a pattern at its colons, as dt_lookup() does. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/probe_match.h"

int
probe_match(const struct probe *pr, const char *pattern)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	const char *const parts[] = { pi->dtpi_prov, pi->dtpi_func,
		pi->dtpi_name };
	const unsigned int n = sizeof(parts) / sizeof(parts[0]);
	char glob[DTNAMESIZE];
	unsigned int i;
	size_t len;

	for (i = 0; i < n; i++) {
		/* the name may have further colons */
		len = i + 1 < n ? strcspn(pattern, ":") : strlen(pattern);
		if (len >= sizeof(glob))
			return 0;
		snprintf(glob, sizeof(glob), "%.*s", (int)len, pattern);
		if (len > 0 && fnmatch(glob, parts[i], 0) != 0)
			return 0;
		pattern += len;
		if (*pattern == ':')
			pattern++;
	}
	return 1;
}
