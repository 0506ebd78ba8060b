/* SPDX-License-Identifier: ISC */
/*
 * Processes that sessions exclude by default: the daemon with its inspectors,
 * and clients while they record.  Two clients that record each other would make
 * an event of each read.  A session records clients with fewer rights than its
 * own (enum dt_level).  A process may be here for several reasons (it has two
 * sessions); each is counted.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/dt/dt_exclude.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/kernel/pidns.h"

/*
 * Desired contents of the map. An update may fail for lack of kernel memory; a
 * stale entry would exclude the next process with that pid, so the next update
 * removes it.
 */
static struct exclude {
	uint32_t ex_pid;
	uint32_t ex_n[DT_NLEVEL]; /* reasons of each level */
	uint32_t ex_level;	  /* level in the map */
	int ex_inmap;
} excludes[EXCLUDE_MAX]; /* by exclude_mtx */

static pthread_mutex_t exclude_mtx = PTHREAD_MUTEX_INITIALIZER;
/*
 * Number of the map's processes that share a bit of the table; by exclude_mtx.
 */
static unsigned short exclude_nbit[DT_EXCLUDE_WORDS][64];

/* Returns the table's word for a process. */
static __u64 *
exclude_word(uint32_t pid)
{
	return &dt_maps.dtm_table->t_excluded[DT_EXCLUDE_WORD(pid)];
}

/* Returns the highest level of a process, -1 if it has none. */
static int
exclude_level(const struct exclude *ex)
{
	int level = DT_NLEVEL - 1;

	while (level >= 0 && ex->ex_n[level] == 0)
		level--;
	return level;
}

/* Returns the entry of a process, or a free one, or NULL. */
static struct exclude *
exclude_find(uint32_t pid)
{
	struct exclude *ex, *unused = NULL;

	for (ex = excludes; ex < excludes + EXCLUDE_MAX; ex++) {
		if (exclude_level(ex) == -1 && !ex->ex_inmap)
			unused = ex;
		else if (ex->ex_pid == pid)
			return ex;
	}
	return unused;
}

/* Adds a process with its level to the map, and its bit to the table. */
static int
exclude_enter(struct exclude *ex, uint32_t level)
{
	uint32_t key = ex->ex_pid;
	int r;

	if (ex->ex_inmap && ex->ex_level == level)
		return 0;
	r = bpf_map_update_elem(dt_maps.dtm_excluded, &key, &level, BPF_ANY);
	if (r != 0)
		return -r;
	ex->ex_level = level;
	if (ex->ex_inmap)
		return 0;
	ex->ex_inmap = 1;
	if (exclude_nbit[DT_EXCLUDE_WORD(key)][key & 63]++ == 0)
		__atomic_or_fetch(exclude_word(key), DT_EXCLUDE_BIT(key),
		    __ATOMIC_SEQ_CST);
	return 0;
}

/* Notes that the process was removed from the map. */
static void
exclude_leave(struct exclude *ex)
{
	uint32_t key = ex->ex_pid;

	ex->ex_inmap = 0;
	if (--exclude_nbit[DT_EXCLUDE_WORD(key)][key & 63] == 0)
		__atomic_and_fetch(exclude_word(key), ~DT_EXCLUDE_BIT(key),
		    __ATOMIC_SEQ_CST);
}

/*
 * Removes processes without a reason from the map, and lowers the level of
 * others.
 */
static void
exclude_sweep(void)
{
	struct exclude *ex;
	uint32_t key;
	int level;

	for (ex = excludes; ex < excludes + EXCLUDE_MAX; ex++) {
		key = ex->ex_pid;
		if ((level = exclude_level(ex)) != -1)
			(void)exclude_enter(ex, level);
		else if (!ex->ex_inmap)
			continue;
		else if (bpf_map_delete_elem(dt_maps.dtm_excluded, &key) != 0)
			continue;
		else
			exclude_leave(ex);
	}
}

int
dt_exclude_add(uint32_t kpid, enum dt_level level)
{
	struct exclude *ex;
	int error = 0;

	pthread_mutex_lock(&exclude_mtx);
	exclude_sweep();
	if ((ex = exclude_find(kpid)) == NULL)
		error = ENOMEM;
	else {
		ex->ex_pid = kpid;
		ex->ex_n[level]++;
		error = exclude_enter(ex, exclude_level(ex));
		if (error != 0)
			ex->ex_n[level]--;
	}
	pthread_mutex_unlock(&exclude_mtx);
	return error;
}

void
dt_exclude_del(uint32_t kpid, enum dt_level level)
{
	struct exclude *ex;

	pthread_mutex_lock(&exclude_mtx);
	ex = exclude_find(kpid);
	if (ex != NULL && ex->ex_pid == kpid && ex->ex_n[level] > 0)
		ex->ex_n[level]--;
	exclude_sweep();
	pthread_mutex_unlock(&exclude_mtx);
}

/*
 * Pids of inspectors, here and in the initial namespace; 0: free. Under the
 * lock of inspect.c.
 */
static struct helper {
	pid_t he_pid;
	uint32_t he_kpid;
} helpers[INSPECT_MAX + 1];

static struct helper *
helper_find(pid_t pid)
{
	struct helper *he;

	for (he = helpers; he < helpers + INSPECT_MAX + 1; he++)
		if (he->he_pid == pid)
			return he;
	return NULL;
}

static void
exclude_inspector(pid_t pid, int isthere)
{
	struct helper *he = helper_find(isthere ? 0 : pid);

	if (he == NULL)
		return;
	if (!isthere)
		dt_exclude_del(he->he_kpid, DT_LEVEL_DTD);
	he->he_pid = isthere && pidns_initial(pid, &he->he_kpid) == 0 &&
		dt_exclude_add(he->he_kpid, DT_LEVEL_DTD) == 0
	    ? pid
	    : 0;
}

int
dt_exclude_daemon(void)
{
	uint32_t self;
	int error;

	if ((error = pidns_initial(getpid(), &self)) != 0 ||
	    (error = dt_exclude_add(self, DT_LEVEL_DTD)) != 0)
		return error;
	inspect_tell(exclude_inspector);
	return 0;
}

void
dt_exclude_forget(void)
{
	inspect_tell(NULL);
	memset(helpers, 0, sizeof(helpers));
	memset(excludes, 0, sizeof(excludes));
	memset(exclude_nbit, 0, sizeof(exclude_nbit));
}
