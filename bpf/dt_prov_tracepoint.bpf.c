/* SPDX-License-Identifier: ISC */
/*
 * The program of the provider tracepoint, one for all tracepoints and
 * sessions.  A link's cookie is the tracepoint's row in the table, which has
 * the offsets of its fields in the kernel's record and the sessions that want
 * it.  The kernel runs the fast program, which calls this one by a tail call.
 *
 * Also the raw_tp program of the provider rawtracepoint, loaded once for each
 * raw tracepoint, because not all kernels have cookies for these links.  The
 * arguments of its prototype are consecutive 64-bit fields.
 */
#define PAIR_HASRECORD 1

#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_deliver.bpf.h"
#include "bpf/dt_emit_scratch.bpf.h"
#include "bpf/dt_reads.bpf.h"
#include "bpf/dt_strings.bpf.h"
#include "bpf/dt_tracepoint.bpf.h"

/*
 * The registers of a tracepoint are the caller's.  A raw tracepoint has none,
 * so these frames are skipped: the callback of bpf_loop(), the program,
 * bpf_trace_run*.
 */
#if defined(__TARGET_ARCH_arm64)
#define DT_KSKIP_RAW 4
#else
#define DT_KSKIP_RAW 3
#endif

/* Row and number of arguments of the raw tracepoint. */
const volatile __u32 dt_line, dt_nargs;

static __always_inline struct dt_req *
dt_deliver_req(const struct dt_hit *h __attribute__((unused)), __u32 line,
    __u32 slot)
{
	return &dt_tptable.tpt_req[slot][line & (DT_TP_ENTRIES - 1)];
}

/*
 * Programs of a tracepoint run in the order of attachment, so this one may see
 * an exec before dt_follow_exec() does.
 */
static __always_inline __u64
dt_deliver_execs(__u32 line)
{
	return -(__u64)(tp_line(line)->tl_bits / DT_TP_EXEC & 1);
}

/* Returns the number in a field, with a separate read. */
__noinline __u64
dt_tp_number(struct dt_hit *h, __u32 line, __u32 argn)
{
	const struct dt_field *f;
	__u64 v = 0;
	__u32 up;

	if (h == NULL || argn >= DT_TP_FIELDS)
		return 0;
	f = &tp_line(line)->tl_field[argn];
	up = 64 - 8 * (f->fld_size & 15);
	if (f->fld_size > 8 || f->fld_size == 0)
		return 0;
	bpf_probe_read_kernel(&v, sizeof(v), (void *)(h->h_raw + f->fld_off));
	v <<= up;
	return f->fld_signed ? (__u64)((__s64)v >> up) : v >> up;
}

/* Returns whether a field's value is a number. */
static __always_inline int
tp_has_value(const struct dt_field *f)
{
	return f->fld_how == DT_FIELD_NUMBER ||
	    f->fld_how == DT_FIELD_KERNTEXT || f->fld_how == DT_FIELD_USERTEXT;
}

/*
 * Extracts the first fields from one copy of the record's beginning: at least
 * as many words as they need.  Words after a short record are other kernel
 * memory, and unused.
 */
static __always_inline void
tp_args(struct dt_hit *h, __u32 line, __u64 *words, const __u32 nwords)
{
	const struct dt_tp_entry *tl = tp_line(line);
	int i;

	if (bpf_probe_read_kernel(words, 8 * nwords, (void *)h->h_raw) != 0)
		__builtin_memset(words, 0, 8 * nwords);
#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++) {
		if (i >= tl->tl_nfields)
			return;
		h->h_args[i] =
		    tp_cut(words[tl->tl_fast[i].ft_word & (nwords - 1)],
			&tl->tl_fast[i]);
	}
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

/*
 * Reads the first fields that are not within one of the copied words.
 */
__noinline int
dt_tp_slow(struct dt_hit *h, __u32 line)
{
	const struct dt_tp_entry *tl = tp_line(line);
	int i;

	if (h == NULL)
		return 0;
#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++)
		if (tl->tl_slow >> i & 1)
			h->h_args[i] = dt_tp_number(h, line, i);
	return 0;
}

