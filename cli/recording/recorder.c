/* SPDX-License-Identifier: ISC */
/* Selects the kind of a recorder and passes events to it. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/recorder.h"

void
recorder_open(struct recorder *rcd, const struct opts *opts,
    struct name_cache *names, recorder_lowwater *lowwater, const void *source)
{
	memset(rcd, 0, sizeof(*rcd));
	rcd->rcd_kind = opts->o_file.ofi_last != 0 ? &recorder_flight
						   : &recorder_file;
	rcd->rcd_opts = opts;
	rcd->rcd_names = names;
	rcd->rcd_lowwater = lowwater;
	rcd->rcd_source = source;
	buf_init(&rcd->rcd_buf, -1);
	rcd->rcd_kind->rki_begin(rcd);
}

void
recorder_follow(struct recorder *rcd, struct calls *calls)
{
	rcd->rcd_calls = calls;
}

static int
recorder_status(const struct recorder *rcd)
{
	return rcd->rcd_isfull || rcd->rcd_buf.b_error != 0 ? -1 : 0;
}

void
recorder_enabled(struct recorder *rcd, const struct probe *pr)
{
	rcd->rcd_kind->rki_enabled(rcd, pr);
}

/* Writes the path of a cgroup before its first event. */
static void
recorder_cgroup(struct recorder *rcd, uint64_t id)
{
	struct hash_entry *e;
	const char *path;

	if (id == rcd->rcd_lastcgroup)
		return;
	rcd->rcd_lastcgroup = id;
	e = hash_get(&rcd->rcd_cgroups, &id, sizeof(id));
	if (e->he_count++ > 0)
		return;
	if ((path = cgroups_path(&rcd->rcd_names->nm_cgroups, id)) != NULL)
		rcd->rcd_kind->rki_cgroup(rcd, id, path);
}

int
recorder_event(struct recorder *rcd, const struct dt_event *ev)
{
	const struct dt_rec_first *rf;

	if (ev->ev_who != NULL) {
		/* a pair has a cgroup for each hit */
		if ((rf = dt_first(ev)) != NULL)
			recorder_cgroup(rcd, rf->drf_who.drw_cgroup);
		recorder_cgroup(rcd, ev->ev_who->drw_cgroup);
	}
	rcd->rcd_kind->rki_event(rcd, ev);
	return recorder_status(rcd);
}

void
recorder_path(void *arg, uint32_t pid, int fd, const char *path)
{
	struct recorder *rcd = arg;

	rcd->rcd_kind->rki_file(rcd, pid, fd, path);
}

int
recorder_ledger(struct recorder *rcd, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	rcd->rcd_kind->rki_ledger(rcd, ledger, lr);
	return recorder_status(rcd);
}

int
recorder_idle(struct recorder *rcd)
{
	return rcd->rcd_kind->rki_flush(rcd, 0);
}

int
recorder_close(struct recorder *rcd)
{
	int error;

	rcd->rcd_kind->rki_flush(rcd, 1);
	rcd->rcd_kind->rki_free(rcd);
	error = rcd->rcd_buf.b_error;
	buf_free(&rcd->rcd_buf);
	hash_clear(&rcd->rcd_cgroups);
	return error;
}

/*
 * As a consumer
 */

static int
consumer_call(void *arg, const struct call *cl)
{
	return recorder_event(arg, cl->cal_ev);
}

static int
consumer_file(void *arg, uint32_t pid, int fd, const char *path)
{
	recorder_path(arg, pid, fd, path);
	return recorder_status(arg);
}

static int
consumer_save(void *arg, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct recorder *rcd = arg;

	if (rcd->rcd_kind->rki_save != NULL)
		rcd->rcd_kind->rki_save(rcd, ledger, lr);
	else
		rcd->rcd_kind->rki_flush(rcd, 1);
	return recorder_status(rcd);
}

static int
consumer_ledger(void *arg, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	return recorder_ledger(arg, ledger, lr);
}

static void
consumer_enabled(void *arg, const struct probe *pr)
{
	recorder_enabled(arg, pr);
}

static int
consumer_idle(void *arg)
{
	return recorder_idle(arg);
}

static int
consumer_isover(const void *arg)
{
	return recorder_status(arg) == -1;
}

static int
consumer_fd(const void *arg)
{
	return ((const struct recorder *)arg)->rcd_buf.b_fd;
}

static void
consumer_hangup(void *arg)
{
	((struct recorder *)arg)->rcd_buf.b_error = EPIPE;
}

/* Names the file and what prints it, for people only. */
static void
consumer_wrote(const struct recorder *rcd)
{
	const char *name = rcd->rcd_opts->o_file.ofi_name;

	if (rcd->rcd_newest.ln_wanted == 0 && strcmp(name, "-") != 0 &&
	    isatty(STDERR_FILENO))
		warnx("wrote %s; 'dt report %s' prints it", name, name);
}

static int
consumer_close(void *arg, struct ledger_run *lr, int *isreported)
{
	struct recorder *rcd = arg;
	int ispipe = rcd->rcd_buf.b_ispipe, error = recorder_close(rcd);

	if (error == 0 && !ispipe)
		consumer_wrote(rcd);
	lr->lr_newest = rcd->rcd_newest;
	lr->lr_shown -= rcd->rcd_unwritten;
	*isreported = rcd->rcd_isreported;
	return error;
}

struct consumer
recorder_consumer(struct recorder *rcd)
{
	static const struct consumer_ops ops = {
		.cso_file = consumer_file,
		.cso_save = consumer_save,
		.cso_ledger = consumer_ledger,
		.cso_enabled = consumer_enabled,
		.cso_idle = consumer_idle,
		.cso_isover = consumer_isover,
		.cso_fd = consumer_fd,
		.cso_hangup = consumer_hangup,
		.cso_close = consumer_close,
	};

	return (struct consumer){ consumer_call, &ops, rcd, CONSUMER_RAW };
}
