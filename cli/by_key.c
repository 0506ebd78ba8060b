/* SPDX-License-Identifier: ISC */
/*
 * The keys of stat: where in an event each has its value, and how that reads.
 * A new key is a row of the table at the end.
 */
#include <string.h>

#include "arg.h"
#include "by_key.h"
#include "cgroup.h"
#include "esc.h"

static void
by_set_num(struct by_val *v, uint64_t num)
{
	v->bv_what = BY_NUM;
	v->bv_num = num;
}

static void
by_set_str(struct by_val *v, const char *s, size_t len)
{
	v->bv_what = BY_STR;
	v->bv_str = s;
	v->bv_len = len;
}

static void
by_text_num(const struct by_val *v, struct buf *b)
{
	buf_u64(b, v->bv_num);
}

static void
by_text_str(const struct by_val *v, struct buf *b)
{
	if (v->bv_len == 0)
		buf_str(b, "\"\"");
	else
		esc_text(b, v->bv_str, v->bv_len);
}

/* As it is: a name may be empty. */
static void
by_text_comm(const struct by_val *v, struct buf *b)
{
	esc_text(b, v->bv_str, v->bv_len);
}

static void
by_json_bytes(struct buf *b, const char *s, size_t len)
{
	buf_c(b, '"');
	esc_json(b, s, len);
	buf_c(b, '"');
}

static void
by_json_str(const struct by_val *v, struct buf *b)
{
	by_json_bytes(b, v->bv_str, v->bv_len);
}

/* ,"key":"string" */
static void
by_json_also(struct buf *b, const char *key, const char *s)
{
	buf_str(b, ",\"");
	buf_str(b, key);
	buf_str(b, "\":");
	by_json_bytes(b, s, strlen(s));
}

/*
 * The probe
 */

static void
by_get_probe(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_pbn);
}

static const char *
by_probe_name(const struct by_val *v)
{
	const struct probe *pr = names_probe(v->bv_by->by_names, v->bv_num);

	return pr != NULL ? pr->pr_full : "-";
}

static void
by_text_probe(const struct by_val *v, struct buf *b)
{
	esc_str(b, by_probe_name(v));
}

static void
by_json_probe(const struct by_val *v, struct buf *b)
{
	const char *name = by_probe_name(v);

	by_json_bytes(b, name, strlen(name));
}

/*
 * Whose it was
 */

static void
by_get_pid(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_pid);
}

static void
by_get_tid(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_tid);
}

static void
by_get_cpu(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_cpu);
}

static void
by_get_comm(const struct by_call *bc, struct by_val *v)
{
	const char *comm = bc->bc_ev->ev_comm;

	if (comm != NULL)
		by_set_str(v, comm, strnlen(comm, DT_REC_COMMLEN));
}

static void
by_get_uid(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_uid);
}

static void
by_text_uid(const struct by_val *v, struct buf *b)
{
	const char *user = names_user(v->bv_by->by_names, v->bv_num);

	if (user != NULL)
		esc_str(b, user);
	else
		by_text_num(v, b);
}

static void
by_json_uid(const struct by_val *v, struct buf *b)
{
	const char *user = names_user(v->bv_by->by_names, v->bv_num);

	by_text_num(v, b);
	if (user != NULL)
		by_json_also(b, "user", user);
}

static void
by_get_ppid(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_ppid);
}

static void
by_get_cgroup(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_cgroup);
}

static void
by_keep_cgroup(const struct by_val *v)
{
	cgroups_path(&v->bv_by->by_names->nm_cgroups, v->bv_num);
}

static void
by_text_cgroup(const struct by_val *v, struct buf *b)
{
	const char *path = cgroups_path(&v->bv_by->by_names->nm_cgroups,
	    v->bv_num);
	char name[DTNAMESIZE * 4];

	if (path != NULL)
		esc_str(b, cgroup_name(path, name, sizeof(name)));
	else
		by_text_num(v, b);
}

static void
by_json_cgroup(const struct by_val *v, struct buf *b)
{
	const char *path = cgroups_path(&v->bv_by->by_names->nm_cgroups,
	    v->bv_num);
	char name[DTNAMESIZE * 4];

	if (path == NULL)
		buf_str(b, "null");
	else {
		by_json_bytes(b, path, strlen(path));
		by_json_also(b, "cgroup_name",
		    cgroup_name(path, name, sizeof(name)));
	}
	buf_str(b, ",\"cgroup_id\":");
	buf_u64(b, v->bv_num);
}

/*
 * How the call ended
 */

static void
by_get_errno(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ret != NULL)
		by_set_num(v, bc->bc_ret->ev_ret->drr_error);
}

