/* SPDX-License-Identifier: ISC */
/* dt tprof top: prints the functions with the most samples, repeatedly. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/base/hash.h"
#include "cli/opts/cmd.h"
#include "cli/session/refusal.h"
#include "cli/tprof/tprof.h"
#include "common/clock.h"

#define TOP_ROWS  20 /* without a terminal */
#define TOP_FRAME 4  /* lines that are not rows */
#define NSEC	  1000000000ULL

/* Key of a function or an address. */
struct key {
	uint64_t ke_pid; /* UINT64_MAX: kernel */
	uint64_t ke_pc;
};

struct top {
	struct dt *tp_dt;
	struct name_cache tp_names;
	struct tprof_opts *tp_opts; /* keys change it */
	int tp_isterm;
	int tp_over;
	int tp_error;		  /* errno of the output, or 0 */
	struct hash tp_syms;	  /* struct key, of the address -> tprof_sym */
	struct hash tp_rows;	  /* struct key, of the function -> the same */
	uint64_t tp_n, tp_kernel; /* samples of the interval */
	unsigned int tp_ncpu;
	uint64_t *tp_before; /* counts, by CPU and counter */
};

static const struct tprof_sym *
top_sym(struct top *tp, const struct dt_tprof_sample *ts, int inkernel)
{
	const tprof_sample_t *s = &ts->ts_sample;
	const struct key ke = { inkernel ? UINT64_MAX : s->s_pid, s->s_pc };
	struct hash_entry *me = hash_get(&tp->tp_syms, &ke, sizeof(ke));

	if (me->he_ptr == NULL)
		me->he_ptr = tprof_symbol(&tp->tp_names, s->s_pid, inkernel,
		    s->s_pc, ts->ts_time);
	return me->he_ptr;
}

static void
top_sample(struct top *tp, const struct dt_tprof_sample *ts)
{
	const tprof_sample_t *s = &ts->ts_sample;
	int inkernel = (s->s_flags & TPROF_SAMPLE_INKERNEL) != 0;
	const struct tprof_sym *sy;
	struct hash_entry *me;
	struct key ke;

	if (!tprof_pids_has(&tp->tp_opts->tpo_pids, s->s_pid))
		return;
	tp->tp_n++;
	tp->tp_kernel += inkernel;
	if (!inkernel && !tp->tp_opts->tpo_isuser)
		return;
	sy = top_sym(tp, ts, inkernel);
	ke.ke_pid = inkernel ? UINT64_MAX : s->s_pid;
	ke.ke_pc = sy->sy_func != NULL ? s->s_pc - sy->sy_offset : s->s_pc;
	me = hash_get(&tp->tp_rows, &ke, sizeof(ke));
	me->he_count++;
	me->he_ptr = (void *)sy;
}

/* Output */

static void
top_counts(struct top *tp, struct buf *b)
{
	struct tprof_counts tc;
	unsigned int cpu, i;
	uint64_t *before;

	if (tp->tp_before == NULL) {
		tp->tp_ncpu = sysconf(_SC_NPROCESSORS_CONF);
		tp->tp_before = calloc(tp->tp_ncpu * TPROF_MAXCOUNTERS,
		    sizeof(*tp->tp_before));
	}
	if (tp->tp_before == NULL)
		err(1, NULL);
	for (i = 0; i < tp->tp_opts->tpo_events.tv_n; i++) {
		buf_printf(b,
		    "%s:", tp->tp_opts->tpo_events.tv_event[i].te_name);
		for (cpu = 0; cpu < tp->tp_ncpu; cpu++) {
			if (tprof_counts(tp->tp_dt, cpu, &tc) == -1)
				refusal_ioctl(tp->tp_dt, "counts");
			before = &tp->tp_before[cpu * TPROF_MAXCOUNTERS + i];
			buf_printf(b, " %" PRIu64, tc.c_count[i] - *before);
			if (!tp->tp_opts->tpo_isaccumulating)
				*before = tc.c_count[i];
		}
		buf_printf(b, "\n");
	}
}

static void
top_row(const struct top *tp, struct buf *b, const struct hash_entry *me)
{
	const struct key *ke = (const struct key *)me->he_key;
	const struct tprof_sym *sy = me->he_ptr;

	buf_printf(b, "%8" PRIu64 " %5.1f%% ", me->he_count,
	    100.0 * me->he_count / tp->tp_n);
	if (ke->ke_pid == UINT64_MAX)
		buf_printf(b, "%7s ", "kernel");
	else
		buf_printf(b, "%7" PRIu64 " ", ke->ke_pid);
	if (sy->sy_func != NULL)
		esc_str(b, sy->sy_func);
	else
		buf_printf(b, "<%016" PRIx64 ">", ke->ke_pc);
	if (sy->sy_module != NULL) {
		buf_printf(b, " (");
		esc_str(b, sy->sy_module);
		buf_printf(b, ")");
	}
	buf_printf(b, "\n");
}

