/* SPDX-License-Identifier: ISC */
/* The settings of dtd and the table of devices, see conf.h. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdevsw.h"
#include "conf.h"
#include "log.h"
#include "monitor.h"

extern const struct cdevsw dt_cdevsw, tprof_cdevsw, test_cdevsw;

/* A listening socket each, named after the device. */
const struct cdevsw *const devices[] = { &dt_cdevsw, &tprof_cdevsw,
	&test_cdevsw, NULL };

struct conf conf = {
	.cf_directory = "/run/dt",
	.cf_allowdt = 1,
	.cf_followmax = 65536,
	.cf_pairmax = 16384,
	.cf_ringbytes = 1ULL << 30,
	.cf_ringbytes_uid = 64ULL << 20,
	.cf_costlimit = 200000,
	.cf_kprobeattach = "auto",
	.cf_debugfolder = "/var/cache/dtd",
	.cf_debugbytes = 1ULL << 30,
};

static int
conf_bool(void *p, const char *value)
{
	int on = strcmp(value, "yes") == 0;

	if (!on && strcmp(value, "no") != 0)
		return -1;
	*(int *)p = on;
	return 0;
}

static int
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

/* Kept in millionths. */
static int
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

static int
conf_pairs(void *p, const char *value)
{
	uint64_t n;

	if (conf_bytes(&n, value) != 0 || n == 0 || n > 1 << 20)
		return -1;
	*(uint32_t *)p = n;
	return 0;
}

static int
conf_processes(void *p, const char *value)
{
	uint64_t n;

	if (conf_bytes(&n, value) != 0 || n == 0 || n > 4 << 20)
		return -1;
	*(uint32_t *)p = n;
	return 0;
}

static int
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

static int
conf_monitor(void *p, const char *value)
{
	static const char *const names[] = { [MONITOR_AUTO] = "auto",
		[MONITOR_YES] = "yes",
		[MONITOR_NO] = "no" };
	int i;

	for (i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (strcmp(value, names[i]) == 0) {
			*(int *)p = i;
			return 0;
		}
	return -1;
}

static int
conf_directory(void *p, const char *value)
{
	if (value[0] != '/' || strlen(value) >= sizeof(conf.cf_directory))
		return -1;
	strcpy(p, value);
	return 0;
}

/* Those of http only: debuginfod-find also takes file. */
static int
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

static int
conf_folder(void *p, const char *value)
{
	if (value[0] != '/' || strlen(value) >= sizeof(conf.cf_debugfolder))
		return -1;
	strcpy(p, value);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(void *, const char *);
	void *p;
	const char *want;
} conf_keys[] = {
	{ "allowdt", conf_bool, &conf.cf_allowdt, "yes or no" },
	{ "cost-limit", conf_percent, &conf.cf_costlimit,
	    "percent of the machine, 0 to 100" },
	{ "debuginfod", conf_urls, conf.cf_debuginfod,
	    "http or https URLs, 399 characters together" },
	{ "debuginfod-bytes", conf_bytes, &conf.cf_debugbytes,
	    "bytes, with k, M or G" },
	{ "debuginfod-folder", conf_folder, conf.cf_debugfolder,
	    "an absolute path of at most 255 characters" },
	{ "directory", conf_directory, conf.cf_directory,
	    "an absolute path of at most 79 characters" },
	{ "follow-processes", conf_processes, &conf.cf_followmax,
	    "a number from 1 to 4194304" },
	{ "kprobe-attach", conf_kprobeattach, conf.cf_kprobeattach,
	    "auto, session, multi or perf" },
	{ "monitor", conf_monitor, &conf.cf_monitor, "auto, yes or no" },
	{ "pair-max", conf_pairs, &conf.cf_pairmax,
	    "a number from 1 to 1048576" },
	{ "ring-bytes", conf_bytes, &conf.cf_ringbytes,
	    "bytes, with k, M or G" },
	{ "ring-bytes-user", conf_bytes, &conf.cf_ringbytes_uid,
	    "bytes, with k, M or G" },
	{ "test-device", conf_bool, &conf.cf_testdev, "yes or no" },
};

/* Cuts white space off both ends. */
static char *
conf_trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

static void
conf_set(const char *path, int lineno, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < sizeof(conf_keys) / sizeof(conf_keys[0]); i++) {
		if (strcmp(conf_keys[i].key, key) != 0)
			continue;
		if (conf_keys[i].set(conf_keys[i].p, value) != 0)
			fatalx("%s:%d: %s wants %s, not '%s'", path, lineno,
			    key, conf_keys[i].want, value);
		return;
	}
	fatalx("%s:%d: unknown setting '%s'", path, lineno, key);
}

void
conf_read(const char *path)
{
	char line[512], *hash, *eq, *s;
	int lineno = 0;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		fatal("%s", path);
	while (fgets(line, sizeof(line), f) != NULL) {
		lineno++;
		if (strchr(line, '\n') == NULL && !feof(f))
			fatalx("%s:%d: line is longer than %zu characters",
			    path, lineno, sizeof(line) - 2);
		if ((hash = strchr(line, '#')) != NULL)
			*hash = '\0';
		s = conf_trim(line);
		if (*s == '\0')
			continue;
		if ((eq = strchr(s, '=')) == NULL)
			fatalx("%s:%d: expected 'key = value'", path, lineno);
		*eq = '\0';
		conf_set(path, lineno, conf_trim(s), conf_trim(eq + 1));
	}
	fclose(f);
}
