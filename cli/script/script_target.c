/* SPDX-License-Identifier: ISC */
/* Translates the names of probes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/opts.h"
#include "cli/script/script_target.h"

#define TARGET_SYSCALLS "syscalls:sys_"

struct target_row {
	const char *tgr_provider, *tgr_short;
	/* rest: the text after the provider */
	int (*tgr_set)(const struct target_row *, const char *rest,
	    struct script_target *, char *why, size_t nwhy);
	const char *tgr_arg; /* for tgr_set */
};

static int
target_bad(char *why, size_t nwhy, const char *text)
{
	snprintf(why, nwhy, "%s", text);
	return -1;
}

/* s:1, ms:100, us:500, hz:99 */
static int
target_period(const char *rest, uint64_t *period)
{
	static const struct {
		const char *unit;
		uint64_t nsecs;
	} units[] = { { "s:", 1000000000 }, { "ms:", 1000000 }, { "us:", 1000 },
		{ "hz:", 0 } };
	uint64_t v;
	size_t i, len;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		len = strlen(units[i].unit);
		if (strncmp(rest, units[i].unit, len) != 0 ||
		    opts_number(rest + len, 1, 1000000, &v) == -1)
			continue;
		*period = units[i].nsecs ? v * units[i].nsecs : 1000000000 / v;
		return *period >= 200000 ? 0 : -1;
	}
	return -1;
}

static int
target_timer(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	(void)tr;
	tg->tg_kind = TARGET_TIMER;
	tg->tg_isclock = 1;
	snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "interval:%s", rest);
	if (target_period(rest, &tg->tg_period) == 0)
		return 0;
	return target_bad(why, nwhy,
	    "a time is s:1, ms:100 or hz:10, and 200 us at least");
}

static int
target_profile(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	uint64_t period;

	(void)tr;
	if (target_period(rest, &period) == -1)
		return target_bad(why, nwhy,
		    "a rate is hz:99, s:1 or ms:10, and 5000 per second at "
		    "most");
	tg->tg_isclock = 1;
	snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "profile:%s", rest);
	return 0;
}

/* EVENT or EVENT:PERIOD; the table has bpftrace's other names of events. */
static int
target_counter(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	static const struct {
		const char *other, *event;
	} names[] = {
		{ "cpu-cycles", "cycles" },
		{ "branches", "branch-instructions" },
		{ "faults", "page-faults" },
		{ "cs", "context-switches" },
		{ "migrations", "cpu-migrations" },
	};
	const size_t len = strcspn(rest, ":");
	const char *number = rest[len] == ':' ? rest + len + 1 : "";
	char event[64];
	size_t i;
	uint64_t v;

	(void)tr;
	if (*number != '\0' && opts_number(number, 1, UINT64_MAX, &v) == -1)
		return target_bad(why, nwhy,
		    "a counter is EVENT:PERIOD, for example cache-misses:1000");
	tg->tg_isclock = 1;
	snprintf(event, sizeof(event), "%.*s", (int)len, rest);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].other, event) == 0)
			strcpy(event, names[i].event);
	snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "counter:%s%s%s",
	    event, *number != '\0' ? ":" : "", number);
	return 0;
}

/* hz:97 of btrace(8) */
static int
target_hz(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	char full[64];

	snprintf(full, sizeof(full), "hz:%.50s", rest);
	return target_profile(tr, full, tg, why, nwhy);
}

/* Returns dt's name of a call whose tracepoint has the name of a function. */
static const char *
target_call(const char *call)
{
	static const struct {
		const char *tracepoint, *call;
	} calls[] = {
		{ "newstat", "stat" },
		{ "newlstat", "lstat" },
		{ "newfstat", "fstat" },
		{ "newuname", "uname" },
		{ "sendfile64", "sendfile" },
		{ "umount", "umount2" },
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].tracepoint, call) == 0)
			return calls[i].call;
	return call;
}

static int
target_tracepoint(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	const char *call;

	tg->tg_islinux = 1;
	if (strncmp(rest, TARGET_SYSCALLS, strlen(TARGET_SYSCALLS)) == 0) {
		call = rest + strlen(TARGET_SYSCALLS);
		if (strncmp(call, "enter_", 6) == 0) {
			snprintf(tg->tg_pattern, sizeof(tg->tg_pattern),
			    "syscall:%s:entry", target_call(call + 6));
			tg->tg_prefix = "tracepoint:syscalls:sys_enter_";
			return 0;
		}
		if (strncmp(call, "exit_", 5) == 0) {
			snprintf(tg->tg_pattern, sizeof(tg->tg_pattern),
			    "syscall:%s:return", target_call(call + 5));
			tg->tg_prefix = "tracepoint:syscalls:sys_exit_";
			return 0;
		}
	}
	if (strchr(rest, ':') == NULL && strcmp(tr->tgr_arg, "tracepoint") == 0)
		return target_bad(why, nwhy,
		    "a tracepoint is tracepoint:SUBSYSTEM:NAME");
	snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "%s:%s", tr->tgr_arg,
	    rest);
	return 0;
}

