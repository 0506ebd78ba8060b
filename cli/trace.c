/* SPDX-License-Identifier: ISC */
/*
 * The way of an event, as trace.h tells.
 *
 * An entry is kept until its return comes (pair.c) if lines are to be joined,
 * or if the return alone does not tell what the call has done.  It is let go
 * unjoined when the thread enters another call: then its return was lost.  A
 * call that goes on for TRACE_LONG is shown as it is, and what it returns
 * later has a line of its own.  That goes by the time of events; without
 * events, live, by the clock, a little later, so that a report cuts where the
 * recording did.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "pair.h"
#include "paired.h"
#include "shape.h"
#include "trace.h"
#include "within.h"

#define TRACE_LONG 250000000 /* ns: then a call is shown unfinished */
#define TRACE_LATE 50000000  /* ns: so late may events come */
#define TRACE_NPBN 4096	     /* probes below are found by index */

/* What is known of a probe; constant once made. */
struct trace_probe {
	const struct probe *tb_probe;
	const struct probe *tb_entry; /* this, or if enabled that of a return */
	const struct follow *tb_follow;
	struct shape tb_shape; /* of that; else empty */
	uint32_t tb_kind;      /* of pair_key */
	uint8_t tb_isentry;
	uint8_t tb_isreturn;
	uint8_t tb_ispaired; /* the other one is enabled, too */
	uint8_t tb_ends;     /* enum follow_kind */
	uint8_t tb_isplain; /* goes to a file as it is, nothing is to be done */
};

/* pa_flags: an enum within_verdict, and */
#define TRACE_VERDICT 0x03
#define TRACE_HELD    0x04 /* is to be joined: was not shown yet */
#define TRACE_CUT     0x08 /* was shown unfinished */

struct trace {
	const struct opts *tr_opts;
	struct names *tr_names;
	struct out *tr_out; /* NULL: nothing is printed */
	struct procs *tr_procs;
	int tr_joins;
	struct within tr_within; /* --path */
	uint64_t tr_shown, tr_filtered;
	int tr_failed; /* the output */
	struct pairs tr_pairs;
	struct follow_call tr_done; /* for procs_later() */
	struct trace_probe *tr_probes[TRACE_NPBN];
	struct map tr_others; /* pbn -> struct trace_probe */
};

/*
 * Before
 */

static void
trace_told(void *arg, uint32_t pid, int fd, const char *path)
{
	struct trace *tr = arg;

	if (out_file_path(tr->tr_out, pid, fd, path) == -1)
		tr->tr_failed = 1;
}

/* A file that begins anew has to have all that is known. */
static void
trace_again(void *arg)
{
	struct trace *tr = arg;

	procs_each(tr->tr_procs, trace_told, tr);
}

struct trace *
trace_open(const struct opts *opts, struct names *names, struct out *out)
{
	struct trace *tr;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		err(1, NULL);
	tr->tr_opts = opts;
	tr->tr_names = names;
	tr->tr_out = out;
	tr->tr_procs = procs_alloc();
	tr->tr_joins = out != NULL && out->out_format->f_joins &&
	    !opts->o_nojoin;
	if (opts->o_path != NULL)
		tr->tr_within = (struct within){ opts->o_path,
			strlen(opts->o_path), tr->tr_procs };
	if (out != NULL) {
		procs_watch(tr->tr_procs, trace_told, tr);
		out->out_again = trace_again;
		out->out_againarg = tr;
	}
	return tr;
}

void
trace_close(struct trace *tr)
{
	struct map_entry **list;
	size_t i;

	if (tr == NULL)
		return;
	if (tr->tr_out != NULL)
		tr->tr_out->out_again = NULL;
	list = map_sorted(&tr->tr_others);
	for (i = 0; i < tr->tr_others.mp_n; i++)
		free(list[i]->me_ptr);
	free(list);
	map_clear(&tr->tr_others);
	for (i = 0; i < TRACE_NPBN; i++)
		free(tr->tr_probes[i]);
	pair_free(&tr->tr_pairs);
	procs_free(tr->tr_procs);
	free(tr);
}

void
trace_live(struct trace *tr, const struct command *co)
{
	const struct dtioc_filter *fi = &tr->tr_opts->o_filter;

	/* of one thread, or of some calls, not all of its process come */
	procs_live(tr->tr_procs,
	    fi->dtfi_set & DTFI_TID || tr->tr_opts->o_isslower ||
		    tr->tr_opts->o_if != NULL
		? 0
		: follow_trust(tr->tr_names));
	if (fi->dtfi_set & DTFI_PID && fi->dtfi_pid != 0)
		procs_scan(tr->tr_procs, fi->dtfi_pid,
		    (fi->dtfi_set & DTFI_CHILDREN) != 0);
	if (co->co_pid > 0)
		procs_scan(tr->tr_procs, co->co_pid, 0);
}

