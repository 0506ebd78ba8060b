/* SPDX-License-Identifier: ISC */
/*
 * A table of calls, and a function for each kind of them.  What a call has done
 * is told by its return; what its entry told may lack, then less is known.
 */
#include <sys/eventfd.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "follow.h"
#include "path.h"
#include "shape.h"

#define N(array)    (sizeof(array) / sizeof((array)[0]))

#define FOLLOW_NONE (-1) /* there is no such argument */

/* The bit of O_TMPFILE that is the same everywhere: the other is O_DIRECTORY. */
#define FOLLOW_TMPFILE 020000000

struct follow {
	const char *fo_name;
	void (*fo_do)(struct procs *, const struct follow_call *);
	enum follow_kind fo_kind;
	/* of what makes a descriptor: its path, by arguments or as it is */
	int8_t fo_path, fo_dir;
	int8_t fo_flags;	/* argument that may say: close on exec */
	unsigned int fo_onexec; /* by this bit */
	const char *fo_text; /* as /proc has it; with '[' at its end, a part */
};

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

static void
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

/* Also one that has failed has closed it. */
static void
follow_close(struct procs *pr, const struct follow_call *fc)
{
	unsigned int fd = follow_arg(fc, 0);

	if (follow_knows(fc, 0))
		procs_close(pr, follow_pid(fc), fd, fd);
}

#define FOLLOW_RANGE_CLOEXEC 4 /* CLOSE_RANGE_CLOEXEC */

static void
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

static void
follow_dup(struct procs *pr, const struct follow_call *fc)
{
	int to = (int)follow_ret(fc);

	if (follow_knows(fc, 0))
		procs_dup(pr, follow_pid(fc), (int)follow_arg(fc, 0), to,
		    follow_onexec(fc));
	else
		procs_open(pr, follow_pid(fc), to, NULL, NULL, PROCS_UNSURE);
}

static void
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

/* Two descriptors in memory, which the return has read. */
static void
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

static void
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

static void
follow_chdir(struct procs *pr, const struct follow_call *fc)
{
	char buf[PATH_JOINED];

	procs_chdir(pr, follow_pid(fc), follow_path(pr, fc, buf));
}

static void
follow_fchdir(struct procs *pr, const struct follow_call *fc)
{
	const char *path = NULL;

	if (follow_knows(fc, 0))
		path = procs_fd(pr, follow_pid(fc), (int)follow_arg(fc, 0));
	procs_chdir(pr, follow_pid(fc), path);
}

static void
follow_chroot(struct procs *pr, const struct follow_call *fc)
{
	procs_chroot(pr, follow_pid(fc));
}

/* Descriptors may have come with what was received. */
static void
follow_unsure(struct procs *pr, const struct follow_call *fc)
{
	procs_unsure(pr, follow_pid(fc));
}

/* Some of what this call does makes a descriptor. */
static void
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

/*
 * Whether it is a process or a thread is told by the flags, or by the numbers
 * of the child itself; whose child, by its entry or its record.
 */
static void
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

static void
follow_exec(struct procs *pr, const struct follow_call *fc)
{
	procs_exec(pr, follow_pid(fc));
}

#define FOLLOW_DO(name, fn, kind) \
	{ \
		.fo_name = name, .fo_do = fn, .fo_kind = kind, \
		.fo_path = FOLLOW_NONE, .fo_dir = FOLLOW_NONE, \
		.fo_flags = FOLLOW_NONE \
	}
#define FOLLOW_PATH(name, fn, path, dir, flags, bit) \
	{ \
		.fo_name = name, .fo_do = fn, .fo_path = path, .fo_dir = dir, \
		.fo_flags = flags, .fo_onexec = bit \
	}
#define FOLLOW_FD(name, fn, flags, bit, text) \
	{ \
		.fo_name = name, .fo_do = fn, .fo_path = FOLLOW_NONE, \
		.fo_dir = FOLLOW_NONE, .fo_flags = flags, .fo_onexec = bit, \
		.fo_text = text \
	}

