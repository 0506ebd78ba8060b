/* SPDX-License-Identifier: ISC */
/*
 * Prints the line of an event: its columns, the call with its result, and the
 * stacks.  A new column is a function and a row of the table.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/suggest.h"
#include "cli/opts/opts.h"
#include "cli/out/out_text.h"
#include "cli/out/out_text_event.h"
#include "cli/sym/cgroup.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

#define COLUMNS_USUAL "time,cpu,comm,pid/tid"

/*
 * Columns
 */

static void
column_time(struct out *out, const struct dt_event *ev)
{
	val_time(&out->out_buf, &ev->ev_realtime);
}

static void
column_cpu(struct out *out, const struct dt_event *ev)
{
	buf_dec(&out->out_buf, ev->ev_cpu, 3);
}

static void
column_comm(struct out *out, const struct dt_event *ev)
{
	if (ev->ev_comm != NULL)
		esc_str(&out->out_buf, ev->ev_comm);
}

static void
column_pid(struct out *out, const struct dt_event *ev)
{
	buf_u64(&out->out_buf, ev->ev_rec->dr_pid);
}

static void
column_tid(struct out *out, const struct dt_event *ev)
{
	buf_u64(&out->out_buf, ev->ev_rec->dr_tid);
}

static void
column_pidtid(struct out *out, const struct dt_event *ev)
{
	buf_u64(&out->out_buf, ev->ev_rec->dr_pid);
	buf_c(&out->out_buf, '/');
	buf_u64(&out->out_buf, ev->ev_rec->dr_tid);
}

static void
column_uid(struct out *out, const struct dt_event *ev)
{
	const char *user = name_cache_user(out->out_names, ev->ev_who->drw_uid);

	if (user != NULL)
		esc_str(&out->out_buf, user);
	else
		buf_u64(&out->out_buf, ev->ev_who->drw_uid);
}

static void
column_ppid(struct out *out, const struct dt_event *ev)
{
	buf_u64(&out->out_buf, ev->ev_who->drw_ppid);
}

static void
column_cgroup(struct out *out, const struct dt_event *ev)
{
	const char *path = cgroups_path(&out->out_names->nm_cgroups,
	    ev->ev_who->drw_cgroup);
	char name[256];

	if (path != NULL)
		esc_str(&out->out_buf, cgroup_name(path, name, sizeof(name)));
	else
		buf_u64(&out->out_buf, ev->ev_who->drw_cgroup);
}

static const struct column {
	const char *cl_name;
	const char *cl_head;
	unsigned int cl_width;
	uint64_t cl_evtflags;
	void (*cl_text)(struct out *, const struct dt_event *);
} columns[] = {
	{ "time", "TIME", 15, 0, column_time },
	{ "cpu", "CPU", 3, 0, column_cpu },
	{ "comm", "COMM", 15, DTEVT_EXECNAME, column_comm },
	{ "pid/tid", "PID/TID", 13, 0, column_pidtid },
	{ "pid", "PID", 7, 0, column_pid },
	{ "tid", "TID", 7, 0, column_tid },
	{ "ppid", "PPID", 7, DTEVT_WHO, column_ppid },
	{ "uid", "UID", 8, DTEVT_WHO, column_uid },
	{ "cgroup", "CGROUP", 24, DTEVT_WHO, column_cgroup },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static const char *
columns_unknown(const char *name, size_t len)
{
	static char why[256];
	const char *names[NCOLUMNS], *near;
	char word[32];
	size_t i, n;

	for (i = 0; i < NCOLUMNS; i++)
		names[i] = columns[i].cl_name;
	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	near = suggest_word(word, names, NCOLUMNS);
	n = snprintf(why, sizeof(why),
	    "there is no column '%s'%s%s%s; "
	    "columns are",
	    word, near != NULL ? ", did you mean " : "",
	    near != NULL ? near : "", near != NULL ? "?" : "");
	for (i = 0; i < NCOLUMNS && n < sizeof(why); i++)
		n += snprintf(why + n, sizeof(why) - n, "%s %s",
		    i > 0 ? "," : "", names[i]);
	return why;
}

/* Adds the columns of a list. */
static const char *
columns_add(struct columns *cs, const char *list)
{
	size_t len, i;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		for (i = 0; i < NCOLUMNS; i++) {
			if (strlen(columns[i].cl_name) == len &&
			    memcmp(columns[i].cl_name, list, len) == 0)
				break;
		}
		if (i == NCOLUMNS)
			return columns_unknown(list, len);
		if (cs->cs_n == COLUMNS_MAX)
			return "has too many columns";
		cs->cs_index[cs->cs_n++] = i;
		if (list[len] == '\0')
			return NULL;
	}
}

