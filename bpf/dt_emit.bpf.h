/* SPDX-License-Identifier: ISC */
/*
 * From a hit to a record: the filters of an open, then one of two ways into
 * its ring.  Records without stacks, owner and strings have a size that is
 * known when this is compiled: reserve, fill, submit.  The others are put
 * together in the CPU's scratch and copied with their true length.
 *
 * Every way that loses a hit counts it.  The data thread is waked only when
 * it sleeps (do_armed); that a record is seen before the word is looked at
 * is due to the atomic count between the two, a full barrier: the data thread
 * sets the word and then looks into the ring.
 */
#ifndef BPF_DT_EMIT_BPF_H
#define BPF_DT_EMIT_BPF_H

#include "dt_vmlinux.h"
#include "dt_cond.bpf.h"
#include "dt_hit.h"
#include "dt_maps.bpf.h"
#include "dt_ns.bpf.h"

/*
 * Pointers are read here, once a program: for each load of a pointer the
 * verifier of newer kernels searches the BTF of the whole kernel, a
 * millisecond a time, on each path that leads to it.
 */
static __always_inline void
dt_hit_task(struct dt_hit *h, struct task_struct *task)
{
	h->h_time = bpf_ktime_get_ns();
	h->h_pid = task->tgid;
	h->h_tid = task->pid;
	h->h_comm[0] = *(__u64 *)&task->comm[0];
	h->h_comm[1] = *(__u64 *)&task->comm[8];
	h->h_cpu = bpf_get_smp_processor_id();
	h->h_uid = task->real_cred->uid.val;
	h->h_nomm = task->mm == NULL;
	h->h_kpid = h->h_pid;
	h->h_ktid = h->h_tid;
	h->h_signal = (__u64)task->signal;
	h->h_raw = 0;
}

/* Whether the filter of the open lets this hit pass: no branch, see dt_open. */
static __always_inline int
dt_passes(const struct dt_open *o, const struct dt_hit *h)
{
	return (((DT_ID(h->h_pid, h->h_tid) ^ o->do_id) & o->do_idmask) |
		   ((h->h_uid ^ o->do_uid) & o->do_uidmask) |
		   (((h->h_comm[0] ^ o->do_comm[0]) |
			(h->h_comm[1] ^ o->do_comm[1])) &
		       o->do_commmask)) == 0;
}

/*
 * For an open of another pid namespace: gives the hit the numbers that are
 * known there, and applies the filter that is written in them.  0: it is
 * not in that namespace, and no hit for this open.  Late in exit a thread
 * has no number any more.
 */
__noinline int
dt_ns_enter(struct dt_hit *h, __u32 slot)
{
	struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	__u64 thread;

	if (h == NULL)
		return 0;
	thread = dt_ns_thread(bpf_get_current_task_btf());
	h->h_tid = dt_ns_number(thread, o->do_nslevel, o->do_nsinum);
	h->h_pid = dt_ns_number(dt_ns_process(h->h_signal), o->do_nslevel,
	    o->do_nsinum);
	return h->h_tid != 0 && h->h_pid != 0 &&
	    ((DT_ID(h->h_pid, h->h_tid) ^ o->do_nsid) & o->do_nsidmask) == 0;
}

/*
 * The parent's number, where the open counts from: 0 if it has none there.  By
 * probe reads, as the section is rare and this way costs little to verify.
 */
__noinline int
dt_parent(__u32 slot)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 parent = 0, signal = 0;
	__u32 tgid = 0;

	bpf_core_read(&parent, sizeof(parent), &task->real_parent);
	if (o->do_nsinum == 0) {
		bpf_core_read(&tgid, sizeof(tgid),
		    &((struct task_struct *)parent)->tgid);
		return tgid;
	}
	bpf_core_read(&signal, sizeof(signal),
	    &((struct task_struct *)parent)->signal);
	return dt_ns_number(dt_ns_process(signal), o->do_nslevel, o->do_nsinum);
}

/* Back to the numbers of the initial namespace, for the next open. */
static __always_inline void
dt_ns_leave(struct dt_hit *h)
{
	h->h_pid = h->h_kpid;
	h->h_tid = h->h_ktid;
}

/*
 * Whether the thread is in the open's cgroup, or one below it.  A function of
 * its own, as few opens ask.
 */
__noinline int
dt_in_cgroup(__u32 slot)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	__u64 id;
	int level;

	if (o->do_cglevel != DT_CGROUP_ANYLEVEL)
		return bpf_get_current_ancestor_cgroup_id(o->do_cglevel) ==
		    o->do_cgroup;
	for (level = 0; level < DT_CGROUP_MAXLEVEL; level++) {
		id = bpf_get_current_ancestor_cgroup_id(level);
		if (id == 0 || id == o->do_cgroup)
			return id != 0;
	}
	return 0;
}

