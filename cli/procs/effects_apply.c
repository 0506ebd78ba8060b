/* SPDX-License-Identifier: ISC */
/*
 * Applies the effects of each kind of call at its return; if the entry is
 * missing, less is known.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/effects_apply.h"
#include "cli/procs/path.h"

/*
 * The bit of O_TMPFILE that is the same on all architectures: the other one is
 * O_DIRECTORY.
 */
#define EFFECTS_TMPFILE 020000000

static uint32_t
effects_pid(const struct effects_call *fc)
{
	return fc->ec_ret->ev_rec->dr_pid;
}

static int64_t
effects_ret(const struct effects_call *fc)
{
	return fc->ec_ret->ev_ret->drr_retval;
}

/* Returns an argument; 0 if it is unknown, see effects_knows(). */
static uint64_t
effects_arg(const struct effects_call *fc, int argn)
{
	const struct dt_event *ev = fc->ec_entry;

	if (ev == NULL || argn < 0 || (unsigned int)argn >= ev->ev_nargs)
		return 0;
	return ev->ev_args[argn];
}

static int
effects_knows(const struct effects_call *fc, int argn)
{
	return argn >= 0 && fc->ec_entry != NULL &&
	    (unsigned int)argn < fc->ec_entry->ev_nargs;
}

static enum procs_onexec
effects_onexec(const struct effects_call *fc)
{
	const struct effects *fo = fc->ec_follow;

	if (fo->ef_flags == EFFECTS_NONE)
		return fo->ef_onexec ? PROCS_CLOSED : PROCS_KEPT;
	if (!effects_knows(fc, fo->ef_flags))
		return PROCS_UNSURE;
	return effects_arg(fc, fo->ef_flags) & fo->ef_onexec ? PROCS_CLOSED
							     : PROCS_KEPT;
}

static int
effects_ispart(const struct effects *fo)
{
	return fo->ef_text != NULL &&
	    fo->ef_text[strlen(fo->ef_text) - 1] == '[';
}

/* Returns the path argument of a call, NULL if it is not known completely. */
static const char *
effects_path(struct procs *pr, const struct effects_call *fc, char *buf)
{
	const struct effects *fo = fc->ec_follow;
	const struct call_paths_call sc = { pr, fc->ec_entry, fc->ec_ret };
	const struct dt_rec_string *s;

	if (fo->ef_path == EFFECTS_NONE)
		return effects_ispart(fo) ? NULL : fo->ef_text;
	s = call_paths_string(&sc, fo->ef_path);
	if (s == NULL || !call_paths_iswhole(s) ||
	    call_paths_path(&sc, fo->ef_path,
		fo->ef_dir == EFFECTS_NONE ? CALL_PATHS_NODIR
					   : (unsigned int)fo->ef_dir,
		buf, PATH_JOINED) == 0)
		return NULL;
	return buf;
}

void
effects_open(struct procs *pr, const struct effects_call *fc)
{
	const struct effects *fo = fc->ec_follow;
	char buf[PATH_JOINED];
	const char *path = effects_path(pr, fc, buf);

	/* a file without a name, in the given folder */
	if (fo->ef_path != EFFECTS_NONE &&
	    effects_arg(fc, fo->ef_flags) & EFFECTS_TMPFILE)
		path = NULL;
	procs_open(pr, effects_pid(fc), (int)effects_ret(fc), path, fo->ef_text,
	    effects_onexec(fc));
}

void
effects_close(struct procs *pr, const struct effects_call *fc)
{
	unsigned int fd = effects_arg(fc, 0);

	if (effects_knows(fc, 0))
		procs_close(pr, effects_pid(fc), fd, fd);
}

#define EFFECTS_RANGE_CLOEXEC 4 /* CLOSE_RANGE_CLOEXEC */

void
effects_close_range(struct procs *pr, const struct effects_call *fc)
{
	unsigned int first = effects_arg(fc, 0), last = effects_arg(fc, 1);

	if (!effects_knows(fc, 2))
		return;
	if (effects_arg(fc, 2) & EFFECTS_RANGE_CLOEXEC)
		procs_onexec(pr, effects_pid(fc), first, last, PROCS_CLOSED);
	else
		procs_close(pr, effects_pid(fc), first, last);
}

void
effects_dup(struct procs *pr, const struct effects_call *fc)
{
	int to = (int)effects_ret(fc);

	if (effects_knows(fc, 0))
		procs_dup(pr, effects_pid(fc), (int)effects_arg(fc, 0), to,
		    effects_onexec(fc));
	else
		procs_open(pr, effects_pid(fc), to, NULL, NULL, PROCS_UNSURE);
}

