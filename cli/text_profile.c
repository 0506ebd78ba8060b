/* SPDX-License-Identifier: ISC */
/*
 * What dt profile prints for people: functions, and the stacks below.
 */
#include "esc.h"
#include "stack.h"
#include "text.h"

static double
text_percent(const struct out_profile *op, uint64_t count)
{
	return op->op_total > 0 ? 100.0 * count / op->op_total : 0;
}

static void
text_func_name(struct buf *b, const struct out_func *of)
{
	if (of->of_name != NULL)
		esc_str(b, of->of_name);
	else if (of->of_iskernel)
		buf_hex(b, of->of_pc);
	else
		buf_str(b, of->of_pc == 0 ? "[unknown]" : "[user code]");
}

static void
text_funcs(struct out *out, const struct out_profile *op)
{
	const struct out_func *of;
	struct buf *b = &out->out_buf;
	size_t i, from;

	text_colour(out, TEXT_BOLD);
	buf_printf(b, "%7s %8s  %-40s  %s", "PERCENT", "SAMPLES", "FUNCTION",
	    "COMM");
	text_colour(out, TEXT_OFF);
	buf_c(b, '\n');
	for (i = 0; i < op->op_nfuncs && i < op->op_top; i++) {
		of = &op->op_funcs[i];
		buf_printf(b, "%6.2f%% %8llu  ", text_percent(op, of->of_count),
		    (unsigned long long)of->of_count);
		from = b->b_len;
		text_func_name(b, of);
		buf_pad(b, from, 40);
		buf_str(b, "  ");
		esc_str(b, of->of_comm);
		buf_c(b, '\n');
	}
	if (i < op->op_nfuncs)
		buf_printf(b, "%16s  and %zu more (--top shows more)\n", "",
		    op->op_nfuncs - i);
}

static void
text_one_stack(struct out *out, const struct out_profile *op,
    const struct out_stack *os)
{
	struct buf *b = &out->out_buf;
	const char *name;
	uint64_t off;
	unsigned int i;

	buf_printf(b, "\n%6.2f%% %8llu  ", text_percent(op, os->os_count),
	    (unsigned long long)os->os_count);
	esc_str(b, os->os_comm);
	buf_printf(b, " (%u)\n", os->os_pid);
	for (i = 0; i < os->os_nkpcs; i++) {
		name = names_ksym(out->out_names, os->os_kpcs[i], &off);
		buf_str(b, "        ");
		if (name != NULL)
			esc_str(b, name);
		else
			buf_hex(b, os->os_kpcs[i]);
		buf_c(b, '\n');
	}
	for (i = 0; i < os->os_nupcs; i++) {
		buf_str(b, "        ");
		buf_hex(b, os->os_upcs[i]);
		buf_str(b, " (");
		esc_str(b, os->os_comm);
		buf_str(b, ")\n");
	}
	if (os->os_kend != DT_STACK_ENDED) {
		buf_str(b, "        ");
		stack_end_text(b, 1, os->os_kend, os->os_nkpcs, 0);
		buf_c(b, '\n');
	}
}

void
text_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf;
	size_t i;

	if (op->op_nstacks > 0) {
		text_funcs(out, op);
		for (i = 0; i < op->op_nstacks && i < op->op_top; i++)
			text_one_stack(out, op, &op->op_stacks[i]);
		if (i < op->op_nstacks)
			buf_printf(b, "\nand %zu more stacks\n",
			    op->op_nstacks - i);
		buf_c(b, '\n');
	}
	buf_printf(b, "%llu samples",
	    (unsigned long long)(op->op_total + op->op_idle));
	if (op->op_idle > 0)
		buf_printf(b,
		    ", %llu of them [idle] and left out (--idle "
		    "shows them)",
		    (unsigned long long)op->op_idle);
	buf_c(b, '\n');
}
