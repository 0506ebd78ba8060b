/* SPDX-License-Identifier: ISC */
/* Processes and threads: creation, waiting, scheduling, limits. */
#include <sys/resource.h>

#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <linux/personality.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <string.h>

#include "cli/decode/flag_names.h"

static const struct arg_name clone_list[] = { ARG_BIT(CLONE_VM),
	ARG_BIT(CLONE_FS), ARG_BIT(CLONE_FILES), ARG_BIT(CLONE_SIGHAND),
	ARG_BIT(CLONE_PIDFD), ARG_BIT(CLONE_PTRACE), ARG_BIT(CLONE_VFORK),
	ARG_BIT(CLONE_PARENT), ARG_BIT(CLONE_THREAD), ARG_BIT(CLONE_NEWNS),
	ARG_BIT(CLONE_SYSVSEM), ARG_BIT(CLONE_SETTLS),
	ARG_BIT(CLONE_PARENT_SETTID), ARG_BIT(CLONE_CHILD_CLEARTID),
	ARG_BIT(CLONE_DETACHED), ARG_BIT(CLONE_UNTRACED),
	ARG_BIT(CLONE_CHILD_SETTID), ARG_BIT(CLONE_NEWCGROUP),
	ARG_BIT(CLONE_NEWUTS), ARG_BIT(CLONE_NEWIPC), ARG_BIT(CLONE_NEWUSER),
	ARG_BIT(CLONE_NEWPID), ARG_BIT(CLONE_NEWNET), ARG_BIT(CLONE_IO),
	ARG_BIT(CLONE_CLEAR_SIGHAND), ARG_BIT(CLONE_INTO_CGROUP),
	ARG_BIT(CLONE_NEWTIME) };
const struct arg_names arg_names_clone = ARG_NAMES(clone_list);

static const struct arg_name wait_list[] = { ARG_BIT(WNOHANG), ARG_BIT(WEXITED),
	ARG_BIT(WSTOPPED), ARG_BIT(WCONTINUED), ARG_BIT(WNOWAIT),
	ARG_BIT(__WNOTHREAD), ARG_BIT(__WCLONE), ARG_BIT(__WALL) };
static const struct arg_names wait_names = ARG_NAMES(wait_list);

static const struct arg_name idtype_list[] = { ARG_IS(P_ALL), ARG_IS(P_PID),
	ARG_IS(P_PGID), ARG_IS(P_PIDFD) };
static const struct arg_names idtype_names = ARG_NAMES(idtype_list);

static const struct arg_name rlimit_list[] = { ARG_IS(RLIMIT_CPU),
	ARG_IS(RLIMIT_FSIZE), ARG_IS(RLIMIT_DATA), ARG_IS(RLIMIT_STACK),
	ARG_IS(RLIMIT_CORE), ARG_IS(RLIMIT_RSS), ARG_IS(RLIMIT_NPROC),
	ARG_IS(RLIMIT_NOFILE), ARG_IS(RLIMIT_MEMLOCK), ARG_IS(RLIMIT_AS),
	ARG_IS(RLIMIT_LOCKS), ARG_IS(RLIMIT_SIGPENDING),
	ARG_IS(RLIMIT_MSGQUEUE), ARG_IS(RLIMIT_NICE), ARG_IS(RLIMIT_RTPRIO),
	ARG_IS(RLIMIT_RTTIME) };
const struct arg_names arg_names_rlimit = ARG_NAMES(rlimit_list);

static const struct arg_name rusage_list[] = { ARG_IS(RUSAGE_SELF),
	ARG_NAME(0, (uint32_t)RUSAGE_CHILDREN, "RUSAGE_CHILDREN"),
	ARG_NAME(0, (uint32_t)-2, "RUSAGE_BOTH"), ARG_IS(RUSAGE_THREAD) };
static const struct arg_names rusage_names = ARG_NAMES(rusage_list);

static const struct arg_name prio_list[] = { ARG_IS(PRIO_PROCESS),
	ARG_IS(PRIO_PGRP), ARG_IS(PRIO_USER) };
static const struct arg_names prio_names = ARG_NAMES(prio_list);