/* O_CLOEXEC is the flag of all that makes descriptors, but for a few. */
static const struct follow follow_table[] = {
	FOLLOW_PATH("open", follow_open, 0, FOLLOW_NONE, 1, O_CLOEXEC),
	FOLLOW_PATH("creat", follow_open, 0, FOLLOW_NONE, FOLLOW_NONE, 0),
	FOLLOW_PATH("openat", follow_open, 1, 0, 2, O_CLOEXEC),
	/* its flags stand in memory: none is too large for an argument */
	FOLLOW_PATH("openat2", follow_open, 1, 0, 4, O_CLOEXEC),
	FOLLOW_FD("open_by_handle_at", follow_open, 2, O_CLOEXEC, NULL),
	FOLLOW_PATH("open_tree", follow_open, 1, 0, 2, O_CLOEXEC),
	FOLLOW_DO("close", follow_close, FOLLOW_OTHER),
	FOLLOW_DO("close_range", follow_close_range, FOLLOW_OTHER),
	FOLLOW_DO("dup", follow_dup, FOLLOW_OTHER),
	FOLLOW_DO("dup2", follow_dup, FOLLOW_OTHER),
	FOLLOW_FD("dup3", follow_dup, 2, O_CLOEXEC, NULL),
	FOLLOW_DO("fcntl", follow_fcntl, FOLLOW_OTHER),
	FOLLOW_DO("fcntl64", follow_fcntl, FOLLOW_OTHER),
	FOLLOW_FD("socket", follow_open, 1, O_CLOEXEC, "socket:["),
	FOLLOW_FD("socketpair", follow_two, 1, O_CLOEXEC, "socket:["),
	FOLLOW_FD("pipe", follow_two, FOLLOW_NONE, 0, "pipe:["),
	FOLLOW_FD("pipe2", follow_two, 1, O_CLOEXEC, "pipe:["),
	FOLLOW_FD("accept", follow_open, FOLLOW_NONE, 0, "socket:["),
	FOLLOW_FD("accept4", follow_open, 3, O_CLOEXEC, "socket:["),
	FOLLOW_FD("epoll_create", follow_open, FOLLOW_NONE, 0,
	    "anon_inode:[eventpoll]"),
	FOLLOW_FD("epoll_create1", follow_open, 0, O_CLOEXEC,
	    "anon_inode:[eventpoll]"),
	FOLLOW_FD("eventfd", follow_open, FOLLOW_NONE, 0,
	    "anon_inode:[eventfd]"),
	FOLLOW_FD("eventfd2", follow_open, 1, EFD_CLOEXEC,
	    "anon_inode:[eventfd]"),
	FOLLOW_FD("timerfd_create", follow_open, 1, O_CLOEXEC,
	    "anon_inode:[timerfd]"),
	FOLLOW_FD("inotify_init", follow_open, FOLLOW_NONE, 0,
	    "anon_inode:inotify"),
	FOLLOW_FD("inotify_init1", follow_open, 0, O_CLOEXEC,
	    "anon_inode:inotify"),
	FOLLOW_FD("signalfd", follow_open, FOLLOW_NONE, 0,
	    "anon_inode:[signalfd]"),
	FOLLOW_FD("signalfd4", follow_open, 3, O_CLOEXEC,
	    "anon_inode:[signalfd]"),
	FOLLOW_FD("memfd_create", follow_memfd, 1, 1 /* MFD_CLOEXEC */, NULL),
	FOLLOW_FD("perf_event_open", follow_open, 4, 8 /* its own flag */,
	    NULL),
	FOLLOW_FD("pidfd_open", follow_open, FOLLOW_NONE, 1, NULL),
	FOLLOW_FD("pidfd_getfd", follow_open, FOLLOW_NONE, 1, NULL),
	FOLLOW_FD("userfaultfd", follow_open, 0, O_CLOEXEC, NULL),
	FOLLOW_FD("fanotify_init", follow_open, FOLLOW_NONE, 0, NULL),
	FOLLOW_FD("io_uring_setup", follow_open, FOLLOW_NONE, 1, NULL),
	FOLLOW_FD("memfd_secret", follow_open, 0, O_CLOEXEC, NULL),
	FOLLOW_FD("fsopen", follow_open, 1, 1 /* its own flag */, NULL),
	FOLLOW_FD("fsmount", follow_open, 1, 1 /* its own flag */, NULL),
	FOLLOW_FD("fspick", follow_open, 2, 1 /* its own flag */, NULL),
	FOLLOW_FD("landlock_create_ruleset", follow_open, FOLLOW_NONE, 1, NULL),
	FOLLOW_FD("mq_open", follow_open, FOLLOW_NONE, 1, NULL),
	FOLLOW_PATH("chdir", follow_chdir, 0, FOLLOW_NONE, FOLLOW_NONE, 0),
	FOLLOW_DO("fchdir", follow_fchdir, FOLLOW_OTHER),
	FOLLOW_DO("chroot", follow_chroot, FOLLOW_OTHER),
	FOLLOW_DO("recvmsg", follow_unsure, FOLLOW_OTHER),
	FOLLOW_DO("recvmmsg", follow_unsure, FOLLOW_OTHER),
	FOLLOW_DO("io_uring_enter", follow_unsure, FOLLOW_OTHER),
	FOLLOW_DO("ioctl", follow_maybe, FOLLOW_OTHER),
	FOLLOW_DO("bpf", follow_maybe, FOLLOW_OTHER),
	FOLLOW_DO("seccomp", follow_maybe, FOLLOW_OTHER),
	FOLLOW_DO("fork", follow_fork, FOLLOW_FORK),
	FOLLOW_DO("vfork", follow_fork, FOLLOW_FORK),
	FOLLOW_DO("clone", follow_fork, FOLLOW_FORK),
	FOLLOW_DO("clone3", follow_fork, FOLLOW_FORK),
	FOLLOW_DO("execve", follow_exec, FOLLOW_EXEC),
	FOLLOW_DO("execveat", follow_exec, FOLLOW_EXEC),
	FOLLOW_DO("rt_sigreturn", NULL, FOLLOW_JUMP),
	FOLLOW_DO("sigreturn", NULL, FOLLOW_JUMP),
	FOLLOW_DO("exit", NULL, FOLLOW_EXIT),
	FOLLOW_DO("exit_group", NULL, FOLLOW_EXITALL),
};

