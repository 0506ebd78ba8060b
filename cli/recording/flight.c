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
#include <sys/stat.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/flight.h"

#define FLIGHT_MEMORY	  (64 << 20) /* default of --memory */
#define FLIGHT_MAXCGROUPS 16384	     /* paths kept at a time */

/*
 * The functions of the recorder
 */

static const struct flight_ops flight_ops = {
	.no_leaves = flight_leaves,
	.no_gone = flight_gone,
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
	if (effects_find(pi) != NULL)
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
		flight_tell(rcd, error);
	else if (pthread_create(&fl->fli_thread, NULL, flight_main, rcd) == 0)
		fl->fli_ison = 1;
	else
		flight_tell(rcd, flight_write(rcd));
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
