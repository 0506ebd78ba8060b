/* SPDX-License-Identifier: ISC */
/*
 * User stacks of threads that do not run: an inspector reads a part of each
 * stack, which is unwound from the registers with which the thread entered the
 * kernel, like a sample that arrived before its tables (unwind_copies.h).
 *
 * A thread may continue meanwhile.  Its registers and its stack then do not
 * belong together, and the stack ends early or has wrong frames.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/dt_where_shared.h"

#include "daemon/base/clock.h"
#include "daemon/dt/dt_client.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/dt/dt_threads_user.h"
#include "daemon/inspect/inspect_stacks.h"
#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_copies.h"

#if defined(__x86_64__)
#define USER_AT_SP 19 /* of wth_regs, as UNWIND_AT_SP */
#else
#define USER_AT_SP 31
#endif

#define USER_FEW   64	       /* threads whose stacks are read farther */
#define USER_BYTES 16384       /* of the stack of one of many threads */
#define USER_BATCH (2UL << 20) /* bytes of stacks that wait to be walked */
/* ns, for all stacks; a walk gives up before */
#define USER_WAIT   (UNWIND_COPIES_MOST + 1000000000ULL)
#define USER_PASSES 4
#define USER_FRESH  100000000ULL	   /* ns, for copies of one time */
#define USER_CPU    (UNWIND_COPY_CPUS - 1) /* for numbers of copies */

/* The stacks of a session in progress. */
struct user_walk {
	const struct dt_client *usw_client;
	struct thread_user *usw_first; /* of the request in progress */
	uint64_t usw_most;	       /* bytes of each stack */
	uint64_t usw_time;
	size_t usw_nbytes; /* that wait */
	uint64_t usw_due;
};

int
dt_threads_tables(struct dt_enabled *en)
{
	if (!dt_tables_isheld(en))
		dt_tables_hold(en);
	return dt_tables_isheld(en);
}

/* Returns the part of a stack to read, without what is above the thread's. */
static struct inspect_stack
user_part(const struct user_walk *usw, const struct dt_where_thread *wth)
{
	const uint64_t mask = ~(uint64_t)(UNWIND_COPY_WINDOW - 1);
	uint64_t sp = wth->wth_regs[USER_AT_SP],
		 n = usw->usw_most - 2 * UNWIND_COPY_WINDOW;
	struct inspect_stack isk;

	if (wth->wth_thread - sp < n)
		n = wth->wth_thread - sp;
	isk.isk_from = (sp - UNWIND_COPY_BELOW) & mask;
	isk.isk_until = (sp + n + UNWIND_COPY_WINDOW - 1) & mask;
	return isk;
}

/* Enters the copy of a stack that was read. */
static void
user_piece(void *arg, const struct inspect_stack_piece *isp,
    const uint8_t *bytes)
{
	struct user_walk *usw = arg;
	struct thread_user *thu = &usw->usw_first[isp->isp_index];
	const struct dt_where_thread *wth = thu->thu_thread;
	struct inspect_stack isk = user_part(usw, wth);
	size_t n = sizeof(struct unwind_copy) + isp->isp_nbytes;
	struct unwind_copy *ucp = calloc(1, n);

	if (ucp == NULL)
		return;
	*ucp = (struct unwind_copy){ .ucp_number = thu->thu_copy,
		.ucp_slot = usw->usw_client->dcl_slot,
		.ucp_gen = usw->usw_client->dcl_gen,
		.ucp_pid = wth->wth_localpid,
		.ucp_uid = wth->wth_uid,
		.ucp_exec = wth->wth_exec,
		.ucp_time = usw->usw_time,
		.ucp_start = wth->wth_start };
	memcpy(ucp->ucp_regs, wth->wth_regs, sizeof(ucp->ucp_regs));
	ucp->ucp_parts[0].upt_from = isp->isp_from;
	ucp->ucp_parts[0].upt_until = isp->isp_from + isp->isp_nbytes;
	ucp->ucp_parts[0].upt_iscut = ucp->ucp_parts[0].upt_until ==
		isk.isk_until &&
	    isk.isk_until - isk.isk_from >=
		usw->usw_most - 2 * UNWIND_COPY_WINDOW;
	memcpy(ucp->ucp_stack, bytes, isp->isp_nbytes);
	unwind_copy_add(ucp, n);
	explicit_bzero(ucp, n);
	free(ucp);
	usw->usw_nbytes += n;
	thu->thu_iscopied = 1;
}

/*
 * Reads the stacks of threads of one process, and begins to walk them.  A walk
 * has limited time from the copy's on; copies of one time share the mappings of
 * their process.
 */
