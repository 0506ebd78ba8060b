/* SPDX-License-Identifier: ISC */
/* Options of every subcommand that records: filters, duration, limits. */
#include <ctype.h>
#include <pwd.h>
#include <string.h>

#include "cli/opts/opts.h"

/* Marks a part of the filter as set. */
static const char *
opts_check_once(struct opts *o, uint32_t bit)
{
	if (o->o_filter.dtfi_set & bit)
		return "may be given only once";
	o->o_filter.dtfi_set |= bit;
	return NULL;
}

static const char *
opts_check_tid(struct opts *o, const char *arg)
{
	(void)arg;
	return opts_check_once(o, DTFI_TID);
}

static const char *
opts_set_children(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_filter.dtfi_set |= DTFI_CHILDREN;
	return NULL;
}

static const char *
opts_set_uid(struct opts *o, const char *arg)
{
	const struct passwd *pw = getpwnam(arg);
	uint64_t uid;

	if (pw != NULL)
		uid = pw->pw_uid;
	else if (o->o_hosts.ohs_names != NULL)
		return NULL; /* looked up there */
	else if (!isdigit((unsigned char)*arg))
		return "is neither a user nor a number";
	else if (opts_number(arg, 0, UINT32_MAX - 1, &uid) == -1)
		return "should be a number";
	o->o_filter.dtfi_uid = uid;
	return opts_check_once(o, DTFI_UID);
}

/*
 * The kernel keeps 15 characters of a process name, so longer names never
 * match.
 */
static const char *
opts_set_comm(struct opts *o, const char *arg)
{
	if (*arg == '\0')
		return "should be the name of a process";
	memset(o->o_filter.dtfi_comm, 0, sizeof(o->o_filter.dtfi_comm));
	memcpy(o->o_filter.dtfi_comm, arg,
	    strnlen(arg, sizeof(o->o_filter.dtfi_comm) - 1));
	return opts_check_once(o, DTFI_COMM);
}

static const char *
opts_check_if(struct opts *o, const char *arg)
{
	(void)arg;
	return o->o_select.ose_if == NULL
	    ? NULL
	    : "may be given only once; && joins conditions";
}

static const char *
opts_check_cgroup(struct opts *o, const char *arg)
{
	if (o->o_select.ose_cgroup != NULL)
		return "may be given only once";
	return *arg == '\0' ? "should be a path, a unit, or a container" : NULL;
}

static const char *
opts_set_until(struct opts *o, const char *arg)
{
	if (*arg == '\0')
		return "should be a probe";
	if (o->o_until.oun_n == OPTS_MAXUNTIL)
		return "is too many; a pattern may match several probes";
	o->o_until.oun_patterns[o->o_until.oun_n++] = arg;
	return NULL;
}

const char *
opts_check_path(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '/'
	    ? NULL
	    : "should be the beginning of absolute paths, for example /etc/";
}

const char *
opts_check_callgraph(struct opts *o, const char *arg)
{
	if (strcmp(arg, "fp") != 0 && strcmp(arg, "table") != 0)
		return "should be fp or table";
	o->o_isfp = *arg == 'f';
	return NULL;
}

uint64_t
opts_stackflags(const struct opts *o)
{
	return DTEVT_KSTACK | DTEVT_USTACK | (o->o_isfp ? 0 : DTEVT_UTABLE);
}

const struct opt opts_filters[] = {
	OPT_GROUP("Filters"),
	OPT_ROW_PIDS,
	{ 0, "children", NULL, "with -p: trace all its descendants, too",
	    OPT_CALL, .opt_check = opts_set_children },
	{ 0, "no-inherit", NULL, "trace the command only, not its descendants",
	    OPT_FLAG, OPT(o_whose.owh_noinherit) },
	{ 0, "all", NULL, "trace all processes while the command runs",
	    OPT_FLAG, OPT(o_whose.owh_all) },
	{ 't', "tid", "TID", "trace this thread only", OPT_UINT,
	    OPT(o_filter.dtfi_tid), 0, UINT32_MAX - 1, "should be a number",
	    opts_check_tid },
	{ 'u', "uid", "USER",
	    "trace processes of this user only (name or number)", OPT_CALL,
	    .opt_check = opts_set_uid },
	{ 0, "comm", "NAME",
	    "trace processes of this name only (15 characters)", OPT_CALL,
	    .opt_check = opts_set_comm },
	{ 0, "cgroup", "NAME",
	    "trace this cgroup only: a path, unit or container", OPT_STRING,
	    OPT(o_select.ose_cgroup), .opt_check = opts_check_cgroup },
	{ 0, "self", NULL, "trace dt's own processes, too", OPT_FLAG,
	    OPT(o_whose.owh_self) },
	{ 0, "if", "EXPR", "select hits by a condition: 'errno == ENOENT'",
	    OPT_STRING, OPT(o_select.ose_if), .opt_check = opts_check_if },
	{ 0 },
};

/* These continue the filters. */
const struct opt opts_paths[] = {
	OPT_ROW_PATH,
	{ 0 },
};

const struct opt opts_recording[] = {
	OPT_GROUP("Duration and result"),
	{ 'd', "duration", "TIME",
	    "stop after TIME, for example 10 (seconds) or 5m", OPT_TIME,
	    OPT(o_duration) },
	{ 0, "until", "PROBE", "stop at the first hit of PROBE", OPT_CALL,
	    .opt_check = opts_set_until },
	OPT_ROW_JSON,
	OPT_ROW_STRICT("exit with status 3 if events were lost"),
	OPT_GROUP("Limits"),
	{ 0, "buffer", "SIZE",
	    "set the total size of ring buffers, for example 16M", OPT_SIZE,
	    OPT(o_limits.oli_buffer) },
	{ 0, "buffer-max", "SIZE",
	    "let ring buffers grow up to SIZE (default 64M)", OPT_SIZE,
	    OPT(o_limits.oli_buffermax) },
	OPT_ROW_NOLIMIT,
	{ 0 },
};

/* These continue the limits. */
const struct opt opts_functions[] = {
	OPT_ROW_FORCE,
	{ 0 },
};
