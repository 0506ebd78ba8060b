/* SPDX-License-Identifier: ISC */
/*
 * Processes that no open records unless it asks for them: the daemon, and
 * clients while they record, whose reads would feed each other.  A process
 * may be here for several reasons (it has two opens); each is counted.
 */
#include <errno.h>
#include <pthread.h>

#include <bpf/bpf.h>

#include "dt_maps.h"
#include "dt_softc.h"

static pthread_mutex_t exclude_mtx = PTHREAD_MUTEX_INITIALIZER;
/* How many processes of the map share a bit of the table; by exclude_mtx. */
static unsigned short exclude_nbit[DT_EXCLUDE_WORDS][64];

/* The table's word for a process. */
static __u64 *
exclude_word(uint32_t pid)
{
	return &dt_maps.dm_table->t_excluded[DT_EXCLUDE_WORD(pid)];
}

int
dt_exclude_add(uint32_t kpid)
{
	uint32_t key = kpid, n = 0;
	int r;

	pthread_mutex_lock(&exclude_mtx);
	(void)bpf_map_lookup_elem(dt_maps.dm_excluded, &key, &n);
	n++;
	r = bpf_map_update_elem(dt_maps.dm_excluded, &key, &n, BPF_ANY);
	if (r == 0 && n == 1 &&
	    exclude_nbit[DT_EXCLUDE_WORD(key)][key & 63]++ == 0)
		__atomic_or_fetch(exclude_word(key), DT_EXCLUDE_BIT(key),
		    __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&exclude_mtx);
	return r < 0 ? -r : 0;
}

void
dt_exclude_del(uint32_t kpid)
{
	uint32_t key = kpid, n = 0;

	pthread_mutex_lock(&exclude_mtx);
	if (bpf_map_lookup_elem(dt_maps.dm_excluded, &key, &n) == 0 && n > 1) {
		n--;
		(void)bpf_map_update_elem(dt_maps.dm_excluded, &key, &n,
		    BPF_ANY);
	} else if (n == 1) {
		(void)bpf_map_delete_elem(dt_maps.dm_excluded, &key);
		if (--exclude_nbit[DT_EXCLUDE_WORD(key)][key & 63] == 0)
			__atomic_and_fetch(exclude_word(key),
			    ~DT_EXCLUDE_BIT(key), __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&exclude_mtx);
}
