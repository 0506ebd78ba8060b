/* SPDX-License-Identifier: ISC */
/*
 * The program of the provider tracepoint: one for all tracepoints and all
 * opens.  A link's cookie is the tracepoint's line in the table, which tells
 * where its fields are in the kernel's record, and which opens want it.
 *
 * And that of the provider rawtracepoint, which is loaded once for each raw
 * tracepoint, as not all kernels have cookies of their links: the arguments of
 * its prototype are fields of 64 bits, one behind another.
 */
#include "dt_vmlinux.h"

#include "dt_emit.bpf.h"
#include "dt_strings.bpf.h"
#include "dt_walk.bpf.h"

/*
 * The kernel's registers of a tracepoint are those of who hit it.  A raw one
 * has no such: dt_walk_long's callback, the program, bpf_trace_run*.
 */
#if defined(__TARGET_ARCH_arm64)
#define DT_KSKIP_RAW 4
#else
#define DT_KSKIP_RAW 3
#endif

struct dt_tptable dt_tptable;

const volatile __u32 dt_line; /* of the raw tracepoint */

static __always_inline struct dt_tpline *
tp_line(__u32 line)
{
	return &dt_tptable.tt_line[line & (DT_TP_LINES - 1)];
}

static __always_inline struct dt_req *
dt_walk_req(const struct dt_hit *h __attribute__((unused)), __u32 line,
    __u32 slot)
{
	return &dt_tptable.tt_req[slot][line & (DT_TP_LINES - 1)];
}

/* The number that a field has, by a read of its own. */
static __always_inline __u64
tp_number(__u64 raw, const struct dt_field *f)
{
	__u32 up = 64 - 8 * (f->fi_size & 15);
	__u64 v = 0;

	if (f->fi_size > 8 || f->fi_size == 0)
		return 0;
	bpf_probe_read_kernel(&v, sizeof(v), (void *)(raw + f->fi_off));
	v <<= up;
	return f->fi_signed ? (__u64)((__s64)v >> up) : v >> up;
}

/* Whether a field's value is a number at all. */
static __always_inline int
tp_has_value(const struct dt_field *f)
{
	return f->fi_how == DT_FIELD_NUMBER || f->fi_how == DT_FIELD_KERNTEXT ||
	    f->fi_how == DT_FIELD_USERTEXT;
}

/* Cuts a value out of the copied words; without a branch, as there are six. */
static __always_inline __u64
tp_cut(const __u64 *words, __u32 mask, const struct dt_tpfast *ft)
{
	__u64 v = words[ft->ft_word & mask] << (ft->ft_up & 63);
	__u64 isigned = -(__u64)(ft->ft_bits & DT_TP_SIGNED);
	__u64 isvalue = -(__u64)(ft->ft_bits >> 1 & 1);
	__u64 plain = v >> (ft->ft_down & 63);
	__u64 extended = (__s64)v >> (ft->ft_down & 63);

	return (plain | (extended & isigned)) & isvalue;
}

/*
 * The first fields, from one copy of the record's beginning, as many words as
 * they need or a few more: what is behind a short record is memory of the
 * kernel's as well, and not looked at.
 */
static __always_inline void
tp_args(struct dt_hit *h, __u32 line, __u64 *words, const __u32 nwords)
{
	const struct dt_tpline *tl = tp_line(line);
	int i;

	if (bpf_probe_read_kernel(words, 8 * nwords, (void *)h->h_raw) != 0)
		__builtin_memset(words, 0, 8 * nwords);
#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++) {
		if (i >= tl->tl_nfields)
			return;
		h->h_args[i] = tp_cut(words, nwords - 1, &tl->tl_fast[i]);
	}
}

__noinline int
dt_tp_args4(struct dt_hit *h, __u32 line)
{
	__u64 words[4];

	if (h != NULL)
		tp_args(h, line, words, 4);
	return 0;
}

__noinline int
dt_tp_args8(struct dt_hit *h, __u32 line)
{
	__u64 words[8];

	if (h != NULL)
		tp_args(h, line, words, 8);
	return 0;
}

__noinline int
dt_tp_args16(struct dt_hit *h, __u32 line)
{
	__u64 words[DT_TP_WORDS];

	if (h != NULL)
		tp_args(h, line, words, DT_TP_WORDS);
	return 0;
}

/* Those of the first fields that do not lie in one of the copied words. */
__noinline int
dt_tp_slow(struct dt_hit *h, __u32 line)
{
	const struct dt_tpline *tl = tp_line(line);
	int i;

	if (h == NULL)
		return 0;
#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++)
		if (tl->tl_slow >> i & 1)
			h->h_args[i] = tp_number(h->h_raw, &tl->tl_field[i]);
	return 0;
}

