/* SPDX-License-Identifier: ISC */
/*
 * Follows a process and its descendants, with the programs of
 * bpf/dt_follow.bpf.c. The hooks of fork and exit are attached while such a
 * session exists. At start it first adds future children, then existing
 * processes, by passes over all tasks. Workers only.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/dt_shared.h"

#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_follow.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_pidns.h"
#include "daemon/kernel/btf.h"
#include "daemon/kernel/load_error.h"
#include "daemon/kernel/task_iter.h"
#include "dt_follow.skel.h"

/*
 * Limit of passes. A pass adds children of processes already added; this
 * suffices for at least so deep a tree, as parents mostly precede their
 * children.
 */
#define FOLLOW_MAXPASS 1000

static pthread_mutex_t follow_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct dt_follow_bpf *follow_skel; /* by follow_mtx; stays loaded */
/* By follow_mtx: slots whose marks could not be removed. */
static char follow_left[DT_MAXSESS];

/* By follow_mtx. */
static int
follow_load(struct reason *rs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct dt_follow_bpf *skel;
	int error;

	if (follow_skel != NULL)
		return 0;
	if ((skel = dt_follow_bpf__open_opts(&opts)) == NULL)
		return errno;
	skel->rodata->dt_ncpu = dt_ncpu;
	if ((error = dt_maps_share(skel->obj, DT_TALLY_SYSCALL)) != 0 ||
	    (error = -dt_follow_bpf__load(skel)) != 0) {
		reason_set(rs,
		    "this kernel refuses the programs that follow "
		    "processes: %s",
		    dt_refused(error));
		dt_follow_bpf__destroy(skel);
		return error;
	}
	if ((error = dt_maps_seen(skel->bss, rs)) != 0) {
		dt_follow_bpf__destroy(skel);
		return error;
	}
	dt_hook_set_prog(DT_HOOK_FORK,
	    bpf_program__fd(skel->progs.dt_follow_fork));
	dt_hook_set_prog(DT_HOOK_EXEC,
	    bpf_program__fd(skel->progs.dt_follow_exec));
	dt_hook_set_prog(DT_HOOK_FREE,
	    bpf_program__fd(skel->progs.dt_follow_free));
	follow_skel = skel;
	return 0;
}

/* Sets or clears the session's bit in a mask of the table. */
static void
follow_mark(const struct dt_client *dcl, __u64 *mask, int on)
{
	uint64_t bit = 1ULL << (dcl->dcl_slot % 64);

	if (on)
		__atomic_or_fetch(&mask[dcl->dcl_slot / 64], bit,
		    __ATOMIC_SEQ_CST);
	else
		__atomic_and_fetch(&mask[dcl->dcl_slot / 64], ~bit,
		    __ATOMIC_SEQ_CST);
}

/* By follow_mtx: adds the process of the filter and all its descendants. */
static int
follow_enter(struct dt_enabled *en, const struct dt_pidns *dpn)
{
	const struct dtioc_filter *fi = &en->den_settings->dst_filter;
	struct dt_followquery *fq = &follow_skel->bss->dt_followquery;
	int error, i;

	*fq = (struct dt_followquery){ .fq_slot = en->den_client->dcl_slot,
		.fq_pid = fi->dtfi_pid,
		.fq_level = dpn->dpn_level,
		.fq_inum = dpn->dpn_inum,
		.fq_onexec = (fi->dtfi_set & DTFI_ONEXEC) != 0 };
	for (i = 0; i < FOLLOW_MAXPASS; i++) {
		fq->fq_nadded = fq->fq_nlost = 0;
		error = task_iter_run(follow_skel->progs.dt_follow_enter, NULL,
		    NULL);
		if (error != 0)
			return error;
		if (fq->fq_nadded == 0)
			break;
	}
	en->den_counted->dcn_unfollowed += fq->fq_nlost;
	return 0;
}

/*
 * With no follower left, removes all entries: a stale one could match a later
 * process at the same address.
 */
