/* SPDX-License-Identifier: ISC */
#include <sys/ioctl.h>

#include <stdio.h>
#include <unistd.h>

#include "cli/out/out_ledger.h"
#include "cli/session/progress.h"
#include "cli/session/session_ledger.h"

#define PROGRESS_NSECS	 UINT64_C(1000000000)
#define PROGRESS_COLUMNS 80

void
progress_begin(struct session *ss)
{
	const struct session_ops *ops = ss->ss_ops;
	const struct opts *o = ss->ss_opts;
	int fd = o->o_print.opi_fd != 0 ? o->o_print.opi_fd : STDOUT_FILENO;
	int prints = ops->so_prints || ops->so_nsecs != 0 || ops->so_islines;

	ss->ss_progress = UINT64_MAX;
	if (isatty(STDERR_FILENO) && o->o_command == NULL &&
	    !(prints && o->o_file.ofi_name == NULL && isatty(fd)))
		ss->ss_progress = ss->ss_start + PROGRESS_NSECS;
}

uint64_t
progress_due(const struct session *ss)
{
	return ss->ss_progress;
}

/* "12 s", "12:34", "1:12:34" */
static int
progress_time(char *s, size_t size, uint64_t nsecs)
{
	unsigned int secs = nsecs / 1000000000;

	if (secs < 60)
		return snprintf(s, size, "%u s", secs);
	if (secs < 3600)
		return snprintf(s, size, "%u:%02u", secs / 60, secs % 60);
	return snprintf(s, size, "%u:%02u:%02u", secs / 3600, secs / 60 % 60,
	    secs % 60);
}

static void
progress_text(struct session *ss, char *s, size_t size, uint64_t now)
{
	struct dt_ledger dl = session_ledger_sofar(ss);
	struct ledger_run lr = session_ledger_run(ss);
	uint64_t lost = ledger_lost(&dl), n = ledger_events(&dl);
	int len = progress_time(s, size, now - ss->ss_start);

	len += snprintf(s + len, size - len, ", %llu event%s, ",
	    (unsigned long long)n, n == 1 ? "" : "s");
	if (lost == 0)
		len += snprintf(s + len, size - len, "none lost");
	else
		len += snprintf(s + len, size - len, "%llu lost",
		    (unsigned long long)lost);
	if (lr.lr_ncpu != 0)
		snprintf(s + len, size - len,
		    ", tracing takes %.1f %% of %u CPU%s", lr.lr_cost / 1e4,
		    lr.lr_ncpu, lr.lr_ncpu == 1 ? "" : "s");
}

/* The cursor returns, so that another message replaces the line. */
void
progress_show(struct session *ss, uint64_t now)
{
	struct winsize ws;
	char text[160];
	int columns = PROGRESS_COLUMNS;

	if (now < ss->ss_progress)
		return;
	ss->ss_progress = now + PROGRESS_NSECS;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		columns = ws.ws_col;
	progress_text(ss, text, sizeof(text), now);
	fprintf(stderr, "%.*s\033[K\r", columns - 1, text);
}

void
progress_hide(struct session *ss)
{
	if (ss->ss_progress != UINT64_MAX)
		fputs("\033[K", stderr);
}
