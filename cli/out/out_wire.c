/* SPDX-License-Identifier: ISC */
/* Prints the lines of out_wire.h. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/out_text.h"
#include "cli/out/out_wire.h"

/* Fields */

/* Escapes what was appended since from, as a field. */
static void
wire_escape(struct buf *b, size_t from)
{
	static const char from_chars[] = "\t\n\\", to_chars[] = "tn\\";
	size_t i, n = b->b_len - from, more = 0;
	const char *found;
	char *p;

	for (i = from; i < b->b_len; i++)
		more += memchr(from_chars, b->b_data[i], 3) != NULL;
	if (more == 0)
		return;
	(void)buf_room(b, more);
	p = b->b_data + from + n + more;
	for (i = n; i-- > 0;) {
		found = memchr(from_chars, b->b_data[from + i], 3);
		*--p = found != NULL ? to_chars[found - from_chars]
				     : b->b_data[from + i];
		if (found != NULL)
			*--p = '\\';
	}
	b->b_len += more;
}

void
out_wire_text(struct buf *b, const char *s)
{
	size_t from;

	buf_c(b, '\t');
	from = b->b_len;
	if (s != NULL)
		buf_str(b, s);
	wire_escape(b, from);
}

static void
wire_u64(struct buf *b, uint64_t v)
{
	buf_c(b, '\t');
	buf_u64(b, v);
}

/* Tables */

static void
wire_table(struct buf *b, const struct out_counts *ot)
{
	buf_c(b, WIRE_TABLE);
	wire_u64(b, ot->ot_nsecs);
	wire_u64(b, ot->ot_isinterval != 0);
	wire_u64(b, ot->ot_end.tv_sec);
	wire_u64(b, ot->ot_end.tv_nsec);
	wire_u64(b, text_nevents(ot));
	buf_c(b, '\t'); /* the names of the numbers follow */
}

static void
wire_column(struct buf *b, const struct key_column *bl)
{
	size_t from;

	buf_c(b, WIRE_COLUMN);
	buf_c(b, '\t');
	from = b->b_len;
	esc_str(b, bl->kl_name);
	wire_escape(b, from);
	wire_u64(b, bl->kl_min);
	wire_u64(b, bl->kl_max);
	wire_u64(b, bl->kl_isright != 0);
	buf_c(b, '\n');
}

static void
wire_row(struct buf *b, int64_t sort)
{
	buf_c(b, WIRE_ROW);
	buf_c(b, '\t');
	buf_s64(b, sort);
	buf_c(b, '\t');
}

/* Turns text since from into notes. */
static void
wire_note(struct buf *b, size_t from)
{
	if (b->b_len == from)
		return;
	if (b->b_data[b->b_len - 1] == '\n')
		b->b_len--;
	wire_escape(b, from);
	(void)buf_room(b, 2);
	memmove(b->b_data + from + 2, b->b_data + from, b->b_len - from);
	b->b_data[from] = WIRE_NOTE;
	b->b_data[from + 1] = '\t';
	b->b_len += 2;
	buf_c(b, '\n');
}

static void
wire_end(struct buf *b)
{
	buf_c(b, WIRE_END);
	buf_c(b, '\n');
}

/* Prints the cells of a row, or its lines. */
static void
wire_cells(struct buf *b, const struct out_counts *ot,
    const struct out_count *oc, int islines)
{
	unsigned int c;
	size_t from;

	for (c = 0; c < keys_ncolumns(ot->ot_by); c++) {
		if (keys_column(ot->ot_by, c)->kl_islines != islines)
			continue;
		if (!islines)
			buf_c(b, '\t');
		from = b->b_len;
		keys_text(ot->ot_by, c, oc->oc_key, b);
		wire_escape(b, from);
	}
}

/* Rows are ordered by the sum, or without one by the count, as dt stat does. */
static int64_t
wire_order(const struct out_counts *ot, const struct out_count *oc)
{
	return !ot->ot_ishist && keys_sumname(ot->ot_by) != NULL
	    ? oc->oc_sum
	    : (int64_t)oc->oc_count;
}

static void
wire_count(struct out *out, const struct out_counts *ot,
    const struct out_count *oc)
{
	struct buf *b = &out->out_buf;
	size_t from;

	if (ot->ot_ishist && oc->oc_hist == NULL)
		return; /* failed calls have no value */
	wire_row(b, wire_order(ot, oc));
	if (ot->ot_ishist) {
		buf_c(b, '\t');
		from = b->b_len;
		text_hist(out, ot, oc);
		wire_escape(b, from);
	} else {
		text_counts_numbers(b, ot, oc->oc_count, oc->oc_sum,
		    oc->oc_hist);
		wire_cells(b, ot, oc, 0);
		buf_c(b, '\t');
		wire_cells(b, ot, oc, 1);
	}
	buf_c(b, '\n');
	buf_line(b);
}

