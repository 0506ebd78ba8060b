/* SPDX-License-Identifier: ISC */
/*
 * JSON lines: one object a line, the ledger last.  The keys are promised in
 * dt(1): new ones may come, none changes its meaning.
 *
 * Written by hand because a line of record costs about a microsecond so;
 * json-c would build and free a tree of a dozen objects for each.
 */
#include <string.h>

#include "arg.h"
#include "esc.h"
#include "out.h"
#include "path.h"
#include "procs.h"
#include "shape.h"
#include "stack.h"

/* Not a string of its own. */
#define JSON_NOTEXT (DT_STR_MEMORY | DT_STR_DATA | DT_STR_VECTOR | DT_STR_MORE)

static void
json_key(struct buf *b, const char *key)
{
	if (b->b_data[b->b_len - 1] != '{')
		buf_c(b, ',');
	buf_c(b, '"');
	buf_str(b, key);
	buf_mem(b, "\":", 2);
}

static void
json_bytes(struct buf *b, const char *s, size_t n)
{
	buf_c(b, '"');
	esc_json(b, s, n);
	buf_c(b, '"');
}

static void
json_str(struct buf *b, const char *s, size_t max)
{
	buf_c(b, '"');
	esc_json(b, s, strnlen(s, max));
	buf_c(b, '"');
}

static void
json_text(struct buf *b, const char *s)
{
	json_str(b, s, strlen(s));
}

static void
json_u64(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_u64(b, v);
}

static void
json_field(struct buf *b, const char *key, const char *s)
{
	json_key(b, key);
	json_text(b, s);
}

static void
json_probe(struct out *out, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	struct buf *b = &out->out_buf;
	unsigned int i;

	buf_c(b, '{');
	json_field(b, "probe", pr->pr_full);
	json_u64(b, "pbn", pd->pd_info.dtpi_pbn);
	json_key(b, "args");
	buf_c(b, '[');
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++) {
		buf_str(b, i > 0 ? ",{" : "{");
		json_field(b, "name", pd->pd_names[i].dtan_name);
		json_field(b, "type", pd->pd_types[i].dtai_argtype);
		buf_c(b, '}');
	}
	buf_str(b, "]}\n");
}

static void
json_prov(struct out *out, const struct dtioc_prov_info *pv)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_field(b, "provider", pv->dtpv_name);
	json_u64(b, "probes", pv->dtpv_nprobes);
	json_key(b, "available");
	buf_str(b, pv->dtpv_available ? "true" : "false");
	json_key(b, "reason");
	json_str(b, pv->dtpv_reason, sizeof(pv->dtpv_reason));
	buf_str(b, "}\n");
}

static void
json_args(struct buf *b, const struct probe *pr, const struct dt_event *ev)
{
	unsigned int i, n = 0;

	json_key(b, "args");
	buf_c(b, '{');
	for (i = 0; i < ev->ev_nargs && i < DT_REC_NARGS; i++) {
		if (pr->pr_args[i] == VAL_NONE)
			continue; /* its text is in "strings" */
		if (n++ > 0)
			buf_c(b, ',');
		json_str(b, pr->pr_desc.pd_names[i].dtan_name, DTNAMESIZE);
		buf_c(b, ':');
		val_json(b, pr->pr_args[i], ev->ev_args[i]);
	}
	buf_c(b, '}');
}

/* Whose addresses these are. */
enum json_pcs {
	JSON_USER,
	JSON_KERNEL, /* as the kernel gave them */
	JSON_FUNCS,  /* starts of kernel functions */
};

static void
json_pcs(struct out *out, const char *key, const uint64_t *pcs,
    unsigned int npcs, enum json_pcs kind)
{
	struct buf *b = &out->out_buf;
	const char *name;
	uint64_t pc, off;
	unsigned int i;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < npcs; i++) {
		if (i > 0)
			buf_c(b, ',');
		pc = kind == JSON_KERNEL ? stack_pc(pcs, i) : pcs[i];
		name = kind != JSON_USER ? names_ksym(out->out_names, pc, &off)
					 : NULL;
		if (name != NULL)
			json_text(b, name);
		else {
			buf_c(b, '"');
			buf_hex(b, pcs[i]);
			buf_c(b, '"');
		}
	}
	buf_c(b, ']');
}

/* Why a stack is not whole; a key that whole stacks have not. */
static void
json_end(struct buf *b, const char *key, unsigned int end)
{
	const char *word = stack_end_word(end);

	if (word != NULL)
		json_field(b, key, word);
}

