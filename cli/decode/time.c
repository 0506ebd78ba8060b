/* SPDX-License-Identifier: ISC */
/*
 * Clocks and timers.
 */
#include <sys/time.h>

#include <time.h>

#include "cli/decode/flag_names.h"
#include "time_names.h"

/*
 * A clock of a process, a thread or a descriptor is a negative number: ~id in
 * the upper 29 bits, then a bit for threads, and the type of the clock.
 */
static void
time_clock_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	int32_t id = (int32_t)v;

	(void)argn;
	(void)ak;
	if (id >= 0) {
		arg_put_enum(b, &arg_names_clock, v);
		return;
	}
	if ((id & 7) == 3) {
		buf_str(b, "FD_TO_CLOCKID(");
		arg_put_fd(b, ac, ~(id >> 3));
		buf_c(b, ')');
		return;
	}
	buf_str(b, id & 4 ? "MAKE_THREAD_CPUCLOCK(" : "MAKE_PROCESS_CPUCLOCK(");
	buf_s64(b, ~(id >> 3));
	buf_mem(b, ", ", 2);
	arg_put_enum(b, &cpuclock_names, id & 3);
	buf_c(b, ')');
}

static const struct arg_row time_rows[] = {
	{ "*", "which_clock", NULL, ARG_FUNC(time_clock_text) },
	{ "*", "clockid", NULL, ARG_FUNC(time_clock_text) },
	{ "getitimer setitimer", "which", NULL, ARG_ENUM(itimer_names) },
	{ "clock_nanosleep timer_settime", "flags", NULL,
	    ARG_FLAGS(abstime_names) },
};

const struct arg_table arg_table_time = ARG_TABLE(time_rows);