static void
wire_counts(struct out *out, const struct out_counts *ot)
{
	struct buf *b = &out->out_buf;
	unsigned int c;
	size_t i, from;

	wire_table(b, ot);
	if (!ot->ot_ishist)
		text_counts_numbers_head(b, ot);
	buf_c(b, '\n');
	for (c = 0; c < keys_ncolumns(ot->ot_by) && !ot->ot_ishist; c++)
		if (!keys_column(ot->ot_by, c)->kl_islines)
			wire_column(b, keys_column(ot->ot_by, c));
	for (i = 0; i < ot->ot_n; i++)
		wire_count(out, ot, &ot->ot_counts[i]);
	from = b->b_len;
	if (ot->ot_nothers > 0) {
		text_counts_numbers(b, ot, ot->ot_nothers, ot->ot_othersum,
		    NULL);
		buf_printf(b, "  all others: the table is full (%zu rows)",
		    ot->ot_n);
		wire_note(b, from);
	}
	from = b->b_len;
	text_full(out, ot);
	wire_note(b, from);
	wire_end(b);
}

static void
wire_syscall(struct buf *b, const struct out_syscalls *ol,
    const struct out_syscall *oc)
{
	size_t from;

	wire_row(b, oc->osc_times.hi_sum);
	text_syscalls_numbers(b, oc, TEXT_SYSCALLS_NTIMES);
	if (ol->osl_isbypid) {
		wire_u64(b, oc->osc_pid);
		buf_c(b, '\t');
		from = b->b_len;
		esc_text(b, oc->osc_comm, oc->osc_ncomm);
		wire_escape(b, from);
	}
	buf_c(b, '\t');
	from = b->b_len;
	esc_str(b, oc->osc_name);
	wire_escape(b, from);
	buf_c(b, '\t');
	text_syscalls_failures(b, oc);
	buf_str(b, "\t\n");
	buf_line(b);
}

static void
wire_syscalls(struct out *out, const struct out_syscalls *ol)
{
	static const struct key_column columns[] = {
		{ .kl_name = "PID", .kl_min = 7, .kl_max = 7, .kl_isright = 1 },
		{ .kl_name = "COMM", .kl_min = 15, .kl_max = 15 },
		{ .kl_name = "SYSCALL", .kl_min = 16, .kl_max = 48 },
		{ .kl_name = "ERRORS", .kl_max = 48 },
	};
	const struct out_counts *ot = ol->osl_counts;
	struct buf *b = &out->out_buf;
	size_t i, from;

	wire_table(b, ot);
	text_syscalls_numbers_head(b, TEXT_SYSCALLS_NTIMES);
	buf_c(b, '\n');
	for (i = ol->osl_isbypid ? 0 : 2; i < 4; i++)
		wire_column(b, &columns[i]);
	for (i = 0; i < ol->osl_n; i++)
		wire_syscall(b, ol, &ol->osl_rows[i]);
	from = b->b_len;
	if (ot->ot_nothers > 0)
		buf_printf(b,
		    "%12llu  all others: the table is full (%zu rows)",
		    (unsigned long long)ot->ot_nothers, ot->ot_n);
	wire_note(b, from);
	from = b->b_len;
	text_full(out, ot);
	wire_note(b, from);
	wire_end(b);
}

/* Profiles */

/* Numbers of the frames that were printed, by fr_id; 0: not yet. */
struct wire_frames {
	uint32_t *wrf_numbers;
	size_t wrf_max;
	uint32_t wrf_n;
};

static void
wire_profile_head(struct buf *b, const struct out_profile *op)
{
	unsigned int i;

	buf_c(b, WIRE_PROFILE);
	wire_u64(b, op->opr_unit);
	out_wire_text(b, op->opr_name);
	wire_u64(b, op->opr_hits);
	wire_u64(b, op->opr_idle);
	wire_u64(b, op->opr_novalue);
	wire_u64(b, op->opr_judged);
	wire_u64(b, op->opr_complete);
	wire_u64(b, op->opr_bytable);
	wire_u64(b, op->opr_period);
	wire_u64(b, op->opr_start.tv_sec);
	wire_u64(b, op->opr_start.tv_nsec);
	wire_u64(b, op->opr_nsecs);
	for (i = 0; i < PROFILE_NWAITS; i++) {
		wire_u64(b, op->opr_waits[i].hits);
		wire_u64(b, op->opr_waits[i].nsecs);
	}
	buf_c(b, '\n');
}

static void
wire_frame(struct buf *b, const struct frame *fr)
{
	const struct module *mo = fr->fr_module;
	unsigned int i;

	buf_c(b, WIRE_FRAME);
	wire_u64(b, fr->fr_iskernel != 0);
	wire_u64(b, fr->fr_isinlined != 0);
	wire_u64(b, fr->fr_func != NULL);
	out_wire_text(b, fr->fr_name);
	out_wire_text(b, mo != NULL ? mo->mo_path : NULL);
	buf_c(b, '\t');
	for (i = 0; mo != NULL && i < mo->mo_buildidlen; i++)
		buf_printf(b, "%02x", mo->mo_buildid[i]);
	out_wire_text(b, fr->fr_file);
	wire_u64(b, fr->fr_line);
	wire_u64(b, fr->fr_pc);
	wire_u64(b, fr->fr_fileoff);
	wire_u64(b, fr->fr_offset);
	buf_c(b, '\n');
}

