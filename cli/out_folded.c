/* SPDX-License-Identifier: ISC */
/*
 * Folded stacks, as flamegraph.pl and its like read them: a line a stack,
 * "comm;outermost;...;innermost count".
 */
#include "esc.h"
#include "out.h"

/* A name without what separates here. */
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
folded_stack(struct out *out, const struct out_stack *os)
{
	struct buf *b = &out->out_buf;
	const char *name;
	uint64_t off;
	unsigned int i;

	folded_name(b, os->os_comm);
	for (i = os->os_nupcs; i-- > 0;) {
		buf_c(b, ';');
		buf_hex(b, os->os_upcs[i]);
	}
	for (i = os->os_nkpcs; i-- > 0;) {
		buf_c(b, ';');
		name = names_ksym(out->out_names, os->os_kpcs[i], &off);
		if (name != NULL)
			folded_name(b, name);
		else
			buf_hex(b, os->os_kpcs[i]);
	}
	buf_c(b, ' ');
	buf_u64(b, os->os_count);
	buf_c(b, '\n');
}

static void
folded_profile(struct out *out, const struct out_profile *op)
{
	size_t i;

	for (i = 0; i < op->op_nstacks; i++) {
		folded_stack(out, &op->op_stacks[i]);
		buf_line(&out->out_buf);
	}
}

const struct out_format out_folded = {
	.f_name = "folded",
	.f_profile = folded_profile,
};
