/* SPDX-License-Identifier: ISC */
/* Selects samples by process.  Samples have numbers, and no names. */
#include <stdio.h>
#include <string.h>

#include "cli/tprof/tprof.h"

const char *
tprof_pids_add(struct tprof_pids *tds, const char *arg)
{
	char number[16];
	uint64_t pid;
	size_t len;

	for (;; arg += len + 1) {
		len = strcspn(arg, ",");
		if (len >= sizeof(number))
			return "should be numbers of processes: 123, or 1,2";
		snprintf(number, sizeof(number), "%.*s", (int)len, arg);
		if (opts_number(number, 0, UINT32_MAX, &pid) == -1)
			return "should be numbers of processes: 123, or 1,2";
		if (tds->tds_n == TPROF_MAXPIDS)
			return "is more than 32 processes";
		tds->tds_pids[tds->tds_n++] = pid;
		if (arg[len] == '\0')
			return NULL;
	}
}

int
tprof_pids_has(const struct tprof_pids *tds, uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < tds->tds_n; i++)
		if (tds->tds_pids[i] == pid)
			return 1;
	return tds->tds_n == 0;
}