/* Prints the frames of a stack that no earlier stack has. */
static void
wire_new_frames(struct buf *b, struct wire_frames *wf,
    const struct out_stack *os)
{
	const struct frame *fr;
	unsigned int i;
	size_t max;

	for (i = 0; i < os->os_nframes; i++) {
		fr = os->os_frames[i];
		if (fr->fr_id >= wf->wrf_max) {
			max = 2 * ((size_t)fr->fr_id + 1);
			wf->wrf_numbers = realloc(wf->wrf_numbers,
			    max * sizeof(*wf->wrf_numbers));
			if (wf->wrf_numbers == NULL)
				err(1, "frames");
			memset(wf->wrf_numbers + wf->wrf_max, 0,
			    (max - wf->wrf_max) * sizeof(*wf->wrf_numbers));
			wf->wrf_max = max;
		}
		if (wf->wrf_numbers[fr->fr_id] != 0)
			continue;
		wf->wrf_numbers[fr->fr_id] = ++wf->wrf_n;
		wire_frame(b, fr);
	}
}

static void
wire_stack(struct buf *b, const struct wire_frames *wf,
    const struct out_stack *os)
{
	unsigned int i;

	buf_c(b, WIRE_STACK);
	wire_u64(b, os->os_weight);
	wire_u64(b, os->os_hits);
	wire_u64(b, os->os_wait);
	wire_u64(b, os->os_pid);
	wire_u64(b, os->os_isseveral != 0);
	out_wire_text(b, os->os_comm);
	wire_u64(b, os->os_nkernel);
	wire_u64(b, os->os_hasuser != 0);
	wire_u64(b, os->os_kend);
	wire_u64(b, os->os_uend);
	out_wire_text(b, os->os_why);
	buf_c(b, '\t');
	for (i = 0; i < os->os_nframes; i++) {
		buf_str(b, i > 0 ? "," : "");
		buf_u64(b, wf->wrf_numbers[os->os_frames[i]->fr_id] - 1);
	}
	buf_c(b, '\n');
	buf_line(b);
}

static void
wire_profile(struct out *out, const struct out_profile *op)
{
	struct wire_frames wf = { 0 };
	struct buf *b = &out->out_buf;
	size_t i;

	wire_profile_head(b, op);
	for (i = 0; i < op->opr_nwhys; i++) {
		buf_c(b, WIRE_WHY);
		wire_u64(b, op->opr_whys[i].oy_count);
		out_wire_text(b, op->opr_whys[i].oy_why);
		buf_c(b, '\n');
	}
	for (i = 0; i < op->opr_nstacks; i++) {
		wire_new_frames(b, &wf, &op->opr_stacks[i]);
		wire_stack(b, &wf, &op->opr_stacks[i]);
	}
	free(wf.wrf_numbers);
	wire_end(b);
}

/* Text */

/* Marks the lines since from as text. */
static void
wire_mark(struct buf *b, size_t from)
{
	size_t n = b->b_len - from, i, nlines = 0;
	char *p;

	for (i = from; i < b->b_len; i++)
		nlines += b->b_data[i] == '\n';
	(void)buf_room(b, nlines);
	p = b->b_data + from + n + nlines;
	for (i = n; i-- > 0;) {
		*--p = b->b_data[from + i];
		if (i == 0 || b->b_data[from + i - 1] == '\n')
			*--p = WIRE_TEXT;
	}
	b->b_len += nlines;
}

static void
wire_begin(struct out *out)
{
	size_t from = out->out_buf.b_len;

	out_text.f_begin(out);
	wire_mark(&out->out_buf, from);
}

static int
wire_call(void *arg, const struct call *cl)
{
	struct buf *b = &((struct out *)arg)->out_buf;
	size_t from;

	if (buf_line(b) == -1) /* so that f_call() only appends */
		return -1;
	from = b->b_len;
	(void)out_text.f_call(arg, cl);
	wire_mark(b, from);
	return 0;
}

const struct out_format out_wire = {
	.f_name = "wire",
	.f_begin = wire_begin,
	.f_flags = CONSUMER_JOINS,
	.f_call = wire_call,
	.f_counts = wire_counts,
	.f_syscalls = wire_syscalls,
	.f_profile = wire_profile,
};

const struct out_format out_wire_exact = {
	.f_name = "wire",
	.f_isexact = 1,
	.f_begin = wire_begin,
	.f_flags = CONSUMER_JOINS,
	.f_call = wire_call,
	.f_counts = wire_counts,
	.f_syscalls = wire_syscalls,
	.f_profile = wire_profile,
};
