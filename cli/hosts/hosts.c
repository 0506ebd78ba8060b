/* SPDX-License-Identifier: ISC */
/*
 * The course of a command on several machines: start ssh(1) for each, read
 * until all have answered, print.  A machine that fails is reported and the
 * others go on.
 *
 * The first Ctrl-C is passed on, so that every machine prints what it has.  The
 * second is, too, and ends the wait for machines that do not answer soon; the
 * third ends dt.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/hosts/host.h"
#include "cli/hosts/hosts.h"
#include "cli/hosts/hosts_words.h"
#include "cli/hosts/merge.h"
#include "common/clock.h"

#define HOSTS_GRACE 3000000000 /* ns from the second interrupt to the end */

struct hosts {
	const struct opts *hos_opts;
	struct host *hos_list;
	unsigned int hos_n;
	struct merge hos_merge;
	int hos_nsignals;   /* signals handled */
	uint64_t hos_endat; /* CLOCK_MONOTONIC, ns; 0: none */
	int hos_isbroken;   /* the output has failed */
};

static void
hosts_interrupt(struct hosts *hs, int islast)
{
	unsigned int i;

	if (islast)
		hs->hos_endat = clock_monotonic() + HOSTS_GRACE;
	for (i = 0; i < hs->hos_n; i++)
		host_interrupt(&hs->hos_list[i]);
}

/* Passes on signals. */
static void
hosts_signal(struct hosts *hs)
{
	int signo, byprocess, n = sigs_count(&signo, &byprocess);

	if (n == hs->hos_nsignals)
		return;
	hs->hos_nsignals = n;
	if (n == 1 && signo == SIGINT && isatty(STDERR_FILENO))
		fputc('\n', stderr); /* after the terminal's ^C */
	hosts_interrupt(hs, n > 1);
}

/* Returns ns until the end of the wait, -1: there is none. */
static int64_t
hosts_timeout(struct hosts *hs)
{
	uint64_t now = clock_monotonic();
	unsigned int i;

	if (hs->hos_endat == 0)
		return -1;
	if (now < hs->hos_endat)
		return hs->hos_endat - now;
	hs->hos_endat = 0;
	for (i = 0; i < hs->hos_n; i++)
		host_stop(&hs->hos_list[i], "did not end in time");
	return -1;
}

/* Waits once; returns 0 if all machines are over. */
static int
hosts_turn(struct hosts *hs, struct pollfd *pfd)
{
	struct host *ho;
	unsigned int i, nover = 0;

	for (i = 0; i < hs->hos_n; i++) {
		ho = &hs->hos_list[i];
		host_poll(ho, pfd + i * HOST_NFDS,
		    merge_ispaused(&hs->hos_merge, ho));
		nover += host_isover(ho);
	}
	if (nover == hs->hos_n)
		return 0;
	if (sigs_poll(pfd, hs->hos_n * HOST_NFDS, hosts_timeout(hs)) > 0)
		for (i = 0; i < hs->hos_n; i++)
			host_serve(&hs->hos_list[i], pfd + i * HOST_NFDS,
			    merge_line, &hs->hos_merge);
	hosts_signal(hs);
	if (merge_print(&hs->hos_merge) == -1 && !hs->hos_isbroken) {
		hs->hos_isbroken = 1;
		hosts_interrupt(hs, 1);
	}
	return 1;
}

/* Reports why machines have no answer.  Returns the exit status. */
static int
hosts_status(const struct hosts *hs)
{
	const struct host *ho;
	unsigned int i, nfailed = 0;
	int status = 0;

	for (i = 0; i < hs->hos_n; i++) {
		ho = &hs->hos_list[i];
		if (ho->hst_why[0] != '\0') {
			nfailed++;
			warnx("%s: %s", ho->hst_name, ho->hst_why);
		} else if (ho->hst_status > status)
			status = ho->hst_status;
	}
	if (nfailed > 0 && hs->hos_n > 1)
		warnx("%u of %u hosts answered", hs->hos_n - nfailed,
		    hs->hos_n);
	return nfailed > 0 ? 1 : status;
}

int
hosts_run(const struct opts *o, int argc, char **argv, const char *script)
{
	struct hosts hs = { .hos_opts = o };
	struct pollfd *pfd;
	struct buf request;
	unsigned int i;
	int error, status;

	hs.hos_list = host_list(o->o_hosts.ohs_names, &hs.hos_n);
	merge_begin(&hs.hos_merge, o, hs.hos_list, hs.hos_n);
	buf_init(&request, -1);
	hosts_words(&request, o, argc, argv, script,
	    hs.hos_merge.mrg_out.out_format->f_isexact);
	if ((pfd = calloc(hs.hos_n, HOST_NFDS * sizeof(*pfd))) == NULL)
		err(1, NULL);
	sigs_init(2);
	for (i = 0; i < hs.hos_n; i++)
		host_start(&hs.hos_list[i], host_ssh(o), &request);
	if (o->o_command == NULL && o->o_duration == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "Recording on %u host%s... Ctrl-C stops\n",
		    hs.hos_n, hs.hos_n == 1 ? "" : "s");
	while (hosts_turn(&hs, pfd))
		;
	error = merge_end(&hs.hos_merge);
	if (error != 0 && error != EPIPE)
		warnx("output: %s", strerror(error));
	status = hosts_status(&hs);
	buf_free(&request);
	free(pfd);
	for (i = 0; i < hs.hos_n; i++)
		host_free(&hs.hos_list[i]);
	free(hs.hos_list);
	if (error == EPIPE)
		sigs_die(SIGPIPE);
	return error != 0 ? 1 : status;
}
