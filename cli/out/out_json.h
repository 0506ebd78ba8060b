/* SPDX-License-Identifier: ISC */
/*
 * Parts shared by the JSON formats.  The functions print members of an object
 * in progress, each with its leading comma.
 */
#ifndef CLI_OUT_OUT_JSON_H
#define CLI_OUT_OUT_JSON_H

#include <string.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/out/out.h"

#define OUT_JSON_SCHEMA 1 /* version of report.schema.json */

static inline void
json_key(struct buf *b, const char *key)
{
	if (b->b_data[b->b_len - 1] != '{')
		buf_c(b, ',');
	buf_c(b, '"');
	buf_str(b, key);
	buf_mem(b, "\":", 2);
}

static inline void
json_bytes(struct buf *b, const char *s, size_t n)
{
	buf_c(b, '"');
	esc_json(b, s, n);
	buf_c(b, '"');
}

static inline void
json_str(struct buf *b, const char *s, size_t max)
{
	buf_c(b, '"');
	esc_json(b, s, strnlen(s, max));
	buf_c(b, '"');
}

static inline void
json_text(struct buf *b, const char *s)
{
	json_str(b, s, strlen(s));
}

static inline void
json_u64(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_u64(b, v);
}

static inline void
json_field(struct buf *b, const char *key, const char *s)
{
	json_key(b, key);
	json_text(b, s);
}

/* The end and the duration of an interval; nothing for a run. */
static inline void
json_interval(struct buf *b, const struct out_counts *ot)
{
	if (!ot->ot_isinterval)
		return;
	json_u64(b, "time",
	    ot->ot_end.tv_sec * UINT64_C(1000000000) + ot->ot_end.tv_nsec);
	json_u64(b, "interval", ot->ot_nsecs);
}

/* out_json_event.c */
int json_event(void *out, const struct call *cl);

/* out_json_stacks.c: the stacks of an event, of a profile, or of threads. */
void json_stacks(struct out *, const struct dt_event *);
void json_profile(struct out *, const struct out_profile *);

void json_where(struct out *, const struct out_where *);

/* out_json_kcov.c */
void json_kcov(struct out *, const struct out_kcov *);

/* out_json_syscalls.c */
void json_syscalls(struct out *, const struct out_syscalls *);

/* out_json_decoded.c: decoded values of an event, a member each */
/* The strings of an event, and the bytes of --data. */
void json_strings(struct out *out, const struct call *cl, const char *key,
    int isdata);
/* The list of strings that were cut. */
void json_cut(struct out *out, const struct call *cl);
/* The absolute paths of the path arguments of an event. */
void json_paths(struct out *out, const struct call *cl);
void json_words(struct out *out, const struct call *cl);

#endif /* CLI_OUT_OUT_JSON_H */
