/* SPDX-License-Identifier: ISC */
/*
 * Reads arguments of user programs that are not where the calling convention
 * puts them: registers, user memory and constants as described by debug
 * information or by a static probe.
 */
#ifndef BPF_DT_UPLACES_BPF_H
#define BPF_DT_UPLACES_BPF_H

#include "bpf/dt_kprobe_regs.bpf.h"

/* Written by dtd before an entry refers to a row. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DT_NUPLACES);
	__type(key, __u32);
	__type(value, struct dt_uplaces);
} dt_uplaces SEC(".maps");

#if defined(__TARGET_ARCH_x86)
#define UPLACE_NREGS 21 /* words of struct pt_regs */
#elif defined(__TARGET_ARCH_arm64)
#define UPLACE_NREGS 34
#endif

/* Returns a register by its offset; 0 beyond the registers. */
static __always_inline __u64
uplace_register(const void *regs, __u32 off)
{
	__u64 v = 0;

	if (off > 8 * UPLACE_NREGS - sizeof(v))
		return 0;
	bpf_probe_read_kernel(&v, sizeof(v), regs + off);
	return v;
}

/* Returns the value at a user address, 0 if it cannot be read. */
static __always_inline __u64
uplace_memory(__u64 addr, __u32 size)
{
	__u64 v = 0;

	switch (size) {
	case 1:
		bpf_probe_read_user(&v, 1, (void *)addr);
		break;
	case 2:
		bpf_probe_read_user(&v, 2, (void *)addr);
		break;
	case 4:
		bpf_probe_read_user(&v, 4, (void *)addr);
		break;
	default:
		bpf_probe_read_user(&v, 8, (void *)addr);
	}
	return v;
}

static __always_inline __u64
uplace_value(const void *regs, const struct dt_uplace *up)
{
	__u64 addr;

	if (up->upl_how <= DT_UPLACE_VALUE)
		return up->upl_value;
	addr = uplace_register(regs, up->upl_reg);
	if (up->upl_how == DT_UPLACE_REG)
		return addr >> (up->upl_shift & 63);
	addr += up->upl_value;
	if (up->upl_how == DT_UPLACE_INDEX)
		addr += uplace_register(regs, up->upl_index) * up->upl_scale;
	return uplace_memory(addr, up->upl_size);
}

/*
 * Reads the arguments of an entry with a row here: args gets the arguments that
 * struct dt_hit has space for, more gets the others.
 */
static __noinline int
uplaces_args(__u64 *args, __u64 *more, void *regs,
    const struct dt_kprobe_entry *l)
{
	__u32 row = l->kl_places;
	const struct dt_uplaces *ups;
	int i;

	ups = bpf_map_lookup_elem(&dt_uplaces, &row);
	if (ups == NULL)
		return 0;
	for (i = 0; i < DT_UPLACE_HARGS; i++)
		args[i] = kprobe_value(uplace_value(regs, &ups->upp_arg[i]),
		    l->kl_arg[i]);
	for (; i < DT_UPLACE_NARGS; i++) {
		if (i >= l->kl_nargs)
			break;
		more[i - DT_UPLACE_HARGS] = kprobe_value(uplace_value(regs,
							     &ups->upp_arg[i]),
		    ups->upp_how[i]);
	}
	return 0;
}

/*
 * Copies the other arguments into a record that was built: it has space for
 * h_nargs, but h_args has the first ones only.
 */
static __noinline int
uplaces_more(struct dt_scratch *s, const struct dt_hit *h)
{
	__u32 nbytes = 8 * (h->h_nargs - DT_UPLACE_HARGS);

	if (s == NULL || nbytes > 8 * DT_UPLACE_MORE)
		return 0;
	bpf_probe_read_kernel(s->scr_buf + sizeof(struct dt_rec) +
		8 * DT_UPLACE_HARGS,
	    nbytes, (void *)h->h_raw);
	return 0;
}

#endif /* BPF_DT_UPLACES_BPF_H */
