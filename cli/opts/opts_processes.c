/* SPDX-License-Identifier: ISC */
/* Lists of processes by number or name, of commands that select them later. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/opts/opts.h"

const char *
opts_processes_add(struct opts_processes *opc, const char *word, size_t n,
    uint32_t least)
{
	char text[32];
	uint64_t pid;

	if (n == 0)
		return "should be processes, for example 812,nginx";
	snprintf(text, sizeof(text), "%.*s", (int)n, word);
	if (isdigit((unsigned char)*word)) {
		if (n >= sizeof(text) ||
		    opts_number(text, least, UINT32_MAX, &pid) == -1)
			return "has a number that no process can have";
		if (opc->opc_npids == OPTS_NPIDS)
			return "has too many numbers (32 at most)";
		opc->opc_pids[opc->opc_npids++] = pid;
		return NULL;
	}
	if (opc->opc_nnames == OPTS_NNAMES)
		return "has too many names (16 at most)";
	memcpy(opc->opc_names[opc->opc_nnames++], text,
	    strnlen(text, sizeof(opc->opc_names[0]) - 1));
	return NULL;
}
