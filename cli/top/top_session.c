/* SPDX-License-Identifier: ISC */
/* Opens the session of a view, enables its probes, and reads their counts. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/procs/call_effects.h"
#include "cli/session/refusal.h"
#include "cli/sym/cgroup.h"
#include "cli/top/top_session.h"

struct dt_opd
top_opd(enum dt_opd_kind kind)
{
	static const uint8_t sizes[DT_NOPD] = {
		[DT_OPD_ARG] = 4,
		[DT_OPD_RETVAL] = 8,
		[DT_OPD_ERRNO] = 4,
		[DT_OPD_DURATION] = 8,
		[DT_OPD_PID] = 4,
		[DT_OPD_TID] = 4,
		[DT_OPD_PROBE] = 4,
		[DT_OPD_CGROUP] = 8,
	};

	return (struct dt_opd){ .op_kind = kind,
		.op_size = sizes[kind],
		.op_issigned = kind == DT_OPD_RETVAL };
}

void
top_session_open(struct top_session *ts, const struct opts *o,
    const struct top_filter *tf, int openflags)
{
	struct dtioc_filter fi = { 0 };
	int on = 1;

	*ts = (struct top_session){ .tos_filter = *tf };
	ts->tos_dt = refusal_open(o->o_socket,
	    openflags | (o->o_socket != NULL ? DT_OPEN_SERVICE : 0));
	name_cache_init(&ts->tos_names, ts->tos_dt);
	if (o->o_whose.owh_self && dt_ioctl(ts->tos_dt, DTIOCSELF, &on) == -1)
		refusal_ioctl(ts->tos_dt, "--self");
	if (o->o_limits.oli_nolimit &&
	    dt_ioctl(ts->tos_dt, DTIOCNOLIMIT, &on) == -1)
		refusal_ioctl(ts->tos_dt, "--no-limit");
	if (tf->tof_npids == 1) {
		fi.dtfi_set |= DTFI_PID;
		fi.dtfi_pid = tf->tof_pids[0];
	}
	if (tf->tof_cgroup != 0) {
		fi.dtfi_set |= DTFI_CGROUP;
		fi.dtfi_cgroup = tf->tof_cgroup;
		fi.dtfi_cgrouplevel = DTFI_ANYLEVEL;
	}
	if (fi.dtfi_set != 0 && dt_ioctl(ts->tos_dt, DTIOCSFILTER, &fi) == -1)
		refusal_ioctl(ts->tos_dt, "filter");
	ts->tos_hassums = (dt_rights(ts->tos_dt) & RIGHT_STATS) != 0 &&
	    dt_sums_open(ts->tos_dt) == 0;
}

void
top_session_close(struct top_session *ts)
{
	if (ts->tos_dt == NULL)
		return;
	hash_free(&ts->tos_calls);
	name_cache_free(&ts->tos_names);
	dt_close(ts->tos_dt);
	ts->tos_dt = NULL;
}

/* Several processes are a condition: the filter has one. */
static void
session_processes(struct top_session *ts, uint32_t pbn)
{
	const struct top_filter *tf = &ts->tos_filter;
	struct dtioc_condition cn = { .dtcn_pbn = pbn };
	struct dt_cond *co = &cn.dtcn_cond;
	unsigned int i;

	if (tf->tof_npids < 2)
		return;
	co->co_ninsn = tf->tof_npids;
	for (i = 0; i < tf->tof_npids; i++)
		co->co_insn[i] = (struct dt_insn){
			.in_left = top_opd(DT_OPD_PID),
			.in_op = DT_CMP_EQ,
			.in_true = DT_COND_PASS,
			.in_false = i + 1 < tf->tof_npids ? i + 1
							  : DT_COND_FAIL,
			.in_mask = UINT32_MAX,
			.in_value = tf->tof_pids[i],
		};
	if (dt_ioctl(ts->tos_dt, DTIOCSCONDITION, &cn) == -1)
		refusal_ioctl(ts->tos_dt, "processes");
}

static int
session_add(struct top_session *ts, const struct dtioc_probe_info *pi,
    uint64_t nsecs, uint64_t evtflags)
{
	struct dtioc_req rq = { .dtrq_pbn = pi->dtpi_pbn,
		.dtrq_nsecs = nsecs,
		.dtrq_evtflags = evtflags };

	return dt_ioctl(ts->tos_dt, DTIOCPRBENABLE, &rq);
}

uint32_t
top_session_clock(struct top_session *ts, unsigned int hz, uint64_t evtflags)
{
	struct dtioc_probe_info *pi;
	uint32_t pbn;

	if (dt_lookup(ts->tos_dt, "profile:*", &pi) < 1 ||
	    session_add(ts, pi, UINT64_C(1000000000) / hz, evtflags) == -1)
		refusal_ioctl(ts->tos_dt, "clock");
	pbn = pi->dtpi_pbn;
	free(pi);
	session_processes(ts, pbn);
	return pbn;
}

void
top_session_count(struct top_session *ts, uint32_t pbn,
    const struct dt_opd *keys, unsigned int nkeys, enum dt_opd_kind value)
{
	struct dtioc_agg ag = { .dtag_pbn = pbn, .dtag_nkeys = nkeys };

	memcpy(ag.dtag_keys, keys, nkeys * sizeof(*keys));
	if (value != DT_OPD_NONE)
		ag.dtag_value = top_opd(value);
	if (value == DT_OPD_RETVAL)
		ag.dtag_flags = DTAG_OKONLY;
	if (dt_ioctl(ts->tos_dt, DTIOCSAGG, &ag) == -1)
		refusal_ioctl(ts->tos_dt, "counts");
}

