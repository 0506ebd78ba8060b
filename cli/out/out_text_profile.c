/* SPDX-License-Identifier: ISC */
/* Prints the tables of profile: functions, then the stacks of most weight. */
#include <sys/ioctl.h>

#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/pager.h"
#include "cli/out/out_text.h"
#include "cli/out/weight.h"
#include "cli/profile/profile_funcs.h"
#include "cli/sym/stack.h"

#define TEXT_FUNCWIDTH 40
#define TEXT_FUNCLEAST 16
#define TEXT_MODWIDTH  16 /* at most, if the terminal is too narrow */
#define TEXT_NUMWIDTH  35 /* of the numbers, and the blanks after them */

/* Widths of the names on a terminal; SIZE_MAX: not cut. */
struct text_names {
	size_t txn_func, txn_module;
};

void
text_weight(struct buf *b, const struct out_profile *op, uint64_t weight)
{
	struct buf text;

	buf_init(&text, -1);
	weight_short(&text, op, weight);
	buf_printf(b, "%6.2f%% %8.*s",
	    op->opr_total > 0 ? 100.0 * weight / op->opr_total : 0,
	    (int)text.b_len, text.b_data);
	buf_free(&text);
}

void
text_frame(struct buf *b, const struct frame *fr)
{
	esc_str(b, fr->fr_name);
	if (fr->fr_func != NULL && fr->fr_offset != 0 && !fr->fr_isinlined) {
		buf_c(b, '+');
		buf_hex(b, fr->fr_offset);
	}
	if (fr->fr_func != NULL && fr->fr_module != NULL && !fr->fr_iskernel) {
		buf_str(b, " (");
		esc_str(b, fr->fr_module->mo_name);
		buf_str(b, fr->fr_isinlined ? ", inlined)" : ")");
	}
	if (fr->fr_file != NULL) {
		buf_c(b, ' ');
		esc_str(b, fr->fr_file);
		buf_c(b, ':');
		buf_u64(b, fr->fr_line);
	}
}

static size_t
text_module_width(const struct out_profile *op)
{
	const struct module *mo;
	size_t i, len, width = strlen("MODULE");

	for (i = 0; i < op->opr_nfuncs && i < op->opr_top; i++) {
		mo = op->opr_funcs[i].of_frame->fr_module;
		len = mo != NULL ? strlen(mo->mo_name) : 0;
		if (len > width)
			width = len;
	}
	return width < TEXT_MODWIDTH ? width : TEXT_MODWIDTH;
}

/* A terminal would break longer lines within words. */
static struct text_names
text_names(const struct out *out, const struct out_profile *op)
{
	struct text_names txn = { SIZE_MAX, SIZE_MAX };
	size_t module = text_module_width(op), least;
	struct winsize ws;

	least = TEXT_NUMWIDTH + TEXT_FUNCLEAST + 2 + module;
	if (!out->out_isterminal || pager_size(out->out_buf.b_fd, &ws) == -1 ||
	    ws.ws_col < least)
		return txn;
	txn.txn_func = ws.ws_col - TEXT_NUMWIDTH - 2 - module;
	if (txn.txn_func > TEXT_FUNCWIDTH)
		txn.txn_func = TEXT_FUNCWIDTH;
	txn.txn_module = ws.ws_col - TEXT_NUMWIDTH - 2 - txn.txn_func;
	return txn;
}

/* Appends a name, cut to a width. */
static void
text_name(struct buf *b, const char *name, size_t width)
{
	size_t from = b->b_len;

	esc_str(b, name);
	if (b->b_len - from <= width)
		return;
	b->b_len = from + width - 3;
	/* the begin of a character that is cut */
	while (b->b_len > from && (b->b_data[b->b_len] & 0xc0) == 0x80)
		b->b_len--;
	buf_str(b, "...");
}

