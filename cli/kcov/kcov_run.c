/* SPDX-License-Identifier: ISC */
/*
 * Runs dt kcov: forks the command, enables its thread, starts it, and copies
 * the records from the device's memory while it runs.
 *
 * The first Ctrl-C is left to the command; the second ends the run, and the
 * records are printed.  Before the command has started, Ctrl-C ends dt and the
 * command.
 */
#include <sys/mman.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/kcov/kcov.h"
#include "cli/session/attach_cost.h"
#include "cli/session/command.h"
#include "cli/session/refusal.h"
#include "cli/session/session_loop.h"
#include "common/clock.h"

#define RUN_FIRST 4000000   /* ns between passes, at first */
#define RUN_LEAST 1000000   /* with many records */
#define RUN_MOST  100000000 /* without records */
#define RUN_WAIT  5000	    /* ms that a program waits for dt */
#define RUN_LATE  (RUN_WAIT * UINT64_C(1000000) / 2) /* ns: too late */
#define RUN_MUCH  8 /* many: 1/8 of the memory */

struct run {
	const struct kcov_opts *rn_opts;
	struct dt *rn_dt;    /* device kcov */
	struct dt *rn_names; /* device dt, or NULL */
	int rn_mode;	     /* KCOV_MODE_* of the device */
	int rn_memfd;	     /* memory for the command, or -1 */
	size_t rn_nentries;  /* entries of the memory */
	struct kcov_drain rn_drain;
	struct command rn_command;
	struct name_cache rn_nonames; /* without probes */
	struct out rn_out;
	struct kcov_places rn_places;
	int rn_islate;	   /* it may have waited for dt in vain */
	uint64_t rn_ended; /* CLOCK_MONOTONIC, ns: end of the command */
	int rn_nsignals, rn_signo;
	int rn_left; /* the command keeps running */
};

static int
run_isuser(const struct run *rn)
{
	return (rn->rn_mode & KCOV_MODE_USER) != 0;
}

/* Start */

static int
run_mode(const struct kcov_opts *o)
{
	int isuser = o->kco_code == KCOV_PROGRAM || o->kco_cmp;
	char *path;

	if (o->kco_code == KCOV_AUTO && !isuser && o->kco_globs[0] == '\0' &&
	    (path = command_find(o->kco_common.o_command[0])) != NULL) {
		isuser = kcov_made(path);
		free(path);
	}
	return (o->kco_cmp ? KCOV_MODE_TRACE_CMP : KCOV_MODE_TRACE_PC) |
	    (isuser ? KCOV_MODE_USER : 0);
}

static void
run_refuse(const struct run *rn, const struct kio_price *kp)
{
	char secs[32];

	warnx("%u functions are too many: attaching takes up to %s, and each "
	      "of their calls, on the whole machine, about %d ns more",
	    kp->kp_nfuncs,
	    attach_cost_span(kp->kp_attachms / 1000.0, secs, sizeof(secs)),
	    ATTACH_COST_HIT);
	dt_close(rn->rn_dt);
	errx(1, "use a narrower pattern, or --force to attach anyway");
}

/*
 * Prints what is attached and its cost; for a few names, computing it takes too
 * long.
 */
static void
run_funcs(const struct run *rn, struct kio_price *kp)
{
	struct kio_funcs kf;
	int on = 1;

	if (rn->rn_opts->kco_common.o_limits.oli_nolimit &&
	    dt_ioctl(rn->rn_dt, KIONOLIMIT, &on) == -1)
		refusal_ioctl(rn->rn_dt, "--no-limit");
	memset(&kf, 0, sizeof(kf));
	strcpy(kf.kf_globs, rn->rn_opts->kco_globs);
	if (kf.kf_globs[0] != '\0' &&
	    dt_ioctl(rn->rn_dt, KIOSETFUNCS, &kf) == -1)
		refusal_ioctl(rn->rn_dt, kf.kf_globs);
	if (strpbrk(kf.kf_globs, "*?[") == NULL)
		return;
	if (dt_ioctl(rn->rn_dt, KIOGETPRICE, kp) == -1)
		refusal_ioctl(rn->rn_dt, kf.kf_globs);
	if (kp->kp_nfuncs > ATTACH_COST_FUNCS && !kp->kp_attached &&
	    !rn->rn_opts->kco_common.o_limits.oli_force)
		run_refuse(rn, kp);
}

static void
run_memory(struct run *rn)
{
	unsigned long n = KCOV_BUF_MAX;
	uint64_t *buf;

	if (dt_ioctl(rn->rn_dt, KIOSETBUFSIZE, &n) == -1)
		refusal_ioctl(rn->rn_dt, "memory");
	buf = dt_mmap(rn->rn_dt, n * KCOV_ENTRY_SIZE, PROT_READ | PROT_WRITE,
	    0);
	if (buf == NULL)
		errx(1, "memory: %s", dt_error(rn->rn_dt));
	kcov_drain_init(&rn->rn_drain, buf, n, rn->rn_mode & ~KCOV_MODE_USER);
	rn->rn_memfd = -1;
	if (run_isuser(rn) &&
	    (rn->rn_memfd = dt_mmap_fd(rn->rn_dt, &rn->rn_nentries)) == -1)
		errx(1, "memory: %s", dt_error(rn->rn_dt));
}

