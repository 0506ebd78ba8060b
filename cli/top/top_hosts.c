/* SPDX-License-Identifier: ISC */
/*
 * Runs 'dt top -b' on the machines of -H and keeps the last rows of each.  A
 * machine that fails keeps its line with the reason; the next view tries it
 * again.
 */
#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/sigs.h"
#include "cli/hosts/host.h"
#include "cli/hosts/hosts_words.h"
#include "cli/top/top_hosts.h"
#include "cli/top/top_wire.h"
#include "common/clock.h"

#define HOSTS_SILENT 5000000000	   /* ns without rows, besides 3 intervals */
#define HOSTS_FIRST  30000000000UL /* ns until the first rows */
#define HOSTS_WIDTH  15		   /* columns of a name, at most */
#define HOSTS_NWORDS (2 * OPTS_MAXPIDS + 16)
#define HOSTS_TEXT   800

struct hosts_each {
	struct top_reading hoe_last, hoe_building;
	uint64_t hoe_at; /* CLOCK_MONOTONIC of hoe_last, or of the start, ns */
	int hoe_hasrows; /* hoe_last is valid */
	int hoe_isfresh; /* since the last reading */
	int hoe_wasover; /* as of the last reading */
	char hoe_said[HOSTS_TEXT]; /* last message; untrusted */
};

struct top_hosts {
	char **tho_names; /* of -H */
	unsigned int tho_nnames;
	unsigned int tho_width;	      /* of the longest one */
	const char *const *tho_words; /* values of -p */
	const char *tho_cgroup;
	struct host *tho_list; /* machines of the current scope */
	unsigned int tho_n;
	unsigned int tho_first; /* index of the first one among all */
	struct hosts_each *tho_each;
	struct pollfd *tho_pfd; /* HOST_NFDS each, and one more */
	pid_t *tho_old;		/* ssh(1) of earlier views */
	size_t tho_nold;
	int tho_hasnews;
};

/* Course */

void
top_hosts_begin(struct top_run *tp, const char *const *words,
    const char *cgroup)
{
	struct top_hosts *th = calloc(1, sizeof(*th));
	struct host *list;
	unsigned int i;

	if (th == NULL)
		err(1, NULL);
	tp->top_hosts = th;
	th->tho_words = words;
	th->tho_cgroup = cgroup;
	list = host_list(tp->top_opts->o_hosts.ohs_names, &th->tho_nnames);
	if ((th->tho_names = calloc(th->tho_nnames, sizeof(char *))) == NULL)
		err(1, NULL);
	for (i = 0; i < th->tho_nnames; i++) {
		th->tho_names[i] = list[i].hst_name;
		if (strlen(list[i].hst_name) > th->tho_width)
			th->tho_width = strlen(list[i].hst_name);
	}
	free(list);
	if (th->tho_width > HOSTS_WIDTH)
		th->tho_width = HOSTS_WIDTH;
}

struct hosts_argv {
	char *hav_words[HOSTS_NWORDS];
	int hav_n;
};

static void
hosts_add(struct hosts_argv *av, const char *word)
{
	if (av->hav_n == HOSTS_NWORDS ||
	    (av->hav_words[av->hav_n] = strdup(word)) == NULL)
		errx(1, "-H: the command line is too long");
	av->hav_n++;
}

static void
hosts_add_option(struct hosts_argv *av, const char *name, const char *value)
{
	hosts_add(av, name);
	hosts_add(av, value);
}

/* Unless a row was entered, -p is what the user gave. */
static void
hosts_add_pids(struct hosts_argv *av, const struct top_run *tp)
{
	const struct top_filter *tf = &tp->top_scopes[tp->top_depth].tsc_filter,
				*given = &tp->top_scopes[0].tsc_filter;
	const char *const *word = tp->top_hosts->tho_words;
	char text[32];
	unsigned int i;

	if (tf->tof_npids == given->tof_npids &&
	    memcmp(tf->tof_pids, given->tof_pids, sizeof(tf->tof_pids)) == 0) {
		for (; *word != NULL; word++)
			hosts_add_option(av, "-p", *word);
		return;
	}
	for (i = 0; i < tf->tof_npids; i++) {
		snprintf(text, sizeof(text), "%u", tf->tof_pids[i]);
		hosts_add_option(av, "-p", text);
	}
}

