/* SPDX-License-Identifier: ISC */
/*
 * Sets the descriptor limit and the part reserved for root.  A limit changed
 * from outside, with prlimit(2), is left unchanged.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/access/fd_reserve.h"

#define FILES_TABLE 8192 /* descriptors in the kernel's table from the start */
#define FILES_KEPT  8	 /* one part in 8, for root */

static rlim_t files_all, files_others; /* equal: none is reserved */
static atomic_uint files_nroot;	       /* root's work in progress */

/* Switches the limit between the two values that fd_reserve_init() computed. */
static void
files_set(rlim_t from, rlim_t to)
{
	struct rlimit rl;

	if (from == to || getrlimit(RLIMIT_NOFILE, &rl) == -1 ||
	    rl.rlim_cur != from)
		return;
	rl.rlim_cur = to;
	(void)setrlimit(RLIMIT_NOFILE, &rl);
}

/*
 * Each ring needs a descriptor.  The kernel's table grows by doubling, and the
 * thread that causes this waits for a grace period of 20 ms or more; a process
 * with one thread does not wait.
 */
void
fd_reserve_init(int ispersonal)
{
	struct rlimit rl;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		return;
	files_all = files_others = rl.rlim_max;
	if (!ispersonal)
		files_others -= files_all / FILES_KEPT;
	rl.rlim_cur = files_others;
	(void)setrlimit(RLIMIT_NOFILE, &rl);
	fd = rl.rlim_cur < FILES_TABLE ? (int)rl.rlim_cur - 1 : FILES_TABLE - 1;
	if ((fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, fd)) != -1)
		close(fd);
}

void
fd_reserve_root_begin(void)
{
	if (atomic_fetch_add(&files_nroot, 1) == 0)
		files_set(files_others, files_all);
}

void
fd_reserve_root_end(void)
{
	if (atomic_fetch_sub(&files_nroot, 1) == 1)
		files_set(files_all, files_others);
}

int
fd_reserve_left(void)
{
	int fd;

	if (atomic_load(&files_nroot) == 0 || files_all == files_others)
		return 1; /* the kernel enforces the limit */
	if ((fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) == -1)
		return 0;
	close(fd);
	return (rlim_t)fd < files_others;
}
