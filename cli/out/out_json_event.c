/* SPDX-License-Identifier: ISC */
/* Prints an event as an object. */
#include "cli/out/out_json.h"

static void
json_args(struct buf *b, const struct probe *pr, const struct dt_event *ev)
{
	unsigned int i, n = 0;

	json_key(b, "args");
	buf_c(b, '{');
	for (i = 0; i < ev->ev_nargs && i < DT_REC_NARGS; i++) {
		if (pr->pr_args[i] == VAL_NONE)
			continue; /* printed as text in "strings" */
		if (n++ > 0)
			buf_c(b, ',');
		json_str(b, pr->pr_desc.pd_names[i].dtan_name, DTNAMESIZE);
		buf_c(b, ':');
		val_json(b, pr->pr_args[i], ev->ev_args[i]);
	}
	buf_c(b, '}');
}

/* side: "", or the prefix of the members' names. */
static void
json_who(struct out *out, const struct dt_rec_who *who, const char *side)
{
	struct name_cache *nm = out->out_names;
	struct buf *b = &out->out_buf;
	const char *user = name_cache_user(nm, who->drw_uid), *path;

	buf_printf(b, ",\"%suid\":%u", side, who->drw_uid);
	if (user != NULL) {
		buf_printf(b, ",\"%suser\":", side);
		json_text(b, user);
	}
	buf_printf(b, ",\"%sppid\":%u,\"%scgroup\":", side, who->drw_ppid,
	    side);
	if ((path = cgroups_path(&nm->nm_cgroups, who->drw_cgroup)) != NULL)
		json_text(b, path);
	else
		buf_str(b, "null");
	buf_printf(b, ",\"%scgroup_id\":%llu", side,
	    (unsigned long long)who->drw_cgroup);
}

/* Prints the first hit of a pair: its probe, and its thread if recorded. */
static void
json_first(struct out *out, const struct call *cl)
{
	const struct dt_rec_first *rf = dt_first(cl->cal_ev);
	struct buf *b = &out->out_buf;

	json_field(b, "from", cl->cal_eprobe->pr_full);
	if (rf == NULL)
		return;
	json_u64(b, "from.cpu", rf->drf_cpu);
	json_u64(b, "from.pid", rf->drf_pid);
	json_u64(b, "from.tid", rf->drf_tid);
	json_field(b, "from.comm", rf->drf_comm);
	if (cl->cal_ev->ev_who != NULL)
		json_who(out, &rf->drf_who, "from.");
}

int
json_event(void *arg, const struct call *cl)
{
	struct out *out = arg;
	const struct probe *pr = cl->cal_probe;
	const struct dt_event *ev = cl->cal_ev;
	struct buf *b = &out->out_buf;

	if (buf_line(b) == -1)
		return -1;
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
	if (ev->ev_who != NULL)
		json_who(out, ev->ev_who, "");
	if (cl->cal_flags & CALL_PAIRED) {
		json_first(out, cl);
		json_u64(b, "duration", *ev->ev_duration);
	}
	if (ev->ev_args != NULL)
		json_args(b, cl->cal_flags & CALL_PAIRED ? cl->cal_eprobe : pr,
		    ev);
	if (ev->ev_strings != NULL)
		json_paths(out, cl); /* from where the call was made */
	if (ev->ev_ret != NULL) {
		if (!pr->pr_isvoid) {
			json_key(b, "retval");
			buf_s64(b, ev->ev_ret->drr_retval);
		}
		json_u64(b, "errno", ev->ev_ret->drr_error);
	}
	if (ev->ev_args != NULL || ev->ev_ret != NULL)
		json_words(out, cl);
	if (ev->ev_strings != NULL) {
		json_strings(out, cl, "strings", 0);
		json_strings(out, cl, "data", 1);
		json_cut(out, cl);
	}
	json_stacks(out, ev);
	buf_mem(b, "}\n", 2);
	return 0;
}
