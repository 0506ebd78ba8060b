/* SPDX-License-Identifier: ISC */
/* Signal names, and the calls that take a signal. */
#include <signal.h>

#include "cli/decode/constant.h"
#include "cli/decode/flag_names.h"
#include "signal_names.h"

#define SIG(n) [SIG##n] = "SIG" #n

/* The kernel's first real-time signal; libc reserves the first two. */
#define SIGNAL_RTMIN 32
#define SIGNAL_RTMAX 64

static const char *const signal_list[] = { SIG(HUP), SIG(INT), SIG(QUIT),
	SIG(ILL), SIG(TRAP), SIG(ABRT), SIG(BUS), SIG(FPE), SIG(KILL),
	SIG(USR1), SIG(SEGV), SIG(USR2), SIG(PIPE), SIG(ALRM), SIG(TERM),
	SIG(STKFLT), SIG(CHLD), SIG(CONT), SIG(STOP), SIG(TSTP), SIG(TTIN),
	SIG(TTOU), SIG(URG), SIG(XCPU), SIG(XFSZ), SIG(VTALRM), SIG(PROF),
	SIG(WINCH), SIG(IO), SIG(PWR), SIG(SYS) };

const char *
arg_signame(unsigned int sig)
{
	return sig < sizeof(signal_list) / sizeof(signal_list[0])
	    ? signal_list[sig]
	    : NULL;
}

void
arg_put_sig(struct buf *b, unsigned int sig)
{
	if (arg_signame(sig) != NULL)
		buf_str(b, arg_signame(sig));
	else if (sig == SIGNAL_RTMIN)
		buf_str(b, "SIGRTMIN");
	else if (sig > SIGNAL_RTMIN && sig <= SIGNAL_RTMAX) {
		buf_str(b, "SIGRT_");
		buf_u64(b, sig - SIGNAL_RTMIN);
	} else
		buf_s64(b, (int32_t)sig);
}

void
arg_sig_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_sig(b, v);
}

/* A result: 10 (SIGUSR1). */
void
arg_note_sig_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_s64(b, (int64_t)v);
	if (v == 0)
		return;
	buf_mem(b, " (", 2);
	arg_put_sig(b, v);
	buf_c(b, ')');
}

static const struct arg_row signal_rows[] = {
	{ "*", "sig", "int", ARG_FUNC(arg_sig_text) },
	{ "rt_sigprocmask sigprocmask", "how", NULL, ARG_ENUM(how_names) },
	{ "rt_sigtimedwait", "=", NULL, ARG_FUNC(arg_note_sig_text) },
	{ "pidfd_send_signal", "flags", NULL, ARG_FLAGS(pidfd_names) },
};

const struct arg_table arg_table_signal = ARG_TABLE(signal_rows);