/* Begins a member of an object that has the key only if it has members. */
static void
json_member(struct buf *b, const char *key, int *isopen, const char *name)
{
	if (!*isopen) {
		json_key(b, key);
		buf_c(b, '{');
	}
	*isopen = 1;
	json_key(b, name);
}

static void
json_members_end(struct buf *b, int isopen)
{
	if (isopen)
		buf_c(b, '}');
}

/* Names are the kernel's, or of a recording: nobody's that may be trusted. */
static const char *
json_argname(struct out *out, const struct out_event *oe, unsigned int argn)
{
	static char name[6 * DTNAMESIZE + 1];
	const struct probe *pr = oe->oe_ev->ev_ret != NULL ||
		oe->oe_flags & OUT_PAIRED
	    ? oe->oe_eprobe
	    : oe->oe_probe;
	struct buf *b = &out->out_buf;
	size_t from = b->b_len, n;

	if (pr == NULL || argn >= DT_REC_NARGS) {
		snprintf(name, sizeof(name), "arg%u", argn);
		return name;
	}
	esc_json(b, pr->pr_desc.pd_names[argn].dtan_name,
	    strnlen(pr->pr_desc.pd_names[argn].dtan_name, DTNAMESIZE));
	n = b->b_len - from;
	b->b_len = from;
	memcpy(name, b->b_data + from, n);
	name[n] = '\0';
	return name;
}

/* One string, or the elements of a vector from s on; returns the last. */
static const struct dt_rec_string *
json_string(struct buf *b, const struct dt_event *ev,
    const struct dt_rec_string *s)
{
	const struct dt_rec_string *next = s;
	unsigned int argn = s->drt_argn;
	int isvector = (s->drt_flags & (DT_STR_VECTOR | DT_STR_MORE)) != 0;
	const char *sep = "";

	if (isvector)
		buf_c(b, '[');
	for (; next != NULL && next->drt_argn == argn;
	     next = dt_string(ev, next)) {
		s = next;
		if (s->drt_flags & DT_STR_MORE)
			continue;
		buf_str(b, sep);
		sep = ",";
		if (s->drt_error != 0)
			buf_str(b, "null");
		else
			json_bytes(b, DT_STRING_BYTES(s), s->drt_length);
		if (!isvector)
			break;
	}
	if (isvector)
		buf_c(b, ']');
	return s;
}

/* The strings of an event, and the bytes of --data. */
static void
json_strings(struct out *out, const struct out_event *oe, const char *key,
    int isdata)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	unsigned int done = 0;
	int isopen = 0;

	while ((s = dt_string(oe->oe_ev, s)) != NULL) {
		if ((s->drt_flags & DT_STR_MEMORY) != 0 ||
		    ((s->drt_flags & DT_STR_DATA) != 0) != isdata ||
		    s->drt_flags & DT_STR_MORE || /* alone: a number */
		    s->drt_argn >= DT_REC_NARGS || done & 1U << s->drt_argn)
			continue;
		done |= 1U << s->drt_argn;
		json_member(b, key, &isopen,
		    json_argname(out, oe, s->drt_argn));
		s = json_string(b, oe->oe_ev, s);
	}
	json_members_end(b, isopen);
}

/* Which strings were longer in the process. */
static void
json_cut(struct out *out, const struct out_event *oe)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	int isopen = 0;

	while ((s = dt_string(oe->oe_ev, s)) != NULL) {
		if (s->drt_flags & JSON_NOTEXT || s->drt_error != 0 ||
		    s->drt_truelen <= s->drt_length)
			continue;
		json_member(b, "cut", &isopen,
		    json_argname(out, oe, s->drt_argn));
		buf_u64(b, s->drt_truelen);
	}
	json_members_end(b, isopen);
}

/* The absolute paths that the strings of an event mean. */
static void
json_paths(struct out *out, const struct out_event *oe)
{
	const struct shape_call sc = {
		.sc_procs = oe->oe_procs,
		.sc_entry = oe->oe_ev->ev_ret != NULL ? oe->oe_entry
						      : oe->oe_ev,
		.sc_ret = oe->oe_ev->ev_ret != NULL ? oe->oe_ev : NULL,
	};
	const struct shape *sh = oe->oe_shape;
	struct buf *b = &out->out_buf;
	char path[PATH_JOINED];
	unsigned int i;
	int isopen = 0;
	size_t n;

	for (i = 0; sh != NULL && i < sh->sh_npaths; i++) {
		n = shape_path(&sc, sh->sh_paths[i], sh->sh_dirs[i], path,
		    sizeof(path));
		if (n == 0 ||
		    !shape_iswhole(shape_string(&sc, sh->sh_paths[i])))
			continue;
		json_member(b, "path", &isopen,
		    json_argname(out, oe, sh->sh_paths[i]));
		json_bytes(b, path, n);
	}
	json_members_end(b, isopen);
}

