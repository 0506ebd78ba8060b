/* SPDX-License-Identifier: ISC */
/* Prints on stderr how a recording ended. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/recording/report.h"

void
report_print_ledger(struct report *rp, const struct ledger_run *lr)
{
	struct buf b;

	if (!rp->rpt_hasledger)
		return;
	buf_init(&b, STDERR_FILENO);
	ledger_text(&b, &rp->rpt_ledger, lr);
	buf_flush(&b);
	buf_free(&b);
}

/*
 * Returns the name of the n-th file before the newest, NAME; -1: the file that
 * becomes the newest when all are renamed.  The caller frees it.
 */
static char *
report_part(const char *name, size_t len, int64_t n)
{
	char *part;
	int r;

	if (n > 0)
		r = asprintf(&part, "%.*s.%lld", (int)len, name, (long long)n);
	else
		r = asprintf(&part, "%.*s%s", (int)len, name,
		    n == 0 ? "" : ".next");
	if (r == -1)
		err(1, NULL);
	return part;
}

/*
 * Returns the file after this one: NAME.1 follows NAME.2, and NAME follows
 * NAME.1; a writer that was killed while it renamed files has left a gap of
 * one.  NULL: unknown.  The caller frees it.
 */
static char *
report_next(const char *name)
{
	const char *dot = strrchr(name, '.');
	char *next, *behind;
	size_t len;
	uint64_t n;

	if (dot == NULL || opts_number(dot + 1, 1, UINT32_MAX, &n) == -1)
		n = 0;
	len = n == 0 ? strlen(name) : (size_t)(dot - name);
	next = report_part(name, len, (int64_t)n - 1);
	if (access(next, F_OK) == 0)
		return next;
	if (n == 0) {
		free(next);
		return NULL;
	}
	behind = report_part(name, len, (int64_t)n - 2);
	if (access(behind, F_OK) == 0) {
		free(next);
		return behind;
	}
	free(behind);
	return next;
}

static void
report_print_next(const struct report *rp, const char *name)
{
	char *next = report_next(name);

	warnx("%s has %llu events; the recording continues in %s", name,
	    (unsigned long long)rp->rpt_nread,
	    next != NULL ? next : "another file");
	free(next);
}

void
report_print_stop(const struct report *rp, const char *name)
{
	const struct block_stop *stop = &rp->rpt_stop;
	char rest[96] = "";

	if (stop->bs_unwritten > 0)
		snprintf(rest, sizeof(rest),
		    "; %llu later events are not in it",
		    (unsigned long long)stop->bs_unwritten);
	switch (stop->bs_why) {
	case 0:
		break;
	case BLOCK_STOP_NEXT:
		report_print_next(rp, name);
		break;
	case BLOCK_STOP_SIZE:
		warnx("%s was full (--max-size)%s", name, rest);
		break;
	case BLOCK_STOP_ERROR:
		warnx("writing %s failed: %s%s", name, strerror(stop->bs_errno),
		    rest);
		break;
	default:
		warnx("%s ends early, for a reason unknown to this dt%s", name,
		    rest);
	}
}

void
report_damage(const char *name, const char *bad, uint64_t offset,
    uint64_t nevents)
{
	if (offset == 0)
		warnx("%s: %s", name, bad);
	else
		warnx("%s: at byte %llu: %s; the %llu events before it were "
		      "printed",
		    name, (unsigned long long)offset, bad,
		    (unsigned long long)nevents);
}
