/* SPDX-License-Identifier: ISC */
/*
 * Structs about processes and the machine: states, limits, CPUs, capabilities,
 * names.
 */
#include <sys/wait.h>

#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>

#include "cli/decode/mem.h"
#include "mem_proc_names.h"

/*
 * States of children
 */
static void
proc_status_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	int st = mem_int(m, 0, 4);

	(void)mt;
	if (WIFEXITED(st)) {
		buf_str(b, "{WIFEXITED(s) && WEXITSTATUS(s) == ");
		buf_s64(b, WEXITSTATUS(st));
	} else if (WIFSTOPPED(st)) {
		buf_str(b, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		arg_put_sig(b, WSTOPSIG(st));
		if (st >> 16 != 0) { /* of a tracer */
			buf_str(b, "} | ");
			buf_hex(b, (unsigned int)st & 0xffff0000);
			return;
		}
	} else if (WIFSIGNALED(st)) {
		buf_str(b, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		arg_put_sig(b, WTERMSIG(st));
		if (WCOREDUMP(st))
			buf_str(b, " && WCOREDUMP(s)");
	} else if (WIFCONTINUED(st))
		buf_str(b, "{WIFCONTINUED(s)");
	else {
		buf_c(b, '{');
		buf_hex(b, (unsigned int)st);
	}
	buf_c(b, '}');
}

static const struct mem_type mem_status = { proc_status_put, 4, NULL };
static const struct mem_type mem_statuses = MEM_ARRAY(mem_status);

/* Present only if there was a child. */
static void
proc_status_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	if (ac->ac_ret != NULL && ac->ac_ret->ev_ret != NULL &&
	    ac->ac_ret->ev_ret->drr_retval == 0)
		arg_put_ptr(b, v);
	else
		mem_out_text(b, ac, argn, v, ak);
}

static const struct mem_field rusage_list[] = {
	{ "ru_utime", 0, &mem_timeval },
	{ "ru_stime", 16, &mem_timeval },
};
static const struct mem_struct rusage_fields = MEM_FIELDS(rusage_list, 1);
static const struct mem_type mem_rusage = MEM_STRUCT(32, rusage_fields);

/*
 * Limits
 */
static void
proc_rlim_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t v = mem_uint(m, 0, 8);

	(void)mt;
	if (v == UINT64_MAX)
		buf_str(b, "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0) {
		buf_u64(b, v / 1024);
		buf_str(b, "*1024");
	} else
		buf_u64(b, v);
}

static const struct mem_type mem_rlim = { proc_rlim_put, 8, NULL };
static const struct mem_field rlimit_list[] = {
	{ "rlim_cur", 0, &mem_rlim },
	{ "rlim_max", 8, &mem_rlim },
};
static const struct mem_struct rlimit_fields = MEM_FIELDS(rlimit_list, 0);
static const struct mem_type mem_rlimit = MEM_STRUCT(16, rlimit_fields);

/*
 * CPUs and scheduling
 */
static void
proc_cpus_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	size_t i;
	int n = 0;

	(void)mt;
	buf_c(b, '[');
	for (i = 0; i < 8 * m->m_len; i++) {
		if ((m->m_bytes[i / 8] & 1 << i % 8) == 0)
			continue;
		if (n++ > 0)
			buf_c(b, ' ');
		buf_u64(b, i);
	}
	if (m->m_len < m->m_true)
		buf_str(b, n > 0 ? " ..." : "...");
	buf_c(b, ']');
}

static const struct mem_type mem_cpus = { proc_cpus_put, 0, NULL };

static const struct mem_type mem_policy = MEM_ENUM(4, arg_names_sched);
static const struct mem_type mem_schedflags = MEM_FLAGS(8, schedflags_names);

static const struct mem_field schedattr_list[] = {
	{ "size", 0, &mem_u32 },
	{ "sched_policy", 4, &mem_policy },
	{ "sched_flags", 8, &mem_schedflags },
	{ "sched_nice", 16, &mem_s32 },
	{ "sched_priority", 20, &mem_u32 },
	{ "sched_runtime", 24, &mem_u64 },
	{ "sched_deadline", 32, &mem_u64 },
	{ "sched_period", 40, &mem_u64 },
};
static const struct mem_struct schedattr_fields = MEM_FIELDS(schedattr_list, 0);
static const struct mem_type mem_schedattr = MEM_STRUCT(48, schedattr_fields);

