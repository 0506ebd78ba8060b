/* SPDX-License-Identifier: ISC */
/* Output for people.  The columns may change; programs should read JSON. */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/out.h"
#include "cli/out/out_text.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

void
text_colour(struct out *out, const char *seq)
{
	if (out->out_colour)
		buf_str(&out->out_buf, seq);
}

static void
text_begin(struct out *out)
{
	if (out->out_opts->o_print.opi_columns != NULL)
		columns_text(out, NULL);
}

/*
 * list
 */

/* Prints an argument as a C declaration. */
static void
text_decl(struct buf *b, const struct dt_probe_desc *pd, unsigned int i)
{
	const char *type = pd->pd_types[i].dtai_argtype;
	size_t n = strlen(type), base = strcspn(type, "[");

	if (strncmp(type, "__", 2) == 0 && strchr(type, ' ') != NULL)
		base = n; /* __data_loc char[] */
	esc_text(b, type, base);
	if (base > 0 && type[base - 1] != '*')
		buf_c(b, ' ');
	esc_str(b, pd->pd_names[i].dtan_name);
	esc_text(b, type + base, n - base);
}

static void
text_probe(struct out *out, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct buf *b = &out->out_buf;
	unsigned int i;

	esc_str(b, pr->pr_full);
	if (out->out_opts->o_print.opi_verbose && pr->pr_hasargs) {
		buf_str(b, " (");
		for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS;
		     i++) {
			buf_str(b, i > 0 ? ", " : "");
			text_decl(b, pd, i);
			if (pd->pd_names[i].dtan_flags & DTAN_MORE)
				buf_str(b, ", ...");
		}
		buf_c(b, ')');
	} else if (out->out_opts->o_print.opi_verbose &&
	    pd->pd_info.dtpi_nargs > 0) {
		buf_str(b, " = "); /* result of a function */
		esc_str(b, pd->pd_types[0].dtai_argtype);
	}
	buf_c(b, '\n');
}

static void
text_prov(struct out *out, const struct dtioc_prov_info *pv)
{
	struct buf *b = &out->out_buf;
	size_t from;

	buf_str(b, "# ");
	from = b->b_len;
	esc_str(b, pv->dtpv_name);
	buf_pad(b, from, 12);
	buf_printf(b, " %6u probes, %s", pv->dtpv_nprobes,
	    pv->dtpv_available ? "available" : "not available");
	if (pv->dtpv_reason[0] != '\0') {
		buf_str(b, ": ");
		esc_text(b, pv->dtpv_reason,
		    strnlen(pv->dtpv_reason, sizeof(pv->dtpv_reason)));
	}
	buf_c(b, '\n');
}

/* A comment, like providers: other lines are probes. */
static void
text_tool(struct out *out, const char *name, const char *what)
{
	struct buf *b = &out->out_buf;
	size_t from;

	buf_str(b, "# dt run ");
	from = b->b_len;
	esc_str(b, name);
	buf_pad(b, from, 14);
	buf_c(b, ' ');
	esc_str(b, what);
	buf_c(b, '\n');
}

/*
 * record
 */

static void
text_return(struct out *out, const struct call *cl,
    const struct dt_rec_ret *ret)
{
	struct buf *b = &out->out_buf;
	const char *name = val_errname(ret->drr_error);
	const char *desc = val_errdesc(ret->drr_error);

	if (cl->cal_probe->pr_isvoid)
		return;
	buf_mem(b, " = ", 3);
	if (cl->cal_hasret) {
		buf_mem(b, cl->cal_text + cl->cal_ret.clt_from,
		    cl->cal_ret.clt_len);
		return;
	}
	text_colour(out, TEXT_RED);
	buf_s64(b, ret->drr_retval);
	if (name != NULL)
		buf_printf(b, " %s", name);
	else
		buf_printf(b, " errno %u", ret->drr_error);
	text_colour(out, TEXT_OFF);
	if (desc != NULL)
		buf_printf(b, " (%s)", desc);
}

static void
text_kstack(struct out *out, const struct dt_rec_stack *st)
{
	struct buf *b = &out->out_buf;
	const uint64_t *pcs = DT_STACK_PCS(st);
	const char *name;
	uint64_t off;
	unsigned int i;

	i = name_cache_kfirst(out->out_names, st);
	for (; i < st->drs_count; i++) {
		buf_str(b, "\n        ");
		name = name_cache_ksym(out->out_names, stack_pc(pcs, i), &off);
		if (name != NULL) {
			esc_str(b, name);
			buf_c(b, '+');
			buf_hex(b, off + (pcs[i] - stack_pc(pcs, i)));
		} else
			buf_hex(b, pcs[i]);
	}
	if (st->drs_end != DT_STACK_ENDED) {
		buf_str(b, "\n        ");
		stack_end_text(b, 1, st->drs_end, st->drs_count, st->drs_error);
	}
}

static void
text_ustack(struct out *out, const struct dt_event *ev)
{
	struct buf *b = &out->out_buf;
	struct frame_alone fa;
	struct user_symbols us;
	const char *why;
	size_t i, at;

	user_symbols_event(&us, out->out_names, ev, &why);
	for (i = 0; i < us.us_n; i++) {
		at = us.us_frames[i].df_pc;
		buf_str(b, "\n        ");
		text_frame(b,
		    frames_alone(&fa, ev->ev_rec->dr_pid,
			DT_STACK_PCS(ev->ev_ustack)[at], at > 0,
			&us.us_frames[i]));
	}
	if (why != NULL)
		buf_printf(b, "\n        [incomplete: %s]", why);
	user_symbols_free(&us);
}

