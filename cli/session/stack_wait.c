/* SPDX-License-Identifier: ISC */
/* Delays events until dtd has found their user stacks. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/stack_wait.h"

/* An event that waits, with a copy of its record. */
struct stack_wait_event {
	TAILQ_ENTRY(stack_wait_event) swe_next;	   /* in sw_events */
	TAILQ_ENTRY(stack_wait_event) swe_awaited; /* in sw_awaited */
	struct dt_event swe_ev;			   /* of swe_rec */
	struct dt_rec *swe_rec;
	uint64_t swe_lowwater; /* of the stream when it arrived */
	uint64_t swe_until;    /* time at which it waits no longer */
	uint64_t swe_due;      /* time of the next request */
	uint64_t swe_pause;    /* ns, until the one that follows */
	int swe_isawaited;     /* is it in sw_awaited? */
};

/* Returns whether the frames of a stack are not known yet. */
static int
stack_wait_iscopied(const struct dt_rec_stack *st)
{
	return st->drs_how == DT_STACK_COPIED;
}

void
stack_wait_init(struct stack_wait *sw, struct dt *dt)
{
	memset(sw, 0, sizeof(*sw));
	sw->sw_dt = dt;
	sw->sw_due = UINT64_MAX;
	TAILQ_INIT(&sw->sw_events);
	TAILQ_INIT(&sw->sw_awaited);
}

static void
stack_wait_free_event(struct stack_wait_event *e)
{
	if (e == NULL)
		return;
	free(e->swe_rec);
	free(e);
}

static size_t
stack_wait_nbytes(const struct stack_wait_event *e)
{
	return sizeof(*e) + e->swe_rec->dr_length;
}

static struct dt_rec *
stack_wait_alloc_rec(size_t nbytes)
{
	struct dt_rec *rec = malloc(nbytes);

	if (rec == NULL)
		err(1, "events");
	return rec;
}

/* Sets the record of an event, which then owns it. */
static void
stack_wait_set_rec(struct stack_wait_event *e, struct dt_rec *rec)
{
	const struct timespec realtime = e->swe_ev.ev_realtime;
	unsigned int cpu = e->swe_ev.ev_cpu;

	if (dt_decode(rec, rec->dr_length, e->swe_ev.ev_nargs, &e->swe_ev) ==
	    -1)
		errx(1, "a record is inconsistent"); /* it was decoded before */
	e->swe_ev.ev_realtime = realtime;
	e->swe_ev.ev_cpu = cpu;
	free(e->swe_rec);
	e->swe_rec = rec;
}

/* Puts the frames that dtd found in place of those by frame pointers. */
static void
stack_wait_replace(struct stack_wait *sw, struct stack_wait_event *e,
    const struct dt_rec_stack *found)
{
	const struct dt_rec_stack *st = e->swe_ev.ev_ustack;
	size_t old = sizeof(*st) + st->drs_count * sizeof(uint64_t);
	size_t new = sizeof(*found) + found->drs_count * sizeof(uint64_t);
	size_t before = (const char *)st - (const char *)e->swe_rec;
	size_t after = e->swe_rec->dr_length - before - old;
	struct dt_rec *rec = stack_wait_alloc_rec(before + new + after);
	char *p = (char *)rec;

	memcpy(p, e->swe_rec, before);
	memcpy(p + before, found, new);
	memcpy(p + before + new, (const char *)st + old, after);
	rec->dr_length = before + new + after;
	sw->sw_nbytes += new - old;
	stack_wait_set_rec(e, rec);
}

/* The stack keeps the frames by frame pointers. */
static void
stack_wait_keep(struct stack_wait_event *e)
{
	size_t at = (const char *)e->swe_ev.ev_ustack -
	    (const char *)e->swe_rec;
	struct dt_rec_stack *st = (struct dt_rec_stack *)((char *)e->swe_rec +
	    at);

	st->drs_how = DT_STACK_FP;
	st->drs_error = 0;
}

/* No request follows for this event.  found: its stack, or NULL. */
static void
stack_wait_done(struct stack_wait *sw, struct stack_wait_event *e,
    const struct dt_rec_stack *found)
{
	if (found != NULL)
		stack_wait_replace(sw, e, found);
	else
		stack_wait_keep(e);
	TAILQ_REMOVE(&sw->sw_awaited, e, swe_awaited);
	e->swe_isawaited = 0;
}

/* Requests a stack, which then may be found, may need time, or is lost. */
static void
stack_wait_request_one(struct stack_wait *sw, struct stack_wait_event *e)
{
	struct dtioc_stack sk = { .dtsk_copy = e->swe_ev.ev_ustack->drs_copy };

	if (dt_ioctl(sw->sw_dt, DTIOCGSTACK, &sk) == 0) {
		stack_wait_done(sw, e,
		    sk.dtsk_stack.drs_count <= DT_REC_MAXFRAMES ? &sk.dtsk_stack
								: NULL);
		return;
	}
	if (errno != EAGAIN || sw->sw_now >= e->swe_until) {
		stack_wait_done(sw, e, NULL);
		return;
	}
	e->swe_due = sw->sw_now + e->swe_pause;
	if (e->swe_due > e->swe_until)
		e->swe_due = e->swe_until;
	e->swe_pause *= 2;
	if (e->swe_pause > STACK_WAIT_PAUSE)
		e->swe_pause = STACK_WAIT_PAUSE;
}