/*
 * clone3
 */
static void
proc_clone_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	static const struct {
		uint64_t flags;
		const char *name;
		size_t off;
	} ptrs[] = {
		{ CLONE_PIDFD, ", pidfd=", 8 },
		{ CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
		    ", child_tid=", 16 },
		{ CLONE_PARENT_SETTID, ", parent_tid=", 24 },
	};
	uint64_t flags = mem_uint(m, 0, 8), size = mem_uint(m, 48, 8);
	size_t i;

	(void)mt;
	buf_str(b, "{flags=");
	arg_put_flags(b, &arg_names_clone, flags);
	for (i = 0; i < sizeof(ptrs) / sizeof(ptrs[0]); i++) {
		if ((flags & ptrs[i].flags) == 0)
			continue;
		buf_str(b, ptrs[i].name);
		arg_put_ptr(b, mem_uint(m, ptrs[i].off, 8));
	}
	buf_str(b, ", exit_signal=");
	arg_put_sig(b, mem_uint(m, 32, 8));
	buf_str(b, ", stack=");
	arg_put_ptr(b, mem_uint(m, 40, 8));
	buf_str(b, ", stack_size=");
	if (size == 0)
		buf_c(b, '0');
	else
		buf_hex(b, size);
	if (flags & CLONE_SETTLS) {
		buf_str(b, ", tls=");
		arg_put_ptr(b, mem_uint(m, 56, 8));
	}
	buf_c(b, '}');
}

static const struct mem_type mem_clone = { proc_clone_put, 64, NULL };

/*
 * Capabilities
 */
static const struct mem_type mem_capversion = MEM_ENUM(4, capversion_names);

static const struct mem_field caphead_list[] = {
	{ "version", 0, &mem_capversion },
	{ "pid", 4, &mem_s32 },
};
static const struct mem_struct caphead_fields = MEM_FIELDS(caphead_list, 0);
static const struct mem_type mem_caphead = MEM_STRUCT(8, caphead_fields);

/* The lower halves are in the first 12 bytes, the upper halves follow. */
static void
proc_caps_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	static const char *const names[] = { "{effective=", ", permitted=",
		", inheritable=" };
	size_t i;

	(void)mt;
	for (i = 0; i < 3; i++) {
		buf_str(b, names[i]);
		arg_put_flags(b, &cap_names,
		    mem_uint(m, 4 * i, 4) | mem_uint(m, 12 + 4 * i, 4) << 32);
	}
	buf_c(b, '}');
}

static const struct mem_type mem_caps = { proc_caps_put, 12, NULL };

/*
 * The machine
 */
#define PROC_UTSLEN 65

static const struct mem_type mem_utsname = { mem_chars_put, PROC_UTSLEN, NULL };
static const struct mem_field uname_list[] = {
	{ "sysname", 0, &mem_utsname },
	{ "nodename", PROC_UTSLEN, &mem_utsname },
};
static const struct mem_struct uname_fields = MEM_FIELDS(uname_list, 1);
static const struct mem_type mem_uname = MEM_STRUCT(2 * PROC_UTSLEN,
    uname_fields);

static const struct mem_type mem_loads = MEM_ARRAY(mem_u64);

static void
proc_loads_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	struct mem three = *m;

	three.m_len = three.m_true = mt->mt_size;
	mem_put(b, &three, &mem_loads);
}

static const struct mem_type mem_load3 = { proc_loads_put, 24, NULL };
static const struct mem_field sysinfo_list[] = {
	{ "uptime", 0, &mem_s64 },
	{ "loads", 8, &mem_load3 },
	{ "totalram", 32, &mem_u64 },
	{ "freeram", 40, &mem_u64 },
	{ "sharedram", 48, &mem_u64 },
	{ "bufferram", 56, &mem_u64 },
	{ "totalswap", 64, &mem_u64 },
	{ "freeswap", 72, &mem_u64 },
	{ "procs", 80, &mem_u16 },
	{ "totalhigh", 88, &mem_u64 },
	{ "freehigh", 96, &mem_u64 },
	{ "mem_unit", 104, &mem_u32 },
};
static const struct mem_struct sysinfo_fields = MEM_FIELDS(sysinfo_list, 0);
static const struct mem_type mem_sysinfo = MEM_STRUCT(112, sysinfo_fields);

