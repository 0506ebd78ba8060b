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

/* Returns a register of the hit, 0 if it cannot be read. */
static __always_inline __u64
reads_register(const struct dt_scratch *s, __u32 n)
{
	__u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (void *)(s->scr_regs + 8 * n));
	return v;
}

/* Returns the base of a read. */
static __always_inline __u64
reads_base(const struct dt_scratch *s, const struct dt_hit *h,
    const struct dt_read *mr)
{
	const struct dt_rec *rec = (const struct dt_rec *)s->scr_buf;
	const __u64 *args = (const __u64 *)(s->scr_buf + sizeof(*rec));
	__u32 argn = mr->mrd_argn;

	switch (mr->mrd_base) {
	case DT_READ_ARG:
		if ((rec->dr_flags & DT_REC_ARGS) == 0 ||
		    argn >= DT_REC_NARGS || argn >= h->h_nargs)
			return 0;
		barrier_var(argn);
		return args[argn & 31];
	case DT_READ_RETVAL:
		return h->h_ret.drr_retval;
	case DT_READ_CONST:
		return 0;
	case DT_READ_REG:
		return reads_register(s, argn);
	default:
		return (__u64)bpf_get_current_task();
	}
}

/* The steps of a read, while they are taken. */
struct reads_walk {
	const struct dt_read *rwk_read;
	__u64 rwk_addr;
	__s64 rwk_error;
};

/* Takes a step, and loads the next pointer unless it is the last one. */
static long
reads_step(__u32 i, void *arg)
{
	struct reads_walk *rw = arg;
	const struct dt_read *mr = rw->rwk_read;

	if (i >= DT_READ_NSTEPS)
		return 1; /* unreachable */
	rw->rwk_addr += mr->mrd_off[i];
	if (i + 1 >= mr->mrd_nsteps)
		return 1;
	rw->rwk_error = reads_copy(mr, &rw->rwk_addr, sizeof(rw->rwk_addr),
	    rw->rwk_addr);
	return rw->rwk_error < 0;
}

/* Copies the result.  Returns its bytes, or a negative errno. */
static __always_inline long
reads_result(const struct dt_read *mr, void *to, __u64 addr)
{
	__u32 size = mr->mrd_size;
	long n;

	if (mr->mrd_kind == DT_READ_TEXT) {
		size++; /* the NUL */
		barrier_var(size);
		if (size > DT_REC_MAXPATH)
			return 0; /* unreachable */
		n = reads_copy_text(mr, to, size, addr);
		return n > 0 ? n - 1 : n;
	}
	barrier_var(size);
	if (size > DT_READ_MAXBYTES)
		return 0; /* unreachable */
	n = reads_copy(mr, to, size, addr);
	return n < 0 ? n : size;
}

/* Appends the result of a read.  A separate function for the verifier. */
__noinline int
dt_read_one(struct dt_scratch *s, struct dt_hit *h, struct dt_read *mr,
    __u32 number)
{
	struct reads_walk rw = {};
	long n = sizeof(rw.rwk_addr);
	void *to;

	if (s == NULL || h == NULL || mr == NULL)
		return 0;
	rw.rwk_read = mr;
	rw.rwk_addr = reads_base(s, h, mr) + mr->mrd_disp;
	to = s->scr_buf + fetch_pos(s) + FETCH_HEAD;
	bpf_loop(mr->mrd_nsteps, reads_step, &rw, 0);
	if (mr->mrd_nsteps == 0)
		*(__u64 *)to = rw.rwk_addr;
	else if (rw.rwk_error < 0)
		n = rw.rwk_error;
	else
		n = reads_result(mr, to, rw.rwk_addr);
	barrier_var(n);
	/* the true length of a text that was cut is unknown */
	fetch_add(s, FETCH_ENTRY(number, DT_STR_READ), n < 0 ? -n : 0,
	    n < 0 ? 0 : n, n == DT_READ_MAXTEXT ? FETCH_TRUEMAX : n);
	return 0;
}

/* The reads of a request, while they are done. */
struct reads_all {
	struct dt_scratch *rda_scratch;
	struct dt_hit *rda_hit;
	struct dt_readrow *rda_row;
};

static long
reads_round(__u32 i, void *arg)
{
	struct reads_all *ra = arg;

	i &= DT_READ_MAX - 1;
	dt_read_one(ra->rda_scratch, ra->rda_hit, &ra->rda_row->rdr_read[i], i);
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
	struct reads_all ra = {};
	__u32 line;

	if (s == NULL || h == NULL || r == NULL ||
	    (r->rq_bits & DT_REQ_PAIR) != 0 || r->rq_reads == 0)
		return length;
	line = r->rq_reads;
	ra.rda_scratch = s;
	ra.rda_hit = h;
	if ((ra.rda_row = bpf_map_lookup_elem(&dt_reads, &line)) == NULL)
		return length; /* unreachable */
	if ((((struct dt_rec *)s->scr_buf)->dr_flags & DT_REC_STRINGS) == 0)
		fetch_begin(s);
	bpf_loop(ra.rda_row->rdr_n, reads_round, &ra, 0);
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
