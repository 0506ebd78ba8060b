/* SPDX-License-Identifier: ISC */
/*
 * Takes the steps of a probe's reads (DTIOCSREADS), and appends what they find
 * to the record in the CPU's scratch, as strings with DT_STR_READ.  dtd has
 * checked every field of a read; the tests here only satisfy the verifier.
 *
 * Only in programs with unwind tables, which serve all sessions with reads, so
 * that other programs do not take longer to load.  Maps: reads dt_reads, which
 * only dtd writes.
 */
#ifndef BPF_DT_READS_BPF_H
#define BPF_DT_READS_BPF_H

#include "bpf/dt_strings.bpf.h"

_Static_assert(DT_READ_MAXBYTES == DT_REC_MAXMEMORY, "bytes of a read");
_Static_assert(DT_READ_MAXTEXT == DT_REC_MAXPATH - 1, "text of a read");

/* Reads memory: of the kernel, if the address is there and the read may. */
static __always_inline long
reads_copy(const struct dt_read *mr, void *to, __u32 size, __u64 addr)
{
	return (__s64)addr < 0 && (mr->mrd_reserved & DT_READ_USER) == 0
	    ? bpf_probe_read_kernel(to, size, (void *)addr)
	    : bpf_probe_read_user(to, size, (void *)addr);
}

/* The same for a text. */
static __always_inline long
reads_copy_text(const struct dt_read *mr, void *to, __u32 size, __u64 addr)
{
	return (__s64)addr < 0 && (mr->mrd_reserved & DT_READ_USER) == 0
	    ? bpf_probe_read_kernel_str(to, size, (void *)addr)
	    : bpf_probe_read_user_str(to, size, (void *)addr);
}

/* Returns the pointer with which a read begins. */
static __always_inline __u64
reads_base(const struct dt_scratch *s, const struct dt_hit *h,
    const struct dt_read *mr)
{
	const struct dt_rec *rec = (const struct dt_rec *)s->scr_buf;
	__u32 argn = mr->mrd_argn;

	switch (mr->mrd_base) {
	case DT_READ_ARG:
		if ((rec->dr_flags & DT_REC_ARGS) == 0 ||
		    argn >= DT_REC_NARGS || argn >= h->h_nargs)
			return 0;
		barrier_var(argn);
		return *(const __u64 *)(s->scr_buf + sizeof(*rec) +
		    8 * (argn & 31));
	case DT_READ_RETVAL:
		return h->h_ret.drr_retval;
	default:
		return (__u64)bpf_get_current_task();
	}
}

/*
 * Takes all steps but the last.  Returns 0, or a negative errno; *addr is where
 * the last step leads.  The loop's bound is the number of steps of a read.
 */
static __always_inline long
reads_walk(const struct dt_read *mr, __u64 *addr)
{
	__u32 i, n = mr->mrd_nsteps;
	long error;

	for (i = 0; i < DT_READ_NSTEPS && i < n; i++) {
		*addr += mr->mrd_off[i];
		if (i + 1 == n)
			return 0;
		error = reads_copy(mr, addr, sizeof(*addr), *addr);
		if (error < 0)
			return error;
	}
	return 0;
}

static __always_inline void
reads_text(struct dt_scratch *s, const struct dt_read *mr, __u64 addr,
    __u32 entry)
{
	void *to = s->scr_buf + fetch_pos(s) + FETCH_HEAD;
	__u32 size = mr->mrd_size;

	if (size > DT_READ_MAXTEXT)
		size = DT_READ_MAXTEXT; /* unreachable */
	size++;				/* the NUL */
	barrier_var(size);
	if (size > DT_REC_MAXPATH)
		return;
	fetch_text(s, entry, reads_copy_text(mr, to, size, addr));
}

static __always_inline void
reads_bytes(struct dt_scratch *s, const struct dt_read *mr, __u64 addr,
    __u32 entry)
{
	void *to = s->scr_buf + fetch_pos(s) + FETCH_HEAD;
	__u32 size = mr->mrd_size;
	long error;

	if (size > DT_READ_MAXBYTES)
		size = DT_READ_MAXBYTES; /* unreachable */
	barrier_var(size);
	error = reads_copy(mr, to, size, addr);
	if (error < 0)
		fetch_add(s, entry, -error, 0, 0);
	else
		fetch_add(s, entry, 0, size, size);
}

/* Appends the result of a read.  A separate function for the verifier. */
__noinline int
dt_read_one(struct dt_scratch *s, struct dt_hit *h, struct dt_read *mr,
    __u32 number)
{
	const __u32 entry = FETCH_ENTRY(number, DT_STR_READ);
	__u64 addr;
	long error;

	if (s == NULL || h == NULL || mr == NULL)
		return 0;
	addr = reads_base(s, h, mr);
	if (mr->mrd_nsteps == 0) {
		*(__u64 *)(s->scr_buf + fetch_pos(s) + FETCH_HEAD) = addr;
		fetch_add(s, entry, 0, sizeof(addr), sizeof(addr));
		return 0;
	}
	if ((error = reads_walk(mr, &addr)) < 0)
		fetch_add(s, entry, -error, 0, 0);
	else if (mr->mrd_kind == DT_READ_TEXT)
		reads_text(s, mr, addr, entry);
	else
		reads_bytes(s, mr, addr, entry);
	return 0;
}

/*
 * Appends the results of all reads of a request to a record that has all other
 * sections of a hit.  Returns its length.
 */
__noinline int
dt_read_all(struct dt_scratch *s, struct dt_hit *h, struct dt_req *r,
    __u32 length)
{
	struct dt_readrow *row;
	__u32 i, line;

	if (s == NULL || h == NULL || r == NULL ||
	    (r->rq_bits & DT_REQ_PAIR) != 0 || r->rq_reads == 0)
		return length;
	line = r->rq_reads;
	if ((row = bpf_map_lookup_elem(&dt_reads, &line)) == NULL)
		return length; /* unreachable */
	if ((((struct dt_rec *)s->scr_buf)->dr_flags & DT_REC_STRINGS) == 0)
		fetch_begin(s);
	for (i = 0; i < DT_READ_MAX; i++)
		if (i < row->rdr_n)
			dt_read_one(s, h, &row->rdr_read[i], i);
	return fetch_end(s, s->scr_strings);
}

/* The same; does nothing in programs without tables, a constant. */
static __always_inline __u32
dt_put_reads(struct dt_scratch *s, struct dt_hit *h, struct dt_req *r,
    __u32 length, const int tables)
{
	return tables ? (__u32)dt_read_all(s, h, r, length) : length;
}

#endif /* BPF_DT_READS_BPF_H */