static void
hosts_request(struct buf *b, struct top_run *tp)
{
	const struct top_scope *sc = top_scope(tp);
	const char *cgroup = *sc->tsc_cgroup != '\0'
	    ? sc->tsc_cgroup
	    : tp->top_hosts->tho_cgroup;
	struct hosts_argv av = { 0 };
	char text[32];

	hosts_add(&av, "top");
	hosts_add(&av, "-b");
	snprintf(text, sizeof(text), "%lluns",
	    (unsigned long long)tp->top_nsecs);
	hosts_add_option(&av, "-d", text);
	if (sc->tsc_filter.tof_call[0] != '\0')
		hosts_add_option(&av, "--call", sc->tsc_filter.tof_call);
	else
		hosts_add_option(&av, "--view", sc->tsc_view->tov_name);
	hosts_add_pids(&av, tp);
	if (cgroup != NULL)
		hosts_add_option(&av, "--cgroup", cgroup);
	if (tp->top_opts->o_whose.owh_self)
		hosts_add(&av, "--self");
	if (tp->top_opts->o_limits.oli_nolimit)
		hosts_add(&av, "--no-limit");
	hosts_words(b, tp->top_opts, av.hav_n, av.hav_words, NULL, 0);
	while (av.hav_n > 0)
		free(av.hav_words[--av.hav_n]);
}

/* Waits for those that have ended. */
static void
hosts_reap(struct top_hosts *th)
{
	size_t i, n = 0;

	for (i = 0; i < th->tho_nold; i++)
		if (waitpid(th->tho_old[i], NULL, WNOHANG) == 0)
			th->tho_old[n++] = th->tho_old[i];
	th->tho_nold = n;
}

void
top_hosts_open(struct top_run *tp)
{
	struct top_hosts *th = tp->top_hosts;
	unsigned int host = top_scope(tp)->tsc_host, i;
	struct buf request;

	buf_init(&request, -1);
	hosts_request(&request, tp);
	th->tho_first = host != 0 ? host - 1 : 0;
	th->tho_list = host_list(host != 0 ? th->tho_names[host - 1]
					   : tp->top_opts->o_hosts.ohs_names,
	    &th->tho_n);
	th->tho_each = calloc(th->tho_n, sizeof(*th->tho_each));
	th->tho_pfd = calloc(th->tho_n * HOST_NFDS + 1, sizeof(*th->tho_pfd));
	if (th->tho_each == NULL || th->tho_pfd == NULL)
		err(1, NULL);
	for (i = 0; i < th->tho_n; i++) {
		host_start(&th->tho_list[i], host_ssh(tp->top_opts), &request);
		th->tho_each[i].hoe_at = clock_monotonic();
	}
	buf_free(&request);
	th->tho_hasnews = 0;
}

void
top_hosts_close(struct top_run *tp)
{
	struct top_hosts *th = tp->top_hosts;
	unsigned int i;
	pid_t pid;

	th->tho_old = reallocarray(th->tho_old, th->tho_nold + th->tho_n + 1,
	    sizeof(*th->tho_old));
	if (th->tho_old == NULL)
		err(1, NULL);
	for (i = 0; i < th->tho_n; i++) {
		if ((pid = host_abandon(&th->tho_list[i])) != 0)
			th->tho_old[th->tho_nold++] = pid;
		host_free(&th->tho_list[i]);
		top_reading_free(&th->tho_each[i].hoe_last);
		top_reading_free(&th->tho_each[i].hoe_building);
	}
	hosts_reap(th);
	free(th->tho_list);
	free(th->tho_each);
	free(th->tho_pfd);
	th->tho_list = NULL;
	th->tho_each = NULL;
	th->tho_pfd = NULL;
	th->tho_n = 0;
}

/* A line of a machine: a host_line_fn. */
static void
hosts_line(void *arg, struct host *ho, enum host_line kind, char *line,
    size_t len)
{
	struct top_hosts *th = arg;
	struct hosts_each *he = &th->tho_each[ho->hst_i];
	int n;

	if (kind != HOST_RESULT) {
		if (len > 0 && line[len - 1] == '\r')
			line[len - 1] = '\0'; /* of ssh */
		if (*line != '\0')
			snprintf(he->hoe_said, sizeof(he->hoe_said), "%s",
			    line);
		return;
	}
	if ((n = top_reading_line(&he->hoe_building, line, len)) == -1)
		host_stop(ho, "sent a malformed result");
	if (n != 1)
		return;
	top_reading_free(&he->hoe_last);
	he->hoe_last = he->hoe_building;
	he->hoe_building = (struct top_reading){ 0 };
	th->tho_hasnews |= !he->hoe_hasrows;
	he->hoe_hasrows = he->hoe_isfresh = 1;
	he->hoe_at = clock_monotonic();
}