/* Appends the arguments after the first six to a record in the scratch. */
__noinline int
dt_tp_more(struct dt_scratch *s, struct dt_hit *h, __u32 line)
{
	const struct dt_tp_entry *tl = tp_line(line);
	__u64 *args;
	int i;

	if (s == NULL || h == NULL)
		return 0;
	args = (__u64 *)(s->scr_buf + sizeof(struct dt_rec));
	for (i = DT_TP_FAST; i < DT_TP_FIELDS && i < tl->tl_nfields; i++)
		args[i] = tp_has_value(&tl->tl_field[i])
		    ? dt_tp_number(h, line, i)
		    : 0;
	return 0;
}

/*
 * Finds the bytes of a field: in the record, or at its __data_loc.  Returns
 * their number.
 */
static __always_inline __u32
tp_bytes(__u64 raw, const struct dt_field *f, __u64 *addr)
{
	__u32 loc = 0;

	if (f->fld_how != DT_FIELD_LOCCHARS &&
	    f->fld_how != DT_FIELD_LOCBYTES) {
		*addr = raw + f->fld_off;
		return f->fld_size;
	}
	bpf_probe_read_kernel(&loc, sizeof(loc), (void *)(raw + f->fld_off));
	*addr = raw + f->fld_base + (loc & 0xffff);
	return loc >> 16;
}

/* Appends kernel text of at most size bytes, with or without a NUL. */
__noinline int
dt_tp_text(struct dt_scratch *s, __u64 addr, __u32 entry, __u32 size)
{
	__u32 room = size < DT_REC_MAXPATH ? size : DT_REC_MAXPATH, len;
	__u8 *to, last = 0;
	long n;

	if (s == NULL)
		return 0;
	to = s->scr_buf + fetch_pos(s) + FETCH_HEAD;
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
	/* size bytes were read; the last may be text, not a NUL */
	if (len + 1 == size && size < DT_REC_MAXPATH)
		bpf_probe_read_kernel(&last, 1, (void *)(addr + len));
	if (last != 0)
		to[len++] = last;
	/* makes the verifier rely on the test in fetch_add() */
	barrier_var(len);
	fetch_add(s, entry, 0, len,
	    len == DT_REC_MAXPATH - 1 ? FETCH_TRUEMAX : len);
	return 0;
}

__noinline int
dt_tp_usertext(struct dt_scratch *s, __u64 addr, __u32 entry)
{
	long n;

	if (s == NULL)
		return 0;
	n = bpf_probe_read_user_str(s->scr_buf + fetch_pos(s) + FETCH_HEAD,
	    DT_REC_MAXPATH, (void *)addr);
	fetch_text(s, entry, n);
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
	error = bpf_probe_read_kernel(s->scr_buf + fetch_pos(s) + FETCH_HEAD, n,
	    (void *)addr);
	if (error < 0)
		fetch_add(s, entry, -error, 0, 0);
	else {
		barrier_var(n); /* as above */
		fetch_add(s, entry, 0, n, size);
	}
	return 0;
}