/* Joins entry and return of a call.  Returns 0, or -1 if it does not exist. */
static int
session_pair(struct top_session *ts, const struct dtioc_probe_info *entry,
    const struct dtioc_probe_info *ret)
{
	struct dtioc_pair pa = { .dtpa_from = entry->dtpi_pbn,
		.dtpa_to = ret->dtpi_pbn,
		.dtpa_nkeys = 1,
		.dtpa_fromkey = { top_opd(DT_OPD_TID) },
		.dtpa_tokey = { top_opd(DT_OPD_TID) } };

	if (session_add(ts, entry, 0, 0) == -1)
		return -1;
	if (session_add(ts, ret, 0, 0) == -1 ||
	    dt_ioctl(ts->tos_dt, DTIOCSPAIR, &pa) == -1)
		refusal_ioctl(ts->tos_dt, entry->dtpi_func);
	return 0;
}

/* Calls that never return have no duration. */
static int
session_returns(const struct dtioc_probe_info *pi)
{
	switch (call_effects_kind(call_effects_find(pi))) {
	case EFFECTS_EXIT:
	case EFFECTS_EXITALL:
	case EFFECTS_JUMP:
		return 0;
	default:
		return 1;
	}
}

/* Returns the return of the i-th of n probes, an entry; NULL: none. */
static const struct dtioc_probe_info *
session_return(const struct dtioc_probe_info *pi, size_t n, size_t i)
{
	size_t j;

	for (j = 1; j < n; j++) {
		const struct dtioc_probe_info *other = &pi[(i + j) % n];

		if (strcmp(other->dtpi_name, "return") == 0 &&
		    strcmp(other->dtpi_func, pi[i].dtpi_func) == 0)
			return other;
	}
	return NULL;
}

void
top_session_calls(struct top_session *ts, const char *pattern, int arg,
    const struct dt_opd *keys, unsigned int nkeys, enum dt_opd_kind value)
{
	const struct dtioc_probe_info *ret;
	struct dtioc_probe_info *pi;
	ssize_t i, n = dt_lookup(ts->tos_dt, pattern, &pi);
	struct top_call *tc;

	if (n == -1 && errno != ENOENT)
		refusal_ioctl(ts->tos_dt, pattern);
	for (i = 0; i < n; i++) {
		if (strcmp(pi[i].dtpi_name, "entry") != 0 ||
		    !session_returns(&pi[i]) ||
		    (ret = session_return(pi, n, i)) == NULL)
			continue;
		if (session_pair(ts, &pi[i], ret) == -1) {
			if (errno == EPERM)
				refusal_ioctl(ts->tos_dt, pattern);
			continue;
		}
		session_processes(ts, pi[i].dtpi_pbn);
		top_session_count(ts, ret->dtpi_pbn, keys, nkeys, value);
		if ((tc = calloc(1, sizeof(*tc))) == NULL)
			err(1, NULL);
		snprintf(tc->tcl_name, sizeof(tc->tcl_name), "%s",
		    pi[i].dtpi_func);
		tc->tcl_arg = arg;
		if (dt_hash_put(&ts->tos_calls, ret->dtpi_pbn, tc) == -1)
			err(1, NULL);
	}
	if (n > 0)
		free(pi);
}

void
top_session_start(struct top_session *ts)
{
	int on = 1;

	if (dt_ioctl(ts->tos_dt, DTIOCRECORD, &on) == -1)
		refusal_ioctl(ts->tos_dt, "recording");
}

/* Adds a row of one CPU to its key. */
static void
session_row(struct hash *counts, const struct dtioc_aggrow *row)
{
	struct hash_entry *e = hash_get(counts, row->dtrw_words,
	    sizeof(row->dtrw_words));
	struct top_count *tc = e->he_ptr;

	if (tc == NULL) {
		if ((e->he_ptr = tc = calloc(1, sizeof(*tc))) == NULL)
			err(1, NULL);
		memcpy(tc->tcn_words, row->dtrw_words, sizeof(tc->tcn_words));
	}
	tc->tcn_count += row->dtrw_count;
	if (row->dtrw_bucket == 0)
		return;
	tc->tcn_nvalues += row->dtrw_count;
	tc->tcn_sum += row->dtrw_sum;
	if (row->dtrw_max > tc->tcn_max)
		tc->tcn_max = row->dtrw_max;
}

void
top_session_ended(struct top_session *ts)
{
	if (errno == EINTR || ts->tos_note != NULL)
		return;
	if (errno != ENODATA)
		errx(1, "the recording failed: %s", dt_error(ts->tos_dt));
	ts->tos_note = dt_note(ts->tos_dt);
	if (ts->tos_note == NULL)
		ts->tos_note = "dtd has stopped this view";
}

void
top_session_snapshot(struct top_session *ts,
    void (*fn)(void *, const struct top_count *), void *arg)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	struct hash counts = { 0 };
	struct hash_entry **list;
	struct dt_event ev;
	size_t i;
	int n;

	/* there are no events, but the end would be one */
	if (dt_next(ts->tos_dt, &ev, 0) == -1)
		top_session_ended(ts);
	if (dt_ioctl(ts->tos_dt, DTIOCAGGSNAP, &as) == -1)
		errx(1, "cannot read the counts: %s", dt_error(ts->tos_dt));
	while ((n = dt_agg_next(ts->tos_dt, &row)) == 1)
		session_row(&counts, &row);
	if (n == -1)
		errx(1, "cannot read the counts: %s", dt_error(ts->tos_dt));
	list = hash_sorted(&counts);
	for (i = 0; i < counts.ha_n; i++)
		fn(arg, list[i]->he_ptr);
	free(list);
	hash_free(&counts);
}
