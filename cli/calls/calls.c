/* SPDX-License-Identifier: ISC */
/*
 * Passes events through the steps of cli/calls/calls.h: joins entries and returns
 * of calls, and splits pairs that the kernel has joined.
 *
 * An entry is kept until its return (call_table.c) if calls are to be joined,
 * or if the return alone does not show the effects of the call.  It is dropped
 * unjoined when the thread enters another call: then its return was lost.  A
 * call that is pending for CALLS_LONG is printed unfinished, and its later
 * return is printed on its own.  Time is that of the events; live and without
 * events, it is that of the clock, a little later, so that a report prints the
 * same calls as unfinished.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls/call_resolve.h"
#include "cli/calls/call_table.h"
#include "cli/calls/calls.h"
#include "cli/calls/kernel_pair.h"
#include "cli/calls/path_filter.h"
#include "cli/procs/call_effects.h"
#include "cli/procs/call_paths.h"

#define CALLS_LONG  250000000 /* ns until a call is printed unfinished */
#define CALLS_LATE  50000000  /* ns by which events may be late */
#define CALLS_NLAST 4096      /* probes that are found without a search */

/* State of a probe; constant after its initialization. */
struct calls_probe {
	uint32_t tb_pbn;
	const struct probe *tb_probe;
	const struct probe *tb_entry; /* this probe, or the enabled entry of
				       * a return */
	const struct call_effects *tb_follow;
	struct call_paths tb_shape; /* of the entry; else empty */
	uint32_t tb_kind;	    /* of its pending calls */
	uint8_t tb_isentry;
	uint8_t tb_isreturn;
	uint8_t tb_ispaired; /* the other probe of the pair is enabled, too */
	uint8_t tb_ends;     /* enum call_effects_kind */
	uint8_t tb_isplain;  /* written to a file unchanged */
	uint8_t tb_counts;   /* 0: the return, which follows, counts as the
			      * call; or of calls_uncounted() */
};

/* tc_flags: an enum path_filter_verdict, and the following */
#define CALLS_VERDICT 0x03
#define CALLS_HELD    0x04 /* to be joined: not printed yet */
#define CALLS_CUT     0x08 /* printed as unfinished */

struct calls {
	const struct opts *ca_opts;
	struct name_cache *ca_names;
	struct consumer ca_consumer; /* all zeros: none */
	struct procs *ca_procs;
	int ca_joins;
	const char *ca_path; /* of --path, or NULL */
	uint64_t ca_passed;
	uint64_t ca_limit;			 /* of ca_passed */
	uint64_t ca_events[PATH_FILTER_YES + 1]; /* by verdict */
	uint64_t ca_orphans; /* events that were filtered since the other event
			      * of their call was lost */
	void (*ca_late)(void *, const struct dt_event *);
	void *ca_latearg;
	int ca_failed; /* the output has failed */
	struct call_table ca_pairs;
	struct call_texts ca_texts; /* of the printed call */
	struct hash ca_probes;	    /* pbn -> struct calls_probe */
	const struct calls_probe *ca_last[CALLS_NLAST]; /* found last, by pbn */
};

/* Start */

static void
calls_found(void *arg, uint32_t pid, int fd, const char *path)
{
	struct calls *tr = arg;
	const struct consumer *cn = &tr->ca_consumer;

	if (cn->cns_ops->cso_file(cn->cns_arg, pid, fd, path) == -1)
		tr->ca_failed = 1;
}

struct calls *
calls_open(const struct opts *opts, struct name_cache *names,
    const struct consumer *consumer)
{
	struct calls *tr;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		err(1, NULL);
	tr->ca_opts = opts;
	tr->ca_names = names;
	if (consumer != NULL)
		tr->ca_consumer = *consumer;
	buf_init(&tr->ca_texts.cts_buf, -1);
	call_table_init(&tr->ca_pairs);
	tr->ca_procs = procs_alloc();
	tr->ca_joins = tr->ca_consumer.cns_flags & CONSUMER_JOINS &&
	    !opts->o_print.opi_nojoin;
	tr->ca_path = opts->o_select.ose_path;
	tr->ca_limit = UINT64_MAX;
	if (consumer != NULL && consumer->cns_ops != NULL &&
	    consumer->cns_ops->cso_file != NULL)
		procs_watch(tr->ca_procs, calls_found, tr);
	return tr;
}