static const struct arg_name ioprio_list[] = { ARG_IS(IOPRIO_WHO_PROCESS),
	ARG_IS(IOPRIO_WHO_PGRP), ARG_IS(IOPRIO_WHO_USER) };
static const struct arg_names ioprio_names = ARG_NAMES(ioprio_list);

static const struct arg_name ioclass_list[] = { ARG_IS(IOPRIO_CLASS_NONE),
	ARG_IS(IOPRIO_CLASS_RT), ARG_IS(IOPRIO_CLASS_BE),
	ARG_IS(IOPRIO_CLASS_IDLE) };
static const struct arg_names ioclass_names = ARG_NAMES(ioclass_list);

static const struct arg_name sched_list[] = {
	ARG_NAME(0, SCHED_NORMAL, "SCHED_OTHER"), ARG_IS(SCHED_FIFO),
	ARG_IS(SCHED_RR), ARG_IS(SCHED_BATCH), ARG_NAME(0, 4, "SCHED_ISO"),
	ARG_IS(SCHED_IDLE), ARG_IS(SCHED_DEADLINE),
	ARG_NAME(0, 7, "SCHED_EXT") /* Linux 6.12 */
};
const struct arg_names arg_names_sched = ARG_NAMES(sched_list);

static const struct arg_name kcmp_list[] = { ARG_IS(KCMP_FILE), ARG_IS(KCMP_VM),
	ARG_IS(KCMP_FILES), ARG_IS(KCMP_FS), ARG_IS(KCMP_SIGHAND),
	ARG_IS(KCMP_IO), ARG_IS(KCMP_SYSVSEM), ARG_IS(KCMP_EPOLL_TFD) };
static const struct arg_names kcmp_names = ARG_NAMES(kcmp_list);

/* Personalities in the low byte, without flags. */
static const struct arg_name per_list[] = { ARG_IS(PER_LINUX), ARG_IS(PER_BSD),
	ARG_IS(PER_LINUX32), ARG_IS(PER_RISCOS), ARG_IS(PER_OSF4),
	ARG_IS(PER_HPUX) };
static const struct arg_names per_names = ARG_NAMES(per_list);

static const struct arg_name perflag_list[] = { ARG_BIT(UNAME26),
	ARG_BIT(ADDR_NO_RANDOMIZE), ARG_BIT(FDPIC_FUNCPTRS),
	ARG_BIT(MMAP_PAGE_ZERO), ARG_BIT(ADDR_COMPAT_LAYOUT),
	ARG_BIT(READ_IMPLIES_EXEC), ARG_BIT(ADDR_LIMIT_32BIT),
	ARG_BIT(SHORT_INODE), ARG_BIT(WHOLE_SECONDS), ARG_BIT(STICKY_TIMEOUTS),
	ARG_BIT(ADDR_LIMIT_3GB) };
static const struct arg_names perflag_names = ARG_NAMES(perflag_list);

/* Prints flags, and the signal at the child's exit, which is the low byte. */
static void
proc_clone_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t rest;
	int any = 0;

	(void)ac;
	(void)argn;
	(void)ak;
	rest = arg_put_bits(b, &arg_names_clone, v & ~(uint64_t)CSIGNAL, &any);
	arg_put_rest(b, rest, any);
	v &= CSIGNAL;
	if (v != 0) {
		if (any || rest != 0)
			buf_c(b, '|');
		arg_put_sig(b, v);
	} else if (!any && rest == 0)
		buf_c(b, '0');
}

static void
proc_personality_text(struct buf *b, const struct arg_call *ac,
    unsigned int argn, uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)ak;
	if (v == UINT32_MAX) { /* queries, and sets nothing */
		buf_hex(b, v);
		return;
	}
	if (argn == ARG_RET) {
		arg_put_hex(b, v);
		buf_mem(b, " (", 2);
	}
	arg_put_enum(b, &per_names, v & PER_MASK);
	if ((v &= 0xffffffff & ~(uint64_t)PER_MASK) != 0) {
		buf_c(b, '|');
		arg_put_flags(b, &perflag_names, v);
	}
	if (argn == ARG_RET)
		buf_c(b, ')');
}

