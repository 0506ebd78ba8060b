/* SPDX-License-Identifier: ISC */
/*
 * Limits the worker: it runs as another user where dtd may change that, without
 * capabilities, and with the few system calls that reading an open file takes.
 *
 * libdw opens files by names that it finds in others (split DWARF, dwz); such
 * calls fail, as if there were no file.  Everything else ends the process.
 *
 * PR_SET_PDEATHSIG is not used: it reports the end of the thread of dtd that
 * started the worker, which may end before dtd does.  A worker reads the end of
 * the socket after dtd has exited; an alarm ends a busy worker.
 */
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "symbolizer/sandbox.h"
#include "wire/symbolizer.h"

/* Sanitizers and coverage need more than this process may have. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_UNDEFINED__)
#define CAGE_OPEN 1
#else
#define CAGE_OPEN 0
#endif

static const struct {
	int li_what;
	rlim_t li_max;
} limits[] = {
	{ RLIMIT_AS, 4ULL << 30 }, /* files are mapped: IMAGE_MAX */
	{ RLIMIT_DATA, 160 << 20 },
	{ RLIMIT_STACK, 8 << 20 },
	{ RLIMIT_NOFILE, 16 },
	{ RLIMIT_CORE, 0 },
	{ RLIMIT_FSIZE, 0 },
	{ RLIMIT_NPROC, 0 },
	{ RLIMIT_MEMLOCK, 0 },
	{ RLIMIT_MSGQUEUE, 0 },
};

static const int allowed[] = {
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(pread64),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	SCMP_SYS(setitimer),
	SCMP_SYS(sysinfo), /* qsort(3) queries the memory size */
	SCMP_SYS(exit_group),
};

/* Allowed with these descriptors only. */
static const struct {
	int so_call;
	int so_fd;
} sockets[] = {
	{ SCMP_SYS(recvmsg), SYMREQ_FD },
	{ SCMP_SYS(recvmsg), SYMREQ_CHANNEL_FD },
	{ SCMP_SYS(sendmsg), SYMREQ_FD },
};

static const int no_such_file[] = {
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(stat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
};

static void
lower_limits(void)
{
	struct rlimit rl;
	unsigned int i;

	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (getrlimit(limits[i].li_what, &rl) == -1)
			err(1, "getrlimit");
		if (rl.rlim_max > limits[i].li_max)
			rl.rlim_max = limits[i].li_max;
		rl.rlim_cur = rl.rlim_max;
		if (setrlimit(limits[i].li_what, &rl) == -1)
			err(1, "setrlimit");
	}
}

/* Without the right to change the user, it keeps the user. */
static void
drop_user(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) == -1 && errno != EPERM)
		err(1, "setgroups");
	if (setresgid(gid, gid, gid) == -1 && errno != EPERM && errno != EINVAL)
		err(1, "setresgid");
	if (setresuid(uid, uid, uid) == -1 && errno != EPERM && errno != EINVAL)
		err(1, "setresuid");
}

static void
drop_capabilities(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1 ||
	    syscall(SYS_capset, &h, none) == -1)
		err(1, "capset");
}

/* Drops the bounding set, while it has the right to. */
static void
drop_bounding(void)
{
	int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == -1 &&
		    errno != EPERM)
			err(1, "PR_CAPBSET_DROP");
}

static int
filter_rules(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp no_exec = { .arg = 2,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = PROT_EXEC,
		.datum_b = 0 };
	struct scmp_arg_cmp is_fd = { .arg = 0,
		.op = SCMP_CMP_EQ,
		.datum_b = 0 };
	unsigned int i;
	int r = 0;

	for (i = 0; r == 0 && i < sizeof(allowed) / sizeof(*allowed); i++)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	for (i = 0; r == 0 && i < sizeof(sockets) / sizeof(*sockets); i++) {
		is_fd.datum_a = (uint32_t)sockets[i].so_fd;
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW,
		    sockets[i].so_call, 1, &is_fd);
	}
	for (i = 0; r == 0 && i < sizeof(no_such_file) / sizeof(*no_such_file);
	     i++)
		r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOENT),
		    no_such_file[i], 0);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		    1, &no_exec);
	return r;
}

static void
filter_calls(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);

	if (ctx == NULL || filter_rules(ctx) != 0 || seccomp_load(ctx) != 0)
		errx(1, "seccomp");
	seccomp_release(ctx);
}

void
cage_drop(uid_t uid, gid_t gid)
{
	drop_bounding();
	drop_user(uid, gid);
	drop_capabilities();
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		err(1, "prctl");
}

void
cage_enter(uid_t uid, gid_t gid)
{
	cage_drop(uid, gid);
	if (CAGE_OPEN)
		return;
	lower_limits();
	filter_calls();
}

void
cage_alarm(unsigned int msecs)
{
	struct itimerval it = { .it_value = { .tv_sec = msecs / 1000,
				    .tv_usec = msecs % 1000 * 1000 } };

	(void)setitimer(ITIMER_REAL, &it, NULL);
}