const struct follow *
follow_find(const char *prov, const char *func)
{
	size_t i;

	if (strcmp(prov, "syscall") != 0 && strcmp(prov, "syscall32") != 0)
		return NULL;
	for (i = 0; i < N(follow_table); i++) {
		if (strcmp(follow_table[i].fo_name, func) == 0)
			return &follow_table[i];
	}
	return NULL;
}

enum follow_kind
follow_kind(const struct follow *fo)
{
	return fo != NULL ? fo->fo_kind : FOLLOW_OTHER;
}

void
follow_do(struct procs *pr, const struct follow_call *fc)
{
	const struct follow *fo = fc->fc_follow;

	if (fo->fo_do != NULL && fc->fc_ret->ev_ret != NULL &&
	    (fc->fc_ret->ev_ret->drr_error == 0 || fo->fo_do == follow_close))
		fo->fo_do(pr, fc);
}

/* Calls, and for what they have to be among the probes. */
static const struct {
	const char *name;
	unsigned int trust;
} follow_trusts[] = {
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
follow_trust(struct names *nm)
{
	unsigned int trust = PROCS_TRUSTFILES | PROCS_TRUSTOPEN |
	    PROCS_TRUSTDIRS;
	const char *name;
	size_t i;

	for (i = 0; i < N(follow_trusts); i++) {
		name = follow_trusts[i].name;
		if (names_find(nm, "syscall", name, "entry") == NULL ||
		    names_find(nm, "syscall", name, "return") == NULL)
			trust &= ~follow_trusts[i].trust;
	}
	return trust;
}

int
follow_needsall(struct names *nm)
{
	const struct dtioc_probe_info *pi;
	const struct probe *pr;
	struct shape sh;
	size_t i;
	unsigned int j;

	if (names_find(nm, "syscall", "close", "entry") != NULL &&
	    names_find(nm, "syscall", "close", "return") != NULL)
		return 0;
	for (i = 0; i < nm->nm_infos.mp_nslots; i++) {
		if (nm->nm_infos.mp_slots[i].ms_entry == NULL)
			continue;
		pi = nm->nm_infos.mp_slots[i].ms_entry->me_ptr;
		if ((pr = names_probe(nm, pi->dtpi_pbn)) == NULL)
			continue;
		memset(&sh, 0, sizeof(sh));
		shape_find(&sh, pr);
		for (j = 0; j < sh.sh_nfds; j++) {
			if (!shape_isfolder(&sh, sh.sh_fds[j]))
				return 1;
		}
	}
	return 0;
}
