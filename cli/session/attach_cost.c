/* SPDX-License-Identifier: ISC */
/*
 * Estimates and prints the cost of enabling many functions.  The time per
 * function was measured in emulated machines, some ten times slower than
 * others, so an estimate is more likely too high than too low.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/decode/func.h"
#include "cli/session/attach_cost.h"

/* By the provider's attach method. */
static const struct {
	const char *how;       /* text in its remark */
	double attach, detach; /* seconds per function, at most */
} many_costs[] = {
	{ "perf event", 0.017, 0.1 },
	{ "", 0.00025, 0.00015 },
};

static pthread_t many_thread;
static pthread_mutex_t many_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t many_cond = PTHREAD_COND_INITIALIZER;
static int many_running, many_over; /* many_over by many_mtx */
static char many_prov[DTNAMESIZE];  /* provider of the functions */
static size_t many_nfuncs;
static double many_seconds;

size_t
attach_cost_count(const struct dtioc_probe_info *pi, size_t n)
{
	size_t i, nfuncs = 0;

	for (i = 0; i < n; i++) {
		if ((pi[i].dtpi_flags & DTPI_FUNC) == 0)
			continue;
		if (nfuncs == 0)
			strcpy(many_prov, pi[i].dtpi_prov);
		nfuncs += i == 0 ||
		    strcmp(pi[i].dtpi_func, pi[i - 1].dtpi_func) != 0;
	}
	return nfuncs;
}

/*
 * Returns the provider's remark, which contains its attach method; "" if there
 * is none.
 */
static void
attach_cost_remark(struct dt *dt, char *remark, size_t size)
{
	struct dtioc_prov po = { 0 };
	size_t i;

	*remark = '\0';
	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1 ||
	    (po.dtpo_provs = malloc(po.dtpo_size)) == NULL)
		return;
	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1)
		po.dtpo_size = 0;
	for (i = 0; i < po.dtpo_size / sizeof(*po.dtpo_provs); i++)
		if (strcmp(po.dtpo_provs[i].dtpv_name, many_prov) == 0)
			snprintf(remark, size, "%s",
			    po.dtpo_provs[i].dtpv_reason);
	free(po.dtpo_provs);
}

static void
attach_cost_estimate(struct dt *dt, size_t nfuncs, char *remark, size_t size,
    double *attach, double *detach)
{
	size_t i = 0;

	attach_cost_remark(dt, remark, size);
	while (strstr(remark, many_costs[i].how) == NULL)
		i++;
	*attach = nfuncs * many_costs[i].attach;
	*detach = nfuncs * many_costs[i].detach;
}

const char *
attach_cost_span(double secs, char *buf, size_t size)
{
	if (secs < 120)
		snprintf(buf, size, "%.0f s", secs + 0.5);
	else
		snprintf(buf, size, "%.0f minutes", secs / 60 + 0.5);
	return buf;
}

void
attach_cost_refuse(struct dt *dt, const char *pattern, size_t nfuncs)
{
	double attach, detach;
	char remark[256], in[32], out[32];

	attach_cost_estimate(dt, nfuncs, remark, sizeof(remark), &attach,
	    &detach);
	warnx("%s: %zu functions are too many: attaching takes up to %s, "
	      "detaching %s, and each of their calls, on the whole machine, "
	      "about %d ns more",
	    pattern, nfuncs, attach_cost_span(attach, in, sizeof(in)),
	    attach_cost_span(detach, out, sizeof(out)), ATTACH_COST_HIT);
	if (*remark != '\0')
		warnx("attach method: %s", remark);
	errx(1, "use a narrower pattern, or --force to attach anyway");
}

static void *
attach_cost_run(void *arg)
{
	struct timespec ts, begun;
	unsigned int n;
	char most[32];

	(void)arg;
	(void)attach_cost_span(many_seconds, most, sizeof(most));
	clock_gettime(CLOCK_REALTIME, &begun);
	pthread_mutex_lock(&many_mtx);
	for (n = 0; !many_over; n++) {
		ts = begun;
		ts.tv_sec += n;
		if (n > 0)
			fprintf(stderr,
			    n <= many_seconds + 1
				? "\rAttaching %zu functions: %u s of up to "
				  "%s; Ctrl-C stops "
				: "\rAttaching %zu functions: %u s, more than "
				  "the %s expected; Ctrl-C stops ",
			    many_nfuncs, n, most);
		ts.tv_sec++;
		(void)pthread_cond_timedwait(&many_cond, &many_mtx, &ts);
	}
	pthread_mutex_unlock(&many_mtx);
	if (n > 1)
		fputc('\n', stderr);
	return NULL;
}

void
attach_cost_watch(size_t nfuncs, double secs)
{
	if (!isatty(STDERR_FILENO))
		return;
	many_seconds = secs;
	many_nfuncs = nfuncs;
	many_over = 0;
	many_running = pthread_create(&many_thread, NULL, attach_cost_run,
			   NULL) == 0;
}

void
attach_cost_start(struct dt *dt, size_t nfuncs)
{
	char remark[256];
	double attach, detach;

	if (!isatty(STDERR_FILENO))
		return;
	attach_cost_estimate(dt, nfuncs, remark, sizeof(remark), &attach,
	    &detach);
	attach_cost_watch(nfuncs, attach);
}

void
attach_cost_stop(void)
{
	if (!many_running)
		return;
	pthread_mutex_lock(&many_mtx);
	many_over = 1;
	pthread_cond_signal(&many_cond);
	pthread_mutex_unlock(&many_mtx);
	pthread_join(many_thread, NULL);
	many_running = 0;
}
