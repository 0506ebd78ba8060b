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

/* Appends the string at addr. */
__noinline int
dt_kfetch_string(struct dt_scratch *s, __u64 addr, __u32 argn, __u32 isuser)
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
	fetch_text(s, FETCH_ENTRY(argn, 0), n);
	return 0;
}

/*
 * Appends the strings of all arguments, at most 6, to a record that has all its
 * other sections.  Returns its length.
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
	for (i = 0; i < 6; i++)
		if (i < l->kl_nargs && (l->kl_arg[i] & DT_KARG_STRING))
			dt_kfetch_string(s, h->h_args[i], i, isuser);
	return fetch_end(s, begin);
}

#endif /* BPF_DT_KPROBE_FETCH_BPF_H */
