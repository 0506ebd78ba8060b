/* SPDX-License-Identifier: ISC */
/*
 * Gives a thread a nice value and a short time slice.  A thread that requests
 * short slices runs before others when it wakes, without a larger share of the
 * CPU (since Linux 6.12; earlier kernels ignore it).
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/sched.h"

#define PROMPT_SLICE 100000 /* ns: the kernel's minimum */
#define PROMPT_RESET 0x1    /* SCHED_FLAG_RESET_ON_FORK */

/*
 * The first version of sched_setattr(2)'s struct.  C libraries define none, or
 * another.
 */
struct sched_prompt_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime; /* the time slice, ns */
	uint64_t deadline;
	uint64_t period;
};

void
sched_prompt(int nice)
{
	struct sched_prompt_attr at = {
		.size = sizeof(at),
		.policy = SCHED_OTHER,
		.flags = PROMPT_RESET,
		.nice = nice,
		.runtime = PROMPT_SLICE,
	};

	if (syscall(SYS_sched_setattr, 0, &at, 0) == 0)
		return;
	at.nice = getpriority(PRIO_PROCESS, 0);
	if (syscall(SYS_sched_setattr, 0, &at, 0) == -1)
		log_debug("sched_setattr: errno %d", errno);
}
