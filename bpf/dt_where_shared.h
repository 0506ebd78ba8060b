/* SPDX-License-Identifier: ISC */
/*
 * The result of a pass over all threads (bpf/dt_where.bpf.c): for each thread
 * this struct, then the addresses of its kernel stack, innermost first.
 */
#ifndef BPF_DT_WHERE_SHARED_H
#define BPF_DT_WHERE_SHARED_H

#include <linux/types.h>

#include "bpf/unwind_shared.h"

#define DT_WHERE_UNKNOWN (~0ULL) /* wth_nsecs */
#define DT_WHERE_FRAMES	 127	 /* the kernel's limit */

/* wth_flags */
#define DT_WHERE_ONCPU	 0x1 /* it runs on wth_cpu at this moment */
#define DT_WHERE_KTHREAD 0x2 /* it has no user memory */
#define DT_WHERE_REGS	 0x4 /* wth_regs are set */

struct dt_where_thread {
	__u32 wth_pid; /* process and thread, as the client counts them */
	__u32 wth_tid;
	__u32 wth_localpid; /* the same, as dtd counts them */
	__u32 wth_localtid;
	__u32 wth_cpu; /* on which it runs, or ran last */
	__u32 wth_uid;
	__u32 wth_exec;	 /* as pr_exec and pr_start of struct unwind_proc */
	__s32 wth_stack; /* bytes of the kernel stack; negative: an errno */
	__u64 wth_start;
	__u64 wth_nsecs;   /* in this state; or DT_WHERE_UNKNOWN */
	__u64 wth_thread;  /* descriptor that libraries place above its stack */
	char wth_comm[16]; /* name of the thread */
	char wth_process[16]; /* name of the process */
	__u8 wth_state;	      /* letter, as in /proc/PID/stat */
	__u8 wth_flags;	      /* DT_WHERE_* */
	__u8 wth_pad[6];
	__u64 wth_regs[UNWIND_NREGS]; /* of its user code */
};

/* Input of the pass, written by dtd. */
struct dt_where_query {
	__u32 whq_inum; /* pid namespace of the client; 0: the initial one */
	__u32 whq_level;
	__u32 whq_owninum; /* pid namespace of dtd */
	__u32 whq_ownlevel;
	__u32 whq_self;	  /* process of dtd, in the initial namespace */
	__u32 whq_client; /* and its client's; 0: exclude neither */
};

_Static_assert(sizeof(struct dt_where_thread) % 8 == 0, "the stack is aligned");

#endif /* BPF_DT_WHERE_SHARED_H */