/* In the child: prepares what its runtime expects after execve(2). */
static void
run_prepare(void *arg)
{
	const struct run *rn = arg;
	char value[64];
	int fd;

	if (rn->rn_memfd == -1)
		return;
	if ((fd = dup(rn->rn_memfd)) == -1)
		err(126, "memory");
	snprintf(value, sizeof(value), "%d,%zu,%d,%d,%d", fd, rn->rn_nentries,
	    rn->rn_mode, (int)gettid(), RUN_WAIT);
	if (setenv("DTKCOV", value, 1) == -1)
		err(126, NULL);
}

/*
 * Opens the source of symbols, before the start of a process that will have
 * exited at the lookup.
 */
static void
run_names(struct run *rn)
{
	struct dt_frames frames;
	uint64_t pc = (uintptr_t)run_names;

	if ((rn->rn_names = dt_open(NULL, 0)) == NULL) {
		warnx("symbols will be missing: %s", dt_error(NULL));
		return;
	}
	if (!run_isuser(rn))
		return;
	if (dt_symbolize(rn->rn_names, rn->rn_command.cd_pid, 0, &pc, 1, 0,
		&frames) == -1)
		warnx("symbols may be missing: %s", dt_error(rn->rn_names));
	else
		dt_frames_free(&frames);
}

/* Returns what cannot be recorded, for a message. */
static const char *
run_what(const struct run *rn)
{
	if (run_isuser(rn))
		return rn->rn_opts->kco_common.o_command[0];
	return rn->rn_opts->kco_globs[0] != '\0' ? rn->rn_opts->kco_globs
						 : "functions of the kernel";
}

static void
run_enable(struct run *rn, const struct kio_price *kp)
{
	struct kio_thread kt = {
		.kt_mode = rn->rn_mode,
		.kt_tid = rn->rn_command.cd_pid,
	};

	if (kp->kp_nfuncs > ATTACH_COST_FUNCS && !kp->kp_attached)
		attach_cost_watch(kp->kp_nfuncs, kp->kp_attachms / 1000.0);
	if (dt_ioctl(rn->rn_dt, KIOENABLETHREAD, &kt) == -1)
		refusal_ioctl(rn->rn_dt, run_what(rn));
	attach_cost_stop();
}

/* Reads the earlier run. */
static void
run_before(struct kcov_places *kp, const struct kcov_opts *o)
{
	kcov_file_read(kp, o->kco_diff);
	if (kp->kpl_n > 0 && kp->kpl_list[0].oa_iscmp != o->kco_cmp)
		errx(1, "%s: %s", o->kco_diff,
		    o->kco_cmp ? "it was written without --cmp"
			       : "it was written with --cmp");
}

static void
run_open(struct run *rn, const struct kcov_opts *o)
{
	struct kio_price kp = { 0 };

	memset(rn, 0, sizeof(*rn));
	rn->rn_opts = o;
	rn->rn_mode = run_mode(o);
	if (o->kco_diff != NULL)
		run_before(&rn->rn_places, o);
	name_cache_init(&rn->rn_nonames, NULL);
	out_open(&rn->rn_out, &o->kco_common, &rn->rn_nonames);
	rn->rn_dt = refusal_open(KCOVDEVNAME, 0);
	if (!run_isuser(rn))
		run_funcs(rn, &kp);
	run_memory(rn);
	command_init(&rn->rn_command);
	rn->rn_command.cd_prepare = run_prepare;
	rn->rn_command.cd_arg = rn;
	command_start(&rn->rn_command, o->kco_common.o_command);
	if (run_isuser(rn))
		run_names(rn);
	run_enable(rn, &kp);
	sigs_init(2);
	command_go(&rn->rn_command);
}

/* Run */

static void
run_signal(struct run *rn)
{
	int byprocess, n = sigs_count(&rn->rn_signo, &byprocess);

	if (n == rn->rn_nsignals)
		return;
	rn->rn_nsignals = n;
	/* the terminal sent it to the command as well, unless that hung up */
	if (byprocess || rn->rn_signo != SIGINT)
		command_kill(&rn->rn_command, rn->rn_signo);
	rn->rn_left = n > 1;
}

/* Returns the time to the next pass, by the result of this one. */
static int64_t
run_pause(const struct run *rn, int64_t nsecs, size_t taken)
{
	size_t much = rn->rn_drain.kd_max / RUN_MUCH;

	if (taken > much)
		nsecs /= 2;
	else if (taken < much / 4)
		nsecs *= 2;
	return nsecs < RUN_LEAST ? RUN_LEAST
	    : nsecs > RUN_MOST	 ? RUN_MOST
				 : nsecs;
}