static void
by_text_errno(const struct by_val *v, struct buf *b)
{
	const char *name = val_errname(v->bv_num);

	if (name != NULL)
		buf_str(b, name);
	else
		by_text_num(v, b);
}

/* What a call returned reads as that call has it, -1 of one that has failed as
 * a number: the two are told apart. */
static void
by_get_retval(const struct by_call *bc, struct by_val *v)
{
	const struct by_probe *bp;

	if (bc->bc_ret == NULL)
		return;
	by_set_num(v, bc->bc_ret->ev_ret->drr_retval);
	v->bv_class = VAL_S64;
	bp = by_probe(v->bv_by, bc->bc_ret->ev_rec->dr_pbn);
	if (bp != NULL && bc->bc_ret->ev_ret->drr_error == 0)
		v->bv_words = bp->bp_args[v->bv_i].ba_words;
}

static void
by_text_retval(const struct by_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	struct dt_rec_ret ret = { .drr_retval = v->bv_num };
	struct dt_event ev = { .ev_rec = &rec, .ev_ret = &ret };
	struct arg_call ac = { .ac_ret = &ev };

	if (v->bv_words != BY_NOWORDS)
		ac.ac_probe = names_probe(v->bv_by->by_names, v->bv_words);
	if (ac.ac_probe != NULL)
		arg_ret_text(b, &ac);
	else
		buf_s64(b, v->bv_num);
}

static void
by_json_retval(const struct by_val *v, struct buf *b)
{
	buf_s64(b, v->bv_num);
}

/* Between the two probes of a pair, or of the two events of a call. */
static void
by_get_duration(const struct by_call *bc, struct by_val *v)
{
	v->bv_class = VAL_U64;
	if (bc->bc_ev->ev_duration != NULL)
		by_set_num(v, *bc->bc_ev->ev_duration);
	else if (bc->bc_entry != NULL && bc->bc_ret != NULL)
		by_set_num(v,
		    bc->bc_ret->ev_rec->dr_time -
			bc->bc_entry->ev_rec->dr_time);
}

/*
 * Arguments
 */

/*
 * The text that an argument points to (argn -1: that any does first): 1, 0 if
 * there is none, -1 if it could not be read.
 */
static int
by_string(const struct dt_event *ev, int argn, struct by_val *v)
{
	const struct dt_rec_string *s = NULL;
	int found = 0;

	if (ev == NULL)
		return 0;
	while ((s = dt_string(ev, s)) != NULL) {
		if (s->drt_flags & ~DT_STR_RETURN || /* no plain string */
		    (argn != -1 && s->drt_argn != argn))
			continue;
		if (s->drt_error == 0) {
			/* a recording may say more than a record can have */
			by_set_str(v, DT_STRING_BYTES(s),
			    s->drt_length < DT_REC_MAXPATH ? s->drt_length
							   : DT_REC_MAXPATH);
			return 1;
		}
		found = -1;
		if (argn == -1)
			break; /* the second path is not the first */
	}
	return found;
}

/* What could not be read at the entry may be there when the call returns. */
static int
by_string_of(const struct by_call *bc, int argn, struct by_val *v)
{
	int entry, ret;

	entry = by_string(bc->bc_entry != NULL ? bc->bc_entry : bc->bc_ev, argn,
	    v);
	if (entry == 1)
		return 1;
	ret = by_string(bc->bc_ret, argn, v);
	return ret != 0 ? ret : entry;
}

static void
by_get_path(const struct by_call *bc, struct by_val *v)
{
	by_string_of(bc, -1, v);
}

static void
by_get_arg(const struct by_call *bc, struct by_val *v)
{
	const struct dt_event *ev = bc->bc_entry != NULL ? bc->bc_entry
							 : bc->bc_ev;
	const struct by_probe *bp = by_probe(v->bv_by, ev->ev_rec->dr_pbn);
	const struct by_arg *ba;

	if (bp == NULL || (ba = &bp->bp_args[v->bv_i])->ba_argn == -1)
		return;
	if (by_string_of(bc, ba->ba_argn, v) != 0 || ev->ev_args == NULL ||
	    (unsigned int)ba->ba_argn >= ev->ev_nargs)
		return;
	by_set_num(v, val_whole(ba->ba_class, ev->ev_args[ba->ba_argn]));
	v->bv_class = ba->ba_class;
	v->bv_words = ba->ba_words;
}

/* In the words of the probe, which is asked about a call that has nothing but
 * this argument. */
