/* SPDX-License-Identifier: ISC */
/* Parses uevents.  Does no I/O. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/device/cdevsw.h"
#include "daemon/device/uevent.h"

/*
 * A message begins with "online@/devices/system/cpu/cpu1" and a NUL; variables
 * follow.  The direction of the change is not returned, since it may be
 * outdated when the message is read.
 */
int
uevent_parse(const char *buf, size_t nbytes, unsigned int *cpu)
{
	static const char *const heads[] = {
		"online@/devices/system/cpu/cpu",
		"offline@/devices/system/cpu/cpu",
	};
	unsigned long n;
	size_t i, len;
	char *end;

	if (memchr(buf, '\0', nbytes) == NULL)
		return 0;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		len = strlen(heads[i]);
		if (strncmp(buf, heads[i], len) != 0 || buf[len] < '0' ||
		    buf[len] > '9')
			continue;
		errno = 0;
		n = strtoul(buf + len, &end, 10);
		if (*end != '\0' || errno != 0 || n > DEV_CPU_MAX)
			return 0;
		*cpu = n;
		return 1;
	}
	return 0;
}

int
uevent_ismodule(const char *buf, size_t nbytes)
{
	static const char *const heads[] = {
		"add@/module/",
		"remove@/module/",
	};
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (nbytes > strlen(heads[i]) &&
		    memcmp(buf, heads[i], strlen(heads[i])) == 0)
			return 1;
	return 0;
}
