/* SPDX-License-Identifier: ISC */
/* Steps of ask.c about probes: requests, settings, and their descriptions. */
#ifndef ASK_PROBE_H
#define ASK_PROBE_H

#include <sys/auxv.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_worker.h"

static uint64_t
ask_flags(const char *s)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} rows[] = {
		{ "args", DTEVT_FUNCARGS },
		{ "comm", DTEVT_EXECNAME },
		{ "kstack", DTEVT_KSTACK },
		{ "ustack", DTEVT_USTACK },
		{ "utable", DTEVT_UTABLE },
		{ "reads", DTEVT_READS },
		{ "who", DTEVT_WHO },
		{ "strings", DTEVT_STRINGS },
		{ "memory", DTEVT_MEMORY },
		{ "data", DTEVT_DATA },
		{ "paths", DTEVT_PATHS },
		{ "all", ~UINT64_C(0) },
	};
	uint64_t flags = 0;
	size_t i, n;

	for (; s != NULL && *s != '\0'; s += n + (s[n] == ',')) {
		n = strcspn(s, ",");
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (strlen(rows[i].name) == n &&
			    memcmp(rows[i].name, s, n) == 0)
				flags |= rows[i].flag;
	}
	return flags;
}

/* Finds the probe of a request: pbn=N, or the first word's first match. */
static int
ask_pbn(struct handle *h, const struct words *w, uint32_t *pbn)
{
	const char *s = name_opt(w, "pbn");
	struct dtioc_probe_info *pi;

	if (s != NULL) {
		*pbn = name_num(s);
		return 0;
	}
	if (dt_lookup(h->h_dt, name_word(w, 1), &pi) == -1)
		return -1;
	*pbn = pi->dtpi_pbn;
	free(pi);
	return 0;
}

/*
 * Fills a request of the older interface.  A condition VAR=ID or VAR!=ID is its
 * filter; op=N and var=N are values that no program should send.
 */
static int
ask_request_v1(struct handle *h, const struct words *w, unsigned long cmd,
    uint32_t pbn)
{
	static const char *const conds[][2] = { { "pid", "pid!" },
		{ "tid", "tid!" } };
	struct dtioc_req_v1 rq = {
		.dtrq_pbn = pbn,
		.dtrq_evtflags = ask_flags(name_opt(w, "flags")),
		.dtrq_rate = name_optnum(w, "rate", 0),
	};
	struct dt_filter *dtf = &rq.dtrq_filter;
	const char *s;
	int var, ne;

	for (var = 0; var < 2; var++)
		for (ne = 0; ne < 2; ne++)
			if ((s = name_opt(w, conds[var][ne])) != NULL) {
				dtf->dtf_variable = DT_FV_PID + var;
				dtf->dtf_operand = DT_OP_EQ + ne;
				dtf->dtf_value = worker_id(s);
			}
	dtf->dtf_operand = name_optnum(w, "op", dtf->dtf_operand);
	dtf->dtf_variable = name_optnum(w, "var", dtf->dtf_variable);
	return dt_ioctl(h->h_dt, cmd, &rq);
}

static void
ask_request(struct handle *h, const struct words *w, struct answer *an,
    unsigned long cmd)
{
	struct dtioc_req rq = {
		.dtrq_evtflags = ask_flags(name_opt(w, "flags")),
		.dtrq_nsecs = name_optnum(w, "nsecs", 0),
	};

	if (ask_pbn(h, w, &rq.dtrq_pbn) == -1)
		ask_say(an, "NOPROBE");
	else if (name_has(w, "v1"))
		ask_say_result(an,
		    ask_request_v1(h, w,
			cmd == DTIOCPRBENABLE ? DTIOCPRBENABLE_V1
					      : DTIOCPRBDISABLE_V1,
			rq.dtrq_pbn));
	else
		ask_say_result(an, dt_ioctl(h->h_dt, cmd, &rq));
}

