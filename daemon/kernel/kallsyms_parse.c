/* SPDX-License-Identifier: ISC */
/* Parses the names that the kernel prints for its addresses. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/kallsyms_query.h"

#define TAG_DIGITS 16 /* of a BPF program's name */

/* Returns whether a function is code of a BPF program, by the kernel's names. */
static int
parse_isbpf(const char *name)
{
	static const char prog[] = "bpf_prog_", tramp[] = "bpf_trampoline_";
	size_t i;

	if (strncmp(name, tramp, sizeof(tramp) - 1) == 0)
		return isdigit((unsigned char)name[sizeof(tramp) - 1]);
	if (strncmp(name, prog, sizeof(prog) - 1) != 0)
		return 0;
	name += sizeof(prog) - 1;
	for (i = 0; i < TAG_DIGITS; i++)
		if (!isxdigit((unsigned char)name[i]))
			return 0;
	return name[i] == '\0' || name[i] == '_';
}

void
kallsyms_parse(const char *text, struct ksym *out)
{
	const char *plus = strrchr(text, '+'), *module;
	char *end;

	memset(out, 0, sizeof(*out));
	if (plus == NULL || plus == text ||
	    (size_t)(plus - text) >= sizeof(out->ksy_name))
		return;
	out->ksy_offset = strtoull(plus + 1, &end, 16);
	if (*end != '/') {
		out->ksy_offset = 0;
		return;
	}
	memcpy(out->ksy_name, text, plus - text);
	if ((module = strchr(end, '[')) != NULL)
		snprintf(out->ksy_module, sizeof(out->ksy_module), "%.*s",
		    (int)strcspn(module, "]") + 1, module);
	else
		snprintf(out->ksy_module, sizeof(out->ksy_module), "%s",
		    parse_isbpf(out->ksy_name) ? "[bpf]" : "[kernel]");
}
