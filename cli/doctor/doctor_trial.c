/* SPDX-License-Identifier: ISC */
/* Runs the trial of doctor_trial.h in a child process. */
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor_trial.h"
#include "common/clock.h"

#define TRIAL_STEP   10000000000 /* ns: timeout of a step */
#define TRIAL_LOOK   200	 /* ms between checks of the step */
#define TRIAL_WAIT   5000	 /* ms: timeout of an event */
#define TRIAL_TICK   1000000	 /* ns: period of the clock */
#define TRIAL_BURN   2000000000	 /* ns of work for a tick, at most */
#define TRIAL_BUDGET 1		 /* byte of rings: the smallest size */
#define TRIAL_ORPHAN 2000	 /* ms for a daemon without client to exit */

/*
 * In the child
 */

static void
trial_step(struct trial *tr, const char *step)
{
	tr->tr_step = step;
	tr->tr_nsteps++;
}

/* Stores why the last call has failed; dt NULL: dt_open().  Returns -1. */
static int
trial_failed(struct trial_error *te, const struct dt *dt)
{
	te->tre_errno = errno;
	snprintf(te->tre_text, sizeof(te->tre_text), "%s", dt_error(dt));
	return -1;
}

/* The same where libdt has no message. */
static int
trial_wrong(struct trial_error *te, int error, const char *text)
{
	te->tre_errno = error;
	snprintf(te->tre_text, sizeof(te->tre_text), "%s", text);
	return -1;
}

static void
trial_provs(struct trial *tr, struct dt *dt)
{
	struct dtioc_prov po = { .dtpo_size = sizeof(tr->tr_provs),
		.dtpo_provs = tr->tr_provs };

	trial_step(tr, "listing the providers");
	/* ENOSPC: there are more, but these suffice */
	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1 && errno != ENOSPC)
		return;
	tr->tr_nprovs = po.dtpo_size / sizeof(po.dtpo_provs[0]);
	if (tr->tr_nprovs > TRIAL_MAXPROVS)
		tr->tr_nprovs = TRIAL_MAXPROVS;
}

/*
 * Sets a filter for this process, and small rings.  A client that is named in
 * its filter sees its own events.
 */
static int
trial_prepare(struct trial_error *te, struct dt *dt)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID, .dtfi_pid = getpid() };
	uint64_t budget = TRIAL_BUDGET;

	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1 ||
	    dt_ioctl(dt, DTIOCSBUDGET, &budget) == -1)
		return trial_failed(te, dt);
	return 0;
}

static int
trial_record(struct dt *dt, int on)
{
	return dt_ioctl(dt, DTIOCRECORD, &on);
}

/* Enables a probe and starts recording; rq gets its number. */
static int
trial_start(struct trial *tr, struct dt *dt, enum trial_probe which,
    struct dtioc_req *rq)
{
	struct out_trial *ol = &tr->tr_probes[which];
	struct dtioc_probe_info *pi;
	uint64_t start;

	trial_step(tr, "enabling a probe");
	if (dt_lookup(dt, ol->ol_probe, &pi) == -1)
		return trial_failed(&tr->tr_errors[which], dt);
	rq->dtrq_pbn = pi->dtpi_pbn;
	free(pi);
	start = clock_monotonic();
	if (dt_ioctl(dt, DTIOCPRBENABLE, rq) == -1)
		return trial_failed(&tr->tr_errors[which], dt);
	ol->ol_enable = clock_monotonic() - start;
	trial_step(tr, "starting to record");
	start = clock_monotonic();
	if (trial_record(dt, 1) == -1)
		return trial_failed(&tr->tr_errors[which], dt);
	ol->ol_record = clock_monotonic() - start;
	trial_step(tr, "reading what was recorded");
	return 0;
}

/* Stops, reads the rest, and disables the probe; nothing may be lost. */
static int
trial_stop(struct trial *tr, struct dt *dt, enum trial_probe which,
    struct dtioc_req *rq)
{
	struct trial_error *te = &tr->tr_errors[which];
	struct dt_ledger dl;
	struct dt_event ev;
	int r;

	trial_step(tr, "ending the recording");
	if (trial_record(dt, 0) == -1)
		return trial_failed(te, dt);
	while ((r = dt_next(dt, &ev, TRIAL_WAIT)) == 1)
		tr->tr_probes[which].ol_read++;
	if (r == 0)
		return trial_wrong(te, ETIMEDOUT,
		    "the end of the recording did not arrive");
	if (errno != ENODATA || dt_ledger(dt, &dl) == -1 ||
	    dt_ioctl(dt, DTIOCPRBDISABLE, rq) == -1)
		return trial_failed(te, dt);
	if (dt_note(dt) != NULL) /* the daemon has stopped it */
		return trial_wrong(te, ECANCELED, dt_note(dt));
	if (dl.dl_fired != dl.dl_read)
		return trial_wrong(te, EIO, "events were lost");
	return 0;
}

