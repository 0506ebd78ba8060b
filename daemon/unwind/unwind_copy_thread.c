/* SPDX-License-Identifier: ISC */
/*
 * Threads for copies of stacks: read the mappings that processes had at the time,
 * and walk the copies.  A process, and a user other than root, occupies at most
 * one thread, since its files may make it wait.
 */
#include <sys/prctl.h>

#include "daemon/base/clock.h"
#include "daemon/base/sched.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/unwind/unwind_copies.h"
#include "daemon/unwind/unwind_copy_maps.h"
#include "daemon/unwind/unwind_impl.h"

/* The processes that are being read; under unwind_mtx.  0: none. */
static struct reading {
	uint32_t rdg_pid, rdg_uid;
} readings[UNWIND_NCOPIERS];

int
unwind_copy_mayread(const struct copy_proc *cpr)
{
	int i;

	for (i = 0; i < UNWIND_NCOPIERS; i++)
		if (readings[i].rdg_pid == cpr->cpr_pid ||
		    (readings[i].rdg_pid != 0 && cpr->cpr_uid != 0 &&
			readings[i].rdg_uid == cpr->cpr_uid))
			return 0;
	return 1;
}

/* Under the lock, which is released meanwhile. */
static void
copy_read(const struct copy_proc *cpr)
{
	struct proc_view *pv = NULL;
	struct reading *rdg = readings;
	int error;

	while (rdg->rdg_pid != 0)
		rdg++;
	*rdg = (struct reading){ cpr->cpr_pid, cpr->cpr_uid };
	unwind_nbusy++;
	pthread_mutex_unlock(&unwind_mtx);
	error = proc_view_get(cpr->cpr_pid, cpr->cpr_time, &pv);
	pthread_mutex_lock(&unwind_mtx);
	if (error == 0)
		error = copy_maps_add(cpr, pv);
	if (error != 0)
		unwind_copies_delay(cpr,
		    clock_monotonic() + UNWIND_COPIES_RETRY);
	rdg->rdg_pid = 0;
	unwind_nbusy--;
	pthread_mutex_unlock(&unwind_mtx);
	proc_watch_view_free(pv);
	pthread_mutex_lock(&unwind_mtx);
}

void *
unwind_copy_thread(void *arg __attribute__((unused)))
{
	struct copy_proc cpr;
	uint64_t now;

	prctl(PR_SET_NAME, "dtd-unwind");
	sched_prompt(UNWIND_NICE);
	pthread_mutex_lock(&unwind_mtx);
	while (!unwind_isending) {
		now = clock_monotonic();
		if (unwind_copies_walk(now)) {
			pthread_mutex_unlock(&unwind_mtx);
			pthread_mutex_lock(&unwind_mtx);
		} else if (unwind_copies_next(&cpr, now, unwind_copy_mayread))
			copy_read(&cpr);
		else
			pthread_cond_wait(&unwind_copy_cond, &unwind_mtx);
	}
	pthread_mutex_unlock(&unwind_mtx);
	return NULL;
}
