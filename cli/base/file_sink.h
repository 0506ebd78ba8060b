/* SPDX-License-Identifier: ISC */
/*
 * Destination of a recording: a sequence of files of limited size, or a pipe.
 * Does not depend on the block format: each write is stored completely or not
 * at all.
 */
#ifndef CLI_BASE_FILE_SINK_H
#define CLI_BASE_FILE_SINK_H

#include <stdint.h>
#include <sys/uio.h>

#include "cli/base/buf.h"

/* c: constant after file_sink_open. */
struct file_sink {
	const char *sk_name;  /* [c] name of the newest file, or "-" */
	unsigned int sk_keep; /* [c] maximum number of files, 0: only one */
	uint64_t sk_max;      /* [c] bytes per file, 0: no limit */
	int sk_isours;	      /* [c] our own files, else stdout */
	struct buf *sk_buf;   /* [c] writes to sk_fd */
	uint64_t sk_size;     /* bytes in the file, all complete */
	uint64_t sk_last;     /* sk_size before the last write */
	int sk_fd;	      /* descriptor of the file, as in sk_buf */
	int sk_nextfd;	      /* descriptor of the next file, or -1 */
	uint64_t sk_nextsize; /* bytes in the next file */
};

/*
 * Creates a file that only its owner can read, and returns its descriptor.
 * Renames an existing file to NAME.old, as perf does.  Exits on failure, or if
 * NAME is a link or not a regular file.
 */
int file_sink_make(const char *name);

/*
 * Creates the file, readable by its owner only; name belongs to the caller.
 * keep: maximum number of files including this one, 0: only one.  max: bytes
 * per file, 0: a share of the free space.  Exits on failure.
 */
void file_sink_open(struct file_sink *, const char *name, unsigned int keep,
    uint64_t max, struct buf *);
/* Removes the file, which is empty. */
void file_sink_forget(const struct file_sink *);
/* Returns 0, or an errno that close(2) reports late. */
int file_sink_close(struct file_sink *);

/* Returns whether nbytes more are within the limit. */
int file_sink_fits(const struct file_sink *, uint64_t nbytes);
/*
 * Appends all bytes or none.  Returns 0, or -1 with errno; a partial write is
 * removed.  A little space is reserved for the end of the file.
 */
int file_sink_write(struct file_sink *, const struct iovec *, int niov);
/* Removes the last write, to free space on a full disk. */
int file_sink_undo(struct file_sink *);

/*
 * Switches to the next file, in three steps.  After file_sink_next(), writes go
 * to the next file, which has no name yet.  file_sink_swap() switches between
 * the next file and the previous one.  file_sink_turn() closes the previous
 * file and names all files.  Each returns 0, or -1 with errno and the state
 * from before the step.
 */
int file_sink_next(struct file_sink *);
void file_sink_swap(struct file_sink *);
int file_sink_turn(struct file_sink *);
/* Discards the next file; used in place of file_sink_turn(). */
void file_sink_drop(struct file_sink *);

#endif /* CLI_BASE_FILE_SINK_H */
