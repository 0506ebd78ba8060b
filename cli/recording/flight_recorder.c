/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder (dt record --last): keeps the newest events
 * (flight_buffer.c), and writes a recording of them on request and at the end.
 *
 * The file is written by a recorder of all events (rec_writer.c), under a
 * temporary name, and then renamed.  During the recording a thread writes it,
 * since a disk may be slow while events keep arriving.
 *
 * The paths of descriptors at the first event of a file depend on all earlier
 * calls: dropped calls are followed (calls.c), and so are kept calls that are
 * too old for the file.
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

#include "cli/calls/calls.h"
#include "cli/procs/call_effects.h"
#include "cli/recording/flight_buffer.h"
#include "cli/recording/recorder.h"

#define FLIGHT_MEMORY	  (64 << 20) /* default of --memory */
#define FLIGHT_MAXCGROUPS 16384	     /* paths kept at a time */
#define FLIGHT_NICE	  10	     /* nice value of the writing thread */
#define FLIGHT_LEAST	  4096	     /* bytes that any file has */

/*
 * A file that is being written.  c: constant during that; l: guarded by
 * fli_lock; the rest belongs to the writing thread.
 */
struct flight_file {
	struct opts ff_opts;	     /* options of ff_recorder */
	struct recorder ff_recorder; /* of kind recorder_file */
	struct name_cache ff_names;  /* names of ff_recorder, in a thread */
	struct calls *ff_before;     /* state before the first record; NULL once
				  * written */
	struct flight_reader ff_reader;
	const struct flight_chunk *ff_chunk; /* [l] read next, or NULL */
	uint64_t ff_from;	    /* [c] time of the oldest record wanted */
	struct dt_ledger ff_ledger; /* [c] */
	int ff_hasledger;	    /* [c] */
	struct ledger_run ff_run;   /* [c] */
	struct ledger_newest ff_newest;
};

/* c: constant after begin; m: of the main thread. */
struct flight {
	struct flight_buffer fli_newest; /* [m] older chunks are shared */
	struct opts fli_opts;		 /* [c] options to follow all calls */
	struct calls *fli_before;	 /* [m] state before fli_newest */
	struct hash fli_followed;	 /* [m] pbn -> nothing: probes of
					  * such calls */
	struct hash fli_cgroups;	 /* [m] id -> path */
	char *fli_name;			 /* [c] name of an incomplete file */
	uint32_t *fli_pbns;		 /* [m] enabled probes */
	size_t fli_npbns, fli_maxpbns;	 /* [m] */
	int fli_isdone;			 /* [m] fli_file is the last one */
	int fli_ison;			 /* [m] fli_thread writes fli_file */
	pthread_t fli_thread;		 /* [m] */
	pthread_mutex_t fli_lock;
	pthread_cond_t fli_moves; /* ff_chunk has changed */
	struct flight_file fli_file;
};

/*
 * Name and time range of a file
 */

/*
 * Renames a complete file to its name, and an older one to .old.  Returns 0, or
 * -1 with errno.
 */
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

/*
 * Checks whether a file can be created, and written to.  Returns 0, or -1 with
 * errno.
 */
static int
flight_try(const char *name)
{
	int fd, error;

	(void)unlink(name); /* left over from a killed process */
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	error = posix_fallocate(fd, 0, FLIGHT_LEAST);
	close(fd);
	if (unlink(name) == -1 && error == 0)
		return -1;
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Sets the start of the file, as far back as the memory permits. */
static void
flight_window(struct recorder *rcd)
{
	struct flight *fl = rcd->rcd_priv;
	struct flight_file *ff = &fl->fli_file;
	struct ledger_newest *ln = &ff->ff_newest;
	uint64_t end = ff->ff_run.lr_end, from;

	if (end == 0)
		end = fl->fli_newest.fb_time; /* the daemon has exited */
	memset(ln, 0, sizeof(*ln));
	ln->ln_wanted = rcd->rcd_opts->o_file.ofi_last;
	ln->ln_letgo = fl->fli_newest.fb_letgo;
	from = end > ln->ln_wanted ? end - ln->ln_wanted : 0;
	ff->ff_from = from;
	if (fl->fli_newest.fb_full >= from && fl->fli_newest.fb_full != 0) {
		from = fl->fli_newest.fb_full;
		ln->ln_memory = fl->fli_newest.fb_memory;
	}
	if (from < ff->ff_run.lr_start)
		from = ff->ff_run.lr_start;
	ln->ln_nsecs = end > from ? end - from : 0;
}

/*
 * Data besides records
 */

static void
flight_forget(struct flight *fl)
{
	hash_free(&fl->fli_cgroups);
}

static void
flight_put_cgroups(struct flight *fl)
{
	struct hash_entry **list = hash_sorted(&fl->fli_cgroups);
	size_t i;

	for (i = 0; i < fl->fli_cgroups.ha_n; i++)
		recorder_file.rki_cgroup(&fl->fli_file.ff_recorder,
		    list[i]->he_key[0], list[i]->he_ptr);
	free(list);
}

/*
 * Decodes the sections of a record that was kept.  Returns 0, or -1, which
 * cannot happen.
 */
static int
flight_decode(struct name_cache *names, const struct flight_item *it,
    struct dt_event *ev)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	const struct probe *pr = name_cache_probe(names, rec->dr_pbn);

	return pr == NULL ? -1
			  : dt_decode(rec, rec->dr_length,
				pr->pr_desc.pd_info.dtpi_nargs, ev);
}

