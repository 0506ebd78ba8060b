/* SPDX-License-Identifier: ISC */
/*
 * The tprof device: a perf_event program that runs when a counter overflows on
 * this CPU and records the interrupted code as a sample.  One program serves
 * all counters; the link's cookie names the counter.  dtd writes all settings
 * and maps but tprof_counts.
 */
#include "vmlinux/dt_vmlinux.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/dt_pidns.bpf.h"
#include "bpf/tprof_shared.h"
#include "wire/sample.h"

#define TPROF_INKERNEL 0x1 /* = TPROF_SAMPLE_INKERNEL */

/* Offsets in the kernel's registers, as the program sees them. */
#if defined(__TARGET_ARCH_x86)
#define REG_PC	     (16 * 8) /* rip */
#define REG_MODE     (17 * 8) /* cs */
#define MODE_USER(v) (((v)&3) != 0)
#elif defined(__TARGET_ARCH_arm64)
#define REG_PC	     (32 * 8)
#define REG_MODE     (33 * 8) /* pstate */
#define MODE_USER(v) (((v)&0xf) == 0)
#endif

#define CTX_REG(ctx, off) (*(volatile __u64 *)((char *)(ctx) + (off)))

__u32 tprof_gen;     /* generation of the session, 0: none */
__u32 tprof_nsinum;  /* pid namespace of the session, 0: initial */
__u32 tprof_nslevel; /* depth of that namespace */
__u32 tprof_half;    /* bytes of half a ring: wake the data thread */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* ncpu */
	__type(key, __u32);
	__type(value, struct tprof_count);
} tprof_counts SEC(".maps");

struct tprof_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* ncpu */
	__type(key, __u32);
	__array(values, struct tprof_ring);
} tprof_rings SEC(".maps");

/*
 * Finds process and thread as the session counts them.  Returns 0 if they are
 * outside of its namespace.
 */
static __always_inline int
tprof_ids(__u32 *pid, __u32 *tid)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct task_struct *task;
	__u32 inum = tprof_nsinum;

	*pid = id >> 32;
	*tid = id;
	if (inum == 0)
		return 1;
	task = (struct task_struct *)bpf_get_current_task();
	*tid = dt_ns_number(pidns_thread(task), tprof_nslevel, inum);
	if (*tid == 0)
		return 0;
	*pid = dt_ns_number(pidns_process((__u64)BPF_CORE_READ(task, signal)),
	    tprof_nslevel, inum);
	return 1;
}

/*
 * Returns the flags of a submit.  The data thread polls the rings; a program
 * wakes it once if half of a ring is full before that.
 */
static __always_inline __u64
tprof_wake(struct tprof_count *c, void *ring)
{
	if (c->tc_woke ||
	    bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) < tprof_half)
		return BPF_RB_NO_WAKEUP;
	c->tc_woke = 1;
	return BPF_RB_FORCE_WAKEUP;
}

SEC("perf_event")
int
tprof(struct bpf_perf_event_data *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 cpu = bpf_get_smp_processor_id(), pid, tid;
	struct wire_tprof_sample *s;
	struct tprof_count *c;
	__u64 pc = CTX_REG(ctx, REG_PC), mode = CTX_REG(ctx, REG_MODE);
	void *ring;

	if (TPROF_COOKIE_GEN(cookie) != tprof_gen ||
	    (c = bpf_map_lookup_elem(&tprof_counts, &cpu)) == NULL)
		return 0;
	__sync_fetch_and_add(&c->tc_hits[(__u32)cookie % TPROF_NHITS], 1);
	if (!tprof_ids(&pid, &tid)) {
		__sync_fetch_and_add(&c->tc_excluded, 1);
		return 0;
	}
	__sync_fetch_and_add(&c->tc_taken, 1);
	ring = bpf_map_lookup_elem(&tprof_rings, &cpu);
	if (ring == NULL ||
	    (s = bpf_ringbuf_reserve(ring, sizeof(*s), 0)) == NULL) {
		__sync_fetch_and_add(&c->tc_overflow, 1);
		return 0;
	}
	s->wt_pid = pid;
	s->wt_lwpid = tid;
	s->wt_cpuid = cpu;
	s->wt_flags = (MODE_USER(mode) ? 0 : TPROF_INKERNEL) |
	    (__u32)cookie << 24;
	s->wt_pc = pc;
	s->wt_time = bpf_ktime_get_ns();
	bpf_ringbuf_submit(s, tprof_wake(c, ring));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