void
top_hosts_poll(struct top_run *tp, struct pollfd *extra, int64_t nsecs)
{
	struct top_hosts *th = tp->top_hosts;
	struct pollfd *pfd = th->tho_pfd;
	unsigned int i, n = th->tho_n * HOST_NFDS;

	for (i = 0; i < th->tho_n; i++)
		host_poll(&th->tho_list[i], pfd + i * HOST_NFDS, 0);
	pfd[n] = *extra;
	if (sigs_poll(pfd, n + 1, nsecs) > 0) {
		extra->revents = pfd[n].revents;
		for (i = 0; i < th->tho_n; i++)
			host_serve(&th->tho_list[i], pfd + i * HOST_NFDS,
			    hosts_line, th);
	}
	for (i = 0; i < th->tho_n; i++)
		th->tho_hasnews |= host_isover(&th->tho_list[i]) &&
		    !th->tho_each[i].hoe_wasover;
	hosts_reap(th);
}

/* State */

/* Returns whether a machine has not sent rows for long. */
static int
hosts_issilent(const struct top_run *tp, const struct hosts_each *he)
{
	uint64_t limit = he->hoe_hasrows ? HOSTS_SILENT + 3 * tp->top_nsecs
					 : HOSTS_FIRST;

	return clock_monotonic() - he->hoe_at > limit;
}

int
top_hosts_hasnews(const struct top_run *tp)
{
	return tp->top_hosts->tho_hasnews;
}

int
top_hosts_arecomplete(const struct top_run *tp)
{
	const struct top_hosts *th = tp->top_hosts;
	unsigned int i;

	for (i = 0; i < th->tho_n; i++)
		if (!th->tho_each[i].hoe_isfresh &&
		    !host_isover(&th->tho_list[i]) &&
		    !hosts_issilent(tp, &th->tho_each[i]))
			return 0;
	return 1;
}

int
top_hosts_areover(const struct top_run *tp)
{
	const struct top_hosts *th = tp->top_hosts;
	unsigned int i;

	for (i = 0; i < th->tho_n; i++)
		if (!host_isover(&th->tho_list[i]))
			return 0;
	return 1;
}

int
top_hosts_hasnames(const struct top_run *tp)
{
	return top_scope((struct top_run *)tp)->tsc_filter.tof_npids == 0 &&
	    tp->top_hosts->tho_words[0] != NULL;
}

const char *
top_hosts_name(const struct top_run *tp, unsigned int host)
{
	return tp->top_hosts->tho_names[host - 1];
}

unsigned int
top_hosts_width(const struct top_run *tp)
{
	return tp->top_hosts->tho_width;
}

/* Rows */

void
top_hosts_read(struct top_run *tp)
{
	struct top_hosts *th = tp->top_hosts;
	const struct top_row *from;
	struct top_row *r;
	struct hosts_each *he;
	unsigned int i;
	char *name;
	size_t j;

	for (i = 0; i < th->tho_n; i++) {
		he = &th->tho_each[i];
		he->hoe_isfresh = 0;
		he->hoe_wasover = host_isover(&th->tho_list[i]);
		if (he->hoe_wasover || hosts_issilent(tp, he))
			continue;
		for (j = 0; j < he->hoe_last.trd_n; j++) {
			from = &he->hoe_last.trd_rows[j];
			r = top_add(tp, from->tow_name);
			name = r->tow_name;
			*r = *from;
			r->tow_name = name;
			r->tow_host = th->tho_first + i + 1;
		}
	}
	th->tho_hasnews = 0;
}

/* Lines about machines */

