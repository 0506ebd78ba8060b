/* SPDX-License-Identifier: ISC */
/*
 * Profiles a command and the processes that it starts, and fetches the stacks
 * whose tables were not ready (DTIOCGSTACK):
 *
 * copies [-c NAME] [-F HZ] [-p PROBE] COMMAND ...
 *
 * Prints how many stacks of threads whose name begins with NAME are complete at
 * once, and with the copies' frames, and how long those took.  Another session
 * must not get a copy, nor this one twice.  "copies brief" is a process that
 * lives a few milliseconds.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/prog/clockcall.h"
#include "tests/run/prog/prog.h"

#define BRIEF_NSECS 5000000
#define BRIEF_DEPTH 20
#define MAXCOPIES   100000

static const char *comm = "", *probe = "profile:hz:97";
static unsigned int hz = 997;
static struct prog_dtd dtd;
static struct dt *dt, *other;

/* A stack that is not known yet. */
static struct asked {
	uint32_t as_copy;
	uint64_t as_time;
} asked[MAXCOPIES];
static unsigned int nasked, first; /* the ones before are known */

static unsigned int noent; /* replies to another session */
static unsigned int nall, natonce, ncomplete, ncopies, nlost;
static unsigned int ends[2][16]; /* by DT_STACK_*: at once, of copies */
static double msecs[MAXCOPIES];

/*
 * A process of 5 ms
 */

__attribute__((noinline)) static uint64_t
brief(int depth)
{
	uint64_t now = 0, since;

	if (depth > 0) {
		now = brief(depth - 1);
		__asm__ volatile("" : "+r"(now)); /* no loop instead */
		return now + 1;
	}
	for (since = clockcall_thread(); now < since + BRIEF_NSECS;)
		now = clockcall_thread();
	return now;
}

/*
 * Stacks
 */

static void
copy_known(const struct asked *as, const struct dtioc_stack *dtsk)
{
	struct dtioc_stack again = { .dtsk_copy = as->as_copy };

	if (dtsk->dtsk_stack.drs_how != DT_STACK_TABLE ||
	    dtsk->dtsk_stack.drs_count == 0)
		errx(1, "how %u, %u frames", dtsk->dtsk_stack.drs_how,
		    dtsk->dtsk_stack.drs_count);
	if (dt_ioctl(dt, DTIOCGSTACK, &again) == 0 || errno != ENOENT)
		errx(1, "a copy was returned twice");
	ends[1][dtsk->dtsk_stack.drs_end & 15]++;
	ncomplete += dtsk->dtsk_stack.drs_end == DT_STACK_ENDED ||
	    dtsk->dtsk_stack.drs_count == DT_REC_MAXFRAMES;
	msecs[ncopies++] = (prog_now() - as->as_time) / 1e6;
}

/* Asks for stacks, the oldest first. */
static void
copies_ask(void)
{
	struct dtioc_stack dtsk = { 0 };

	for (; first < nasked; first++) {
		dtsk.dtsk_copy = asked[first].as_copy;
		if (dt_ioctl(other, DTIOCGSTACK, &dtsk) == 0)
			errx(1, "another session has the copy");
		noent += errno == ENOENT;
		dtsk.dtsk_copy = asked[first].as_copy;
		if (dt_ioctl(dt, DTIOCGSTACK, &dtsk) == 0)
			copy_known(&asked[first], &dtsk);
		else if (errno == EAGAIN)
			return;
		else if (errno == ENOENT)
			nlost++;
		else
			err(1, "DTIOCGSTACK");
	}
}

static void
stack_add(const struct dt_event *ev)
{
	const struct dt_rec_stack *st = ev->ev_ustack;

	if (st == NULL || ev->ev_comm == NULL ||
	    strncmp(ev->ev_comm, comm, strlen(comm)) != 0 ||
	    st->drs_end == DT_STACK_NOMM)
		return;
	nall++;
	if (st->drs_how == DT_STACK_COPIED && nasked < MAXCOPIES)
		asked[nasked++] = (struct asked){ st->drs_copy,
			ev->ev_rec->dr_time };
	else
		ends[0][st->drs_end & 15]++;
	if (st->drs_how == DT_STACK_TABLE &&
	    (st->drs_end == DT_STACK_ENDED || st->drs_end == DT_STACK_LIMIT))
		natonce++;
}

/*
 * The command
 */

static pid_t
command_start(char **argv, int sock[2])
{
	pid_t pid = prog_fork();
	char byte;

	if (pid != 0)
		return pid;
	close(sock[1]);
	if (read(sock[0], &byte, 1) != 1)
		_exit(1);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

static void
command_profile(char **argv)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_CHILDREN |
		    DTFI_ONEXEC };
	struct dt_event ev = { 0 };
	int sock[2], status = -1, isover = 0;
	pid_t pid;

	if (pipe(sock) == -1)
		err(1, "pipe");
	pid = command_start(argv, sock);
	fi.dtfi_pid = pid;
	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "filter: %s", dt_error(dt));
	prog_enable(dt, probe, DTEVT_USTACK | DTEVT_UTABLE | DTEVT_EXECNAME,
	    strncmp(probe, "profile:", 8) == 0 ? 1000000000 / hz : 0);
	prog_record(dt, 1);
	if (write(sock[1], "", 1) != 1)
		err(1, "write");
	while (dt_next(dt, &ev, isover ? 0 : 1) == 1 || !isover ||
	    first < nasked) {
		if (ev.ev_rec != NULL)
			stack_add(&ev);
		ev.ev_rec = NULL;
		copies_ask();
		if (!isover && waitpid(pid, &status, WNOHANG) == pid) {
			isover = 1;
			prog_record(dt, 0);
		}
	}
	if (status != 0)
		errx(1, "%s: status %x", argv[0], status);
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
results_print(void)
{
	unsigned int i, j;

	qsort(msecs, ncopies, sizeof(msecs[0]), compare);
	printf("%u stacks, complete at once %.1f %%, with copies %.1f %%\n",
	    nall, 100.0 * natonce / nall, 100.0 * (natonce + ncomplete) / nall);
	printf("%u copies after %.1f ms, at most %.1f ms; %u lost\n", ncopies,
	    ncopies > 0 ? msecs[ncopies / 2] : 0,
	    ncopies > 0 ? msecs[ncopies - 1] : 0, nlost);
	for (i = 0; i < 2; i++) {
		printf("%s:", i == 0 ? "at once" : "copies");
		for (j = 0; j < 16; j++)
			if (ends[i][j] != 0)
				printf(" end %u: %u", j, ends[i][j]);
		printf("\n");
	}
}

int
main(int argc, char **argv)
{
	int c;

	if (argc == 2 && strcmp(argv[1], "brief") == 0)
		return brief(BRIEF_DEPTH) == 0;
	while ((c = getopt(argc, argv, "+c:F:p:")) != -1)
		if (c == 'c')
			comm = optarg;
		else if (c == 'F')
			hz = prog_number(optarg, 4000);
		else if (c == 'p')
			probe = optarg;
		else
			return 2;
	prog_init("copies", 110);
	prog_dtd_start(&dtd, "");
	dt = prog_open(&dtd, 0);
	other = prog_open(&dtd, 0);
	command_profile(argv + optind);
	results_print();
	if (noent == 0 && ncopies > 0)
		errx(1, "another session never got ENOENT");
	dt_close(dt);
	dt_close(other);
	prog_dtd_stop(&dtd);
	return 0;
}
