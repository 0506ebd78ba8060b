/* SPDX-License-Identifier: ISC */
/*
 * Prints the ledger as text: one line if nothing was lost, and another one for
 * each kind of loss and of filtered events.
 */
#include "cli/base/esc.h"
#include "cli/out/out_ledger.h"

#define LEDGER_MINRING	 (64 << 10)	       /* per CPU, initially */
#define LEDGER_MAXRING	 (4 << 20)	       /* per CPU, initially */
#define LEDGER_MAXBUDGET (UINT64_C(256) << 20) /* 1/4 of the device's limit */
#define LEDGER_USUALMAX	 (UINT64_C(64) << 20)  /* default of --buffer-max */
#define LEDGER_NFEXIT	 "32" /* probes whose returns cannot be missed, dt(4) */

uint64_t
ledger_skipped(const struct dt_ledger *dl)
{
	return dl->dl_skiptick;
}

uint64_t
ledger_events(const struct dt_ledger *dl)
{
	return dl->dl_read + dl->dl_counted;
}

uint64_t
ledger_lost(const struct dt_ledger *dl)
{
	return dl->dl_dropped + dl->dl_recursed + dl->dl_missed +
	    dl->dl_mapfull;
}

static void
ledger_n(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_u64(b, n);
	buf_c(b, ' ');
	buf_str(b, n == 1 ? one : many);
}

/* "30.0 s", "12 ms" */
static void
ledger_nsecs(struct buf *b, uint64_t nsecs)
{
	if (nsecs >= 1000000000)
		buf_printf(b, "%.1f s", nsecs / 1e9);
	else
		buf_printf(b, "%.0f ms", nsecs / 1e6);
}

/* Prints "1200 events, 100 lost (7.7 %)": the share of all expected events */
static void
ledger_sum(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	uint64_t lost = ledger_lost(dl), n = ledger_events(dl), all = n + lost;

	buf_str(b, "dt: ");
	ledger_n(b, n, "event", "events");
	if (n == 0 && lr->lr_start != 0) {
		buf_str(b, " in ");
		ledger_nsecs(b, lr->lr_end - lr->lr_start);
	}
	if (lr->lr_newest.ln_wanted != 0)
		buf_printf(b, " (%llu kept)",
		    (unsigned long long)lr->lr_newest.ln_kept);
	else if (lr->lr_shown < n)
		buf_printf(b, " (%llu shown)",
		    (unsigned long long)lr->lr_shown);
	if (lost == 0)
		buf_str(b,
		    dl->dl_flags & DT_LEDGER_RETURNS_UNKNOWN
			? ", none known to be lost\n"
			: ", none lost\n");
	else if (lost * 1000 < all)
		buf_printf(b, ", %llu lost (less than 0.1 %%)\n",
		    (unsigned long long)lost);
	else
		buf_printf(b, ", %llu lost (%.1f %%)\n",
		    (unsigned long long)lost, 100.0 * lost / all);
}

void
ledger_newest(struct buf *b, const struct ledger_newest *ln, const char *file)
{
	buf_str(b, "dt: ");
	esc_str(b, file);
	buf_str(b, " has the last ");
	ledger_nsecs(b, ln->ln_nsecs);
	buf_str(b, ": ");
	ledger_n(b, ln->ln_kept, "event", "events");
	if (ln->ln_letgo != 0) {
		buf_str(b, "; ");
		ledger_n(b, ln->ln_letgo, "older one", "older ones");
		buf_str(b, " discarded");
	}
	if (ln->ln_memory != 0) {
		buf_printf(b, "; %llu MB did not suffice for ",
		    (unsigned long long)ln->ln_memory >> 20);
		ledger_nsecs(b, ln->ln_wanted);
		buf_str(b, " (--memory)");
	}
	buf_c(b, '\n');
}

