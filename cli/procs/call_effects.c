/* SPDX-License-Identifier: ISC */
/*
 * A table of calls, and a function for the effects of each kind.  Effects are
 * applied at the return; if the entry is missing, less is known.
 */
#include <sys/eventfd.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/event_text.h"
#include "cli/procs/call_effects.h"
#include "cli/procs/call_paths.h"

#define N(array)      (sizeof(array) / sizeof((array)[0]))

#define EFFECTS_NONE  (-1) /* no such argument */

#define EFFECTS_NARGS 5 /* arguments from which effects are computed */

/* A call that has returned. */
struct effects_call {
	const struct call_effects *ec_follow;
	const struct dt_event *ec_entry; /* NULL: unknown */
	unsigned int ec_nargs;		 /* arguments that are known */
	uint64_t ec_args[EFFECTS_NARGS]; /* 0: unknown */
	enum procs_onexec ec_onexec;	 /* of a descriptor that it creates */
	const struct dt_event *ec_ret;
	uint32_t ec_pid; /* of ec_ret */
	int64_t ec_retval;
};

struct call_effects {
	const char *ef_name;
	void (*ef_do)(struct procs *, const struct effects_call *);
	enum call_effects_kind ef_kind;
	/* argument with the path of a new descriptor or folder, or -1 */
	int8_t ef_path;
	uint8_t ef_dir;		/* argument with its folder */
	int8_t ef_flags;	/* argument with a close-on-exec flag */
	unsigned int ef_onexec; /* bit of that flag */
	const char *ef_text;	/* path as /proc prints it; a prefix if it ends
			      * in '[' */
};

/*
 * The bit of O_TMPFILE that is the same on all architectures: the other one is
 * O_DIRECTORY.
 */
#define EFFECTS_TMPFILE 020000000

static void
effects_open(struct procs *pr, const struct effects_call *fc)
{
	const struct call_effects *fo = fc->ec_follow;
	const struct call_paths_call sc = { pr, fc->ec_entry, fc->ec_ret };
	/* O_TMPFILE: the argument is the folder of a file without a name */
	int isnameless = fo->ef_flags != EFFECTS_NONE &&
	    fc->ec_args[fo->ef_flags] & EFFECTS_TMPFILE;
	const char *path = NULL;
	char buf[PATH_JOINED];

	if (fo->ef_path != EFFECTS_NONE) {
		if (!isnameless &&
		    call_paths_path(&sc, fo->ef_path, fo->ef_dir, buf, 1) != 0)
			path = buf;
	} else if (fo->ef_text != NULL &&
	    fo->ef_text[strlen(fo->ef_text) - 1] != '[')
		path = fo->ef_text;
	procs_open(pr, fc->ec_pid, (int)fc->ec_retval, path, fo->ef_text,
	    fc->ec_onexec);
}

/* A close that failed has closed the descriptor, too. */
static void
effects_close(struct procs *pr, const struct effects_call *fc)
{
	unsigned int fd = fc->ec_args[0];

	if (fc->ec_nargs > 0)
		procs_close(pr, fc->ec_pid, fd, fd);
}

#define EFFECTS_RANGE_CLOEXEC 4 /* CLOSE_RANGE_CLOEXEC */

static void
effects_close_range(struct procs *pr, const struct effects_call *fc)
{
	unsigned int first = fc->ec_args[0], last = fc->ec_args[1];

	if (fc->ec_nargs <= 2)
		return;
	if (fc->ec_args[2] & EFFECTS_RANGE_CLOEXEC)
		procs_onexec(pr, fc->ec_pid, first, last, PROCS_CLOSED);
	else
		procs_close(pr, fc->ec_pid, first, last);
}

static void
effects_dup(struct procs *pr, const struct effects_call *fc)
{
	int to = (int)fc->ec_retval;

	if (fc->ec_nargs > 0)
		procs_dup(pr, fc->ec_pid, (int)fc->ec_args[0], to,
		    fc->ec_onexec);
	else
		procs_open(pr, fc->ec_pid, to, NULL, NULL, PROCS_UNSURE);
}

static void
effects_fcntl(struct procs *pr, const struct effects_call *fc)
{
	unsigned int fd = fc->ec_args[0];

	if (fc->ec_nargs <= 2)
		return;
	switch ((unsigned int)fc->ec_args[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		procs_dup(pr, fc->ec_pid, fd, (int)fc->ec_retval,
		    fc->ec_args[1] == F_DUPFD ? PROCS_KEPT : PROCS_CLOSED);
		break;
	case F_SETFD:
		procs_onexec(pr, fc->ec_pid, fd, fd,
		    fc->ec_args[2] & FD_CLOEXEC ? PROCS_CLOSED : PROCS_KEPT);
		break;
	}
}

/* Two descriptors in memory, as read at the return. */
static void
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
			procs_open(pr, fc->ec_pid, fds[i], NULL,
			    fc->ec_follow->ef_text, fc->ec_onexec);
	}
	if (!found)
		procs_unsure(pr, fc->ec_pid);
}