void
stack_wait_request(struct stack_wait *sw, uint64_t now)
{
	struct stack_wait_event *e, *next;

	sw->sw_now = now;
	if (now < sw->sw_due)
		return;
	sw->sw_due = UINT64_MAX;
	for (e = TAILQ_FIRST(&sw->sw_awaited); e != NULL; e = next) {
		next = TAILQ_NEXT(e, swe_awaited);
		if (e->swe_due <= now)
			stack_wait_request_one(sw, e);
		if (e->swe_isawaited && e->swe_due < sw->sw_due)
			sw->sw_due = e->swe_due;
	}
}

/* Adds an event.  Beyond the limit of memory, the oldest ones are due. */
static void
stack_wait_add(struct stack_wait *sw, const struct dt_event *ev)
{
	size_t nbytes = ev->ev_rec->dr_length;
	struct stack_wait_event *e;
	struct dt_rec *rec;

	if ((e = calloc(1, sizeof(*e))) == NULL)
		err(1, "events");
	rec = stack_wait_alloc_rec(nbytes);
	memcpy(rec, ev->ev_rec, nbytes);
	e->swe_ev = *ev;
	stack_wait_set_rec(e, rec);
	e->swe_lowwater = dt_lowwater(sw->sw_dt);
	TAILQ_INSERT_TAIL(&sw->sw_events, e, swe_next);
	sw->sw_nbytes += stack_wait_nbytes(e);
	if (ev->ev_ustack == NULL || !stack_wait_iscopied(ev->ev_ustack))
		return;
	e->swe_isawaited = 1;
	e->swe_until = sw->sw_now + STACK_WAIT_MAX;
	/* events of a batch are older */
	e->swe_due = ev->ev_rec->dr_time + STACK_WAIT_FIRST;
	e->swe_pause = STACK_WAIT_FIRST;
	TAILQ_INSERT_TAIL(&sw->sw_awaited, e, swe_awaited);
	if (e->swe_due < sw->sw_due)
		sw->sw_due = e->swe_due;
}

/* Removes the oldest event, which stays valid until the next one. */
static void
stack_wait_give(struct stack_wait *sw, struct stack_wait_event *e,
    struct dt_event *ev)
{
	if (e->swe_isawaited)
		stack_wait_done(sw, e, NULL);
	TAILQ_REMOVE(&sw->sw_events, e, swe_next);
	sw->sw_nbytes -= stack_wait_nbytes(e);
	sw->sw_given = e;
	*ev = e->swe_ev;
}

/* Returns whether the oldest event has waited enough. */
static int
stack_wait_isready(const struct stack_wait *sw,
    const struct stack_wait_event *e)
{
	return !e->swe_isawaited || sw->sw_nbytes > STACK_WAIT_NBYTES ||
	    sw->sw_isover || sw->sw_error == EPIPE;
}

int
stack_wait_next(struct stack_wait *sw, struct dt_event *ev)
{
	struct stack_wait_event *e;
	int n;

	if (sw->sw_given != NULL) {
		stack_wait_free_event(sw->sw_given);
		sw->sw_given = NULL;
	}
	while ((e = TAILQ_FIRST(&sw->sw_events)) == NULL ||
	    !stack_wait_isready(sw, e)) {
		if (sw->sw_error != 0) {
			errno = sw->sw_error;
			return e == NULL ? -1 : 0;
		}
		n = dt_next(sw->sw_dt, ev, 0);
		if (n == 0 || (n == -1 && errno == EINTR))
			return n;
		if (n == -1)
			sw->sw_error = errno;
		else if (e == NULL &&
		    (ev->ev_ustack == NULL ||
			!stack_wait_iscopied(ev->ev_ustack)))
			return 1;
		else
			stack_wait_add(sw, ev);
	}
	stack_wait_give(sw, e, ev);
	return 1;
}

uint64_t
stack_wait_due(const struct stack_wait *sw)
{
	return sw->sw_due;
}

void
stack_wait_end(struct stack_wait *sw)
{
	sw->sw_isover = 1;
	sw->sw_due = UINT64_MAX;
}

uint64_t
stack_wait_lowwater(const struct stack_wait *sw)
{
	const struct stack_wait_event *e = sw->sw_given;

	if (e == NULL)
		e = TAILQ_FIRST(&sw->sw_events);
	return e != NULL ? e->swe_lowwater : dt_lowwater(sw->sw_dt);
}

int
stack_wait_passed(const struct stack_wait *sw, uint64_t time)
{
	const struct stack_wait_event *e = TAILQ_FIRST(&sw->sw_events);

	return e != NULL && e->swe_rec->dr_time <= time
	    ? 0
	    : dt_passed(sw->sw_dt, time);
}

void
stack_wait_free(struct stack_wait *sw)
{
	struct stack_wait_event *e;

	while ((e = TAILQ_FIRST(&sw->sw_events)) != NULL) {
		TAILQ_REMOVE(&sw->sw_events, e, swe_next);
		stack_wait_free_event(e);
	}
	stack_wait_free_event(sw->sw_given);
	sw->sw_given = NULL;
}
