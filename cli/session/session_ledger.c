/* SPDX-License-Identifier: ISC */
/* Fills and prints the ledger of a session. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/esc.h"
#include "cli/out/out_text.h"
#include "cli/session/seldom.h"
#include "cli/session/session_ledger.h"

struct ledger_run
session_ledger_run(const struct session *ss)
{
	struct ledger_run lr = {
		.lr_start = ss->ss_start,
		/* a script may end without a hit */
		.lr_end = ss->ss_full && ss->ss_lasttime > ss->ss_start
		    ? ss->ss_lasttime
		    : ss->ss_stop,
		.lr_shown = ss->ss_shown - ss->ss_filtered,
		.lr_filtered = ss->ss_filtered,
		.lr_unknown = ss->ss_unknown,
		.lr_guesses = ss->ss_guesses,
		.lr_pending = ss->ss_pending,
		.lr_iswaits = ss->ss_ops->so_iswaits,
		.lr_ringbytes = ss->ss_stat.dtfs_ringbytes,
		.lr_nrings = ss->ss_stat.dtfs_nrings,
		.lr_budget = ss->ss_opts->o_limits.oli_buffer
		    ? ss->ss_opts->o_limits.oli_buffer
		    : ss->ss_ops->so_budget,
		.lr_maxbudget = ss->ss_maxbudget,
		.lr_late = dt_late(ss->ss_dt),
		.lr_hasstacks = (ss->ss_ops->so_evtflags &
				    (DTEVT_KSTACK | DTEVT_USTACK)) != 0,
		.lr_note = dt_note(ss->ss_dt),
		.lr_file = ss->ss_opts->o_file.ofi_name,
	};

	if (ss->ss_stat.dtfs_runs != 0 && /* was already printed */
	    ss->ss_stat.dtfs_costrun != UINT64_MAX) {
		lr.lr_cost = ss->ss_stat.dtfs_costrun;
		lr.lr_ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	}
	return lr;
}

struct dt_ledger
session_ledger_sofar(struct session *ss)
{
	struct dt_ledger dl = { 0 };

	_Static_assert(offsetof(struct dtioc_fullstat, dtfs_ringbytes) ==
		sizeof(dl),
	    "the statistics begin with a ledger");
	if (dt_ioctl(ss->ss_dt, DTIOCGFULLSTAT, &ss->ss_stat) != -1)
		memcpy(&dl, &ss->ss_stat, sizeof(dl));
	dl.dl_read = ss->ss_shown;
	dl.dl_flags &= ~(uint64_t)DT_LEDGER_FINAL;
	return dl;
}

/* Prints which event of --until ended the session. */
static void
session_ledger_trigger(const struct session *ss, struct buf *b)
{
	if (ss->ss_trigger == NULL)
		return;
	buf_str(b, "dt: ended by ");
	esc_str(b, ss->ss_trigger->pr_full);
	buf_str(b, " of ");
	esc_str(b, ss->ss_triggercomm);
	buf_printf(b, " (%u)\n", ss->ss_triggerpid);
}

void
session_ledger_print(const struct session *ss, const struct ledger_run *lr)
{
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	session_ledger_trigger(ss, &b);
	ledger_text(&b, &ss->ss_ledger, lr);
	if (ledger_events(&ss->ss_ledger) == 0)
		seldom_text(&b, ss->ss_opts);
	if (ss->ss_opts->o_strict &&
	    ss->ss_ledger.dl_flags & DT_LEDGER_MISSED_UNKNOWN)
		buf_str(&b,
		    "dt: --strict: this kernel does not report how many "
		    "events it skipped, so they are not counted\n");
	text_wrap(&b, 0);
	buf_flush(&b);
	buf_free(&b);
}

void
session_ledger_broken(const struct ledger_run *lr)
{
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	ledger_broken(&b, lr->lr_shown + lr->lr_filtered);
	buf_flush(&b);
	buf_free(&b);
}
