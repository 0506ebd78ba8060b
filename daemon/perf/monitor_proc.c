/* SPDX-License-Identifier: ISC */
/*
 * The monitor process: gives up rights and serves requests.
 *
 * Its filter permits the system calls of the loop, and bpf(2) for run times
 * only. An attacker who controls dtd can thus make the monitor open the listed
 * events; and, where dtd has CAP_SYS_PTRACE, make it call perf_event_open(2)
 * with other attributes, but no more than that.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/caps.h"
#include "daemon/base/fdmsg.h"
#include "daemon/perf/monitor.h"

#ifdef __x86_64__
#define MONITOR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MONITOR_ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##what)
/* Skips the given number of rows unless the value matches. */
#define UNLESS(value, skip) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define ALLOW(nr) UNLESS(nr, 1), RETURN(ALLOW)

/* Loads the low word of an argument: it comes first on both architectures. */
static const struct sock_filter monitor_rows[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MONITOR_ARCH, 1, 0),
	RETURN(KILL_PROCESS),
	LOAD(nr),
	ALLOW(SYS_recvmsg),
	ALLOW(SYS_sendmsg),
	ALLOW(SYS_perf_event_open),
	ALLOW(SYS_rt_sigprocmask), /* these three: the time limit of
				    * perf_event_open */
	ALLOW(SYS_rt_sigreturn),
	ALLOW(SYS_setitimer),
	ALLOW(SYS_close),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_restart_syscall),
	UNLESS(SYS_bpf, 3),
	LOAD(args[0]),
	ALLOW(BPF_ENABLE_STATS),
	RETURN(KILL_PROCESS),
};

static int
monitor_filter(void)
{
	const struct sock_fprog prog = {
		.len = sizeof(monitor_rows) / sizeof(monitor_rows[0]),
		.filter = (struct sock_filter *)monitor_rows,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) == -1
	    ? errno
	    : 0;
}

/* Closes all descriptors except fd. */
static int
close_others(int fd)
{
	if (fd > 0 && syscall(SYS_close_range, 0, fd - 1, 0) == -1)
		return errno;
	return syscall(SYS_close_range, fd + 1, ~0U, 0) == -1 ? errno : 0;
}

int
monitor_confine(int sock)
{
	sigset_t all;
	int error;

	perf_event_init();
	/* Blocks all signals: the monitor ends only with dtd. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if ((error = close_others(sock)) != 0 ||
	    (error = caps_keep(CAPS_BIT(CAP_SYS_ADMIN))) != 0)
		return error;
	if (chdir("/") == -1 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return errno;
	return monitor_filter();
}

/*
 * Executes a request.  file: the descriptor in its message, or -1.  Returns a
 * descriptor or a negative errno.
 */
static int
monitor_do(struct monitor_request *ma, ssize_t n, int file)
{
	struct perf_want *pw = &ma->ma_want;

	if (n != sizeof(*ma) || ma->ma_zero != 0 ||
	    pw->pw_kind >= PERF_NKINDS ||
	    memchr(pw->pw_name, '\0', sizeof(pw->pw_name)) == NULL)
		return -EINVAL;
	pw->pw_fd = file;
	return perf_event_direct(pw);
}

/* Sends a reply and closes fd.  Returns 0, or -1 if dtd has ended. */
static int
monitor_reply(int sock, uint32_t seq, int fd)
{
	struct monitor_result mr = { .mr_seq = seq,
		.mr_error = fd < 0 ? -fd : 0 };
	struct iovec iov = { .iov_base = &mr, .iov_len = sizeof(mr) };
	union {
		struct cmsghdr hdr;
		char room[CMSG_SPACE(sizeof(int))];
	} cm = { .hdr = { .cmsg_len = CMSG_LEN(sizeof(int)),
		     .cmsg_level = SOL_SOCKET,
		     .cmsg_type = SCM_RIGHTS } };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&cm.hdr), &fd, sizeof(fd));
		msg.msg_control = &cm;
		msg.msg_controllen = sizeof(cm.room);
	}
	n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	if (fd >= 0)
		close(fd);
	return n == -1 ? -1 : 0;
}

/* Receives requests, each with one file at most. */
void
monitor_serve(int sock)
{
	struct monitor_request ma;
	unsigned int nfiles;
	int file, event;
	ssize_t n;

	if (monitor_reply(sock, 0, -EAGAIN) == -1) /* reports that the monitor
						    * is ready */
		return;
	for (;;) {
		memset(&ma, 0, sizeof(ma));
		n = fdmsg_recv(sock, &ma, sizeof(ma), 0, &file, 1, &nfiles);
		if (n == 0 || (n == -1 && errno != EMSGSIZE))
			return;
		event = n == -1 ? -EINVAL
				: monitor_do(&ma, n, nfiles > 0 ? file : -1);
		if (nfiles > 0)
			close(file);
		if (monitor_reply(sock, ma.ma_seq, event) == -1)
			return;
	}
}