/* Follows the effects of an item that is not in the file. */
static void
flight_follow(const struct flight *fl, struct calls *before,
    struct name_cache *names, const struct flight_item *it)
{
	const struct flight_fd *nf = (const void *)(it + 1);
	const struct dt_rec *rec = (const void *)(it + 1);
	struct dt_event ev;

	if (it->it_kind == FLIGHT_BUFFER_FILE)
		procs_set(calls_procs(before), nf->ffd_pid, nf->ffd_fd,
		    (const char *)(nf + 1));
	else if (hash_find(&fl->fli_followed, &rec->dr_pbn,
		     sizeof(rec->dr_pbn)) != NULL &&
	    flight_decode(names, it, &ev) == 0)
		calls_event(before, &ev);
}

static void
flight_dropped(void *arg, const struct flight_item *it)
{
	struct recorder *rcd = arg;
	struct flight *fl = rcd->rcd_priv;

	flight_follow(fl, fl->fli_before, rcd->rcd_names, it);
}

static void
flight_copy_path(void *arg, uint32_t pid, int fd, const char *path)
{
	procs_set(arg, pid, fd, path);
}

/* Writes the state before the file's first record. */
static void
flight_put_before(struct flight_file *ff)
{
	if (ff->ff_before == NULL)
		return;
	procs_each(calls_procs(ff->ff_before), recorder_path, &ff->ff_recorder);
	calls_close(ff->ff_before);
	ff->ff_before = NULL;
}

/*
 * Writing a file
 */

/* Starts a file.  Returns 0 or an errno. */
static int
flight_open(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = rcd->rcd_priv;
	struct flight_file *ff = &fl->fli_file;
	size_t i;

	if (flight_try(fl->fli_name) == -1)
		return errno;
	ff->ff_opts = *rcd->rcd_opts;
	ff->ff_opts.o_file.ofi_last = 0; /* selects recorder_file */
	ff->ff_opts.o_file.ofi_name = fl->fli_name;
	ff->ff_opts.o_file.ofi_max = INT64_MAX; /* the memory is the limit */
	ff->ff_hasledger = ledger != NULL;
	if (ledger != NULL) {
		ff->ff_ledger = *ledger;
		ff->ff_ledger.dl_flags |= DT_LEDGER_NEWEST;
	}
	ff->ff_run = *lr;
	flight_window(rcd);
	flight_buffer_read(&fl->fli_newest, &ff->ff_reader);
	ff->ff_chunk = ff->ff_reader.nr_chunk;
	name_cache_init(&ff->ff_names, rcd->rcd_names->nm_dt);
	recorder_open(&ff->ff_recorder, &ff->ff_opts,
	    fl->fli_isdone ? rcd->rcd_names : &ff->ff_names, NULL, NULL);
	ff->ff_recorder
	    .rcd_isreported = 1; /* reported by flight_report() or by the
				    * session */
	for (i = 0; i < fl->fli_npbns; i++)
		recorder_enabled(&ff->ff_recorder,
		    name_cache_probe(ff->ff_recorder.rcd_names,
			fl->fli_pbns[i]));
	flight_put_cgroups(fl);
	ff->ff_before = calls_open(&fl->fli_opts, ff->ff_recorder.rcd_names,
	    NULL);
	procs_each(calls_procs(fl->fli_before), flight_copy_path,
	    calls_procs(ff->ff_before));
	return 0;
}

static void
flight_put_record(struct flight_file *ff, const struct flight_item *it)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	int64_t nsecs = ff->ff_reader.nr_clock + (int64_t)rec->dr_time;
	struct dt_event ev;

	if (flight_decode(ff->ff_recorder.rcd_names, it, &ev) == -1)
		return;
	flight_put_before(ff);
	ev.ev_cpu = it->it_cpu;
	ev.ev_realtime.tv_sec = nsecs / 1000000000;
	ev.ev_realtime.tv_nsec = nsecs % 1000000000;
	recorder_event(&ff->ff_recorder, &ev);
	ff->ff_newest.ln_kept++;
}

