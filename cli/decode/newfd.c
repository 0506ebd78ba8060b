/* SPDX-License-Identifier: ISC */
/*
 * Calls that create descriptors other than for files: copies, pipes, events,
 * timers, signals, memory; and the operations of epoll(7).
 */

#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>
#include <linux/timerfd.h>
#include <linux/userfaultfd.h>

#include "cli/decode/flag_names.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#define MFD_EXEC	0x0010U
#endif
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */
#endif
#define EFD_SEMAPHORE 1 /* only in <sys/eventfd.h> */

static const struct arg_name cloexec_list[] = { ARG_BIT(O_CLOEXEC) };
static const struct arg_names cloexec_names = ARG_NAMES(cloexec_list);

#define PIPE_NAMES(direct) \
	{ \
		ARG_NAME(O_EXCL, O_EXCL, "O_NOTIFICATION_PIPE"), \
		    ARG_BIT(O_NONBLOCK), ARG_NAME(direct, direct, "O_DIRECT"), \
		    ARG_BIT(O_CLOEXEC), \
	}

static const struct arg_name pipe_x86[] = PIPE_NAMES(0x4000);
static const struct arg_name pipe_arm64[] = PIPE_NAMES(0x10000);
static const struct arg_names pipe_names = ARG_NAMES_BOTH(pipe_x86, pipe_arm64);

static const struct arg_name eventfd_list[] = {
	ARG_BIT(EFD_SEMAPHORE),
	ARG_NAME(O_CLOEXEC, O_CLOEXEC, "EFD_CLOEXEC"),
	ARG_NAME(O_NONBLOCK, O_NONBLOCK, "EFD_NONBLOCK"),
};
static const struct arg_names eventfd_names = ARG_NAMES(eventfd_list);

static const struct arg_name signalfd_list[] = {
	ARG_NAME(O_CLOEXEC, O_CLOEXEC, "SFD_CLOEXEC"),
	ARG_NAME(O_NONBLOCK, O_NONBLOCK, "SFD_NONBLOCK"),
};
static const struct arg_names signalfd_names = ARG_NAMES(signalfd_list);

static const struct arg_name timerfd_list[] = {
	ARG_BIT(TFD_TIMER_ABSTIME),
	ARG_BIT(TFD_TIMER_CANCEL_ON_SET),
	ARG_NAME(O_CLOEXEC, O_CLOEXEC, "TFD_CLOEXEC"),
	ARG_NAME(O_NONBLOCK, O_NONBLOCK, "TFD_NONBLOCK"),
};
static const struct arg_names timerfd_names = ARG_NAMES(timerfd_list);

static const struct arg_name epoll_list[] = {
	ARG_NAME(O_CLOEXEC, O_CLOEXEC, "EPOLL_CLOEXEC"),
};
static const struct arg_names epoll_names = ARG_NAMES(epoll_list);

static const struct arg_name epollop_list[] = {
	ARG_IS(EPOLL_CTL_ADD),
	ARG_IS(EPOLL_CTL_DEL),
	ARG_IS(EPOLL_CTL_MOD),
};
static const struct arg_names epollop_names = ARG_NAMES(epollop_list);

/* The size of huge pages is a field. */
static const struct arg_name memfd_list[] = {
	ARG_BIT(MFD_CLOEXEC),
	ARG_BIT(MFD_ALLOW_SEALING),
	ARG_BIT(MFD_HUGETLB),
	ARG_BIT(MFD_NOEXEC_SEAL),
	ARG_BIT(MFD_EXEC),
};
static const struct arg_names memfd_names = ARG_NAMES(memfd_list);

static const struct arg_name userfault_list[] = {
	ARG_BIT(UFFD_USER_MODE_ONLY),
	ARG_BIT(O_NONBLOCK),
	ARG_BIT(O_CLOEXEC),
};
static const struct arg_names userfault_names = ARG_NAMES(userfault_list);

static const struct arg_name pidfd_list[] = {
	ARG_NAME(O_NONBLOCK, O_NONBLOCK, "PIDFD_NONBLOCK"),
	ARG_BIT(PIDFD_THREAD),
};
static const struct arg_names pidfd_names = ARG_NAMES(pidfd_list);

/* MFD_HUGETLB|21<<MFD_HUGE_SHIFT */
static void
memfd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	uint64_t shift = v >> MFD_HUGE_SHIFT & MFD_HUGE_MASK, rest;
	int any = 0;

	(void)ac;
	(void)argn;
	(void)ak;
	v &= ~((uint64_t)MFD_HUGE_MASK << MFD_HUGE_SHIFT);
	rest = arg_put_bits(b, &memfd_names, v, &any);
	if (!any && rest == 0 && shift == 0)
		buf_c(b, '0');
	arg_put_rest(b, rest, any);
	if (shift == 0)
		return;
	if (any || rest != 0)
		buf_c(b, '|');
	buf_u64(b, shift);
	buf_str(b, "<<MFD_HUGE_SHIFT");
}

static const struct arg_row newfd_rows[] = {
	{ "dup3", "flags", NULL, ARG_FLAGS(cloexec_names) },
	{ "pipe2", "flags", NULL, ARG_FLAGS(pipe_names) },
	{ "eventfd2", "flags", NULL, ARG_FLAGS(eventfd_names) },
	{ "signalfd4", "flags", NULL, ARG_FLAGS(signalfd_names) },
	{ "timerfd_create timerfd_settime", "flags", NULL,
	    ARG_FLAGS(timerfd_names) },
	{ "timerfd_create", "clockid", NULL, ARG_ENUM(arg_names_clock) },
	{ "epoll_create1", "flags", NULL, ARG_FLAGS(epoll_names) },
	{ "epoll_ctl", "op", NULL, ARG_ENUM(epollop_names) },
	{ "memfd_create", "flags", NULL,
	    ARG_FUNC_NAMES(memfd_text, memfd_names) },
	{ "memfd_secret", "flags", NULL, ARG_FLAGS(cloexec_names) },
	{ "userfaultfd", "flags", NULL, ARG_FLAGS(userfault_names) },
	{ "pidfd_open", "flags", NULL, ARG_FLAGS(pidfd_names) },
	{ "pidfd_getfd", "fd", NULL, ARG_FUNC(arg_int_text) }, /* of another
							        * process */
	{ "dup dup2 dup3 eventfd eventfd2 signalfd signalfd4 timerfd_create "
	  "epoll_create epoll_create1 memfd_create memfd_secret userfaultfd "
	  "pidfd_open pidfd_getfd",
	    "=", NULL, ARG_FUNC(arg_fd_text) },
};

const struct arg_table arg_table_newfd = ARG_TABLE(newfd_rows);
