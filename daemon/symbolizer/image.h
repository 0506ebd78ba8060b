/* SPDX-License-Identifier: ISC */
/* The bytes of a file: mapped, or in memory. */
#ifndef SYMBOLIZER_IMAGE_H
#define SYMBOLIZER_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *im_base;
	size_t im_size;
	int im_mapped; /* else from malloc */
};

/* Maps all of a file; the descriptor may be closed then.  errno: ENOEXEC for
 * one that has no bytes, EFBIG. */
int image_map(int fd, struct image *);
/* Takes over memory from malloc. */
void image_take(void *, size_t, struct image *);
/* Gives pages back that can be read again. */
void image_drop(const struct image *);
void image_free(struct image *);

#endif /* SYMBOLIZER_IMAGE_H */
