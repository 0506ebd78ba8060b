/* SPDX-License-Identifier: ISC */
/*
 * What each kind of call does, as its return tells; what its entry told may lack,
 * then less is known.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/effects_apply.h"
#include "cli/procs/path.h"

/* The bit of O_TMPFILE that is the same everywhere: the other is O_DIRECTORY. */
#define FOLLOW_TMPFILE 020000000

static uint32_t
follow_pid(const struct follow_call *fc)
{
	return fc->fc_ret->ev_rec->dr_pid;
}

static int64_t
follow_ret(const struct follow_call *fc)
{
	return fc->fc_ret->ev_ret->drr_retval;
}

/* An argument; 0 if it is not known, see follow_knows(). */
static uint64_t
follow_arg(const struct follow_call *fc, int argn)
{
	const struct dt_event *ev = fc->fc_entry;

	if (ev == NULL || argn < 0 || (unsigned int)argn >= ev->ev_nargs)
		return 0;
	return ev->ev_args[argn];
}

static int
follow_knows(const struct follow_call *fc, int argn)
{
	return argn >= 0 && fc->fc_entry != NULL &&
	    (unsigned int)argn < fc->fc_entry->ev_nargs;
}

static enum procs_onexec
follow_onexec(const struct follow_call *fc)
{
	const struct follow *fo = fc->fc_follow;

	if (fo->fo_flags == FOLLOW_NONE)
		return fo->fo_onexec ? PROCS_CLOSED : PROCS_KEPT;
	if (!follow_knows(fc, fo->fo_flags))
		return PROCS_UNSURE;
	return follow_arg(fc, fo->fo_flags) & fo->fo_onexec ? PROCS_CLOSED
							    : PROCS_KEPT;
}

static int
follow_ispart(const struct follow *fo)
{
	return fo->fo_text != NULL &&
	    fo->fo_text[strlen(fo->fo_text) - 1] == '[';
}

/* The path that a call names, NULL if it is not known as a whole. */
static const char *
follow_path(struct procs *pr, const struct follow_call *fc, char *buf)
{
	const struct follow *fo = fc->fc_follow;
	const struct shape_call sc = { pr, fc->fc_entry, fc->fc_ret };
	const struct dt_rec_string *s;

	if (fo->fo_path == FOLLOW_NONE)
		return follow_ispart(fo) ? NULL : fo->fo_text;
	s = shape_string(&sc, fo->fo_path);
	if (s == NULL || !shape_iswhole(s) ||
	    shape_path(&sc, fo->fo_path,
		fo->fo_dir == FOLLOW_NONE ? SHAPE_NODIR
					  : (unsigned int)fo->fo_dir,
		buf, PATH_JOINED) == 0)
		return NULL;
	return buf;
}

void
follow_open(struct procs *pr, const struct follow_call *fc)
{
	const struct follow *fo = fc->fc_follow;
	char buf[PATH_JOINED];
	const char *path = follow_path(pr, fc, buf);

	/* a file without a name, in the folder that was named */
	if (fo->fo_path != FOLLOW_NONE &&
	    follow_arg(fc, fo->fo_flags) & FOLLOW_TMPFILE)
		path = NULL;
	procs_open(pr, follow_pid(fc), (int)follow_ret(fc), path, fo->fo_text,
	    follow_onexec(fc));
}

void
follow_close(struct procs *pr, const struct follow_call *fc)
{
	unsigned int fd = follow_arg(fc, 0);

	if (follow_knows(fc, 0))
		procs_close(pr, follow_pid(fc), fd, fd);
}

#define FOLLOW_RANGE_CLOEXEC 4 /* CLOSE_RANGE_CLOEXEC */

void
follow_close_range(struct procs *pr, const struct follow_call *fc)
{
	unsigned int first = follow_arg(fc, 0), last = follow_arg(fc, 1);

	if (!follow_knows(fc, 2))
		return;
	if (follow_arg(fc, 2) & FOLLOW_RANGE_CLOEXEC)
		procs_onexec(pr, follow_pid(fc), first, last, PROCS_CLOSED);
	else
		procs_close(pr, follow_pid(fc), first, last);
}

void
follow_dup(struct procs *pr, const struct follow_call *fc)
{
	int to = (int)follow_ret(fc);

	if (follow_knows(fc, 0))
		procs_dup(pr, follow_pid(fc), (int)follow_arg(fc, 0), to,
		    follow_onexec(fc));
	else
		procs_open(pr, follow_pid(fc), to, NULL, NULL, PROCS_UNSURE);
}

