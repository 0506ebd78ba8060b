/* SPDX-License-Identifier: ISC */
/*
 * Signals and exits as strace(1) prints them, for dt trace: from the tracepoints
 * of generated and delivered signals and of exits, and from the calls that exit,
 * which have the status.
 *
 * A signal is printed when it is delivered.  Its sender is known if the sender is
 * traced, too; otherwise "..." is in its place.  An ignored signal is never
 * delivered, but strace, which intercepts it, prints it; so it is printed when it
 * is generated.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/decode/kind.h"
#include "cli/out/out_text.h"

#define SIGNAL_INFO    28 /* bytes of siginfo_t that can be known */
#define SIGNAL_SENDER  16 /* without the sender */
#define SIGNAL_IGNORED 1  /* field "result" of signal_generate */

/* How a process or thread ends. */
struct signal_end {
	int sgn_isexit; /* it called exit(2) or exit_group(2) */
	int sgn_status; /* argument of that call */
	int sgn_fatal;	/* signal that kills it, 0: none */
	int sgn_last;	/* harmful signal that was generated last, 0: none */
	int sgn_isover; /* it has exited: a signal is for another one */
	int sgn_isseen; /* it is traced: it had an event */
};

/* The printed beginning of siginfo_t. */
struct signal_info {
	int32_t sgi_signo, sgi_errno, sgi_code, sgi_pad;
	uint32_t sgi_pid, sgi_uid;
	int32_t sgi_status;
};

static struct hash signal_ends; /* id and enum signal_of -> struct signal_end */
static struct hash signal_infos; /* target and signal -> struct signal_info */

static void *
signal_get(struct hash *map, const void *key, size_t len, size_t size)
{
	struct hash_entry *e = hash_get(map, key, len);

	if (e->he_ptr == NULL && (e->he_ptr = calloc(1, size)) == NULL)
		err(1, NULL);
	return e->he_ptr;
}

enum signal_of {
	SIGNAL_PROCESS,
	SIGNAL_THREAD,
};

static struct signal_end *
signal_end(uint32_t id, enum signal_of of)
{
	uint32_t key[2] = { id, of };

	return signal_get(&signal_ends, key, sizeof(key),
	    sizeof(struct signal_end));
}

static struct signal_info *
signal_info(uint32_t target, uint32_t sig)
{
	uint32_t key[2] = { target, sig };

	return signal_get(&signal_infos, key, sizeof(key),
	    sizeof(struct signal_info));
}

/* Returns a field of a tracepoint; 0 if it does not exist. */
static int64_t
signal_field(const struct call *cl, const char *name)
{
	const struct dt_probe_desc *pd = &cl->cal_probe->pr_desc;
	const struct dt_event *ev = cl->cal_ev;
	unsigned int i;

	for (i = 0; i < ev->ev_nargs && i < pd->pd_info.dtpi_nargs; i++)
		if (strcmp(pd->pd_names[i].dtan_name, name) == 0)
			return (int64_t)ev->ev_args[i];
	return 0;
}

/* Returns whether a signal without a handler ends the process. */
static int
signal_isfatal(int sig)
{
	static const int harmless[] = { SIGCHLD, SIGCONT, SIGURG, SIGWINCH,
		SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU };
	size_t i;

	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (sig == harmless[i])
			return 0;
	return 1;
}

/* Prints the line of a signal.  ev: names the thread and the time. */
static void
signal_line(struct out *out, const struct dt_event *ev,
    const struct signal_info *si)
{
	struct buf *b = &out->out_buf;

	if (out->out_opts->o_print.opi_trace.otr_nosignals)
		return;
	text_trace_head(out, ev);
	buf_str(b, "--- ");
	arg_put_sig(b, si->sgi_signo);
	buf_c(b, ' ');
	arg_put_siginfo(b, si, si->sgi_pid != 0 ? SIGNAL_INFO : SIGNAL_SENDER);
	buf_str(b, " ---\n");
}

/* The child exits: its status belongs to the SIGCHLD that it sends. */
static int
signal_child(uint32_t child, int code)
{
	struct signal_end *se = signal_end(child, SIGNAL_PROCESS);
	int status = code == CLD_EXITED ? se->sgn_status & 0xff : se->sgn_fatal;

	if (code == CLD_EXITED || code == CLD_KILLED || code == CLD_DUMPED)
		*se = (struct signal_end){ 0 };
	return status;
}

static void
signal_generated(struct out *out, const struct call *cl)
{
	const struct dt_event *ev = cl->cal_ev;
	uint32_t sig = signal_field(cl, "sig");
	uint32_t target = signal_field(cl, "pid");
	struct signal_info *si = signal_info(target, sig);
	struct dt_rec rec = *ev->ev_rec;
	struct dt_event to = *ev;

	*si = (struct signal_info){ .sgi_signo = sig,
		.sgi_errno = signal_field(cl, "errno"),
		.sgi_code = signal_field(cl, "code"),
		.sgi_pid = ev->ev_rec->dr_pid,
		.sgi_uid = ev->ev_who != NULL ? ev->ev_who->drw_uid : 0 };
	if (sig == SIGCHLD && si->sgi_code > 0 && si->sgi_code != SI_KERNEL)
		si->sgi_status = signal_child(si->sgi_pid, si->sgi_code);
	if (signal_isfatal(sig))
		signal_end(target, SIGNAL_PROCESS)->sgn_last = sig;
	if (signal_field(cl, "result") != SIGNAL_IGNORED ||
	    !signal_end(target, SIGNAL_PROCESS)->sgn_isseen)
		return;
	rec.dr_pid = rec.dr_tid = target;
	to.ev_rec = &rec;
	signal_line(out, &to, si);
}

