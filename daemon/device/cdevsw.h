/* SPDX-License-Identifier: ISC */
/*
 * The device switch: what the server asks of a device.  The server knows no
 * device, a device knows no socket.  devices.c has the table of devices.
 */
#ifndef DAEMON_DEVICE_CDEVSW_H
#define DAEMON_DEVICE_CDEVSW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/access/peer.h"
#include "wire/wire.h"

struct stream;
struct sums;

/*
 * A command under way.  A handler reads ic_in, writes ic_out (at most
 * IOCTL_MAXOUT bytes) and sets ic_outlen; ic_text may say why it failed.  One
 * that cannot answer at once returns IOCTL_LATER and calls ioctl_done() on
 * the control thread; until then no other command of this open comes.
 */
struct ioctl_call {
	uint32_t ic_cmd;
	const void *ic_in; /* as long as the handler's row says */
	size_t ic_inlen;
	void *ic_out;
	size_t ic_outlen;
	char ic_text[IOCTL_TEXT];
	int ic_outfd; /* goes along, unless it is an error; -1: none */
};

#define IOCTL_MAXOUT WIRE_MAXPAYLOAD
#define IOCTL_LATER  (-1)

void ioctl_done(struct ioctl_call *, int error);

/* One row a command: ENOTTY, EPERM and the length are tested by it. */
struct ioctl_desc {
	uint32_t id_cmd;
	unsigned int id_rights; /* any of these RIGHT_* suffices */
	size_t id_inmin;	/* bytes of the payload */
	size_t id_inmax;
	int (*id_fn)(void *sc, struct ioctl_call *);
};

#define DEV_CPU_MAX 65535U /* far above what Linux can have */
#define DEV_CPU_ALL UINT32_MAX

/* What a pass over a stream found; see stream.h. */
enum stream_state {
	STREAM_IDLE,	/* nothing to send; what comes wakes us */
	STREAM_FLOWING, /* another pass is due in a millisecond */
	STREAM_SOON,	/* and in a quarter of one */
	STREAM_FULL,	/* the socket takes no more */
};

/*
 * A device.  Functions that are not needed stay NULL.  All but d_stream and
 * d_stalled are called on the control thread and must not wait.
 */
struct cdevsw {
	const char *d_name; /* of its node in the socket folder */
	/* Before d_init, and only if dtd is about to give CAP_SYS_ADMIN up:
	 * what needs that. */
	void (*d_early)(void);
	int (*d_init)(void);
	/* Opens: *scp is handed to all others.  Returns 0 or errno; text as
	 * ic_text.  EAGAIN: there is room when a close under way has ended,
	 * so the open is tried again then. */
	int (*d_open)(const struct peer *, struct stream *,
	    const struct wire_open *, void **scp, char *text);
	/* The peer has gone.  The device undoes everything and calls
	 * dev_closed() when nothing is left, maybe later. */
	void (*d_close)(void *sc);
	/* The peer has gone while a command is under way: that may end early,
	 * and d_close comes behind it. */
	void (*d_cancel)(void *sc);
	/* The daemon is to end: an open that records stops, and its stream
	 * tells the client how that ended.  Returns whether there is
	 * something to tell; d_close comes when the client has closed, or has
	 * had its time. */
	int (*d_drain)(void *sc);
	/* The daemon is to end, all that is open is about to be closed: nobody
	 * waits any more for what may hang. */
	void (*d_stop)(void);
	/* The daemon ends, nothing is open: what is still going on in the
	 * background has ended when it returns. */
	void (*d_fini)(void);
	const struct ioctl_desc *d_ioctls;
	size_t d_nioctls;
	int d_unknown; /* errno of a command that is not there; 0: ENOTTY */
	/* Whether a command has to wait, since the device is at work on the
	 * open by itself.  If so, the device calls fn later, and ioctl_done()
	 * with what it returns, unless that is IOCTL_LATER. */
	int (*d_hold)(void *sc, int (*fn)(void *sc, struct ioctl_call *),
	    struct ioctl_call *);
	/* This CPU (or DEV_CPU_ALL: any) came online, or went offline, or
	 * both. */
	void (*d_cpu)(unsigned int cpu);
	/* Brings its sums up to date and puts what it has beside them: see
	 * sums.h.  Any thread, one at a time. */
	void (*d_sums)(struct sums *);
	/* A descriptor to hand over for mmap(2), which the caller closes, and
	 * how long that is.  NULL: there is no such command. */
	int (*d_mmap)(void *sc, int *fdp, uint64_t *nbytes);
	/* A pass, on the data thread: sends what there is. */
	enum stream_state (*d_stream)(void *sc, struct stream *);
	/* Instead, when a pass was asked for, or a ring woke us, while the
	 * socket takes no more.  Returns whether it wants to be called again in
	 * a millisecond. */
	int (*d_stalled)(void *sc);
};

/* Opens are counted: main() ends only after all of them have. */
void dev_opened(void);
void dev_closed(void);

extern const struct cdevsw *const devices[]; /* ends with NULL */

#endif /* DAEMON_DEVICE_CDEVSW_H */
