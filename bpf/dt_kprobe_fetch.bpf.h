/* SPDX-License-Identifier: ISC */
/*
 * Reads strings that the arguments of a function point to, in kernel or user
 * memory according to the address.  isuser: in user memory only, since a user
 * program can pass any address.
 */
#ifndef BPF_DT_KPROBE_FETCH_BPF_H
#define BPF_DT_KPROBE_FETCH_BPF_H

#include "bpf/dt_kprobe_table.h"
#include "bpf/dt_strings.bpf.h"

/* Appends the string at addr, as an entry of FETCH_ENTRY(). */
__noinline int
dt_kfetch_string(struct dt_scratch *s, __u64 addr, __u32 entry, __u32 isuser)
{
	void *to;
	long n;

	if (s == NULL || addr == 0)
		return 0;
	to = s->scr_buf + fetch_pos(s) + FETCH_HEAD;
	if ((__s64)addr < 0 && !isuser)
		n = bpf_probe_read_kernel_str(to, DT_REC_MAXPATH, (void *)addr);
	else
		n = bpf_probe_read_user_str(to, DT_REC_MAXPATH, (void *)addr);
	fetch_text(s, entry, n);
	return 0;
}

/* Appends the strings of arguments at h_raw. */
static __always_inline void
kfetch_more(struct dt_scratch *s, const struct dt_hit *h,
    const struct dt_kprobe_entry *l)
{
	__u64 addr;
	int i;

	for (i = DT_UPLACE_HARGS; i < DT_UPLACE_NARGS; i++) {
		if ((l->kl_texts >> i & 1) == 0)
			continue;
		addr = 0;
		bpf_probe_read_kernel(&addr, sizeof(addr),
		    (__u64 *)h->h_raw + (i - DT_UPLACE_HARGS));
		dt_kfetch_string(s, addr, FETCH_ENTRY(i, 0), 1);
	}
}

/*
 * Appends the strings of all arguments to a record that has all its other
 * sections.  Returns its length.
 */
__noinline int
dt_kfetch_all(struct dt_scratch *s, struct dt_hit *h, struct dt_kprobe_entry *l,
    __u32 isuser)
{
	__u32 begin;
	int i;

	if (s == NULL || h == NULL || l == NULL)
		return 0;
	begin = fetch_begin(s);
	for (i = 0; i < DT_UPLACE_HARGS; i++)
		if (l->kl_texts >> i & 1)
			dt_kfetch_string(s, h->h_args[i], FETCH_ENTRY(i, 0),
			    isuser);
	if (l->kl_texts >> DT_UPLACE_HARGS)
		kfetch_more(s, h, l);
	return fetch_end(s, begin);
}

/*
 * The same of the string that a function returns.  In a pair, the strings that
 * were kept at its first hit precede it.
 */
__noinline int
dt_kfetch_result(struct dt_scratch *s, struct dt_hit *h,
    struct dt_kprobe_entry *l, __u32 isuser)
{
	struct dt_keep *kp;
	__u32 begin, ntext;

	if (s == NULL || h == NULL || l == NULL)
		return 0;
	begin = fetch_begin(s);
	kp = &s->scr_keep;
	ntext = kp->keep_ntext;
	if ((l->kl_req.rq_bits & DT_REQ_KEEP) &&
	    ntext > sizeof(struct dt_rec_strings) && ntext <= DT_KEEP_TEXT &&
	    begin <= DT_HEAD_BYTES) {
		__builtin_memcpy(s->scr_buf + (begin & ~7U), kp->keep_text,
		    DT_KEEP_TEXT);
		s->scr_pos = begin + ntext;
		s->scr_left -= ntext - sizeof(struct dt_rec_strings);
		s->scr_nstr = *(__u32 *)kp->keep_text; /* drz_count */
	}
	dt_kfetch_string(s, h->h_ret.drr_retval,
	    FETCH_ENTRY(DT_STR_RETVAL, DT_STR_RETURN), isuser);
	return fetch_end(s, begin);
}

/*
 * Appends the strings of a hit to a record that has all its other sections.  The
 * arguments of a second hit belong to the first.  Returns the record's length.
 */
static __always_inline __u32
kfetch_hit(struct dt_scratch *s, struct dt_hit *h, struct dt_kprobe_entry *l,
    __u32 isuser, __u32 length)
{
	if ((l->kl_req.rq_evtflags & DT_EVT_STRINGS) == 0)
		return length;
	if (h->h_isreturn)
		return dt_kfetch_result(s, h, l, isuser);
	if (l->kl_req.rq_bits & DT_REQ_TO)
		return length;
	return dt_kfetch_all(s, h, l, isuser);
}

#endif /* BPF_DT_KPROBE_FETCH_BPF_H */
