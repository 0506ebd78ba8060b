/* SPDX-License-Identifier: ISC */
/* Names of the rights of dev/dt/dtvar.h, for messages of dtd and dt(1). */
#ifndef WIRE_RIGHTS_H
#define WIRE_RIGHTS_H

#include <stdio.h>
#include <string.h>

#include <dev/dt/dtvar.h>

/*
 * Appends the names of the rights to text, which has size bytes, separated by
 * sep.
 */
static inline void
rights_text(unsigned int rights, const char *sep, char *text, size_t size)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} table[] = {
		{ RIGHT_LIST, "LIST" },
		{ RIGHT_STATS, "STATS" },
		{ RIGHT_PROFILE, "PROFILE" },
		{ RIGHT_TRACE_OWN, "TRACE_OWN" },
		{ RIGHT_TRACE_ALL, "TRACE_ALL" },
		{ RIGHT_ADMIN, "ADMIN" },
	};
	const char *before = "";
	size_t i, n;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if ((rights & table[i].bit) == 0)
			continue;
		n = strlen(text);
		snprintf(text + n, size - n, "%s%s", before, table[i].name);
		before = sep;
	}
}

#endif /* WIRE_RIGHTS_H */
