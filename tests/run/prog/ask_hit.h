/* SPDX-License-Identifier: ISC */
/*
 * Events that were read, kept so that conditions on their fields can count
 * them.  They arrive as records (dt_next) or as struct dt_evt (dt_read).
 */
#ifndef ASK_HIT_H
#define ASK_HIT_H

#include <err.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_text.h"
#include "tests/run/prog/ask_worker.h"

struct hit {
	uint32_t ht_pbn, ht_cpu, ht_pid, ht_tid;
	int64_t ht_time; /* CLOCK_REALTIME, ns */
	char ht_comm[DTMAXCOMLEN];
	int64_t ht_args[DT_REC_NARGS];
	unsigned int ht_nargs;
	int64_t ht_retval;
	unsigned int ht_error;
	unsigned int ht_kstack, ht_ustack; /* number of frames */
	unsigned int ht_kend, ht_uend;	   /* enum dt_stack_end */
	unsigned int ht_uhow;		   /* enum dt_stack_how */
	uint64_t ht_cgroup;
	uint32_t ht_uid, ht_ppid;
	uint64_t ht_duration; /* ns, only in events of a pair */
	int ht_ispair;
	uint32_t ht_first;
	struct dt_rec_first ht_from; /* first hit of a pair, else zero */
	struct texts ht_texts;
};

struct hits {
	struct hit *hs_v;
	size_t hs_n;
	size_t hs_size;
};

static struct hit *
hit_add(struct hits *hs)
{
	if (hs->hs_n == hs->hs_size) {
		hs->hs_size = hs->hs_size ? 2 * hs->hs_size : 256;
		hs->hs_v = reallocarray(hs->hs_v, hs->hs_size,
		    sizeof(*hs->hs_v));
		if (hs->hs_v == NULL)
			err(2, NULL);
	}
	return memset(&hs->hs_v[hs->hs_n++], 0, sizeof(struct hit));
}

static void
hits_clear(struct hits *hs)
{
	while (hs->hs_n > 0)
		text_free_all(&hs->hs_v[--hs->hs_n].ht_texts);
}

static int64_t
hit_time(const struct timespec *ts)
{
	return ts->tv_sec * INT64_C(1000000000) + ts->tv_nsec;
}

static void
hit_add_event(struct hits *hs, const struct dt_event *ev)
{
	struct hit *ht = hit_add(hs);
	unsigned int i;

	ht->ht_pbn = ev->ev_rec->dr_pbn;
	ht->ht_pid = ev->ev_rec->dr_pid;
	ht->ht_tid = ev->ev_rec->dr_tid;
	ht->ht_cpu = ev->ev_cpu;
	ht->ht_time = hit_time(&ev->ev_realtime);
	if (ev->ev_comm != NULL)
		snprintf(ht->ht_comm, sizeof(ht->ht_comm), "%s", ev->ev_comm);
	ht->ht_nargs = ev->ev_nargs;
	for (i = 0; ev->ev_args != NULL && i < ev->ev_nargs; i++)
		ht->ht_args[i] = ev->ev_args[i];
	if (ev->ev_ret != NULL) {
		ht->ht_retval = ev->ev_ret->drr_retval;
		ht->ht_error = ev->ev_ret->drr_error;
	}
	if (ev->ev_kstack != NULL) {
		ht->ht_kstack = ev->ev_kstack->drs_count;
		ht->ht_kend = ev->ev_kstack->drs_end;
	}
	if (ev->ev_ustack != NULL) {
		ht->ht_ustack = ev->ev_ustack->drs_count;
		ht->ht_uend = ev->ev_ustack->drs_end;
		ht->ht_uhow = ev->ev_ustack->drs_how;
	}
	if (ev->ev_who != NULL) {
		ht->ht_cgroup = ev->ev_who->drw_cgroup;
		ht->ht_uid = ev->ev_who->drw_uid;
		ht->ht_ppid = ev->ev_who->drw_ppid;
	}
	if (ev->ev_duration != NULL) {
		ht->ht_ispair = 1;
		ht->ht_duration = *ev->ev_duration;
		ht->ht_first = ev->ev_first;
		if (dt_first(ev) != NULL)
			ht->ht_from = *dt_first(ev);
	}
	text_add_all(&ht->ht_texts, ev);
}

/* A struct dt_evt has one array for arguments and results, so both are kept. */
static void
hit_add_evt(struct hits *hs, const struct dt_evt *evt)
{
	struct hit *ht = hit_add(hs);

	ht->ht_pbn = evt->dtev_pbn;
	ht->ht_pid = evt->dtev_pid;
	ht->ht_tid = evt->dtev_tid;
	ht->ht_cpu = evt->dtev_cpu;
	ht->ht_time = hit_time(&evt->dtev_tsp);
	memcpy(ht->ht_comm, evt->dtev_comm, sizeof(ht->ht_comm));
	memcpy(ht->ht_args, evt->dtev_args, sizeof(evt->dtev_args));
	ht->ht_retval = evt->dtev_retval[0];
	ht->ht_error = evt->dtev_error;
	ht->ht_kstack = evt->dtev_kstack.st_count;
	ht->ht_ustack = evt->dtev_ustack.st_count;
}

