/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder (dt record --last): keeps the newest events (newest.c),
 * and makes a recording of them when it is asked to, and at the end.
 *
 * The file is written through the format "file" (out_file.c), which alone
 * knows its form, under a name of its own, and appears by rename(2).  While
 * the recording goes on, a thread writes it, since a disk may take its time,
 * and the events don't.
 *
 * What descriptors mean at the first event of a file depends on all the calls
 * before it: those that are let go are followed (trace.c), and so are those
 * that are kept and too old for the file.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"
#include "newest.h"
#include "out.h"
#include "trace.h"

#define FLIGHT_MEMORY	  (64 << 20) /* without --memory */
#define FLIGHT_NICE	  10	     /* of the thread */
#define FLIGHT_MAXCGROUPS 16384	     /* known at a time */

/*
 * A file that is being written.  c: constant while it is; l: guarded by
 * fl_lock; the rest belongs to who writes it.
 */
struct flight_file {
	struct opts ff_opts;	 /* of ff_out */
	struct out ff_out;	 /* the format "file" */
	struct names ff_names;	 /* of ff_out, in a thread */
	struct trace *ff_before; /* what was before the first record; then
				    it is told, and NULL */
	struct newest_reader ff_reader;
	const struct newest_chunk *ff_chunk; /* [l] read next, or NULL */
	uint64_t ff_from;	    /* [c] time of the oldest record wanted */
	struct dt_ledger ff_ledger; /* [c] */
	int ff_hasledger;	    /* [c] */
	struct ledger_run ff_run;   /* [c] */
	struct ledger_newest ff_newest;
};

/* c: constant after begin; m: of the main thread. */
struct flight {
	struct newest fl_newest;     /* [m] its older chunks are shared */
	struct opts fl_opts;	     /* [c] to follow calls: all of them */
	struct trace *fl_before;     /* [m] what was before fl_newest */
	struct map fl_followed;	     /* [m] pbn -> nothing: of such calls */
	struct map fl_cgroups;	     /* [m] id -> path */
	char *fl_name;		     /* [c] of a file that is not whole */
	uint32_t *fl_pbns;	     /* [m] enabled probes */
	size_t fl_npbns, fl_maxpbns; /* [m] */
	int fl_isdone;		     /* [m] fl_file is the last one */
	int fl_ison;		     /* [m] fl_thread writes fl_file */
	pthread_t fl_thread;	     /* [m] */
	pthread_mutex_t fl_lock;
	pthread_cond_t fl_moves; /* ff_chunk did */
	struct flight_file fl_file;
};

/*
 * What a file is called, and what it is about
 */

/* Gives a whole file its name, and an older one .old: 0, or -1 with errno. */
static int
flight_rename(const char *from, const char *to)
{
	struct stat st;
	char *old;
	int error;

	if (lstat(to, &st) == 0 && S_ISREG(st.st_mode)) {
		if (asprintf(&old, "%s.old", to) == -1)
			err(1, NULL);
		error = rename(to, old);
		free(old);
		if (error == -1)
			return -1;
	}
	return rename(from, to);
}

/* Whether a file can be made there: 0, or -1 with errno. */
static int
flight_try(const char *name)
{
	int fd;

	(void)unlink(name); /* of a process that was killed */
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	close(fd);
	return unlink(name);
}

/* What the file is about: from when on, as far as there is memory. */
static void
flight_window(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_file *ff = &fl->fl_file;
	struct ledger_newest *ln = &ff->ff_newest;
	uint64_t end = ff->ff_run.lr_end, from;

	if (end == 0)
		end = fl->fl_newest.nw_time; /* the daemon is gone */
	memset(ln, 0, sizeof(*ln));
	ln->ln_wanted = out->out_opts->o_last;
	ln->ln_letgo = fl->fl_newest.nw_letgo;
	from = end > ln->ln_wanted ? end - ln->ln_wanted : 0;
	ff->ff_from = from;
	if (fl->fl_newest.nw_full >= from && fl->fl_newest.nw_full != 0) {
		from = fl->fl_newest.nw_full;
		ln->ln_memory = fl->fl_newest.nw_memory;
	}
	if (from < ff->ff_run.lr_start)
		from = ff->ff_run.lr_start;
	ln->ln_nsecs = end > from ? end - from : 0;
}

/*
 * What is known beside records
 */

