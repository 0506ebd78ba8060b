/* SPDX-License-Identifier: ISC */
/*
 * The device switch: the interface between the server and devices.  The server
 * does not depend on any device; devices do not handle connections.  devices.c
 * lists the devices.
 */
#ifndef DAEMON_DEVICE_CDEVSW_H
#define DAEMON_DEVICE_CDEVSW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/access/peer.h"
#include "daemon/device/op.h"

struct stream;
struct sums;

/* One row per ioctl.  The server checks ENOTTY, EPERM and the length by it. */
struct ioctl_desc {
	uint32_t id_cmd;
	unsigned int id_rights; /* any of these RIGHT_* suffices */
	size_t id_inmin;	/* bytes of the payload */
	size_t id_inmax;
	int (*id_fn)(struct op *);  /* on the control thread; or NULL and: */
	int (*id_run)(struct op *); /* on a worker */
};

#define DEV_CPU_MAX 65535U /* far above the limit of Linux */
#define DEV_CPU_ALL UINT32_MAX

/* Result of a pass over a stream (stream.h). */
enum stream_state {
	STREAM_IDLE,	/* nothing to send until the next event */
	STREAM_FLOWING, /* next pass in 1 ms */
	STREAM_SOON,	/* next pass in 0.25 ms */
	STREAM_LATER,	/* next pass after the time of stream_pause() */
	STREAM_FULL,	/* the socket is full */
};

/*
 * A device.  Functions that it does not need are NULL.  All except d_stream and
 * d_stalled are called on the control thread and must not block.
 */
struct cdevsw {
	const char *d_name; /* name of its node in the socket directory */
	/*
	 * Before d_init, and only if dtd gives up CAP_SYS_ADMIN: does what
	 * requires it.
	 */
	void (*d_early)(void);
	int (*d_init)(void);
	/*
	 * Opens a session, *scp, which is passed to the other functions.  The
	 * argument of the operation is a struct wire_open; op_queue is the
	 * queue of the session.  Returns 0 or errno.  EAGAIN: a session that is
	 * being closed still holds what is needed; the server retries after its
	 * close.
	 */
	int (*d_open)(struct op *, const struct peer *, struct stream *,
	    void **scp);
	/*
	 * The peer has disconnected.  An operation in progress may end early;
	 * d_close follows it.
	 */
	void (*d_hangup)(void *sc);
	/* The last operation: releases the session. */
	int (*d_close)(struct op *);
	/*
	 * dtd is exiting: a recording session stops, and its stream reports the
	 * end to the client.  Returns whether there is something to report;
	 * d_close follows when the client has closed, or after STOP_WAIT.
	 */
	int (*d_drain)(void *sc);
	/*
	 * dtd is exiting and all sessions are about to be closed: cancels waits
	 * that may hang.
	 */
	void (*d_stop)(void);
	/*
	 * The service is exiting, no session is open: returns when the device's
	 * background work has ended.
	 */
	void (*d_fini)(void);
	const struct ioctl_desc *d_ioctls;
	size_t d_nioctls;
	int d_unknown;	    /* errno for an unknown ioctl; 0: ENOTTY */
	uint32_t d_filecmd; /* the ioctl with which a client sends a file */
	/* A CPU (DEV_CPU_ALL: any) may have come online or gone offline. */
	void (*d_cpu)(unsigned int cpu);
	/*
	 * Updates the device's sums and adds further values (session_sums.h).  Any
	 * thread, one at a time.
	 */
	void (*d_sums)(struct sums *);
	/*
	 * Returns a descriptor for mmap(2), which the caller closes, and its
	 * length.  NULL: the device has no mmap.
	 */
	int (*d_mmap)(void *sc, int *fdp, uint64_t *nbytes);
	/* A pass, on the data thread: sends pending data. */
	enum stream_state (*d_stream)(void *sc, struct stream *);
	/*
	 * Called instead of d_stream after a request for a pass, or a ring's
	 * wakeup, while the socket is full.  Returns whether to call it again
	 * in 1 ms.
	 */
	int (*d_stalled)(void *sc);
};

/* Count sessions: main() returns only after all have ended. */
void dev_opened(void);
void dev_closed(void);

extern const struct cdevsw *const devices[]; /* ends with NULL */

#endif /* DAEMON_DEVICE_CDEVSW_H */
