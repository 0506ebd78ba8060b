/* SPDX-License-Identifier: ISC */
/*
 * How a recording ended, on stderr.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

void
report_print_ledger(struct report *rp, const struct ledger_run *lr)
{
	struct buf b;

	if (!rp->rp_hasledger)
		return;
	buf_init(&b, STDERR_FILENO);
	ledger_text(&b, &rp->rp_ledger, lr);
	buf_flush(&b);
	buf_free(&b);
}

/* The file that comes after NAME.2 is NAME.1, and after that NAME. */
static void
report_print_next(const struct report *rp, const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t n;

	if (dot == NULL || opts_number(dot + 1, 1, UINT32_MAX, &n) == -1)
		warnx("%s has %llu events, and the recording goes on in "
		      "another file",
		    name, (unsigned long long)rp->rp_nevents);
	else if (n == 1)
		warnx("%s has %llu events, and the recording goes on in %.*s",
		    name, (unsigned long long)rp->rp_nevents, (int)(dot - name),
		    name);
	else
		warnx("%s has %llu events, and the recording goes on in "
		      "%.*s.%llu",
		    name, (unsigned long long)rp->rp_nevents, (int)(dot - name),
		    name, (unsigned long long)n - 1);
}

void
report_print_stop(const struct report *rp, const char *name)
{
	const struct block_stop *stop = &rp->rp_stop;
	char rest[96] = "";

	if (stop->bs_unwritten > 0)
		snprintf(rest, sizeof(rest),
		    "; %llu events that came after that are not in it",
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
		warnx("%s could be written no further: %s%s", name,
		    strerror(stop->bs_errno), rest);
		break;
	default:
		warnx("%s ends early, for a reason that this dt doesn't "
		      "know%s",
		    name, rest);
	}
}

void
report_damage(const char *name, const char *bad, uint64_t offset,
    uint64_t nevents)
{
	if (offset == 0)
		warnx("%s: %s", name, bad);
	else
		warnx("%s: at byte %llu: %s; all before it was printed "
		      "(%llu events)",
		    name, (unsigned long long)offset, bad,
		    (unsigned long long)nevents);
}
