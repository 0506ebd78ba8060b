/* SPDX-License-Identifier: ISC */
/*
 * Reads what the arguments of a system call point to (strings, vectors of
 * strings, structs, data) and appends it to the record in the CPU's scratch.
 * Reads only resident memory of the process: a page fault would have to sleep.
 * Runs in tp_btf programs of system calls.
 *
 * Functions with several callers, or called in a loop, are global functions,
 * which the verifier checks once each.  They share the position of the next
 * string through the scratch.
 */
#ifndef BPF_DT_FETCH_BPF_H
#define BPF_DT_FETCH_BPF_H

#include "bpf/dt_file.bpf.h"
#include "bpf/dt_strings.bpf.h"

#define FETCH_MAXVECTOR 64 /* elements read at most */

/*
 * Returns the length of the string that continues at addr, counted up to
 * FETCH_TRUEMAX or to the first unreadable byte.  Each round covers
 * DT_MORE_BYTES - 1 bytes, so the bound covers FETCH_TRUEMAX.  A plain loop:
 * bpf_loop() would exceed the depth of calls.
 */
__noinline int
dt_fetch_truelen(struct dt_scratch *s, __u64 addr)
{
	__u32 len = 0;
	long n;
	int i;

	if (s == NULL)
		return 0;
	for (i = 0; i < FETCH_TRUEMAX / (DT_MORE_BYTES - 1) + 1; i++) {
		n = bpf_probe_read_user_str(s->scr_more, DT_MORE_BYTES,
		    (void *)(addr + len));
		if (n <= 0)
			break;
		len += n - 1;
		if (n < DT_MORE_BYTES)
			break;
	}
	return len;
}

/* Appends the string at addr. */
__noinline int
dt_fetch_string(struct dt_scratch *s, __u64 addr, __u32 entry)
{
	__u32 len;
	long n;

	if (s == NULL)
		return 0;
	n = bpf_probe_read_user_str(s->scr_buf + fetch_pos(s) + FETCH_HEAD,
	    DT_REC_MAXPATH, (void *)addr);
	if (n <= 0) {
		fetch_add(s, entry, -n, 0, 0);
		return 0;
	}
	len = n - 1;
	/* A string of exactly the maximum length ends like one that was cut. */
	if (len == DT_REC_MAXPATH - 1)
		len += dt_fetch_truelen(s, addr + len);
	fetch_add(s, entry, 0, len, len);
	return 0;
}

/* Appends size bytes at addr, at most max. */
__noinline int
dt_fetch_memory(struct dt_scratch *s, __u64 addr, __u32 entry, __u32 size,
    __u32 max)
{
	__u32 n = size < max ? size : max;
	long error;

	if (s == NULL)
		return 0;
	if (n > DT_REC_MAXMEMORY)
		n = DT_REC_MAXMEMORY;
	barrier_var(n);
	error = bpf_probe_read_user(s->scr_buf + fetch_pos(s) + FETCH_HEAD, n,
	    (void *)addr);
	if (error < 0)
		fetch_add(s, entry, -error, 0, 0);
	else
		fetch_add(s, entry, 0, n, size);
	return 0;
}

/* Returns the address in a row's argument; 0: nothing to read. */
static __always_inline __u64
fetch_addr(const struct dt_hit *h, const struct dt_fetch *f)
{
	__u32 argn = f->fet_argn;

	return argn < 6 ? h->h_args[argn] : 0;
}

/* Reads the next pointer of the vector in the scratch. */
static __always_inline long
fetch_pointer(const struct dt_scratch *s, __u64 *p)
{
	*p = 0;
	if (s->scr_size == 4)
		return bpf_probe_read_user(p, 4, (void *)s->scr_addr);
	return bpf_probe_read_user(p, 8, (void *)s->scr_addr);
}

