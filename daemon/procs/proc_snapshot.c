/* SPDX-License-Identifier: ISC */
/*
 * Reads the mappings of all processes in passes over /proc.
 *
 * A process with more than SNAP_SMALL of text, or one that cannot be read
 * within SNAP_MSECS, is read after all others, so that these need not wait.
 * Passes are repeated, since a child may appear after the pass and its parent
 * exit before.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_proc.h"
#include "daemon/inspect/root_dir.h"
#include "daemon/procs/file_opener.h"
#include "daemon/procs/proc_maps.h"
#include "daemon/procs/proc_snapshot.h"
#include "daemon/procs/proc_status.h"
#include "daemon/procs/proc_table.h"
#include "daemon/procs/proc_watch_impl.h"

#define SNAP_SMALL  (1 << 20) /* bytes of text */
#define SNAP_PASSES 3
#define SNAP_MSECS  300	 /* for a process, at first */
#define SNAP_LATER  1000 /* when the others are known */

/* A process that was read. */
struct snapped {
	size_t sd_first, sd_n; /* of sn_mappings */
	struct inspect_proc_piece sd_look;
};

/* A pass. */
struct snap {
	struct mapping *sn_mappings;   /* of all processes read so far */
	size_t sn_n, sn_max, sn_first; /* first one of the current process */
	struct snapped sn_procs[INSPECT_PROC_PIDS];
	size_t sn_nprocs;
	uint32_t *sn_left; /* processes to be read later */
	size_t sn_nleft;
	uint64_t sn_since;
	const atomic_int *sn_stop; /* set to stop the pass; or NULL */
	/* the request, and the progress of the reply */
	struct inspect_proc_request sn_request;
	size_t sn_ndone;
	int sn_error; /* of the last process that was done */
	int sn_rootfd;
};

static void
snap_free(struct snap *sn)
{
	free(sn->sn_mappings);
	free(sn->sn_left);
}

static int
snap_isstopped(const struct snap *sn)
{
	return sn->sn_stop != NULL && atomic_load(sn->sn_stop);
}

static void
snap_file(struct mapped_file *mf, const struct inspect_proc_piece *lk,
    const struct sideband_event *se)
{
	struct sighting ss = { .sg_pid = lk->lk_pid,
		.sg_uid = lk->lk_uid,
		.sg_start = se->se_start,
		.sg_end = se->se_end };

	if (mf->mf_kind == MAPPED_FILE_ANON)
		return;
	while (!file_opener_add(mf, &ss))
		file_opener_room();
}

static void
snap_mapping(struct snap *sn, const struct inspect_proc_piece *lk,
    const struct sideband_event *se)
{
	struct mapping *mappings, *mg;
	size_t max = sn->sn_max ? sn->sn_max * 2 : 64;
	int isnew;

	if (sn->sn_n - sn->sn_first == ADDR_SPACE_MAPS)
		return;
	if (sn->sn_n == sn->sn_max) {
		mappings = realloc(sn->sn_mappings, max * sizeof(*mappings));
		if (mappings == NULL)
			return;
		sn->sn_mappings = mappings;
		sn->sn_max = max;
	}
	mg = &sn->sn_mappings[sn->sn_n];
	*mg = (struct mapping){ se->se_start, se->se_end, se->se_off, 0, NULL };
	mg->mg_file = mapped_file_map(&se->se_id, se->se_end >> 32 == 0,
	    &isnew);
	if (mg->mg_file == NULL)
		return;
	sn->sn_n++;
	if (isnew)
		snap_file(mg->mg_file, lk, se);
}

/* Removes the mappings after the first n, since they are incomplete. */
static void
snap_forget(struct snap *sn, size_t n)
{
	while (sn->sn_n > n)
		mapped_file_unmap(sn->sn_mappings[--sn->sn_n].mg_file);
}

static void
snap_leave(struct snap *sn, uint32_t pid)
{
	uint32_t *left;

	if (sn->sn_nleft % 16 == 0) {
		left = realloc(sn->sn_left,
		    (sn->sn_nleft + 16) * sizeof(*left));
		if (left == NULL)
			return;
		sn->sn_left = left;
	}
	sn->sn_left[sn->sn_nleft++] = pid;
}