void
calls_close(struct calls *tr)
{
	if (tr == NULL)
		return;
	hash_free(&tr->ca_probes);
	call_table_free(&tr->ca_pairs);
	buf_free(&tr->ca_texts.cts_buf);
	procs_free(tr->ca_procs);
	free(tr);
}

static int
calls_isrecorded(void *arg, const char *func)
{
	struct name_cache *nm = arg;

	return name_cache_find(nm, "syscall", func, "entry") != NULL &&
	    name_cache_find(nm, "syscall", func, "return") != NULL;
}

/*
 * Returns what stays true of processes once known, PROCS_TRUST*.  The probes of
 * nm are recorded.
 */
static unsigned int
calls_trust(const struct opts *opts, struct name_cache *nm)
{
	/* only some threads or calls of a process are traced */
	if (opts->o_filter.dtfi_set & DTFI_TID || opts->o_pair.opa_isslower ||
	    opts->o_select.ose_if != NULL)
		return 0;
	return call_effects_trust(calls_isrecorded, nm);
}

int
calls_knowpaths(const struct opts *opts, struct name_cache *nm)
{
	const unsigned int all = PROCS_TRUSTFILES | PROCS_TRUSTDIRS;

	return (calls_trust(opts, nm) & all) == all;
}

void
calls_live(struct calls *tr, pid_t command)
{
	const struct opts *o = tr->ca_opts;
	unsigned int i;

	procs_live(tr->ca_procs, calls_trust(tr->ca_opts, tr->ca_names));
	for (i = 0; i < o->o_select.ose_npids; i++)
		if (o->o_select.ose_pids[i] != 0)
			procs_scan(tr->ca_procs, o->o_select.ose_pids[i],
			    (o->o_filter.dtfi_set & DTFI_CHILDREN) != 0);
	if (command > 0)
		procs_scan_command(tr->ca_procs, command);
}

/* The event of a fork needs the ids of the child, to identify its parent. */
uint64_t
calls_evtflags(void *arg, const struct dtioc_probe_info *pi)
{
	(void)arg;
	return call_effects_kind(call_effects_find(pi)) == EFFECTS_FORK
	    ? DTEVT_WHO
	    : 0;
}

struct procs *
calls_procs(struct calls *tr)
{
	return tr->ca_procs;
}

void
calls_limit(struct calls *tr, uint64_t n)
{
	tr->ca_limit = n;
}

void
calls_uncounted(struct calls *tr, uint32_t pbn)
{
	hash_get(&tr->ca_probes, &pbn, sizeof(pbn))->he_count = 1;
}

uint64_t
calls_shown(const struct calls *tr)
{
	return tr->ca_events[PATH_FILTER_YES];
}

uint64_t
calls_filtered(const struct calls *tr)
{
	return tr->ca_events[PATH_FILTER_NOT] +
	    tr->ca_events[PATH_FILTER_UNKNOWN] +
	    tr->ca_events[PATH_FILTER_UNREAD];
}

/* Each lost event leaves at most one other event of its call undecided. */
uint64_t
calls_unknown(const struct calls *tr, uint64_t lost)
{
	return tr->ca_events[PATH_FILTER_UNKNOWN] +
	    (tr->ca_orphans < lost ? tr->ca_orphans : lost);
}

void
calls_late(struct calls *tr, void (*late)(void *, const struct dt_event *),
    void *arg)
{
	tr->ca_late = late;
	tr->ca_latearg = arg;
}

/*
 * Probes
 */