static void
flight_forget(struct flight *fl)
{
	struct map_entry **list = map_sorted(&fl->fl_cgroups);
	size_t i;

	for (i = 0; i < fl->fl_cgroups.mp_n; i++)
		free(list[i]->me_ptr);
	free(list);
	map_clear(&fl->fl_cgroups);
}

static void
flight_put_cgroups(struct flight *fl)
{
	struct map_entry **list = map_sorted(&fl->fl_cgroups);
	size_t i;

	for (i = 0; i < fl->fl_cgroups.mp_n; i++)
		out_cgroup_path(&fl->fl_file.ff_out, list[i]->me_key[0],
		    list[i]->me_ptr);
	free(list);
}

/* Names the sections of a record that was kept: 0, or -1, which can't be. */
static int
flight_decode(struct names *names, const struct newest_item *it,
    struct dt_event *ev)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	const struct probe *pr = names_probe(names, rec->dr_pbn);

	return pr == NULL ? -1
			  : dt_decode(rec, rec->dr_length,
				pr->pr_desc.pd_info.dtpi_nargs, ev);
}

/* An item is not in the file, or is let go: only what it changes stays. */
static void
flight_follow(const struct flight *fl, struct trace *before,
    struct names *names, const struct newest_item *it)
{
	const struct newest_fd *nf = (const void *)(it + 1);
	const struct dt_rec *rec = (const void *)(it + 1);
	struct dt_event ev;

	if (it->it_kind == NEWEST_FILE)
		procs_set(trace_procs(before), nf->nf_pid, nf->nf_fd,
		    (const char *)(nf + 1));
	else if (map_find(&fl->fl_followed, &rec->dr_pbn,
		     sizeof(rec->dr_pbn)) != NULL &&
	    flight_decode(names, it, &ev) == 0)
		trace_event(before, &ev);
}

/* For newest.h */
static void
flight_gone(void *arg, const struct newest_item *it)
{
	struct out *out = arg;
	struct flight *fl = out->out_priv;

	flight_follow(fl, fl->fl_before, out->out_names, it);
}

static void
flight_copy_path(void *arg, uint32_t pid, int fd, const char *path)
{
	procs_set(arg, pid, fd, path);
}

static void
flight_put_path(void *arg, uint32_t pid, int fd, const char *path)
{
	out_file_path(arg, pid, fd, path);
}

/* The file's first record is next, or it has none. */
static void
flight_put_before(struct flight_file *ff)
{
	if (ff->ff_before == NULL)
		return;
	procs_each(trace_procs(ff->ff_before), flight_put_path, &ff->ff_out);
	trace_close(ff->ff_before);
	ff->ff_before = NULL;
}

/*
 * Writing a file
 */

/* Begins a file.  Returns 0, or an errno. */
static int
flight_open(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = out->out_priv;
	struct flight_file *ff = &fl->fl_file;
	size_t i;

	if (flight_try(fl->fl_name) == -1)
		return errno;
	ff->ff_opts = *out->out_opts;
	ff->ff_opts.o_last = 0; /* so this is the format "file" */
	ff->ff_opts.o_file = fl->fl_name;
	ff->ff_opts.o_maxsize = INT64_MAX; /* the memory is the limit */
	ff->ff_hasledger = ledger != NULL;
	if (ledger != NULL) {
		ff->ff_ledger = *ledger;
		ff->ff_ledger.dl_flags |= DT_LEDGER_NEWEST;
	}
	ff->ff_run = *lr;
	flight_window(out);
	newest_read(&fl->fl_newest, &ff->ff_reader);
	ff->ff_chunk = ff->ff_reader.nr_chunk;
	names_init(&ff->ff_names, out->out_names->nm_dt);
	out_open(&ff->ff_out, &ff->ff_opts,
	    fl->fl_isdone ? out->out_names : &ff->ff_names);
	ff->ff_out.out_istold = 1; /* by flight_tell(), or the session */
	for (i = 0; i < fl->fl_npbns; i++)
		out_enabled(&ff->ff_out, fl->fl_pbns[i]);
	flight_put_cgroups(fl);
	ff->ff_before = trace_open(&fl->fl_opts, ff->ff_out.out_names, NULL);
	procs_each(trace_procs(fl->fl_before), flight_copy_path,
	    trace_procs(ff->ff_before));
	return 0;
}

