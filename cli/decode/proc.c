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
#include "proc_names.h"

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
