/* SPDX-License-Identifier: ISC */
/* Prints the result of dt doctor as text. */
#include "cli/base/esc.h"
#include "cli/out/out_text.h"

/* Prints a line after a check, below its result. */
static void
text_behind(struct buf *b, const char *mark, const char *text)
{
	buf_printf(b, "%37s%s", "", mark);
	esc_str(b, text);
	buf_c(b, '\n');
}

static void
text_check(struct out *out, const struct out_check *ox)
{
	static const struct {
		const char *word;
		enum out_colour colour;
	} verdicts[] = {
		[OUT_OK] = { "ok", OUT_GREEN },
		[OUT_FACT] = { "-", OUT_NOCOLOUR },
		[OUT_WARNING] = { "warning", OUT_YELLOW },
		[OUT_MISSING] = { "missing", OUT_RED },
	};
	struct buf *b = &out->out_buf;
	size_t from;

	buf_str(b, "  ");
	buf_str(b, out->out_colours[verdicts[ox->ox_verdict].colour]);
	from = b->b_len;
	buf_str(b, verdicts[ox->ox_verdict].word);
	buf_pad(b, from, 9);
	buf_str(b, out->out_colours[OUT_PLAIN]);
	from = b->b_len;
	esc_str(b, ox->ox_name);
	buf_pad(b, from, 26);
	esc_str(b, ox->ox_found);
	buf_c(b, '\n');
	if (out->out_opts->o_print.opi_verbose && ox->ox_for != NULL)
		text_behind(b, "for: ", ox->ox_for);
	if (ox->ox_advice != NULL)
		text_behind(b, "-> ", ox->ox_advice);
}

void
text_doctor(struct out *out, const struct out_doctor *od)
{
	struct buf *b = &out->out_buf;
	const struct out_check *ox;
	size_t i, from = b->b_len;

	for (i = 0; i < od->od_nchecks; i++) {
		ox = &od->od_checks[i];
		if (i == 0 || strcmp(ox->ox_section, ox[-1].ox_section) != 0) {
			buf_str(b, i > 0 ? "\n" : "");
			buf_str(b, out->out_colours[OUT_BOLD]);
			buf_str(b, ox->ox_title);
			buf_str(b, out->out_colours[OUT_PLAIN]);
			buf_c(b, '\n');
		}
		text_check(out, ox);
	}
	buf_c(b, '\n');
	buf_str(b, out->out_colours[od->od_works ? OUT_GREEN : OUT_RED]);
	buf_str(b,
	    od->od_works ? "dt works here"
			 : "dt does not work here, or only in part");
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
	text_wrap(b, from);
}
