/* SPDX-License-Identifier: ISC */
/*
 * A table of calls, with a function for the effects of each kind.  Effects are
 * applied at the return; if the entry is missing, less is known.
 */
#include <sys/eventfd.h>

#include <fcntl.h>
#include <string.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/effects_apply.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define EFFECTS_DO(name, fn, kind) \
	{ \
		.ef_name = name, .ef_do = fn, .ef_kind = kind, \
		.ef_path = EFFECTS_NONE, .ef_dir = EFFECTS_NONE, \
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
		.ef_dir = EFFECTS_NONE, .ef_flags = flags, .ef_onexec = bit, \
		.ef_text = text \
	}

/* O_CLOEXEC is the flag of most calls that create descriptors. */
static const struct effects effects_table[] = {
	EFFECTS_PATH("open", effects_open, 0, EFFECTS_NONE, 1, O_CLOEXEC),
	EFFECTS_PATH("creat", effects_open, 0, EFFECTS_NONE, EFFECTS_NONE, 0),
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
	EFFECTS_PATH("chdir", effects_chdir, 0, EFFECTS_NONE, EFFECTS_NONE, 0),
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

const struct effects *
effects_find(const struct dtioc_probe_info *pi)
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

enum effects_kind
effects_kind(const struct effects *fo)
{
	return fo != NULL ? fo->ef_kind : EFFECTS_OTHER;
}

void
effects_do(struct procs *pr, const struct effects_call *fc)
{
	const struct effects *fo = fc->ec_follow;

	if (fo->ef_do != NULL && fc->ec_ret->ev_ret != NULL &&
	    (fc->ec_ret->ev_ret->drr_error == 0 || fo->ef_do == effects_close))
		fo->ef_do(pr, fc);
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
effects_trust(int (*isrecorded)(void *, const char *func), void *arg)
{
	unsigned int trust = PROCS_TRUSTFILES | PROCS_TRUSTOPEN |
	    PROCS_TRUSTDIRS;
	size_t i;

	for (i = 0; i < N(effects_trusts); i++)
		if (!isrecorded(arg, effects_trusts[i].name))
			trust &= ~effects_trusts[i].trust;
	return trust;
}