/* enable PROBE|pbn=N [flags=args,comm,kstack,ustack,who,strings,memory,
 * data] [nsecs=N]
 * [v1 [rate=N] [pid=P] [pid!=P] [tid=P] [tid!=P]] */
static void
ask_enable(struct handle *h, const struct words *w, struct answer *an)
{
	ask_request(h, w, an, DTIOCPRBENABLE);
}

/* enableall PATTERN: enables all matches; prints their number. */
static void
ask_enableall(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_probe_info *pi;
	struct dtioc_req rq = {
		.dtrq_evtflags = ask_flags(name_opt(w, "flags")),
		.dtrq_nsecs = name_optnum(w, "nsecs", 0),
	};
	ssize_t i, n, done = 0;

	n = dt_lookup(h->h_dt, name_word(w, 1), &pi);
	for (i = 0; i < n; i++) {
		rq.dtrq_pbn = pi[i].dtpi_pbn;
		done += dt_ioctl(h->h_dt, DTIOCPRBENABLE, &rq) == 0;
	}
	if (n > 0)
		free(pi);
	ask_say(an, "%zd", done);
}

/* disable PROBE|pbn=N [v1] */
static void
ask_disable(struct handle *h, const struct words *w, struct answer *an)
{
	ask_request(h, w, an, DTIOCPRBDISABLE);
}

static int
ask_onoff(const struct words *w)
{
	return strcmp(name_word(w, 1), "on") == 0;
}

/* record on|off */
static void
ask_record(struct handle *h, const struct words *w, struct answer *an)
{
	int on = ask_onoff(w), r;

	r = dt_ioctl(h->h_dt, DTIOCRECORD, &on);
	if (r == 0 && on)
		h->h_run = 0;
	ask_say_result(an, r);
}

/* self on|off */
static void
ask_self(struct handle *h, const struct words *w, struct answer *an)
{
	int on = ask_onoff(w);

	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSELF, &on));
}

/* budget N */
static void
ask_budget(struct handle *h, const struct words *w, struct answer *an)
{
	uint64_t n = name_num(name_word(w, 1));

	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSBUDGET, &n));
}

/* maxbudget N */
static void
ask_maxbudget(struct handle *h, const struct words *w, struct answer *an)
{
	uint64_t n = name_num(name_word(w, 1));

	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSMAXBUDGET, &n));
}

/*
 * filter [pid=P] [tid=P] [uid=N] [comm=NAME] [cgroup=ID] [level=N] [set=BITS];
 * without words the filter is cleared.
 */
static void
ask_filter(struct handle *h, const struct words *w, struct answer *an)
{
	const char *pid = name_opt(w, "pid"), *tid = name_opt(w, "tid"),
		   *uid = name_opt(w, "uid"), *comm = name_opt(w, "comm");
	struct dtioc_filter fi = { 0 };

	if (pid != NULL) {
		fi.dtfi_set |= DTFI_PID;
		fi.dtfi_pid = worker_id(pid);
	}
	if (tid != NULL) {
		fi.dtfi_set |= DTFI_TID;
		fi.dtfi_tid = worker_id(tid);
	}
	if (uid != NULL) {
		fi.dtfi_set |= DTFI_UID;
		fi.dtfi_uid = name_num(uid);
	}
	if (comm != NULL) {
		fi.dtfi_set |= DTFI_COMM;
		memcpy(fi.dtfi_comm, comm, strnlen(comm, sizeof(fi.dtfi_comm)));
	}
	if (name_opt(w, "cgroup") != NULL) {
		fi.dtfi_set |= DTFI_CGROUP;
		fi.dtfi_cgroup = name_optnum(w, "cgroup", 0);
		fi.dtfi_cgrouplevel = name_optnum(w, "level", DTFI_ANYLEVEL);
	}
	fi.dtfi_set = name_optnum(w, "set", fi.dtfi_set);
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSFILTER, &fi));
}

