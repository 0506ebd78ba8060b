/* SPDX-License-Identifier: ISC */
/*
 * Gives a thread a nice value and a short time slice.  A thread that requests
 * short slices runs before others when it wakes, without a larger share of the
 * CPU (since Linux 6.12; earlier kernels ignore it).
 *
 * Neither helps against threads of other sessions with automatic groups
 * (kernel.sched_autogroup_enabled): on a busy machine the scheduler lets a
 * thread of nice -10 wait for 80 ms there.  Real-time priority does.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/sched.h"

#define PROMPT_SLICE   100000 /* ns: the kernel's minimum */
#define PROMPT_RESET   0x1    /* SCHED_FLAG_RESET_ON_FORK */

#define REALTIME_CHECK 50000000 /* ns between two checks of the CPU time */
#define REALTIME_SHARE 2	/* part of a CPU that a thread may take */

void
sched_prompt(int nice)
{
	struct sched_attr_v0 at = {
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

/*
 * Without it, the thread has the nice value and the slices of before.  Only a
 * privileged thread may remove the flag for its children.
 */
static void
realtime_set(struct sched_realtime *srl, int on)
{
	struct sched_attr_v0 at = { .size = sizeof(at),
		.policy = SCHED_RR,
		.flags = PROMPT_RESET,
		.priority = 1 };
	int error = 0;

	if (on)
		error = syscall(SYS_sched_getattr, 0, &srl->srl_before,
		    sizeof(srl->srl_before), 0);
	srl->srl_before.flags |= PROMPT_RESET;
	if (error == 0)
		error = syscall(SYS_sched_setattr, 0,
		    on ? &at : &srl->srl_before, 0);
	if (error != 0) {
		log_debug("no real-time priority: %s", strerror(errno));
		srl->srl_isrefused = 1;
		return;
	}
	srl->srl_is = on;
}

void
sched_realtime(struct sched_realtime *srl)
{
	int64_t cpu, now = clock_monotonic();
	struct timespec ts;
	int isbusy;

	if (srl->srl_isrefused || now < srl->srl_checked + REALTIME_CHECK)
		return;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) == -1)
		return;
	cpu = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	isbusy = cpu - srl->srl_cpu > (now - srl->srl_checked) / REALTIME_SHARE;
	srl->srl_checked = now;
	srl->srl_cpu = cpu;
	if (srl->srl_is == isbusy)
		realtime_set(srl, !isbusy);
}