/* Whether the open follows this process, or whoever it is. */
static __always_inline int
dt_follows(const struct dt_open *o, const struct dt_hit *h, __u32 slot)
{
	__u64 key = h->h_signal;
	const struct dt_follow *f;

	if ((o->do_flags & DT_OPEN_FOLLOW) == 0)
		return 1;
	f = bpf_map_lookup_elem(&dt_followed, &key);
	return f != NULL && (f->fo_mask[slot / 64 & 1] >> (slot % 64) & 1);
}

/* Whether this hit is of dtd or of a client that records. */
static __always_inline int
dt_left_out(const struct dt_open *o, const struct dt_req *r,
    const struct dt_hit *h)
{
	__u32 pid = h->h_kpid;

	if ((dt_table.t_excluded[DT_EXCLUDE_WORD(pid)] & DT_EXCLUDE_BIT(pid)) ==
	    0)
		return 0;
	if (((o->do_flags & DT_OPEN_SELF) | (r->dr_bits & DT_REQ_NAMES)) != 0)
		return 0;
	return bpf_map_lookup_elem(&dt_excluded, &pid) != NULL;
}

/* The flags of a submit: a wake-up if the data thread asked for one. */
static __always_inline __u64
dt_wake_flags(struct dt_open *o)
{
	if (o->do_armed && __sync_lock_test_and_set(&o->do_armed, 0))
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline void
dt_fill_head(struct dt_rec *rec, const struct dt_hit *h, __u32 length,
    __u32 flags)
{
	rec->dr_length = length;
	rec->dr_kind = DT_REC_EVENT;
	rec->dr_flags = flags;
	rec->dr_pbn = h->h_pbn;
	rec->dr_time = h->h_time;
	rec->dr_pid = h->h_pid;
	rec->dr_tid = h->h_tid;
}

/*
 * Counts, and is a full barrier.  An add whose result nobody takes is compiled
 * to an instruction that arm64 does not order with any other.
 */
static __always_inline void
dt_count_barrier(__u64 *counter)
{
	__u64 was = __sync_fetch_and_add(counter, 1);

	barrier_var(was);
}

/*
 * A record of nargs arguments or a return value, with or without name.  The
 * three are constants where this is inlined, so the size is one, too.
 */
static __always_inline int
dt_emit_shape(void *ring, struct dt_count *c, struct dt_open *o,
    const struct dt_hit *h, const __u32 nargs, const int isreturn,
    const int comm)
{
	const __u32 size = sizeof(struct dt_rec) + 8 * nargs +
	    (isreturn ? sizeof(struct dt_rec_ret) : 0) +
	    (comm ? DT_REC_COMMLEN : 0);
	struct dt_rec *rec;
	__u64 *p;

	rec = bpf_ringbuf_reserve(ring, size, 0);
	dt_count_barrier(&c->dc_fired);
	if (rec == NULL) {
		__sync_fetch_and_add(&c->dc_dropped, 1);
		return 0;
	}
	dt_fill_head(rec, h, size,
	    (nargs ? DT_REC_ARGS : 0) | (isreturn ? DT_REC_RETVAL : 0) |
		(comm ? DT_REC_COMM : 0));
	p = (__u64 *)(rec + 1);
	if (nargs > 0)
		*p++ = h->h_args[0];
	if (nargs > 1)
		*p++ = h->h_args[1];
	if (nargs > 2)
		*p++ = h->h_args[2];
	if (nargs > 3)
		*p++ = h->h_args[3];
	if (nargs > 4)
		*p++ = h->h_args[4];
	if (nargs > 5)
		*p++ = h->h_args[5];
	if (isreturn) {
		*p++ = h->h_ret.drr_retval;
		*p++ = h->h_ret.drr_error;
	}
	if (comm) {
		*p++ = h->h_comm[0];
		*p++ = h->h_comm[1];
	}
	bpf_ringbuf_submit(rec, dt_wake_flags(o));
	return 0;
}

static __always_inline int
dt_emit_named(void *ring, struct dt_count *c, struct dt_open *o,
    const struct dt_hit *h, const __u32 nargs, const int isreturn, __u32 want)
{
	if (want & DT_EVT_EXECNAME)
		return dt_emit_shape(ring, c, o, h, nargs, isreturn, 1);
	return dt_emit_shape(ring, c, o, h, nargs, isreturn, 0);
}

/* Chooses the shape; want: DT_EVT_* without stacks. */
static __always_inline int
dt_emit_fixed(void *ring, struct dt_count *c, struct dt_open *o,
    const struct dt_hit *h, __u32 want)
{
	if (h->h_isreturn)
		return dt_emit_named(ring, c, o, h, 0, 1, want);
	switch (want & DT_EVT_FUNCARGS ? h->h_nargs : 0) {
	case 0:
		return dt_emit_named(ring, c, o, h, 0, 0, want);
	case 1:
		return dt_emit_named(ring, c, o, h, 1, 0, want);
	case 2:
		return dt_emit_named(ring, c, o, h, 2, 0, want);
	case 3:
		return dt_emit_named(ring, c, o, h, 3, 0, want);
	case 4:
		return dt_emit_named(ring, c, o, h, 4, 0, want);
	case 5:
		return dt_emit_named(ring, c, o, h, 5, 0, want);
	default:
		return dt_emit_named(ring, c, o, h, 6, 0, want);
	}
}

/* The ring of an open on this CPU, or NULL: the CPU came after the rings. */
static __always_inline void *
dt_ring_of(__u32 slot, __u32 cpu)
{
	__u32 i = slot * dt_ncpu + cpu;

	return bpf_map_lookup_elem(&dt_rings, &i);
}

/* A hit for an open whose CPU has no ring. */
static __always_inline void
dt_count_noring(struct dt_count *c)
{
	__sync_fetch_and_add(&c->dc_fired, 1);
	__sync_fetch_and_add(&c->dc_dropped, 1);
}

/*
 * Sends an offset through memory and cuts it to the bits of mask, so that the
 * verifier forgets how it came about: what follows a section is looked at
 * once, not once for each combination of the sections before.
 */
static __always_inline __u32
dt_forget(struct dt_scratch *s, __u32 off, __u32 mask)
{
	*(volatile __u32 *)&s->ds_off = off;
	return *(volatile __u32 *)&s->ds_off & mask;
}

/*
 * Appends a stack section at buf[off] and returns the offset behind it.
 * flags: of bpf_get_stack().
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
	nbytes &= 0x3f8; /* 127 frames at most */
	st->drs_count = nbytes / 8;
	st->drs_end = nbytes == DT_REC_MAXFRAMES * 8 ? DT_STACK_LIMIT
						     : DT_STACK_ENDED;
	return off + sizeof(*st) + nbytes;
}

