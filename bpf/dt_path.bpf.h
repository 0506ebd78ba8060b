/* SPDX-License-Identifier: ISC */
/*
 * The filter by path: whether what a call names is outside of the part of the
 * file system that an open looks at, found out before the hit counts.
 */
#ifndef BPF_DT_PATH_BPF_H
#define BPF_DT_PATH_BPF_H

#include "dt_fetch.bpf.h"

#define FETCH_OUTSIDE 0x1 /* of the prefix, surely */
#define FETCH_UNKNOWN 0x2 /* inside, or that cannot be told */

/*
 * Where a row's path lies, FETCH_*; 0: the row has none.  It is known to be
 * outside if it was read and does not depend on a directory.
 */
__noinline int
dt_fetch_place(struct dt_scratch *s, struct dt_hit *h, struct dt_fetch *f,
    struct dt_prefix *px)
{
	__u64 addr, differ = 0;
	int i;

	if (s == NULL || h == NULL || f == NULL || px == NULL)
		return FETCH_UNKNOWN;
	if ((f->df_bits & DT_FETCH_ISPATH) == 0 || !fetch_applies(h, f))
		return 0;
	if ((addr = fetch_addr(h, f)) == 0)
		return FETCH_UNKNOWN;
	if (bpf_probe_read_user_str(s->ds_more, DT_PREFIX_BYTES,
		(void *)addr) <= 0 ||
	    (s->ds_more[0] & 0xff) != '/')
		return FETCH_UNKNOWN;
	for (i = 0; i < DT_PREFIX_WORDS; i++)
		differ |= (s->ds_more[i] ^ px->px_text[i]) & px->px_mask[i];
	return differ != 0 ? FETCH_OUTSIDE : FETCH_UNKNOWN;
}

/* Whether a call has paths, and all of them are outside of the prefix. */
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
