/* SPDX-License-Identifier: ISC */
/* Steps of ask.c that read: statistics, events, the data of the test device. */
#ifndef ASK_READ_H
#define ASK_READ_H

#include <sys/socket.h>
#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libdt.h>

#include "tests/run/prog/ask_handle.h"
#include "tests/run/prog/ask_hit.h"
#include "tests/run/prog/ask_name.h"
#include "tests/run/prog/ask_worker.h"

/*
 * Statistics
 */

#define ASK_FIELD(name) \
	{ \
#name, offsetof(struct dtioc_fullstat, dtfs_##name) \
	}

/* The 64-bit fields, which begin in the order of struct dt_ledger. */
static const struct {
	const char *name;
	size_t offset;
} ask_fields[] = {
	ASK_FIELD(fired),
	ASK_FIELD(read),
	ASK_FIELD(dropped),
	ASK_FIELD(recursed),
	ASK_FIELD(missed),
	ASK_FIELD(excluded),
	ASK_FIELD(skiptick),
	ASK_FIELD(idle),
	ASK_FIELD(compat),
	ASK_FIELD(unfollowed),
	ASK_FIELD(flags),
	ASK_FIELD(unpaired),
	ASK_FIELD(mode),
	ASK_FIELD(counted),
	ASK_FIELD(mapfull),
	ASK_FIELD(ringbytes),
	ASK_FIELD(cost),
	ASK_FIELD(costrun),
	ASK_FIELD(costlimit),
};

static uint64_t
ask_field(const struct dtioc_fullstat *fs, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ask_fields) / sizeof(ask_fields[0]); i++)
		if (strcmp(ask_fields[i].name, name) == 0)
			return *(const uint64_t *)((const char *)fs +
			    ask_fields[i].offset);
	if (strcmp(name, "nrings") == 0)
		return fs->dtfs_nrings;
	if (strcmp(name, "nenabled") == 0)
		return fs->dtfs_nenabled;
	if (strcmp(name, "recording") == 0)
		return fs->dtfs_recording;
	if (strcmp(name, "nopen") == 0)
		return fs->dtfs_nopen;
	errx(2, "there is no statistic %s", name);
}

/* fullstat FIELD */
static void
ask_fullstat(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_fullstat fs;

	if (dt_ioctl(h->h_dt, DTIOCGFULLSTAT, &fs) == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%llu",
		    (unsigned long long)ask_field(&fs, name_word(w, 1)));
}

/* await FIELD N: waits until DTIOCGFULLSTAT returns N for the field. */
static void
ask_await(struct handle *h, const struct words *w, struct answer *an)
{
	const struct timespec ts = { .tv_nsec = 5000000 };
	uint64_t want = name_num(name_word(w, 2));
	struct dtioc_fullstat fs;
	int i;

	for (i = 0; i < ASK_PATIENCE / 5; i++) {
		if (dt_ioctl(h->h_dt, DTIOCGFULLSTAT, &fs) == -1) {
			ask_say(an, "%s", name_errno(errno));
			return;
		}
		if (ask_field(&fs, w->wd_v[1]) == want)
			break;
		nanosleep(&ts, NULL);
	}
	ask_say(an, "%s", i < ASK_PATIENCE / 5 ? "0" : "NEVER");
}

/*
 * stats: whether DTIOCGSTATS, in both its sizes, agrees with DTIOCGFULLSTAT
 * before and after.  Repeats until the statistics stand still, since the daemon
 * may count events that the client has read already.
 */
static void
ask_stats(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_fullstat fs, after;
	struct dtioc_stat_v1 old;
	struct dtioc_stat st;

	(void)w;
	do {
		if (dt_ioctl(h->h_dt, DTIOCGFULLSTAT, &fs) == -1 ||
		    dt_ioctl(h->h_dt, DTIOCGSTATS, &st) == -1 ||
		    dt_ioctl(h->h_dt, DTIOCGSTATS_V1, &old) == -1 ||
		    dt_ioctl(h->h_dt, DTIOCGFULLSTAT, &after) == -1) {
			ask_say(an, "%s", name_errno(errno));
			return;
		}
	} while (fs.dtfs_read != after.dtfs_read ||
	    fs.dtfs_dropped != after.dtfs_dropped);
	ask_say(an, "%s",
	    st.dtst_readevt == fs.dtfs_read &&
		    st.dtst_dropevt == fs.dtfs_dropped &&
		    old.dtst_readevt == fs.dtfs_read &&
		    old.dtst_dropevt == fs.dtfs_dropped &&
		    st.dtst_skiptick == fs.dtfs_skiptick &&
		    st.dtst_recurevt == fs.dtfs_recursed
		? "same"
		: "DIFFER");
}

/* oldstats read|dropped: a counter of the older statistics. */
static void
ask_oldstats(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_stat_v1 st;

	if (dt_ioctl(h->h_dt, DTIOCGSTATS_V1, &st) == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%llu",
		    (unsigned long long)(strcmp(name_word(w, 1), "read") == 0
			    ? st.dtst_readevt
			    : st.dtst_dropevt));
}

