/* SPDX-License-Identifier: ISC */
/*
 * The control socket: one request, one reply.
 */
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
	int ct_fd;	 /* [I] -1 while there is none */
	bool ct_broken;	 /* [ct_lock] no frame can follow */
	uint32_t ct_tag; /* [ct_lock] of the last request */
	uint8_t *ct_buf; /* [ct_lock] a frame, WIRE_MAXFRAME */
};

int dt_ctl_init(struct dt_ctl *);
/* As new.  When it fails, it is as freed. */
int dt_ctl_again(struct dt_ctl *);
void dt_ctl_free(struct dt_ctl *); /* hangs up, too */

/*
 * Says WIRE_OPEN on fd, which belongs to the ctl from now on.  Returns the
 * data socket, which belongs to the caller, or -1.
 */
int
dt_ctl_open(struct dt *, int fd, uint32_t flags, struct wire_opened *opened);

/*
 * Sends a request and waits for its reply, however often signals come.  At
 * most repmax bytes of payload are accepted; *replen tells how many came.
 * -1: the daemon's errno; EPIPE it is gone; EPROTO the reply makes no sense.
 */
int dt_ctl_call(struct dt *, unsigned long command, const void *req,
    size_t reqlen, void *rep, size_t repmax, size_t *replen);

/*
 * As dt_ctl_call(), of a command without a payload whose reply is a descriptor
 * and replen bytes: the descriptor, or -1.
 */
int
dt_ctl_call_fd(struct dt *, unsigned long command, void *rep, size_t replen);

/* Notes that the daemon contradicts itself: -1, EPROTO. */
int dt_ctl_nonsense(struct dt *, const char *what);

#endif /* LIB_CTL_H */
