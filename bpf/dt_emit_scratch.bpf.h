/* SPDX-License-Identifier: ISC */
/*
 * The slow path of a record: builds a record of variable length in the CPU's
 * scratch memory, then copies it into the ring with its true length.  Runs in
 * any program of the dt device.  Strings are appended by other headers.
 *
 * Locking: scr_busy is taken with an atomic exchange and only by programs on
 * this CPU.  The holder owns the whole scratch.
 *
 * A provider has each program twice: those with tables, a constant, unwind user
 * stacks by tables, for sessions that want it.  The plain ones do not contain
 * the walk, whose check would make each load slower.
 */
#ifndef BPF_DT_EMIT_SCRATCH_BPF_H
#define BPF_DT_EMIT_SCRATCH_BPF_H

#include "bpf/dt_emit.bpf.h"
#include "bpf/dt_pending.bpf.h"
#include "bpf/unwind_copy.bpf.h"

/*
 * Returns the number of the parent process in the session's pid namespace, 0 if
 * it has none there.  Uses probe reads: the section is rare, and they are
 * cheap to verify.
 */
__noinline int
dt_parent(__u32 slot)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 parent = 0, signal = 0;
	__u32 tgid = 0;

	bpf_core_read(&parent, sizeof(parent), &task->real_parent);
	if (o->ses_nsinum == 0) {
		bpf_core_read(&tgid, sizeof(tgid),
		    &((struct task_struct *)parent)->tgid);
		return tgid;
	}
	bpf_core_read(&signal, sizeof(signal),
	    &((struct task_struct *)parent)->signal);
	return dt_ns_number(pidns_process(signal), o->ses_nslevel,
	    o->ses_nsinum);
}

/*
 * Passes an offset through memory and masks it.  The verifier thereby forgets
 * how the offset was computed and checks the code after a section once, not
 * once for each combination of the preceding sections.
 */
static __always_inline __u32
dt_forget(struct dt_scratch *s, __u32 off, __u32 mask)
{
	*(volatile __u32 *)&s->scr_off = off;
	return *(volatile __u32 *)&s->scr_off & mask;
}

/*
 * Appends a stack section at buf[off] and returns the offset after it.  flags:
 * of bpf_get_stack().
 */
static __always_inline __u32
dt_put_stack(void *ctx, __u8 *buf, __u32 off, __u64 flags, __u32 denied,
    __u32 nomm)
{
	struct dt_rec_stack *st = (struct dt_rec_stack *)(buf + off);
	__u32 nbytes;
	long n;

	*(__u64 *)st = 0;
	if (denied || nomm) {
		st->drs_end = denied ? DT_STACK_DENIED : DT_STACK_NOMM;
		return off + sizeof(*st);
	}
	n = bpf_get_stack(ctx, buf + off + sizeof(*st), DT_REC_MAXFRAMES * 8,
	    flags);
	if (n < 0) {
		st->drs_end = DT_STACK_ERRNO;
		st->drs_error = -n;
		return off + sizeof(*st);
	}
	nbytes = n;
	barrier_var(nbytes);
	nbytes &= 0x3f8; /* at most 127 frames */
	st->drs_count = nbytes / 8;
	st->drs_end = nbytes == DT_REC_MAXFRAMES * 8 ? DT_STACK_LIMIT
						     : DT_STACK_ENDED;
	return off + sizeof(*st) + nbytes;
}

/* Appends a section with the user stack by frame pointers. */
static __always_inline __u32
dt_put_frames(void *ctx, struct dt_scratch *s, __u32 off, __u32 nomm)
{
	__u32 end = dt_put_stack(ctx, s->scr_buf, off, BPF_F_USER_STACK, 0,
	    nomm);

	dt_pending(s, off);
	return end;
}

/* Whether a walk ended for want of what dtd can provide. */
static __always_inline int
dt_isunready(__u8 end)
{
	return end == DT_STACK_PENDING || end == DT_STACK_EVICTED ||
	    end == DT_STACK_NOMAP;
}

/*
 * Returns whether execve(2) has replaced the thread's memory but not yet its
 * registers.  For use after a walk, which reads the registers.
 */
static __always_inline int
dt_isreplaced(const struct dt_scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 word;

	return bpf_core_field_exists(task->in_execve) &&
	    BPF_CORE_READ_BITFIELD_PROBED(task, in_execve) &&
	    bpf_probe_read_user(&word, sizeof(word),
		(void *)s->scr_walk.uw_regs[UNWIND_AT_SP]) != 0;
}