static struct calls_probe *
calls_learn(struct calls *tr, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct calls_probe *tb;
	const struct probe *other;

	if ((tb = calloc(1, sizeof(*tb))) == NULL)
		err(1, "probes");
	tb->tb_pbn = pi->dtpi_pbn;
	tb->tb_probe = pr;
	tb->tb_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	tb->tb_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	tb->tb_follow = call_effects_find(pi);
	tb->tb_ends = call_effects_kind(tb->tb_follow);
	other = tb->tb_isentry || tb->tb_isreturn
	    ? name_cache_find(tr->ca_names, pi->dtpi_prov, pi->dtpi_func,
		  tb->tb_isentry ? "return" : "entry")
	    : NULL;
	tb->tb_ispaired = other != NULL;
	tb->tb_entry = tb->tb_isreturn ? other : pr;
	if (tb->tb_entry != NULL)
		call_paths_find(&tb->tb_shape, tb->tb_entry);
	tb->tb_isplain = tr->ca_consumer.cns_flags & CONSUMER_RAW &&
	    tr->ca_path == NULL && tb->tb_follow == NULL &&
	    tb->tb_shape.cph_nfds == 0 && tb->tb_shape.cph_npaths == 0;
	tb->tb_counts = !tb->tb_isentry || !tb->tb_ispaired || tr->ca_joins ||
	    tr->ca_opts->o_print.opi_nojoin;
	/* a thread is in one system call at a time */
	if ((pi->dtpi_flags & DTPI_CALL) == 0)
		tb->tb_kind = 1 +
		    (tb->tb_isreturn && other != NULL
			    ? other->pr_desc.pd_info.dtpi_pbn
			    : pi->dtpi_pbn);
	return tb;
}

/* Returns NULL for an unknown number. */
static const struct calls_probe *
calls_probe(struct calls *tr, uint32_t pbn)
{
	struct hash_entry *e = hash_get(&tr->ca_probes, &pbn, sizeof(pbn));
	struct calls_probe *tb = e->he_ptr;
	const struct probe *pr;

	if (tb == NULL && (pr = name_cache_probe(tr->ca_names, pbn)) != NULL) {
		e->he_ptr = tb = calls_learn(tr, pr);
		tb->tb_counts &= e->he_count == 0;
	}
	return tr->ca_last[pbn % CALLS_NLAST] = tb;
}

/*
 * Pending calls, from their entry to their return
 */

/*
 * Returns the parent's entry for a process that returns from fork: its record
 * names the parent; otherwise, there must be only one process in fork.
 */
static const struct dt_event *
calls_forking(struct calls *tr, const struct dt_event *ev)
{
	uint32_t ppid = ev->ev_who != NULL ? ev->ev_who->drw_ppid : 0;
	const struct dt_event *found = NULL;
	const struct calls_probe *of;
	struct table_call *pa = NULL;

	while ((pa = call_table_each(&tr->ca_pairs, ppid, pa)) != NULL) {
		of = pa->tc_arg;
		if (of->tb_ends != EFFECTS_FORK)
			continue;
		if (found != NULL && ppid == 0)
			return NULL;
		found = &pa->tc_ev;
	}
	return found;
}

/*
 * Applies the effects of a call that has returned.  If it passes --path,
 * resolves it for a consumer that prints it: arguments before the effects, the
 * result after them; and passes it on.  tb: the probe of cal_ev.
 */