/*
 * Returns whether the name of its probe, or of the first of its pair, matches.
 */
static int
hit_is_of(struct dt *dt, uint32_t pbn, const char *pattern)
{
	const struct dt_probe_desc *pd = dt_probe(dt, pbn);
	char name[3 * DTNAMESIZE];

	if (pd == NULL)
		return 0;
	snprintf(name, sizeof(name), "%s:%s:%s", pd->pd_info.dtpi_prov,
	    pd->pd_info.dtpi_func, pd->pd_info.dtpi_name);
	return fnmatch(pattern, name, 0) == 0;
}

/* Returns the number that a key names. */
static int64_t
hit_value(const struct hit *ht, const char *key, size_t len)
{
	const struct {
		const char *key;
		int64_t value;
	} rows[] = {
		{ "pid", ht->ht_pid },
		{ "tid", ht->ht_tid },
		{ "cpu", ht->ht_cpu },
		{ "nargs", ht->ht_nargs },
		{ "retval", ht->ht_retval },
		{ "error", ht->ht_error },
		{ "kstack", ht->ht_kstack },
		{ "ustack", ht->ht_ustack },
		{ "kend", ht->ht_kend },
		{ "uend", ht->ht_uend },
		{ "uhow", ht->ht_uhow },
		{ "cgroup", ht->ht_cgroup },
		{ "uid", ht->ht_uid },
		{ "ppid", ht->ht_ppid },
		{ "nstr", ht->ht_texts.tx_n },
		{ "strbytes", ht->ht_texts.tx_nbytes },
		{ "commlen", strlen(ht->ht_comm) },
		{ "time", ht->ht_time },
		{ "pair", ht->ht_ispair },
		{ "duration", ht->ht_duration },
		{ "from.pid", ht->ht_from.drf_pid },
		{ "from.tid", ht->ht_from.drf_tid },
		{ "from.cpu", ht->ht_from.drf_cpu },
		{ "from.uid", ht->ht_from.drf_who.drw_uid },
		{ "from.ppid", ht->ht_from.drf_who.drw_ppid },
		{ "from.cgroup", ht->ht_from.drf_who.drw_cgroup },
	};
	size_t i;

	if ((len == 4 || len == 5) && memcmp(key, "arg", 3) == 0)
		return ht->ht_args[strtoul(key + 3, NULL, 10) % DT_REC_NARGS];
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].key) == len &&
		    memcmp(rows[i].key, key, len) == 0)
			return rows[i].value;
	errx(2, "an event has no %.*s", (int)len, key);
}

static int64_t
hit_number(const char *key, const char *s)
{
	char *end;
	int64_t v;

	if (strncmp(key, "from.", 5) == 0)
		key += 5;
	if (strncmp(key, "error", 5) == 0)
		return name_to_errno(s);
	if (strncmp(key, "pid", 3) == 0 || strncmp(key, "tid", 3) == 0 ||
	    strncmp(key, "ppid", 4) == 0)
		return worker_id(s);
	v = strtoll(s, &end, 0);
	if (*end != '\0')
		errx(2, "%s: no number", s);
	return v;
}

/*
 * Tests a condition: KEY=VALUE, KEY!=VALUE, KEY>VALUE, KEY<VALUE;
 * probe=PATTERN, first=PATTERN, comm=NAME, and str= of ask_text.h.
 */
static int
hit_meets(struct dt *dt, const struct hit *ht, const char *cond)
{
	size_t len = strcspn(cond, "!<>=");
	const char *value = cond + len;
	char op = *value;
	int64_t v, want;

	value += op == '!' ? 2 : 1;
	if (strncmp(cond, "probe=", 6) == 0)
		return hit_is_of(dt, ht->ht_pbn, value);
	if (strncmp(cond, "first=", 6) == 0)
		return hit_is_of(dt, ht->ht_first, value);
	if (strncmp(cond, "comm=", 5) == 0)
		return strcmp(ht->ht_comm, value) == 0;
	if (strncmp(cond, "from.comm=", 10) == 0)
		return strcmp(ht->ht_from.drf_comm, value) == 0;
	if (strncmp(cond, "str=", 4) == 0)
		return text_find(&ht->ht_texts, value);
	v = hit_value(ht, cond, len);
	want = hit_number(cond, value);
	switch (op) {
	case '!':
		return v != want;
	case '<':
		return v < want;
	case '>':
		return v > want;
	default:
		return v == want;
	}
}

/* count CONDITION ...: the number of events that meet all conditions. */
static size_t
hit_count(struct dt *dt, const struct hits *hs, const struct words *w)
{
	size_t i, n = 0;
	int j;

	for (i = 0; i < hs->hs_n; i++) {
		for (j = 1; j < w->wd_n; j++)
			if (!hit_meets(dt, &hs->hs_v[i], w->wd_v[j]))
				break;
		n += j == w->wd_n;
	}
	return n;
}

#endif /* ASK_HIT_H */
