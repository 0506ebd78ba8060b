/* SPDX-License-Identifier: ISC */
/*
 * Evaluates the condition of a request against a hit, in every program that can
 * emit events.  A jump leads only forward, so the number of steps,
 * DT_COND_NINSN, bounds the loop.  The daemon has validated every field of a
 * step before it writes the row; the checks here only satisfy the verifier.
 *
 * A comparison has no branches: stp_holds is the set of outcomes for which it
 * is true.  Maps: reads dt_conds, which only dtd writes.
 */
#ifndef BPF_DT_COND_BPF_H
#define BPF_DT_COND_BPF_H

#include "bpf/dt_hit.h"
#include "bpf/dt_maps.bpf.h"

/*
 * Returns the word of the hit that contains byte off.  Conditions read only
 * the first 16 words, so a mask suffices to bound the index.
 */
static __always_inline __u64
cond_word(const struct dt_hit *h, __u32 off)
{
	_Static_assert(__builtin_offsetof(struct dt_hit, h_duration) == 8 * 15,
	    "the last that is looked at");

	return ((const __u64 *)h)[off / 8 & 15];
}

/*
 * Compares a number and returns its enum dt_outcome.  The bits of v above its
 * size are ignored.  Has no branches, for both the verifier and the CPU.
 */
static __always_inline __u32
cond_compare(const struct dt_step *st, __u64 v)
{
	__u32 unused = (64 - 8 * st->stp_look.lo_size) & 63;
	__u64 issigned = st->stp_look.lo_issigned & 1, w = st->stp_value;
	__u64 differ, less, sign = -issigned;

	barrier_var(sign); /* prevents the compiler from making a branch */
	v <<= unused;
	v = v >> unused | (((__s64)v >> unused) & sign);
	v = (v & st->stp_mask) ^ issigned << 63;
	differ = v ^ w;
	barrier_var(differ); /* as above */
	less = ((~v & w) | (~differ & (v - w))) >> 63;
	differ = (differ | -differ) >> 63;
	barrier_var(less);
	return (DT_EQUAL + differ - 2 * less) & 3;
}

/* Returns the next step for an outcome. */
static __always_inline __u32
cond_next(const struct dt_step *st, __u32 outcome)
{
	__u32 mask = -(st->stp_holds >> outcome & 1U);

	barrier_var(mask); /* prevents the compiler from making a branch */
	return (st->stp_true & mask) | (st->stp_false & ~mask);
}

/*
 * Returns the address of a text, 0 if it cannot be read.  One word on the stack
 * serves both reads: on 6.1, the calls of a program share 512 bytes.
 */
static __always_inline __u64
cond_address(const struct dt_hit *h, const struct dt_look *lo)
{
	__u32 off = lo->lo_off;
	__u64 word = 0;

	if (lo->lo_how == DT_LOOK_RAWTEXT)
		return h->h_raw + off;
	if (lo->lo_how != DT_LOOK_RAWLOC && lo->lo_how != DT_LOOK_RAWUSER)
		return cond_word(h, off);
	if (bpf_probe_read_kernel(&word,
		lo->lo_how == DT_LOOK_RAWLOC ? sizeof(__u32) : sizeof(word),
		(void *)(h->h_raw + off)))
		return 0;
	return lo->lo_how == DT_LOOK_RAWLOC ? h->h_raw + (word & 0xffff) : word;
}

/*
 * Compares a text and returns its enum dt_outcome.  Reads one byte more than
 * stp_len, for the terminating NUL; unread bytes stay 0, as in cl_text.  The
 * loop's bound is the longest text of a condition.
 */
