/* SPDX-License-Identifier: ISC */
/*
 * Determines which threads record: libdt selects a thread at KIOENABLE; or the
 * program that started this one, usually dt(1), does so by the environment:
 *
 *	DTKCOV=FD,NENTRIES,MODE,TID[,WAIT]
 *
 * All numbers are decimal: descriptor of the memory, its size in entries,
 * KCOV_MODE_TRACE_PC or _CMP, the thread, and the ms for which the thread waits
 * for a reader when the memory is full (0 if missing).  exec(2) keeps the
 * thread's number, so the setting also applies to the next program; a child has
 * another number.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <dt/kcov_runtime.h>
#include "dtkcov/thread_slot.h"

#define ENV "DTKCOV"

/* Accessed only by dtkcov_first(), in the thread that is first there. */
static struct {
	atomic_int in_state;
	unsigned long in_fd;
	unsigned long in_nentries;
	unsigned long in_mode;
	unsigned long in_wait;
	_Atomic pid_t in_tid; /* 0: none, or recording has begun */
} inherited;

enum {
	IN_UNREAD,
	IN_READING,
	IN_READ
};

#pragma weak dt_kcov_runtime

static const struct dt_kcov_runtime runtime = {
	.kr_begin = dtkcov_begin,
	.kr_end = dtkcov_end,
};

/* Parses a decimal number up to INT_MAX, which must end with stop. */
static const char *
number(const char *p, char stop, unsigned long *value)
{
	unsigned long n = 0;

	if (*p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++)
		if ((n = n * 10 + (unsigned long)(*p - '0')) > INT_MAX)
			return NULL;
	if (*p != stop)
		return NULL;
	*value = n;
	return p + 1;
}

/* A set-user-id program ignores the environment. */
static void
inherited_read(void)
{
	const char *p = secure_getenv(ENV), *end;
	unsigned long tid;

	if (p != NULL && (p = number(p, ',', &inherited.in_fd)) != NULL &&
	    (p = number(p, ',', &inherited.in_nentries)) != NULL &&
	    (p = number(p, ',', &inherited.in_mode)) != NULL &&
	    ((end = number(p, ',', &tid)) != NULL
		    ? number(end, '\0', &inherited.in_wait)
		    : number(p, '\0', &tid)) != NULL) {
		inherited.in_mode &= ~(unsigned long)KCOV_MODE_USER;
		atomic_store(&inherited.in_tid, (pid_t)tid);
	}
}

void
dtkcov_first(void)
{
	struct dtkcov_slot *new = DTKCOV_NEW;
	int saved = errno, state = IN_UNREAD;
	pid_t tid;

	/* a signal handler may have been here; a later one records nothing */
	if (!__atomic_compare_exchange_n(&dtkcov_mine, &new, DTKCOV_OFF, 0,
		__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	if (atomic_compare_exchange_strong(&inherited.in_state, &state,
		IN_READING)) {
		inherited_read();
		atomic_store(&inherited.in_state, state = IN_READ);
	}
	tid = state == IN_READ ? atomic_load(&inherited.in_tid) : 0;
	if (tid != 0 && tid == gettid()) {
		atomic_store(&inherited.in_tid, 0);
		if (dtkcov_begin_keeps((int)inherited.in_fd,
			inherited.in_nentries, (int)inherited.in_mode) != -1)
			dtkcov_mine->dks_wait = (unsigned int)inherited.in_wait;
	}
	errno = saved;
}

/* A signal handler during the wait also waits, which makes it longer. */
int
dtkcov_wait(struct dtkcov_slot *ks, uint64_t max)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	int saved = errno, isroom = 0;
	unsigned int n;

	for (n = ks->dks_wait; !isroom && n > 0; n--) {
		(void)syscall(SYS_nanosleep, &ms, NULL);
		isroom = atomic_load(&ks->dks_buf[0]) < max;
	}
	if (!isroom)
		ks->dks_wait = 0;
	errno = saved;
	return isroom;
}

/*
 * Removes the setting if its thread is not in this process: no program started
 * from here can be meant.  A thread of this process keeps it for its exec(2).
 */
static void
forget_others(void)
{
	pid_t tid = atomic_load(&inherited.in_tid);

	if (tid != 0 && tgkill(getpid(), tid, 0) != 0)
		unsetenv(ENV);
}

/* Runs before the program's own constructors, which have higher numbers. */
__attribute__((constructor(101))) static void
start(void)
{
	dtkcov_slot_start();
	dtkcov_first();
	forget_others();
	if (dt_kcov_runtime != NULL)
		dt_kcov_runtime(&runtime, 1);
}

__attribute__((destructor(101))) static void
stop(void)
{
	if (dt_kcov_runtime != NULL)
		dt_kcov_runtime(&runtime, 0);
	dtkcov_slot_stop();
}
