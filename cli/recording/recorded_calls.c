/* SPDX-License-Identifier: ISC */
/*
 * Reads a recording for its calls only: no stack is resolved, no argument is
 * formatted.  The file is untrusted, as in dt report.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/recorded_calls.h"
#include "cli/recording/report.h"

/* A recording that is being read. */
struct calls_file {
	struct report cfi_report;
	struct replay *cfi_replay;
	const char *cfi_name;
	int cfi_fd;
	int cfi_hasstack; /* of the first event; -1: there was none */
};

static ssize_t
calls_file_read(void *arg, void *buf, size_t nbytes)
{
	return read(*(int *)arg, buf, nbytes);
}

static struct calls_file *
calls_file_alloc(const char *name, int fd, const struct report_view *view)
{
	struct calls_file *cf = calloc(1, sizeof(*cf));

	if (cf == NULL)
		err(1, "%s", name);
	cf->cfi_name = name;
	cf->cfi_fd = fd;
	cf->cfi_hasstack = -1;
	cf->cfi_report.rpt_view = view;
	name_cache_init(&cf->cfi_report.rpt_names, NULL);
	cf->cfi_replay = replay_alloc(calls_file_read, report_verify,
	    &cf->cfi_fd, &cf->cfi_report);
	return cf;
}

static void
calls_file_free(struct calls_file *cf)
{
	replay_free(cf->cfi_replay);
	name_cache_free(&cf->cfi_report.rpt_names);
	close(cf->cfi_fd);
	free(cf);
}

/* Passes on the next item that matters; returns its type, or 0 at the end. */
static uint32_t
calls_file_next(struct calls_file *cf)
{
	struct block_item it;

	while (replay_next(cf->cfi_replay, &it) == 1) {
		switch (it.bi_type) {
		case BLOCK_PROBE:
		case BLOCK_DATA:
		case BLOCK_LEDGER:
		case BLOCK_STOP:
			report_item(&cf->cfi_report, &it);
			return it.bi_type;
		}
	}
	return 0;
}

/*
 * The first event
 */

static int
first_event(struct report *rp, const struct dt_event *ev)
{
	struct calls_file *cf = (struct calls_file *)rp;

	cf->cfi_hasstack = ev->ev_kstack != NULL || ev->ev_ustack != NULL;
	return 0;
}

int
recorded_calls_only(const char *name)
{
	static const struct report_view view = { .rv_event = first_event };
	int fd = open(name, O_RDONLY | O_CLOEXEC), hasstack;
	struct calls_file *cf;
	struct stat st;

	if (fd == -1)
		return 0;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	cf = calls_file_alloc(name, fd, &view);
	while (cf->cfi_hasstack == -1 && calls_file_next(cf) != 0)
		;
	hasstack = cf->cfi_hasstack;
	calls_file_free(cf);
	return hasstack == 0;
}

/*
 * All calls
 */

static void
recorded_probe(struct report *rp, const struct probe *pr)
{
	key_learn(rp->rpt_tally->cnt_by, pr);
}

/* Counts calls and pairs; other events have no time. */
static int
recorded_event(struct report *rp, const struct dt_event *ev)
{
	struct key_side side;

	if (ev->ev_duration == NULL) {
		side = key_side(rp->rpt_tally->cnt_by, ev);
		if (!side.kx_isentry && !side.kx_isreturn)
			return 0;
	}
	count_event(rp->rpt_tally, ev);
	return 0;
}

static void
recorded_begin(struct calls_file *cf, struct count *ta)
{
	static const struct count_opts co = { .cno_quantiles = 1,
		.cno_iscalls = 1 };
	char why[256];
	struct keys *by = keys_alloc(CALL_ROWS_KEYS, "duration",
	    &cf->cfi_report.rpt_names, why, sizeof(why));

	if (by == NULL)
		errx(1, "%s", why);
	count_init(ta, by, &co);
	cf->cfi_report.rpt_tally = ta;
}

static void
recorded_check(const struct calls_file *cf)
{
	const char *bad = replay_damage(cf->cfi_replay);

	if (bad != NULL)
		errx(1, "%s: at byte %llu: %s", cf->cfi_name,
		    (unsigned long long)replay_offset(cf->cfi_replay), bad);
}

static void
recorded_end(struct calls_file *cf, struct call_sums *cls,
    void (*fn)(void *, const struct call_row *), void *arg)
{
	const struct report *rp = &cf->cfi_report;
	struct out_counts ot;
	size_t i;

	count_end(rp->rpt_tally);
	count_result(rp->rpt_tally, &ot, 0, 0);
	*cls = (struct call_sums){
		.csu_nsecs = rp->rpt_youngest - rp->rpt_oldest,
		.csu_lost = ledger_lost(&rp->rpt_ledger),
	};
	for (i = 0; i < ot.ot_n; i++)
		cls->csu_n += ot.ot_counts[i].oc_count;
	call_rows_each(&ot, fn, arg);
	count_next(rp->rpt_tally, &ot);
	count_free(rp->rpt_tally);
}

void
recorded_calls_read(const char *name, struct call_sums *cls,
    void (*fn)(void *, const struct call_row *), void *arg)
{
	static const struct report_view view = { .rv_probe = recorded_probe,
		.rv_event = recorded_event };
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct calls_file *cf;
	struct count ta;

	if (fd == -1)
		err(1, "%s", name);
	cf = calls_file_alloc(name, fd, &view);
	recorded_begin(cf, &ta);
	while (calls_file_next(cf) != 0)
		;
	recorded_check(cf);
	recorded_end(cf, cls, fn, arg);
	calls_file_free(cf);
}