static int
follow_clear(void)
{
	uint64_t key;

	while (bpf_map_get_next_key(dt_maps.dtm_followed, NULL, &key) == 0)
		if (bpf_map_delete_elem(dt_maps.dtm_followed, &key) != 0)
			return errno;
	if (errno != ENOENT) /* there is no entry */
		return errno;
	memset(follow_left, 0, sizeof(follow_left));
	return 0;
}

/* By follow_mtx: removes the session's marks from all processes. */
static int
follow_unmark(const struct dt_client *dcl)
{
	const struct dt_table *t = dt_maps.dtm_table;
	int error;

	if ((t->t_follow[0] | t->t_follow[1]) == 0)
		error = follow_clear();
	else {
		follow_skel->bss->dt_followquery.fq_slot = dcl->dcl_slot;
		error = task_iter_run(follow_skel->progs.dt_follow_leave, NULL,
		    NULL);
	}
	follow_left[dcl->dcl_slot] = error != 0;
	return error;
}

int
dt_follow_isneeded(const struct dt_settings *ds)
{
	return (ds->dst_filter.dtfi_set & (DTFI_CHILDREN | DTFI_ONEXEC)) != 0;
}

int
dt_follow_load(struct reason *rs)
{
	int error;

	pthread_mutex_lock(&follow_mtx);
	error = follow_load(rs);
	pthread_mutex_unlock(&follow_mtx);
	return error;
}

int
dt_follow_start(struct dt_enabled *en, const struct dt_pidns *dpn,
    struct reason *rs)
{
	const struct dt_client *dcl = en->den_client;
	struct dt_table *t = dt_maps.dtm_table;
	uint32_t set = en->den_settings->dst_filter.dtfi_set;
	int error;

	if (!dt_follow_isneeded(en->den_settings))
		return 0;
	pthread_mutex_lock(&follow_mtx);
	/* Exits are detected before the first process is added. */
	if ((error = follow_load(rs)) == 0 &&
	    (!follow_left[dcl->dcl_slot] ||
		(error = follow_unmark(dcl)) == 0) &&
	    (error = dt_hook_get(&en->den_hooks, DT_HOOK_FREE)) == 0 &&
	    (error = dt_hook_get(&en->den_hooks, DT_HOOK_FORK)) == 0 &&
	    (!(set & DTFI_ONEXEC) ||
		(error = dt_hook_get(&en->den_hooks, DT_HOOK_EXEC)) == 0)) {
		en->den_following = 1;
		follow_mark(dcl, t->t_follow, 1);
		follow_mark(dcl, t->t_forking, (set & DTFI_CHILDREN) != 0);
		follow_mark(dcl, t->t_awaiting, (set & DTFI_ONEXEC) != 0);
		error = follow_enter(en, dpn);
	}
	pthread_mutex_unlock(&follow_mtx);
	if (error != 0 && rs->rsn_text[0] == '\0')
		reason_set(rs, "cannot follow processes: %s", strerror(error));
	return error;
}

void
dt_follow_halt(struct dt_enabled *en)
{
	const struct dt_client *dcl = en->den_client;
	struct dt_table *t = dt_maps.dtm_table;

	if (!en->den_following)
		return;
	follow_mark(dcl, t->t_forking, 0);
	follow_mark(dcl, t->t_awaiting, 0);
}

void
dt_follow_stop(struct dt_enabled *en)
{
	const struct dt_client *dcl = en->den_client;
	struct dt_table *t = dt_maps.dtm_table;
	int error;

	if (!en->den_following)
		return;
	pthread_mutex_lock(&follow_mtx);
	en->den_following = 0;
	follow_mark(dcl, t->t_follow, 0);
	if ((error = follow_unmark(dcl)) != 0)
		log_warnx("session %u: the processes that it followed stay "
			  "marked until the slot is used again: %s",
		    dcl->dcl_slot, strerror(error));
	pthread_mutex_unlock(&follow_mtx);
}