/* Makes what was appended from there on the inside of a JSON string. */
static void
json_quote(struct buf *b, size_t from)
{
	size_t n = b->b_len - from, end = b->b_len;

	buf_room(b, 6 * n + 1); /* the source must not move */
	esc_json(b, b->b_data + from, n);
	n = b->b_len - end;
	memmove(b->b_data + from, b->b_data + end, n);
	b->b_len = from + n;
	buf_c(b, '"');
}

/* Text of an argument (argn -1: of the result), unless it is the number. */
static void
json_text_of(struct out *out, const struct out_event *oe,
    const struct arg_call *ac, int argn, int *isopen)
{
	struct buf *b = &out->out_buf;
	size_t before = b->b_len, from, end;
	int wasopen = *isopen;

	json_member(b, "text", isopen,
	    argn >= 0 ? json_argname(out, oe, argn) : "retval");
	buf_c(b, '"');
	from = b->b_len;
	if (argn >= 0)
		arg_text(b, ac, argn);
	else
		arg_ret_text(b, ac);
	end = b->b_len;
	if (argn >= 0)
		val_text(b, ac->ac_probe->pr_args[argn],
		    ac->ac_entry->ev_args[argn]);
	else
		val_text(b, ac->ac_rprobe->pr_ret,
		    ac->ac_ret->ev_ret->drr_retval);
	if (b->b_len - end == end - from &&
	    memcmp(b->b_data + from, b->b_data + end, end - from) == 0) {
		b->b_len = before;
		*isopen = wasopen;
		return;
	}
	b->b_len = end;
	json_quote(b, from);
}

/* Whether an event has memory, or data, for an argument. */
static int
json_filled(const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;

	while ((s = dt_string(ev, s)) != NULL)
		if (s->drt_argn == argn &&
		    (s->drt_flags & (DT_STR_MEMORY | DT_STR_DATA)) != 0)
			return 1;
	return 0;
}

/* How the result reads, and what the call has filled in. */
static void
json_words_return(struct out *out, const struct out_event *oe, int *isopen)
{
	const struct dt_event *ev = oe->oe_ev;
	struct arg_call ac = {
		.ac_probe = oe->oe_entry != NULL ? oe->oe_eprobe : oe->oe_probe,
		.ac_rprobe = oe->oe_probe,
		.ac_entry = oe->oe_entry,
		.ac_ret = ev,
		.ac_procs = oe->oe_procs,
	};
	unsigned int i;

	if (ev->ev_ret->drr_error == 0 && !ac.ac_rprobe->pr_isvoid)
		json_text_of(out, oe, &ac, -1, isopen);
	if (ac.ac_entry == NULL || oe->oe_flags & OUT_PAIRED)
		return;
	for (i = 0; i < ac.ac_entry->ev_nargs && i < DT_REC_NARGS; i++)
		if (json_filled(ev, i))
			json_text_of(out, oe, &ac, i, isopen);
}

/* How the arguments read. */
static void
json_words_args(struct out *out, const struct out_event *oe, int *isopen)
{
	int ispaired = (oe->oe_flags & OUT_PAIRED) != 0;
	struct arg_call ac = {
		.ac_probe = ispaired ? oe->oe_eprobe : oe->oe_probe,
		.ac_entry = ispaired ? oe->oe_entry : oe->oe_ev,
		.ac_ret = ispaired ? oe->oe_second : NULL,
		.ac_procs = oe->oe_procs,
	};
	unsigned int i;

	for (i = 0; i < oe->oe_ev->ev_nargs && i < DT_REC_NARGS; i++)
		json_text_of(out, oe, &ac, i, isopen);
}

static void
json_words(struct out *out, const struct out_event *oe)
{
	int isopen = 0;

	if (oe->oe_ev->ev_ret != NULL)
		json_words_return(out, oe, &isopen);
	if (oe->oe_ev->ev_args != NULL)
		json_words_args(out, oe, &isopen);
	json_members_end(&out->out_buf, isopen);
}

