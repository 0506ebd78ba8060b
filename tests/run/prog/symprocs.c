/* SPDX-License-Identifier: ISC */
/*
 * The daemon's table of processes (daemon/procs/proc_watch.h), linked into
 * this program, compared with the known actions of its children:
 *
 * symprocs [-t] CASE ...
 *
 * A case is a row of symprocs/cases.h.  A failure ends the program with a line
 * and status 1; a success prints a line.  "symprocs child WHAT" runs such a
 * child.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/device/cdevsw.h"
#include "daemon/inspect/inspect.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/symprocs/symprocs.h"

static const struct symcase cases[] = {
#define SYMCASE(name) { #name, case_##name },
	SYMCASES
#undef SYMCASE
};

/* Called for the devices' sessions; there are none. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

/* A file may be in the middle of being opened. */
static int
all_gone(void *arg)
{
	struct proc_watch_stat *ps = arg;

	proc_watch_stat(ps);
	return ps->pws_files == 0;
}

static void
case_run(const char *name)
{
	struct proc_watch_stat ps;
	size_t i;
	int error;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].sc_name, name) == 0)
			break;
	if (i == sizeof(cases) / sizeof(cases[0]))
		errx(2, "no case %s", name);
	cases[i].sc_fn();
	prog_wait(all_gone, &ps, "end of all files");
	if (ps.pws_held != 0 || ps.pws_procs != 0 || ps.pws_images != 0 ||
	    ps.pws_maps != 0 || ps.pws_open != 0)
		errx(1,
		    "%s: left: %llu holders, %llu processes, %llu images, "
		    "%llu mappings, %llu open",
		    name, (unsigned long long)ps.pws_held,
		    (unsigned long long)ps.pws_procs,
		    (unsigned long long)ps.pws_images,
		    (unsigned long long)ps.pws_maps,
		    (unsigned long long)ps.pws_open);
	error = ps.pws_bad != 0;
	if (error)
		errx(1, "%s: %llu records were not understood", name,
		    (unsigned long long)ps.pws_bad);
	printf("%s: ok\n", name);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	int i;

	if (argc >= 3 && strcmp(argv[1], "child") == 0)
		return child_main(argv[2]);
	inspect_start(argv);
	prog_init("symprocs", PROG_DEADLINE);
	for (i = 1; i < argc; i++)
		case_run(argv[i]);
	return 0;
}