/* A function of the kernel; a module before it is ignored. */
static int
target_function(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	const char *colon = strrchr(rest, ':');
	const char *func = colon != NULL ? colon + 1 : rest;

	if (strchr(func, '+') != NULL)
		return target_bad(why, nwhy,
		    "only the entry and the return of a function are probes, "
		    "no offset in it");
	tg->tg_islinux = 1;
	tg->tg_prefix = *tr->tgr_arg == 'r' ? "kretprobe:" : "kprobe:";
	/* kprobe:FUNC:entry is the name of dt */
	if (colon != NULL &&
	    (strcmp(func, "entry") == 0 || strcmp(func, "return") == 0)) {
		tg->tg_prefix = NULL;
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "kprobe:%s",
		    rest);
	} else
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "kprobe:%s:%s",
		    func, tr->tgr_arg);
	return 0;
}

static int
target_user(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	const char *colon = strrchr(rest, ':');

	if (colon == NULL || colon == rest)
		return target_bad(why, nwhy,
		    "needs the path of a program and a function, for example "
		    "uprobe:/bin/bash:readline");
	if (strcmp(colon, ":entry") == 0 || strcmp(colon, ":return") == 0)
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "uprobe:%s",
		    rest);
	else
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "uprobe:%s:%s",
		    rest, tr->tgr_arg);
	return 0;
}

static int
target_usdt(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	const char *first = strchr(rest, ':'), *last = strrchr(rest, ':');

	(void)tr;
	if (first == NULL)
		return target_bad(why, nwhy,
		    "needs the path of a program and the name of a probe, for "
		    "example usdt:/usr/bin/python3:function__entry");
	if (first == last)
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern),
		    "usdt:%.*s:*:%s", (int)(first - rest), rest, first + 1);
	else
		snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "usdt:%s",
		    rest);
	return 0;
}

/* Each event of these is a tracepoint. */
static int
target_software(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	static const struct {
		const char *event, *pattern;
	} rows[] = {
		{ "page-faults:1", "tracepoint:exceptions:page_fault_user" },
		{ "faults:1", "tracepoint:exceptions:page_fault_user" },
		{ "context-switches:1", "tracepoint:sched:sched_switch" },
		{ "cs:1", "tracepoint:sched:sched_switch" },
		{ "migrations:1", "tracepoint:sched:sched_migrate_task" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].event, rest) == 0) {
			snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "%s",
			    rows[i].pattern);
			return 0;
		}
	if (strncmp(rest, "cpu-clock", 9) == 0 ||
	    strncmp(rest, "task-clock", 10) == 0)
		return target_bad(why, nwhy,
		    "profile:hz:99 or profile:ms:10 samples the CPUs");
	return target_counter(tr, rest, tg, why, nwhy);
}

static int
target_refused(const struct target_row *tr, const char *rest,
    struct script_target *tg, char *why, size_t nwhy)
{
	(void)rest;
	(void)tg;
	return target_bad(why, nwhy, tr->tgr_arg);
}

static const struct target_row rows[] = {
	{ "interval", "i", target_timer, NULL },
	{ "tick", "tick", target_timer, NULL },
	{ "profile", "p", target_profile, NULL },
	{ "hz", "hz", target_hz, NULL },
	{ "tracepoint", "t", target_tracepoint, "tracepoint" },
	{ "rawtracepoint", "rt", target_tracepoint, "rawtracepoint" },
	{ "kprobe", "k", target_function, "entry" },
	{ "kretprobe", "kr", target_function, "return" },
	{ "kfunc", "f", target_function, "entry" },
	{ "fentry", "fentry", target_function, "entry" },
	{ "kretfunc", "fr", target_function, "return" },
	{ "fexit", "fexit", target_function, "return" },
	{ "uprobe", "u", target_user, "entry" },
	{ "uretprobe", "ur", target_user, "return" },
	{ "usdt", "U", target_usdt, NULL },
	{ "software", "s", target_software, NULL },
	{ "hardware", "h", target_counter, NULL },
	{ "counter", "counter", target_counter, NULL },
	{ "watchpoint", "w", target_refused, "there are no watchpoints" },
	{ "asyncwatchpoint", "aw", target_refused, "there are no watchpoints" },
	{ "iter", "it", target_refused,
	    "there are no iterators; dt where lists all threads" },
};

int
script_target(const char *name, struct script_target *tg, char *why,
    size_t nwhy)
{
	const size_t len = strcspn(name, ":");
	const char *rest = name[len] == ':' ? name + len + 1 : "";
	size_t i;

	*tg = (struct script_target){ .tg_kind = TARGET_EVENT,
		.tg_name = name };
	if (strcmp(name, "BEGIN") == 0 || strcmp(name, "END") == 0) {
		tg->tg_kind = *name == 'B' ? TARGET_BEGIN : TARGET_END;
		return 0;
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((strlen(rows[i].tgr_provider) != len ||
			strncmp(name, rows[i].tgr_provider, len) != 0) &&
		    (strlen(rows[i].tgr_short) != len ||
			strncmp(name, rows[i].tgr_short, len) != 0))
			continue;
		if (*rest == '\0')
			break;
		return rows[i].tgr_set(&rows[i], rest, tg, why, nwhy);
	}
	/* a pattern of dt, such as syscall:openat:entry */
	if (name[len] == '\0') {
		snprintf(why, nwhy,
		    "a probe is PROVIDER:NAME, for example "
		    "syscall:openat:entry, or BEGIN or END");
		return -1;
	}
	snprintf(tg->tg_pattern, sizeof(tg->tg_pattern), "%s", name);
	return 0;
}