void
effects_fcntl(struct procs *pr, const struct effects_call *fc)
{
	unsigned int fd = effects_arg(fc, 0);

	if (!effects_knows(fc, 2))
		return;
	switch ((unsigned int)effects_arg(fc, 1)) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		procs_dup(pr, effects_pid(fc), fd, (int)effects_ret(fc),
		    effects_arg(fc, 1) == F_DUPFD ? PROCS_KEPT : PROCS_CLOSED);
		break;
	case F_SETFD:
		procs_onexec(pr, effects_pid(fc), fd, fd,
		    effects_arg(fc, 2) & FD_CLOEXEC ? PROCS_CLOSED
						    : PROCS_KEPT);
		break;
	}
}

void
effects_two(struct procs *pr, const struct effects_call *fc)
{
	const struct dt_rec_string *s = NULL;
	int fds[2], i, found = 0;

	while ((s = dt_string(fc->ec_ret, s)) != NULL) {
		if ((s->drt_flags & DT_STR_MEMORY) == 0 ||
		    s->drt_length != sizeof(fds))
			continue;
		found = 1;
		memcpy(fds, DT_STRING_BYTES(s), sizeof(fds));
		for (i = 0; i < 2; i++)
			procs_open(pr, effects_pid(fc), fds[i], NULL,
			    fc->ec_follow->ef_text, effects_onexec(fc));
	}
	if (!found)
		procs_unsure(pr, effects_pid(fc));
}

void
effects_memfd(struct procs *pr, const struct effects_call *fc)
{
	const struct call_paths_call sc = { pr, fc->ec_entry, fc->ec_ret };
	const struct dt_rec_string *s = call_paths_string(&sc, 0);
	const char *path = NULL;
	char buf[512];

	/* as /proc prints it; the kernel limits the name to 249 bytes */
	if (s != NULL && call_paths_iswhole(s) && s->drt_length < 256) {
		snprintf(buf, sizeof(buf), "/memfd:%.*s (deleted)",
		    s->drt_length, DT_STRING_BYTES(s));
		path = buf;
	}
	procs_open(pr, effects_pid(fc), (int)effects_ret(fc), path,
	    "/memfd:", effects_onexec(fc));
}

void
effects_chdir(struct procs *pr, const struct effects_call *fc)
{
	char buf[PATH_JOINED];

	procs_chdir(pr, effects_pid(fc), effects_path(pr, fc, buf));
}

void
effects_fchdir(struct procs *pr, const struct effects_call *fc)
{
	const char *path = NULL;

	if (effects_knows(fc, 0))
		path = procs_fd(pr, effects_pid(fc), (int)effects_arg(fc, 0));
	procs_chdir(pr, effects_pid(fc), path);
}

void
effects_chroot(struct procs *pr, const struct effects_call *fc)
{
	procs_chroot(pr, effects_pid(fc));
}

void
effects_unsure(struct procs *pr, const struct effects_call *fc)
{
	procs_unsure(pr, effects_pid(fc));
}

void
effects_maybe(struct procs *pr, const struct effects_call *fc)
{
	if (effects_ret(fc) > 2)
		procs_unsure(pr, effects_pid(fc));
}

/* The flags of clone3(2) are in memory, at the start of its argument. */
static uint64_t
effects_fork_flags(const struct effects_call *fc)
{
	const char *name = fc->ec_follow->ef_name;
	const struct dt_rec_string *s = NULL;
	uint64_t flags = 0;

	if (strcmp(name, "clone") == 0)
		return effects_arg(fc, 0);
	if (strcmp(name, "clone3") != 0 || fc->ec_entry == NULL)
		return 0;
	while ((s = dt_string(fc->ec_entry, s)) != NULL) {
		if (s->drt_argn == 0 && s->drt_flags & DT_STR_MEMORY &&
		    s->drt_length >= sizeof(flags))
			memcpy(&flags, DT_STRING_BYTES(s), sizeof(flags));
	}
	return flags;
}

void
effects_fork(struct procs *pr, const struct effects_call *fc)
{
	uint64_t flags = effects_fork_flags(fc);
	const struct dt_rec *rec = fc->ec_ret->ev_rec;
	const struct dt_rec_who *who = fc->ec_ret->ev_who;
	int64_t ret = effects_ret(fc);
	uint32_t parent = rec->dr_pid, child = ret;

	if (ret != 0 && flags & CLONE_PIDFD)
		procs_unsure(pr, parent);
	if (ret == 0) {
		child = rec->dr_pid;
		if (rec->dr_tid != child)
			return; /* a thread */
		if (fc->ec_entry != NULL)
			parent = fc->ec_entry->ev_rec->dr_pid;
		else if (who != NULL)
			parent = who->drw_ppid;
		else
			return;
	} else if (fc->ec_entry == NULL || flags & CLONE_THREAD)
		return;
	procs_fork(pr, parent, child, ret == 0, (flags & CLONE_FILES) != 0,
	    (flags & CLONE_FS) != 0);
}

void
effects_exec(struct procs *pr, const struct effects_call *fc)
{
	procs_exec(pr, effects_pid(fc));
}