__noinline int
dt_cond_text(struct dt_hit *h, struct dt_cond_entry *cl, __u32 pc)
{
	__u64 text[DT_COND_TEXTWORDS] = {}, differ = 0, addr;
	const struct dt_step *st;
	__u32 i, size, first, how;
	long n;

	if (h == NULL || cl == NULL)
		return DT_UNKNOWN;
	st = &cl->ce_step[pc & (DT_COND_NINSN - 1)];
	how = st->stp_look.lo_how;
	size = st->stp_len + 1;
	if (size > sizeof(text))
		size = sizeof(text);
	barrier_var(size);
	if (how == DT_LOOK_COMM)
		n = bpf_probe_read_kernel_str(text, size, h->h_comm);
	else if ((addr = cond_address(h, &st->stp_look)) == 0)
		return DT_LESS;
	else if (how == DT_LOOK_USERTEXT || how == DT_LOOK_RAWUSER ||
	    (how == DT_LOOK_ADDRTEXT && (__s64)addr >= 0))
		n = bpf_probe_read_user_str(text, size, (void *)addr);
	else
		n = bpf_probe_read_kernel_str(text, size, (void *)addr);
	if (n < 0)
		return DT_UNKNOWN;
	first = st->stp_text;
	if (first > DT_COND_NWORDS)
		first = DT_COND_NWORDS;
	barrier_var(first);
	for (i = 0; i < DT_COND_TEXTWORDS; i++) {
		if (8 * i >= st->stp_len)
			break;
		differ |= text[i] ^ cl->ce_text[first + i];
	}
	return differ != 0 ? DT_LESS : DT_EQUAL;
}

/*
 * Returns the number that a step finds in a tracepoint's record; the bits above
 * its size are undefined.
 */
static __always_inline __u64
cond_raw(const struct dt_hit *h, const struct dt_look *lo)
{
	__u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (void *)(h->h_raw + lo->lo_off));
	return v;
}

/*
 * Returns a number of the hit or of the record; the bits above its size are
 * undefined.
 */
static __always_inline __u64
cond_number(const struct dt_hit *h, const struct dt_look *lo)
{
	__u32 off = lo->lo_off;

	if (lo->lo_how == DT_LOOK_HIT)
		return cond_word(h, off) >> (off % 8 * 8);
	return cond_raw(h, lo);
}

/* The same, sign-extended or zero-extended. */
static __always_inline __u64
cond_value(const struct dt_hit *h, const struct dt_look *lo)
{
	__u32 unused = (64 - 8 * lo->lo_size) & 63;
	__u64 v = cond_number(h, lo) << unused;

	return lo->lo_issigned ? (__u64)((__s64)v >> unused) : v >> unused;
}

/*
 * Evaluates one step that reads outside of the hit, and returns the next step.
 * A separate function, so that the verifier checks it once and not once for
 * each step.  If a text cannot be read, the hit passes regardless of the other
 * comparisons; the event then shows the error.
 */
__noinline int
dt_cond_step(struct dt_hit *h, struct dt_cond_entry *cl, __u32 pc)
{
	const struct dt_step *st;
	__u32 outcome;

	if (h == NULL || cl == NULL)
		return DT_COND_PASS;
	st = &cl->ce_step[pc & (DT_COND_NINSN - 1)];
	if (st->stp_look.lo_how >= DT_LOOK_COMM)
		outcome = dt_cond_text(h, cl, pc);
	else
		outcome = cond_compare(st, cond_raw(h, &st->stp_look));
	if (outcome >= DT_UNKNOWN)
		return DT_COND_PASS;
	return cond_next(st, outcome);
}

/*
 * Returns whether the hit passes.  Steps that read only the hit itself are
 * inline, because each return from a function is slow on CPUs with return
 * mitigations.
 */
__noinline int
dt_cond_passes(struct dt_hit *h, __u32 line)
{
	struct dt_cond_entry *cl = bpf_map_lookup_elem(&dt_conds, &line);
	const struct dt_step *st;
	__u32 pc = 0, off;
	int i;

	if (h == NULL || cl == NULL)
		return 1;
	for (i = 0; i < DT_COND_NINSN && pc < DT_COND_FAIL; i++) {
		st = &cl->ce_step[pc & (DT_COND_NINSN - 1)];
		off = st->stp_look.lo_off;
		if (st->stp_look.lo_how != DT_LOOK_HIT)
			pc = dt_cond_step(h, cl, pc);
		else
			pc = cond_next(st,
			    cond_compare(st,
				cond_word(h, off) >> (off % 8 * 8)));
	}
	return pc != DT_COND_FAIL;
}

#endif /* BPF_DT_COND_BPF_H */