void
follow_fcntl(struct procs *pr, const struct follow_call *fc)
{
	unsigned int fd = follow_arg(fc, 0);

	if (!follow_knows(fc, 2))
		return;
	switch ((unsigned int)follow_arg(fc, 1)) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		procs_dup(pr, follow_pid(fc), fd, (int)follow_ret(fc),
		    follow_arg(fc, 1) == F_DUPFD ? PROCS_KEPT : PROCS_CLOSED);
		break;
	case F_SETFD:
		procs_onexec(pr, follow_pid(fc), fd, fd,
		    follow_arg(fc, 2) & FD_CLOEXEC ? PROCS_CLOSED : PROCS_KEPT);
		break;
	}
}

void
follow_two(struct procs *pr, const struct follow_call *fc)
{
	const struct dt_rec_string *s = NULL;
	int fds[2], i, found = 0;

	while ((s = dt_string(fc->fc_ret, s)) != NULL) {
		if ((s->drt_flags & DT_STR_MEMORY) == 0 ||
		    s->drt_length != sizeof(fds))
			continue;
		found = 1;
		memcpy(fds, DT_STRING_BYTES(s), sizeof(fds));
		for (i = 0; i < 2; i++)
			procs_open(pr, follow_pid(fc), fds[i], NULL,
			    fc->fc_follow->fo_text, follow_onexec(fc));
	}
	if (!found)
		procs_unsure(pr, follow_pid(fc));
}

void
follow_memfd(struct procs *pr, const struct follow_call *fc)
{
	const struct shape_call sc = { pr, fc->fc_entry, fc->fc_ret };
	const struct dt_rec_string *s = shape_string(&sc, 0);
	const char *path = NULL;
	char buf[512];

	/* as /proc has it; the kernel's limit of the name is 249 */
	if (s != NULL && shape_iswhole(s) && s->drt_length < 256) {
		snprintf(buf, sizeof(buf), "/memfd:%.*s (deleted)",
		    s->drt_length, DT_STRING_BYTES(s));
		path = buf;
	}
	procs_open(pr, follow_pid(fc), (int)follow_ret(fc), path,
	    "/memfd:", follow_onexec(fc));
}

void
follow_chdir(struct procs *pr, const struct follow_call *fc)
{
	char buf[PATH_JOINED];

	procs_chdir(pr, follow_pid(fc), follow_path(pr, fc, buf));
}

void
follow_fchdir(struct procs *pr, const struct follow_call *fc)
{
	const char *path = NULL;

	if (follow_knows(fc, 0))
		path = procs_fd(pr, follow_pid(fc), (int)follow_arg(fc, 0));
	procs_chdir(pr, follow_pid(fc), path);
}

void
follow_chroot(struct procs *pr, const struct follow_call *fc)
{
	procs_chroot(pr, follow_pid(fc));
}

void
follow_unsure(struct procs *pr, const struct follow_call *fc)
{
	procs_unsure(pr, follow_pid(fc));
}

void
follow_maybe(struct procs *pr, const struct follow_call *fc)
{
	if (follow_ret(fc) > 2)
		procs_unsure(pr, follow_pid(fc));
}

/* The flags of clone3(2) stand in memory, first of all. */
static uint64_t
follow_fork_flags(const struct follow_call *fc)
{
	const char *name = fc->fc_follow->fo_name;
	const struct dt_rec_string *s = NULL;
	uint64_t flags = 0;

	if (strcmp(name, "clone") == 0)
		return follow_arg(fc, 0);
	if (strcmp(name, "clone3") != 0 || fc->fc_entry == NULL)
		return 0;
	while ((s = dt_string(fc->fc_entry, s)) != NULL) {
		if (s->drt_argn == 0 && s->drt_flags & DT_STR_MEMORY &&
		    s->drt_length >= sizeof(flags))
			memcpy(&flags, DT_STRING_BYTES(s), sizeof(flags));
	}
	return flags;
}

void
follow_fork(struct procs *pr, const struct follow_call *fc)
{
	uint64_t flags = follow_fork_flags(fc);
	const struct dt_rec *rec = fc->fc_ret->ev_rec;
	const struct dt_rec_who *who = fc->fc_ret->ev_who;
	int64_t ret = follow_ret(fc);
	uint32_t parent = rec->dr_pid, child = ret;

	if (ret != 0 && flags & CLONE_PIDFD)
		procs_unsure(pr, parent);
	if (ret == 0) {
		child = rec->dr_pid;
		if (rec->dr_tid != child)
			return; /* a thread */
		if (fc->fc_entry != NULL)
			parent = fc->fc_entry->ev_rec->dr_pid;
		else if (who != NULL)
			parent = who->drw_ppid;
		else
			return;
	} else if (fc->fc_entry == NULL || flags & CLONE_THREAD)
		return;
	procs_fork(pr, parent, child, ret == 0, (flags & CLONE_FILES) != 0,
	    (flags & CLONE_FS) != 0);
}

void
follow_exec(struct procs *pr, const struct follow_call *fc)
{
	procs_exec(pr, follow_pid(fc));
}
