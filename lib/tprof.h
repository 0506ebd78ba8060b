/* SPDX-License-Identifier: ISC */
/*
 * The data socket of the tprof device: samples, and the end of a run.
 */
#ifndef LIB_TPROF_H
#define LIB_TPROF_H

#include <stdint.h>
#include <sys/types.h>

#include "wire/sample.h"
#include "wire/wire.h"

struct dt;

#define TPROF_BUFSIZE (64U << 10)
#define TPROF_SAMPLE  24 /* bytes of tprof_sample_t */

struct dt_tprof {
	_Atomic uint32_t tp_started; /* run that was started last */
	uint32_t tp_ended;	     /* and whose END has come */
	uint8_t *tp_buf;	     /* made by the first read */
	size_t tp_pos, tp_end;	     /* what is in it */
	uint32_t tp_left;	     /* of the DATA block */
	uint8_t
	    tp_rest[TPROF_SAMPLE]; /* of a sample that was cut, at the end */
	size_t tp_nrest;
	char tp_note[WIRE_MAXNOTE + 1]; /* why the daemon stopped, or "" */
	_Atomic uint32_t tp_starts;	/* STARTs that succeeded */
	uint32_t tp_notestarts;		/* when the note came */
};

void dt_tprof_free(struct dt_tprof *);
void dt_tprof_started(struct dt_tprof *, uint32_t run);

/* dt_note() of tprof. */
const char *dt_tprof_note(const struct dt_tprof *);

/* dt_read() of tprof. */
ssize_t dt_tprof_read(struct dt *, void *buf, size_t nbytes, int timeout);

#endif /* LIB_TPROF_H */
