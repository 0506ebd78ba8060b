/* SPDX-License-Identifier: ISC */
/*
 * Strings that arguments of a kernel function point to: in the kernel's memory
 * or in the process', as the address tells.  Appended to the record in the
 * CPU's scratch, as dt_fetch.bpf.h does for system calls.
 */
#ifndef BPF_DT_KFETCH_BPF_H
#define BPF_DT_KFETCH_BPF_H

#include "dt_fetch.bpf.h"

/* Appends the string at addr; how long one is that was cut is not told beyond
 * what was read of it. */
__noinline int
dt_kfetch_string(struct dt_scratch *s, __u64 addr, __u32 argn)
{
	__u32 len;
	void *to;
	long n;

	if (s == NULL || addr == 0)
		return 0;
	to = s->ds_buf + fetch_pos(s) + FETCH_HEAD;
	if ((__s64)addr < 0)
		n = bpf_probe_read_kernel_str(to, DT_REC_MAXPATH, (void *)addr);
	else
		n = bpf_probe_read_user_str(to, DT_REC_MAXPATH, (void *)addr);
	if (n <= 0) {
		fetch_add(s, FETCH_ENTRY(argn, 0), -n, 0, 0);
		return 0;
	}
	len = n - 1;
	fetch_add(s, FETCH_ENTRY(argn, 0), 0, len,
	    len == DT_REC_MAXPATH - 1 ? FETCH_TRUEMAX : len);
	return 0;
}

/* Those of all arguments, to a record that has all its other sections.
 * Returns its length. */
__noinline int
dt_kfetch_all(struct dt_scratch *s, struct dt_hit *h, struct dt_kline *l)
{
	struct dt_rec *rec;
	struct dt_rec_strings *sz;
	__u32 begin;
	int i;

	if (s == NULL || h == NULL || l == NULL)
		return 0;
	rec = (struct dt_rec *)s->ds_buf;
	begin = rec->dr_length;
	s->ds_pos = begin + sizeof(*sz);
	s->ds_left = DT_REC_STRBYTES - sizeof(*sz);
	s->ds_nstr = 0;
	for (i = 0; i < 6; i++)
		if (i < l->kl_nargs && (l->kl_arg[i] & DT_KARG_STRING))
			dt_kfetch_string(s, h->h_args[i], i);
	if (s->ds_nstr == 0)
		return begin;
	if (begin > DT_HEAD_BYTES)
		return 0; /* cannot be */
	sz = (struct dt_rec_strings *)(s->ds_buf + begin);
	sz->drz_count = s->ds_nstr;
	sz->drz_nbytes = s->ds_pos - begin - sizeof(*sz);
	rec->dr_flags |= DT_REC_STRINGS;
	rec->dr_length = s->ds_pos;
	return rec->dr_length;
}

#endif /* BPF_DT_KFETCH_BPF_H */