/* ledger FIELD: a field of the END block. */
static void
ask_ledger(struct handle *h, const struct words *w, struct answer *an)
{
	struct dtioc_fullstat fs = { 0 };

	if (dt_ledger(h->h_dt, (struct dt_ledger *)&fs) == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%llu",
		    (unsigned long long)ask_field(&fs, name_word(w, 1)));
}

/* note: the daemon's reason for stopping, with underscores for blanks. */
static void
ask_note(struct handle *h, const struct words *w, struct answer *an)
{
	const char *note = dt_note(h->h_dt);

	(void)w;
	ask_append(an, note != NULL ? note : "NONE");
}

/*
 * Reading
 */

static void
ask_event(struct handle *h, const struct dt_event *ev)
{
	hit_add_event(&h->h_hits, ev);
	h->h_run++;
	h->h_total++;
}

/*
 * read N [ms=LIMIT]: reads until there have been N events since RECORD 1;
 * prints their number.
 */
static void
ask_read(struct handle *h, const struct words *w, struct answer *an)
{
	uint64_t want = name_num(name_word(w, 1));
	int ms = name_optnum(w, "ms", ASK_PATIENCE), r = 1;
	struct dt_event ev;

	while (h->h_run < want && (r = dt_next(h->h_dt, &ev, ms)) == 1)
		ask_event(h, &ev);
	if (r == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%llu", (unsigned long long)h->h_run);
}

/*
 * waits N: reads until there have been N events since RECORD 1; prints how often
 * no event was there yet.
 */
static void
ask_waits(struct handle *h, const struct words *w, struct answer *an)
{
	uint64_t want = name_num(name_word(w, 1)), n = 0;
	struct dt_event ev;
	int r = 1;

	while (h->h_run < want && r == 1) {
		if ((r = dt_next(h->h_dt, &ev, 0)) == 0) {
			n++;
			r = dt_next(h->h_dt, &ev, ASK_PATIENCE);
		}
		if (r != 1)
			break;
		ask_event(h, &ev);
	}
	if (r == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%llu", (unsigned long long)n);
}

/* next [ms=LIMIT] [alarm=MS]: one call of dt_next(). */
static void
ask_next(struct handle *h, const struct words *w, struct answer *an)
{
	int ms = name_optnum(w, "ms", 0), r;
	struct itimerval it = {
		.it_value = { .tv_usec = name_optnum(w, "alarm", 0) * 1000 }
	};
	struct sigaction sa = { .sa_handler = worker_alarm,
		.sa_flags = SA_RESTART };
	struct dt_event ev;

	if (it.it_value.tv_usec != 0) {
		sigaction(SIGALRM, &sa, NULL);
		setitimer(ITIMER_REAL, &it, NULL);
	}
	if ((r = dt_next(h->h_dt, &ev, ms)) == 1)
		ask_event(h, &ev);
	if (r == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%d", r);
}

static uint64_t
ask_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* passed [future]: dt_passed() for now, or for a time that is hours away. */
static void
ask_passed(struct handle *h, const struct words *w, struct answer *an)
{
	uint64_t time = ask_monotonic();
	int r;

	if (name_has(w, "future"))
		time += UINT64_C(10000000000000);
	if ((r = dt_passed(h->h_dt, time)) == -1)
		ask_say(an, "%s", name_errno(errno));
	else
		ask_say(an, "%d", r);
}

/*
 * pass [lowwater] [flood]: reads until all hits up to now were returned; prints
 * the number of events since RECORD 1.  lowwater: without DT_OPEN_ORDERED.
 * flood: sends further requests until then.
 */
static void
ask_pass(struct handle *h, const struct words *w, struct answer *an)
{
	int islow = name_has(w, "lowwater"), isflood = name_has(w, "flood");
	struct pollfd pfd = { .fd = dt_fd(h->h_dt), .events = POLLIN };
	uint64_t time = ask_monotonic();
	struct dt_event ev;
	int r = 0;

	if (islow)
		r = dt_ioctl(h->h_dt, DTIOCPASS, NULL);
	while (r == 0) {
		while (dt_next(h->h_dt, &ev, 0) == 1)
			ask_event(h, &ev);
		r = islow ? dt_lowwater(h->h_dt) > time
			  : dt_passed(h->h_dt, time);
		if (r == 0 && isflood)
			r = dt_ioctl(h->h_dt, DTIOCPASS, NULL);
		else if (r == 0 && poll(&pfd, 1, ASK_PATIENCE) != 1)
			break;
	}
	if (r == 1)
		ask_say(an, "%llu", (unsigned long long)h->h_run);
	else
		ask_say(an, "%s", r == 0 ? "NOPASS" : name_errno(errno));
}

/*
 * evread BYTES [ms=LIMIT]: one call of dt_read(); prints the number of events.
 */
static void
ask_evread(struct handle *h, const struct words *w, struct answer *an)
{
	size_t nbytes = name_num(name_word(w, 1)), i;
	struct dt_evt *evt = malloc(nbytes + sizeof(*evt));
	ssize_t n;

	if (evt == NULL)
		err(2, NULL);
	n = dt_read(h->h_dt, evt, nbytes, name_optnum(w, "ms", ASK_PATIENCE));
	if (n == -1)
		ask_say(an, "%s", name_errno(errno));
	else if (n % sizeof(*evt) != 0)
		ask_say(an, "PARTIAL");
	else
		ask_say(an, "%zu", n / sizeof(*evt));
	for (i = 0; n > 0 && i < n / sizeof(*evt); i++) {
		hit_add_evt(&h->h_hits, &evt[i]);
		h->h_run++;
		h->h_total++;
	}
	free(evt);
}

/*
 * readall: reads to the end that RECORD 0 makes.  Prints the number of events
 * since RECORD 1, or the error in the ledger.
 */
static void
ask_readall(struct handle *h, const struct words *w, struct answer *an)
{
	struct dt_ledger dl;
	struct dt_event ev;
	int r;

	(void)w;
	while ((r = dt_next(h->h_dt, &ev, ASK_PATIENCE)) == 1)
		ask_event(h, &ev);
	if (r == 0)
		ask_say(an, "NOEND");
	else if (errno != ENODATA)
		ask_say(an, "%s", name_errno(errno));
	else if (dt_ledger(h->h_dt, &dl) == -1)
		ask_say(an, "NOLEDGER");
	else if (dl.dl_fired !=
		dl.dl_read + dl.dl_dropped + dl.dl_recursed + dl.dl_counted +
		    dl.dl_mapfull ||
	    !(dl.dl_flags & DT_LEDGER_FINAL) || dl.dl_read != h->h_total)
		ask_say(an, "UNBALANCED:%llu,%llu,%llu,%llu,%llu,%llu,%llu",
		    (unsigned long long)dl.dl_fired,
		    (unsigned long long)dl.dl_read,
		    (unsigned long long)dl.dl_dropped,
		    (unsigned long long)dl.dl_recursed,
		    (unsigned long long)dl.dl_counted,
		    (unsigned long long)dl.dl_mapfull,
		    (unsigned long long)h->h_total);
	else
		ask_say(an, "%llu", (unsigned long long)h->h_run);
}

/* count CONDITION ...: of the events that were read. */
static void
ask_count(struct handle *h, const struct words *w, struct answer *an)
{
	ask_say(an, "%zu", hit_count(h->h_dt, &h->h_hits, w));
}

/* sorted: 1 if the events arrived in order of time. */
static void
ask_sorted(struct handle *h, const struct words *w, struct answer *an)
{
	size_t i;

	(void)w;
	for (i = 1; i < h->h_hits.hs_n; i++)
		if (h->h_hits.hs_v[i].ht_time < h->h_hits.hs_v[i - 1].ht_time)
			break;
	ask_say(an, "%d", i >= h->h_hits.hs_n);
}

/* recent SECONDS: the number of events of the last SECONDS seconds. */
static void
ask_recent(struct handle *h, const struct words *w, struct answer *an)
{
	struct timespec ts;
	int64_t now, age;
	size_t i, n = 0;

	clock_gettime(CLOCK_REALTIME, &ts);
	now = hit_time(&ts);
	for (i = 0; i < h->h_hits.hs_n; i++) {
		age = now - h->h_hits.hs_v[i].ht_time;
		n += age >= 0 &&
		    age < INT64_C(1000000000) *
			    (int64_t)name_num(name_word(w, 1));
	}
	ask_say(an, "%zu", n);
}

/* clear: forgets the events. */
static void
ask_clear(struct handle *h, const struct words *w, struct answer *an)
{
	(void)w;
	hits_clear(&h->h_hits);
	ask_say(an, "0");
}

/* poll [ms=LIMIT]: whether the descriptor is readable. */
static void
ask_poll(struct handle *h, const struct words *w, struct answer *an)
{
	struct pollfd pfd = { .fd = dt_fd(h->h_dt), .events = POLLIN };

	ask_say(an, "%d", poll(&pfd, 1, name_optnum(w, "ms", ASK_PATIENCE)));
}

/*
 * recvdata N: reads N bytes of the test device, each the previous one plus 1.
 */
static void
ask_recvdata(struct handle *h, const struct words *w, struct answer *an)
{
	size_t want = name_num(name_word(w, 1)), got = 0;
	static uint8_t buf[65536], next;
	struct pollfd pfd = { .fd = dt_fd(h->h_dt), .events = POLLIN };
	ssize_t i, n;

	while (got < want && poll(&pfd, 1, ASK_PATIENCE) == 1) {
		n = want - got < sizeof(buf) ? want - got : sizeof(buf);
		if ((n = recv(pfd.fd, buf, n, 0)) <= 0)
			break;
		for (i = 0; i < n; i++)
			if (buf[i] != next++) {
				ask_say(an, "WRONG@%zu", got + i);
				return;
			}
		got += n;
	}
	ask_say(an, "%zu", got);
}

#endif /* ASK_READ_H */