/* Whose child it is: numbers of processes are all that a fork tells. */
uint64_t
trace_evtflags(void *arg, const struct dtioc_probe_info *pi)
{
	(void)arg;
	return follow_kind(follow_find(pi->dtpi_prov, pi->dtpi_func)) ==
		FOLLOW_FORK
	    ? DTEVT_WHO
	    : 0;
}

struct procs *
trace_procs(struct trace *tr)
{
	return tr->tr_procs;
}

uint64_t
trace_shown(const struct trace *tr)
{
	return tr->tr_shown;
}

uint64_t
trace_filtered(const struct trace *tr)
{
	return tr->tr_filtered;
}

/*
 * Probes
 */

static struct trace_probe *
trace_learn(struct trace *tr, const struct probe *pr)
{
	const struct dtioc_probe_info *pi = &pr->pr_desc.pd_info;
	struct trace_probe *tb;
	const struct probe *other;

	if ((tb = calloc(1, sizeof(*tb))) == NULL)
		err(1, "probes");
	tb->tb_probe = pr;
	tb->tb_isentry = strcmp(pi->dtpi_name, "entry") == 0;
	tb->tb_isreturn = strcmp(pi->dtpi_name, "return") == 0;
	tb->tb_follow = follow_find(pi->dtpi_prov, pi->dtpi_func);
	tb->tb_ends = follow_kind(tb->tb_follow);
	other = tb->tb_isentry || tb->tb_isreturn
	    ? names_find(tr->tr_names, pi->dtpi_prov, pi->dtpi_func,
		  tb->tb_isentry ? "return" : "entry")
	    : NULL;
	tb->tb_ispaired = other != NULL;
	tb->tb_entry = tb->tb_isreturn ? other : pr;
	if (tb->tb_entry != NULL)
		shape_find(&tb->tb_shape, tb->tb_entry);
	tb->tb_isplain = tr->tr_opts->o_file != NULL && !tr->tr_joins &&
	    tr->tr_within.wi_n == 0 && tb->tb_follow == NULL &&
	    tb->tb_shape.sh_nfds == 0 && tb->tb_shape.sh_npaths == 0;
	/* a thread is in one system call at a time */
	if (strncmp(pi->dtpi_prov, "syscall", 7) != 0)
		tb->tb_kind = 1 +
		    (tb->tb_isreturn && other != NULL
			    ? other->pr_desc.pd_info.dtpi_pbn
			    : pi->dtpi_pbn);
	return tb;
}

static const struct trace_probe *
trace_probe(struct trace *tr, uint32_t pbn)
{
	struct trace_probe **where;
	const struct probe *pr;
	struct map_entry *e;

	if (pbn < TRACE_NPBN)
		where = &tr->tr_probes[pbn];
	else {
		e = map_get(&tr->tr_others, &pbn, sizeof(pbn));
		where = (struct trace_probe **)&e->me_ptr;
	}
	if (*where == NULL && (pr = names_probe(tr->tr_names, pbn)) != NULL)
		*where = trace_learn(tr, pr);
	return *where;
}

/*
 * Lines
 */

static void
trace_count(struct trace *tr, enum within_verdict verdict)
{
	if (verdict == WITHIN_NOT)
		tr->tr_filtered++;
	else
		tr->tr_shown++;
}

static void
trace_line(struct trace *tr, const struct out_event *oe)
{
	if (tr->tr_out != NULL && out_event(tr->tr_out, oe) == -1)
		tr->tr_failed = 1;
}

/* A line that ends with the entry of a call. */
static void
trace_line_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev, unsigned int flags)
{
	trace_line(tr,
	    &(struct out_event){ .oe_probe = tb->tb_probe,
		.oe_ev = ev,
		.oe_flags = flags,
		.oe_procs = tr->tr_procs,
		.oe_shape = &tb->tb_shape });
}

/*
 * Calls under way
 */

static enum within_verdict
trace_verdict(const struct pair_call *pa)
{
	return pa->pa_flags & TRACE_VERDICT;
}

