/* SPDX-License-Identifier: ISC */
/*
 * The data thread and the data sockets.  A stream carries a session's data to
 * its client.  The data thread calls the device's d_stream when a ring of the
 * stream requests it, and every millisecond while data flows.  It never blocks.
 */
#ifndef DAEMON_DEVICE_STREAM_H
#define DAEMON_DEVICE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "daemon/device/cdevsw.h"

int stream_init(void);

/*
 * Creates a stream for a session of dev; *clientfd is the client's end and
 * belongs to the caller.  Control thread.  The stream is not served before
 * stream_start().
 */
int stream_alloc(const struct cdevsw *dev, struct stream **stp, int *clientfd);
/* Starts serving the stream with d_stream(sc, ...). */
void stream_start(struct stream *, void *sc);
/* Serves the stream when fd (a ring) becomes readable.  Any thread. */
int stream_watch(struct stream *, int fd);
/* Requests a pass.  Any thread. */
void stream_kick(struct stream *);
/*
 * Ends the stream: one last pass, then its socket is closed.  Waits for the
 * data thread, so it is for workers, and for the control thread only before
 * stream_start().  Frees the stream; NULL is fine.
 */
void stream_free(struct stream *);

/*
 * Sends iov without blocking.  Returns the bytes accepted, 0 if the socket is
 * full (a pass follows when it has space), -1 if the client has disconnected.
 * Data thread.
 */
ssize_t stream_send(struct stream *, const struct iovec *iov, int niov);

/*
 * Sets the time until the next pass for STREAM_LATER; less than a second.  Data
 * thread, in d_stream.
 */
void stream_pause(struct stream *, long nsecs);

/*
 * Check that the data thread is alive: a request, and whether the thread has
 * polled since then.  Control thread.
 */
void stream_check(void);
int stream_isalive(void);

/* Returns a generation that changes when the clock is set. */
unsigned int stream_clockgen(void);
/* Returns the time of the last change, CLOCK_MONOTONIC in ns. */
uint64_t stream_clockset(void);

#endif /* DAEMON_DEVICE_STREAM_H */
