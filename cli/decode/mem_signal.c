/* SPDX-License-Identifier: ISC */
/* Signal sets, actions, and information about signals. */
#include <sys/wait.h>

#include <signal.h>

#include "cli/decode/mem.h"
#include "mem_signal_names.h"

#define SIGNAL_N 64 /* signals of a set */

/* Sets: "[USR1 ALRM]", "~[KILL STOP]" if they contain most signals. */
static void
signal_put_member(struct buf *b, unsigned int sig)
{
	size_t at = b->b_len;

	/* the name without the prefix SIG */
	arg_put_sig(b, sig);
	if (b->b_len - at > 3 && b->b_data[at] == 'S') {
		b->b_len -= 3;
		for (; at < b->b_len; at++)
			b->b_data[at] = b->b_data[at + 3];
	}
}

static void
signal_put_set(struct buf *b, uint64_t set)
{
	unsigned int sig;
	int n = 0;

	if (__builtin_popcountll(set) >= SIGNAL_N * 2 / 3) {
		buf_c(b, '~');
		set = ~set;
	}
	buf_c(b, '[');
	for (sig = 1; sig <= SIGNAL_N; sig++) {
		if ((set >> (sig - 1) & 1) == 0)
			continue;
		if (n++ > 0)
			buf_c(b, ' ');
		signal_put_member(b, sig);
	}
	buf_c(b, ']');
}

static void
signal_set_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	(void)mt;
	signal_put_set(b, mem_uint(m, 0, 8));
}

const struct mem_type mem_sigset = { signal_set_put, 8, NULL };

/*
 * rt_sigaction
 */
#define SIGNAL_RESTORER 0x04000000 /* SA_RESTORER, internal to the kernel */

static void
signal_action_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	uint64_t handler = mem_uint(m, 0, 8), flags = mem_uint(m, 8, 8);

	(void)mt;
	buf_str(b, "{sa_handler=");
	if (handler == 0)
		buf_str(b, "SIG_DFL");
	else if (handler == 1)
		buf_str(b, "SIG_IGN");
	else
		buf_hex(b, handler);
	buf_str(b, ", sa_mask=");
	signal_put_set(b, mem_uint(m, 24, 8));
	buf_str(b, ", sa_flags=");
	arg_put_flags(b, &sa_names, flags);
	if (flags & SIGNAL_RESTORER) {
		buf_str(b, ", sa_restorer=");
		arg_put_ptr(b, mem_uint(m, 16, 8));
	}
	buf_c(b, '}');
}

static const struct mem_type mem_sigaction = { signal_action_put, 32, NULL };

/*
 * sigaltstack
 */
static const struct mem_type mem_ssflags = MEM_FLAGS(4, ss_names);

static const struct mem_field stack_list[] = {
	{ "ss_sp", 0, &mem_ptr },
	{ "ss_flags", 8, &mem_ssflags },
	{ "ss_size", 16, &mem_u64 },
};
static const struct mem_struct stack_fields = MEM_FIELDS(stack_list, 0);
static const struct mem_type mem_stack = MEM_STRUCT(24, stack_fields);

/* siginfo_t: signal and code determine the valid fields. */

enum signal_rest {
	REST_ADDR,
	REST_CHILD,
};

static const struct {
	int sig;
	const struct arg_names *codes;
	enum signal_rest rest;
} signal_codes[] = {
	{ SIGCHLD, &chld_names, REST_CHILD },
	{ SIGSEGV, &segv_names, REST_ADDR },
	{ SIGBUS, &bus_names, REST_ADDR },
	{ SIGFPE, &fpe_names, REST_ADDR },
	{ SIGILL, &ill_names, REST_ADDR },
	{ SIGTRAP, &trap_names, REST_ADDR },
};

/* Fields after the three common ones. */
static const struct mem_field timer_list[] = {
	{ "si_timerid", 16, &mem_x32 },
	{ "si_overrun", 20, &mem_s32 },
	{ "si_int", 24, &mem_s32 },
	{ "si_ptr", 24, &mem_ptr },
};
static const struct mem_field user_list[] = {
	{ "si_pid", 16, &mem_s32 },
	{ "si_uid", 20, &mem_s32 },
	{ "si_int", 24, &mem_s32 },
	{ "si_ptr", 24, &mem_ptr },
};
static const struct mem_field exited_list[] = {
	{ "si_pid", 16, &mem_s32 },
	{ "si_uid", 20, &mem_s32 },
	{ "si_status", 24, &mem_s32 },
	{ "si_utime", 32, &mem_s64 },
	{ "si_stime", 40, &mem_s64 },
};
static const struct mem_field child_list[] = {
	{ "si_pid", 16, &mem_s32 },
	{ "si_uid", 20, &mem_s32 },
	{ "si_status", 24, &mem_sig },
	{ "si_utime", 32, &mem_s64 },
	{ "si_stime", 40, &mem_s64 },
};
static const struct mem_field addr_list[] = {
	{ "si_addr", 16, &mem_ptr },
};

