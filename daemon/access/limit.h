/* SPDX-License-Identifier: ISC */
/*
 * What clients may have of something at once: of one user, and all together.
 * Whoever hands something out takes it here first, and gives it back when it
 * is gone, not when it is on its way.  Every thread may call.
 *
 * Users are counted as people (pr_person of struct peer): subordinate user ids
 * and clients in user namespaces count for the user who owns them.
 *
 * Root has no limit per user, nor has the one client of a private daemon.  The
 * limits of all apply to every user; a part of each is kept for root.
 */
#ifndef DAEMON_ACCESS_LIMIT_H
#define DAEMON_ACCESS_LIMIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct peer;

enum limit {
	LIMIT_CONNECTIONS, /* to all devices, opens and those that knock */
	LIMIT_OPENS,	   /* of all devices, until all of it is undone */
	LIMIT_PROBES,	   /* enabled ones */
	LIMIT_RINGBYTES,   /* of rings */
	LIMIT_MAPBYTES,	   /* of tables in the kernel that an open has */
	LIMIT_CONDITIONS,  /* lines of dt_conds */
	LIMIT_SYMREQUESTS, /* under way: each has a thread */
	LIMIT_N
};

#define LIMIT_KEPT 16 /* a sixteenth, rounded up, is kept for root */

/* A row of the settings: NAME, and NAME-user. */
struct limit_max {
	uint64_t lm_all;
	uint64_t lm_user; /* of one user but root */
};

extern struct limit_max limit_max[LIMIT_N];

/*
 * Takes n: 0, or an errno, with a sentence in text (IOCTL_TEXT bytes) that
 * names limit and setting; the refusal is counted.  EMFILE also if no
 * descriptor is left but those kept for root.
 */
int limit_take(uid_t, enum limit, uint64_t n, char *text);
/* Whether that much would be had now.  Nothing is counted. */
int limit_room(uid_t, enum limit, uint64_t n);
void limit_give(uid_t, enum limit, uint64_t n);
/*
 * Sets pr_person by the owner of the client's outermost foreign user namespace,
 * (uid_t)-1 for none, and moves the connection to that person, if necessary
 * above the limit.  The client must hold only its connection.  Control thread.
 */
void limit_identify(struct peer *, uid_t owner);
/* How many of n a person has to leave to root; 0 for root. */
uint64_t limit_kept(uid_t, uint64_t n);
/* What is taken: of one user, and of all. */
uint64_t limit_used(uid_t, enum limit, uint64_t *all);

/*
 * Refusals, by reason: the limits by their settings' names, and what else
 * clients are refused for.  There are no others: REFUSED_N in all.
 */
enum refusal {
	REFUSED_RIGHTS = LIMIT_N, /* EPERM */
	REFUSED_ALLOWDT,	  /* the configuration lets nobody open */
	REFUSED_MEMORY,		  /* the daemon's own want */
	REFUSED_DESCRIPTORS,	  /* the same */
	REFUSED_COST,		  /* a recording cost too much */
	REFUSED_N
};

struct limit_refusal {
	const char *lr_reason; /* as in a label: constant */
	uint64_t lr_n;	       /* so far; never falls */
};

/* By a limit's own number, or a reason's. */
void limit_refused(unsigned int reason);
/* Fills up to max, in the order of the numbers; returns how many. */
size_t limit_refusals(struct limit_refusal *, size_t max);

#endif /* DAEMON_ACCESS_LIMIT_H */