/* The same for a file that is read, which has fewer details. */
static void
ledger_read_newest(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	if (!lr->lr_isreport || !(dl->dl_flags & DT_LEDGER_NEWEST) ||
	    dl->dl_read <= lr->lr_shown)
		return;
	buf_printf(b,
	    "dt: only the newest events were kept (--last); %llu are not in "
	    "the file\n",
	    (unsigned long long)(dl->dl_read - lr->lr_shown));
}

/*
 * Returns a larger --buffer: four times the size, up to the limit; 0: none, or
 * the size is unknown.
 */
static uint64_t
ledger_bigger(const struct ledger_run *lr)
{
	uint64_t now = lr->lr_ringbytes * lr->lr_nrings;
	uint64_t least = (uint64_t)LEDGER_MINRING * lr->lr_nrings;
	uint64_t most = (uint64_t)LEDGER_MAXRING * lr->lr_nrings;

	if (lr->lr_budget != 0 && lr->lr_budget < now)
		now = lr->lr_budget > least ? lr->lr_budget : least;
	if (now == 0 || now >= most)
		return 0;
	return now * 4 < most ? now * 4 : most;
}

/*
 * Returns a larger --buffer-max; 0: rings could not grow, or the limit was
 * enough.
 */
static uint64_t
ledger_biggermax(const struct ledger_run *lr)
{
	uint64_t max = lr->lr_maxbudget;

	if (max == 0 || max > LEDGER_MAXBUDGET)
		return 0;
	return max * 4 < LEDGER_USUALMAX ? LEDGER_USUALMAX : max * 4;
}

/*
 * Suggests a larger limit for rings that have nearly reached it, else a larger
 * initial size.
 */
static void
ledger_buffer(struct buf *b, const struct ledger_run *lr)
{
	uint64_t nbytes = ledger_bigger(lr), max = ledger_biggermax(lr);

	if (max != 0 &&
	    (nbytes == 0 ||
		lr->lr_ringbytes * lr->lr_nrings >= lr->lr_maxbudget / 4))
		buf_printf(b, "a larger buffer (--buffer-max %lluM), ",
		    (unsigned long long)max >> 20);
	else if (nbytes != 0)
		buf_printf(b, "a larger buffer (--buffer %lluk), ",
		    (unsigned long long)nbytes >> 10);
}

static void
ledger_dropped(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	if (dl->dl_dropped == 0)
		return;
	buf_printf(b,
	    "dt: %llu dropped: the ring buffer was full because dt read too "
	    "slowly",
	    (unsigned long long)dl->dl_dropped);
	if (!lr->lr_isreport) {
		buf_str(b, "; try ");
		ledger_buffer(b, lr);
		buf_str(b, "fewer probes or a filter (-p, -u, --comm)");
		if (lr->lr_hasstacks)
			buf_str(b, ", or no stacks");
	}
	buf_c(b, '\n');
}

static void
ledger_mapfull(struct buf *b, const struct dt_ledger *dl)
{
	if (dl->dl_mapfull == 0)
		return;
	buf_printf(b,
	    "dt: %llu not counted by key: the kernel's table was full; try "
	    "fewer keys, a filter (-p, --if), or --count-in client\n",
	    (unsigned long long)dl->dl_mapfull);
}

/*
 * Returns whether skipped clock ticks can change a share more than chance does:
 * they change it by skipped/n of all n ticks at most, and its sampling error is
 * up to 1/sqrt(n).  Less than 1 % is never of interest.
 */
static int
ledger_skipped_matter(uint64_t skipped, uint64_t ticks)
{
	return skipped >= ticks / 100 && skipped > (ticks + skipped) / skipped;
}