/* Prints fields of a struct in progress. */
static void
signal_put_fields(struct buf *b, const struct mem *m,
    const struct mem_field *mf, size_t n)
{
	struct mem at;

	for (; n > 0; n--, mf++) {
		at = mem_at(m, mf->mf_off);
		buf_mem(b, ", ", 2);
		if (at.m_len < mf->mf_type->mt_size) {
			buf_mem(b, "...", 3);
			return;
		}
		buf_str(b, mf->mf_name);
		buf_c(b, '=');
		mem_put(b, &at, mf->mf_type);
	}
}

static void
signal_put_sent(struct buf *b, const struct mem *m, int code)
{
	if (code == SI_TIMER)
		signal_put_fields(b, m, timer_list, 4);
	else if (code == SI_USER || code == SI_TKILL)
		signal_put_fields(b, m, user_list, 2);
	else if (code < 0)
		signal_put_fields(b, m, user_list, 4);
}

static void
signal_info_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	int sig = mem_int(m, 0, 4), code = mem_int(m, 8, 4);
	size_t i, n = sizeof(signal_codes) / sizeof(signal_codes[0]);
	uint64_t error = mem_uint(m, 4, 4);

	(void)mt;
	if (sig == 0) {
		buf_mem(b, "{}", 2);
		return;
	}
	buf_str(b, "{si_signo=");
	arg_put_sig(b, sig);
	if (error != 0) {
		buf_str(b, ", si_errno=");
		buf_u64(b, error);
	}
	buf_str(b, ", si_code=");
	for (i = 0; i < n && signal_codes[i].sig != sig; i++)
		continue;
	if (i == n || code <= 0 || code == SI_KERNEL) {
		arg_put_enum(b, &code_names, (uint32_t)code);
		signal_put_sent(b, m, code);
	} else {
		arg_put_enum(b, signal_codes[i].codes, code);
		if (signal_codes[i].rest == REST_ADDR)
			signal_put_fields(b, m, addr_list, 1);
		else
			signal_put_fields(b, m,
			    code == CLD_EXITED ? exited_list : child_list, 5);
	}
	buf_c(b, '}');
}

static const struct mem_type mem_siginfo = { signal_info_put, 12, NULL };

void
arg_put_siginfo(struct buf *b, const void *info, size_t nbytes)
{
	struct mem m = { .m_bytes = info, .m_len = nbytes, .m_true = nbytes };

	mem_put(b, &m, &mem_siginfo);
}

/*
 * sigevent
 */

static void
signal_event_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	unsigned int notify = mem_uint(m, 12, 4);

	(void)mt;
	buf_str(b, "{sigev_value={sival_int=");
	buf_s64(b, mem_int(m, 0, 4));
	buf_str(b, ", sival_ptr=");
	arg_put_ptr(b, mem_uint(m, 0, 8));
	buf_str(b, "}, sigev_signo=");
	arg_put_sig(b, mem_uint(m, 8, 4));
	buf_str(b, ", sigev_notify=");
	arg_put_enum(b, &notify_names, notify);
	if (notify == 4) {
		buf_str(b, ", sigev_notify_thread_id=");
		buf_s64(b, mem_int(m, 16, 4));
	}
	buf_c(b, '}');
}

static const struct mem_type mem_sigevent = { signal_event_put, 20, NULL };

/* Prints the signal that was accepted, after its number. */
static void
signal_ret_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_s64(b, (int64_t)v);
	buf_mem(b, " (", 2);
	arg_put_sig(b, v);
	buf_c(b, ')');
}

static const struct arg_row signal_rows[] = {
	{ "rt_sigaction", "act", NULL, ARG_IN(mem_sigaction) },
	{ "rt_sigaction", "oact", NULL, ARG_OUT(mem_sigaction) },
	{ "rt_sigprocmask", "nset", NULL, ARG_IN(mem_sigset) },
	{ "rt_sigprocmask", "oset", NULL, ARG_OUT(mem_sigset) },
	{ "rt_sigpending", "uset", NULL, ARG_OUT(mem_sigset) },
	{ "rt_sigsuspend", "unewset", NULL, ARG_IN(mem_sigset) },
	{ "rt_sigtimedwait", "uthese", NULL, ARG_IN(mem_sigset) },
	{ "rt_sigtimedwait", "uinfo", NULL, ARG_OUT(mem_siginfo) },
	{ "rt_sigtimedwait", "=", NULL, ARG_FUNC(signal_ret_text) },
	{ "rt_sigqueueinfo rt_tgsigqueueinfo", "uinfo", NULL,
	    ARG_IN(mem_siginfo) },
	{ "pidfd_send_signal", "info", NULL, ARG_IN(mem_siginfo) },
	{ "waitid", "infop", NULL, ARG_OUT(mem_siginfo) },
	{ "sigaltstack", "uss", NULL, ARG_IN(mem_stack) },
	{ "sigaltstack", "uoss", NULL, ARG_OUT(mem_stack) },
	{ "signalfd signalfd4", "user_mask", NULL, ARG_IN(mem_sigset) },
	{ "timer_create", "timer_event_spec", NULL, ARG_IN(mem_sigevent) },
	{ "mq_notify", "u_notification", NULL, ARG_IN(mem_sigevent) },
};

const struct arg_table arg_table_mem_signal = ARG_TABLE(signal_rows);