/* Resolves the kernel frames of a call's stack. */
static void
trial_names(struct trial *tr, struct dt *dt, const uint64_t *pcs,
    unsigned int npcs)
{
	const char *name;
	unsigned int i;

	trial_step(tr, "naming addresses");
	tr->tr_nframes = npcs;
	for (i = 0; i < npcs; i++) {
		if ((name = dt_ksym(dt, pcs[i], NULL)) == NULL)
			(void)trial_failed(&tr->tr_noname, dt);
		else if (tr->tr_nnamed++ == 0)
			snprintf(tr->tr_frame, sizeof(tr->tr_frame), "%s",
			    name);
	}
}

/*
 * Resolves a function of the C library, a file that every system has: this
 * tests the whole lookup of user symbols.
 */
static void
trial_user(struct trial *tr, struct dt *dt)
{
	uint64_t pc = (uintptr_t)getpid, start = clock_monotonic();
	struct dtioc_fullstat fs;
	struct dt_frames fr;

	trial_step(tr, "naming code of this process");
	if (dt_symbolize(dt, getpid(), 0, &pc, 1, 0, &fr) == -1) {
		(void)trial_failed(&tr->tr_nouser, dt);
		return;
	}
	tr->tr_usertime = clock_monotonic() - start;
	if (fr.df_frames[0].df_func != NULL)
		snprintf(tr->tr_user, sizeof(tr->tr_user), "%s",
		    fr.df_frames[0].df_func);
	else
		(void)trial_wrong(&tr->tr_nouser, fr.df_frames[0].df_error,
		    fr.df_frames[0].df_error != 0
			? strerror(fr.df_frames[0].df_error)
			: "it has none");
	dt_frames_free(&fr);
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == 0)
		tr->tr_sym = fs.dtfs_sym;
}

/* Makes a known number of calls, and reads their events. */
static void
trial_calls(struct trial *tr, struct dt *dt, uint64_t begin)
{
	struct out_trial *ol = &tr->tr_probes[TRIAL_SYSCALL];
	uint64_t pcs[STACKTRACE_MAX], start = clock_monotonic();
	unsigned int npcs = 0;
	struct dt_event ev;

	for (ol->ol_made = 0; ol->ol_made < TRIAL_CALLS; ol->ol_made++)
		(void)syscall(SYS_getpid);
	while (ol->ol_read < ol->ol_made && dt_next(dt, &ev, TRIAL_WAIT) == 1) {
		if (ol->ol_read++ > 0)
			continue;
		ol->ol_event = clock_monotonic() - start;
		tr->tr_first = clock_monotonic() - begin;
		if (ev.ev_kstack == NULL ||
		    ev.ev_kstack->drs_count > STACKTRACE_MAX)
			continue;
		npcs = ev.ev_kstack->drs_count;
		memcpy(pcs, DT_STACK_PCS(ev.ev_kstack), npcs * sizeof(pcs[0]));
	}
	trial_names(tr, dt, pcs, npcs);
}

static void
trial_syscall(struct trial *tr, struct dt *dt, uint64_t begin)
{
	struct trial_error *te = &tr->tr_errors[TRIAL_SYSCALL];
	struct out_trial *ol = &tr->tr_probes[TRIAL_SYSCALL];
	struct dtioc_req rq = { .dtrq_evtflags = DTEVT_KSTACK };

	ol->ol_probe = "syscall:getpid:entry";
	if (trial_prepare(te, dt) == -1 ||
	    trial_start(tr, dt, TRIAL_SYSCALL, &rq) == -1)
		return;
	trial_calls(tr, dt, begin);
	if (trial_stop(tr, dt, TRIAL_SYSCALL, &rq) == -1)
		return;
	ol->ol_works = ol->ol_read == ol->ol_made;
	trial_user(tr, dt); /* makes calls, which would be counted */
	if (!ol->ol_works)
		(void)trial_wrong(te, EIO, "fewer events than calls");
}

/*
 * Works until a tick arrives, which takes a few periods on an idle CPU; each
 * piece of work is longer than a few periods.
 */
static void
trial_burn(struct out_trial *ol, struct dt *dt)
{
	uint64_t start = clock_monotonic(), piece;
	struct dt_event ev;

	while (ol->ol_read == 0 && clock_monotonic() - start < TRIAL_BURN) {
		piece = clock_monotonic();
		while (clock_monotonic() - piece < 4 * TRIAL_TICK)
			continue;
		if (dt_next(dt, &ev, 0) == 1)
			ol->ol_read++;
	}
	ol->ol_event = clock_monotonic() - start;
	ol->ol_made = ol->ol_event / TRIAL_TICK;
}

