/* SPDX-License-Identifier: ISC */
/*
 * dtd's side of unwind tables (daemon/unwind/unwind.h), linked into this program:
 * the maps that programs search are read like a program, and compared with the
 * mappings of children and with tables that are built here.
 *
 * unwind_tables CASE ...
 *
 * A failure ends the program with a line and status 1; a success prints a line.
 * "unwind_tables child" runs a child.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/device/cdevsw.h"
#include "daemon/inspect/inspect.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/unwind/unwind.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/unwind_tables/unwind_tables.h"

/* Called for the devices' sessions; there are none. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

static const struct {
	const char *name;
	void (*fn)(void);
} cases[] = {
#define UNWIND_CASE(name) { #name, case_##name },
	UNWIND_CASES
#undef UNWIND_CASE
};

static int
all_gone(void *arg)
{
	struct unwind_stat *us = arg;
	struct proc_watch_stat ps;

	unwind_stat(us);
	proc_watch_stat(&ps);
	return us->us_slabbytes == 0 && ps.pws_held == 0;
}

static void
case_run(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, name) == 0)
			break;
	if (i == sizeof(cases) / sizeof(cases[0]))
		errx(2, "no case %s", name);
	cases[i].fn();
	fflush(stdout);
}

/* It is where this program's folder is. */
static void
find_symbolizer(void)
{
	char path[4096] = { 0 }, *slash;
	int i;

	if (readlink("/proc/self/exe", path, sizeof(path) - 32) == -1)
		err(1, "/proc/self/exe");
	for (i = 0; i < 2 && (slash = strrchr(path, '/')) != NULL; i++)
		*slash = '\0';
	strcat(path, "/dt-symbolizer");
	setenv("DT_SYMBOLIZER", path, 0);
}

int
main(int argc, char **argv)
{
	struct unwind_stat us;
	int i, error;

	if (is_symbolizer())
		return fake_symbolizer();
	if (argc == 2 && strcmp(argv[1], "child") == 0)
		return child_main();
	find_symbolizer();
	inspect_start(argv);
	prog_init("unwind_tables", 300);
	unwind_linger = 0;
	if ((error = unwind_hold(getuid())) != 0)
		errx(1, "unwind_hold: %s", strerror(error));
	for (i = 1; i < argc; i++)
		case_run(argv[i]);
	unwind_release();
	prog_wait(all_gone, &us, "release of all tables");
	if (us.us_pages != 0 || us.us_procs != 0 || us.us_files != 0 ||
	    us.us_bytes != 0)
		errx(1, "left: %llu pages, %llu processes, %llu files",
		    (unsigned long long)us.us_pages,
		    (unsigned long long)us.us_procs,
		    (unsigned long long)us.us_files);
	return 0;
}