static void
flight_put_record(struct flight_file *ff, const struct newest_item *it)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	int64_t nsecs = ff->ff_reader.nr_clock + (int64_t)rec->dr_time;
	struct out_event oe = { 0 };
	struct dt_event ev;

	if (flight_decode(ff->ff_out.out_names, it, &ev) == -1)
		return;
	flight_put_before(ff);
	ev.ev_cpu = it->it_cpu;
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	oe.oe_probe = names_probe(ff->ff_out.out_names, rec->dr_pbn);
	oe.oe_ev = &ev;
	out_event(&ff->ff_out, &oe);
	ff->ff_newest.ln_kept++;
}

static void
flight_put(struct flight *fl, const struct newest_item *it)
{
	struct flight_file *ff = &fl->fl_file;
	const struct newest_fd *nf = (const void *)(it + 1);
	const struct dt_rec *rec = (const void *)(it + 1);
	int isold = it->it_kind == NEWEST_RECORD && rec->dr_time < ff->ff_from;

	if (isold)
		ff->ff_newest.ln_letgo++;
	if (it->it_kind == NEWEST_RECORD && !isold)
		flight_put_record(ff, it);
	else if (ff->ff_before != NULL)
		flight_follow(fl, ff->ff_before, ff->ff_out.out_names, it);
	else if (!isold)
		out_file_path(&ff->ff_out, nf->nf_pid, nf->nf_fd,
		    (const char *)(nf + 1));
}

/* Ends a file, that is whole or has failed: returns 0, or its errno. */
static int
flight_close(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_file *ff = &fl->fl_file;
	int error;

	if (ff->ff_hasledger)
		out_ledger(&ff->ff_out, &ff->ff_ledger, &ff->ff_run);
	error = out_close(&ff->ff_out);
	if (error == 0 && flight_rename(fl->fl_name, out->out_opts->o_file))
		error = errno;
	if (error != 0)
		unlink(fl->fl_name);
	names_free(&ff->ff_names);
	return error;
}

/* Writes a file that was opened: returns 0, or its errno. */
static int
flight_write(struct out *out)
{
	struct flight *fl = out->out_priv;
	struct flight_file *ff = &fl->fl_file;
	const struct newest_item *it;

	while (ff->ff_reader.nr_chunk != NULL) {
		while ((it = newest_next(&ff->ff_reader)) != NULL)
			flight_put(fl, it);
		pthread_mutex_lock(&fl->fl_lock);
		ff->ff_chunk = ff->ff_reader.nr_chunk;
		pthread_cond_signal(&fl->fl_moves);
		pthread_mutex_unlock(&fl->fl_lock);
	}
	flight_put_before(ff);
	return flight_close(out);
}

/* What became of a file while the recording goes on. */
static void
flight_tell(const struct out *out, int error)
{
	struct flight *fl = out->out_priv;
	struct buf b;

	if (error != 0) {
		warnx("%s: %s; the recording goes on", out->out_opts->o_file,
		    strerror(error));
		return;
	}
	buf_init(&b, STDERR_FILENO);
	ledger_newest(&b, &fl->fl_file.ff_newest, out->out_opts->o_file);
	buf_flush(&b);
	buf_free(&b);
}

/*
 * The thread.  Signals are blocked in it, as they are outside of sigs_poll().
 * Who reads events goes first.
 */
static void *
flight_main(void *arg)
{
	struct out *out = arg;

	(void)setpriority(PRIO_PROCESS, gettid(), FLIGHT_NICE);
	flight_tell(out, flight_write(out));
	return NULL;
}

/* Waits for the end of the thread, if there is one. */
static void
flight_join(struct flight *fl)
{
	if (fl->fl_ison)
		pthread_join(fl->fl_thread, NULL);
	fl->fl_ison = 0;
}

/* Whether the oldest chunk may go, as newest.h asks. */
static int
flight_leaves(void *arg, const struct newest_chunk *nc, int wait)
{
	struct flight *fl = ((struct out *)arg)->out_priv;
	int may;

	if (!fl->fl_ison)
		return 1;
	pthread_mutex_lock(&fl->fl_lock);
	while (!(may = fl->fl_file.ff_chunk != nc) && wait)
		pthread_cond_wait(&fl->fl_moves, &fl->fl_lock);
	pthread_mutex_unlock(&fl->fl_lock);
	return may;
}

/*
 * The functions of the format
 */

static const struct newest_ops flight_ops = {
	.no_leaves = flight_leaves,
	.no_gone = flight_gone,
};