static void
effects_memfd(struct procs *pr, const struct effects_call *fc)
{
	const struct dt_rec_string *s = event_text(fc->ec_entry, fc->ec_ret, 0);
	const char *path = NULL;
	char buf[512];

	/* as /proc prints it; the kernel limits the name to 249 bytes */
	if (s != NULL && s->drt_length >= s->drt_truelen &&
	    s->drt_length < 256) {
		snprintf(buf, sizeof(buf), "/memfd:%.*s (deleted)",
		    s->drt_length, DT_STRING_BYTES(s));
		path = buf;
	}
	procs_open(pr, fc->ec_pid, (int)fc->ec_retval, path,
	    "/memfd:", fc->ec_onexec);
}

static void
effects_chdir(struct procs *pr, const struct effects_call *fc)
{
	const struct call_effects *fo = fc->ec_follow;
	const struct call_paths_call sc = { pr, fc->ec_entry, fc->ec_ret };
	char buf[PATH_JOINED];
	size_t n = call_paths_path(&sc, fo->ef_path, fo->ef_dir, buf, 1);

	procs_chdir(pr, fc->ec_pid, n != 0 ? buf : NULL);
}

static void
effects_fchdir(struct procs *pr, const struct effects_call *fc)
{
	const char *path = NULL;
	char buf[PATH_JOINED];

	if (fc->ec_nargs > 0)
		path = procs_fd(pr, fc->ec_pid, (int)fc->ec_args[0]);
	/* procs_chdir() may free the path of this process */
	if (path != NULL &&
	    snprintf(buf, sizeof(buf), "%s", path) < (int)sizeof(buf))
		path = buf;
	else
		path = NULL;
	procs_chdir(pr, fc->ec_pid, path);
}

static void
effects_chroot(struct procs *pr, const struct effects_call *fc)
{
	procs_chroot(pr, fc->ec_pid);
}

/* The received message may contain descriptors. */
static void
effects_unsure(struct procs *pr, const struct effects_call *fc)
{
	procs_unsure(pr, fc->ec_pid);
}

/* Some operations of this call create a descriptor. */
static void
effects_maybe(struct procs *pr, const struct effects_call *fc)
{
	if (fc->ec_retval > 2)
		procs_unsure(pr, fc->ec_pid);
}

/* The flags of clone3(2) are in memory, at the start of its argument. */
static uint64_t
effects_fork_flags(const struct effects_call *fc)
{
	const char *name = fc->ec_follow->ef_name;
	const struct dt_rec_string *s = NULL;
	uint64_t flags = 0;

	if (strcmp(name, "clone") == 0)
		return fc->ec_args[0];
	if (strcmp(name, "clone3") != 0 || fc->ec_entry == NULL)
		return 0;
	while ((s = dt_string(fc->ec_entry, s)) != NULL) {
		if (s->drt_argn == 0 && s->drt_flags & DT_STR_MEMORY &&
		    s->drt_length >= sizeof(flags))
			memcpy(&flags, DT_STRING_BYTES(s), sizeof(flags));
	}
	return flags;
}

/*
 * The flags, or the ids of the child itself, determine whether it is a process
 * or a thread; its entry or its record identifies the parent.
 */