static void
user_read(struct user_walk *usw, struct thread_user *thu, size_t n)
{
	struct inspect_stacks_request isr = { .isr_n = n };
	uint64_t now = clock_monotonic();
	size_t i;
	int error;

	if (now - usw->usw_time > USER_FRESH)
		usw->usw_time = now;
	for (i = 0; i < n; i++)
		isr.isr_stacks[i] = user_part(usw, thu[i].thu_thread);
	usw->usw_first = thu;
	/* several processes that hang take no longer than one */
	error = now > usw->usw_due
	    ? ETIMEDOUT
	    : inspect_stacks_request(thu->thu_thread->wth_localpid, &isr,
		  user_piece, usw);
	for (i = 0; i < n; i++)
		if (!thu[i].thu_iscopied) {
			thu[i].thu_isdone = 1;
			thu[i].thu_stack = (struct dt_rec_stack){
				.drs_end = error != 0 ? DT_STACK_ERRNO
						      : DT_STACK_FAULT,
				.drs_error = error
			};
		}
}

/* Waits for the frames of a copy. */
static void
user_take(struct user_walk *usw, struct thread_user *thu)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const struct dt_client *dcl = usw->usw_client;
	struct dtioc_stack is;
	int error;
	size_t n;

	while ((error = unwind_copy_take(UNWIND_SESSION(dcl->dcl_slot,
					     dcl->dcl_gen),
		    thu->thu_copy, &is)) == EAGAIN &&
	    (uint64_t)clock_monotonic() < usw->usw_due)
		nanosleep(&pause, NULL);
	thu->thu_iscopied = 0;
	if (error != 0)
		return;
	free(thu->thu_pcs);
	thu->thu_stack = (struct dt_rec_stack){ .drs_end = DT_STACK_PENDING };
	n = is.dtsk_stack.drs_count * sizeof(is.dtsk_pcs[0]);
	if ((thu->thu_pcs = malloc(n + 1)) == NULL)
		return;
	memcpy(thu->thu_pcs, is.dtsk_pcs, n);
	thu->thu_stack = is.dtsk_stack;
	thu->thu_isdone = is.dtsk_stack.drs_end != DT_STACK_PENDING;
}

/* Sets what is known of a thread's stack before the first pass. */
static void
user_begin(struct thread_user *thu)
{
	const struct dt_where_thread *wth = thu->thu_thread;

	thu->thu_isdone = (wth->wth_flags & DT_WHERE_REGS) == 0;
	if (!thu->thu_isdone)
		thu->thu_stack.drs_end = DT_STACK_PENDING;
	else if (!(wth->wth_flags & DT_WHERE_ONCPU))
		thu->thu_stack.drs_end = DT_STACK_NOMM;
}

/* Returns how many threads from the first on are to be read with it. */
static size_t
user_run(struct thread_user *thu, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < INSPECT_NSTACKS; i++)
		if (thu[i].thu_isdone ||
		    thu[i].thu_thread->wth_localpid !=
			thu[0].thu_thread->wth_localpid)
			break;
	return i;
}

/* Walks the stacks that are not known yet.  Returns whether any are left. */
static int
user_pass(struct user_walk *usw, struct thread_user *thu, size_t n)
{
	size_t at, taken = 0, run;
	int isleft = 0;

	for (at = 0; at < n; at += run) {
		if ((run = user_run(thu + at, n - at)) > 0)
			user_read(usw, thu + at, run);
		else
			run = 1;
		if (usw->usw_nbytes < USER_BATCH && at + run < n)
			continue;
		for (; taken < at + run; taken++) {
			if (thu[taken].thu_iscopied)
				user_take(usw, &thu[taken]);
			isleft |= !thu[taken].thu_isdone;
		}
		usw->usw_nbytes = 0;
	}
	return isleft;
}

void
dt_threads_walk(const struct dt_client *dcl, struct thread_user *thu, size_t n)
{
	struct user_walk usw = { .usw_client = dcl,
		.usw_most = n <= USER_FEW ? INSPECT_STACK_MAX : USER_BYTES,
		.usw_time = clock_monotonic() };
	size_t at;
	int i;

	usw.usw_due = usw.usw_time + USER_WAIT;
	for (at = 0; at < n; at++) {
		thu[at].thu_copy = UNWIND_COPY_NUMBER(USER_CPU, at);
		user_begin(&thu[at]);
	}
	/* a table may take longer than a walk waits for it */
	for (i = 0; i < USER_PASSES && user_pass(&usw, thu, n); i++)
		if ((uint64_t)clock_monotonic() > usw.usw_due)
			break;
}