static void
flight_put(struct flight *fl, const struct flight_item *it)
{
	struct flight_file *ff = &fl->fli_file;
	const struct flight_fd *nf = (const void *)(it + 1);
	const struct dt_rec *rec = (const void *)(it + 1);
	int isold = it->it_kind == FLIGHT_BUFFER_RECORD &&
	    rec->dr_time < ff->ff_from;

	if (isold)
		ff->ff_newest.ln_letgo++;
	if (it->it_kind == FLIGHT_BUFFER_RECORD && !isold)
		flight_put_record(ff, it);
	else if (ff->ff_before != NULL)
		flight_follow(fl, ff->ff_before, ff->ff_recorder.rcd_names, it);
	else if (!isold)
		recorder_path(&ff->ff_recorder, nf->ffd_pid, nf->ffd_fd,
		    (const char *)(nf + 1));
}

/* Ends a file, complete or failed.  Returns 0 or its errno. */
static int
flight_close(struct recorder *rcd)
{
	struct flight *fl = rcd->rcd_priv;
	struct flight_file *ff = &fl->fli_file;
	int error;

	if (ff->ff_hasledger)
		recorder_ledger(&ff->ff_recorder, &ff->ff_ledger, &ff->ff_run);
	error = recorder_close(&ff->ff_recorder);
	if (error == 0 &&
	    flight_rename(fl->fli_name, rcd->rcd_opts->o_file.ofi_name))
		error = errno;
	if (error != 0)
		unlink(fl->fli_name);
	name_cache_free(&ff->ff_names);
	return error;
}

/* Writes an open file.  Returns 0 or an errno. */
static int
flight_write(struct recorder *rcd)
{
	struct flight *fl = rcd->rcd_priv;
	struct flight_file *ff = &fl->fli_file;
	const struct flight_item *it;

	while (ff->ff_reader.nr_chunk != NULL) {
		while ((it = flight_buffer_next(&ff->ff_reader)) != NULL)
			flight_put(fl, it);
		pthread_mutex_lock(&fl->fli_lock);
		ff->ff_chunk = ff->ff_reader.nr_chunk;
		pthread_cond_signal(&fl->fli_moves);
		pthread_mutex_unlock(&fl->fli_lock);
	}
	flight_put_before(ff);
	return flight_close(rcd);
}

/* Reports the result of a file while the recording continues. */
static void
flight_report(const struct recorder *rcd, int error)
{
	struct flight *fl = rcd->rcd_priv;
	struct buf b;

	if (error != 0) {
		warnx("%s: %s; the recording continues",
		    rcd->rcd_opts->o_file.ofi_name, strerror(error));
		return;
	}
	buf_init(&b, STDERR_FILENO);
	ledger_newest(&b, &fl->fli_file.ff_newest,
	    rcd->rcd_opts->o_file.ofi_name);
	buf_flush(&b);
	buf_free(&b);
}

/*
 * The writing thread.  Signals are blocked in it, as they are outside of
 * sigs_poll().  The thread that reads events has priority.
 */
static void *
flight_main(void *arg)
{
	struct recorder *rcd = arg;

	(void)setpriority(PRIO_PROCESS, gettid(), FLIGHT_NICE);
	flight_report(rcd, flight_write(rcd));
	return NULL;
}

/* Waits for the end of the thread, if there is one. */
static void
flight_join(struct flight *fl)
{
	if (fl->fli_ison)
		pthread_join(fl->fli_thread, NULL);
	fl->fli_ison = 0;
}

/* Returns whether the oldest chunk may be dropped. */
static int
flight_leaves(void *arg, const struct flight_chunk *nc, int wait)
{
	struct flight *fl = ((struct recorder *)arg)->rcd_priv;
	int may;

	if (!fl->fli_ison)
		return 1;
	pthread_mutex_lock(&fl->fli_lock);
	while (!(may = fl->fli_file.ff_chunk != nc) && wait)
		pthread_cond_wait(&fl->fli_moves, &fl->fli_lock);
	pthread_mutex_unlock(&fl->fli_lock);
	return may;
}

/*
 * The functions of the recorder
 */

static const struct flight_ops flight_ops = {
	.no_leaves = flight_leaves,
	.no_dropped = flight_dropped,
};

