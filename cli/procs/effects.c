/* SPDX-License-Identifier: ISC */
/*
 * A table of calls, and a function for each kind of them.  What a call has done
 * is told by its return; what its entry told may lack, then less is known.
 */
#include <sys/eventfd.h>

#include <fcntl.h>
#include <string.h>

#include "cli/procs/call_paths.h"
#include "cli/procs/effects_apply.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

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
follow_trust(int (*isrecorded)(void *, const char *func), void *arg)
{
	unsigned int trust = PROCS_TRUSTFILES | PROCS_TRUSTOPEN |
	    PROCS_TRUSTDIRS;
	size_t i;

	for (i = 0; i < N(follow_trusts); i++)
		if (!isrecorded(arg, follow_trusts[i].name))
			trust &= ~follow_trusts[i].trust;
	return trust;
}