static void
ledger_others(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	uint64_t skipped = ledger_skipped(dl);

	if (dl->dl_recursed > 0)
		buf_printf(b,
		    "dt: %llu recursed: the CPU was recording another event%s\n",
		    (unsigned long long)dl->dl_recursed,
		    lr->lr_hasstacks && !lr->lr_isreport
			? "; fewer do without stacks"
			: "");
	if (dl->dl_missed > 0)
		buf_printf(b,
		    "dt: %llu missed: the kernel skips probes inside other "
		    "probes, and returns of a function that too many threads "
		    "execute%s\n",
		    (unsigned long long)dl->dl_missed,
		    dl->dl_missed > ledger_events(dl) && !lr->lr_isreport
			? "; enable at most " LEDGER_NFEXIT
			  " probes of functions, or entries only "
			  "(kprobe:NAME:entry)"
			: "");
	if (dl->dl_flags & DT_LEDGER_RETURNS_UNKNOWN)
		buf_printf(b,
		    "dt: returns may be missing: this kernel skips returns, "
		    "without counting them, while many threads execute a "
		    "function%s\n",
		    lr->lr_isreport ? ""
				    : "; with at most " LEDGER_NFEXIT
				      " probes of functions it skips none");
	if (dl->dl_unpaired > 0) {
		buf_str(b, "dt: ");
		ledger_n(b, dl->dl_unpaired, "event", "events");
		buf_printf(b,
		    " unpaired: no space to keep the first hit until the "
		    "second%s\n",
		    lr->lr_isreport ? ""
				    : "; use a filter (-p, --if), or a "
				      "larger pair-max in dtd.conf");
	}
	/* JSON always has their number */
	if (skipped > 0 && ledger_skipped_matter(skipped, dl->dl_fired)) {
		buf_str(b, "dt: ");
		ledger_n(b, skipped, "clock tick", "clock ticks");
		buf_printf(b,
		    " skipped: the CPU had interrupts disabled, or the "
		    "virtual machine was paused%s\n",
		    lr->lr_isreport ? "" : "; a lower rate (-F) skips fewer");
	}
}

static void
ledger_leftout(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	if (dl->dl_excluded > 0) {
		buf_str(b, "dt: ");
		ledger_n(b, dl->dl_excluded, "event", "events");
		buf_printf(b, " of dt itself %s excluded%s\n",
		    dl->dl_excluded == 1 ? "was" : "were",
		    lr->lr_isreport ? "" : " (--self records them)");
	}
	if (dl->dl_compat > 0) {
		buf_str(b, "dt: ");
		ledger_n(b, dl->dl_compat, "system call", "system calls");
		buf_printf(b, " of 32-bit programs %s not recorded%s\n",
		    dl->dl_compat == 1 ? "was" : "were",
		    lr->lr_isreport ? "" : " (syscall32 records them)");
	}
	if (dl->dl_unfollowed > 0) {
		buf_str(b, "dt: ");
		ledger_n(b, dl->dl_unfollowed, "process", "processes");
		buf_str(b, " could not be followed: there were too many\n");
	}
}

static void
ledger_filtered(struct buf *b, const struct ledger_run *lr)
{
	if (lr->lr_filtered == 0)
		return;
	buf_str(b, "dt: ");
	ledger_n(b, lr->lr_filtered, "event", "events");
	buf_printf(b, " %s excluded by --path\n",
	    lr->lr_filtered == 1 ? "was" : "were");
	if (lr->lr_unknown == 0)
		return;
	buf_str(b, "dt: among them ");
	ledger_n(b, lr->lr_unknown, "event", "events");
	buf_str(b, " with an unknown path\n");
}

static void
ledger_guesses(struct buf *b, const struct ledger_run *lr)
{
	if (lr->lr_guesses == 0)
		return;
	buf_str(b, "dt: ");
	ledger_n(b, lr->lr_guesses, "path", "paths");
	buf_printf(b,
	    " %s read from /proc after the call, perhaps of a later "
	    "file\n",
	    lr->lr_guesses == 1 ? "was" : "were");
}

