/* SPDX-License-Identifier: ISC */
/* Splits str(NAME). */
#include <stdio.h>
#include <string.h>

#include "cli/base/str_name.h"

int
str_name(const char *name, char *inner, size_t size)
{
	size_t len = strlen(name);

	if (len < 6 || strncmp(name, "str(", 4) != 0 || name[len - 1] != ')')
		return 0;
	snprintf(inner, size, "%.*s", (int)(len - 5), name + 4);
	return 1;
}