/*
 * A signal that kills becomes SIGKILL when it is generated, unless it dumps
 * core.  Returns the signal that was generated.
 */
static uint32_t
signal_cause(const struct dt_rec *rec, const struct signal_end *se,
    uint32_t sig)
{
	if (sig != SIGKILL || se->sgn_isexit || se->sgn_fatal != 0 ||
	    se->sgn_last == 0)
		return sig;
	return signal_info(rec->dr_pid, se->sgn_last)->sgi_pid != 0 ||
		signal_info(rec->dr_tid, se->sgn_last)->sgi_pid != 0
	    ? (uint32_t)se->sgn_last
	    : sig;
}

static void
signal_delivered(struct out *out, const struct call *cl)
{
	const struct dt_event *ev = cl->cal_ev;
	const struct dt_rec *rec = ev->ev_rec;
	struct signal_end *se = signal_end(rec->dr_pid, SIGNAL_PROCESS);
	uint32_t delivered = signal_field(cl, "sig"), sig;
	struct signal_info *sent, si;

	if (se->sgn_isover && delivered != SIGKILL)
		*se = (struct signal_end){ .sgn_isseen = 1 };
	sig = signal_cause(rec, se, delivered);
	sent = signal_info(rec->dr_tid, sig);
	if (sent->sgi_pid == 0) /* sent to the process */
		sent = signal_info(rec->dr_pid, sig);
	if (signal_field(cl, "sa_handler") == 0 && signal_isfatal(sig) &&
	    se->sgn_fatal == 0)
		se->sgn_fatal = sig;
	si = (struct signal_info){ .sgi_signo = sig,
		.sgi_errno = signal_field(cl, "errno"),
		.sgi_code = signal_field(cl, "code") };
	if (sent->sgi_pid != 0 &&
	    (sent->sgi_code == si.sgi_code || sig != delivered))
		si = *sent;
	*sent = (struct signal_info){ 0 };
	if (sig != SIGKILL) /* as in strace */
		signal_line(out, ev, &si);
}

static void
signal_exited(struct out *out, const struct call *cl)
{
	const struct dt_rec *rec = cl->cal_ev->ev_rec;
	struct signal_end *thread = signal_end(rec->dr_tid, SIGNAL_THREAD);
	struct signal_end *process = signal_end(rec->dr_pid, SIGNAL_PROCESS);
	const struct signal_end *se = thread->sgn_isexit ? thread : process;
	struct buf *b = &out->out_buf;

	if (out->out_opts->o_print.opi_trace.otr_quiet < 2) {
		text_trace_head(out, cl->cal_ev);
		buf_str(b, "+++ ");
		if (se->sgn_isexit)
			buf_printf(b, "exited with %d", se->sgn_status & 0xff);
		else if (process->sgn_fatal != 0) {
			buf_str(b, "killed by ");
			arg_put_sig(b, process->sgn_fatal);
		} else
			buf_str(b, "exited");
		buf_str(b, " +++\n");
	}
	*thread = (struct signal_end){ 0 };
	process->sgn_isover |= rec->dr_tid == rec->dr_pid;
}

/* Remembers the status of a call that exits; returns whether it is hidden. */
static int
signal_exit(struct out *out, const struct call *cl, int isgroup)
{
	const struct opts_trace *tr = &out->out_opts->o_print.opi_trace;
	const struct dt_event *ev = cl->cal_ev;
	struct signal_end *se;

	if (ev->ev_nargs == 0 || ev->ev_ret != NULL)
		return 0;
	se = isgroup ? signal_end(ev->ev_rec->dr_pid, SIGNAL_PROCESS)
		     : signal_end(ev->ev_rec->dr_tid, SIGNAL_THREAD);
	*se = (struct signal_end){ .sgn_isexit = 1,
		.sgn_status = ev->ev_args[0],
		.sgn_isseen = 1 };
	return (tr->otr_hides &
		   (isgroup ? OPTS_TRACE_EXITGROUP : OPTS_TRACE_EXIT)) != 0;
}

/* Signals that are ignored are printed for processes that are traced. */
static void
signal_seen(uint32_t pid)
{
	static uint32_t last;

	if (pid == last)
		return;
	last = pid;
	signal_end(pid, SIGNAL_PROCESS)->sgn_isseen = 1;
}

int
text_signal(struct out *out, const struct call *cl)
{
	static const struct {
		const char *name;
		void (*func)(struct out *, const struct call *);
	} points[] = {
		{ "tracepoint:signal:signal_generate", signal_generated },
		{ "tracepoint:signal:signal_deliver", signal_delivered },
		{ "tracepoint:sched:sched_process_exit", signal_exited },
	};
	const struct dtioc_probe_info *pi = &cl->cal_probe->pr_desc.pd_info;
	size_t i;

	signal_seen(cl->cal_ev->ev_rec->dr_pid);
	if (strncmp(pi->dtpi_func, "exit", 4) == 0 &&
	    pi->dtpi_flags & DTPI_CALL)
		return signal_exit(out, cl,
		    strcmp(pi->dtpi_func, "exit_group") == 0);
	if (pi->dtpi_prov[0] != 't')
		return 0;
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		if (strcmp(cl->cal_probe->pr_full, points[i].name) == 0) {
			points[i].func(out, cl);
			return 1;
		}
	return 0;
}
