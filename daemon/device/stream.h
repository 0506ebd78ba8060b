/* SPDX-License-Identifier: ISC */
/*
 * The data thread and the data sockets.  A stream is the way of one open's
 * data to its client.  The data thread calls d_stream of the device whenever
 * a ring of the stream asks for it, and every millisecond while data flows.
 * It never blocks and never waits for the kernel.
 */
#ifndef DAEMON_DEVICE_STREAM_H
#define DAEMON_DEVICE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "daemon/device/cdevsw.h"

int stream_init(void);

/*
 * Makes a stream for an open of dev; *clientfd is the end that goes to the
 * client and belongs to the caller.  Control thread.  The stream is not
 * served before stream_start().
 */
int stream_alloc(const struct cdevsw *dev, struct stream **stp, int *clientfd);
/* From now on d_stream(sc, ...) may be called. */
void stream_start(struct stream *, void *sc);
/* Serves the stream when fd (a ring) becomes readable.  Any thread. */
int stream_watch(struct stream *, int fd);
/* Asks for a pass.  Any thread. */
void stream_kick(struct stream *);
/*
 * Ends the stream: one last pass, then its socket is closed.  Waits for the
 * data thread, so it is for workers, and for the control thread before
 * stream_start().  Frees the stream; NULL is fine.
 */
void stream_free(struct stream *);

/*
 * Sends what iov says, without waiting.  Returns bytes accepted, 0 if the
 * socket is full (a pass will come when it is not any more), -1 if the
 * client is gone.  Data thread.
 */
ssize_t stream_send(struct stream *, const struct iovec *iov, int niov);

/*
 * Whether the data thread lives: it is asked, and has answered when it next
 * looks around.  Control thread.
 */
void stream_ask(void);
int stream_answered(void);

/* Changes whenever somebody has set the clock. */
unsigned int stream_clockgen(void);
/* When that was, CLOCK_MONOTONIC in ns. */
uint64_t stream_clockset(void);

#endif /* DAEMON_DEVICE_STREAM_H */
