/* SPDX-License-Identifier: ISC */
/*
 * Limits what clients may hold of each resource, per user and in total.
 * Callers take an amount before they hand it out, and give it back when it has
 * been released, not when its release begins.  Any thread.
 *
 * Users are counted as people (peer_person of struct peer): subordinate user ids
 * and clients in user namespaces count for the user who owns them.
 *
 * Root and the client of a private daemon have no limit per user.  The totals
 * apply to every user; a part of each is reserved for root.
 */
#ifndef DAEMON_ACCESS_LIMIT_H
#define DAEMON_ACCESS_LIMIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct peer;
struct reason;

enum limit {
	LIMIT_CONNECTIONS, /* to all devices, with or without a session */
	LIMIT_OPENS,	   /* sessions of all devices, until completely
			    * released */
	LIMIT_PROBES,	   /* enabled ones */
	LIMIT_RINGBYTES,   /* size of rings */
	LIMIT_MAPBYTES,	   /* size of a session's BPF maps */
	LIMIT_CONDITIONS,  /* entries of dt_conds */
	LIMIT_SYMREQUESTS, /* in progress: each has a thread */
	LIMIT_N
};

#define LIMIT_KEPT 16 /* one part in 16, rounded up, is reserved for root */

/* A row of the settings: NAME, and NAME-user. */
struct limit_max {
	uint64_t lm_all;
	uint64_t lm_user; /* per user except root */
};

extern struct limit_max limit_max[LIMIT_N];

/*
 * Takes n.  Returns 0, or an errno and a reason that names
 * the limit and its setting; the refusal is counted.  EMFILE also if only
 * descriptors reserved for root are left.
 */
int limit_take(uid_t, enum limit, uint64_t n, struct reason *);
/* Returns whether n could be taken now.  Counts nothing. */
int limit_room(uid_t, enum limit, uint64_t n);
void limit_give(uid_t, enum limit, uint64_t n);
/*
 * Sets peer_person by the owner of the client's outermost foreign user namespace,
 * (uid_t)-1 for none, and moves the connection to that person, if necessary
 * above the limit.  The client must hold only its connection.  Control thread.
 */
void limit_identify(struct peer *, uid_t owner);
/* Returns how many of n a person has to leave to root; 0 for root. */
uint64_t limit_kept(uid_t, uint64_t n);
/* Returns the amount taken by one user, and by all. */
uint64_t limit_used(uid_t, enum limit, uint64_t *all);

/*
 * Reasons of refusals: the limits, by their settings' names, and other causes.
 * The list is complete; REFUSED_N is its length.
 */
enum refusal {
	REFUSED_RIGHTS = LIMIT_N, /* EPERM */
	REFUSED_ALLOWDT,	  /* the configuration permits no sessions */
	REFUSED_MEMORY,		  /* dtd is out of memory */
	REFUSED_DESCRIPTORS,	  /* dtd is out of descriptors */
	REFUSED_COST,		  /* a recording exceeded the cost limit */
	REFUSED_N
};

struct limit_refusal {
	const char *lr_reason; /* as in a metric's label: constant */
	uint64_t lr_n;	       /* since the start; monotonic */
};

/* Counts a refusal.  reason: enum limit or enum refusal. */
void limit_refused(unsigned int reason);
/* Fills at most max rows in the order of the numbers.  Returns how many. */
size_t limit_refusals(struct limit_refusal *, size_t max);

#endif /* DAEMON_ACCESS_LIMIT_H */
