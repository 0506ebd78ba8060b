/* SPDX-License-Identifier: ISC */
/*
 * Records for the tests of libdt: built like a BPF program's, with known values
 * in every section.
 */
#ifndef TEST_LIBDT_REC_H
#define TEST_LIBDT_REC_H

#include <stdint.h>
#include <string.h>

#include <libdt.h>

#define REC_MAX	  4096
#define REC_NARGS 3 /* of every record that has arguments */
#define REC_NKPCS 5
#define REC_NUPCS 2

static inline uint8_t *
rec_put(uint8_t *p, const void *what, size_t nbytes)
{
	memcpy(p, what, nbytes);
	return p + nbytes;
}

static inline uint8_t *
rec_put64(uint8_t *p, uint64_t value)
{
	return rec_put(p, &value, sizeof(value));
}

static inline uint8_t *
rec_stack(uint8_t *p, unsigned int n, uint64_t base)
{
	struct dt_rec_stack st = { .drs_count = (__u16)n };
	unsigned int i;

	p = rec_put(p, &st, sizeof(st));
	for (i = 0; i < n; i++)
		p = rec_put64(p, base + i);
	return p;
}

static inline uint8_t *
rec_string(uint8_t *p, unsigned int argn, const char *s)
{
	struct dt_rec_string rs = {
		.drt_argn = (__u8)argn,
		.drt_length = (__u16)strlen(s),
		.drt_truelen = (__u16)strlen(s),
	};

	p = rec_put(p, &rs, sizeof(rs));
	memset(p, 0, (strlen(s) + 7) & ~7UL);
	memcpy(p, s, strlen(s));
	return p + ((strlen(s) + 7) & ~7UL);
}

/*
 * Builds a record with the sections of flags; buf is 8-aligned.  Returns its
 * length.
 */
static inline size_t
rec_build(void *buf, unsigned int flags, uint32_t pbn, uint64_t time)
{
	struct dt_rec rec = {
		.dr_kind = DT_REC_EVENT,
		.dr_flags = (__u8)flags,
		.dr_pbn = pbn,
		.dr_time = time,
		.dr_pid = 11,
		.dr_tid = 12,
	};
	struct dt_rec_ret ret = { .drr_retval = -1, .drr_error = 2 };
	struct dt_rec_who who = { .drw_cgroup = 77,
		.drw_uid = 1000,
		.drw_ppid = 4000 };
	struct dt_rec_strings sz = { .drz_count = 2 };
	struct dt_rec_duration rd = { .drd_nsecs = 999,
		.drd_first = 5,
		.drd_nargs = flags & DT_REC_ARGS ? REC_NARGS : 0 };
	uint8_t *p = (uint8_t *)buf + sizeof(rec), *strings;
	unsigned int i;

	if (flags & DT_REC_ARGS) {
		for (i = 0; i < REC_NARGS; i++)
			p = rec_put64(p, 100 + i);
	}
	if (flags & DT_REC_RETVAL)
		p = rec_put(p, &ret, sizeof(ret));
	if (flags & DT_REC_COMM)
		p = rec_put(p, "comm\0\0\0\0\0\0\0\0\0\0\0", DT_REC_COMMLEN);
	if (flags & DT_REC_WHO)
		p = rec_put(p, &who, sizeof(who));
	if (flags & DT_REC_KSTACK)
		p = rec_stack(p, REC_NKPCS, 0xffffffff81000000);
	if (flags & DT_REC_USTACK)
		p = rec_stack(p, REC_NUPCS, 0x400000);
	if (flags & DT_REC_STRINGS) {
		strings = p;
		p += sizeof(sz);
		p = rec_string(p, 0, "/etc/passwd");
		p = rec_string(p, 2, "12345678");
		sz.drz_nbytes = (__u32)(p - strings - sizeof(sz));
		rec_put(strings, &sz, sizeof(sz));
	}
	if (flags & DT_REC_DURATION)
		p = rec_put(p, &rd, sizeof(rd));
	rec.dr_length = (__u16)(p - (uint8_t *)buf);
	memcpy(buf, &rec, sizeof(rec));
	return rec.dr_length;
}

#endif /* TEST_LIBDT_REC_H */