static size_t
top_nrows(const struct top *tp)
{
	struct winsize ws;
	unsigned int used = TOP_FRAME +
	    (tp->tp_opts->tpo_iscounting ? tp->tp_opts->tpo_events.tv_n : 0);
	unsigned int top = tp->tp_opts->tpo_common.o_print.opi_top;

	if (top != 0)
		return top;
	if (!tp->tp_isterm || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == -1 ||
	    ws.ws_row <= used)
		return TOP_ROWS;
	return ws.ws_row - used;
}

static void
top_clear(struct top *tp)
{
	hash_clear(&tp->tp_rows);
	tp->tp_n = tp->tp_kernel = 0;
}

static void
top_show(struct top *tp)
{
	struct hash_entry **list = hash_sorted(&tp->tp_rows);
	size_t i, max = top_nrows(tp);
	struct buf b;

	buf_init(&b, STDOUT_FILENO);
	if (tp->tp_isterm)
		buf_str(&b, "\033[H\033[2J");
	buf_printf(&b,
	    "%" PRIu64 " samples, %" PRIu64 " of them in the kernel"
	    "%s\n",
	    tp->tp_n, tp->tp_kernel,
	    tp->tp_opts->tpo_isaccumulating ? ", from the start" : "");
	if (tp->tp_opts->tpo_iscounting)
		top_counts(tp, &b);
	buf_printf(&b, "%8s %6s %7s %s\n", "samples", "", "process",
	    "function");
	for (i = 0; i < tp->tp_rows.ha_n && i < max; i++)
		top_row(tp, &b, list[i]);
	buf_printf(&b, "\n");
	if (buf_flush(&b) == -1) {
		tp->tp_error = b.b_error;
		tp->tp_over = 1;
	}
	buf_free(&b);
	free(list);
	if (!tp->tp_opts->tpo_isaccumulating)
		top_clear(tp);
}

/*
 * Keys
 */

static struct termios top_before; /* of the terminal */

/* Also at an exit because of an error. */
static void
top_restore(void)
{
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &top_before);
}

/* Returns keys at once, without an echo, if there is a terminal. */
static int
top_term(void)
{
	struct termios t;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &top_before) == -1)
		return 0;
	t = top_before;
	t.c_lflag &= ~(ICANON | ECHO);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	if (atexit(top_restore) == 0)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &t);
	return 1;
}

static void
top_key(struct top *tp)
{
	char c;

	if (read(STDIN_FILENO, &c, 1) != 1)
		return;
	switch (c) {
	case 'a':
		tp->tp_opts->tpo_isaccumulating = !tp->tp_opts
						       ->tpo_isaccumulating;
		break;
	case 'c':
		tp->tp_opts->tpo_iscounting = !tp->tp_opts->tpo_iscounting;
		break;
	case 'u':
		tp->tp_opts->tpo_isuser = !tp->tp_opts->tpo_isuser;
		break;
	case 'z':
		top_clear(tp);
		break;
	case 'q':
		tp->tp_over = 1;
		break;
	}
}

static volatile sig_atomic_t top_signal;

static void
on_signal(int signo)
{
	top_signal = signo;
}

/* Reads samples until the interval is over. */
static void
top_interval(struct top *tp, uint64_t until)
{
	struct pollfd pfd[2] = { { .fd = dt_fd(tp->tp_dt), .events = POLLIN },
		{ .fd = tp->tp_isterm ? STDIN_FILENO : -1, .events = POLLIN } };
	struct dt_tprof_sample ts;
	uint64_t t;
	int r = 0;

	while (!tp->tp_over && !top_signal && (t = clock_monotonic()) < until) {
		(void)poll(pfd, 2, (until - t) / 1000000 + 1);
		while (
		    !tp->tp_over && (r = dt_tprof_next(tp->tp_dt, &ts, 0)) == 1)
			top_sample(tp, &ts);
		if (r == -1 && errno == ENODATA)
			return; /* dtd has stopped */
		if (r == -1 && errno != EINTR)
			errx(1, "samples: %s", dt_error(tp->tp_dt));
		if (pfd[1].revents != 0)
			top_key(tp);
	}
}

