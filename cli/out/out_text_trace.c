/* SPDX-License-Identifier: ISC */
/* The parts of a line of dt trace that strace(1) prints otherwise than dt record. */
#include "cli/base/esc.h"
#include "cli/out/out_text.h"

#define TRACE_RESULT 39 /* column of " = ", as strace has it */

/* The thread: always in a file, elsewhere once there are several. */
static void
trace_thread(struct out *out, const struct dt_event *ev)
{
	const struct opts *o = out->out_opts;
	int isall = o->o_print.opi_trace.otr_isall;
	struct buf *b = &out->out_buf;
	static uint32_t first;
	static int isseveral;
	uint32_t tid = ev->ev_rec->dr_tid;

	if (first == 0)
		first = tid;
	isseveral |= tid != first;
	if (o->o_print.opi_trace.otr_isfile)
		buf_printf(b, "%u ", tid);
	else if (isseveral || isall)
		buf_printf(b, isall ? "[pid %5u " : "[pid %5u] ", tid);
	if (!isall)
		return;
	if (ev->ev_comm != NULL)
		esc_str(b, ev->ev_comm);
	buf_str(b, o->o_print.opi_trace.otr_isfile ? " " : "] ");
}

static void
trace_time(struct buf *b, enum opts_trace_time kind, const struct timespec *ts)
{
	size_t from = b->b_len;

	if (kind == OPTS_TRACE_NOTIME)
		return;
	if (kind == OPTS_TRACE_EPOCH)
		val_seconds(b, ts->tv_sec * UINT64_C(1000000000) + ts->tv_nsec,
		    0);
	else
		val_time(b, ts);
	if (kind == OPTS_TRACE_SECONDS)
		b->b_len = from + sizeof("HH:MM:SS") - 1;
	buf_c(b, ' ');
}

void
text_trace_head(struct out *out, const struct dt_event *ev)
{
	const struct opts_trace *tr = &out->out_opts->o_print.opi_trace;
	static uint64_t last;
	uint64_t now = ev->ev_rec->dr_time;

	trace_thread(out, ev);
	trace_time(&out->out_buf, tr->otr_time, &ev->ev_realtime);
	if (!tr->otr_isrelative)
		return;
	val_seconds(&out->out_buf, last == 0 || now < last ? 0 : now - last, 5);
	buf_c(&out->out_buf, ' ');
	last = now;
}

void
text_trace_pad(struct buf *b, size_t from)
{
	buf_pad(b, from, TRACE_RESULT);
}
