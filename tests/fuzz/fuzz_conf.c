/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the configuration of dtd: a file that is read again while dtd runs.  A
 * file with a mistake changes nothing, and each mistake is reported by line and
 * column; without a mistake each setting has a valid value.
 *
 * Links with $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src))).
 */
#include <sys/mman.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "daemon/device/cdevsw.h"
#include "daemon/base/conf.h"
#include "daemon/access/limit.h"
#include "daemon/base/log.h"
#include "daemon/perf/monitor.h"
#include "daemon/access/right.h"

#define LINE_BYTES 512 /* bytes of a line that are read */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static char path[32];
static int file;
static unsigned long nlines;   /* of the file */
static unsigned int nmistakes; /* reported */

static void __attribute__((noreturn)) wrong(const char *what, const char *text)
{
	fprintf(stderr, "fuzz_conf: %s: %s\n", what, text);
	abort();
}

/* Symbols of the daemon's main.c. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

/* A mistake, "FILE:LINE:COLUMN: TEXT". */
static int
hear(int level, const char *id, const struct log_field *fields, size_t n,
    const char *text)
{
	unsigned long line, column, more;
	int end = 0;

	(void)id;
	(void)fields;
	(void)n;
	if (level != LOG_WARNING)
		return 0; /* a change that requires a restart */
	nmistakes++;
	if (strncmp(text, path, strlen(path)) != 0 ||
	    sscanf(text + strlen(path), ":%lu:%lu: %n", &line, &column, &end) !=
		2 ||
	    end == 0)
		wrong("no line and column", text);
	if (line == 0 || line > nlines || column == 0 || column >= LINE_BYTES)
		wrong("there is no such place", text);
	if (sscanf(text + strlen(path) + end, "allow: %lu:", &more) == 1)
		wrong("a column that is not the mistake's", text);
	return 0;
}

/* Conditions that dtd relies on. */
static void
check_values(void)
{
	const char *attach = conf.cf_kprobeattach;

	if (conf.cf_directory[0] != '/' ||
	    memchr(conf.cf_directory, '\0', sizeof(conf.cf_directory)) == NULL)
		wrong("directory", path);
	if (conf.cf_debugfolder[0] != '/' ||
	    memchr(conf.cf_debugfolder, '\0', sizeof(conf.cf_debugfolder)) ==
		NULL)
		wrong("debuginfod-folder", path);
	if (memchr(conf.cf_debuginfod, '\0', sizeof(conf.cf_debuginfod)) ==
	    NULL)
		wrong("debuginfod", path);
	if (strcmp(attach, "auto") != 0 && strcmp(attach, "session") != 0 &&
	    strcmp(attach, "multi") != 0 && strcmp(attach, "fentry") != 0 &&
	    strcmp(attach, "perf") != 0)
		wrong("kprobe-attach", path);
	if (conf.cf_costlimit > 1000000 || conf.cf_costlimit_open > 1000000 ||
	    (conf.cf_allowdt | conf.cf_testdev | conf.cf_owndespite) & ~1)
		wrong("a number", path);
}

static void
start(void)
{
	if ((file = memfd_create("fuzz_conf", MFD_CLOEXEC)) == -1)
		wrong("memfd_create", "");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	log_sink_set(hear);
	if (conf_read(path) != 0)
		wrong("an empty file has a mistake", path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int started;
	struct limit_max limits[LIMIT_N];
	struct conf before;
	unsigned int n, rights;
	size_t i;

	if (!started++)
		start();
	if (ftruncate(file, 0) == -1 ||
	    pwrite(file, data, len, 0) != (ssize_t)len)
		wrong("the file", path);
	for (i = 0, nlines = 1; i < len; i++)
		nlines += data[i] == '\n';
	nmistakes = 0;
	memcpy(&before, &conf, sizeof(conf));
	memcpy(limits, limit_max, sizeof(limits));
	rights = right_find(12345, NULL, 0, 1);
	if ((n = conf_reload()) != nmistakes)
		wrong("mistakes that were not told", path);
	if (n > 0 &&
	    (memcmp(&before, &conf, sizeof(conf)) != 0 ||
		memcmp(limits, limit_max, sizeof(limits)) != 0 ||
		right_find(12345, NULL, 0, 1) != rights))
		wrong("a file with a mistake has changed something", path);
	if (!(right_find(12345, NULL, 0, 1) & RIGHT_LIST))
		wrong("everybody may list", path);
	check_values();
	return 0;
}