static void
calls_pass(struct calls *tr, const struct calls_probe *tb, struct call *cl,
    const struct call_paths *shape, int passes)
{
	struct call_texts *cts = &tr->ca_texts;
	const struct consumer *cn = &tr->ca_consumer;
	int prints = passes && cn->cns_call != NULL &&
	    !(cn->cns_flags & CONSUMER_RAW);
	const struct dt_event *entry = cl->cal_entry, *ev = cl->cal_ev;

	if (prints)
		call_resolve_entry(cts, cl, tr->ca_procs);
	if (prints && cn->cns_flags & CONSUMER_PATHS)
		call_resolve_paths(cts, cl, tr->ca_procs, shape);
	if (cl->cal_second != NULL)
		ev = cl->cal_second;
	if (tb->tb_follow != NULL && ev->ev_ret != NULL) {
		if (tb->tb_ends == EFFECTS_FORK && entry == NULL &&
		    ev->ev_ret->drr_retval == 0) {
			cl->cal_flags |= CALL_CHILD;
			entry = calls_forking(tr, ev);
		}
		call_effects_do(tr->ca_procs, tb->tb_follow, entry, ev);
	}
	if (prints)
		call_resolve_return(cts, cl,
		    cn->cns_flags & CONSUMER_JOINS &&
			cl->cal_flags & CALL_APART);
	tr->ca_passed += passes && (cl->cal_flags & CALL_UNFINISHED) == 0 &&
	    tb->tb_counts;
	if (passes && cn->cns_call != NULL &&
	    cn->cns_call(cn->cns_arg, cl) == -1)
		tr->ca_failed = 1;
}

/* Prints an output line up to the entry of a call. */
static void
calls_pass_entry(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev, unsigned int flags)
{
	calls_pass(tr, tb,
	    &(struct call){ .cal_probe = tb->tb_probe,
		.cal_ev = ev,
		.cal_flags = flags },
	    &tb->tb_shape, 1);
}

static enum path_filter_verdict
calls_pending_verdict(const struct table_call *pa)
{
	return pa->tc_flags & CALLS_VERDICT;
}

/*
 * Applies the verdict for a call whose entry could not read its path;
 * PATH_FILTER_UNREAD: its return is missing.
 */
static void
calls_pending_decide(struct calls *tr, struct table_call *pa,
    enum path_filter_verdict verdict)
{
	const struct calls_probe *tb = pa->tc_arg;

	if (calls_pending_verdict(pa) != PATH_FILTER_UNREAD)
		return;
	/* the device filtered its return by path, or it was lost */
	if (verdict == PATH_FILTER_UNREAD) {
		tr->ca_orphans++;
		verdict = PATH_FILTER_NOT;
	}
	pa->tc_flags = (pa->tc_flags & ~CALLS_VERDICT) | verdict;
	tr->ca_events[verdict]++;
	if (verdict != PATH_FILTER_YES ||
	    pa->tc_flags & (CALLS_HELD | CALLS_CUT))
		return;
	if (tr->ca_late != NULL)
		tr->ca_late(tr->ca_latearg, &pa->tc_ev);
	calls_pass_entry(tr, tb, &pa->tc_ev, 0);
}

/* Prints a pending call that will not be joined. */
static void
calls_pending_show(struct calls *tr, struct table_call *pa, unsigned int flags)
{
	const struct calls_probe *tb = pa->tc_arg;

	calls_pending_decide(tr, pa, PATH_FILTER_UNREAD);
	if (calls_pending_verdict(pa) != PATH_FILTER_YES)
		return;
	if (pa->tc_flags & CALLS_HELD)
		calls_pass_entry(tr, tb, &pa->tc_ev, flags);
	else if (pa->tc_flags & CALLS_CUT && flags & CALL_NORETURN)
		calls_pass_entry(tr, tb, &pa->tc_ev, CALL_RESUMED | flags);
}

/* Ends a call that did not return. */
static void
calls_pending_drop(struct calls *tr, struct table_call *pa, unsigned int flags)
{
	calls_pending_show(tr, pa, flags);
	call_table_drop(&tr->ca_pairs, pa);
}

/* Ends the pending calls of a process (0: of all processes), except `but`. */
static void
calls_pending_drop_all(struct calls *tr, uint32_t pid,
    const struct table_call *but, unsigned int flags)
{
	struct table_call *pa, *next;

	pa = call_table_each(&tr->ca_pairs, pid, NULL);
	for (; pa != NULL; pa = next) {
		next = call_table_each(&tr->ca_pairs, pid, pa);
		if (pa != but)
			calls_pending_drop(tr, pa, flags);
	}
}

