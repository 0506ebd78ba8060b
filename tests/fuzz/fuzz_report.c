/* SPDX-License-Identifier: ISC */
/*
 * All of dt report: a recording on stdin becomes text, JSON, and the tables of
 * stat and profile, through all of cli/ but its main.  The output must be
 * harmless for a terminal.
 *
 * Links with $(filter-out %/main.o,$(call obj,$(cli_src))).
 */
#include <sys/mman.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/opts/cmd.h"
#include "cli/recording/report.h"
#include "tests/fuzz/mend.h"
#include "tests/fuzz/terminal.h"

extern const struct cmd cmd_report;

/* Descriptors that replace 0, 1 and 2 meanwhile, and the saved ones. */
static int files[3], kept[3];

static void
wrong(const char *what, size_t at)
{
	dprintf(kept[2], "fuzz_report: %s at byte %zu of the output\n", what,
	    at);
	abort();
}

static void
check(const uint8_t *s, size_t len)
{
	size_t at;
	const char *what = terminal_wrong(s, len, &at);

	if (what != NULL)
		wrong(what, at);
}

/* Returns what was written to 1 or 2, and empties it. */
static void
check_file(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	uint8_t *p;

	if (len > 0) {
		p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			err(1, "mmap");
		check(p, len);
		munmap(p, len);
	}
	if (ftruncate(fd, 0) == -1 || lseek(fd, 0, SEEK_SET) == -1)
		err(1, "output");
}

static void
start(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		files[i] = memfd_create("fuzz_report", MFD_CLOEXEC);
		kept[i] = dup(i);
		if (files[i] == -1 || kept[i] == -1)
			err(1, "memory file");
	}
}

static void
lead(const int *fds)
{
	int i;

	fflush(NULL);
	for (i = 0; i < 3; i++)
		if (dup2(fds[i], i) == -1)
			_exit(1);
}

static void
report(const uint8_t *data, size_t len, struct report_opts opts)
{
	char name[] = "-", *args[] = { name, NULL };

	opts.rpo_common.o_cmd = &cmd_report;
	opts.rpo_common.o_args = args;
	opts.rpo_common.o_nargs = 1;
	opts.rpo_nolookup = 1; /* no daemon for each input */
	if (ftruncate(files[0], 0) == -1 ||
	    pwrite(files[0], data, len, 0) != (ssize_t)len ||
	    lseek(files[0], 0, SEEK_SET) == -1)
		err(1, "input");
	lead(files);
	cmd_report.cmd_run(&opts.rpo_common);
	lead(kept);
	check_file(files[1]);
	check_file(files[2]);
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int started;
	uint8_t *copy;

	if (!started++)
		start();
	if ((copy = malloc(len ? len : 1)) == NULL)
		return 0;
	memcpy(copy, data, len);
	mend(copy, len);
	report(copy, len, (struct report_opts){ 0 });
	report(copy, len,
	    (struct report_opts){ .rpo_common.o_print.opi_json = 1 });
	report(copy, len,
	    (struct report_opts){
		.rpo_common.o_print = { .opi_columns = "+uid,ppid,cgroup",
		    .opi_nojoin = 1 } });
	report(copy, len, (struct report_opts){ .rpo_view = VIEW_STAT });
	report(copy, len,
	    (struct report_opts){ .rpo_view = VIEW_PROFILE,
		.rpo_common.o_print.opi_top = 10 });
	free(copy);
	return 0;
}
