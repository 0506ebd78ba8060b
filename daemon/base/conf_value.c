/* SPDX-License-Identifier: ISC */
/*
 * Parses values of settings, one function per kind.  Each checks the whole text
 * before it stores anything.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/conf.h"
#include "daemon/base/conf_key.h"

int
conf_bool(void *p, const char *value)
{
	int on = strcmp(value, "yes") == 0;

	if (!on && strcmp(value, "no") != 0)
		return -1;
	*(int *)p = on;
	return 0;
}

int
conf_bytes(void *p, const char *value)
{
	static const char suffixes[] = "kMG";
	const char *s;
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno != 0 || end == value || *value == '-')
		return -1;
	if (*end != '\0') {
		s = strchr(suffixes, *end);
		if (s == NULL || end[1] != '\0' || n > UINT32_MAX)
			return -1;
		n <<= 10 * (s - suffixes + 1);
	}
	*(uint64_t *)p = n;
	return 0;
}

/* Stored in millionths. */
int
conf_percent(void *p, const char *value)
{
	double v;
	char *end;

	v = strtod(value, &end);
	if (!isdigit((unsigned char)*value) || *end != '\0' ||
	    !(v >= 0 && v <= 100) || strpbrk(value, "xX") != NULL)
		return -1;
	*(uint64_t *)p = v * 1e4 + 0.5;
	return 0;
}

int
conf_pairs(void *p, const char *value)
{
	uint64_t n;

	if (conf_bytes(&n, value) != 0 || n == 0 || n > 1 << 20)
		return -1;
	*(uint32_t *)p = n;
	return 0;
}

int
conf_seconds(void *p, const char *value)
{
	uint64_t n;

	if (conf_bytes(&n, value) != 0 || n > 1 << 20)
		return -1;
	*(uint64_t *)p = n;
	return 0;
}

int
conf_processes(void *p, const char *value)
{
	uint64_t n;

	if (conf_bytes(&n, value) != 0 || n == 0 || n > 4 << 20)
		return -1;
	*(uint32_t *)p = n;
	return 0;
}

int
conf_kprobeattach(void *p, const char *value)
{
	static const char *const names[] = { "auto", "session", "multi",
		"fentry", "perf" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			strcpy(p, value);
			return 0;
		}
	return -1;
}

int
conf_directory(void *p, const char *value)
{
	if (value[0] != '/' || strlen(value) >= sizeof(conf.cf_directory))
		return -1;
	strcpy(p, value);
	return 0;
}

/* Accepts http and https only: debuginfod-find also accepts file. */
int
conf_urls(void *p, const char *value)
{
	const char *s = value + strspn(value, " \t");

	if (strlen(value) >= sizeof(conf.cf_debuginfod))
		return -1;
	for (; *s != '\0'; s += strspn(s, " \t")) {
		if (strncmp(s, "http://", 7) != 0 &&
		    strncmp(s, "https://", 8) != 0)
			return -1;
		s += strcspn(s, " \t");
	}
	strcpy(p, value);
	return 0;
}

int
conf_folder(void *p, const char *value)
{
	if (value[0] != '/' || strlen(value) >= sizeof(conf.cf_debugfolder))
		return -1;
	strcpy(p, value);
	return 0;
}
