/* SPDX-License-Identifier: ISC */
/*
 * Writes the buffers of buf.h.  Writes to a pipe or terminal are limited to the
 * space that poll(2) reports: signals that end a run are only delivered while
 * ppoll(2) waits (sigs.c), so a reader that stalls must never block dt inside
 * of write(2).
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/pager.h"
#include "cli/base/sigs.h"

#define BUF_FLUSH 65536 /* bytes after which a line is flushed */

void
buf_init(struct buf *b, int fd)
{
	struct stat st;

	memset(b, 0, sizeof(*b));
	b->b_fd = fd;
	if (fd != -1 && fstat(fd, &st) == 0)
		b->b_ispipe = !S_ISREG(st.st_mode);
	b->b_isterm = fd != -1 && isatty(fd);
}

void
buf_free(struct buf *b)
{
	free(b->b_data);
	memset(b, 0, sizeof(*b));
	b->b_fd = -1;
}

char *
buf_room(struct buf *b, size_t n)
{
	size_t size = b->b_size ? b->b_size : 4096;

	if (b->b_size - b->b_len < n) {
		while (size - b->b_len < n)
			size *= 2;
		if ((b->b_data = realloc(b->b_data, size)) == NULL)
			err(1, "output");
		b->b_size = size;
	}
	return b->b_data + b->b_len;
}

int
buf_write(struct buf *b, const void *data, size_t nbytes)
{
	const char *p = data;
	size_t n;
	ssize_t done;

	if (b->b_fd == STDOUT_FILENO && nbytes > 0)
		pager_begin();
	while (nbytes > 0 && b->b_error == 0) {
		n = nbytes;
		if (b->b_ispipe) {
			sigs_wait_writable(b->b_fd);
			if (n > PIPE_BUF)
				n = PIPE_BUF;
		}
		if ((done = write(b->b_fd, p, n)) == -1) {
			if (errno != EINTR && errno != EAGAIN)
				b->b_error = errno;
			continue;
		}
		p += done;
		nbytes -= done;
	}
	return b->b_error ? -1 : 0;
}

int
buf_flush(struct buf *b)
{
	if (b->b_fd == -1)
		return 0;
	buf_write(b, b->b_data, b->b_len);
	b->b_len = 0;
	return b->b_error ? -1 : 0;
}

int
buf_line(struct buf *b)
{
	if (b->b_len >= BUF_FLUSH)
		buf_flush(b);
	return b->b_error != 0 ? -1 : 0;
}

void
buf_mem(struct buf *b, const void *data, size_t nbytes)
{
	if (nbytes == 0)
		return;
	memcpy(buf_room(b, nbytes), data, nbytes);
	b->b_len += nbytes;
}

void
buf_str(struct buf *b, const char *s)
{
	buf_mem(b, s, strlen(s));
}

/* Writes digits from the end of tmp[20] and returns the first. */
static char *
buf_digits(char *tmp, uint64_t v)
{
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";
	char *p = tmp + 20;

	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v * 2, 2);
	} else
		*--p = '0' + v;
	return p;
}

void
buf_u64(struct buf *b, uint64_t v)
{
	char tmp[20], *p = buf_digits(tmp, v);

	buf_mem(b, p, tmp + sizeof(tmp) - p);
}

void
buf_s64(struct buf *b, int64_t v)
{
	if (v < 0) {
		buf_c(b, '-');
		buf_u64(b, -(uint64_t)v);
	} else
		buf_u64(b, v);
}

void
buf_dec(struct buf *b, uint64_t v, int width)
{
	char tmp[20], *p = buf_digits(tmp, v);
	int n = tmp + sizeof(tmp) - p;

	for (; n < width; width--)
		buf_c(b, '0');
	buf_mem(b, p, n);
}

void
buf_grouped(struct buf *b, uint64_t v)
{
	if (v >= 1000) {
		buf_grouped(b, v / 1000);
		buf_c(b, ',');
		buf_dec(b, v % 1000, 3);
	} else
		buf_u64(b, v);
}

void
buf_hex(struct buf *b, uint64_t v)
{
	char tmp[18], *p = tmp + sizeof(tmp);

	do {
		*--p = "0123456789abcdef"[v & 0xf];
		v >>= 4;
	} while (v != 0);
	*--p = 'x';
	*--p = '0';
	buf_mem(b, p, tmp + sizeof(tmp) - p);
}

void
buf_pad(struct buf *b, size_t from, int width)
{
	while (b->b_len - from < (size_t)width)
		buf_c(b, ' ');
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf_room(b, 256), 256, fmt, ap);
	va_end(ap);
	if (n >= 256) {
		p = buf_room(b, (size_t)n + 1);
		va_start(ap, fmt);
		n = vsnprintf(p, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	if (n > 0)
		b->b_len += n;
}
