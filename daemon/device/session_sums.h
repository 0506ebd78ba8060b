/* SPDX-License-Identifier: ISC */
/*
 * Totals of dtd for all sessions, including closed ones: sums per device and
 * provider that never decrease while dtd runs, and current values.
 *
 * Each querying client has a socket, and a thread of dtd that replies there, so
 * neither the client nor the control thread waits for the other.  Threads are
 * not shared, since closing descriptors that a client sends may block as long
 * as the client likes.
 */
#ifndef DAEMON_DEVICE_SESSION_SUMS_H
#define DAEMON_DEVICE_SESSION_SUMS_H

#include <stdint.h>

enum sum { /* in the order of DTSM_FIRED and so on */
	SUM_FIRED,
	SUM_READ,
	SUM_DROPPED,
	SUM_RECURSED,
	SUM_MISSED,
	SUM_EXCLUDED,
	SUM_SKIPTICK,
	SUM_COUNTED,
	SUM_MAPFULL,
	NSUM
};

/* A reply under construction. */
struct sums;

/*
 * Returns the row of a device's provider, created at the first call and
 * reported from then on, even if its sums are 0; -1: too many rows.  The
 * strings must stay valid.  Any thread.
 */
int sums_row(const char *device, const char *provider);
/*
 * Adds the difference between a session's current counts (now) and those added
 * before (added) to a row (-1 is fine), and sets added to now.  Negative
 * differences and values are ignored, as sums never decrease.  Any thread, one
 * at a time per session.
 */
void sums_add(int row, uint64_t added[NSUM], const uint64_t now[NSUM]);

/* For d_sums: adds one more value.  The name may be NULL. */
void sums_put(struct sums *, uint32_t what, const char *device,
    const char *name, uint64_t value);

/*
 * Creates the socket of a querying client: *clientfd is the client's end, *fdp
 * one of dtd's: its holder ends the service by shutdown(2) and closes it.
 * Returns an errno; EMFILE: too many querying clients.
 */
int sums_open(int *clientfd, int *fdp);

#endif /* DAEMON_DEVICE_SESSION_SUMS_H */