/* Appends arguments and return value, name and owner behind the header: a hit
 * that has both is the second of a pair. */
static __always_inline __u32
dt_put_values(struct dt_scratch *s, const struct dt_hit *h, __u32 slot,
    __u32 want, __u32 *flags)
{
	__u32 off = sizeof(struct dt_rec);
	__u64 *p = (__u64 *)(s->ds_buf + off);
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
		p = (__u64 *)(s->ds_buf + off);
		p[0] = h->h_ret.drr_retval;
		p[1] = h->h_ret.drr_error;
		*flags |= DT_REC_RETVAL;
		off += sizeof(struct dt_rec_ret);
	}
	off = dt_forget(s, off, 0xf8);
	if (want & DT_EVT_EXECNAME) {
		p = (__u64 *)(s->ds_buf + off);
		p[0] = h->h_comm[0];
		p[1] = h->h_comm[1];
		*flags |= DT_REC_COMM;
		off += DT_REC_COMMLEN;
	}
	off = dt_forget(s, off, 0xf8);
	if (want & DT_EVT_WHO) {
		who = (struct dt_rec_who *)(s->ds_buf + off);
		who->drw_cgroup = bpf_get_current_cgroup_id();
		who->drw_uid = h->h_uid;
		who->drw_ppid = dt_parent(slot);
		*flags |= DT_REC_WHO;
		off += sizeof(*who);
	}
	return dt_forget(s, off, 0xf8);
}

/* Puts a record with all that is wanted together but strings; returns its
 * length. */
static __always_inline __u32
dt_build(void *ctx, struct dt_scratch *s, const struct dt_hit *h, __u32 slot,
    __u32 want, __u32 kskip)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	__u32 flags = 0, off;

	off = dt_put_values(s, h, slot, want, &flags);
	if (want & DT_EVT_KSTACK) {
		flags |= DT_REC_KSTACK;
		off = dt_put_stack(ctx, s->ds_buf, off, kskip,
		    !(o->do_flags & DT_OPEN_KADDR), 0);
	}
	off = dt_forget(s, off, 0x7f8);
	if (want & DT_EVT_USTACK) {
		flags |= DT_REC_USTACK;
		off = dt_put_stack(ctx, s->ds_buf, off, BPF_F_USER_STACK, 0,
		    h->h_nomm);
	}
	off = dt_forget(s, off, 0xff8);
	dt_fill_head((struct dt_rec *)s->ds_buf, h, off, flags);
	return off;
}