static void
snap_lines(struct snap *sn, const struct inspect_proc_piece *lk,
    const char *text, size_t nbytes)
{
	struct sideband_event se;
	size_t pos, len;

	for (pos = 0;
	     (len = proc_maps_line(text + pos, nbytes - pos, &se)) != 0;
	     pos += len)
		if (se.se_type == SIDEBAND_MMAP)
			snap_mapping(sn, lk, &se);
}

/*
 * Handles a piece of the reply.  A reply is incomplete if another inspector had
 * to start again.
 */
static void
snap_piece(void *arg, const struct inspect_proc_piece *lk, const char *text,
    size_t len)
{
	struct snap *sn = arg;
	size_t i = sn->sn_ndone;

	while (i < sn->sn_request.lq_npids &&
	    sn->sn_request.lq_pids[i] != lk->lk_pid)
		i++; /* it has ended */
	if (i == sn->sn_request.lq_npids)
		return;
	sn->sn_ndone = i;
	if (lk->lk_error == 0)
		snap_lines(sn, lk, text, len);
	if (!lk->lk_islast)
		return;
	sn->sn_ndone++;
	sn->sn_error = lk->lk_error;
	if (lk->lk_error == EFBIG || lk->lk_error == EBUSY)
		snap_leave(sn, lk->lk_pid);
	if (lk->lk_error != 0)
		snap_forget(sn, sn->sn_first);
	else
		sn->sn_procs[sn->sn_nprocs++] = (struct snapped){
			.sd_first = sn->sn_first,
			.sd_n = sn->sn_n - sn->sn_first,
			.sd_look = *lk,
		};
	sn->sn_first = sn->sn_n;
}

/*
 * Adds a process that was read to the table.  An unknown root is inspected
 * later.  Under the lock.
 */
static void
snap_enter(struct snap *sn, const struct snapped *sd)
{
	const struct inspect_proc_piece *lk = &sd->sd_look;
	struct sighting ss = { .sg_pid = lk->lk_pid, .sg_uid = lk->lk_uid };
	struct root_dir *root;
	struct process *ps;

	ps = proc_table_snapshot(lk->lk_pid, sn->sn_mappings + sd->sd_first,
	    sd->sd_n, lk->lk_begun, lk->lk_done, sn->sn_since);
	if (ps == NULL || ps->ps_isinspected)
		return;
	root = root_dir_enter(&lk->lk_root, sn->sn_rootfd);
	sn->sn_rootfd = -1;
	if (root != NULL)
		proc_status_enter(ps, lk, root);
	else
		(void)file_opener_add(NULL, &ss);
}

/*
 * Enters the processes that were read into the table.  Applies the side-band's
 * records up to then first: a mapping that is in none of them is older.
 */
static void
snap_flush(struct snap *sn)
{
	size_t i, n = sn->sn_nprocs;

	if (n > 0)
		(void)proc_watch_sync(sn->sn_procs[n - 1].sd_look.lk_done);
	for (i = 0; i < n; i++) {
		proc_table_lock();
		if (snap_isstopped(sn)) /* another thread clears the table */
			snap_forget(sn, sn->sn_procs[i].sd_first);
		else
			snap_enter(sn, &sn->sn_procs[i]);
		proc_table_unlock();
	}
	sn->sn_n = sn->sn_first = sn->sn_nprocs = 0;
}

/*
 * Requests the processes of the list.  Afterwards, sn_ndone of them are done,
 * and *nread of these were read.
 */
static int
snap_request(struct snap *sn, uint64_t maxtext, unsigned int msecs,
    unsigned int *nread)
{
	int error;

	sn->sn_request.lq_maxtext = maxtext;
	sn->sn_ndone = 0;
	sn->sn_error = 0;
	sn->sn_rootfd = -1;
	error = inspect_proc_request(&sn->sn_request, msecs, &sn->sn_rootfd,
	    snap_piece, sn);
	*nread += sn->sn_nprocs;
	snap_forget(sn, sn->sn_first);
	snap_flush(sn);
	if (sn->sn_rootfd != -1)
		close(sn->sn_rootfd);
	return error;
}

