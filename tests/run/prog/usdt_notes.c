/* SPDX-License-Identifier: ISC */
/*
 * usdt_notes FILE...: reads the static probes of ELF files of any machine, as
 * dt-symbolizer does, and prints for each file the number of its probes, of
 * their arguments, and of those that cannot be read; then each of these.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libelf.h>

#include "bpf/dt_kprobe_table.h"
#include "symbolizer/notes.h"

#define PROBES 4096 /* of a file, at most */

struct count {
	struct probe_sink cnt_sink; /* first: sink is count */
	const char *cnt_path;
	unsigned int cnt_probes, cnt_args, cnt_bad;
	int cnt_ismore;
};

static void
count_put(struct probe_sink *sink, const struct found_site *fo)
{
	struct count *cnt = (struct count *)sink;
	const char *why;
	unsigned int i;

	cnt->cnt_probes++;
	cnt->cnt_args += fo->fo_site.psi_nargs;
	for (i = 0; i < fo->fo_site.psi_nargs; i++) {
		why = fo->fo_args[i].fa_why;
		if (fo->fo_args[i].fa_arg.pra_kind == PROBE_ARG_FLOAT)
			why = "it is a floating point number";
		if (i >= DT_UPLACE_NARGS)
			why = "an event has no more arguments";
		if (why == NULL)
			continue;
		cnt->cnt_bad++;
		printf("%s: %s:%s: arg%u: %s\n", cnt->cnt_path, fo->fo_more,
		    fo->fo_name, i, why);
	}
}

static void
count_more(struct probe_sink *sink)
{
	((struct count *)sink)->cnt_ismore = 1;
}

static int
no_debug_file(const struct symrep_find *sa, int *fd)
{
	(void)sa;
	(void)fd;
	return ENOENT;
}

static void
count_file(const char *path)
{
	struct probe_query pq = { .pq_kind = PROBE_QUERY_NOTES,
		.pq_max = PROBES,
		.pq_name = "*" };
	struct count cnt = { .cnt_sink = { count_put, count_more },
		.cnt_path = path };
	struct object_file *ob;
	struct file_bytes fb;
	int fd, error;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", path);
	if ((error = file_bytes_map(fd, &fb)) != 0 ||
	    (error = object_file_open(&fb, NULL, 0, no_debug_file, &ob)) != 0 ||
	    (error = notes_find(ob, &pq, &cnt.cnt_sink)) != 0)
		errx(1, "%s: %s", path, strerror(error));
	object_file_close(ob);
	close(fd);
	if (cnt.cnt_ismore)
		errx(1, "%s: more than %d probes", path, PROBES);
	printf("%s: %u probes, %u arguments, %u cannot be read\n", path,
	    cnt.cnt_probes, cnt.cnt_args, cnt.cnt_bad);
}

int
main(int argc, char **argv)
{
	int i;

	if (argc < 2)
		errx(2, "usage: usdt_notes FILE...");
	elf_version(EV_CURRENT);
	for (i = 1; i < argc; i++)
		count_file(argv[i]);
	return 0;
}