/* Appends a field's text or bytes, if it has any. */
__noinline int
dt_tp_string(struct dt_scratch *s, struct dt_hit *h, __u32 line, __u32 argn)
{
	const struct dt_field *f;
	__u32 size;
	__u64 addr;

	if (s == NULL || h == NULL || argn >= DT_TP_FIELDS)
		return 0;
	f = &tp_line(line)->tl_field[argn];
	switch (f->fld_how) {
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
		addr = dt_tp_number(h, line, argn);
		return addr == 0
		    ? 0
		    : dt_tp_text(s, addr, FETCH_ENTRY(argn, 0), DT_REC_MAXPATH);
	case DT_FIELD_USERTEXT:
		addr = dt_tp_number(h, line, argn);
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

/* Emits the record of one session that takes the scratch. */
static __always_inline void
dt_deliver_emit(void *ctx, struct dt_hit *h, __u32 line, __u32 slot,
    const int tables)
{
	struct dt_req *r = dt_deliver_req(h, line, slot);
	__u32 want = r->rq_evtflags, length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return;
	if (!dt_pair_take(wy.wy_scratch, h, r, slot)) {
		dt_way_end(&wy);
		return;
	}
	if (r->rq_bits & DT_REQ_FROM) {
		dt_pair_open(wy.wy_scratch, slot);
		if (want & DT_EVT_STRINGS)
			dt_tp_strings(wy.wy_scratch, h, line);
		dt_pair_keep(h, r, slot);
		dt_way_end(&wy);
		return;
	}
	if (!dt_pair_join(&wy, h, r))
		return;
	if (dt_agg_pair(&wy, h, r, slot))
		return;
	length = dt_build(ctx, wy.wy_scratch, h, slot, want,
	    DT_KSKIP_RAW * (tp_line(line)->tl_bits & DT_TP_RAW), tables);
	dt_pair_swap(wy.wy_scratch, h, r->rq_bits);
	if ((want & DT_EVT_FUNCARGS) && h->h_nargs > DT_TP_FAST &&
	    (r->rq_bits & DT_REQ_TO) == 0)
		dt_tp_more(wy.wy_scratch, h, line);
	if ((want & DT_EVT_STRINGS) && (r->rq_bits & DT_REQ_TO) == 0)
		length = dt_tp_strings(wy.wy_scratch, h, line);
	length = dt_put_reads(wy.wy_scratch, h, r, length, tables);
	dt_put_duration(wy.wy_scratch, h, r->rq_bits, length);
	dt_agg_output(&wy, h, r->rq_agg, slot);
}

/* Fills in a hit, except the values of its fields. */
static __always_inline void
tp_begin(struct dt_hit *h, void *ctx, const struct dt_tp_entry *tl, __u32 line)
{
	__builtin_memset(h, 0, sizeof(*h));
	dt_hit_task(h, dt_task());
	h->h_pbn = tl->tl_pbn;
	h->h_nargs = tl->tl_nfields;
	h->h_raw = (__u64)ctx;
	h->h_entry = line;
}

static __always_inline void
tp_end(struct dt_hit *h, void *ctx, const struct dt_tp_entry *tl,
    const int tables)
{
	struct dt_delivery dly = {
		.dly_ctx = ctx,
		.dly_hit = h,
	};

	if (dt_deliver_short(&dly, tl->tl_mask))
		dt_deliver_long(&dly, tables);
}

/*
 * Returns 1, so that other perf events of the tracepoint receive the hit, too.
 */
static __always_inline int
tp_hit(void *ctx, const int tables)
{
	__u32 line = bpf_get_attach_cookie(ctx);
	const struct dt_tp_entry *tl = tp_line(line);
	struct dt_hit h;

	if ((tl->tl_mask[0] | tl->tl_mask[1]) == 0)
		return 1;
	tp_begin(&h, ctx, tl, line);
	if (tl->tl_nwords > 8)
		dt_tp_args16(&h, line);
	else if (tl->tl_nwords != 0)
		dt_tp_args8(&h, line);
	if (tl->tl_slow != 0)
		dt_tp_slow(&h, line);
	tp_end(&h, ctx, tl, tables);
	return 1;
}

SEC("?tracepoint")
int
dt_tracepoint(void *ctx)
{
	return tp_hit(ctx, 0);
}

SEC("?tracepoint")
int
dt_tracepoint_tables(void *ctx)
{
	return tp_hit(ctx, 1);
}

/*
 * Reads the first arguments.  The kernel refuses to attach a program that
 * reads more arguments than the tracepoint has.
 */
static __always_inline void
raw_args(struct dt_hit *h, const __u64 *ctx, const struct dt_tp_entry *tl)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < DT_TP_FAST; i++)
		if (i < dt_nargs)
			h->h_args[i] = tp_cut(*(volatile __u64 *)&ctx[i],
			    &tl->tl_fast[i]);
}

static __always_inline int
raw_hit(__u64 *ctx, const int tables)
{
	const struct dt_tp_entry *tl = tp_line(dt_line);
	struct dt_hit h;

	if ((tl->tl_mask[0] | tl->tl_mask[1]) == 0)
		return 0;
	tp_begin(&h, ctx, tl, dt_line);
	if (tl->tl_nwords != 0)
		raw_args(&h, ctx, tl);
	tp_end(&h, ctx, tl, tables);
	return 0;
}

SEC("?raw_tp")
int
dt_rawtracepoint(__u64 *ctx)
{
	return raw_hit(ctx, 0);
}

SEC("?raw_tp")
int
dt_rawtracepoint_tables(__u64 *ctx)
{
	return raw_hit(ctx, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
