/* SPDX-License-Identifier: ISC */
/*
 * Prints folded stacks for flamegraph.pl and similar tools: a line per stack,
 * "comm;outermost;...;innermost weight".  An incomplete stack has the reason
 * before its frames, and before that a wait its kind.
 */
#include "cli/base/esc.h"
#include "cli/out/out.h"
#include "cli/out/weight.h"

/* Prints a name without the separators. */
static void
folded_name(struct buf *b, const char *name)
{
	size_t i = b->b_len;

	esc_str(b, name);
	for (; i < b->b_len; i++) {
		if (b->b_data[i] == ';')
			b->b_data[i] = ':';
	}
}

static void
folded_frame(struct buf *b, const struct frame *fr)
{
	buf_c(b, ';');
	folded_name(b, fr->fr_name);
	if (fr->fr_file != NULL) {
		buf_c(b, ' ');
		folded_name(b, frames_base(fr->fr_file));
		buf_c(b, ':');
		buf_u64(b, fr->fr_line);
	}
}

static void
folded_stack(struct out *out, const struct out_stack *os)
{
	struct buf *b = &out->out_buf;
	unsigned int i;

	folded_name(b, os->os_comm);
	if (os->os_wait != PROFILE_NOWAIT)
		buf_printf(b, ";[%s]", weight_wait(os->os_wait));
	if (os->os_why != NULL)
		buf_printf(b, ";[incomplete: %s]", os->os_why);
	for (i = os->os_nframes; i-- > 0;)
		folded_frame(b, os->os_frames[i]);
	buf_c(b, ' ');
	buf_u64(b, os->os_weight);
	buf_c(b, '\n');
}

static void
folded_profile(struct out *out, const struct out_profile *op)
{
	size_t i;

	for (i = 0; i < op->opr_nstacks; i++) {
		folded_stack(out, &op->opr_stacks[i]);
		buf_line(&out->out_buf);
	}
}

const struct out_format out_folded = {
	.f_name = "folded",
	.f_profile = folded_profile,
};