static long
fetch_vector_round(__u32 i __attribute__((unused)), void *arg)
{
	struct dt_scratch *s = *(struct dt_scratch **)arg;
	long error;
	__u64 p;

	if (s->scr_left < 2 * FETCH_HEAD)
		return 1; /* no space for a character */
	error = fetch_pointer(s, &p);
	if (error < 0)
		fetch_add(s, s->scr_entry, -error, 0, 0);
	if (error < 0 || p == 0) {
		s->scr_addr = 0;
		return 1;
	}
	dt_fetch_string(s, p, s->scr_entry);
	s->scr_addr += s->scr_size;
	return 0;
}

#define FETCH_POINTERS 32 /* 8-byte words read at a time for counting */

/*
 * Returns the number of pointers of the given size before the first NULL in
 * scr_more.  Tests 32-bit halves without a branch, which would double the
 * states of all following code.
 */
__noinline int
dt_fetch_pointers(struct dt_scratch *s, __u32 size)
{
	__u64 both = size == 8 ? 0xffffffff : 0, word, low, high, there = 1;
	__u64 n = 0;
	int i;

	if (s == NULL)
		return 0;
	barrier_var(both);
	for (i = 0; i < FETCH_POINTERS; i++) {
		word = s->scr_more[i];
		high = word >> 32;
		low = (word & 0xffffffff) | (high & both);
		high |= both;
		there &= -low >> 63;
		n += there;
		there &= -high >> 63;
		n += there;
	}
	return n / (size / 4);
}

/*
 * Counts the rest of a vector: a block of pointers at a time, one by one near
 * the end of the readable memory.
 */
static long
fetch_count_round(__u32 i __attribute__((unused)), void *arg)
{
	struct dt_scratch *s = *(struct dt_scratch **)arg;
	__u32 n, nread = 1;
	__u64 p;

	if (bpf_probe_read_user(s->scr_more, 8 * FETCH_POINTERS,
		(void *)s->scr_addr) == 0) {
		n = dt_fetch_pointers(s, s->scr_size);
		nread = s->scr_size == 8 ? FETCH_POINTERS : 2 * FETCH_POINTERS;
	} else
		n = fetch_pointer(s, &p) == 0 && p != 0;
	s->scr_count += n;
	s->scr_addr += n * s->scr_size;
	return n < nread || s->scr_count >= FETCH_TRUEMAX;
}

/*
 * Appends the strings of a row's vector, and the number of strings omitted.
 * Its state is in the scratch, because the stack is small at this call depth.
 * The second loop's bound is FETCH_TRUEMAX pointers in blocks, and one block of
 * 4-byte pointers one by one.
 */
__noinline int
dt_fetch_vector(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f)
{
	if (s == NULL || h == NULL || f == NULL)
		return 0;
	s->scr_addr = fetch_addr(h, f);
	if (s->scr_addr == 0 || s->scr_left < FETCH_HEAD)
		return 0;
	s->scr_entry = FETCH_ENTRY(f->fet_argn, f->fet_flags);
	s->scr_size = f->fet_bits & DT_FETCH_PTR32 ? 4 : 8;
	s->scr_count = 0;
	s->scr_left -= FETCH_HEAD; /* for the count of omitted strings */
	bpf_loop(f->fet_how == DT_FETCH_VECTOR ? FETCH_MAXVECTOR : 0,
	    fetch_vector_round, &s, 0);
	s->scr_left += FETCH_HEAD;
	if (s->scr_addr == 0)
		return 0;
	bpf_loop(FETCH_TRUEMAX / FETCH_POINTERS + 2 * FETCH_POINTERS,
	    fetch_count_round, &s, 0);
	if (s->scr_count > 0 || f->fet_how == DT_FETCH_COUNT)
		fetch_add(s, s->scr_entry | FETCH_ENTRY(0, DT_STR_MORE), 0, 0,
		    s->scr_count);
	return 0;
}

/* Returns the length argument of a row, saturated. */
static __always_inline __u32
fetch_arg(const struct dt_hit *h, const struct dt_fetch *f)
{
	__u32 argn = f->fet_lenarg;
	__u64 len;

	if (argn >= 6)
		return FETCH_TRUEMAX;
	len = h->h_args[argn];
	if (f->fet_bits & DT_FETCH_LEN32)
		len = (__u32)len;
	return fetch_least(len, FETCH_TRUEMAX);
}