/* A call whose path could not be read, and now won't be. */
static void
trace_decide(struct trace *tr, struct pair_call *pa,
    enum within_verdict verdict)
{
	if (trace_verdict(pa) != WITHIN_UNREAD)
		return;
	if (verdict == WITHIN_UNREAD)
		verdict = WITHIN_NOT;
	pa->pa_flags = (pa->pa_flags & ~TRACE_VERDICT) | verdict;
	trace_count(tr, verdict);
}

/* Shows what there is of a call that won't be joined any more. */
static void
trace_show(struct trace *tr, struct pair_call *pa, unsigned int flags)
{
	const struct trace_probe *tb = pa->pa_arg;

	trace_decide(tr, pa, WITHIN_NOT);
	if (trace_verdict(pa) != WITHIN_YES)
		return;
	if (pa->pa_flags & TRACE_HELD)
		trace_line_entry(tr, tb, &pa->pa_ev, flags);
	else if (pa->pa_flags & TRACE_CUT && flags & OUT_NORETURN)
		trace_line_entry(tr, tb, &pa->pa_ev, OUT_RESUMED | flags);
}

/* Ends a call that did not return. */
static void
trace_drop(struct trace *tr, struct pair_call *pa, unsigned int flags)
{
	trace_show(tr, pa, flags);
	pair_drop(&tr->tr_pairs, pa);
}

/* Ends the calls of a process, or all with 0, but for one. */
static void
trace_drop_all(struct trace *tr, uint32_t pid, const struct pair_call *but,
    unsigned int flags)
{
	struct pair_call *pa, *next;

	pa = pair_each(&tr->tr_pairs, pid, NULL);
	for (; pa != NULL; pa = next) {
		next = pair_each(&tr->tr_pairs, pid, pa);
		if (pa != but)
			trace_drop(tr, pa, flags);
	}
}

/* Shows those that go on for long. */
static void
trace_age(struct trace *tr, uint64_t before)
{
	struct pair_call *pa;

	while ((pa = tr->tr_pairs.pp_young.pl_first) != NULL &&
	    pa->pa_ev.ev_rec->dr_time < before) {
		trace_show(tr, pa, OUT_UNFINISHED);
		if (pa->pa_flags & TRACE_HELD)
			pa->pa_flags ^= TRACE_HELD | TRACE_CUT;
		pair_age(&tr->tr_pairs, pa);
	}
}

static struct pair_key
trace_key(const struct trace_probe *tb, uint32_t tid)
{
	return (struct pair_key){ .pk_tid = tid, .pk_kind = tb->tb_kind };
}

/* Copies an entry.  When there are too many calls, one that went on for
 * long is forgotten: mostly its thread has been killed. */
static struct pair_call *
trace_keep(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	struct pair_key key = trace_key(tb, ev->ev_rec->dr_tid);
	struct pair_call *pa = pair_put(&tr->tr_pairs, key, ev);

	if (pa == NULL && tr->tr_pairs.pp_old.pl_first != NULL) {
		pair_drop(&tr->tr_pairs, tr->tr_pairs.pp_old.pl_first);
		pa = pair_put(&tr->tr_pairs, key, ev);
	}
	return pa;
}

/*
 * Entries
 */

/* A call that does not return; all threads of a process end with it. */
static void
trace_entry_ends(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev, enum within_verdict verdict)
{
	uint32_t pid = ev->ev_rec->dr_pid;

	trace_count(tr, verdict);
	if (verdict == WITHIN_YES)
		trace_line_entry(tr, tb, ev,
		    tr->tr_joins && tb->tb_ispaired ? OUT_NORETURN : 0);
	if (tb->tb_ends == FOLLOW_EXITALL && pid != 0) {
		trace_drop_all(tr, pid, NULL, OUT_NORETURN);
		procs_exit(tr->tr_procs, pid);
	}
}

