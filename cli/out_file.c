/* SPDX-License-Identifier: ISC */
/*
 * Writes a recording (dt record -o).  Its format is block.c's; here are the
 * file, and when something is written: records and the names that their
 * stacks need go out together, when a block is full, or at the latest after
 * FILE_KEEP, so that what a crash can take is little.
 */
#include <sys/stat.h>
#include <sys/utsname.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "wire/block.h"

#include "names.h"
#include "out.h"
#include "stack.h"

#define FILE_KEEP 1 /* seconds: records may wait so long */

struct file {
	struct block_writer *fi_writer;
	int64_t fi_clock; /* that was written last */
	int fi_hasclock;
	struct map fi_named; /* addresses whose name is written */
	uint64_t *fi_pcs;    /* those that wait for it */
	size_t fi_npcs, fi_maxpcs;
	time_t fi_flushed; /* CLOCK_MONOTONIC, s */
};

static int
file_write(void *arg, const void *data, size_t nbytes)
{
	struct out *out = arg;

	return buf_write(&out->out_buf, data, nbytes);
}

/*
 * Makes the file, for nobody else to read.  An older one becomes NAME.old, as
 * perf does it; anything that is no plain file is refused, as is a link,
 * which may lead to a file that somebody else has chosen.
 */
static int
file_create(const char *name)
{
	struct stat st;
	char *old;
	int fd;

	if (strcmp(name, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			errx(1,
			    "a recording is not for a terminal: give the "
			    "name of a file behind -o");
		return STDOUT_FILENO;
	}
	if (lstat(name, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			errx(1, "%s: is there, and is no plain file", name);
		if (asprintf(&old, "%s.old", name) == -1)
			err(1, NULL);
		if (rename(name, old) == -1)
			err(1, "%s", old);
		free(old);
	}
	if ((fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) ==
	    -1)
		err(1, "%s", name);
	return fd;
}

static void
file_head(struct block_writer *w)
{
	struct block_head head = { 0 };
	struct utsname un;
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	head.bf_start = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	head.bf_ncpu = sysconf(_SC_NPROCESSORS_CONF);
	if (uname(&un) == 0) {
		snprintf(head.bf_host, sizeof(head.bf_host), "%.63s",
		    un.nodename);
		snprintf(head.bf_release, sizeof(head.bf_release), "%.63s",
		    un.release);
		snprintf(head.bf_machine, sizeof(head.bf_machine), "%.15s",
		    un.machine);
	}
	snprintf(head.bf_writer, sizeof(head.bf_writer), "dt %s", DT_RELEASE);
	block_head(w, &head);
}

static void
file_begin(struct out *out)
{
	struct file *f;
	int fd = file_create(out->out_opts->o_file);

	if ((f = calloc(1, sizeof(*f))) == NULL)
		err(1, NULL);
	buf_init(&out->out_buf, fd);
	out->out_priv = f;
	if ((f->fi_writer = block_writer_alloc(file_write, out)) == NULL)
		err(1, NULL);
	file_head(f->fi_writer);
}

static void
file_enabled(struct out *out, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct file *f = out->out_priv;
	struct block_probe pb = {
		.pb_pbn = pd->pd_info.dtpi_pbn,
		.pb_nargs = pd->pd_info.dtpi_nargs,
		.pb_prov = pd->pd_info.dtpi_prov,
		.pb_func = pd->pd_info.dtpi_func,
		.pb_name = pd->pd_info.dtpi_name,
	};
	unsigned int i;

	for (i = 0; i < DT_REC_NARGS && i < DTMAXFUNCARGS; i++) {
		pb.pb_args[i].type = pd->pd_types[i].dtai_argtype;
		pb.pb_args[i].name = pd->pd_names[i].dtan_name;
		pb.pb_args[i].flags = pd->pd_names[i].dtan_flags;
	}
	block_probe(f->fi_writer, &pb);
}

/* Notes the addresses of a stack that have no name in the file yet. */
static void
file_note(struct file *f, const struct dt_rec_stack *st)
{
	const uint64_t *pcs;
	struct map_entry *e;
	unsigned int i;
	uint64_t pc;

	if (st == NULL)
		return;
	pcs = DT_STACK_PCS(st);
	for (i = 0; i < st->drs_count; i++) {
		pc = stack_pc(pcs, i);
		e = map_get(&f->fi_named, &pc, sizeof(pc));
		if (e->me_count++ > 0)
			continue;
		if (f->fi_npcs == f->fi_maxpcs) {
			f->fi_maxpcs = f->fi_maxpcs ? f->fi_maxpcs * 2 : 256;
			f->fi_pcs = realloc(f->fi_pcs,
			    f->fi_maxpcs * sizeof(*f->fi_pcs));
			if (f->fi_pcs == NULL)
				err(1, "names");
		}
		f->fi_pcs[f->fi_npcs++] = pc;
	}
}

/* Names, then records. */
static void
file_put(struct out *out)
{
	struct file *f = out->out_priv;
	const char *name;
	struct timespec ts;
	uint64_t off;
	size_t i;

	names_prefetch(out->out_names, f->fi_pcs, f->fi_npcs);
	for (i = 0; i < f->fi_npcs; i++) {
		name = names_ksym(out->out_names, f->fi_pcs[i], &off);
		if (name != NULL)
			block_ksym(f->fi_writer, f->fi_pcs[i], name, off);
	}
	f->fi_npcs = 0;
	block_flush(f->fi_writer);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	f->fi_flushed = ts.tv_sec;
}

static void
file_event(struct out *out, const struct out_event *oe)
{
	const struct dt_event *ev = oe->oe_ev;
	struct file *f = out->out_priv;
	int64_t clock = ev->ev_realtime.tv_sec * INT64_C(1000000000) +
	    ev->ev_realtime.tv_nsec - (int64_t)ev->ev_rec->dr_time;

	if (!f->fi_hasclock || clock != f->fi_clock) {
		file_put(out);
		block_clock(f->fi_writer, clock);
		f->fi_clock = clock;
		f->fi_hasclock = 1;
	}
	if (block_full(f->fi_writer, ev->ev_rec->dr_length))
		file_put(out);
	file_note(f, ev->ev_kstack);
	block_record(f->fi_writer, ev->ev_cpu, ev->ev_rec);
}

static void
file_path(struct out *out, uint32_t pid, int fd, const char *path)
{
	struct file *f = out->out_priv;

	file_put(out); /* records of before have other descriptors */
	block_file(f->fi_writer, pid, fd, path);
}

static void
file_cgroup(struct out *out, uint64_t id, const char *path)
{
	struct file *f = out->out_priv;

	block_cgroup(f->fi_writer, id, path);
}

static int
file_flush(struct out *out, int urgent)
{
	struct file *f = out->out_priv;
	struct timespec ts;

	if (!block_pending(f->fi_writer))
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	if (!urgent && ts.tv_sec < f->fi_flushed + FILE_KEEP)
		return 1;
	file_put(out);
	return 0;
}

static void
file_ledger(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct file *f = out->out_priv;

	(void)lr;
	file_put(out);
	block_ledger(f->fi_writer, ledger);
}

/* What close(2) finds out late (a full disk behind NFS) counts as well. */
static void
file_free(struct out *out)
{
	struct file *f = out->out_priv;

	if (out->out_buf.b_fd != STDOUT_FILENO &&
	    close(out->out_buf.b_fd) == -1 && out->out_buf.b_error == 0)
		out->out_buf.b_error = errno;
	block_writer_free(f->fi_writer);
	map_clear(&f->fi_named);
	free(f->fi_pcs);
	free(f);
	out->out_priv = NULL;
}

const struct out_format out_file = {
	.f_name = "file",
	.f_begin = file_begin,
	.f_enabled = file_enabled,
	.f_event = file_event,
	.f_file = file_path,
	.f_cgroup = file_cgroup,
	.f_flush = file_flush,
	.f_ledger = file_ledger,
	.f_free = file_free,
};