/* Prints calls that have been pending since before the given time. */
static void
calls_pending_age(struct calls *tr, uint64_t before)
{
	struct table_call *pa;

	while ((pa = TAILQ_FIRST(&tr->ca_pairs.ctb_young)) != NULL &&
	    pa->tc_ev.ev_rec->dr_time < before) {
		/* undecided calls wait for their return */
		if (calls_pending_verdict(pa) != PATH_FILTER_UNREAD) {
			calls_pending_show(tr, pa, CALL_UNFINISHED);
			if (pa->tc_flags & CALLS_HELD)
				pa->tc_flags ^= CALLS_HELD | CALLS_CUT;
		}
		call_table_age(&tr->ca_pairs, pa);
	}
}

/* Drops an old call, since most of them belong to killed threads. */
static void
calls_pending_evict(struct calls *tr)
{
	struct table_call *pa = TAILQ_FIRST(&tr->ca_pairs.ctb_old);

	if (pa == NULL)
		return;
	calls_pending_decide(tr, pa, PATH_FILTER_UNREAD);
	call_table_drop(&tr->ca_pairs, pa);
}

/*
 * Entries and returns
 */

/* Handles a call that does not return; it ends all threads of its process. */
static void
calls_entry_ends(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev, enum path_filter_verdict verdict)
{
	uint32_t pid = ev->ev_rec->dr_pid;

	tr->ca_events[verdict]++;
	if (verdict == PATH_FILTER_YES)
		calls_pass_entry(tr, tb, ev,
		    tr->ca_joins && tb->tb_ispaired ? CALL_NORETURN : 0);
	if (tb->tb_ends == EFFECTS_EXITALL && pid != 0) {
		calls_pending_drop_all(tr, pid, NULL, CALL_NORETURN);
		procs_exit(tr->ca_procs, pid);
	}
}

static enum path_filter_verdict
calls_entry(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	int holds = tr->ca_joins && tb->tb_ispaired &&
	    tb->tb_ends != EFFECTS_JUMP;
	const struct call_key key = { ev->ev_rec->dr_tid, tb->tb_kind };
	enum path_filter_verdict verdict = PATH_FILTER_YES;
	struct table_call *pa;

	pa = call_table_find(&tr->ca_pairs, key);
	if (pa != NULL)
		calls_pending_drop(tr, pa, 0); /* the return was lost */
	call_paths_touch(&tb->tb_shape, tr->ca_procs, ev);
	if (tr->ca_path != NULL)
		verdict = path_filter_call(tr->ca_path, tr->ca_procs,
		    &tb->tb_shape, ev, NULL);
	if (verdict == PATH_FILTER_UNREAD && !tb->tb_ispaired)
		verdict = PATH_FILTER_UNKNOWN;
	if (tb->tb_ends == EFFECTS_EXIT || tb->tb_ends == EFFECTS_EXITALL) {
		calls_entry_ends(tr, tb, ev, verdict);
		return verdict;
	}
	pa = NULL;
	if (holds || (tb->tb_ispaired && (tb->tb_follow || tr->ca_path))) {
		pa = call_table_put(&tr->ca_pairs, key, ev);
		if (pa == NULL) {
			calls_pending_evict(tr);
			pa = call_table_put(&tr->ca_pairs, key, ev);
		}
	}
	if (pa != NULL) {
		pa->tc_arg = tb;
		pa->tc_flags = verdict | (holds ? CALLS_HELD : 0);
	} else if (verdict == PATH_FILTER_UNREAD)
		verdict = PATH_FILTER_UNKNOWN;
	if (verdict != PATH_FILTER_UNREAD)
		tr->ca_events[verdict]++;
	if (verdict == PATH_FILTER_YES && (!holds || pa == NULL))
		calls_pass_entry(tr, tb, ev, 0);
	return verdict;
}

/*
 * Finds the execve(2) of a thread, which has the tid of the main thread at its
 * return.
 */