/* path [PREFIX|long=N]: sets the filter by path, or clears it. */
static void
ask_path(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_path ph = { 0 };
	size_t n = name_optnum(w, "long", 0);

	if (n > 0 && n < sizeof(ph.dtph_prefix)) {
		memset(ph.dtph_prefix, 'a', n);
		ph.dtph_prefix[0] = '/';
	} else if (w->wd_n > 1)
		memcpy(ph.dtph_prefix, w->wd_v[1],
		    strnlen(w->wd_v[1], sizeof(ph.dtph_prefix)));
	ask_say_result(an, dt_ioctl(h->h_dt, DTIOCSPATH, &ph));
}

/* args PROBE: prints type and name of each argument. */
static void
ask_args(struct handle *h, const struct words *w, struct answer *an)
{
	const struct dt_probe_desc *pd;
	unsigned int i;
	uint32_t pbn;

	if (ask_pbn(h, w, &pbn) == -1 ||
	    (pd = dt_probe(h->h_dt, pbn)) == NULL) {
		ask_say_result(an, -1);
		return;
	}
	for (i = 0; i < pd->pd_info.dtpi_nargs; i++) {
		ask_append(an, i > 0 ? "," : "");
		ask_append(an, pd->pd_types[i].dtai_argtype);
		ask_append(an, ":");
		ask_append(an, pd->pd_names[i].dtan_name);
		if (pd->pd_names[i].dtan_flags & DTAN_PATH)
			ask_append(an, "(path)");
	}
	if (pd->pd_info.dtpi_nargs == 0)
		ask_say(an, "none");
}

/* pbn PROBE: prints its number. */
static void
ask_number(struct handle *h, const struct words *w, struct answer *an)
{
	uint32_t pbn;

	if (ask_pbn(h, w, &pbn) == -1)
		ask_say_result(an, -1);
	else
		ask_say(an, "%u", pbn);
}

/* provs: prints name and availability of each provider. */
static void
ask_provs(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_prov_info pv[32];
	struct dtioc_prov po = { .dtpo_size = sizeof(pv), .dtpo_provs = pv };
	size_t i;

	(void)w;
	if (dt_ioctl(h->h_dt, DTIOCGPROVS, &po) == -1) {
		ask_say_result(an, -1);
		return;
	}
	for (i = 0; i < po.dtpo_size / sizeof(pv[0]); i++) {
		ask_append(an, i > 0 ? "," : "");
		ask_append(an, pv[i].dtpv_name);
		ask_append(an, pv[i].dtpv_available ? "=1" : "=0");
	}
}

/* ksym NAME: 1 if the address of that function resolves to this name. */
static void
ask_ksym(struct handle *h, const struct words *w, struct answer *an)
{
	unsigned long long pc = 0;
	char line[256], name[128], type;
	FILE *fp = fopen("/proc/kallsyms", "re");
	uint64_t offset;
	const char *s;

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "%llx %c %127s", &pc, &type, name) == 3 &&
		    strcmp(name, name_word(w, 1)) == 0)
			break;
	if (fp != NULL)
		fclose(fp);
	if ((s = dt_ksym(h->h_dt, pc + 1, &offset)) == NULL)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%d", strcmp(s, w->wd_v[1]) == 0 && offset == 1);
}

/* auxbase self|PID: same, if equal to ours; other; 0 without ld.so. */
static void
ask_auxbase(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_getaux ga = { .dtga_pid = worker_id(name_word(w, 1)),
		.dtga_auxbase = 1 };

	if (dt_ioctl(h->h_dt, DTIOCGETAUXBASE, &ga) == -1)
		ask_say(an, "%s", name_errno(errno));
	else if (ga.dtga_auxbase == 0)
		ask_say(an, "0");
	else
		ask_say(an, "%s",
		    ga.dtga_auxbase == getauxval(AT_BASE) ? "same" : "other");
}

#endif /* ASK_PROBE_H */