/* The arguments of a record in the scratch that are behind the first. */
__noinline int
dt_tp_more(struct dt_scratch *s, struct dt_hit *h, __u32 line)
{
	const struct dt_tpline *tl = tp_line(line);
	__u64 *args;
	int i;

	if (s == NULL || h == NULL)
		return 0;
	args = (__u64 *)(s->ds_buf + sizeof(struct dt_rec));
	for (i = DT_TP_FAST; i < DT_TP_FIELDS && i < tl->tl_nfields; i++)
		args[i] = tp_has_value(&tl->tl_field[i])
		    ? tp_number(h->h_raw, &tl->tl_field[i])
		    : 0;
	return 0;
}

/* Where a field's bytes are: in the record, or where its word says.  Returns
 * how many. */
static __always_inline __u32
tp_bytes(__u64 raw, const struct dt_field *f, __u64 *addr)
{
	__u32 loc = 0;

	if (f->fi_how != DT_FIELD_LOCCHARS && f->fi_how != DT_FIELD_LOCBYTES) {
		*addr = raw + f->fi_off;
		return f->fi_size;
	}
	bpf_probe_read_kernel(&loc, sizeof(loc), (void *)(raw + f->fi_off));
	*addr = raw + f->fi_base + (loc & 0xffff);
	return loc >> 16;
}

/* Appends text of the kernel that has size bytes at most, with or without a
 * NUL in them. */
__noinline int
dt_tp_text(struct dt_scratch *s, __u64 addr, __u32 entry, __u32 size)
{
	__u32 room = size < DT_REC_MAXPATH ? size : DT_REC_MAXPATH, len;
	__u8 *to, last = 0;
	long n;

	if (s == NULL)
		return 0;
	to = s->ds_buf + fetch_pos(s) + FETCH_HEAD;
	barrier_var(room);
	if (room > DT_REC_MAXPATH)
		room = DT_REC_MAXPATH;
	n = bpf_probe_read_kernel_str(to, room, (void *)addr);
	if (n < 0) {
		fetch_add(s, entry, -n, 0, 0);
		return 0;
	}
	len = n > 0 ? n - 1 : 0;
	barrier_var(len);
	len &= DT_REC_MAXPATH - 1;
	/* all of them were taken, the last for a NUL: was it one? */
	if (len + 1 == size && size < DT_REC_MAXPATH)
		bpf_probe_read_kernel(&last, 1, (void *)(addr + len));
	if (last != 0)
		to[len++] = last;
	barrier_var(len); /* fetch_add() is to test it for the verifier */
	fetch_add(s, entry, 0, len,
	    len == DT_REC_MAXPATH - 1 ? FETCH_TRUEMAX : len);
	return 0;
}

__noinline int
dt_tp_usertext(struct dt_scratch *s, __u64 addr, __u32 entry)
{
	__u32 len;
	long n;

	if (s == NULL)
		return 0;
	n = bpf_probe_read_user_str(s->ds_buf + fetch_pos(s) + FETCH_HEAD,
	    DT_REC_MAXPATH, (void *)addr);
	if (n <= 0) {
		fetch_add(s, entry, -n, 0, 0);
		return 0;
	}
	len = n - 1;
	fetch_add(s, entry, 0, len,
	    len == DT_REC_MAXPATH - 1 ? FETCH_TRUEMAX : len);
	return 0;
}

__noinline int
dt_tp_memory(struct dt_scratch *s, __u64 addr, __u32 entry, __u32 size)
{
	__u32 n = size < DT_REC_MAXMEMORY ? size : DT_REC_MAXMEMORY;
	long error;

	if (s == NULL)
		return 0;
	barrier_var(n);
	if (n > DT_REC_MAXMEMORY)
		n = DT_REC_MAXMEMORY;
	error = bpf_probe_read_kernel(s->ds_buf + fetch_pos(s) + FETCH_HEAD, n,
	    (void *)addr);
	if (error < 0)
		fetch_add(s, entry, -error, 0, 0);
	else {
		barrier_var(n); /* fetch_add() is to test it, too */
		fetch_add(s, entry, 0, n, size);
	}
	return 0;
}

