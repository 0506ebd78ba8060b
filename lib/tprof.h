/* SPDX-License-Identifier: ISC */
/* The data socket of the tprof device: samples, and the end of a run. */
#ifndef LIB_TPROF_H
#define LIB_TPROF_H

#include <stdint.h>
#include <sys/types.h>

#include "wire/sample.h"
#include "wire/wire.h"

struct dt;

#define TPROF_BUFSIZE (64U << 10)
#define TPROF_SAMPLE  24 /* sizeof(tprof_sample_t) */

struct dt_tprof {
	_Atomic uint32_t tp_started; /* last run started */
	uint32_t tp_ended;	     /* last run whose END was read */
	uint8_t *tp_buf;	     /* allocated by the first read */
	size_t tp_pos, tp_end;	     /* unread bytes of tp_buf */
	uint32_t tp_left;	     /* bytes left of the DATA block */
	uint8_t
	    tp_rest[TPROF_SAMPLE]; /* a partly read sample, its end unread */
	size_t tp_nrest;
	char tp_note[WIRE_MAXNOTE + 1]; /* why the run was stopped, or "" */
	_Atomic uint32_t tp_starts;	/* successful STARTs */
	uint32_t tp_notestarts;		/* tp_starts when the note was read */
};

void dt_tprof_free(struct dt_tprof *);
void dt_tprof_started(struct dt_tprof *, uint32_t run);

/* dt_note() for tprof. */
const char *dt_tprof_note(const struct dt_tprof *);

/* dt_read() for tprof. */
ssize_t dt_tprof_read(struct dt *, void *buf, size_t nbytes, int timeout);

#endif /* LIB_TPROF_H */