/* 0x40000000 combines with any policy: children do not inherit it. */
static void
proc_sched_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_name *an;

	(void)ac;
	(void)argn;
	(void)ak;
	an = arg_name_of(&arg_names_sched, v & ~(uint64_t)SCHED_RESET_ON_FORK);
	if (an == NULL) {
		buf_hex(b, v);
		return;
	}
	buf_mem(b, an->an_name, an->an_len);
	if (v & SCHED_RESET_ON_FORK)
		buf_str(b, "|SCHED_RESET_ON_FORK");
}

/* IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4) */
static void
proc_ioprio_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)ak;
	if (argn == ARG_RET) {
		buf_u64(b, v);
		buf_mem(b, " (", 2);
	}
	buf_str(b, "IOPRIO_PRIO_VALUE(");
	arg_put_enum(b, &ioclass_names, (uint32_t)v >> IOPRIO_CLASS_SHIFT);
	buf_mem(b, ", ", 2);
	buf_u64(b, v & ((1U << IOPRIO_CLASS_SHIFT) - 1));
	buf_str(b, argn == ARG_RET ? "))" : ")");
}

/* P_PIDFD: the id is a descriptor. */
static void
proc_waitid_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)argn;
	(void)ak;
	if (arg_value(ac, 0) == P_PIDFD)
		arg_put_fd(b, ac, (int32_t)v);
	else
		buf_s64(b, (int32_t)v);
}

void
arg_uid_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	if (v == UINT32_MAX)
		buf_mem(b, "-1", 2);
	else
		buf_u64(b, v);
}

static int
clone_shown(const struct arg_call *ac, unsigned int argn)
{
	const char *name = ac->ac_probe->pr_desc.pd_names[argn].dtan_name;
	uint64_t flags = arg_value(ac, 0);

	if (strcmp(name, "tls") == 0)
		return (flags & CLONE_SETTLS) != 0;
	if (strcmp(name, "parent_tidptr") == 0)
		return (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD)) != 0;
	if (strcmp(name, "child_tidptr") == 0)
		return (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) !=
		    0;
	return 1;
}

/* Only the comparison of files has indices. */
static int
kcmp_shown(const struct arg_call *ac, unsigned int argn)
{
	uint64_t type = arg_value(ac, 2);

	return argn < 3 || type == KCMP_FILE || type == KCMP_EPOLL_TFD ||
	    type > KCMP_EPOLL_TFD;
}

static const struct arg_row proc_rows[] = {
	{ "clone", "clone_flags", NULL, ARG_FUNC(proc_clone_text) },
	{ "unshare", "unshare_flags", NULL, ARG_FLAGS(arg_names_clone) },
	{ "setns", "flags", NULL, ARG_FLAGS(arg_names_clone) },
	{ "wait4 waitid waitpid", "options", NULL, ARG_FLAGS(wait_names) },
	{ "waitid", "which", NULL, ARG_ENUM(idtype_names) },
	{ "waitid", "upid", NULL, ARG_FUNC(proc_waitid_text) },
	{ "*", "resource", NULL, ARG_ENUM(arg_names_rlimit) },
	{ "getrusage", "who", NULL, ARG_ENUM(rusage_names) },
	{ "getpriority setpriority", "which", NULL, ARG_ENUM(prio_names) },
	{ "ioprio_get ioprio_set", "which", NULL, ARG_ENUM(ioprio_names) },
	{ "ioprio_set", "ioprio", NULL, ARG_FUNC(proc_ioprio_text) },
	{ "ioprio_get", "=", NULL, ARG_FUNC(proc_ioprio_text) },
	{ "sched_setscheduler sched_get_priority_max sched_get_priority_min",
	    "policy", NULL, ARG_FUNC(proc_sched_text) },
	{ "kcmp", "type", NULL, ARG_ENUM(kcmp_names) },
	{ "sched_getscheduler", "=", NULL, ARG_NOTE(arg_names_sched) },
	{ "personality", "personality", NULL, ARG_FUNC(proc_personality_text) },
	{ "personality", "=", NULL, ARG_FUNC(proc_personality_text) },
};

static const struct arg_show proc_shows[] = {
	{ "clone", clone_shown },
	{ "kcmp", kcmp_shown },
};

const struct arg_table arg_table_proc = ARG_TABLE_SHOW(proc_rows, proc_shows);
