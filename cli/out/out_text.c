/* SPDX-License-Identifier: ISC */
/* Output for people.  The columns may change; programs should read JSON. */
#include <string.h>
#include <time.h>

#include "cli/base/esc.h"
#include "cli/calls/kernel_pair.h"
#include "cli/decode/args.h"
#include "cli/out/out.h"
#include "cli/out/text.h"
#include "cli/procs/procs.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

void
text_colour(struct out *out, const char *seq)
{
	if (out->out_colour)
		buf_str(&out->out_buf, seq);
}

/* Converts the date only once per second. */
void
text_time(struct buf *b, const struct timespec *ts)
{
	static time_t last = -1;
	static char hms[16];
	struct tm tm;

	if (ts->tv_sec != last) {
		last = ts->tv_sec;
		if (localtime_r(&last, &tm) == NULL ||
		    strftime(hms, sizeof(hms), "%H:%M:%S", &tm) == 0)
			strcpy(hms, "??:??:??");
	}
	buf_str(b, hms);
	buf_c(b, '.');
	buf_dec(b, ts->tv_nsec / 1000, 6);
}

static void
text_begin(struct out *out)
{
	if (out->out_opts->o_print.opi_columns != NULL)
		columns_head(out);
}

/* A call has parentheses even without arguments. */
static int
text_has_args(const struct probe *pr)
{
	return (pr->pr_desc.pd_info.dtpi_nargs > 0 &&
		   strcmp(pr->pr_desc.pd_info.dtpi_name, "return") != 0) ||
	    strcmp(pr->pr_desc.pd_info.dtpi_name, "entry") == 0;
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
	if (out->out_opts->o_print.opi_verbose && text_has_args(pr)) {
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

/*
 * record
 */

static void
text_args(struct out *out, const struct arg_call *ac, int isunfinished)
{
	struct buf *b = &out->out_buf;
	unsigned int i, n = 0;

	buf_c(b, '(');
	for (i = 0; i < ac->ac_entry->ev_nargs && i < DT_REC_NARGS; i++) {
		if (!arg_shown(ac, i))
			continue;
		if (n++ > 0)
			buf_mem(b, ", ", 2);
		esc_str(b, ac->ac_probe->pr_desc.pd_names[i].dtan_name);
		buf_c(b, '=');
		arg_text(b, ac, i);
	}
	buf_str(b, isunfinished ? " <unfinished ...>" : ")");
}

static void
text_return(struct out *out, const struct arg_call *ac)
{
	const struct dt_rec_ret *ret = ac->ac_ret->ev_ret;
	struct buf *b = &out->out_buf;
	const char *name = val_errname(ret->drr_error);
	const char *desc = val_errdesc(ret->drr_error);

	if (ac->ac_rprobe->pr_isvoid)
		return;
	buf_mem(b, " = ", 3);
	if (ret->drr_error == 0) {
		arg_ret_text(b, ac);
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
	const uint64_t *pcs;
	const char *name;
	uint64_t off;
	unsigned int i;

	if (st == NULL)
		return;
	pcs = DT_STACK_PCS(st);
	for (i = 0; i < st->drs_count; i++) {
		buf_str(b, "\n        ");
		name = names_ksym(out->out_names, stack_pc(pcs, i), &off);
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

/*
 * Prints a call that was printed unfinished: only the arguments that its return
 * has read.
 */
static void
text_resumed(struct out *out, const struct arg_call *ac)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	const char *sep = " ";
	int last = -1;

	while (ac->ac_ret != NULL && ac->ac_entry != NULL &&
	    (s = dt_string(ac->ac_ret, s)) != NULL) {
		if (s->drt_argn == last || s->drt_argn >= DT_REC_NARGS ||
		    s->drt_argn >= ac->ac_entry->ev_nargs)
			continue;
		last = s->drt_argn;
		buf_str(b, sep);
		esc_str(b, ac->ac_probe->pr_desc.pd_names[last].dtan_name);
		buf_c(b, '=');
		arg_text(b, ac, last);
		sep = ", ";
	}
	buf_c(b, ')');
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
 * Prints a pair that is not a call: first(arguments) -> second.  What follows
 * describes the second.
 */
static void
text_second(struct out *out, const struct out_event *oe, struct arg_call *ac)
{
	buf_mem(&out->out_buf, " -> ", 4);
	text_name(out, oe->oe_probe);
	text_thread(out, oe->oe_second, oe->oe_entry);
	ac->ac_probe = oe->oe_probe;
	ac->ac_ret = oe->oe_second;
	ac->ac_entry = NULL;
}

/* Prints the name of the call and its arguments. */
static void
text_call(struct out *out, const struct out_event *oe,
    const struct arg_call *ac)
{
	struct buf *b = &out->out_buf;

	if (oe->oe_flags & OUT_RESUMED)
		buf_mem(b, "<... ", 5);
	text_name(out,
	    oe->oe_flags & OUT_PAIRED ? oe->oe_eprobe : oe->oe_probe);
	if (oe->oe_flags & OUT_RESUMED) {
		buf_mem(b, " resumed>", 9);
		text_resumed(out, ac);
	} else if (ac->ac_entry != NULL && text_has_args(ac->ac_probe))
		text_args(out, ac, oe->oe_flags & OUT_UNFINISHED);
}

/* Prints the duration of a call in seconds, as strace(1) -T does. */
static void
text_duration(struct buf *b, const struct out_event *oe)
{
	uint64_t nsecs = oe->oe_ev->ev_rec->dr_time -
	    oe->oe_entry->ev_rec->dr_time;

	buf_mem(b, " <", 2);
	buf_u64(b, nsecs / 1000000000);
	buf_c(b, '.');
	buf_dec(b, nsecs % 1000000000 / 1000, 6);
	buf_c(b, '>');
}

/* A joined call has the time of its entry, and the stacks of its entry. */
static void
text_event(struct out *out, const struct out_event *oe)
{
	int ispaired = (oe->oe_flags & OUT_PAIRED) != 0;
	const struct dt_event *ev = ispaired ? oe->oe_second : oe->oe_ev;
	const struct dt_event *entry = oe->oe_entry;
	struct arg_call ac = { .ac_procs = oe->oe_procs };
	struct buf *b = &out->out_buf;
	int isother = ispaired &&
	    !kernel_pair_iscall(oe->oe_eprobe, oe->oe_probe);

	if (oe->oe_flags & OUT_APART)
		entry = NULL;
	ac.ac_probe = entry != NULL ? oe->oe_eprobe : oe->oe_probe;
	ac.ac_entry = entry == NULL && ev->ev_ret == NULL ? ev : entry;
	ac.ac_ret = ev->ev_ret == NULL || isother ? NULL : ev;
	ac.ac_rprobe = oe->oe_probe;
	if (entry != NULL && (oe->oe_flags & OUT_RESUMED) == 0)
		ev = entry;
	columns_text(out, ev);
	text_call(out, oe, &ac);
	if (isother)
		text_second(out, oe, &ac);
	procs_settle(oe->oe_procs);
	if (ac.ac_ret != NULL && ac.ac_ret->ev_ret != NULL)
		text_return(out, &ac);
	else if (oe->oe_flags & OUT_NORETURN)
		buf_mem(b, " = ?", 4);
	if (entry != NULL)
		text_duration(b, oe);
	if ((oe->oe_flags & OUT_RESUMED) == 0) {
		text_kstack(out, ev->ev_kstack);
		text_ustack(out, ev);
	}
	buf_c(b, '\n');
}

const struct out_format out_text = {
	.f_name = "text",
	.f_begin = text_begin,
	.f_joins = 1,
	.f_probe = text_probe,
	.f_prov = text_prov,
	.f_event = text_event,
	.f_counts = text_counts,
	.f_profile = text_profile,
	.f_kcov = text_kcov,
	.f_doctor = text_doctor,
};