/* Writes why a machine sends nothing.  Returns whether that is a failure. */
static int
hosts_why(const struct top_run *tp, unsigned int i, char *text, size_t size)
{
	const struct host *ho = &tp->top_hosts->tho_list[i];
	const struct hosts_each *he = &tp->top_hosts->tho_each[i];
	const char *said = he->hoe_said;

	if (strncmp(said, "dt: ", 4) == 0)
		said += 4;
	if (ho->hst_why[0] != '\0' && *said != '\0')
		snprintf(text, size, "%.300s (%.400s)", ho->hst_why, said);
	else if (ho->hst_why[0] != '\0')
		snprintf(text, size, "%s", ho->hst_why);
	else if (host_isover(ho))
		snprintf(text, size, "%s", *said != '\0' ? said : "has ended");
	else if (hosts_issilent(tp, he))
		snprintf(text, size, "no answer for %llu s",
		    (unsigned long long)((clock_monotonic() - he->hoe_at) /
			1000000000));
	else if (!he->hoe_hasrows) {
		snprintf(text, size, "starting");
		return 0;
	} else if (he->hoe_last.trd_note != NULL)
		snprintf(text, size, "%s", he->hoe_last.trd_note);
	else
		*text = '\0';
	return *text != '\0';
}

unsigned int
top_hosts_nlines(const struct top_run *tp, unsigned int max)
{
	unsigned int n = tp->top_hosts->tho_n;

	return max == 0 ? 1 : n < max ? n : max;
}

/* Returns what is wrong with a machine: 2 it fails, 1 it loses events. */
static int
hosts_rank(const struct top_run *tp, unsigned int i)
{
	char text[HOSTS_TEXT];

	if (hosts_why(tp, i, text, sizeof(text)))
		return 2;
	return tp->top_hosts->tho_each[i].hoe_last.trd_cost.tct_lost > 0;
}

/* Returns the machine of a line: those with problems first. */
static unsigned int
hosts_of_line(const struct top_run *tp, unsigned int line)
{
	unsigned int i, n = tp->top_hosts->tho_n, at = 0;
	int rank;

	for (rank = 2; rank >= 0; rank--)
		for (i = 0; i < n; i++)
			if (hosts_rank(tp, i) == rank && at++ == line)
				return i;
	return 0;
}

/* The last line is about all further machines. */
static enum top_look
hosts_rest(struct buf *b, const struct top_run *tp, unsigned int line)
{
	const struct top_hosts *th = tp->top_hosts;
	unsigned int i, at, nfailed = 0;
	uint64_t lost = 0;

	for (at = line; at < th->tho_n; at++) {
		i = hosts_of_line(tp, at);
		nfailed += hosts_rank(tp, i) == 2;
		lost += th->tho_each[i].hoe_last.trd_cost.tct_lost;
	}
	buf_printf(b, "%u more hosts: lost %llu, %u failed", th->tho_n - line,
	    (unsigned long long)lost, nfailed);
	return lost > 0 || nfailed > 0 ? TOP_LOSS : TOP_PLAIN;
}

enum top_look
top_hosts_line(struct buf *b, struct top_run *tp, unsigned int line,
    unsigned int nlines)
{
	const struct top_hosts *th = tp->top_hosts;
	const struct top_reading *rd;
	char text[HOSTS_TEXT];
	unsigned int i;
	int isfailed;

	if (line + 1 == nlines && nlines < th->tho_n)
		return hosts_rest(b, tp, line);
	i = nlines < th->tho_n ? hosts_of_line(tp, line) : line;
	rd = &th->tho_each[i].hoe_last;
	buf_printf(b, "%s: ", th->tho_list[i].hst_name);
	isfailed = hosts_why(tp, i, text, sizeof(text));
	if (*text != '\0') {
		buf_str(b, text);
		return isfailed ? TOP_LOSS : TOP_PLAIN;
	}
	return top_layout_cost(b, &rd->trd_cost, rd->trd_nall);
}

int
top_hosts_end(struct top_run *tp)
{
	struct top_hosts *th = tp->top_hosts;
	char text[HOSTS_TEXT];
	unsigned int i;
	int status = 0;

	for (i = 0; i < th->tho_n; i++) {
		if (!host_isover(&th->tho_list[i]) ||
		    !hosts_why(tp, i, text, sizeof(text)))
			continue;
		warnx("%s: %s", th->tho_list[i].hst_name, text);
		status = 1;
	}
	top_hosts_close(tp);
	for (i = 0; i < th->tho_nnames; i++)
		free(th->tho_names[i]);
	free(th->tho_names);
	free(th->tho_old);
	free(th);
	tp->top_hosts = NULL;
	return status;
}