static void
json_who(struct out *out, const struct dt_rec_who *who)
{
	struct names *nm = out->out_names;
	struct buf *b = &out->out_buf;
	const char *user, *path;

	if (who == NULL)
		return;
	json_u64(b, "uid", who->drw_uid);
	if ((user = names_user(nm, who->drw_uid)) != NULL)
		json_field(b, "user", user);
	json_u64(b, "ppid", who->drw_ppid);
	json_key(b, "cgroup");
	if ((path = cgroups_path(&nm->nm_cgroups, who->drw_cgroup)) != NULL)
		json_text(b, path);
	else
		buf_str(b, "null");
	json_u64(b, "cgroup_id", who->drw_cgroup);
}

static void
json_event(struct out *out, const struct out_event *oe)
{
	const struct probe *pr = oe->oe_probe;
	const struct dt_event *ev = oe->oe_ev;
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	json_key(b, "time");
	buf_s64(b,
	    ev->ev_realtime.tv_sec * INT64_C(1000000000) +
		ev->ev_realtime.tv_nsec);
	json_field(b, "probe", pr->pr_full);
	json_u64(b, "cpu", ev->ev_cpu);
	json_u64(b, "pid", ev->ev_rec->dr_pid);
	json_u64(b, "tid", ev->ev_rec->dr_tid);
	if (ev->ev_comm != NULL)
		json_field(b, "comm", ev->ev_comm);
	json_who(out, ev->ev_who);
	if (oe->oe_flags & OUT_PAIRED) {
		json_field(b, "from", oe->oe_eprobe->pr_full);
		json_u64(b, "duration", *ev->ev_duration);
	}
	if (ev->ev_args != NULL)
		json_args(b, oe->oe_flags & OUT_PAIRED ? oe->oe_eprobe : pr,
		    ev);
	if (ev->ev_strings != NULL)
		json_paths(out, oe); /* from where the call was made */
	if (ev->ev_ret != NULL) {
		if (!pr->pr_isvoid) {
			json_key(b, "retval");
			buf_s64(b, ev->ev_ret->drr_retval);
		}
		json_u64(b, "errno", ev->ev_ret->drr_error);
		procs_settle(oe->oe_procs);
	}
	if (ev->ev_args != NULL || ev->ev_ret != NULL)
		json_words(out, oe);
	if (ev->ev_strings != NULL) {
		json_strings(out, oe, "strings", 0);
		json_strings(out, oe, "data", 1);
		json_cut(out, oe);
	}
	if (ev->ev_kstack != NULL) {
		json_pcs(out, "kstack", DT_STACK_PCS(ev->ev_kstack),
		    ev->ev_kstack->drs_count, JSON_KERNEL);
		json_end(b, "kstack_end", ev->ev_kstack->drs_end);
	}
	if (ev->ev_ustack != NULL) {
		json_pcs(out, "ustack", DT_STACK_PCS(ev->ev_ustack),
		    ev->ev_ustack->drs_count, JSON_USER);
		json_end(b, "ustack_end", ev->ev_ustack->drs_end);
	}
	buf_mem(b, "}\n", 2);
}

static void
json_count(struct out *out, const struct out_counts *ot,
    const struct out_count *oc)
{
	struct buf *b = &out->out_buf;

	buf_c(b, '{');
	if (ot->ot_isinterval) {
		json_u64(b, "time",
		    ot->ot_end.tv_sec * UINT64_C(1000000000) +
			ot->ot_end.tv_nsec);
		json_u64(b, "interval", ot->ot_nsecs);
		buf_c(b, ',');
	}
	by_json(ot->ot_by, oc->oc_key, b);
	json_u64(b, "count", oc->oc_count);
	if (by_sumname(ot->ot_by) != NULL) {
		json_key(b, "sum");
		buf_s64(b, oc->oc_sum);
	}
	if (oc->oc_hist != NULL) {
		json_key(b, "hist");
		hist_json(oc->oc_hist, b);
	}
	if (oc->oc_key == NULL) {
		json_key(b, "other");
		buf_str(b, "true");
	}
	buf_str(b, "}\n");
	buf_line(b);
}

static void
json_counts(struct out *out, const struct out_counts *ot)
{
	const struct out_count others = {
		.oc_count = ot->ot_nothers,
		.oc_sum = ot->ot_othersum,
	};
	size_t i;

	for (i = 0; i < ot->ot_n; i++)
		json_count(out, ot, &ot->ot_counts[i]);
	if (ot->ot_nothers > 0)
		json_count(out, ot, &others);
}

