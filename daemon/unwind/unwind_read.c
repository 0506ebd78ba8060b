/* SPDX-License-Identifier: ISC */
/*
 * Reads the mappings of processes that programs miss.  Inspectors access the
 * processes and files, so one that hangs takes limited time from other users.
 */
#include <errno.h>
#include <sys/prctl.h>

#include "daemon/base/clock.h"
#include "daemon/base/sched.h"
#include "daemon/procs/proc_watch.h"
#include "daemon/unwind/unwind_copies.h"
#include "daemon/unwind/unwind_impl.h"
#include "daemon/unwind/unwind_procs.h"

/*
 * Returns the mappings as of a time, or the current ones if they were replaced
 * since.
 */
static int
read_view(const struct unwind_proc_request *upa, struct proc_view **pvp)
{
	int error = proc_view_get(upa->upa_pid, upa->upa_time, pvp);

	if (error == 0 && !(*pvp)->pv_isnow) {
		proc_watch_view_free(*pvp);
		error = proc_view_get(upa->upa_pid, clock_monotonic(), pvp);
	}
	return error;
}

/* Under the lock, which is released meanwhile. */
static void
read_proc(uint32_t pid)
{
	struct unwind_proc_request upa;
	struct proc_view *pv = NULL;
	uint64_t begun = clock_monotonic();
	int error, tries = 0;

	if (!unwind_procs_begin(pid, &upa))
		return;
	pthread_mutex_unlock(&unwind_mtx);
	error = read_view(&upa, &pv);
	pthread_mutex_lock(&unwind_mtx);
	if (error != 0)
		pv = NULL;
	do
		error = unwind_procs_read(&upa, pv);
	while (error == ENOSPC && tries++ < 2 && unwind_reclaim() == 0);
	if (error != 0)
		(void)unwind_procs_read(&upa, NULL);
	if (pv != NULL)
		unwind_copies_maps(&upa, pv);
	pthread_cond_signal(&unwind_copy_cond);
	unwind_readnsecs += clock_monotonic() - begun;
	pthread_mutex_unlock(&unwind_mtx);
	proc_watch_view_free(pv);
	pthread_mutex_lock(&unwind_mtx);
}

void *
unwind_read_thread(void *arg __attribute__((unused)))
{
	uint32_t pid;

	prctl(PR_SET_NAME, "dtd-unwind");
	sched_prompt(UNWIND_NICE);
	pthread_mutex_lock(&unwind_mtx);
	while (!unwind_isending)
		if ((pid = unwind_procs_due(clock_monotonic())) != 0) {
			unwind_nbusy++;
			read_proc(pid);
			unwind_nbusy--;
		} else
			pthread_cond_wait(&unwind_read_cond, &unwind_mtx);
	pthread_mutex_unlock(&unwind_mtx);
	return NULL;
}
