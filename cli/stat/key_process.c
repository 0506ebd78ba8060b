/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: whose an event was.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/stat/key_rows.h"
#include "cli/sym/cgroup.h"

void
by_get_pid(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_pid);
}

void
by_get_tid(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_tid);
}

void
by_get_cpu(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_cpu);
}

void
by_get_comm(const struct by_call *bc, struct by_val *v)
{
	const char *comm = bc->bc_ev->ev_comm;

	if (comm != NULL)
		by_set_str(v, comm, strnlen(comm, DT_REC_COMMLEN));
}

void
by_get_uid(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_uid);
}

void
by_text_uid(const struct by_val *v, struct buf *b)
{
	const char *user = names_user(v->bv_by->by_names, v->bv_num);

	if (user != NULL)
		esc_str(b, user);
	else
		by_text_num(v, b);
}

void
by_json_uid(const struct by_val *v, struct buf *b)
{
	const char *user = names_user(v->bv_by->by_names, v->bv_num);

	by_text_num(v, b);
	if (user != NULL)
		by_json_also(v, b, "user", user);
}

void
by_get_ppid(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_ppid);
}

void
by_get_cgroup(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ev->ev_who != NULL)
		by_set_num(v, bc->bc_ev->ev_who->drw_cgroup);
}

void
by_keep_cgroup(const struct by_val *v)
{
	cgroups_path(&v->bv_by->by_names->nm_cgroups, v->bv_num);
}

void
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

void
by_json_cgroup(const struct by_val *v, struct buf *b)
{
	const char *path = cgroups_path(&v->bv_by->by_names->nm_cgroups,
	    v->bv_num);
	char name[DTNAMESIZE * 4];

	if (path == NULL)
		buf_str(b, "null");
	else {
		by_json_bytes(b, path, strlen(path));
		by_json_also(v, b, "cgroup_name",
		    cgroup_name(path, name, sizeof(name)));
	}
	by_json_member(v, b, "cgroup_id");
	buf_u64(b, v->bv_num);
}
