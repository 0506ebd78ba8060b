/* SPDX-License-Identifier: ISC */
/*
 * Attaches all places of user programs that a session has enabled: stores the
 * requests in entries of the programs' table, and attaches one program to all
 * places of a file at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/reason.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/dt/prov/dt_prov_uprobe.h"
#include "daemon/kernel/attach_user.h"
#include "daemon/kernel/load_error.h"
#include "daemon/perf/perf_event.h"
#include "daemon/procs/mapped_file.h"

/* A place with an enabled probe. */
struct user_want {
	const struct dt_pcb *uwn_pcb;
	struct user_probe *uwn_probe;
	const struct user_place *uwn_place;
	struct user_want *uwn_return; /* of an entry: in the same session */
	int uwn_isserved; /* a return that is an entry's uwn_return */
	uint16_t uwn_entry;
};

/* Places of one kind in a file share a link. */
enum want_kind {
	WANT_ENTRY,
	WANT_SESSION, /* entry and return */
	WANT_RETURN,
	WANT_RETS, /* RET instructions, which are entered */
	WANT_NKINDS
};

static const struct {
	unsigned int wk_prog;	 /* UPROBE_PROG() */
	enum attach_kind wk_how; /* to attach to the places */
} kinds[] = {
	[WANT_ENTRY] = { ATTACH_ENTRY, ATTACH_ENTRY },
	[WANT_SESSION] = { ATTACH_SESSION, ATTACH_SESSION },
	[WANT_RETURN] = { ATTACH_RETURN, ATTACH_RETURN },
	[WANT_RETS] = { ATTACH_RETURN, ATTACH_ENTRY },
};

static enum want_kind
want_kind(const struct user_want *wa)
{
	if (!wa->uwn_probe->usp_isreturn)
		return wa->uwn_return != NULL ? WANT_SESSION : WANT_ENTRY;
	return wa->uwn_probe->usp_isrets ? WANT_RETS : WANT_RETURN;
}

static int
want_cmp(const void *a, const void *b)
{
	const struct user_want *x = a, *y = b;
	const struct user_probe *p = x->uwn_probe, *q = y->uwn_probe;

	if (p->usp_file != q->usp_file)
		return p->usp_file->dfl_id < q->usp_file->dfl_id ? -1 : 1;
	if (x->uwn_place->upc_offset != y->uwn_place->upc_offset)
		return x->uwn_place->upc_offset < y->uwn_place->upc_offset ? -1
									   : 1;
	return p->usp_isreturn - q->usp_isreturn;
}

static int
want_isuser(const struct dt_pcb *dp)
{
	return dp->dp_dtp->dtp_prov->prov_rec == &user_probes_rec;
}

static int
want_issame(const struct user_want *x, const struct user_want *y)
{
	return x->uwn_probe->usp_file == y->uwn_probe->usp_file &&
	    x->uwn_place->upc_offset == y->uwn_place->upc_offset;
}

/* Returns whether two probes of a place are the entry and the return of a call. */
static int
want_iscall(const struct user_want *entry, const struct user_want *ret)
{
	return want_kind(entry) == WANT_ENTRY &&
	    want_kind(ret) == WANT_RETURN && !ret->uwn_isserved;
}

/* Joins entries with returns, if the kernel has sessions.  The list is sorted. */
static void
want_join(struct user_want *list, size_t n)
{
	size_t i, j;

	if (attach_user_session() == 0)
		return;
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n && want_issame(&list[i], &list[j]); j++)
			if (want_iscall(&list[i], &list[j])) {
				list[i].uwn_return = &list[j];
				list[j].uwn_isserved = 1;
				break;
			}
}

/* Returns all places of the session, *np of them. */
static struct user_want *
want_all(const struct dt_enabled *en, size_t *np)
{
	struct user_probe *up;
	const struct dt_pcb *dp;
	struct user_want *list;
	size_t i, n = 0;

	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext)
		if (want_isuser(dp))
			n += ((struct user_probe *)dp->dp_dtp)->usp_nplaces;
	if ((list = calloc(n + 1, sizeof(*list))) == NULL)
		return NULL;
	*np = n;
	n = 0;
	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext) {
		if (!want_isuser(dp))
			continue;
		up = (struct user_probe *)dp->dp_dtp;
		for (i = 0; i < up->usp_nplaces; i++)
			list[n++] = (struct user_want){ .uwn_pcb = dp,
				.uwn_probe = up,
				.uwn_place = &up->usp_places[i] };
	}
	qsort(list, n, sizeof(*list), want_cmp);
	want_join(list, n);
	return list;
}

