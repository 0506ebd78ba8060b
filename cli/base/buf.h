/* SPDX-License-Identifier: ISC */
/*
 * A buffer that text is appended to, and the descriptor that it goes to.
 * Numbers have functions of their own, as printf(3) is too slow for a million
 * lines a second.
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
	int b_ispipe;  /* written in pieces that can't block */
	int b_error;   /* errno of the write that failed, or 0 */
};

void buf_init(struct buf *, int fd);
void buf_free(struct buf *);
/* Writes what there is.  0, or -1 with b_error set; from then on all that is
 * appended is thrown away at the next flush. */
int buf_flush(struct buf *);
/* Flushes if much has been collected; called once a line. */
void buf_line(struct buf *);
/* Writes all of it now, past the buffer.  0 or -1 with b_error set. */
int buf_write(struct buf *, const void *, size_t);

void buf_mem(struct buf *, const void *, size_t);
void buf_str(struct buf *, const char *);
void buf_u64(struct buf *, uint64_t);
void buf_s64(struct buf *, int64_t);
void buf_grouped(struct buf *, uint64_t);	    /* 1,234,567 */
void buf_hex(struct buf *, uint64_t);		    /* 0x1f */
void buf_dec(struct buf *, uint64_t, int width);    /* zeros in front */
void buf_pad(struct buf *, size_t from, int width); /* blanks behind */
void buf_printf(struct buf *, const char *, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for n bytes more and returns where they go. */
char *buf_room(struct buf *, size_t n);

static inline void
buf_c(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->b_len++;
}

#endif /* CLI_BASE_BUF_H */
