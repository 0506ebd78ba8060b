/* SPDX-License-Identifier: ISC */
/*
 * Walks the user stack of a process at one of its system calls, for
 * test_unwind_walk.c: by unwind tables, and by frame pointers to compare the
 * time; and copies it.
 */
#include "vmlinux/dt_vmlinux.h"

#include "bpf/unwind_copy.bpf.h"

#define WALK_SLOT 3 /* of the session, in copies */

__u32 walk_pid;	  /* process that is walked */
__s64 walk_nr;	  /* number of the system call */
__u32 walk_times; /* walks to make at each call */
__u64 walk_time;  /* of all walks, ns */

__u64 walk_count;      /* calls */
__s64 walk_result;     /* of dt_unwind() */
__u64 walk_stack[128]; /* section of the record */
__u64 walk_fps[127];   /* by frame pointers */
__s64 walk_fpbytes;    /* bytes of walk_fps */
/* the shortest walk, by tables and by frame pointers, and the shortest copy */
__u64 walk_nsecs[3];

__u64 walk_ticks; /* ticks that interrupted the process */
__u64 walk_wrong; /* ticks with other registers than the context's */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dt_scratch);
} walk_scratch SEC(".maps");

struct walk_loop {
	void *wl_ctx;
	struct dt_scratch *wl_scratch;
};

static __always_inline void
walk_took(int how, __u64 since)
{
	__u64 nsecs = bpf_ktime_get_ns() - since;

	if (walk_nsecs[how] == 0 || nsecs < walk_nsecs[how])
		walk_nsecs[how] = nsecs;
}

static long
walk_once(__u32 i, void *arg)
{
	struct walk_loop *wl = arg;
	__u64 now = bpf_ktime_get_ns();

	(void)i;
	walk_result = dt_unwind(wl->wl_scratch, 0, walk_time);
	walk_took(0, now);
	now = bpf_ktime_get_ns();
	walk_fpbytes = bpf_get_stack(wl->wl_ctx, walk_fps, sizeof(walk_fps),
	    BPF_F_USER_STACK);
	walk_took(1, now);
	now = bpf_ktime_get_ns();
	if (dt_copy(&wl->wl_scratch->scr_walk, WALK_SLOT, 0))
		walk_took(2, now);
	return 0;
}

SEC("raw_tp/sys_enter")
int
walk_here(struct bpf_raw_tracepoint_args *ctx)
{
	struct walk_loop wl = { .wl_ctx = ctx };
	__u32 zero = 0;

	if (bpf_get_current_pid_tgid() >> 32 != walk_pid ||
	    (__s64)ctx->args[1] != walk_nr)
		return 0;
	wl.wl_scratch = bpf_map_lookup_elem(&walk_scratch, &zero);
	if (wl.wl_scratch == NULL)
		return 0;
	walk_count++;
	walk_nsecs[0] = walk_nsecs[1] = walk_nsecs[2] = 0;
	bpf_loop(walk_times, walk_once, &wl, 0);
	bpf_probe_read_kernel(walk_stack, sizeof(walk_stack),
	    wl.wl_scratch->scr_buf);
	return 0;
}

/* A tick: the context has the same registers of the user. */
SEC("perf_event")
int
walk_tick(struct bpf_perf_event_data *ctx)
{
	const __u64 *regs = (const void *)ctx;
	struct dt_scratch *s;
	__u32 zero = 0;

	if (bpf_get_current_pid_tgid() >> 32 != walk_pid ||
	    regs[UNWIND_AT_PC] >> 63)
		return 0; /* or the kernel was interrupted */
	s = bpf_map_lookup_elem(&walk_scratch, &zero);
	if (s == NULL)
		return 0;
	walk_result = dt_unwind(s, 0, bpf_ktime_get_ns());
	if (s->scr_walk.uw_regs[UNWIND_AT_PC] != regs[UNWIND_AT_PC] ||
	    s->scr_walk.uw_regs[UNWIND_AT_SP] != regs[UNWIND_AT_SP])
		walk_wrong++;
	bpf_probe_read_kernel(walk_stack, sizeof(walk_stack), s->scr_buf);
	walk_ticks++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