/* Stores the request for a place in an entry; its return has one already. */
static int
want_prepare(struct kprobe_run *ks, struct user_want *wa)
{
	const struct user_probe *up = wa->uwn_probe;
	const struct user_place *upc = wa->uwn_place;
	struct dt_kprobe_entry kl;
	uint16_t row;
	int error;

	memset(&kl, 0, sizeof(kl));
	kl.kl_req = wa->uwn_pcb->dp_req;
	if (up->usp_isreturn)
		kl.kl_ret = up->usp_ret;
	else {
		kl.kl_nargs = up->usp_nargs;
		memcpy(kl.kl_arg, upc->upc_how, sizeof(kl.kl_arg));
		if (up->usp_nargs > DT_UPLACE_HARGS)
			kl.kl_req.rq_bits |= DT_REQ_LONG;
	}
	if (wa->uwn_return != NULL) {
		kl.kl_return = wa->uwn_return->uwn_entry;
		kl.kl_returnpbn = wa->uwn_return->uwn_pcb->dp_dtp->dtp_pbn -
		    wa->uwn_pcb->dp_dtp->dtp_pbn;
	}
	kprobe_run_texts(&kl, upc->upc_how, wa->uwn_pcb, up->usp_isreturn);
	if (upc->upc_isplaced) {
		if ((error = uprobe_places_get(ks, &upc->upc_args, &row)) != 0)
			return error;
		kl.kl_places = row;
	}
	return kprobe_run_entry(ks, &kl, &wa->uwn_entry);
}

/* Returns whether a function of dt_shared.h is true for all requests. */
static int
want_each(const struct dt_enabled *en, const struct user_want *list, size_t n,
    int (*fn)(const struct dt_sess *, const struct dt_req *))
{
	const struct dt_sess *o = &dt_maps.dtm_table
				       ->t_sess[en->den_client->dcl_slot];
	const struct dt_kprobe_entry *kl;
	size_t i;

	for (i = 0; i < n; i++) {
		kl = &uprobe_table.fut_table->ktb_entry[list[i].uwn_entry];
		if (kl->kl_places != 0 || !fn(o, &kl->kl_req))
			return 0;
	}
	return 1;
}

static enum uprobe_variant
want_variant(const struct dt_enabled *en, const struct user_want *list,
    size_t n)
{
	if (want_each(en, list, n, dt_isquick))
		return UPROBE_FAST;
	if (want_each(en, list, n, dt_isquick_count))
		return UPROBE_COUNT;
	return dt_tables_isneeded(en) ? UPROBE_TABLES : UPROBE_FULL;
}

/* Loads the program; without tables if the kernel refuses it with them. */
static int
attach_load(struct dt_enabled *en, unsigned int *prog, struct reason *rs)
{
	int error = uprobe_load_get(*prog);

	if (error != 0 && *prog >= UPROBE_PROG(UPROBE_TABLES, 0) &&
	    !en->den_hasreads) {
		*prog -= UPROBE_PROG(UPROBE_TABLES - UPROBE_FULL, 0);
		dt_tables_failed(en);
		error = uprobe_load_get(*prog);
	}
	if (error != 0)
		return reason_fail(rs, error,
		    "this kernel refuses the programs of uprobe: %s",
		    dt_refused(error));
	kprobe_run_uses(en->den_uprobes, *prog);
	return 0;
}

/* Sets why the kernel refuses a probe; the session cannot enable it again. */
static void
want_refuse(const struct user_want *wa, int error)
{
	struct user_probe *up = wa->uwn_probe;
	char where[48] = "there";

	if (up->usp_refused[0] != '\0')
		return;
	if (up->usp_nplaces > 1)
		snprintf(where, sizeof(where), "at one of its %zu places",
		    up->usp_nplaces);
	if (error == EINVAL)
		snprintf(up->usp_refused, sizeof(up->usp_refused),
		    "the kernel refuses a breakpoint %s, as if another tracer "
		    "had one with a different semaphore",
		    where);
	else
		snprintf(up->usp_refused, sizeof(up->usp_refused),
		    "the kernel cannot put a breakpoint %s", where);
}

/* Refuses a place, and its return. */
static void
place_refuse(const struct user_want *wa, int error)
{
	if (error == 0)
		return;
	want_refuse(wa, error);
	if (wa->uwn_return != NULL)
		want_refuse(wa->uwn_return, error);
}

/* Attaches a program to places of one file; refuses probes of the others. */
static int
attach_places(struct dt_enabled *en, unsigned int variant, enum want_kind kind,
    const struct user_want *const *list, size_t n, struct reason *rs)
{
	const struct user_probe *up = list[0]->uwn_probe;
	unsigned int prog = UPROBE_PROG(variant, kinds[kind].wk_prog);
	const struct attach_file afl = {
		.afl_fd = up->usp_file->dfl_file->mf_fd,
		.afl_isserved = up->usp_file->dfl_isserved
	};
	struct attach_place *places;
	size_t i;
	int error;

	if ((error = attach_load(en, &prog, rs)) != 0)
		return error;
	if ((places = calloc(n, sizeof(*places))) == NULL)
		return ENOMEM;
	for (i = 0; i < n; i++)
		places[i] = (struct attach_place){
			.ap_offset = list[i]->uwn_place->upc_offset,
			.ap_semaphore = list[i]->uwn_place->upc_semaphore,
			.ap_cookie = DT_KCOOKIE(en->den_client->dcl_slot,
			    en->den_uprobes->kpr_run, list[i]->uwn_entry,
			    list[i]->uwn_pcb->dp_dtp->dtp_pbn),
		};
	error = attach_user(&en->den_uprobes->kpr_links, uprobe_load_fd(prog),
	    kinds[kind].wk_how, &afl, places, n, &en->den_cancel);
	for (i = 0; i < n; i++)
		place_refuse(list[i], places[i].ap_refused);
	free(places);
	if (error != 0 && error != ECANCELED)
		reason_set(rs, "cannot attach to functions of %s: %s",
		    up->usp_file->dfl_name, perf_event_strerror(error));
	return error;
}