/*
 * Wakes the data thread after an output, whose flags had to be decided
 * before it.  There is room for the empty record: the data thread asks for
 * a wake-up only when it has found the ring empty.
 */
static __always_inline void
dt_wake_after(void *ring, struct dt_open *o)
{
	void *p;

	if (dt_wake_flags(o) != BPF_RB_FORCE_WAKEUP)
		return;
	p = bpf_ringbuf_reserve(ring, 8, 0);
	if (p != NULL)
		bpf_ringbuf_discard(p, BPF_RB_FORCE_WAKEUP);
}

/* What a record needs on its way through the scratch. */
struct dt_way {
	struct dt_open *wy_open;
	struct dt_count *wy_count;
	struct dt_scratch *wy_scratch;
	void *wy_ring;
};

/*
 * Takes the scratch of this CPU.  A hit that comes while an outer hit of this
 * CPU is using it is what the BSDs call recursed.  0: there is no way, and
 * that is counted.
 */
static __always_inline int
dt_way_begin(struct dt_way *wy, const struct dt_hit *h, __u32 slot)
{
	__u32 cpu = h->h_cpu;

	wy->wy_open = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	wy->wy_count = dt_count_of(slot, cpu);
	wy->wy_scratch = bpf_map_lookup_elem(&dt_scratch, &cpu);
	wy->wy_ring = dt_ring_of(slot, cpu);
	if (wy->wy_count == NULL || wy->wy_scratch == NULL)
		return 0; /* no such CPU: cannot be */
	if (wy->wy_ring == NULL) {
		dt_count_noring(wy->wy_count);
		return 0;
	}
	if (__sync_lock_test_and_set(&wy->wy_scratch->ds_busy, 1)) {
		__sync_fetch_and_add(&wy->wy_count->dc_fired, 1);
		__sync_fetch_and_add(&wy->wy_count->dc_recursed, 1);
		return 0;
	}
	return 1;
}

static __always_inline void
dt_way_end(struct dt_way *wy)
{
	__sync_lock_test_and_set(&wy->wy_scratch->ds_busy, 0);
}

/* The record is in the scratch, so many bytes. */
static __always_inline void
dt_way_output(struct dt_way *wy, __u32 length)
{
	if (bpf_ringbuf_output(wy->wy_ring, wy->wy_scratch->ds_buf, length,
		BPF_RB_NO_WAKEUP) != 0)
		__sync_fetch_and_add(&wy->wy_count->dc_dropped, 1);
	__sync_fetch_and_add(&wy->wy_count->dc_fired, 1);
	dt_way_end(wy);
	dt_wake_after(wy->wy_ring, wy->wy_open);
}

/* A record without strings through the scratch.  kskip: frames of the kernel
 * stack that belong to the hook itself. */
static __always_inline int
dt_emit_scratch(void *ctx, const struct dt_hit *h, __u32 slot, __u32 want,
    __u32 kskip)
{
	struct dt_way wy;

	if (dt_way_begin(&wy, h, slot))
		dt_way_output(&wy,
		    dt_build(ctx, wy.wy_scratch, h, slot, want, kskip));
	return 0;
}

/*
 * One open's share of a hit that has passed its filter.  Returns 1 if the
 * record needs the scratch, and so the caller's context, else 0: done.
 */
static __always_inline int
dt_hit_open(struct dt_hit *h, const struct dt_req *r, __u32 slot)
{
	struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	struct dt_count *c;
	void *ring;

	if (o->do_nsinum != 0 && !dt_ns_enter(h, slot))
		return 0;
	if ((o->do_flags & DT_OPEN_CGROUP) && !dt_in_cgroup(slot))
		return 0;
	/* the second of a pair has to be one first: dt_pair_end() */
	if (r->dr_cond != 0 && (r->dr_bits & DT_REQ_TO) == 0 &&
	    !dt_cond_passes(h, r->dr_cond))
		return 0;
	c = dt_count_of(slot, h->h_cpu);
	if (c == NULL)
		return 0;
	if (dt_left_out(o, r, h)) {
		__sync_fetch_and_add(&c->dc_excluded, 1);
		return 0;
	}
	if ((r->dr_evtflags & DT_EVT_LONG) | (r->dr_bits & DT_REQ_SCRATCH))
		return 1;
	ring = dt_ring_of(slot, h->h_cpu);
	if (ring == NULL) {
		dt_count_noring(c);
		return 0;
	}
	return dt_emit_fixed(ring, c, o, h, r->dr_evtflags);
}

#endif /* BPF_DT_EMIT_BPF_H */