static void
run_loop(struct run *rn)
{
	struct pollfd pfd = { .fd = rn->rn_command.cd_pidfd, .events = POLLIN };
	int64_t nsecs = RUN_FIRST;
	uint64_t last;

	rn->rn_ended = clock_monotonic();
	while (!rn->rn_command.cd_ended && !rn->rn_left) {
		nsecs = run_pause(rn, nsecs, kcov_drain(&rn->rn_drain, 0));
		(void)sigs_poll(&pfd, 1, nsecs);
		run_signal(rn);
		last = rn->rn_ended;
		rn->rn_ended = clock_monotonic();
		rn->rn_islate |= rn->rn_ended - last > RUN_LATE;
		if (pfd.revents != 0)
			(void)command_wait(&rn->rn_command, 0);
	}
}

/* End */

/*
 * Reads the device's counters.  The daemon may have exited and detached; dt
 * still has the memory.
 */
static void
run_stat(const struct run *rn, struct out_kcov *ok)
{
	if (run_isuser(rn) ||
	    dt_ioctl(rn->rn_dt, KIOGETSTAT, &ok->ok_stat) == 0)
		return;
	if (errno != EPIPE)
		refusal_ioctl(rn->rn_dt, "statistics");
	ok->ok_hasexited = 1;
}

/* Prints or writes the result.  Returns the errno of a failed write. */
static int
run_print(struct run *rn, struct out_kcov *ok)
{
	const struct kcov_opts *o = rn->rn_opts;

	if (rn->rn_left)
		(void)dt_ioctl(rn->rn_dt, KIODISABLE, NULL);
	(void)kcov_drain(&rn->rn_drain, 1);
	run_stat(rn, ok);
	if (!run_isuser(rn))
		run_names(rn);
	kcov_name(&rn->rn_places, &rn->rn_drain, rn->rn_names,
	    run_isuser(rn) ? rn->rn_command.cd_pid : 0,
	    run_isuser(rn) ? rn->rn_ended : 0);
	ok->ok_n = kcov_sort(&rn->rn_places, o);
	ok->ok_places = rn->rn_places.kpl_list;
	ok->ok_iscmp = o->kco_cmp;
	ok->ok_isdiff = o->kco_diff != NULL;
	ok->ok_isuser = run_isuser(rn);
	ok->ok_read = rn->rn_drain.kd_n;
	ok->ok_nothers = rn->rn_drain.kd_nothers;
	ok->ok_nfull = rn->rn_drain.kd_nfull;
	ok->ok_islate = rn->rn_islate;
	if (o->kco_common.o_file.ofi_name != NULL)
		return kcov_file_write(o->kco_common.o_file.ofi_name,
		    &rn->rn_places, ok);
	out_kcov(&rn->rn_out, ok);
	return 0;
}

static int
run_status(const struct run *rn, const struct out_kcov *ok, int outerror)
{
	if ((outerror != 0 && outerror != EPIPE) || ok->ok_hasexited)
		return 1;
	if (!rn->rn_command.cd_ended)
		return 128 + rn->rn_signo;
	if (rn->rn_command.cd_status != 0)
		return rn->rn_command.cd_status;
	if (rn->rn_opts->kco_common.o_strict && kcov_lost(ok) > 0)
		return 3;
	if (outerror == EPIPE)
		sigs_die(SIGPIPE);
	return 0;
}

int
kcov_run(struct opts *opts)
{
	const struct kcov_opts *o = (struct kcov_opts *)opts;
	struct out_kcov ok = { 0 };
	struct run rn;
	int error, failed;

	run_open(&rn, o);
	run_loop(&rn);
	if (rn.rn_signo == SIGINT && isatty(STDERR_FILENO))
		fputc('\n', stderr); /* after the terminal's ^C */
	failed = run_print(&rn, &ok);
	if ((error = out_close(&rn.rn_out)) == 0)
		error = failed;
	if (error != 0 && error != EPIPE)
		warnx("output: %s", strerror(error));
	kcov_account(&ok);
	if (ok.ok_stat.ks_stopped > 0)
		warnx("dtd stopped the recording because its cost exceeded "
		      "cost-limit, see dtd.conf(5); use fewer functions, or "
		      "--no-limit");
	if (ok.ok_isuser && ok.ok_read == 0)
		warnx("%s recorded nothing; build it with "
		      "-fsanitize-coverage and libdtkcov.a, see dtkcov(3)",
		    o->kco_common.o_command[0]);
	munmap(rn.rn_drain.kd_buf, KCOV_BUF_MAX * KCOV_ENTRY_SIZE);
	kcov_drain_free(&rn.rn_drain);
	kcov_places_free(&rn.rn_places);
	name_cache_free(&rn.rn_nonames);
	dt_close(rn.rn_names);
	dt_close(rn.rn_dt);
	return run_status(&rn, &ok, error);
}