const char *
columns_parse(struct columns *cs, const char *list)
{
	cs->cs_n = 0;
	if (list == NULL || *list == '+')
		columns_add(cs, COLUMNS_USUAL);
	if (list == NULL)
		return NULL;
	return columns_add(cs, list + (*list == '+'));
}

const char *
columns_option(struct opts *o, const char *list)
{
	struct columns cs;

	o->o_print.opi_columns = list;
	return columns_parse(&cs, list);
}

uint64_t
columns_evtflags(const struct columns *cs)
{
	uint64_t flags = 0;
	unsigned int i;

	for (i = 0; i < cs->cs_n; i++)
		flags |= columns[cs->cs_index[i]].cl_evtflags;
	return flags;
}

void
columns_text(struct out *out, const struct dt_event *ev)
{
	struct columns *cs = &out->out_columns;
	const struct column *cl;
	struct buf *b = &out->out_buf;
	size_t from = b->b_len, end = 0;
	unsigned int i;

	if (cs->cs_n == 0)
		columns_parse(cs, NULL);
	for (i = 0; i < cs->cs_n; i++) {
		cl = &columns[cs->cs_index[i]];
		if (ev == NULL)
			buf_str(b, cl->cl_head);
		else if (cl->cl_evtflags & DTEVT_WHO && ev->ev_who == NULL)
			buf_c(b, '-');
		else
			cl->cl_text(out, ev);
		/* columns after a long one use up their blanks */
		end += cl->cl_width;
		buf_pad(b, from, end++);
		buf_c(b, ' ');
	}
	if (ev == NULL)
		buf_str(b, "CALL\n");
}

/*
 * The call
 */

/* Prints the value and the error of a call that has failed. */
static void
text_failure(struct out *out, const struct dt_rec_ret *ret)
{
	const char *name = val_errname(ret->drr_error);
	const char *desc = val_errdesc(ret->drr_error);
	struct buf *b = &out->out_buf;

	buf_str(b, out->out_colours[OUT_RED]);
	buf_s64(b, ret->drr_retval);
	if (name != NULL)
		buf_printf(b, " %s", name);
	else
		buf_printf(b, " errno %u", ret->drr_error);
	buf_str(b, out->out_colours[OUT_PLAIN]);
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
	struct buf *b = &out->out_buf;

	buf_mem(b, " -> ", 4);
	buf_str(b, out->out_colours[OUT_BOLD]);
	esc_str(b, cl->cal_probe->pr_call);
	buf_str(b, out->out_colours[OUT_PLAIN]);
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
	buf_str(b, out->out_colours[OUT_BOLD]);
	esc_str(b,
	    cl->cal_flags & CALL_PAIRED ? cl->cal_eprobe->pr_call
					: cl->cal_probe->pr_call);
	buf_str(b, out->out_colours[OUT_PLAIN]);
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
int
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
	int hasresult;
	size_t from;

	if (buf_line(b) == -1)
		return -1;
	from = b->b_len; /* strace's columns include the thread and the time */
	/* strace omits the return of a fork in the child */
	if (tr->otr_is &&
	    (text_signal(out, cl) || cl->cal_flags & CALL_CHILD)) {
		text_wrap(b, from);
		return 0;
	}
	if (entry != NULL && (cl->cal_flags & CALL_RESUMED) == 0)
		ev = entry;
	if (tr->otr_is)
		text_trace_head(out, ev);
	else
		columns_text(out, ev);
	text_call(out, cl, entry == NULL && ret != NULL);
	if (cl->cal_flags & CALL_FROMTO)
		text_second(out, cl);
	hasresult = ret != NULL ? !cl->cal_probe->pr_isvoid
				: (cl->cal_flags & CALL_NORETURN) != 0;
	if (hasresult && tr->otr_is)
		text_trace_pad(b, from);
	buf_str(b, hasresult ? " = " : "");
	if (cl->cal_hasret)
		buf_mem(b, cl->cal_text + cl->cal_ret.clt_from,
		    cl->cal_ret.clt_len);
	else if (hasresult && ret != NULL)
		text_failure(out, ret);
	else if (hasresult)
		buf_c(b, '?');
	if (entry != NULL && (!tr->otr_is || tr->otr_hasduration)) {
		buf_mem(b, " <", 2); /* as strace(1) -T */
		val_seconds(b,
		    cl->cal_ev->ev_rec->dr_time - entry->ev_rec->dr_time, 0);
		buf_c(b, '>');
	}
	if (ev->ev_kstack != NULL && (cl->cal_flags & CALL_RESUMED) == 0)
		text_kstack(out, ev->ev_kstack);
	if (ev->ev_ustack != NULL && (cl->cal_flags & CALL_RESUMED) == 0)
		text_ustack(out, ev);
	buf_c(b, '\n');
	if (out->out_isterminal)
		text_wrap(&out->out_buf, from);
	return 0;
}
