/* SPDX-License-Identifier: ISC */
/*
 * What dtd has done for all opens, those that are gone included: sums that never
 * fall while dtd runs, by device and provider, and what there is just now.
 *
 * Who asks has a socket for it, and a thread of dtd's answers there: neither
 * does who asks wait for the control thread, nor that for who asks.  Each has a
 * thread of its own, since closing what a client sends along may take as long as
 * the client likes.
 */
#ifndef DAEMON_DEVICE_SUMS_H
#define DAEMON_DEVICE_SUMS_H

#include <stdint.h>

enum sum { /* in the order of DTSM_FIRED and so on */
	SUM_FIRED,
	SUM_READ,
	SUM_DROPPED,
	SUM_RECURSED,
	SUM_MISSED,
	SUM_EXCLUDED,
	SUM_SKIPTICK,
	NSUM
};

/* An answer that is being put together. */
struct sums;

/*
 * The row of a provider of a device, made at the first call, so that its sums
 * are told from then on, if only as 0; -1: there are too many.  The strings
 * stay.  Any thread.
 */
int sums_row(const char *device, const char *provider);
/* Adds to a row (-1 is fine) what an open has counted until now, of which told
 * was added before, and becomes now; but where that is more, or now is below 0,
 * as sums never fall.  Any thread, one at a time for an open. */
void sums_tell(int row, uint64_t told[NSUM], const uint64_t now[NSUM]);

/* For d_sums: one more number.  The name may be NULL. */
void sums_put(struct sums *, uint32_t what, const char *device,
    const char *name, uint64_t value);

/*
 * Makes the socket of somebody who asks: *clientfd is his end, *fdp one of ours:
 * whoever has it ends all by shutdown(2), and closes it.  Returns an errno; EMFILE: there are
 * too many who ask.
 */
int sums_open(int *clientfd, int *fdp);

#endif /* DAEMON_DEVICE_SUMS_H */
