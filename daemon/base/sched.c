/* SPDX-License-Identifier: ISC */
/*
 * A thread that gets a CPU soon, see sched.h: nice, for kernels that go by
 * that, and short slices.  A thread that asks for these goes before others when
 * it is woken, and has no larger share of the CPU for that (since Linux 6.12;
 * before, the kernel takes no notice).
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/sched.h"

#define PROMPT_SLICE 100000 /* ns: the least that the kernel knows */
#define PROMPT_RESET 0x1    /* SCHED_FLAG_RESET_ON_FORK */

/* As sched_setattr(2) had it at first.  C libraries have none, or another. */
struct sched_prompt_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime; /* the slice, ns */
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
