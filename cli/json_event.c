/* SPDX-License-Identifier: ISC */
/*
 * An event, as an object.
 */
#include "json.h"
#include "procs.h"
#include "stack.h"

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

void
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

void
json_end(struct buf *b, const char *key, unsigned int end)
{
	const char *word = stack_end_word(end);

	if (word != NULL)
		json_field(b, key, word);
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

void
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