static void
flight_begin(struct recorder *rcd)
{
	const struct opts *o = rcd->rcd_opts;
	struct flight *fl;
	struct stat st;

	if (lstat(o->o_file.ofi_name, &st) == 0 && !S_ISREG(st.st_mode))
		errx(1, "%s: exists and is not a regular file",
		    o->o_file.ofi_name);
	if ((fl = calloc(1, sizeof(*fl))) == NULL ||
	    asprintf(&fl->fli_name, "%s.tmp%d", o->o_file.ofi_name, getpid()) ==
		-1)
		err(1, NULL);
	if (flight_try(fl->fli_name) == -1)
		err(1, "%s", o->o_file.ofi_name);
	flight_buffer_init(&fl->fli_newest,
	    o->o_file.ofi_memory ? o->o_file.ofi_memory : FLIGHT_MEMORY,
	    o->o_file.ofi_last, &flight_ops, rcd);
	pthread_mutex_init(&fl->fli_lock, NULL);
	pthread_cond_init(&fl->fli_moves, NULL);
	fl->fli_before = calls_open(&fl->fli_opts, rcd->rcd_names, NULL);
	rcd->rcd_priv = fl;
}

static void
flight_enabled(struct recorder *rcd, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct flight *fl = rcd->rcd_priv;

	if (fl->fli_npbns == fl->fli_maxpbns) {
		fl->fli_maxpbns = fl->fli_maxpbns ? fl->fli_maxpbns * 2 : 256;
		fl->fli_pbns = realloc(fl->fli_pbns,
		    fl->fli_maxpbns * sizeof(*fl->fli_pbns));
		if (fl->fli_pbns == NULL)
			err(1, "probes");
	}
	fl->fli_pbns[fl->fli_npbns++] = pi->dtpi_pbn;
	if (call_effects_find(pi) != NULL)
		hash_get(&fl->fli_followed, &pi->dtpi_pbn,
		    sizeof(pi->dtpi_pbn));
}

static void
flight_event(struct recorder *rcd, const struct dt_event *ev)
{
	struct flight *fl = rcd->rcd_priv;

	flight_buffer_record(&fl->fli_newest, ev);
}

static void
flight_path(struct recorder *rcd, uint32_t pid, int fd, const char *path)
{
	struct flight *fl = rcd->rcd_priv;

	flight_buffer_file(&fl->fli_newest, pid, fd, path);
}

/*
 * The id of a cgroup is never reused, so its path needs no time.  Over days,
 * too many paths are collected: the table is then cleared, and ids are printed
 * as numbers.
 */
static void
flight_cgroup(struct recorder *rcd, uint64_t id, const char *path)
{
	struct flight *fl = rcd->rcd_priv;
	struct hash_entry *e;

	if (fl->fli_cgroups.ha_n >= FLIGHT_MAXCGROUPS)
		flight_forget(fl);
	e = hash_get(&fl->fli_cgroups, &id, sizeof(id));
	if (e->he_ptr == NULL && (e->he_ptr = strdup(path)) == NULL)
		err(1, "cgroups");
}

static void
flight_save(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = rcd->rcd_priv;
	int error;

	flight_join(fl); /* of the previous file */
	if ((error = flight_open(rcd, ledger, lr)) != 0)
		flight_report(rcd, error);
	else if (pthread_create(&fl->fli_thread, NULL, flight_main, rcd) == 0)
		fl->fli_ison = 1;
	else
		flight_report(rcd, flight_write(rcd));
}

/* Writes the last file; the session prints its result. */
static void
flight_ledger(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct flight *fl = rcd->rcd_priv;
	int error;

	flight_join(fl);
	fl->fli_isdone = 1;
	if ((error = flight_open(rcd, ledger, lr)) == 0)
		error = flight_write(rcd);
	if (error == 0)
		rcd->rcd_newest = fl->fli_file.ff_newest;
	rcd->rcd_buf.b_error = error;
}

static int
flight_flush(struct recorder *rcd, int urgent)
{
	static const struct ledger_run none;
	struct flight *fl = rcd->rcd_priv;

	if (urgent && !fl->fli_isdone)
		flight_ledger(rcd, NULL, &none); /* the daemon has exited */
	return 0;
}

static void
flight_free(struct recorder *rcd)
{
	struct flight *fl = rcd->rcd_priv;

	flight_buffer_free(&fl->fli_newest);
	calls_close(fl->fli_before);
	hash_clear(&fl->fli_followed);
	flight_forget(fl);
	pthread_mutex_destroy(&fl->fli_lock);
	pthread_cond_destroy(&fl->fli_moves);
	free(fl->fli_name);
	free(fl->fli_pbns);
	free(fl);
	rcd->rcd_priv = NULL;
}

const struct recorder_kind recorder_flight = {
	.rki_begin = flight_begin,
	.rki_enabled = flight_enabled,
	.rki_event = flight_event,
	.rki_file = flight_path,
	.rki_cgroup = flight_cgroup,
	.rki_save = flight_save,
	.rki_flush = flight_flush,
	.rki_ledger = flight_ledger,
	.rki_free = flight_free,
};