/*
 * Keeps the unfinished processes in the list, except for one that an inspector
 * is stuck on, which is read later.
 */
static void
snap_rest(struct snap *sn)
{
	struct inspect_proc_request *lq = &sn->sn_request;
	size_t i, n = 0, left = sn->sn_nleft;

	for (i = sn->sn_ndone; i < lq->lq_npids; i++)
		if (inspect_isstuck(lq->lq_pids[i]))
			snap_leave(sn, lq->lq_pids[i]);
		else
			lq->lq_pids[n++] = lq->lq_pids[i];
	if (n > 0 && sn->sn_nleft == left) /* the inspector has just replied */
		snap_leave(sn, lq->lq_pids[--n]);
	lq->lq_npids = n;
}

/* Reads the processes of the list, except for those that are read later. */
static unsigned int
snap_batch(struct snap *sn)
{
	struct inspect_proc_request *lq = &sn->sn_request;
	unsigned int nread = 0;
	int error;

	while (lq->lq_npids > 0 && !snap_isstopped(sn)) {
		error = snap_request(sn, SNAP_SMALL, SNAP_MSECS, &nread);
		if (error != ETIMEDOUT && error != EBUSY)
			break;
		snap_rest(sn);
	}
	lq->lq_npids = 0;
	return nread;
}

static int
snap_one(struct snap *sn, uint32_t pid)
{
	unsigned int nread = 0;
	int error;

	sn->sn_request.lq_npids = 1;
	sn->sn_request.lq_pids[0] = pid;
	error = snap_request(sn, SIZE_MAX, SNAP_LATER, &nread);
	sn->sn_request.lq_npids = 0;
	if (error == 0)
		error = sn->sn_ndone == 1 ? sn->sn_error : ESRCH;
	return error;
}

static int
snap_isdue(const struct snap *sn, uint32_t pid)
{
	struct process *ps;
	int isdue;

	proc_table_lock();
	ps = proc_table_find(pid, UINT64_MAX);
	isdue = sn->sn_since != 0 || ps == NULL || !proc_table_iswhole(ps);
	proc_table_unlock();
	return isdue;
}

static unsigned int
snap_add(struct snap *sn, uint32_t pid)
{
	if (!snap_isdue(sn, pid))
		return 0;
	if (inspect_isstuck(pid)) {
		snap_leave(sn, pid);
		return 0;
	}
	sn->sn_request.lq_pids[sn->sn_request.lq_npids++] = pid;
	return sn->sn_request.lq_npids == INSPECT_PROC_PIDS ? snap_batch(sn)
							    : 0;
}

/* Makes one pass.  Returns the number of processes read. */
static unsigned int
snap_pass(struct snap *sn)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	unsigned int n = 0;
	size_t i, nleft;

	sn->sn_nleft = 0;
	while (
	    dir != NULL && !snap_isstopped(sn) && (de = readdir(dir)) != NULL)
		if (de->d_name[0] >= '1' && de->d_name[0] <= '9')
			n += snap_add(sn, strtoul(de->d_name, NULL, 10));
	if (dir != NULL)
		closedir(dir);
	n += snap_batch(sn);
	nleft = sn->sn_nleft;
	for (i = 0; i < nleft && !snap_isstopped(sn); i++)
		n += snap_one(sn, sn->sn_left[i]) == 0;
	return n;
}

void
proc_snapshot_all(uint64_t since, const atomic_int *stop)
{
	struct snap sn = { .sn_since = since, .sn_stop = stop };
	uint64_t begun = clock_monotonic();
	int i;

	for (i = 0; i < SNAP_PASSES && snap_pass(&sn) > 0; i++)
		sn.sn_since = 0;
	if (since != 0 && !snap_isstopped(&sn))
		proc_table_reap(begun); /* records of exits were lost, too */
	snap_free(&sn);
}

int
proc_snapshot_one(uint32_t pid, uint64_t since)
{
	struct snap sn = { .sn_since = since };
	int error = snap_one(&sn, pid);

	snap_free(&sn);
	return error;
}