static struct table_call *
calls_find_exec(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	const struct calls_probe *of;
	uint32_t pid = ev->ev_rec->dr_pid;
	struct table_call *pa = NULL;

	if (pid == 0)
		return NULL;
	while ((pa = call_table_each(&tr->ca_pairs, pid, pa)) != NULL) {
		of = pa->tc_arg;
		if (of->tb_probe == tb->tb_entry)
			break;
	}
	/* all other threads have ended */
	calls_pending_drop_all(tr, pid, pa, CALL_NORETURN);
	return pa;
}

/*
 * Verdict on a return without an entry and without strings.  If the entry is
 * enabled, the device filtered it by its path, or it was lost. Otherwise the
 * call may have had a path that can no longer be read.
 */
static enum path_filter_verdict
calls_orphan(struct calls *tr, const struct calls_probe *tb)
{
	static const char *const unknown[] = { "close", "execve", "execveat" };
	const char *func = tb->tb_probe->pr_desc.pd_info.dtpi_func;
	size_t i;

	if (tb->tb_entry != NULL) {
		if (tb->tb_shape.cph_nfds + tb->tb_shape.cph_npaths > 0)
			tr->ca_orphans++;
		return PATH_FILTER_NOT;
	}
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (strcmp(func, unknown[i]) == 0)
			return PATH_FILTER_UNKNOWN;
	}
	return PATH_FILTER_NOT;
}

/* Returns the verdict on a return. pa: its entry, or NULL. */
static enum path_filter_verdict
calls_return_verdict(struct calls *tr, const struct calls_probe *tb,
    struct table_call *pa, const struct dt_event *ev)
{
	if (pa == NULL && ev->ev_strings == NULL)
		return calls_orphan(tr, tb);
	if (pa == NULL)
		return path_filter_return(tr->ca_path, ev);
	if (calls_pending_verdict(pa) == PATH_FILTER_UNREAD)
		calls_pending_decide(tr, pa,
		    path_filter_call(tr->ca_path, tr->ca_procs, &tb->tb_shape,
			&pa->tc_ev, ev));
	return calls_pending_verdict(pa);
}

static enum path_filter_verdict
calls_return(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	const struct call_key key = { ev->ev_rec->dr_tid, tb->tb_kind };
	enum path_filter_verdict verdict = PATH_FILTER_YES;
	struct call cl = {
		.cal_probe = tb->tb_probe,
		.cal_ev = ev,
		.cal_eprobe = tb->tb_entry,
	};
	const struct calls_probe *of;
	struct table_call *pa = NULL; /* the entry */

	if (tb->tb_entry != NULL && ev->ev_ret != NULL)
		pa = tb->tb_ends == EFFECTS_EXEC && ev->ev_ret->drr_error == 0
		    ? calls_find_exec(tr, tb, ev)
		    : call_table_find(&tr->ca_pairs, key);
	of = pa != NULL ? pa->tc_arg : NULL;
	if (of != NULL && of->tb_probe != tb->tb_entry) {
		calls_pending_drop(tr, pa, 0); /* a return and an entry were
					        * lost */
		pa = NULL;
	}
	if (pa != NULL)
		cl.cal_entry = &pa->tc_ev;
	if (tr->ca_path != NULL)
		verdict = calls_return_verdict(tr, tb, pa, ev);
	tr->ca_events[verdict]++;
	if (pa != NULL && pa->tc_flags & CALLS_CUT)
		cl.cal_flags = CALL_RESUMED;
	else if (pa != NULL && (pa->tc_flags & CALLS_HELD) == 0)
		cl.cal_flags = CALL_APART;
	calls_pass(tr, tb, &cl, &tb->tb_shape, verdict == PATH_FILTER_YES);
	if (pa != NULL)
		call_table_drop(&tr->ca_pairs, pa);
	return verdict;
}