/* Prints how many calls or waits were in progress at the end. */
static void
ledger_pending(struct buf *b, const struct ledger_run *lr)
{
	if (lr->lr_pending == 0)
		return;
	buf_str(b, "dt: ");
	if (lr->lr_iswaits) {
		ledger_n(b, lr->lr_pending, "wait", "waits");
		buf_printf(b, " had not ended, and %s not in the profile\n",
		    lr->lr_pending == 1 ? "is" : "are");
		return;
	}
	ledger_n(b, lr->lr_pending, "call", "calls");
	buf_str(b, " had not returned at the end\n");
}

/* Prints events that are out of order, though not lost. */
static void
ledger_late(struct buf *b, const struct ledger_run *lr)
{
	if (lr->lr_late == 0)
		return;
	buf_str(b, "dt: ");
	ledger_n(b, lr->lr_late, "event", "events");
	buf_printf(b, " late: %s newer ones\n",
	    lr->lr_late == 1 ? "it follows" : "they follow");
}

const char *
ledger_stopped(const struct dt_ledger *dl, const struct ledger_run *lr)
{
	if ((dl->dl_flags & DT_LEDGER_STOPPED) == 0)
		return NULL;
	return lr->lr_note != NULL ? lr->lr_note : "tracing cost too much";
}

/* Prints the cost of the run, and whether that was too high. */
static void
ledger_cost(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	const char *why = ledger_stopped(dl, lr);

	if (lr->lr_ncpu != 0) {
		buf_str(b, "dt: tracing took ");
		if (lr->lr_cost < 1000)
			buf_str(b, "less than 0.1");
		else
			buf_printf(b, "%.1f", lr->lr_cost / 1e4);
		buf_str(b, " % of ");
		ledger_n(b, lr->lr_ncpu, "CPU", "CPUs");
		buf_c(b, '\n');
	}
	if (why != NULL) {
		buf_str(b, "dt: dtd stopped the recording: ");
		esc_str(b, why);
		if (!lr->lr_isreport && !(dl->dl_flags & DT_LEDGER_CHANGED))
			buf_str(b,
			    "; use fewer probes or no stacks, or --no-limit "
			    "to continue at any cost");
		buf_c(b, '\n');
	}
}

/* Reports that --call-graph table had no effect for some probes at least. */
static void
ledger_tables(struct buf *b, const struct dt_ledger *dl)
{
	if (dl->dl_flags & DT_LEDGER_NOTABLES)
		buf_str(b,
		    "dt: dtd cannot use unwind tables here, so user stacks are "
		    "by frame pointers; its log has the reason\n");
}

/* Reports that dtd was shut down during the run. */
static void
ledger_ended(struct buf *b, const struct dt_ledger *dl)
{
	if (dl->dl_flags & DT_LEDGER_ENDED)
		buf_str(b,
		    "dt: dtd exited, which ended the recording; earlier "
		    "events are accounted for\n");
}

void
ledger_broken(struct buf *b, uint64_t n)
{
	buf_str(b, "dt: ");
	ledger_n(b, n, "event", "events");
	buf_str(b,
	    " read; the ledger is missing, so the number of other events is "
	    "unknown\n");
}

void
ledger_text(struct buf *b, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	ledger_sum(b, dl, lr);
	if (lr->lr_newest.ln_wanted != 0)
		ledger_newest(b, &lr->lr_newest, lr->lr_file);
	ledger_read_newest(b, dl, lr);
	ledger_dropped(b, dl, lr);
	ledger_mapfull(b, dl);
	ledger_others(b, dl, lr);
	ledger_leftout(b, dl, lr);
	ledger_filtered(b, lr);
	ledger_pending(b, lr);
	ledger_late(b, lr);
	ledger_guesses(b, lr);
	ledger_cost(b, dl, lr);
	ledger_tables(b, dl);
	ledger_ended(b, dl);
	if (dl->dl_flags & DT_LEDGER_FINAL)
		return;
	if (dl->dl_flags & DT_LEDGER_NEWEST)
		buf_str(b,
		    "dt: the recording continued after this was "
		    "written\n");
	else
		buf_str(b,
		    "dt: these numbers are not final: the recording did not "
		    "end normally\n");
}