/*
 * Counts a stack that was walked into the section at off, and returns the offset
 * after its n frames.
 */
static __always_inline __u32
dt_walked(struct dt_scratch *s, __u32 off, int n)
{
	unwind_count(&s->scr_walk.uw_end);
	return off + sizeof(struct dt_rec_stack) + (n & 0x7f) * 8;
}

/*
 * Appends a section with the user stack by unwind tables.  If the process or a
 * table is not ready, dtd receives a copy of the stack, and the section has the
 * stack by frame pointers and the copy's number.  Without a copy it has what is
 * known.
 */
static __noinline __u32
dt_put_table(void *ctx, struct dt_scratch *s, const struct dt_hit *h,
    __u32 slot, __u32 off)
{
	int n = dt_unwind(s, off, h->h_time), iscopied;
	struct dt_rec_stack *st;
	__u32 end;

	off &= 0x7f8;
	st = (struct dt_rec_stack *)(s->scr_buf + off);
	if (n > 0 && st->drs_end <= DT_STACK_LIMIT)
		return dt_walked(s, off, n);
	if (n != 0 && dt_isreplaced(s))
		return dt_put_stack(ctx, s->scr_buf, off, 0, 0, 1);
	if (n > 0 && !dt_isunready(st->drs_end))
		return dt_walked(s, off, n);
	iscopied = n != 0 && dt_copy(&s->scr_walk, slot, h->h_cpu);
	if (n > 0 && !iscopied)
		return dt_walked(s, off, n);
	end = dt_put_frames(ctx, s, off, 0);
	if (iscopied) {
		s->scr_iscopied = 1;
		st->drs_end = DT_STACK_PENDING;
		st->drs_how = DT_STACK_COPIED;
		st->drs_copy = s->scr_walk.uw_copy;
	} else if (n < 0 && st->drs_end == DT_STACK_ENDED) {
		st->drs_end = s->scr_walk.uw_end = DT_STACK_PENDING;
		unwind_count(&s->scr_walk.uw_end);
	}
	return end;
}

/* Appends a section with the user stack. */
static __always_inline __u32
dt_put_user(void *ctx, struct dt_scratch *s, const struct dt_hit *h, __u32 slot,
    __u32 off, const int tables)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];

	if (tables && (o->ses_flags & DT_SESS_TABLE) && !h->h_nomm)
		return dt_put_table(ctx, s, h, slot, off);
	return dt_put_frames(ctx, s, off, h->h_nomm);
}

/*
 * Appends arguments, return value, thread name and owner after the header.  A
 * record with both arguments and a return value is the second hit of a pair.
 */
static __always_inline __u32
dt_put_values(struct dt_scratch *s, const struct dt_hit *h, __u32 slot,
    __u32 want, __u32 *flags)
{
	__u32 off = sizeof(struct dt_rec);
	__u64 *p = (__u64 *)(s->scr_buf + off);
	struct dt_rec_who *who;

	if ((want & DT_EVT_FUNCARGS) && h->h_nargs > 0) {
		p[0] = h->h_args[0];
		p[1] = h->h_args[1];
		p[2] = h->h_args[2];
		p[3] = h->h_args[3];
		p[4] = h->h_args[4];
		p[5] = h->h_args[5];
		*flags |= DT_REC_ARGS;
		off += 8 * h->h_nargs;
	}
	off = dt_forget(s, off, 0xf8);
	if (h->h_isreturn) {
		p = (__u64 *)(s->scr_buf + off);
		p[0] = h->h_ret.drr_retval;
		p[1] = h->h_ret.drr_error;
		*flags |= DT_REC_RETVAL;
		off += sizeof(struct dt_rec_ret);
	}
	off = dt_forget(s, off, 0xf8);
	if (want & DT_EVT_EXECNAME) {
		p = (__u64 *)(s->scr_buf + off);
		p[0] = h->h_comm[0];
		p[1] = h->h_comm[1];
		*flags |= DT_REC_COMM;
		off += DT_REC_COMMLEN;
	}
	off = dt_forget(s, off, 0xf8);
	s->scr_keyed = off;
	if (want & DT_EVT_WHO) {
		who = (struct dt_rec_who *)(s->scr_buf + off);
		who->drw_cgroup = bpf_get_current_cgroup_id();
		who->drw_uid = h->h_uid;
		who->drw_ppid = dt_parent(slot);
		*flags |= DT_REC_WHO;
		off += sizeof(*who);
	}
	return dt_forget(s, off, 0xf8);
}