static void
top_run(struct top *tp)
{
	const struct sigaction sa = { .sa_handler = on_signal };
	uint64_t until = clock_monotonic(), n = 0, t, end = UINT64_MAX;

	if (tp->tp_opts->tpo_common.o_duration != 0)
		end = until + tp->tp_opts->tpo_common.o_duration;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	while (!tp->tp_over && !top_signal && dt_note(tp->tp_dt) == NULL &&
	    (uint64_t)clock_monotonic() < end &&
	    (tp->tp_opts->tpo_times == 0 || n++ < tp->tp_opts->tpo_times)) {
		/* an interval that took too long is not compensated */
		t = clock_monotonic();
		until = (until + tp->tp_opts->tpo_nsecs > t ? until : t) +
		    tp->tp_opts->tpo_nsecs;
		if (until > end)
			until = end;
		top_interval(tp, until);
		if (!tp->tp_over)
			top_show(tp);
	}
}

static int
tprof_top(struct opts *opts)
{
	struct top tp = { .tp_opts = (struct tprof_opts *)opts };
	struct tprof_info ti;
	struct dt *names;
	int ended;

	if (tp.tp_opts->tpo_nsecs == 0)
		tp.tp_opts->tpo_nsecs = NSEC;
	tp.tp_dt = tprof_open(&ti);
	if ((names = dt_open(NULL, 0)) == NULL)
		warnx("symbols will be missing: %s", dt_error(NULL));
	name_cache_init(&tp.tp_names, names);
	tprof_configure(tp.tp_dt, &ti, &tp.tp_opts->tpo_events,
	    TPROF_PARAM_PROFILE);
	tprof_start(tp.tp_dt, &tp.tp_opts->tpo_events);
	tp.tp_isterm = top_term();
	top_run(&tp);
	tprof_symbols_free(&tp.tp_syms);
	hash_clear(&tp.tp_rows);
	free(tp.tp_before);
	name_cache_free(&tp.tp_names);
	dt_close(names);
	ended = tprof_ended(tp.tp_dt);
	dt_close(tp.tp_dt);
	if (tp.tp_error != 0)
		errx(1, "output: %s", strerror(tp.tp_error));
	return ended;
}

static const char *
top_set_pids(struct opts *o, const char *arg)
{
	return tprof_pids_add(&((struct tprof_opts *)o)->tpo_pids, arg, 1);
}

static const struct opt top_opts[] = {
	TPROF_ROW_EVENT("NAME[:uk][,SCALE]",
	    "sample this event; see dt tprof monitor --help"),
	{ 'i', "interval", "TIME", "print every TIME (default 1s)", OPT_TIME,
	    OPT_OF(struct tprof_opts, tpo_nsecs), 10000000, 0,
	    "should be a time of 10ms or more" },
	{ 'd', "duration", "TIME",
	    "stop after TIME, for example 10 (seconds) or 5m", OPT_TIME,
	    OPT(o_duration) },
	{ 'n', "count", "TIMES", "stop after TIMES tables", OPT_NUMBER,
	    OPT_OF(struct tprof_opts, tpo_times), 1, INT32_MAX },
	{ 'a', NULL, NULL, "print sums since the start", OPT_FLAG,
	    OPT_OF(struct tprof_opts, tpo_isaccumulating) },
	{ 'c', NULL, NULL, "also print the counts of each CPU", OPT_FLAG,
	    OPT_OF(struct tprof_opts, tpo_iscounting) },
	{ 'u', NULL, NULL, "also print functions of programs", OPT_FLAG,
	    OPT_OF(struct tprof_opts, tpo_isuser) },
	TPROF_ROW_PIDS("PROCESS",
	    "print functions of these only: 123, or 1,2, or sshd",
	    top_set_pids),
	OPT_ROW_TOP("print at most N functions"),
	{ 0 },
};

const struct cmd cmd_tprof_top = {
	.cmd_name = "tprof top",
	.cmd_args = "[-acu] [-e NAME[:uk][,SCALE]] ... [-i TIME] [-n TIMES]",
	.cmd_what = "sample the whole machine and print the hottest functions",
	.cmd_run = tprof_top,
	.cmd_size = sizeof(struct tprof_opts),
	.cmd_opts = top_opts,
	.cmd_examples = "  # print programs and the kernel, two times\n"
			"  dt tprof top -u -n 2 -e cpu-clock\n",
};