/*
 * Returns the number of bytes that a row's argument points to, saturated, or a
 * negative errno.
 */
static __always_inline long
fetch_size(const struct dt_hit *h, const struct dt_fetch *f)
{
	__u32 argn = f->fet_lenarg, n = fetch_arg(h, f);
	__s64 ret = h->h_ret.drr_retval;
	long error;

	switch (f->fet_how) {
	case DT_FETCH_ARGLEN:
		break;
	case DT_FETCH_RETLEN:
		if (ret < (__s64)n)
			n = ret < 0 ? 0 : (__u32)ret;
		break;
	case DT_FETCH_PTRLEN:
		if (argn >= 6)
			return 0;
		error = bpf_probe_read_user(&n, sizeof(n),
		    (void *)h->h_args[argn]);
		if (error < 0)
			return error;
		n = fetch_least(n, FETCH_TRUEMAX);
		break;
	default:
		return f->fet_max;
	}
	return fetch_least((__u64)n * f->fet_unit, FETCH_TRUEMAX);
}

/* Appends one argument by a row of the table. */
__noinline int
dt_fetch_row(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f)
{
	__u32 entry;
	__u64 addr;
	long size;

	if (s == NULL || h == NULL || f == NULL)
		return 0;
	if ((addr = fetch_addr(h, f)) == 0)
		return 0;
	entry = FETCH_ENTRY(f->fet_argn, f->fet_flags);
	if (f->fet_how == DT_FETCH_PATH)
		return dt_fetch_string(s, addr, entry);
	if ((size = fetch_size(h, f)) < 0)
		fetch_add(s, entry, -size, 0, 0);
	else
		dt_fetch_memory(s, addr, entry, size, f->fet_max);
	return 0;
}

#define FETCH_MAXBUFFERS 8  /* buffers read of a vector */
#define FETCH_MSGIOV	 16 /* offset of msg_iov in struct msghdr */

/* A struct iovec; also msg_iov and msg_iovlen of a msghdr. */
struct fetch_iovec {
	__u64 base, len;
};

/* Appends the next buffer, up to the bytes that the call has filled. */
static long
fetch_buffer_round(__u32 i __attribute__((unused)), void *arg)
{
	struct dt_scratch *s = *(struct dt_scratch **)arg;
	struct fetch_iovec v;
	__u32 len;

	if (s->scr_left < 2 * FETCH_HEAD ||
	    bpf_probe_read_user(&v, sizeof(v), (void *)s->scr_addr) < 0)
		return 1;
	len = fetch_least(v.len, s->scr_size);
	dt_fetch_memory(s, v.base, s->scr_entry, len, DT_REC_MAXDATA);
	s->scr_size -= len;
	s->scr_addr += sizeof(v);
	return 0;
}

/* Appends the buffers of a vector, or the vector itself. */
__noinline int
dt_fetch_buffers(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f)
{
	struct fetch_iovec v;

	if (s == NULL || h == NULL || f == NULL)
		return 0;
	if ((v.base = fetch_addr(h, f)) == 0)
		return 0;
	v.len = fetch_arg(h, f);
	if (f->fet_how != DT_FETCH_IOVEC &&
	    bpf_probe_read_user(&v, sizeof(v),
		(void *)(v.base + FETCH_MSGIOV)) < 0)
		return 0;
	if (v.base == 0)
		return 0;
	s->scr_addr = v.base;
	s->scr_entry = FETCH_ENTRY(f->fet_argn, f->fet_flags);
	if (f->fet_how == DT_FETCH_MSGVEC)
		return dt_fetch_memory(s, v.base, s->scr_entry,
		    fetch_least(v.len, FETCH_TRUEMAX / sizeof(v)) * sizeof(v),
		    f->fet_max);
	s->scr_size = f->fet_flags & DT_STR_RETURN
	    ? fetch_least(h->h_ret.drr_retval, (__u32)-1)
	    : (__u32)-1;
	bpf_loop(fetch_least(v.len, FETCH_MAXBUFFERS), fetch_buffer_round, &s,
	    0);
	return 0;
}