static void
text_funcs(struct out *out, const struct out_profile *op)
{
	const struct text_names txn = text_names(out, op);
	int width = txn.txn_func < TEXT_FUNCWIDTH ? (int)txn.txn_func
						  : TEXT_FUNCWIDTH;
	const struct out_func *of;
	struct buf *b = &out->out_buf;
	size_t i, from;

	buf_str(b, out->out_colours[OUT_BOLD]);
	buf_printf(b, "%7s %8s %7s %8s  %-*s  %s", "SELF", weight_head(op),
	    "TOTAL", weight_head(op), width, "FUNCTION", "MODULE");
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
	for (i = 0; i < op->opr_nfuncs && i < op->opr_top; i++) {
		of = &op->opr_funcs[i];
		text_weight(b, op, of->of_self);
		buf_c(b, ' ');
		text_weight(b, op, of->of_total);
		buf_str(b, "  ");
		from = b->b_len;
		text_name(b, of->of_frame->fr_name, txn.txn_func);
		if (of->of_frame->fr_module != NULL) {
			buf_pad(b, from, width);
			buf_str(b, "  ");
			text_name(b, of->of_frame->fr_module->mo_name,
			    txn.txn_module);
		}
		buf_c(b, '\n');
	}
	if (i < op->opr_nfuncs)
		buf_printf(b, "%34s  and %zu more (--top prints more)\n", "",
		    op->opr_nfuncs - i);
}

static void
text_one_stack(struct out *out, const struct out_profile *op,
    const struct out_stack *os)
{
	struct buf *b = &out->out_buf;
	unsigned int i;

	buf_c(b, '\n');
	text_weight(b, op, os->os_weight);
	buf_str(b, "  ");
	esc_str(b, os->os_comm);
	if (os->os_isseveral)
		buf_str(b, " (several processes)");
	else
		buf_printf(b, " (%u)", os->os_pid);
	if (weight_isvalue(op))
		buf_str(b, ", ");
	weight_hits(b, op, os);
	buf_c(b, '\n');
	for (i = 0; i <= os->os_nframes; i++) {
		if (i == os->os_nkernel && os->os_kend != DT_STACK_ENDED) {
			buf_str(b, "        ");
			stack_end_text(b, 1, os->os_kend, os->os_nkernel, 0);
			buf_c(b, '\n');
		}
		if (i == os->os_nframes)
			break;
		buf_str(b, "        ");
		text_frame(b, os->os_frames[i]);
		buf_c(b, '\n');
	}
	if (os->os_why != NULL)
		buf_printf(b, "        [incomplete: %s]\n", os->os_why);
}

static void
text_stacks(struct out *out, const struct out_profile *op)
{
	size_t i;

	for (i = 0; i < op->opr_nstacks && i < op->opr_top; i++)
		text_one_stack(out, op, &op->opr_stacks[i]);
	if (i < op->opr_nstacks)
		buf_printf(&out->out_buf, "\nand %zu more stack%s\n",
		    op->opr_nstacks - i, op->opr_nstacks - i == 1 ? "" : "s");
}

/* Prints the lines after the tables. */
static void
text_profile_end(struct buf *b, const struct out_profile *op)
{
	if (op->opr_unit != PROFILE_SAMPLES)
		weight_total(b, op);
	else
		buf_printf(b, "%llu sample%s",
		    (unsigned long long)(op->opr_total + op->opr_idle),
		    op->opr_total + op->opr_idle == 1 ? "" : "s");
	if (op->opr_unit == PROFILE_SAMPLES && op->opr_idle > 0)
		buf_printf(b,
		    ", %llu of them [idle] and excluded (--idle includes "
		    "them)",
		    (unsigned long long)op->opr_idle);
	if (op->opr_judged > 0) {
		buf_str(b, "\n");
		profile_completeness(b, op);
	}
	buf_c(b, '\n');
}

void
text_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf;
	size_t from;

	from = b->b_len;
	if (op->opr_nstacks > 0) {
		text_funcs(out, op);
		text_wrap(b, from);
		from = b->b_len;
		if (out->out_opts->o_print.opi_calls == OPTS_STACKS) {
			text_stacks(out, op);
			text_wrap(b, from);
		} else
			text_tree(out, op);
		buf_c(b, '\n');
	}
	from = b->b_len;
	text_profile_end(b, op);
	text_wrap(b, from);
}
