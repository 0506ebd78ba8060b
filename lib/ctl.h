/* SPDX-License-Identifier: ISC */
/* The control socket: one request, one reply.  Does not interpret payloads. */
#ifndef LIB_CTL_H
#define LIB_CTL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt;
struct wire_opened;

struct dt_ctl {
	pthread_mutex_t ct_lock;
	int ct_fd;	 /* [I] -1: none */
	bool ct_broken;	 /* [ct_lock] the connection is unusable */
	bool ct_shared;	 /* [ct_lock] a process made by fork(2) has it, too */
	uint32_t ct_tag; /* [ct_lock] tag of the last request */
	uint8_t *ct_buf; /* [ct_lock] one message, WIRE_MAXMSG bytes */
};

int dt_ctl_init(struct dt_ctl *);
/* Frees and initializes again.  After a failure, it is freed. */
int dt_ctl_again(struct dt_ctl *);
void dt_ctl_free(struct dt_ctl *); /* shuts the connection down, too */

/*
 * Sends WIRE_OPEN on fd, which the ctl then owns.  Returns the data socket,
 * which the caller then owns, or -1.
 */
int
dt_ctl_open(struct dt *, int fd, uint32_t flags, struct wire_opened *opened);

/*
 * Sends a request and waits for its reply, also across signals.  Accepts at
 * most repmax bytes of payload; *replen is their number.  Returns -1 with the
 * daemon's errno, EPIPE if the connection is closed, EPROTO if the reply is
 * invalid.
 */
int dt_ctl_call(struct dt *, unsigned long command, const void *req,
    size_t reqlen, void *rep, size_t repmax, size_t *replen);

/* The same with a descriptor, which stays the caller's; -1: none. */
int dt_ctl_call_with(struct dt *, unsigned long command, const void *req,
    size_t reqlen, int fd, void *rep, size_t repmax, size_t *replen);

/*
 * Like dt_ctl_call(), for a command whose reply is a descriptor and replen
 * bytes.  Returns the descriptor or -1.
 */
int dt_ctl_call_fd(struct dt *, unsigned long command, const void *req,
    size_t reqlen, void *rep, size_t replen);

/*
 * Before a fork(2) of which both processes will use the connection: waits for
 * a request in progress, and begins to exclude the other process.  Returns
 * whether it did; false: a request takes long.
 */
bool dt_ctl_fork(struct dt_ctl *);
void dt_ctl_forked(struct dt_ctl *, bool ischild); /* after that */

/* Reports an invalid reply.  Returns -1 with EPROTO. */
int dt_ctl_nonsense(struct dt *, const char *what);

#endif /* LIB_CTL_H */
