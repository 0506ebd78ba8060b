/* SPDX-License-Identifier: ISC */
/*
 * An output buffer and the descriptor that it is flushed to.  Numbers have
 * their own functions, because printf(3) is too slow for a million events per
 * second.
 */
#ifndef CLI_BASE_BUF_H
#define CLI_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *b_data;
	size_t b_len;
	size_t b_size; /* allocated */
	int b_fd;      /* -1: kept in memory only */
	int b_ispipe;  /* written in pieces that cannot block */
	int b_isterm;  /* the descriptor is a terminal */
	int b_error;   /* errno of the failed write, or 0 */
};

void buf_init(struct buf *, int fd);
void buf_free(struct buf *);
/*
 * Writes the buffered bytes.  Returns 0, or -1 with b_error set; after a
 * failure, later flushes discard the buffer.
 */
int buf_flush(struct buf *);
/*
 * Flushes a buffer that has grown large; called once per line.  Returns 0, or
 * -1 if a write has failed.
 */
int buf_line(struct buf *);
/*
 * Writes the bytes at once, bypassing the buffer.  Returns 0, or -1 with
 * b_error set.
 */
int buf_write(struct buf *, const void *, size_t);

void buf_mem(struct buf *, const void *, size_t);
void buf_str(struct buf *, const char *);
void buf_u64(struct buf *, uint64_t);
void buf_s64(struct buf *, int64_t);
void buf_grouped(struct buf *, uint64_t);	    /* 1,234,567 */
void buf_hex(struct buf *, uint64_t);		    /* 0x1f */
void buf_dec(struct buf *, uint64_t, int width);    /* padded with zeros */
void buf_pad(struct buf *, size_t from, int width); /* padded with blanks */
void buf_printf(struct buf *, const char *, ...)
    __attribute__((format(printf, 2, 3)));

/* Reserves n more bytes and returns their address. */
char *buf_room(struct buf *, size_t n);

static inline void
buf_c(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->b_len++;
}

#endif /* CLI_BASE_BUF_H */
