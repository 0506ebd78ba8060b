/* SPDX-License-Identifier: ISC */
/*
 * The path filter: decides, before a hit counts, whether all files that a call
 * names are outside of the session's part of the file system.  Runs in tp_btf
 * programs of system calls, with the scratch held.
 */
#ifndef BPF_DT_PATH_BPF_H
#define BPF_DT_PATH_BPF_H

#include "bpf/dt_fetch.bpf.h"

#define FETCH_OUTSIDE 0x1 /* surely outside of the prefix, or no file */
#define FETCH_UNKNOWN 0x2 /* inside, or undecidable */

/* Compares the text at fw_text[start] with the prefix. */
static __always_inline int
place_of(struct dt_scratch *s, const struct dt_prefix *px, __u32 start)
{
	__u64 differ = 0;
	int i;

	bpf_probe_read_kernel(s->scr_more, DT_PREFIX_BYTES,
	    s->scr_file.fw_text + (start & (2 * DT_FILE_END - 1)));
	for (i = 0; i < DT_PREFIX_WORDS; i++)
		differ |= (s->scr_more[i] ^ px->px_text[i]) & px->px_mask[i];
	return differ != 0 ? FETCH_OUTSIDE : FETCH_UNKNOWN;
}

#define PLACE_BYTES(c) (0x0101010101010101ULL * (c))

/* Returns a word with the high bit set in each byte that was 0. */
static __always_inline __u64
place_zeros(__u64 word)
{
	const __u64 low = PLACE_BYTES(0x7f);

	return ~(((word & low) + low) | word | low);
}

/* Checks 8 bytes of a path together with the byte after each. */
static long
place_round(__u32 i, void *arg)
{
	struct dt_fileway *fw = &(*(struct dt_scratch **)arg)->scr_file;
	__u64 *p = (__u64 *)(fw->fw_text + DT_FILE_END);
	__u64 word, next, bad;
	__u32 left = fw->fw_len - 8 * i;

	i &= DT_MORE_BYTES / 8 - 1;
	word = p[i];
	next = word >> 8 | p[i + 1] << 56;
	/* '.' and '/' differ in the lowest bit */
	bad = place_zeros(word ^ PLACE_BYTES('/')) &
	    place_zeros((next | PLACE_BYTES(1)) ^ PLACE_BYTES('/'));
	if (left < 8)
		bad &= (1ULL << 8 * left) - 1;
	fw->fw_isdone = bad == 0;
	return bad != 0;
}

/*
 * Returns whether the n bytes at DT_FILE_END can be compared as they are: the
 * path contains neither "//" nor a name that begins with '.', which could be
 * "..". 8 bytes per round, n bytes in all.
 */
__noinline int
dt_place_isplain(struct dt_scratch *s, __u32 n)
{
	if (s == NULL)
		return 0;
	s->scr_file.fw_len = n;
	bpf_loop((n + 7) / 8, place_round, &s, 0);
	return s->scr_file.fw_isdone;
}

/*
 * Reads a path to DT_FILE_END.  Returns 1 if it is relative or empty, 0 if it
 * is absolute, -1 if it cannot be decided.
 */
__noinline int
dt_place_read(struct dt_scratch *s, __u64 addr)
{
	__u8 *text;
	long n;

	if (s == NULL)
		return -1;
	text = s->scr_file.fw_text + DT_FILE_END;
	n = bpf_probe_read_user_str(text + 1, DT_MORE_BYTES, (void *)addr);
	if (n < 0 || n == DT_MORE_BYTES)
		return -1;
	if (n <= 1) { /* empty; kernels up to 6.12 return 0 */
		text[0] = text[1] = '\0';
		return 1;
	}
	text[0] = text[1] == '/' ? '\0' : '/';
	if (!dt_place_isplain(s, n))
		return -1;
	return text[1] != '/';
}

/*
 * Returns FETCH_* for a row's path or descriptor; 0 if the row has none, or
 * only the directory of another row's path.
 */
__noinline int
dt_fetch_place(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f,
    struct dt_prefix *px)
{
	__u64 addr;
	int dir, n;

	if (s == NULL || h == NULL || f == NULL || px == NULL)
		return FETCH_UNKNOWN;
	if ((f->fet_bits & DT_FETCH_ISPATH) == 0 || !fetch_applies(h, f))
		return 0;
	addr = fetch_addr(h, f);
	s->scr_file.fw_text[DT_FILE_END] = '\0';
	if (f->fet_how == DT_FETCH_FILE)
		dir = addr;
	else {
		dir = f->fet_lenarg < 6 ? (int)h->h_args[f->fet_lenarg]
					: FILE_AT_FDCWD;
		/* NULL is the descriptor itself for utimensat(2) */
		n = addr != 0 ? dt_place_read(s, addr) : 1;
		if (n == -1)
			return FETCH_UNKNOWN;
		if (n == 0)
			return place_of(s, px, DT_FILE_END + 1);
	}
	n = dt_file_path(s, dir);
	if (n != 0)
		return n == FILE_EBADF ? FETCH_OUTSIDE : FETCH_UNKNOWN;
	n = s->scr_file.fw_start;
	if (n == DT_FILE_END - 1 && s->scr_file.fw_text[DT_FILE_END] == '/')
		n = DT_FILE_END; /* the root's text already has its '/' */
	return place_of(s, px, n);
}

/*
 * Returns whether a call has paths or descriptors and all are outside of the
 * prefix.
 */
__noinline int
dt_fetch_excludes(struct dt_scratch *s, struct dt_hit *h, struct dt_fetches *fe,
    struct dt_prefix *px)
{
	__u32 places = 0;
	int i;

	if (s == NULL || h == NULL || fe == NULL || px == NULL)
		return 0;
	for (i = 0; i < DT_NFETCH; i++)
		places |= dt_fetch_place(s, h, &fe->fe_row[i], px);
	return places == FETCH_OUTSIDE;
}

#endif /* BPF_DT_PATH_BPF_H */
