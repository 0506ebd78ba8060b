/* SPDX-License-Identifier: ISC */
/* Keys of stat: the process, thread, user and cgroup of an event. */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/stat/key_impl.h"
#include "cli/sym/cgroup.h"

void
key_get_pid(const struct key_call *bc, struct key_val *v)
{
	key_set_num(v, bc->kc_ev->ev_rec->dr_pid);
}

void
key_get_tid(const struct key_call *bc, struct key_val *v)
{
	key_set_num(v, bc->kc_ev->ev_rec->dr_tid);
}

void
key_get_cpu(const struct key_call *bc, struct key_val *v)
{
	key_set_num(v, bc->kc_ev->ev_cpu);
}

void
key_get_comm(const struct key_call *bc, struct key_val *v)
{
	const char *comm = bc->kc_ev->ev_comm;

	if (comm != NULL)
		key_set_str(v, comm, strnlen(comm, DT_REC_COMMLEN));
}

void
key_get_uid(const struct key_call *bc, struct key_val *v)
{
	if (bc->kc_ev->ev_who != NULL)
		key_set_num(v, bc->kc_ev->ev_who->drw_uid);
}

void
key_text_uid(const struct key_val *v, struct buf *b)
{
	const char *user = name_cache_user(v->kv_by->ky_names, v->kv_num);

	if (user != NULL)
		esc_str(b, user);
	else
		key_text_num(v, b);
}

void
key_json_uid(const struct key_val *v, struct buf *b)
{
	const char *user = name_cache_user(v->kv_by->ky_names, v->kv_num);

	key_text_num(v, b);
	if (user != NULL)
		key_json_also(v, b, "user", user);
}

void
key_get_ppid(const struct key_call *bc, struct key_val *v)
{
	if (bc->kc_ev->ev_who != NULL)
		key_set_num(v, bc->kc_ev->ev_who->drw_ppid);
}

void
key_get_cgroup(const struct key_call *bc, struct key_val *v)
{
	if (bc->kc_ev->ev_who != NULL)
		key_set_num(v, bc->kc_ev->ev_who->drw_cgroup);
}

void
key_get_unit(const struct key_call *bc, struct key_val *v)
{
	struct buf *b = &v->kv_by->ky_items[v->kv_i].ki_text;
	char name[DTNAMESIZE * 4];
	const char *path;

	if (bc->kc_ev->ev_who == NULL)
		return;
	path = cgroups_path(&v->kv_by->ky_names->nm_cgroups,
	    bc->kc_ev->ev_who->drw_cgroup);
	if (path == NULL)
		return;
	b->b_len = 0;
	buf_str(b, cgroup_name(path, name, sizeof(name)));
	key_set_str(v, b->b_data, b->b_len);
}

void
key_get_sockunit(const struct key_call *bc, struct key_val *v)
{
	if (bc->kc_ev->ev_rec->dr_time == 0) /* a row of the kernel */
		key_get_unit(bc, v);
}

void
key_keep_cgroup(const struct key_val *v)
{
	cgroups_path(&v->kv_by->ky_names->nm_cgroups, v->kv_num);
}

void
key_text_cgroup(const struct key_val *v, struct buf *b)
{
	const char *path = cgroups_path(&v->kv_by->ky_names->nm_cgroups,
	    v->kv_num);
	char name[DTNAMESIZE * 4];

	if (path != NULL)
		esc_str(b, cgroup_name(path, name, sizeof(name)));
	else
		key_text_num(v, b);
}

void
key_json_cgroup(const struct key_val *v, struct buf *b)
{
	const char *path = cgroups_path(&v->kv_by->ky_names->nm_cgroups,
	    v->kv_num);
	char name[DTNAMESIZE * 4];

	if (path == NULL)
		buf_str(b, "null");
	else {
		key_json_bytes(b, path, strlen(path));
		key_json_also(v, b, "cgroup_name",
		    cgroup_name(path, name, sizeof(name)));
	}
	key_json_member(v, b, "cgroup_id");
	buf_u64(b, v->kv_num);
}