static enum within_verdict
trace_entry(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	int holds = tr->tr_joins && tb->tb_ispaired &&
	    tb->tb_ends != FOLLOW_JUMP;
	enum within_verdict verdict;
	struct pair_call *pa;

	pa = pair_find(&tr->tr_pairs, trace_key(tb, ev->ev_rec->dr_tid));
	if (pa != NULL)
		trace_drop(tr, pa, 0); /* its return was lost */
	shape_touch(&tb->tb_shape, tr->tr_procs, ev);
	verdict = within_call(&tr->tr_within, &tb->tb_shape, ev, NULL);
	if (verdict == WITHIN_UNREAD && !holds)
		verdict = WITHIN_NOT;
	if (tb->tb_ends == FOLLOW_EXIT || tb->tb_ends == FOLLOW_EXITALL) {
		trace_entry_ends(tr, tb, ev, verdict);
		return verdict;
	}
	pa = NULL;
	if (holds || (tb->tb_ispaired && (tb->tb_follow || tr->tr_within.wi_n)))
		pa = trace_keep(tr, tb, ev);
	if (pa != NULL) {
		pa->pa_arg = tb;
		pa->pa_flags = verdict | (holds ? TRACE_HELD : 0);
	} else if (verdict == WITHIN_UNREAD)
		verdict = WITHIN_NOT;
	if (verdict != WITHIN_UNREAD)
		trace_count(tr, verdict);
	if (verdict == WITHIN_YES && (!holds || pa == NULL))
		trace_line_entry(tr, tb, ev, 0);
	return verdict;
}

/*
 * Returns
 */

/* A thread that executes a program has the number of the first one then. */
static struct pair_call *
trace_find_exec(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	const struct trace_probe *of;
	uint32_t pid = ev->ev_rec->dr_pid;
	struct pair_call *pa = NULL;

	if (ev->ev_ret->drr_error != 0 || pid == 0)
		return NULL;
	while ((pa = pair_each(&tr->tr_pairs, pid, pa)) != NULL) {
		of = pa->pa_arg;
		if (of->tb_probe == tb->tb_entry)
			break;
	}
	/* all the others have ended */
	trace_drop_all(tr, pid, pa, OUT_NORETURN);
	return pa;
}

/* The entry of this return, or NULL. */
static struct pair_call *
trace_find(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	const struct trace_probe *of;
	struct pair_call *pa;

	if (tb->tb_entry == NULL || ev->ev_ret == NULL)
		return NULL;
	pa = pair_find(&tr->tr_pairs, trace_key(tb, ev->ev_rec->dr_tid));
	if (tb->tb_ends == FOLLOW_EXEC && ev->ev_ret->drr_error == 0)
		return trace_find_exec(tr, tb, ev);
	if (pa == NULL)
		return NULL;
	of = pa->pa_arg;
	if (of->tb_probe == tb->tb_entry)
		return pa;
	trace_drop(tr, pa, 0); /* its return was lost, and our entry, too */
	return NULL;
}

/* The entry of the parent of a process that has returned from fork: its record
 * names the parent; if it does not, there may be only one that forks. */
static const struct dt_event *
trace_forking(struct trace *tr, const struct dt_event *ev)
{
	uint32_t ppid = ev->ev_who != NULL ? ev->ev_who->drw_ppid : 0;
	const struct dt_event *found = NULL;
	const struct trace_probe *of;
	struct pair_call *pa = NULL;

	while ((pa = pair_each(&tr->tr_pairs, ppid, pa)) != NULL) {
		of = pa->pa_arg;
		if (of->tb_ends != FOLLOW_FORK)
			continue;
		if (found != NULL && ppid == 0)
			return NULL;
		found = &pa->pa_ev;
	}
	return found;
}

static void
trace_settle(struct procs *pr, void *arg)
{
	follow_do(pr, arg);
}

/* What the call has done is done between its arguments and its result, by
 * the format: a recording tells nothing of what comes before its event. */
static void
trace_follow(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *entry, const struct dt_event *ev)
{
	struct follow_call *fc = &tr->tr_done;

	if (tb->tb_follow == NULL || ev->ev_ret == NULL)
		return;
	fc->fc_follow = tb->tb_follow;
	fc->fc_entry = entry;
	fc->fc_ret = ev;
	if (tb->tb_ends == FOLLOW_FORK && ev->ev_ret->drr_retval == 0 &&
	    entry == NULL)
		fc->fc_entry = trace_forking(tr, ev);
	procs_later(tr->tr_procs, trace_settle, fc);
	if (tr->tr_out != NULL && tr->tr_out->out_format->f_file != NULL)
		procs_settle(tr->tr_procs);
}

static void
trace_line_return(struct trace *tr, const struct trace_probe *tb,
    const struct pair_call *pa, const struct dt_event *ev)
{
	struct out_event oe = {
		.oe_probe = tb->tb_probe,
		.oe_ev = ev,
		.oe_eprobe = tb->tb_entry,
		.oe_procs = tr->tr_procs,
		.oe_shape = &tb->tb_shape,
	};

	if (pa != NULL) {
		oe.oe_entry = &pa->pa_ev;
		if (pa->pa_flags & TRACE_CUT)
			oe.oe_flags = OUT_RESUMED;
		else if ((pa->pa_flags & TRACE_HELD) == 0)
			oe.oe_flags = OUT_APART;
	}
	trace_line(tr, &oe);
}