/* Appends what a field has beside a number, if it has. */
__noinline int
dt_tp_string(struct dt_scratch *s, struct dt_hit *h, __u32 line, __u32 argn)
{
	const struct dt_field *f;
	__u32 size;
	__u64 addr;

	if (s == NULL || h == NULL || argn >= DT_TP_FIELDS)
		return 0;
	f = &tp_line(line)->tl_field[argn];
	switch (f->fi_how) {
	case DT_FIELD_CHARS:
	case DT_FIELD_LOCCHARS:
		size = tp_bytes(h->h_raw, f, &addr);
		return dt_tp_text(s, addr, FETCH_ENTRY(argn, 0), size);
	case DT_FIELD_BYTES:
	case DT_FIELD_LOCBYTES:
		size = tp_bytes(h->h_raw, f, &addr);
		return dt_tp_memory(s, addr, FETCH_ENTRY(argn, DT_STR_MEMORY),
		    size);
	case DT_FIELD_KERNTEXT:
		addr = tp_number(h->h_raw, f);
		return addr == 0
		    ? 0
		    : dt_tp_text(s, addr, FETCH_ENTRY(argn, 0), DT_REC_MAXPATH);
	case DT_FIELD_USERTEXT:
		addr = tp_number(h->h_raw, f);
		return addr == 0
		    ? 0
		    : dt_tp_usertext(s, addr, FETCH_ENTRY(argn, 0));
	}
	return 0;
}

/* Appends the section of strings.  Returns the record's length. */
__noinline int
dt_tp_strings(struct dt_scratch *s, struct dt_hit *h, __u32 line)
{
	__u32 begin, i;

	if (s == NULL || h == NULL)
		return 0;
	begin = fetch_begin(s);
	for (i = 0; i < DT_TP_FIELDS; i++) {
		if (i >= tp_line(line)->tl_nfields)
			break;
		dt_tp_string(s, h, line, i);
	}
	return fetch_end(s, begin);
}

/* The record of one open that takes the scratch. */
static __always_inline void
dt_walk_emit(void *ctx, struct dt_hit *h, __u32 line, __u32 slot)
{
	struct dt_req *r = dt_walk_req(h, line, slot);
	__u32 want = r->dr_evtflags, length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return;
	if (!dt_pair_take(wy.wy_scratch, h, r, slot)) {
		dt_way_end(&wy);
		return;
	}
	if (!dt_pair_join(&wy, h, r))
		return;
	length = dt_build(ctx, wy.wy_scratch, h, slot, want,
	    DT_KSKIP_RAW * (tp_line(line)->tl_israw & 1));
	dt_pair_swap(wy.wy_scratch, h, r->dr_bits);
	if ((want & DT_EVT_FUNCARGS) && h->h_nargs > DT_TP_FAST &&
	    (r->dr_bits & DT_REQ_TO) == 0)
		dt_tp_more(wy.wy_scratch, h, line);
	if ((want & DT_EVT_STRINGS) && (r->dr_bits & DT_REQ_TO) == 0)
		length = dt_tp_strings(wy.wy_scratch, h, line);
	length = dt_put_duration(wy.wy_scratch, h, r->dr_bits, length);
	if (length >
	    DT_HEAD_BYTES + DT_REC_STRBYTES + sizeof(struct dt_rec_duration))
		length = 0; /* cannot be */
	dt_way_output(&wy, length);
}

/* A hit of a line whose mask is not empty. */
static __always_inline void
tp_hit(void *ctx, const struct dt_tpline *tl, __u32 line)
{
	struct dt_hit h;
	struct dt_walk wk = {
		.wk_ctx = ctx,
		.wk_hit = &h,
	};

	__builtin_memset(&h, 0, sizeof(h));
	dt_hit_task(&h, bpf_get_current_task_btf());
	h.h_pbn = tl->tl_pbn;
	h.h_nargs = tl->tl_nfields;
	h.h_raw = (__u64)ctx;
	h.h_line = line;
	if (tl->tl_nwords > 8)
		dt_tp_args16(&h, line);
	else if (tl->tl_nwords > 4)
		dt_tp_args8(&h, line);
	else if (tl->tl_nwords != 0)
		dt_tp_args4(&h, line);
	if (tl->tl_slow != 0)
		dt_tp_slow(&h, line);
	if (dt_walk_short(&wk, tl->tl_mask))
		dt_walk_long(&wk);
}

/* 1: whoever has opened a perf event of the same tracepoint gets it, too. */
SEC("tracepoint")
int
dt_tracepoint(void *ctx)
{
	__u32 line = bpf_get_attach_cookie(ctx);
	const struct dt_tpline *tl = tp_line(line);

	if ((tl->tl_mask[0] | tl->tl_mask[1]) != 0)
		tp_hit(ctx, tl, line);
	return 1;
}

SEC("?raw_tp")
int
dt_rawtracepoint(void *ctx)
{
	const struct dt_tpline *tl = tp_line(dt_line);

	if ((tl->tl_mask[0] | tl->tl_mask[1]) != 0)
		tp_hit(ctx, tl, dt_line);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