static void
json_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf;
	const struct out_stack *os;
	size_t i;

	for (i = 0; i < op->op_nstacks; i++) {
		os = &op->op_stacks[i];
		buf_c(b, '{');
		json_u64(b, "count", os->os_count);
		json_u64(b, "pid", os->os_pid);
		json_field(b, "comm", os->os_comm);
		json_pcs(out, "kstack", os->os_kpcs, os->os_nkpcs, JSON_FUNCS);
		json_end(b, "kstack_end", os->os_kend);
		json_pcs(out, "ustack", os->os_upcs, os->os_nupcs, JSON_USER);
		json_end(b, "ustack_end", os->os_uend);
		buf_str(b, "}\n");
		buf_line(b);
	}
}

static void
json_check(struct buf *b, const struct out_check *ox)
{
	static const char *const verdicts[] = {
		[OUT_OK] = "ok",
		[OUT_FACT] = "fact",
		[OUT_WARNING] = "warning",
		[OUT_MISSING] = "missing",
	};

	buf_c(b, '{');
	json_field(b, "section", ox->ox_section);
	json_field(b, "check", ox->ox_name);
	json_field(b, "verdict", verdicts[ox->ox_verdict]);
	json_field(b, "found", ox->ox_found);
	json_field(b, "advice", ox->ox_advice != NULL ? ox->ox_advice : "");
	buf_c(b, '}');
}

static void
json_trial(struct buf *b, const struct out_trial *ol)
{
	buf_c(b, '{');
	json_field(b, "probe", ol->ol_probe);
	json_key(b, "works");
	buf_str(b, ol->ol_works ? "true" : "false");
	json_u64(b, "made", ol->ol_made);
	json_u64(b, "read", ol->ol_read);
	json_u64(b, "enable", ol->ol_enable);
	json_u64(b, "record", ol->ol_record);
	json_u64(b, "event", ol->ol_event);
	buf_c(b, '}');
}

/* One object, on one line. */
static void
json_doctor(struct out *out, const struct out_doctor *od)
{
	struct buf *b = &out->out_buf;
	const char *sep = "";
	size_t i;

	buf_c(b, '{');
	json_field(b, "release", od->od_release);
	json_key(b, "works");
	buf_str(b, od->od_works ? "true" : "false");
	json_key(b, "checks");
	buf_c(b, '[');
	for (i = 0; i < od->od_nchecks; i++, sep = ",") {
		buf_str(b, sep);
		json_check(b, &od->od_checks[i]);
	}
	buf_c(b, ']');
	json_key(b, "trials");
	buf_c(b, '[');
	for (i = 0, sep = ""; i < od->od_ntrials; i++) {
		if (od->od_trials[i].ol_probe == NULL)
			continue;
		buf_str(b, sep);
		json_trial(b, &od->od_trials[i]);
		sep = ",";
	}
	buf_str(b, "]}\n");
}

static void
json_ledger(struct out *out, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	const char *why = ledger_stopped(dl, lr);
	struct buf *b = &out->out_buf;

	buf_str(b, "{\"ledger\":{");
	json_u64(b, "fired", dl->dl_fired);
	json_u64(b, "read", dl->dl_read);
	json_u64(b, "dropped", dl->dl_dropped);
	json_u64(b, "recursed", dl->dl_recursed);
	json_key(b, "missed");
	if (dl->dl_flags & DT_LEDGER_MISSED_UNKNOWN)
		buf_str(b, "null"); /* no kernel's 0 is made up */
	else
		buf_u64(b, dl->dl_missed);
	json_u64(b, "excluded", dl->dl_excluded);
	json_u64(b, "skipped", ledger_skipped(dl));
	json_u64(b, "late", out->out_late);
	if (dl->dl_unpaired != 0)
		json_u64(b, "unpaired", dl->dl_unpaired);
	if (out->out_opts->o_path != NULL)
		json_u64(b, "filtered", lr->lr_filtered);
	if (dl->dl_flags & DT_LEDGER_NEWEST)
		json_u64(b, "kept", lr->lr_shown);
	buf_c(b, '}');
	if (lr->lr_ncpu != 0)
		json_u64(b, "cost", lr->lr_cost);
	if (why != NULL) {
		json_key(b, "stopped");
		json_str(b, why, strlen(why));
	}
	buf_str(b, "}\n");
}

const struct out_format out_json = {
	.f_name = "json",
	.f_probe = json_probe,
	.f_prov = json_prov,
	.f_event = json_event,
	.f_counts = json_counts,
	.f_profile = json_profile,
	.f_doctor = json_doctor,
	.f_ledger = json_ledger,
};
