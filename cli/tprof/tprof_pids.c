/* SPDX-License-Identifier: ISC */
/* Selects samples by process.  Samples have numbers, and no names. */
#include <stdio.h>
#include <string.h>

#include "cli/tprof/tprof.h"

static const char *
pids_one(void *arg, uint32_t pid)
{
	struct tprof_pids *tds = arg;

	if (tds->tds_n == TPROF_MAXPIDS)
		return "is more than 32 processes";
	tds->tds_pids[tds->tds_n++] = pid;
	return NULL;
}

static const char *
pids_word(struct tprof_pids *tds, const char *word, size_t len, int hasnames)
{
	char number[16];
	uint64_t pid;

	snprintf(number, sizeof(number), "%.*s", (int)len, word);
	if (len < sizeof(number) &&
	    opts_number(number, 0, UINT32_MAX, &pid) == 0)
		return pids_one(tds, pid);
	if (!hasnames)
		return "should be numbers of processes: 123, or 1,2";
	if (len == 0)
		return "should be processes with a comma between: 1,2 or sshd";
	return opts_named(word, len, pids_one, tds);
}

const char *
tprof_pids_add(struct tprof_pids *tds, const char *arg, int hasnames)
{
	const char *bad;
	size_t len;

	for (;; arg += len + 1) {
		len = strcspn(arg, ",");
		bad = pids_word(tds, arg, len, hasnames);
		if (bad != NULL || arg[len] == '\0')
			return bad;
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