static void
trial_profile(struct trial *tr, struct dt *dt)
{
	struct out_trial *ol = &tr->tr_probes[TRIAL_PROFILE];
	struct dtioc_req rq = { .dtrq_nsecs = TRIAL_TICK };

	ol->ol_probe = "profile:hz:97";
	if (trial_start(tr, dt, TRIAL_PROFILE, &rq) == -1)
		return;
	trial_burn(ol, dt);
	if (trial_stop(tr, dt, TRIAL_PROFILE, &rq) == -1)
		return;
	ol->ol_works = ol->ol_read > 0;
	if (!ol->ol_works)
		(void)trial_wrong(&tr->tr_errors[TRIAL_PROFILE], EIO,
		    "no tick arrived");
}

static void
trial_child(struct trial *tr)
{
	uint64_t begin = clock_monotonic();
	struct dt *dt;

	trial_step(tr, "opening the device");
	if ((dt = dt_open(NULL, 0)) == NULL) {
		(void)trial_failed(&tr->tr_open, NULL);
		return;
	}
	tr->tr_opentime = clock_monotonic() - begin;
	tr->tr_isopen = 1;
	tr->tr_isprivate = dt_is_private(dt);
	tr->tr_rights = dt_rights(dt);
	snprintf(tr->tr_release, sizeof(tr->tr_release), "%s", dt_release(dt));
	trial_provs(tr, dt);
	trial_syscall(tr, dt, begin);
	trial_profile(tr, dt);
	trial_step(tr, "closing the device");
	dt_close(dt);
}

/* In the parent */

/* Waits until the child has ended.  Returns 0, or -1 if a step timed out. */
static int
trial_wait(const struct trial *tr, int pidfd)
{
	struct pollfd pfd = { .fd = pidfd, .events = POLLIN };
	unsigned int nsteps = tr->tr_nsteps;
	uint64_t since = clock_monotonic();

	while (poll(&pfd, 1, TRIAL_LOOK) != 1) {
		if (nsteps != tr->tr_nsteps) {
			nsteps = tr->tr_nsteps;
			since = clock_monotonic();
		}
		if (clock_monotonic() - since > TRIAL_STEP)
			return -1;
	}
	return 0;
}

/* Returns a pidfd of the only child of the child, its private daemon, or -1. */
static int
trial_daemon(pid_t child)
{
	int pid = 0, pidfd = -1;
	char path[64];
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)child,
	    (int)child);
	if ((fp = fopen(path, "re")) == NULL)
		return -1;
	if (fscanf(fp, "%d", &pid) == 1)
		pidfd = pidfd_open(pid, 0);
	fclose(fp);
	return pidfd;
}

/*
 * Kills a child that does not respond, and its daemon, after a time to exit by
 * itself.
 */
static void
trial_kill(pid_t child)
{
	struct pollfd pfd = { .fd = trial_daemon(child), .events = POLLIN };

	kill(child, SIGKILL);
	if (pfd.fd == -1)
		return;
	if (poll(&pfd, 1, TRIAL_ORPHAN) != 1) {
		(void)pidfd_send_signal(pfd.fd, SIGKILL, NULL, 0);
		(void)poll(&pfd, 1, TRIAL_ORPHAN);
	}
	close(pfd.fd);
}

/* Stores the step at which the child timed out or crashed. */
static void
trial_broken(struct trial *tr, int error, const char *how)
{
	struct trial_error *te = &tr->tr_open;

	if (tr->tr_probes[TRIAL_PROFILE].ol_probe != NULL)
		te = &tr->tr_errors[TRIAL_PROFILE];
	else if (tr->tr_isopen)
		te = &tr->tr_errors[TRIAL_SYSCALL];
	te->tre_errno = error;
	snprintf(te->tre_text, sizeof(te->tre_text), "%s %s", how,
	    tr->tr_step != NULL ? tr->tr_step : "starting");
}

static void
trial_watch(struct trial *tr, pid_t pid)
{
	int pidfd = pidfd_open(pid, 0), late, status = 0;

	late = pidfd == -1 || trial_wait(tr, pidfd) == -1;
	if (late)
		trial_kill(pid);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		continue;
	close(pidfd);
	if (late)
		trial_broken(tr, ETIMEDOUT, "no reply while");
	else if (status != 0)
		trial_broken(tr, EIO, "it crashed while");
}

const struct trial *
trial_run(void)
{
	struct trial *tr = mmap(NULL, sizeof(*tr), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (tr == MAP_FAILED)
		err(1, "mmap");
	signal(SIGCHLD, SIG_DFL); /* an ignored child has no status */
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		trial_child(tr);
		_exit(0);
	}
	trial_watch(tr, pid);
	return tr;
}
