/* SPDX-License-Identifier: ISC */
/*
 * The events of a session in the order in which they arrive, with the user
 * stacks that dtd finds later.
 *
 * A stack with DT_STACK_COPIED has no frames by unwind tables yet.  Its event,
 * and those that follow it, wait until dtd has found the frames, for at most
 * STACK_WAIT_MAX.  So consumers see one stream, some milliseconds late, and
 * never a DT_STACK_COPIED: if dtd does not find the frames, the stack has those
 * by frame pointers.
 */
#ifndef CLI_SESSION_STACK_WAIT_H
#define CLI_SESSION_STACK_WAIT_H

#include <sys/queue.h>

#include <stdint.h>

#include <libdt.h>

/* dtd gives up after four seconds (DTIOCGSTACK) */
#define STACK_WAIT_MAX	  4200000000 /* ns */
#define STACK_WAIT_FIRST  2000000    /* ns until the first request of a stack */
#define STACK_WAIT_PAUSE  100000000  /* ns between two requests, at most */
#define STACK_WAIT_NBYTES (16 << 20) /* of events that wait */

struct stack_wait_event;
TAILQ_HEAD(stack_wait_list, stack_wait_event);

/* All fields belong to stack_wait.c. */
struct stack_wait {
	struct dt *sw_dt;
	struct stack_wait_list sw_events;  /* that arrived, oldest first */
	struct stack_wait_list sw_awaited; /* events whose stack dtd has */
	struct stack_wait_event *sw_given; /* returned last */
	size_t sw_nbytes;		   /* in sw_events */
	uint64_t sw_now;		   /* CLOCK_MONOTONIC, ns */
	uint64_t sw_due;		   /* time of the next request */
	int sw_error;			   /* errno of dt_next(), or 0 */
	int sw_isover;			   /* no event waits any more */
};

void stack_wait_init(struct stack_wait *, struct dt *);
void stack_wait_free(struct stack_wait *);

/* Requests the stacks that are due. */
void stack_wait_request(struct stack_wait *, uint64_t now);
/*
 * Like dt_next() without waiting.  ENODATA and EPIPE follow the last event;
 * with EPIPE, the remaining stacks are not found.
 */
int stack_wait_next(struct stack_wait *, struct dt_event *);
/* Returns the time of the next request; UINT64_MAX: no event waits. */
uint64_t stack_wait_due(const struct stack_wait *);
/* From now on, no event waits: the session discards them. */
void stack_wait_end(struct stack_wait *);
/* Like dt_lowwater(), for the events that were returned. */
uint64_t stack_wait_lowwater(const struct stack_wait *);
/* Like dt_passed(), likewise. */
int stack_wait_passed(const struct stack_wait *, uint64_t time);

#endif /* CLI_SESSION_STACK_WAIT_H */
