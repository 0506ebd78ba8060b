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
#include "newfd_names.h"

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