static void
effects_fork(struct procs *pr, const struct effects_call *fc)
{
	uint64_t flags = effects_fork_flags(fc);
	const struct dt_rec *rec = fc->ec_ret->ev_rec;
	const struct dt_rec_who *who = fc->ec_ret->ev_who;
	int64_t ret = fc->ec_retval;
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

static void
effects_exec(struct procs *pr, const struct effects_call *fc)
{
	procs_exec(pr, fc->ec_pid);
}

/*
 * The table
 */

#define EFFECTS_DO(name, fn, kind) \
	{ \
		.ef_name = name, .ef_do = fn, .ef_kind = kind, \
		.ef_path = EFFECTS_NONE, .ef_dir = CALL_PATHS_NODIR, \
		.ef_flags = EFFECTS_NONE \
	}
#define EFFECTS_PATH(name, fn, path, dir, flags, bit) \
	{ \
		.ef_name = name, .ef_do = fn, .ef_path = path, .ef_dir = dir, \
		.ef_flags = flags, .ef_onexec = bit \
	}
#define EFFECTS_FD(name, fn, flags, bit, text) \
	{ \
		.ef_name = name, .ef_do = fn, .ef_path = EFFECTS_NONE, \
		.ef_dir = CALL_PATHS_NODIR, .ef_flags = flags, \
		.ef_onexec = bit, .ef_text = text \
	}

/* O_CLOEXEC is the flag of most calls that create descriptors. */
static const struct call_effects effects_table[] = {
	EFFECTS_PATH("open", effects_open, 0, CALL_PATHS_NODIR, 1, O_CLOEXEC),
	EFFECTS_PATH("creat", effects_open, 0, CALL_PATHS_NODIR, EFFECTS_NONE,
	    0),
	EFFECTS_PATH("openat", effects_open, 1, 0, 2, O_CLOEXEC),
	/* flags in memory: this bit is too large for an argument */
	EFFECTS_PATH("openat2", effects_open, 1, 0, 4, O_CLOEXEC),
	EFFECTS_FD("open_by_handle_at", effects_open, 2, O_CLOEXEC, NULL),
	EFFECTS_PATH("open_tree", effects_open, 1, 0, 2, O_CLOEXEC),
	EFFECTS_DO("close", effects_close, EFFECTS_OTHER),
	EFFECTS_DO("close_range", effects_close_range, EFFECTS_OTHER),
	EFFECTS_DO("dup", effects_dup, EFFECTS_OTHER),
	EFFECTS_DO("dup2", effects_dup, EFFECTS_OTHER),
	EFFECTS_FD("dup3", effects_dup, 2, O_CLOEXEC, NULL),
	EFFECTS_DO("fcntl", effects_fcntl, EFFECTS_OTHER),
	EFFECTS_DO("fcntl64", effects_fcntl, EFFECTS_OTHER),
	EFFECTS_FD("socket", effects_open, 1, O_CLOEXEC, "socket:["),
	EFFECTS_FD("socketpair", effects_two, 1, O_CLOEXEC, "socket:["),
	EFFECTS_FD("pipe", effects_two, EFFECTS_NONE, 0, "pipe:["),
	EFFECTS_FD("pipe2", effects_two, 1, O_CLOEXEC, "pipe:["),
	EFFECTS_FD("accept", effects_open, EFFECTS_NONE, 0, "socket:["),
	EFFECTS_FD("accept4", effects_open, 3, O_CLOEXEC, "socket:["),
	EFFECTS_FD("epoll_create", effects_open, EFFECTS_NONE, 0,
	    "anon_inode:[eventpoll]"),
	EFFECTS_FD("epoll_create1", effects_open, 0, O_CLOEXEC,
	    "anon_inode:[eventpoll]"),
	EFFECTS_FD("eventfd", effects_open, EFFECTS_NONE, 0,
	    "anon_inode:[eventfd]"),
	EFFECTS_FD("eventfd2", effects_open, 1, EFD_CLOEXEC,
	    "anon_inode:[eventfd]"),
	EFFECTS_FD("timerfd_create", effects_open, 1, O_CLOEXEC,
	    "anon_inode:[timerfd]"),
	EFFECTS_FD("inotify_init", effects_open, EFFECTS_NONE, 0,
	    "anon_inode:inotify"),
	EFFECTS_FD("inotify_init1", effects_open, 0, O_CLOEXEC,
	    "anon_inode:inotify"),
	EFFECTS_FD("signalfd", effects_open, EFFECTS_NONE, 0,
	    "anon_inode:[signalfd]"),
	EFFECTS_FD("signalfd4", effects_open, 3, O_CLOEXEC,
	    "anon_inode:[signalfd]"),
	EFFECTS_FD("memfd_create", effects_memfd, 1, 1 /* MFD_CLOEXEC */, NULL),
	EFFECTS_FD("perf_event_open", effects_open, 4, 8 /* another flag */,
	    NULL),
	EFFECTS_FD("pidfd_open", effects_open, EFFECTS_NONE, 1, NULL),
	EFFECTS_FD("pidfd_getfd", effects_open, EFFECTS_NONE, 1, NULL),
	EFFECTS_FD("userfaultfd", effects_open, 0, O_CLOEXEC, NULL),
	EFFECTS_FD("fanotify_init", effects_open, EFFECTS_NONE, 0, NULL),
	EFFECTS_FD("io_uring_setup", effects_open, EFFECTS_NONE, 1, NULL),
	EFFECTS_FD("memfd_secret", effects_open, 0, O_CLOEXEC, NULL),
	EFFECTS_FD("fsopen", effects_open, 1, 1 /* another flag */, NULL),
	EFFECTS_FD("fsmount", effects_open, 1, 1 /* another flag */, NULL),
	EFFECTS_FD("fspick", effects_open, 2, 1 /* another flag */, NULL),
	EFFECTS_FD("landlock_create_ruleset", effects_open, EFFECTS_NONE, 1,
	    NULL),
	EFFECTS_FD("mq_open", effects_open, EFFECTS_NONE, 1, NULL),
	EFFECTS_PATH("chdir", effects_chdir, 0, CALL_PATHS_NODIR, EFFECTS_NONE,
	    0),
	EFFECTS_DO("fchdir", effects_fchdir, EFFECTS_OTHER),
	EFFECTS_DO("chroot", effects_chroot, EFFECTS_OTHER),
	EFFECTS_DO("recvmsg", effects_unsure, EFFECTS_OTHER),
	EFFECTS_DO("recvmmsg", effects_unsure, EFFECTS_OTHER),
	EFFECTS_DO("io_uring_enter", effects_unsure, EFFECTS_OTHER),
	EFFECTS_DO("ioctl", effects_maybe, EFFECTS_OTHER),
	EFFECTS_DO("bpf", effects_maybe, EFFECTS_OTHER),
	EFFECTS_DO("seccomp", effects_maybe, EFFECTS_OTHER),
	EFFECTS_DO("fork", effects_fork, EFFECTS_FORK),
	EFFECTS_DO("vfork", effects_fork, EFFECTS_FORK),
	EFFECTS_DO("clone", effects_fork, EFFECTS_FORK),
	EFFECTS_DO("clone3", effects_fork, EFFECTS_FORK),
	EFFECTS_DO("execve", effects_exec, EFFECTS_EXEC),
	EFFECTS_DO("execveat", effects_exec, EFFECTS_EXEC),
	EFFECTS_DO("rt_sigreturn", NULL, EFFECTS_JUMP),
	EFFECTS_DO("sigreturn", NULL, EFFECTS_JUMP),
	EFFECTS_DO("exit", NULL, EFFECTS_EXIT),
	EFFECTS_DO("exit_group", NULL, EFFECTS_EXITALL),
};

const struct call_effects *
call_effects_find(const struct dtioc_probe_info *pi)
{
	size_t i;

	if ((pi->dtpi_flags & DTPI_CALL) == 0)
		return NULL;
	for (i = 0; i < N(effects_table); i++) {
		if (strcmp(effects_table[i].ef_name, pi->dtpi_func) == 0)
			return &effects_table[i];
	}
	return NULL;
}

enum call_effects_kind
call_effects_kind(const struct call_effects *fo)
{
	return fo != NULL ? fo->ef_kind : EFFECTS_OTHER;
}

void
call_effects_do(struct procs *pr, const struct call_effects *fo,
    const struct dt_event *entry, const struct dt_event *ret)
{
	struct effects_call fc = {
		.ec_follow = fo,
		.ec_entry = entry,
		.ec_nargs = entry != NULL ? entry->ev_nargs : 0,
		.ec_onexec = fo->ef_onexec ? PROCS_CLOSED : PROCS_KEPT,
		.ec_ret = ret,
		.ec_pid = ret->ev_rec->dr_pid,
		.ec_retval = ret->ev_ret->drr_retval,
	};
	unsigned int i;

	if (fo->ef_do == NULL ||
	    (ret->ev_ret->drr_error != 0 && fo->ef_do != effects_close))
		return;
	for (i = 0; i < fc.ec_nargs && i < EFFECTS_NARGS; i++)
		fc.ec_args[i] = entry->ev_args[i];
	if (fo->ef_flags != EFFECTS_NONE) {
		i = fo->ef_flags;
		if (i >= fc.ec_nargs)
			fc.ec_onexec = PROCS_UNSURE;
		else if ((fc.ec_args[i] & fo->ef_onexec) == 0)
			fc.ec_onexec = PROCS_KEPT;
	}
	fo->ef_do(pr, &fc);
}

/* Calls, and the fact that stays true only if they are traced. */
static const struct {
	const char *name;
	unsigned int trust;
} effects_trusts[] = {
	{ "close", PROCS_TRUSTFILES | PROCS_TRUSTOPEN },
	{ "openat", PROCS_TRUSTOPEN },
	{ "close_range", PROCS_TRUSTFILES },
	{ "dup3", PROCS_TRUSTFILES },
	{ "execve", PROCS_TRUSTFILES },
	{ "execveat", PROCS_TRUSTFILES },
	{ "clone", PROCS_TRUSTFILES },
	{ "clone3", PROCS_TRUSTFILES },
	{ "chdir", PROCS_TRUSTDIRS },
	{ "fchdir", PROCS_TRUSTDIRS },
#ifdef __x86_64__
	{ "dup2", PROCS_TRUSTFILES },
	{ "fork", PROCS_TRUSTFILES },
	{ "vfork", PROCS_TRUSTFILES },
#endif
};

unsigned int
call_effects_trust(int (*isrecorded)(void *, const char *func), void *arg)
{
	unsigned int trust = PROCS_TRUSTFILES | PROCS_TRUSTOPEN |
	    PROCS_TRUSTDIRS;
	size_t i;

	for (i = 0; i < N(effects_trusts); i++)
		if (!isrecorded(arg, effects_trusts[i].name))
			trust &= ~effects_trusts[i].trust;
	return trust;
}
