/* SPDX-License-Identifier: ISC */
/* Names of registers.  Their place in the table is their number. */
#include <stdio.h>
#include <string.h>

#include <dt/read.h>

#include "cli/base/suggest.h"
#include "cli/script/script_register.h"

static const char *const names[] = {
#if defined(__aarch64__)
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20",
	"r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30",
	"sp", "pc", "pstate"
#else
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax",
	"cx", "dx", "si", "di", "orig_ax", "ip", "cs", "flags", "sp", "ss"
#endif
};

_Static_assert(sizeof(names) / sizeof(names[0]) == DT_READ_NREGS,
    "a name for each register");

int
script_register(const char *name)
{
	int i;

	for (i = 0; i < DT_READ_NREGS; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

const char *
script_register_near(const char *name)
{
	return suggest_word(name, names, DT_READ_NREGS);
}

void
script_register_names(uint64_t mask, char *buf, size_t size)
{
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < DT_READ_NREGS; i++)
		if (mask >> i & 1 && len < size)
			len += snprintf(buf + len, size - len, "%s%s",
			    len > 0 ? " " : "", names[i]);
}
