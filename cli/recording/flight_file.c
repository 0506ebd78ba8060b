/* SPDX-License-Identifier: ISC */
/*
 * Writes the file of the flight recorder: the data besides records, then the
 * records, in a thread while the recording continues.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/flight.h"

/* Name and time range of a file */

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

int
flight_try(const char *name)
{
	int fd;

	(void)unlink(name); /* left over from a killed process */
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	close(fd);
	return unlink(name);
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
#define FLIGHT_NICE 10 /* nice value of the thread */

/* Data besides records */

void
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
flight_decode(struct names *names, const struct flight_item *it,
    struct dt_event *ev)
{
	const struct dt_rec *rec = (const void *)(it + 1);
	const struct probe *pr = names_probe(names, rec->dr_pbn);

	return pr == NULL ? -1
			  : dt_decode(rec, rec->dr_length,
				pr->pr_desc.pd_info.dtpi_nargs, ev);
}

/* Follows the effects of an item that is not in the file. */
static void
flight_follow(const struct flight *fl, struct calls *before,
    struct names *names, const struct flight_item *it)
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

void
flight_gone(void *arg, const struct flight_item *it)
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

int
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
	names_init(&ff->ff_names, rcd->rcd_names->nm_dt);
	recorder_open(&ff->ff_recorder, &ff->ff_opts,
	    fl->fli_isdone ? rcd->rcd_names : &ff->ff_names, NULL);
	ff->ff_recorder
	    .rcd_isreported = 1; /* reported by flight_tell() or by the
				    * session */
	for (i = 0; i < fl->fli_npbns; i++)
		recorder_enabled(&ff->ff_recorder,
		    names_probe(ff->ff_recorder.rcd_names, fl->fli_pbns[i]));
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
	names_free(&ff->ff_names);
	return error;
}

int
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

void
flight_tell(const struct recorder *rcd, int error)
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

void *
flight_main(void *arg)
{
	struct recorder *rcd = arg;

	(void)setpriority(PRIO_PROCESS, gettid(), FLIGHT_NICE);
	flight_tell(rcd, flight_write(rcd));
	return NULL;
}

void
flight_join(struct flight *fl)
{
	if (fl->fli_ison)
		pthread_join(fl->fli_thread, NULL);
	fl->fli_ison = 0;
}

int
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