static void
by_text_arg(const struct by_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	const struct by_probe *bp;
	uint64_t args[DT_REC_NARGS] = { 0 };
	struct dt_event ev = { .ev_rec = &rec, .ev_args = args };
	struct arg_call ac = { .ac_entry = &ev };

	if (v->bv_what == BY_STR) {
		by_text_str(v, b);
		return;
	}
	if ((bp = by_probe(v->bv_by, v->bv_words)) == NULL) {
		by_text_num(v, b);
		return;
	}
	ac.ac_probe = bp->bp_probe;
	ev.ev_nargs = bp->bp_probe->pr_desc.pd_info.dtpi_nargs;
	args[bp->bp_args[v->bv_i].ba_argn] = v->bv_num;
	arg_text(b, &ac, bp->bp_args[v->bv_i].ba_argn);
}

static void
by_json_arg(const struct by_val *v, struct buf *b)
{
	const struct by_probe *bp;

	if (v->bv_what == BY_STR)
		by_json_str(v, b);
	else if ((bp = by_probe(v->bv_by, v->bv_words)) != NULL)
		val_json(b, bp->bp_args[v->bv_i].ba_class, v->bv_num);
	else
		by_text_num(v, b);
}

#define NUMBER \
	{ \
		.bl_min = 7, .bl_max = 20, .bl_isright = 1 \
	}
#define PID \
	{ \
		.bl_min = 7, .bl_max = 7, .bl_isright = 1 \
	}
#define CPU \
	{ \
		.bl_min = 4, .bl_max = 4, .bl_isright = 1 \
	}
#define TEXT(min, max) \
	{ \
		.bl_min = (min), .bl_max = (max) \
	}

const struct by_kind by_argument = {
	.bk_evtflags = DTEVT_FUNCARGS,
	.bk_side = BY_ENTRY,
	.bk_column = TEXT(7, 48),
	.bk_get = by_get_arg,
	.bk_text = by_text_arg,
	.bk_json = by_json_arg,
	.bk_haswords = 1,
};

static const struct by_kind by_kinds[] = {
	{
	    .bk_name = "probe",
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_probe,
	    .bk_text = by_text_probe,
	    .bk_json = by_json_probe,
	},
	{
	    .bk_name = "pid",
	    .bk_column = PID,
	    .bk_get = by_get_pid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "tid",
	    .bk_column = PID,
	    .bk_get = by_get_tid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "comm",
	    .bk_evtflags = DTEVT_EXECNAME,
	    .bk_column = TEXT(15, 15),
	    .bk_get = by_get_comm,
	    .bk_text = by_text_comm,
	    .bk_json = by_json_str,
	},
	{
	    .bk_name = "uid",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = TEXT(8, 32),
	    .bk_get = by_get_uid,
	    .bk_text = by_text_uid,
	    .bk_json = by_json_uid,
	},
	{
	    .bk_name = "ppid",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = PID,
	    .bk_get = by_get_ppid,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "cpu",
	    .bk_column = CPU,
	    .bk_get = by_get_cpu,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "cgroup",
	    .bk_evtflags = DTEVT_WHO,
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_cgroup,
	    .bk_text = by_text_cgroup,
	    .bk_json = by_json_cgroup,
	    .bk_keep = by_keep_cgroup,
	},
	{
	    .bk_name = "errno",
	    .bk_side = BY_RETURN,
	    .bk_column = TEXT(8, 24),
	    .bk_get = by_get_errno,
	    .bk_text = by_text_errno,
	    .bk_json = by_text_num,
	    .bk_haswords = 1,
	},
	{
	    .bk_name = "retval",
	    .bk_side = BY_RETURN,
	    .bk_column = NUMBER,
	    .bk_get = by_get_retval,
	    .bk_text = by_text_retval,
	    .bk_json = by_json_retval,
	    .bk_haswords = 1,
	},
	{
	    .bk_name = "duration",
	    .bk_offailed = 1,
	    .bk_column = NUMBER,
	    .bk_get = by_get_duration,
	    .bk_text = by_text_num,
	    .bk_json = by_text_num,
	},
	{
	    .bk_name = "path",
	    .bk_evtflags = DTEVT_STRINGS,
	    .bk_side = BY_ENTRY,
	    .bk_column = TEXT(16, 48),
	    .bk_get = by_get_path,
	    .bk_text = by_text_str,
	    .bk_json = by_json_str,
	},
};

#define NKINDS (sizeof(by_kinds) / sizeof(by_kinds[0]))

const struct by_kind *
by_kind_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		if (strlen(by_kinds[i].bk_name) == len &&
		    memcmp(by_kinds[i].bk_name, name, len) == 0)
			return &by_kinds[i];
	}
	return NULL;
}

size_t
by_kind_names(const char **names, size_t max)
{
	size_t i;

	for (i = 0; i < NKINDS && i < max; i++)
		names[i] = by_kinds[i].bk_name;
	return i;
}