/*
 * EADDRNOTAVAIL: the kernel refuses some of the probes, and RECORD succeeds
 * without them.  EINVAL: it refuses all.
 */
static int
attach_result(const struct user_want *list, size_t n, struct reason *rs)
{
	const struct user_probe *up = NULL;
	size_t i, nrefused = 0;

	for (i = 0; i < n; i++)
		if (list[i].uwn_probe->usp_refused[0] != '\0') {
			up = list[i].uwn_probe;
			nrefused++;
		}
	if (nrefused == 0)
		return 0;
	return reason_fail(rs, nrefused == n ? EINVAL : EADDRNOTAVAIL,
	    "cannot attach %s:%s:%s: %s", up->usp_probe.dtp_prov->prov_name,
	    up->usp_func, up->usp_name, up->usp_refused);
}

/* Returns how many places belong to the first one's file. */
static size_t
want_group(const struct user_want *list, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (list[i].uwn_probe->usp_file != list->uwn_probe->usp_file)
			break;
	return i;
}

/* Attaches to places of one file: to all places of a kind at once. */
static int
attach_file(struct dt_enabled *en, unsigned int variant,
    const struct user_want *list, size_t n, struct reason *rs)
{
	const struct dt_file *df = list->uwn_probe->usp_file;
	const struct user_want **some;
	enum want_kind kind;
	size_t i, nsome;
	int error;

	if ((error = dt_file_check(df)) != 0)
		return reason_fail(rs, error,
		    "%s has changed since it was looked up", df->dfl_name);
	if ((some = calloc(n, sizeof(struct user_want *))) == NULL)
		return ENOMEM;
	for (kind = 0; kind < WANT_NKINDS && error == 0; kind++) {
		for (i = nsome = 0; i < n; i++)
			if (!list[i].uwn_isserved &&
			    want_kind(&list[i]) == kind)
				some[nsome++] = &list[i];
		if (nsome > 0)
			error = attach_places(en, variant, kind, some, nsome,
			    rs);
	}
	free(some);
	return error;
}

/*
 * Separates entries and returns again.  Fast programs have no sessions: to load
 * one, libbpf reads all types of the kernel, which takes longer than a second
 * fast program.
 */
static void
want_part(struct user_want *list, size_t n)
{
	for (; n > 0; n--, list++) {
		list->uwn_return = NULL;
		list->uwn_isserved = 0;
	}
}

static int
attach_all(struct dt_enabled *en, struct user_want *list, size_t n,
    struct reason *rs)
{
	unsigned int variant;
	size_t i, group;
	int error;

	if ((error = kprobe_run_begin(en, &uprobe_table, &en->den_uprobes)) !=
	    0)
		return error;
	for (i = n; i-- > 0;) /* returns follow their entries */
		if ((error = want_prepare(en->den_uprobes, &list[i])) != 0)
			return reason_fail(rs, error,
			    "cannot store the request for %s: %s",
			    list[i].uwn_probe->usp_func, strerror(error));
	variant = want_variant(en, list, n);
	if (variant < UPROBE_FULL)
		want_part(list, n);
	for (i = 0; i < n && error == 0; i += group) {
		group = want_group(&list[i], n - i);
		error = attach_file(en, variant, &list[i], group, rs);
	}
	return error != 0 ? error : attach_result(list, n, rs);
}

int
user_probes_check(struct dt_enabled *en, struct reason *rs)
{
	const struct dt_file *last = NULL;
	const struct user_probe *up;
	const struct dt_pcb *dp;
	int error;

	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext) {
		up = (const struct user_probe *)dp->dp_dtp;
		if (!want_isuser(dp) || up->usp_file == last)
			continue;
		last = up->usp_file;
		if ((error = dt_file_check(last)) == ESTALE)
			return reason_fail(rs, error,
			    "%s was changed or replaced while it was probed",
			    last->dfl_name);
	}
	return 0;
}

int
user_probes_attach(struct dt_enabled *en, struct reason *rs)
{
	struct user_want *list;
	size_t n;
	int error = 0;

	if (en->den_nusers == 0)
		return 0;
	if ((list = want_all(en, &n)) == NULL)
		return ENOMEM;
	if (n > 0)
		error = attach_all(en, list, n, rs);
	free(list);
	return error;
}
