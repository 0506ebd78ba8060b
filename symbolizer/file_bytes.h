/* SPDX-License-Identifier: ISC */
/* Holds the bytes of a file, mapped or in allocated memory. */
#ifndef SYMBOLIZER_FILE_BYTES_H
#define SYMBOLIZER_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct file_bytes {
	uint8_t *fby_base;
	size_t fby_size;
	int fby_mapped; /* else from malloc */
	size_t fby_own; /* pages from here to before fby_ownend are a copy */
	size_t fby_ownend;
};

/*
 * Maps all of a file; the descriptor may then be closed.  Returns an errno:
 * ENOEXEC for an empty file, EFBIG.
 */
int file_bytes_map(int fd, struct file_bytes *);
/* Takes ownership of memory from malloc. */
void file_bytes_take(void *, size_t, struct file_bytes *);
/* Makes a part of it writable, as a private copy; once. ENOMEM. */
int file_bytes_own(struct file_bytes *, uint64_t off, uint64_t size);
/* Releases pages that can be read again. */
void file_bytes_drop(const struct file_bytes *);
void file_bytes_free(struct file_bytes *);

#endif /* SYMBOLIZER_FILE_BYTES_H */
