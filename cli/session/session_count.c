/* SPDX-License-Identifier: ISC */
/* Counts the hits of a session by key, in the kernel if possible. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/session/session_count.h"

void
session_count_event(struct session_count *sc, const struct dt_event *ev)
{
	if (sc->ssc_iskernel)
		kernel_count_event(&sc->ssc_kernel, ev);
	else
		count_event(&sc->ssc_count, ev);
}

void
session_count_end(struct session_count *sc)
{
	if (sc->ssc_iskernel)
		kernel_count_end(&sc->ssc_kernel);
	count_end(&sc->ssc_count);
}

/* EPIPE: the session reports that dtd exited. */
void
session_count_snapshot(struct session_count *sc, uint64_t now)
{
	struct session *ss = sc->ssc_session;
	uint64_t n;

	if (!sc->ssc_iskernel || ss->ss_broken)
		return;
	if (kernel_count_snapshot(&sc->ssc_kernel, now, &n) == -1 &&
	    errno != EPIPE)
		errx(1, "cannot read the counts: %s", dt_error(ss->ss_dt));
	session_counted(ss, n);
}

uint64_t
session_count_idle(struct session_count *sc, uint64_t now)
{
	if (!sc->ssc_iskernel || sc->ssc_session->ss_stop != 0)
		return 0;
	if (kernel_rows_isdue(&sc->ssc_kernel.kct_rows, now))
		session_count_snapshot(sc, now);
	return sc->ssc_kernel.kct_rows.krw_next;
}

/* Counts in the kernel.  Returns 0, or -1 with the reason why it cannot. */
static int
session_count_kernel(struct session_count *sc, char *why, size_t nwhy)
{
	const struct session *ss = sc->ssc_session;
	struct kernel_count_probe *kcp;
	unsigned int i, n = 0;
	int r;

	if (ss->ss_opts->o_select.ose_path != NULL ||
	    ss->ss_opts->o_until.oun_n > 0) {
		snprintf(why, nwhy, "%s needs events",
		    ss->ss_opts->o_until.oun_n > 0 ? "--until" : "--path");
		return -1;
	}
	if ((kcp = calloc(ss->ss_nenabled + 1, sizeof(*kcp))) == NULL)
		err(1, "probes");
	for (i = 0; i < ss->ss_nenabled; i++)
		if (ss->ss_probes[i].spb_part != SESSION_FIRST)
			kcp[n++] = (struct kernel_count_probe){
				ss->ss_probes[i].spb_pbn,
				ss->ss_probes[i].spb_first,
				ss->ss_probes[i].spb_part == SESSION_SECOND,
			};
	r = kernel_count_start(&sc->ssc_kernel, ss->ss_dt, &sc->ssc_count, kcp,
	    n, why, nwhy);
	free(kcp);
	return r;
}

void
session_count_start(struct session_count *sc, struct session *ss,
    enum session_where where)
{
	char why[256] = "";

	sc->ssc_session = ss;
	if (where == SESSION_COUNT_CLIENT)
		snprintf(why, sizeof(why), "--count-in client");
	else
		sc->ssc_iskernel = session_count_kernel(sc, why, sizeof(why)) ==
		    0;
	if (where == SESSION_COUNT_KERNEL && *why != '\0')
		errx(1, "--count-in kernel: %s", why);
	if (!ss->ss_opts->o_print.opi_verbose)
		return;
	if (*why == '\0')
		warnx("hits are counted in the kernel");
	else
		warnx("%s are counted by dt: %s",
		    sc->ssc_iskernel ? "some hits" : "hits", why);
}

void
session_count_free(struct session_count *sc)
{
	kernel_count_free(&sc->ssc_kernel);
	count_free(&sc->ssc_count);
}