static enum path_filter_verdict
calls_paired(struct calls *tr, const struct calls_probe *tb,
    const struct dt_event *ev)
{
	const struct calls_probe *first = calls_probe(tr, ev->ev_first);
	enum path_filter_verdict verdict = PATH_FILTER_YES;
	struct kernel_pair pd;

	if (first == NULL)
		return PATH_FILTER_NOT;
	kernel_pair_split(&pd, ev);
	call_paths_touch(&first->tb_shape, tr->ca_procs, &pd.kpr_first);
	if (tr->ca_path != NULL)
		verdict = path_filter_call(tr->ca_path, tr->ca_procs,
		    &first->tb_shape, &pd.kpr_first, &pd.kpr_second);
	tr->ca_events[verdict]++;
	calls_pass(tr, tb,
	    &(struct call){ .cal_probe = tb->tb_probe,
		.cal_ev = ev,
		.cal_eprobe = first->tb_probe,
		.cal_entry = &pd.kpr_first,
		.cal_second = &pd.kpr_second,
		.cal_flags = kernel_pair_iscall(first->tb_probe, tb->tb_probe)
		    ? CALL_PAIRED
		    : CALL_PAIRED | CALL_FROMTO },
	    &first->tb_shape, verdict == PATH_FILTER_YES);
	return verdict;
}

/*
 * Events
 */

int
calls_event(struct calls *tr, const struct dt_event *ev)
{
	uint32_t pbn = ev->ev_rec->dr_pbn;
	const struct calls_probe *tb = tr->ca_last[pbn % CALLS_NLAST];
	uint64_t now = ev->ev_rec->dr_time;
	enum path_filter_verdict verdict = PATH_FILTER_YES;
	const struct consumer *cn = &tr->ca_consumer;
	const struct table_call *oldest;
	struct call cl;

	if (tb == NULL || tb->tb_pbn != pbn)
		tb = calls_probe(tr, pbn);
	if (tb == NULL)
		return 0;
	if (tb->tb_isplain) {
		tr->ca_events[PATH_FILTER_YES]++;
		tr->ca_passed += tb->tb_counts;
		cl = (struct call){ .cal_probe = tb->tb_probe, .cal_ev = ev };
		return cn->cns_call(cn->cns_arg, &cl) == -1 ||
			tr->ca_passed >= tr->ca_limit
		    ? -1
		    : 1;
	}
	procs_event(tr->ca_procs, now);
	oldest = TAILQ_FIRST(&tr->ca_pairs.ctb_young);
	if (oldest != NULL && now > CALLS_LONG &&
	    oldest->tc_ev.ev_rec->dr_time < now - CALLS_LONG)
		calls_pending_age(tr, now - CALLS_LONG);
	if (ev->ev_duration != NULL)
		verdict = calls_paired(tr, tb, ev);
	else if (tb->tb_isentry)
		verdict = calls_entry(tr, tb, ev);
	else if (tb->tb_isreturn)
		verdict = calls_return(tr, tb, ev);
	else {
		if (tr->ca_path != NULL)
			verdict = PATH_FILTER_NOT; /* a tick has no path */
		tr->ca_events[verdict]++;
		if (verdict == PATH_FILTER_YES)
			calls_pass_entry(tr, tb, ev, 0);
	}
	if (tr->ca_failed || tr->ca_passed >= tr->ca_limit)
		return -1;
	return verdict == PATH_FILTER_YES;
}

uint64_t
calls_idle(struct calls *tr, uint64_t now)
{
	const struct table_call *pa;

	if (now > CALLS_LONG + CALLS_LATE)
		calls_pending_age(tr, now - CALLS_LONG - CALLS_LATE);
	pa = TAILQ_FIRST(&tr->ca_pairs.ctb_young);
	return pa != NULL && tr->ca_joins
	    ? pa->tc_ev.ev_rec->dr_time + CALLS_LONG + CALLS_LATE
	    : 0;
}

int
calls_end(struct calls *tr)
{
	calls_pending_drop_all(tr, 0, NULL, CALL_UNFINISHED);
	return tr->ca_failed ? -1 : 0;
}
