/* SPDX-License-Identifier: ISC */
/*
 * Parses the list of columns and prints them.  A new column is a function and a
 * row of the table.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/suggest.h"
#include "cli/opts/opts.h"
#include "cli/out/columns.h"
#include "cli/out/out_text.h"
#include "cli/sym/cgroup.h"

#define COLUMNS_USUAL "time,cpu,comm,pid/tid"

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
