/* SPDX-License-Identifier: ISC */
/* Looks up the probes of patterns for keys. */
#include <stdlib.h>

#include "cli/session/session_learn.h"
#include "cli/stat/key.h"

void
session_learn(struct session *ss, struct keys *by, const char *pattern)
{
	struct dtioc_probe_info *pi;
	const struct probe *pr;
	ssize_t i, n;

	if ((n = dt_lookup(ss->ss_dt, pattern, &pi)) == -1)
		return;
	for (i = 0; i < n; i++) {
		if ((pr = name_cache_probe(&ss->ss_names, pi[i].dtpi_pbn)) !=
		    NULL)
			key_learn(by, pr);
	}
	free(pi);
}
