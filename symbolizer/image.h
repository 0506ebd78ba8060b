/* SPDX-License-Identifier: ISC */
/* Holds the bytes of a file, mapped or in allocated memory. */
#ifndef SYMBOLIZER_IMAGE_H
#define SYMBOLIZER_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *im_base;
	size_t im_size;
	int im_mapped; /* else from malloc */
	size_t im_own; /* pages from here to before im_ownend are a copy */
	size_t im_ownend;
};

/* Maps all of a file; the descriptor may be closed then.  errno: ENOEXEC for
 * one that has no bytes, EFBIG. */
int image_map(int fd, struct image *);
/* Takes over memory from malloc. */
void image_take(void *, size_t, struct image *);
/* Makes a part of it writable, as a private copy; once. ENOMEM. */
int image_own(struct image *, uint64_t off, uint64_t size);
/* Releases pages that can be read again. */
void image_drop(const struct image *);
void image_free(struct image *);

#endif /* SYMBOLIZER_IMAGE_H */
