/* SPDX-License-Identifier: ISC */
/* Bytes of the data socket that were read ahead, in the order of arrival. */
#ifndef LIB_AHEAD_H
#define LIB_AHEAD_H

#include <stddef.h>

struct dt_ahead_piece;

/* Filled with zeros, it is empty. */
struct dt_ahead {
	struct dt_ahead_piece *ah_first, *ah_last;
	size_t ah_nbytes; /* of all pieces, not yet taken */
};

/* Returns free space, of at least a byte; NULL: out of memory. */
void *dt_ahead_space(struct dt_ahead *, size_t *nbytes);
void dt_ahead_fed(struct dt_ahead *, size_t nbytes);
/* Takes up to max bytes.  Returns their number; 0: it is empty. */
size_t dt_ahead_take(struct dt_ahead *, void *buf, size_t max);
void dt_ahead_free(struct dt_ahead *);

#endif /* LIB_AHEAD_H */
