/* SPDX-License-Identifier: ISC */
/*
 * Where a recording goes: files of limited size, one after the other, or a
 * pipe.  Knows no blocks: what it is given at a time stands in the file as a
 * whole, or not at all.
 */
#ifndef CLI_BASE_FILE_SINK_H
#define CLI_BASE_FILE_SINK_H

#include <stdint.h>
#include <sys/uio.h>

#include "cli/base/buf.h"

/* c: constant after file_sink_open. */
struct file_sink {
	const char *sk_name;  /* [c] of the newest file, or "-" */
	unsigned int sk_keep; /* [c] files in all, 0: it is only one */
	uint64_t sk_max;      /* [c] bytes of a file, 0: no limit */
	int sk_isours;	      /* [c] files that we made, else stdout */
	struct buf *sk_buf;   /* [c] its descriptor is that of the file */
	uint64_t sk_size;     /* bytes in the file, all whole */
	uint64_t sk_last;     /* of these, before the last write */
	int sk_fd;	      /* of the file, the same as in sk_buf */
	int sk_nextfd;	      /* of a file that is being made, or -1 */
	uint64_t sk_nextsize; /* bytes in it */
};

/*
 * Makes a new file that only its owner can read, and returns its descriptor.  An
 * older one is renamed to NAME.old, as perf does it.  Exits if this fails, or if
 * NAME is a link or another file that is not regular.
 */
int file_sink_make(const char *name);

/*
 * Makes the file, for nobody else to read; name is the caller's.  keep: how
 * many files there may be in all, this one included, 0: it is only one.  max:
 * bytes of each, 0: a part of what is free there.  Exits if it fails.
 */
void file_sink_open(struct file_sink *, const char *name, unsigned int keep,
    uint64_t max, struct buf *);
/* Takes the file away again, which has nothing. */
void file_sink_forget(const struct file_sink *);
/* 0, or the errno of what close(2) finds out late. */
int file_sink_close(struct file_sink *);

/* Whether so many bytes more are within the limit. */
int file_sink_fits(const struct file_sink *, uint64_t nbytes);
/* Appends all, or nothing: 0, or -1 with errno.  What a failure has left of
 * it is taken away again, and a little room is kept for what has to follow. */
int file_sink_write(struct file_sink *, const struct iovec *, int niov);
/* Takes away what was written last, to make room on a full disk. */
int file_sink_undo(struct file_sink *);

/*
 * The next file, in three steps.  After file_sink_next() what is written goes
 * to it; it has no name yet.  file_sink_swap() changes between it and the one
 * before. file_sink_turn() closes the one before and gives all files their
 * names.  0, or -1 with errno: then all is as before the step.
 */
int file_sink_next(struct file_sink *);
void file_sink_swap(struct file_sink *);
int file_sink_turn(struct file_sink *);
/* Instead of the third step: forgets the next file. */
void file_sink_drop(struct file_sink *);

#endif /* CLI_BASE_FILE_SINK_H */
