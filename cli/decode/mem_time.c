/* SPDX-License-Identifier: ISC */
/* Times that pointers refer to. */
#include <sys/stat.h>
#include <sys/timex.h>

#include <linux/futex.h>
#include <time.h>

#include "cli/decode/mem.h"
#include "mem_time_names.h"

static const struct mem_field timespec_list[] = {
	{ "tv_sec", 0, &mem_s64 },
	{ "tv_nsec", 8, &mem_u64 },
};
static const struct mem_struct timespec_fields = MEM_FIELDS(timespec_list, 0);
const struct mem_type mem_timespec = MEM_STRUCT(16, timespec_fields);

static const struct mem_field timeval_list[] = {
	{ "tv_sec", 0, &mem_s64 },
	{ "tv_usec", 8, &mem_u64 },
};
static const struct mem_struct timeval_fields = MEM_FIELDS(timeval_list, 0);
const struct mem_type mem_timeval = MEM_STRUCT(16, timeval_fields);

static const struct mem_field itimerspec_list[] = {
	{ "it_interval", 0, &mem_timespec },
	{ "it_value", 16, &mem_timespec },
};
static const struct mem_struct itimerspec_fields = MEM_FIELDS(itimerspec_list,
    0);
static const struct mem_type mem_itimerspec = MEM_STRUCT(32, itimerspec_fields);

static const struct mem_field itimerval_list[] = {
	{ "it_interval", 0, &mem_timeval },
	{ "it_value", 16, &mem_timeval },
};
static const struct mem_struct itimerval_fields = MEM_FIELDS(itimerval_list, 0);
static const struct mem_type mem_itimerval = MEM_STRUCT(32, itimerval_fields);

static const struct mem_field timezone_list[] = {
	{ "tz_minuteswest", 0, &mem_s32 },
	{ "tz_dsttime", 4, &mem_s32 },
};
static const struct mem_struct timezone_fields = MEM_FIELDS(timezone_list, 0);
static const struct mem_type mem_timezone = MEM_STRUCT(8, timezone_fields);

static const struct mem_field tms_list[] = {
	{ "tms_utime", 0, &mem_s64 },
	{ "tms_stime", 8, &mem_s64 },
	{ "tms_cutime", 16, &mem_s64 },
	{ "tms_cstime", 24, &mem_s64 },
};
static const struct mem_struct tms_fields = MEM_FIELDS(tms_list, 0);
static const struct mem_type mem_tms = MEM_STRUCT(32, tms_fields);

/* adjtimex(2) */
static const struct mem_type mem_modes = MEM_FLAGS(4, modes_names);

static const struct mem_type mem_status = MEM_FLAGS(4, status_names);

static const struct mem_field timex_list[] = {
	{ "modes", 0, &mem_modes },
	{ "offset", 8, &mem_s64 },
	{ "freq", 16, &mem_s64 },
	{ "maxerror", 24, &mem_s64 },
	{ "esterror", 32, &mem_s64 },
	{ "status", 40, &mem_status },
	{ "constant", 48, &mem_s64 },
	{ "precision", 56, &mem_s64 },
	{ "tolerance", 64, &mem_s64 },
	{ "time", 72, &mem_timeval },
	{ "tick", 88, &mem_s64 },
	{ "ppsfreq", 96, &mem_s64 },
	{ "jitter", 104, &mem_s64 },
	{ "shift", 112, &mem_s32 },
	{ "stabil", 120, &mem_s64 },
	{ "jitcnt", 128, &mem_s64 },
	{ "calcnt", 136, &mem_s64 },
	{ "errcnt", 144, &mem_s64 },
	{ "stbcnt", 152, &mem_s64 },
	{ "tai", 160, &mem_s32 },
};
static const struct mem_struct timex_fields = MEM_FIELDS(timex_list, 0);
static const struct mem_type mem_timex = MEM_STRUCT(208, timex_fields);

/* File times, with the date */
static void
time_put_date(struct buf *b, int64_t secs, uint64_t fraction, int digits)
{
	time_t t = secs;
	struct tm tm;
	char s[40];

	if (localtime_r(&t, &tm) == NULL ||
	    strftime(s, sizeof(s), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return;
	buf_mem(b, " /* ", 4);
	buf_str(b, s);
	if (fraction > 0) {
		buf_c(b, '.');
		buf_dec(b, fraction, digits);
	}
	if (strftime(s, sizeof(s), "%z", &tm) > 0)
		buf_str(b, s);
	buf_mem(b, " */", 3);
}

static void
time_utime_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t nsecs = mem_uint(m, 8, 8);

	(void)mt;
	if (nsecs == UTIME_NOW)
		buf_str(b, "UTIME_NOW");
	else if (nsecs == UTIME_OMIT)
		buf_str(b, "UTIME_OMIT");
	else {
		mem_put(b, m, &mem_timespec);
		if (nsecs < 1000000000)
			time_put_date(b, mem_int(m, 0, 8), nsecs, 9);
	}
}

static void
time_utimeval_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t usecs = mem_uint(m, 8, 8);

	(void)mt;
	mem_put(b, m, &mem_timeval);
	if (usecs < 1000000)
		time_put_date(b, mem_int(m, 0, 8), usecs, 6);
}

