/* SPDX-License-Identifier: ISC */
/*
 * Reduces the wake-up latency of threads that work little but must run
 * promptly: others wait for them, or rings fill.
 */
#ifndef DAEMON_BASE_SCHED_H
#define DAEMON_BASE_SCHED_H

#include <stdint.h>

/*
 * Makes the kernel run the calling thread soon after it wakes; threads and
 * processes that it starts are scheduled normally.  nice: as in setpriority(2);
 * without that permission (LimitNICE) it is left unchanged.
 */
void sched_prompt(int nice);

/*
 * The first version of sched_setattr(2)'s struct.  C libraries define none, or
 * another.
 */
struct sched_attr_v0 {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime; /* the time slice, ns */
	uint64_t deadline;
	uint64_t period;
};

/*
 * Real-time priority of a thread, as long as it takes at most half of a CPU.
 * Begin with zeros.
 */
struct sched_realtime {
	int srl_is;	     /* it has it now */
	int srl_isrefused;   /* the permission (LimitRTPRIO) is missing */
	int64_t srl_checked; /* time of the last check, ns */
	int64_t srl_cpu;     /* CPU time of the thread then, ns */
	struct sched_attr_v0 srl_before; /* attributes to restore */
};

/*
 * Gives the calling thread the lowest real-time priority, or takes it back.  To
 * be called between two pieces of its work.
 */
void sched_realtime(struct sched_realtime *);

#endif /* DAEMON_BASE_SCHED_H */