/*
 * Semaphores
 */
static const struct mem_type mem_semflag = MEM_FLAGS(2, semflag_names);
static const struct mem_field sembuf_list[] = {
	{ "sem_num", 0, &mem_u16 },
	{ "sem_op", 2, &mem_s16 },
	{ "sem_flg", 4, &mem_semflag },
};
static const struct mem_struct sembuf_fields = MEM_FIELDS(sembuf_list, 0);
static const struct mem_type mem_sembuf = MEM_STRUCT(6, sembuf_fields);
static const struct mem_type mem_sembufs = MEM_ARRAY(mem_sembuf);

/* Prints the number of environment variables; their values are not recorded. */
static void
proc_env_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct dt_rec_string *s = NULL;

	(void)ak;
	arg_put_ptr(b, v);
	while ((s = dt_string(ac->ac_entry, s)) != NULL) {
		if (s->drt_argn != argn || (s->drt_flags & DT_STR_MORE) == 0)
			continue;
		buf_printf(b, " /* %u vars */", s->drt_truelen);
		return;
	}
}

static const struct arg_row proc_rows[] = {
	{ "execve execveat", "envp", NULL, ARG_FUNC(proc_env_text) },
	{ "wait4 waitpid", "stat_addr", NULL,
	    ARG_KIND(proc_status_text, &mem_statuses) },
	{ "wait4", "ru", NULL, ARG_KIND(proc_status_text, &mem_rusage) },
	{ "waitid getrusage", "ru", NULL, ARG_OUT(mem_rusage) },
	{ "getrlimit", "rlim", NULL, ARG_OUT(mem_rlimit) },
	{ "setrlimit", "rlim", NULL, ARG_IN(mem_rlimit) },
	{ "prlimit64", "new_rlim", NULL, ARG_IN(mem_rlimit) },
	{ "prlimit64", "old_rlim", NULL, ARG_OUT(mem_rlimit) },
	{ "sched_getaffinity", "user_mask_ptr", NULL, ARG_OUT(mem_cpus) },
	{ "sched_setaffinity", "user_mask_ptr", NULL, ARG_IN(mem_cpus) },
	{ "sched_setparam sched_setscheduler", "param", NULL,
	    ARG_IN(mem_ints) },
	{ "sched_getparam", "param", NULL, ARG_OUT(mem_ints) },
	{ "sched_setattr", "uattr", NULL, ARG_IN(mem_schedattr) },
	{ "sched_getattr", "uattr", NULL, ARG_OUT(mem_schedattr) },
	{ "clone3", "uargs", NULL, ARG_IN(mem_clone) },
	{ "clone", "parent_tidptr", NULL, ARG_OUT(mem_ints) },
	{ "getgroups", "grouplist", NULL, ARG_OUT(mem_ids) },
	{ "setgroups", "grouplist", NULL, ARG_IN(mem_ids) },
	{ "getresuid getresgid", "*idp", NULL, ARG_OUT(mem_ids) },
	{ "getcpu", "cpup", NULL, ARG_OUT(mem_ints) },
	{ "getcpu", "nodep", NULL, ARG_OUT(mem_ints) },
	{ "capget capset", "header", NULL, ARG_IN(mem_caphead) },
	{ "capget", "dataptr", NULL, ARG_OUT(mem_caps) },
	{ "capset", "data", NULL, ARG_IN(mem_caps) },
	{ "uname", "name", NULL, ARG_OUT(mem_uname) },
	{ "sysinfo", "info", NULL, ARG_OUT(mem_sysinfo) },
	{ "semop semtimedop", "tsops", NULL, ARG_IN(mem_sembufs) },
	{ "get_robust_list", "*_ptr", NULL, ARG_OUT(mem_ptrs) },
	{ "getrandom", "ubuf", NULL, ARG_DATA },
};

const struct arg_table arg_table_mem_proc = ARG_TABLE(proc_rows);
