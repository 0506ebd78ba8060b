/* SPDX-License-Identifier: ISC */
/*
 * Prints the places of kcov as JSON lines, one each, then the number of
 * records.
 */
#include "cli/out/out_json.h"

static void
json_place(struct buf *b, const struct out_place *oa)
{
	json_field(b, "func", oa->oa_func);
	if (oa->oa_offset != 0)
		json_u64(b, "offset", oa->oa_offset);
	if (oa->oa_module != NULL)
		json_field(b, "module", oa->oa_module);
	if (oa->oa_file != NULL) {
		json_field(b, "file", oa->oa_file);
		json_u64(b, "line", oa->oa_line);
	}
}

static void
json_cmp(struct buf *b, const struct out_place *oa)
{
	json_u64(b, "bytes", 1U << (oa->oa_type >> 1 & 3));
	json_key(b, "const");
	buf_str(b, oa->oa_type & KCOV_CMP_CONST ? "true" : "false");
	json_u64(b, "arg1", oa->oa_arg1);
	json_u64(b, "arg2", oa->oa_arg2);
}

/* Losses of a program's own records are not counted. */
static void
json_records(struct buf *b, const struct out_kcov *ok)
{
	buf_str(b, "{\"kcov\":{");
	json_u64(b, "read", ok->ok_read);
	json_u64(b, "full", ok->ok_nfull);
	if (ok->ok_isuser) {
		json_key(b, "late");
		buf_str(b, ok->ok_islate ? "true" : "false");
	} else if (ok->ok_hasexited) {
		json_key(b, "gone");
		buf_str(b, "true");
	} else {
		json_u64(b, "recorded", ok->ok_stat.ks_recorded);
		json_u64(b, "dropped", ok->ok_stat.ks_dropped);
		json_u64(b, "interrupt", ok->ok_stat.ks_interrupt);
		json_u64(b, "missed", ok->ok_stat.ks_missed);
		json_u64(b, "stopped", ok->ok_stat.ks_stopped);
	}
	buf_str(b, "}}\n");
}

void
json_kcov(struct out *out, const struct out_kcov *ok)
{
	const struct out_place *oa;
	struct buf *b = &out->out_buf;
	size_t i;

	for (i = 0; i < ok->ok_n; i++, buf_line(b)) {
		oa = &ok->ok_places[i];
		buf_c(b, '{');
		json_place(b, oa);
		if (oa->oa_iscmp)
			json_cmp(b, oa);
		json_u64(b, "count", oa->oa_count);
		if (ok->ok_isdiff)
			json_u64(b, "before", oa->oa_before);
		if (oa->oa_first != 0)
			json_u64(b, "first", oa->oa_first);
		buf_str(b, "}\n");
	}
	json_records(b, ok);
}