/*
 * Builds a record with all requested sections except strings.  Returns its
 * length.
 */
static __always_inline __u32
dt_build(void *ctx, struct dt_scratch *s, const struct dt_hit *h, __u32 slot,
    __u32 want, __u32 kskip, const int tables)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	__u32 flags = 0, off;

	off = dt_put_values(s, h, slot, want, &flags);
	if (want & DT_EVT_KSTACK) {
		flags |= DT_REC_KSTACK;
		off = dt_put_stack(ctx, s->scr_buf, off, kskip,
		    !(o->ses_flags & DT_SESS_KADDR), 0);
	}
	off = dt_forget(s, off, 0x7f8);
	if (want & DT_EVT_USTACK) {
		flags |= DT_REC_USTACK;
		off = dt_put_user(ctx, s, h, slot, off, tables);
	}
	off = dt_forget(s, off, 0xff8);
	dt_fill_head((struct dt_rec *)s->scr_buf, h, off, flags);
	return off;
}

/*
 * Wakes the data thread after bpf_ringbuf_output(), whose flags had to be
 * passed before the wake-up was known to be needed.  The empty record fits:
 * the data thread requests a wake-up only after it has found the ring empty.
 */
static __always_inline void
dt_wake_after(void *ring, struct dt_sess *o)
{
	void *p;

	if (dt_wake_flags(o) != BPF_RB_FORCE_WAKEUP)
		return;
	p = bpf_ringbuf_reserve(ring, 8, 0);
	if (p != NULL)
		bpf_ringbuf_discard(p, BPF_RB_FORCE_WAKEUP);
}

/* State of a record on the slow path. */
struct dt_way {
	struct dt_sess *wy_sess;
	struct dt_count *wy_count;
	struct dt_scratch *wy_scratch;
	void *wy_ring;
};

/*
 * Takes the scratch of this CPU.  Returns 0, and counts the hit, if there is
 * no ring or if an outer hit on this CPU holds the scratch.  The BSDs call the
 * latter recursed.
 */
static __always_inline int
dt_way_begin(struct dt_way *wy, const struct dt_hit *h, __u32 slot)
{
	__u32 cpu = h->h_cpu;

	wy->wy_sess = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	wy->wy_count = dt_count_of(slot, cpu);
	wy->wy_scratch = bpf_map_lookup_elem(&dt_scratch, &cpu);
	wy->wy_ring = dt_ring_of(slot, cpu);
	if (wy->wy_count == NULL || wy->wy_scratch == NULL)
		return 0; /* no such CPU: unreachable */
	if (wy->wy_ring == NULL) {
		dt_count_noring(wy->wy_count);
		return 0;
	}
	if (__sync_lock_test_and_set(&wy->wy_scratch->scr_busy, 1)) {
		__sync_fetch_and_add(&wy->wy_count->dc_fired, 1);
		__sync_fetch_and_add(&wy->wy_count->dc_recursed, 1);
		return 0;
	}
	return 1;
}

static __always_inline void
dt_way_end(struct dt_way *wy)
{
	__sync_lock_test_and_set(&wy->wy_scratch->scr_busy, 0);
}

/*
 * Sends the record of the given length from the scratch, and counts the hit.
 * Returns whether the ring had space.
 */
static __always_inline int
dt_way_send(struct dt_way *wy, __u32 length)
{
	int isfull = bpf_ringbuf_output(wy->wy_ring, wy->wy_scratch->scr_buf,
			 length, BPF_RB_NO_WAKEUP) != 0;

	if (isfull)
		__sync_fetch_and_add(&wy->wy_count->dc_dropped, 1);
	__sync_fetch_and_add(&wy->wy_count->dc_fired, 1);
	return !isfull;
}

/* Sends the record, and releases the scratch. */
static __always_inline void
dt_way_output(struct dt_way *wy, __u32 length)
{
	dt_way_send(wy, length);
	dt_way_end(wy);
	dt_wake_after(wy->wy_ring, wy->wy_sess);
}

#endif /* BPF_DT_EMIT_SCRATCH_BPF_H */