static void
time_seconds_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	(void)mt;
	buf_s64(b, mem_int(m, 0, 8));
	time_put_date(b, mem_int(m, 0, 8), 0, 0);
}

static const struct mem_type mem_utime = { time_utime_put, 16, NULL };
static const struct mem_type mem_utimes = MEM_ARRAY(mem_utime);
static const struct mem_type mem_utimeval = { time_utimeval_put, 16, NULL };
static const struct mem_type mem_utimevals = MEM_ARRAY(mem_utimeval);
static const struct mem_type mem_seconds = { time_seconds_put, 8, NULL };
static const struct mem_type mem_time = MEM_ARRAY(mem_seconds);

static const struct mem_field utimbuf_list[] = {
	{ "actime", 0, &mem_seconds },
	{ "modtime", 8, &mem_seconds },
};
static const struct mem_struct utimbuf_fields = MEM_FIELDS(utimbuf_list, 0);
static const struct mem_type mem_utimbuf = MEM_STRUCT(16, utimbuf_fields);

/* Futex commands that do not wait have a number there. */
static const struct mem_cmd futex_list[] = {
	{ FUTEX_WAIT, MEM_IN, &mem_timespec },
	{ FUTEX_LOCK_PI, MEM_IN, &mem_timespec },
	{ FUTEX_LOCK_PI2, MEM_IN, &mem_timespec },
	{ FUTEX_WAIT_BITSET, MEM_IN, &mem_timespec },
	{ FUTEX_WAIT_REQUEUE_PI, MEM_IN, &mem_timespec },
};
static const struct mem_cmds futex_cmds = MEM_CMDS(futex_list, 1,
    FUTEX_CMD_MASK &UINT32_MAX, ARG_OP(arg_ops_futex));

/*
 * A remainder is valid only if the call was interrupted; the daemon reads it
 * only then.
 */
static const struct arg_row time_rows[] = {
	{ "nanosleep clock_nanosleep", "rqtp", "*timespec *",
	    ARG_IN(mem_timespec) },
	{ "nanosleep clock_nanosleep", "rmtp", "*timespec *",
	    ARG_OUT(mem_timespec) },
	{ "clock_gettime clock_getres", "tp", NULL, ARG_OUT(mem_timespec) },
	{ "clock_settime", "tp", NULL, ARG_IN(mem_timespec) },
	{ "sched_rr_get_interval", "interval", NULL, ARG_OUT(mem_timespec) },
	{ "clock_adjtime", "utx", NULL, ARG_OUT(mem_timex) },
	{ "adjtimex", "txc_p", NULL, ARG_OUT(mem_timex) },
	{ "gettimeofday", "tv", NULL, ARG_OUT(mem_timeval) },
	{ "gettimeofday", "tz", NULL, ARG_OUT(mem_timezone) },
	{ "settimeofday", "tv", NULL, ARG_IN(mem_timeval) },
	{ "settimeofday", "tz", NULL, ARG_IN(mem_timezone) },
	{ "time", "tloc", NULL, ARG_OUT(mem_time) },
	{ "times", "tbuf", NULL, ARG_OUT(mem_tms) },
	{ "utimensat", "utimes", NULL, ARG_IN(mem_utimes) },
	{ "utimes futimesat", "utimes", NULL, ARG_IN(mem_utimevals) },
	{ "utime", "times", NULL, ARG_IN(mem_utimbuf) },
	{ "futex", "utime", NULL, ARG_CMDS(futex_cmds) },
	{ "futex_wait futex_waitv", "timeout", NULL, ARG_IN(mem_timespec) },
	{ "setitimer", "value", NULL, ARG_IN(mem_itimerval) },
	{ "setitimer", "ovalue", NULL, ARG_OUT(mem_itimerval) },
	{ "getitimer", "value", NULL, ARG_OUT(mem_itimerval) },
	{ "timer_create", "created_timer_id", NULL, ARG_OUT(mem_ints) },
	{ "timer_settime", "new_setting", NULL, ARG_IN(mem_itimerspec) },
	{ "timer_settime", "old_setting", NULL, ARG_OUT(mem_itimerspec) },
	{ "timer_gettime", "setting", NULL, ARG_OUT(mem_itimerspec) },
	{ "timerfd_settime", "utmr", NULL, ARG_IN(mem_itimerspec) },
	{ "timerfd_settime", "otmr", NULL, ARG_OUT(mem_itimerspec) },
	{ "timerfd_gettime", "otmr", NULL, ARG_OUT(mem_itimerspec) },
	{ "semtimedop", "timeout", NULL, ARG_IN(mem_timespec) },
	{ "mq_timedsend mq_timedreceive", "u_abs_timeout", NULL,
	    ARG_IN(mem_timespec) },
	{ "rt_sigtimedwait", "uts", NULL, ARG_IN(mem_timespec) },
	{ "recvmmsg epoll_pwait2", "timeout", NULL, ARG_IN(mem_timespec) },
};

const struct arg_table arg_table_mem_time = ARG_TABLE(time_rows);