static enum within_verdict
trace_return(struct trace *tr, const struct trace_probe *tb,
    const struct dt_event *ev)
{
	struct pair_call *pa = trace_find(tr, tb, ev);
	enum within_verdict verdict;

	if (pa == NULL)
		verdict = within_return(&tr->tr_within, ev);
	else {
		if (trace_verdict(pa) == WITHIN_UNREAD)
			trace_decide(tr, pa,
			    within_call(&tr->tr_within, &tb->tb_shape,
				&pa->pa_ev, ev));
		verdict = trace_verdict(pa);
	}
	trace_count(tr, verdict);
	trace_follow(tr, tb, pa != NULL ? &pa->pa_ev : NULL, ev);
	if (verdict == WITHIN_YES)
		trace_line_return(tr, tb, pa, ev);
	procs_settle(tr->tr_procs);
	if (pa != NULL)
		pair_drop(&tr->tr_pairs, pa);
	return verdict;
}

/*
 * Pairs that the kernel has joined
 */

static enum within_verdict
trace_paired(struct trace *tr, const struct trace_probe *tb,
    const struct paired *pd, const struct dt_event *ev)
{
	const struct trace_probe *first = trace_probe(tr, ev->ev_first);
	enum within_verdict verdict;

	if (first == NULL)
		return WITHIN_NOT;
	shape_touch(&first->tb_shape, tr->tr_procs, &pd->pd_first);
	verdict = within_call(&tr->tr_within, &first->tb_shape, &pd->pd_first,
	    &pd->pd_second);
	if (verdict == WITHIN_UNREAD)
		verdict = WITHIN_NOT;
	trace_count(tr, verdict);
	trace_follow(tr, tb, &pd->pd_first, &pd->pd_second);
	if (verdict == WITHIN_YES)
		trace_line(tr,
		    &(struct out_event){ .oe_probe = tb->tb_probe,
			.oe_ev = ev,
			.oe_eprobe = first->tb_probe,
			.oe_entry = &pd->pd_first,
			.oe_second = &pd->pd_second,
			.oe_flags = OUT_PAIRED,
			.oe_procs = tr->tr_procs,
			.oe_shape = &first->tb_shape });
	procs_settle(tr->tr_procs);
	return verdict;
}

int
trace_event(struct trace *tr, const struct dt_event *ev)
{
	const struct trace_probe *tb = trace_probe(tr, ev->ev_rec->dr_pbn);
	uint64_t now = ev->ev_rec->dr_time;
	enum within_verdict verdict = WITHIN_YES;
	struct paired pd;

	if (tb == NULL)
		return 0;
	if (tb->tb_isplain) {
		tr->tr_shown++;
		return out_event(tr->tr_out,
			   &(struct out_event){ .oe_probe = tb->tb_probe,
			       .oe_ev = ev }) == -1
		    ? -1
		    : 1;
	}
	procs_event(tr->tr_procs, now);
	if (now > TRACE_LONG)
		trace_age(tr, now - TRACE_LONG);
	if (paired_split(&pd, ev))
		verdict = trace_paired(tr, tb, &pd, ev);
	else if (tb->tb_isentry)
		verdict = trace_entry(tr, tb, ev);
	else if (tb->tb_isreturn)
		verdict = trace_return(tr, tb, ev);
	else {
		if (tr->tr_within.wi_n != 0)
			verdict = WITHIN_NOT; /* a tick has no path */
		trace_count(tr, verdict);
		if (verdict == WITHIN_YES)
			trace_line_entry(tr, tb, ev, 0);
	}
	if (tr->tr_failed)
		return -1;
	return verdict != WITHIN_NOT;
}

uint64_t
trace_idle(struct trace *tr, uint64_t now)
{
	const struct pair_call *pa;

	if (now > TRACE_LONG + TRACE_LATE)
		trace_age(tr, now - TRACE_LONG - TRACE_LATE);
	pa = tr->tr_pairs.pp_young.pl_first;
	return pa != NULL && tr->tr_joins
	    ? pa->pa_ev.ev_rec->dr_time + TRACE_LONG + TRACE_LATE
	    : 0;
}

int
trace_end(struct trace *tr)
{
	trace_drop_all(tr, 0, NULL, OUT_UNFINISHED);
	return tr->tr_failed ? -1 : 0;
}
