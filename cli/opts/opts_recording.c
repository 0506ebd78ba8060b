/* SPDX-License-Identifier: ISC */
/* Options of every subcommand that records: filters, duration, cost. */
#include <ctype.h>
#include <pwd.h>
#include <string.h>

#include "cli/opts/opts.h"

static const char *
opts_set_id(struct opts *o, const char *arg, uint32_t bit, uint32_t *idp)
{
	uint64_t v;

	if (o->o_filter.dtfi_set & bit)
		return "may be given only once";
	if (opts_number(arg, 0, UINT32_MAX - 1, &v) == -1)
		return "should be a number";
	*idp = v;
	o->o_filter.dtfi_set |= bit;
	return NULL;
}

static const char *
opts_set_pid(struct opts *o, const char *arg)
{
	return opts_set_id(o, arg, DTFI_PID, &o->o_filter.dtfi_pid);
}

static const char *
opts_set_children(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_filter.dtfi_set |= DTFI_CHILDREN;
	return NULL;
}

static const char *
opts_set_noinherit(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_noinherit = 1;
	return NULL;
}

static const char *
opts_set_tid(struct opts *o, const char *arg)
{
	return opts_set_id(o, arg, DTFI_TID, &o->o_filter.dtfi_tid);
}

static const char *
opts_set_uid(struct opts *o, const char *arg)
{
	const struct passwd *pw;

	if ((pw = getpwnam(arg)) != NULL) {
		if (o->o_filter.dtfi_set & DTFI_UID)
			return "may be given only once";
		o->o_filter.dtfi_uid = pw->pw_uid;
		o->o_filter.dtfi_set |= DTFI_UID;
		return NULL;
	}
	if (!isdigit((unsigned char)*arg))
		return "is no user here, and no number";
	return opts_set_id(o, arg, DTFI_UID, &o->o_filter.dtfi_uid);
}

/*
 * The kernel keeps 15 characters of a process name, so longer names never
 * match.
 */
static const char *
opts_set_comm(struct opts *o, const char *arg)
{
	if (o->o_filter.dtfi_set & DTFI_COMM)
		return "may be given only once";
	if (*arg == '\0')
		return "should be the name of a process";
	memset(o->o_filter.dtfi_comm, 0, sizeof(o->o_filter.dtfi_comm));
	memcpy(o->o_filter.dtfi_comm, arg,
	    strnlen(arg, sizeof(o->o_filter.dtfi_comm) - 1));
	o->o_filter.dtfi_set |= DTFI_COMM;
	return NULL;
}

static const char *
opts_set_if(struct opts *o, const char *arg)
{
	if (o->o_if != NULL)
		return "may be given only once; && joins conditions";
	o->o_if = arg;
	return NULL;
}

static const char *
opts_set_cgroup(struct opts *o, const char *arg)
{
	if (o->o_cgroup != NULL)
		return "may be given only once";
	o->o_cgroup = arg;
	return *arg == '\0' ? "should be a path, a unit, or a container" : NULL;
}

static const char *
opts_set_duration(struct opts *o, const char *arg)
{
	return opts_nsecs(arg, &o->o_duration) == -1
	    ? "should be seconds, as 10 or 0.5"
	    : NULL;
}

static const char *
opts_set_budget(struct opts *o, const char *arg)
{
	return opts_size(arg, &o->o_budget) == -1
	    ? "should be bytes, as 512k, 16M or 1G"
	    : NULL;
}

static const char *
opts_set_maxbudget(struct opts *o, const char *arg)
{
	return opts_size(arg, &o->o_maxbudget) == -1
	    ? "should be bytes, for example 64M or 1G"
	    : NULL;
}

static const char *
opts_set_until(struct opts *o, const char *arg)
{
	if (*arg == '\0')
		return "should be a probe";
	if (o->o_nuntil == OPTS_MAXUNTIL)
		return "is one too many; a pattern may name many probes";
	o->o_until[o->o_nuntil++] = arg;
	return NULL;
}

static const char *
opts_set_self(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_self = 1;
	return NULL;
}

static const char *
opts_set_nolimit(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_nolimit = 1;
	return NULL;
}

static const char *
opts_set_force(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_force = 1;
	return NULL;
}

const struct opt opts_recording[] = { { 'p', "pid", "PID", opts_set_pid,
					  "only this process" },
	{ 0, "children", NULL, opts_set_children,
	    "with -p: and all processes that descend from it" },
	{ 0, "no-inherit", NULL, opts_set_noinherit,
	    "only the command itself, not what it starts" },
	{ 't', "tid", "TID", opts_set_tid, "only this thread" },
	{ 'u', "uid", "USER", opts_set_uid,
	    "only processes of this user (name or number)" },
	{ 0, "comm", "NAME", opts_set_comm,
	    "only processes of this name (15 characters count)" },
	{ 0, "if", "EXPR", opts_set_if,
	    "only hits of which this is true, as 'errno == ENOENT'" },
	{ 0, "cgroup", "NAME", opts_set_cgroup,
	    "only this cgroup: a path, unit or container" },
	{ 'd', "duration", "SECONDS", opts_set_duration,
	    "end after so long, as 10 or 0.5" },
	{ 0, "until", "PROBE", opts_set_until,
	    "end with the first event of this probe" },
	{ 'j', "json", NULL, opts_set_json, "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when events were lost" },
	{ 0, "buffer", "SIZE", opts_set_budget,
	    "bytes of all ring buffers, as 16M" },
	{ 0, "buffer-max", "SIZE", opts_set_maxbudget,
	    "let ring buffers grow to SIZE when they fill (64M)" },
	{ 0, "self", NULL, opts_set_self,
	    "do not leave out dt's own processes" },
	{ 0, "no-limit", NULL, opts_set_nolimit,
	    "go on whatever tracing costs" },
	{ 0 } };

const struct opt opts_probes[] = {
	{ 0, "path", "PREFIX", opts_set_path,
	    "only calls with paths that begin so" },
	{ 0, "force", NULL, opts_set_force,
	    "trace more than 1,000 functions of the kernel" },
	{ 0 },
};