/* Returns whether a path is relative, or unreadable and thus may be. */
static __always_inline int
fetch_isrelative(const struct dt_hit *h, __u32 argn)
{
	char first = 0;

	if (argn >= 6 || h->h_args[argn] == 0)
		return 0;
	bpf_probe_read_user(&first, 1, (void *)h->h_args[argn]);
	return first != '/';
}

/*
 * Appends the path of a row's descriptor.  For FILE_AT_FDCWD, appends the
 * working directory if the row's path is relative.  Skips other negative
 * descriptors.
 */
__noinline int
dt_fetch_file(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f)
{
	__u32 argn, entry, len;
	int fd = FILE_AT_FDCWD;
	long error;

	if (s == NULL || h == NULL || f == NULL)
		return 0;
	argn = f->fet_argn;
	if (f->fet_how == DT_FETCH_FILE && argn < 6)
		fd = (int)h->h_args[argn];
	if (fd < 0 &&
	    (fd != FILE_AT_FDCWD || !fetch_isrelative(h, f->fet_lenarg)))
		return 0;
	entry = FETCH_ENTRY(argn, f->fet_flags);
	if ((error = dt_file_path(s, fd)) != 0) {
		fetch_add(s, entry, error, 0, 0);
		return 0;
	}
	len = fetch_least(s->scr_file.fw_len, DT_REC_MAXPATH - 1);
	barrier_var(len);
	bpf_probe_read_kernel(s->scr_buf + fetch_pos(s) + FETCH_HEAD, len,
	    s->scr_file.fw_text +
		(s->scr_file.fw_start & (2 * DT_FILE_END - 1)));
	fetch_add(s, entry, 0, len, len);
	return 0;
}

/*
 * Returns whether a row applies to this hit: failed calls have their own rows.
 */
static __always_inline int
fetch_applies(const struct dt_hit *h, const struct dt_fetch *f)
{
	return (f->fet_bits &
		   (h->h_ret.drr_error != 0 ? DT_FETCH_FAILED : DT_FETCH_OK)) !=
	    0;
}

/*
 * Appends the strings of the requested rows to a record that has all other
 * sections.  Returns its length.
 */
__noinline int
dt_fetch_all(struct dt_scratch *s, struct dt_hit *h, struct dt_fetches *fe,
    struct dt_req *r)
{
	__u32 begin, want;
	int i;

	if (s == NULL || h == NULL || fe == NULL || r == NULL)
		return 0;
	want = (r->rq_evtflags & DT_EVT_FETCH) |
	    (r->rq_bits & DT_REQ_FILES) * (DT_WANT_FILES / DT_REQ_FILES);
	begin = fetch_begin(s);
	/* the small text of a first hit is for strings */
	if (begin < sizeof(struct dt_rec) && (want & DT_EVT_FETCH))
		want &= ~DT_WANT_FILES;
	if (want == 0)
		return begin;
	for (i = 0; i < DT_NFETCH; i++) {
		if (fe->fe_row[i].fet_how == DT_FETCH_NONE)
			break;
		if ((fe->fe_row[i].fet_want & want) == 0 ||
		    !fetch_applies(h, &fe->fe_row[i]))
			continue;
		if (fe->fe_row[i].fet_how == DT_FETCH_FILE ||
		    fe->fe_row[i].fet_how == DT_FETCH_CWD)
			dt_fetch_file(s, h, &fe->fe_row[i]);
		else if (fe->fe_row[i].fet_how == DT_FETCH_VECTOR ||
		    fe->fe_row[i].fet_how == DT_FETCH_COUNT)
			dt_fetch_vector(s, h, &fe->fe_row[i]);
		else if (fe->fe_row[i].fet_how >= DT_FETCH_IOVEC)
			dt_fetch_buffers(s, h, &fe->fe_row[i]);
		else
			dt_fetch_row(s, h, &fe->fe_row[i]);
	}
	return fetch_end(s, begin);
}

#endif /* BPF_DT_FETCH_BPF_H */