static void
flight_begin(struct out *out)
{
	const struct opts *o = out->out_opts;
	struct flight *fl;
	struct stat st;

	if (lstat(o->o_file, &st) == 0 && !S_ISREG(st.st_mode))
		errx(1, "%s: is there, and is no plain file", o->o_file);
	if ((fl = calloc(1, sizeof(*fl))) == NULL ||
	    asprintf(&fl->fl_name, "%s.tmp%d", o->o_file, getpid()) == -1)
		err(1, NULL);
	if (flight_try(fl->fl_name) == -1)
		err(1, "%s", o->o_file);
	newest_init(&fl->fl_newest, o->o_memory ? o->o_memory : FLIGHT_MEMORY,
	    o->o_last, &flight_ops, out);
	pthread_mutex_init(&fl->fl_lock, NULL);
	pthread_cond_init(&fl->fl_moves, NULL);
	fl->fl_before = trace_open(&fl->fl_opts, out->out_names, NULL);
	out->out_priv = fl;
	buf_init(&out->out_buf, -1); /* nothing goes to stdout */
}

static void
flight_enabled(struct out *out, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct flight *fl = out->out_priv;

	if (fl->fl_npbns == fl->fl_maxpbns) {
		fl->fl_maxpbns = fl->fl_maxpbns ? fl->fl_maxpbns * 2 : 256;
		fl->fl_pbns = realloc(fl->fl_pbns,
		    fl->fl_maxpbns * sizeof(*fl->fl_pbns));
		if (fl->fl_pbns == NULL)
			err(1, "probes");
	}
	fl->fl_pbns[fl->fl_npbns++] = pi->dtpi_pbn;
	if (follow_find(pi->dtpi_prov, pi->dtpi_func) != NULL)
		map_get(&fl->fl_followed, &pi->dtpi_pbn, sizeof(pi->dtpi_pbn));
}

static void
flight_event(struct out *out, const struct out_event *oe)
{
	struct flight *fl = out->out_priv;

	newest_record(&fl->fl_newest, oe->oe_ev);
}

static void
flight_path(struct out *out, uint32_t pid, int fd, const char *path)
{
	struct flight *fl = out->out_priv;

	newest_file(&fl->fl_newest, pid, fd, path);
}

/* An id never becomes that of another one, so it has no place in time.  They
 * come and go for days: too many are forgotten, and are numbers then. */
static void
flight_cgroup(struct out *out, uint64_t id, const char *path)
{
	struct flight *fl = out->out_priv;
	struct map_entry *e;

	if (fl->fl_cgroups.mp_n >= FLIGHT_MAXCGROUPS)
		flight_forget(fl);
	e = map_get(&fl->fl_cgroups, &id, sizeof(id));
	if (e->me_ptr == NULL && (e->me_ptr = strdup(path)) == NULL)
		err(1, "cgroups");
}

static void
flight_save(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = out->out_priv;
	int error;

	flight_join(fl); /* of the file before */
	if ((error = flight_open(out, ledger, lr)) != 0)
		flight_tell(out, error);
	else if (pthread_create(&fl->fl_thread, NULL, flight_main, out) == 0)
		fl->fl_ison = 1;
	else
		flight_tell(out, flight_write(out));
}

/* The last file; who ends the run tells of it. */
static void
flight_ledger(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = out->out_priv;
	int error;

	flight_join(fl);
	fl->fl_isdone = 1;
	if ((error = flight_open(out, ledger, lr)) == 0)
		error = flight_write(out);
	if (error == 0)
		out->out_newest = fl->fl_file.ff_newest;
	out->out_buf.b_error = error;
}

static int
flight_flush(struct out *out, int urgent)
{
	static const struct ledger_run none;
	struct flight *fl = out->out_priv;

	if (urgent && !fl->fl_isdone)
		flight_ledger(out, NULL, &none); /* the daemon is gone */
	return 0;
}

static void
flight_free(struct out *out)
{
	struct flight *fl = out->out_priv;

	newest_free(&fl->fl_newest);
	trace_close(fl->fl_before);
	map_clear(&fl->fl_followed);
	flight_forget(fl);
	pthread_mutex_destroy(&fl->fl_lock);
	pthread_cond_destroy(&fl->fl_moves);
	free(fl->fl_name);
	free(fl->fl_pbns);
	free(fl);
	out->out_priv = NULL;
}

const struct out_format out_flight = {
	.f_name = "flight",
	.f_begin = flight_begin,
	.f_enabled = flight_enabled,
	.f_event = flight_event,
	.f_file = flight_path,
	.f_cgroup = flight_cgroup,
	.f_save = flight_save,
	.f_flush = flight_flush,
	.f_ledger = flight_ledger,
	.f_free = flight_free,
};
