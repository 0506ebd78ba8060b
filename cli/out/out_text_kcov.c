/* SPDX-License-Identifier: ISC */
/*
 * Prints the tables of kcov: the places reached and their counts; with an
 * earlier run, the places that only one of the runs has reached.
 */
#include "cli/base/esc.h"
#include "cli/out/out_text.h"

/* "vfs_read", "fn (module)", "main (prog) prog.c:12" */
static void
text_place(struct buf *b, const struct out_place *oa)
{
	esc_str(b, oa->oa_func);
	if (oa->oa_offset != 0) {
		buf_c(b, '+');
		buf_hex(b, oa->oa_offset);
	}
	if (oa->oa_module != NULL) {
		buf_str(b, " (");
		esc_str(b, oa->oa_module);
		buf_c(b, ')');
	}
	if (oa->oa_file != NULL) {
		buf_c(b, ' ');
		esc_str(b, oa->oa_file);
		buf_c(b, ':');
		buf_u64(b, oa->oa_line);
	}
}

static void
text_cmp(struct buf *b, const struct out_place *oa)
{
	buf_printf(b, " %5u %5s %#18llx %#18llx", 1U << (oa->oa_type >> 1 & 3),
	    oa->oa_type & KCOV_CMP_CONST ? "const" : "",
	    (unsigned long long)oa->oa_arg1, (unsigned long long)oa->oa_arg2);
}

static void
text_kcov_head(struct out *out, const struct out_kcov *ok)
{
	struct buf *b = &out->out_buf;

	buf_str(b, out->out_colours[OUT_BOLD]);
	if (ok->ok_isdiff)
		buf_printf(b, "  %12s %12s", "BEFORE", "NOW");
	else
		buf_printf(b, "%12s", "COUNT");
	if (ok->ok_iscmp)
		buf_printf(b, " %5s %5s %18s %18s", "BYTES", "", "FIRST",
		    "SECOND");
	buf_str(b, "  FUNCTION");
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

static void
text_kcov_row(struct out *out, const struct out_kcov *ok,
    const struct out_place *oa)
{
	enum out_colour colour = OUT_NOCOLOUR;
	struct buf *b = &out->out_buf;

	if (ok->ok_isdiff) {
		if (oa->oa_before == 0)
			colour = OUT_GREEN;
		else if (oa->oa_count == 0)
			colour = OUT_RED;
		buf_str(b, out->out_colours[colour]);
		buf_printf(b, "%c %12llu",
		    oa->oa_before == 0	    ? '+'
			: oa->oa_count == 0 ? '-'
					    : ' ',
		    (unsigned long long)oa->oa_before);
		buf_c(b, ' ');
	}
	buf_printf(b, "%12llu", (unsigned long long)oa->oa_count);
	if (ok->ok_iscmp)
		text_cmp(b, oa);
	buf_str(b, "  ");
	text_place(b, oa);
	if (colour != OUT_NOCOLOUR)
		buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

void
text_kcov(struct out *out, const struct out_kcov *ok)
{
	unsigned int top = out->out_opts->o_print.opi_top;
	struct buf *b = &out->out_buf;
	size_t i;

	if (ok->ok_n == 0)
		return;
	text_kcov_head(out, ok);
	for (i = 0; i < ok->ok_n && (top == 0 || i < top); i++) {
		text_kcov_row(out, ok, &ok->ok_places[i]);
		buf_line(b);
	}
	if (i < ok->ok_n)
		buf_printf(b, "%12s %zu more rows\n", "and", ok->ok_n - i);
}