static void
text_name(struct out *out, const struct probe *pr)
{
	text_colour(out, TEXT_BOLD);
	esc_str(&out->out_buf, pr->pr_call);
	text_colour(out, TEXT_OFF);
}

/* Prints the CPU and the thread of the second hit, if it is another thread. */
static void
text_thread(struct out *out, const struct dt_event *ev,
    const struct dt_event *first)
{
	struct buf *b = &out->out_buf;

	if (ev->ev_rec->dr_tid == first->ev_rec->dr_tid &&
	    (ev->ev_rec->dr_tid != 0 || ev->ev_cpu == first->ev_cpu))
		return;
	buf_mem(b, " [", 2);
	buf_dec(b, ev->ev_cpu, 3);
	buf_c(b, ' ');
	if (ev->ev_comm != NULL)
		esc_str(b, ev->ev_comm);
	buf_printf(b, " %u/%u]", ev->ev_rec->dr_pid, ev->ev_rec->dr_tid);
}

/*
 * Prints a pair that is not a call: first(arguments) -> second.  The rest of
 * the line describes the second.
 */
static void
text_second(struct out *out, const struct call *cl)
{
	buf_mem(&out->out_buf, " -> ", 4);
	text_name(out, cl->cal_probe);
	text_thread(out, cl->cal_second, cl->cal_entry);
}

/*
 * Prints the name of the call and its arguments; of one that was printed
 * unfinished, those that its return has read.
 */
static void
text_call(struct out *out, const struct call *cl, int isalone)
{
	const struct probe *pr = cl->cal_entry != NULL ? cl->cal_eprobe
						       : cl->cal_probe;
	int isresumed = (cl->cal_flags & CALL_RESUMED) != 0;
	uint32_t mask = isresumed ? cl->cal_hasargs : cl->cal_inuse;
	const struct call_text *ct = cl->cal_args;
	struct buf *b = &out->out_buf;
	const char *sep = "";
	unsigned int i;

	if (isresumed)
		buf_mem(b, "<... ", 5);
	text_name(out,
	    cl->cal_flags & CALL_PAIRED ? cl->cal_eprobe : cl->cal_probe);
	if (isresumed) {
		buf_mem(b, " resumed>", 9);
		sep = " ";
	} else if (!isalone && pr->pr_hasargs)
		buf_c(b, '(');
	else
		return;
	for (i = 0; mask >> i != 0; i++) {
		if ((mask >> i & 1) == 0)
			continue;
		buf_str(b, sep);
		sep = ", ";
		if (!out->out_opts->o_print.opi_trace.otr_is) {
			esc_str(b, pr->pr_desc.pd_names[i].dtan_name);
			buf_c(b, '=');
		}
		buf_mem(b, cl->cal_text + ct[i].clt_from, ct[i].clt_len);
	}
	buf_str(b, cl->cal_flags & CALL_UNFINISHED ? " <unfinished ...>" : ")");
}

/* A joined call has the time of its entry, and the stacks of its entry. */
static int
text_event(void *arg, const struct call *cl)
{
	struct out *out = arg;
	const struct dt_event *ev = cl->cal_flags & CALL_PAIRED ? cl->cal_second
								: cl->cal_ev;
	const struct dt_event *entry = cl->cal_flags & CALL_APART
	    ? NULL
	    : cl->cal_entry;
	const struct dt_rec_ret *ret = ev->ev_ret;
	const struct opts_trace *tr = &out->out_opts->o_print.opi_trace;
	struct buf *b = &out->out_buf;
	size_t from;

	if (buf_line(b) == -1)
		return -1;
	/* strace omits the return of a fork in the child */
	if (tr->otr_is && (text_signal(out, cl) || cl->cal_flags & CALL_CHILD))
		return 0;
	if (entry != NULL && (cl->cal_flags & CALL_RESUMED) == 0)
		ev = entry;
	from = b->b_len; /* strace's columns include the thread and the time */
	if (tr->otr_is)
		text_trace_head(out, ev);
	else
		columns_text(out, ev);
	text_call(out, cl, entry == NULL && ret != NULL);
	if (cl->cal_flags & CALL_FROMTO)
		text_second(out, cl);
	if (tr->otr_is &&
	    (ret != NULL ? !cl->cal_probe->pr_isvoid
			 : cl->cal_flags & CALL_NORETURN))
		text_trace_pad(b, from);
	if (ret != NULL)
		text_return(out, cl, ret);
	else if (cl->cal_flags & CALL_NORETURN)
		buf_mem(b, " = ?", 4);
	if (entry != NULL && (!tr->otr_is || tr->otr_hasduration)) {
		buf_mem(b, " <", 2); /* as strace(1) -T */
		val_seconds(b,
		    cl->cal_ev->ev_rec->dr_time - entry->ev_rec->dr_time, 0);
		buf_c(b, '>');
	}
	if ((cl->cal_flags & CALL_RESUMED) == 0) {
		if (ev->ev_kstack != NULL)
			text_kstack(out, ev->ev_kstack);
		if (ev->ev_ustack != NULL)
			text_ustack(out, ev);
	}
	buf_c(b, '\n');
	if (!tr->otr_is && out->out_isterminal)
		text_wrap(&out->out_buf, from);
	return 0;
}

const struct out_format out_text = {
	.f_name = "text",
	.f_begin = text_begin,
	.f_flags = CONSUMER_JOINS,
	.f_probe = text_probe,
	.f_prov = text_prov,
	.f_tool = text_tool,
	.f_call = text_event,
	.f_counts = text_counts,
	.f_syscalls = text_syscalls,
	.f_profile = text_profile,
	.f_where = text_where,
	.f_kcov = text_kcov,
	.f_doctor = text_doctor,
};
