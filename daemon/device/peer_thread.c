/* SPDX-License-Identifier: ISC */
/*
 * Finds threads by their ids in the client's own pid namespace.  A service
 * queries the kernel with a BPF program (pidns.h): reading /proc is slow for a
 * process with many threads, other processes can make it hang, and callers hold
 * locks or are shared workers.  A private dtd may lack the right to load
 * programs and reads /proc; only its one client would wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/conf.h"
#include "daemon/base/reason.h"
#include "daemon/device/peer_thread.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/pidns.h"

#define PF_EXITING 0x4 /* in the flags that /proc has */

/*
 * A private dtd, in the pid namespace of its client
 */

static int
proc_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	ssize_t n;

	if (fd == -1)
		return errno == ENOENT || errno == EACCES ? ESRCH : errno;
	n = read(fd, buf, size - 1);
	error = n == -1 ? errno : 0;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return error;
}

static int
proc_isof(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	return access(path, F_OK) == 0;
}

/*
 * Finds a thread by /proc.  nt_pid is set only if the thread is of process pid,
 * or is a process itself.
 */
static int
proc_thread(pid_t pid, pid_t tid, struct pidns_thread *nt)
{
	struct pidns_thread found = { .nt_tid = tid };
	unsigned int flags;
	char path[32], buf[1024], *p;
	int error;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	if ((error = proc_read(path, buf, sizeof(buf))) != 0)
		return error;
	/*
	 * Fields 3 on follow the name, which may contain any byte: state,
	 * parent (4), four numbers, flags (9), ten numbers, threads (20), a
	 * number, start (22).
	 */
	if ((p = strrchr(buf, ')')) == NULL ||
	    sscanf(p + 1,
		" %*c %u %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d "
		"%*d %*d %u %*d %lu",
		&found.nt_parent, &flags, &found.nt_nthreads,
		&found.nt_start) != 4)
		return ESRCH;
	found.nt_exits = (flags & PF_EXITING) != 0;
	/* last, since the id may have been reused */
	if (proc_isof(pid, tid))
		found.nt_pid = pid;
	else if (found.nt_nthreads == 1)
		found.nt_pid = tid;
	*nt = found;
	return 0;
}

/*
 * A service
 */

/* Looks up a thread that the peer named. */
static int
ns_thread(const struct peer *pr, pid_t tid, struct pidns_thread *nt,
    struct reason *rs)
{
	struct pidns_of no;
	int error = 0;

	if (!pr->peer_own_pidns && (error = pidns_of(pr, &no, rs)) != 0)
		return error;
	error = pidns_thread(pr->peer_own_pidns ? NULL : &no, tid, nt);
	if (error == 0 || error == ESRCH)
		return error;
	return reason_fail(rs, EOPNOTSUPP,
	    "this kernel refuses to look up threads: %s", dt_refused(error));
}

/*
 * Either
 */

/* ESRCH: no such thread, or it is exiting. */
static int
thread_get(const struct peer *pr, uint32_t tid, struct pidns_thread *nt,
    struct reason *rs)
{
	int error;

	if (tid == 0 || tid > INT32_MAX)
		return ESRCH;
	error = conf.cf_private ? proc_thread(pr->peer_pid, tid, nt)
				: ns_thread(pr, tid, nt, rs);
	return error == 0 && nt->nt_exits ? ESRCH : error;
}

static struct peer_thread
thread_of(const struct pidns_thread *nt)
{
	return (struct peer_thread){ .th_tid = nt->nt_tid,
		.th_start = nt->nt_start };
}

int
peer_thread_own(const struct peer *pr, uint32_t tid, struct peer_thread *th,
    struct reason *rs)
{
	struct pidns_thread nt;
	int error = thread_get(pr, tid, &nt, rs);

	if (error != 0)
		return error;
	if (nt.nt_pid != (uint32_t)pr->peer_pid)
		return ESRCH;
	*th = thread_of(&nt);
	return 0;
}

int
peer_thread_other(const struct peer *pr, uint32_t tid, struct peer_thread *th,
    struct reason *rs)
{
	uint32_t pid = pr->peer_pid;
	struct pidns_thread nt;
	int error = thread_get(pr, tid, &nt, rs);

	if (error != 0)
		return error;
	if (nt.nt_pid != pid &&
	    (nt.nt_parent != pid || nt.nt_pid != nt.nt_tid ||
		nt.nt_nthreads != 1))
		return ESRCH;
	*th = thread_of(&nt);
	return 0;
}

int
peer_thread_get(pid_t tid, struct peer_thread *th)
{
	struct pidns_thread nt;
	int error = conf.cf_private ? proc_thread(tid, tid, &nt)
				    : pidns_thread(NULL, tid, &nt);

	if (error != 0)
		return error;
	if (nt.nt_exits)
		return ESRCH;
	*th = thread_of(&nt);
	return 0;
}

int
peer_thread_same(const struct peer_thread *a, const struct peer_thread *b)
{
	return a->th_tid != 0 && a->th_tid == b->th_tid &&
	    a->th_start == b->th_start;
}

int
peer_thread_lives(const struct peer_thread *th)
{
	struct peer_thread now;

	return peer_thread_get(th->th_tid, &now) == 0 &&
	    peer_thread_same(th, &now);
}
