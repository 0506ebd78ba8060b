/* SPDX-License-Identifier: ISC */
/* Collects frames, see frame_buf.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sym/frame_buf.h"

static int
grow(void *pp, size_t want, size_t *max, size_t size, size_t limit)
{
	size_t n = *max == 0 ? 64 : *max;
	void *p;

	if (want <= *max)
		return 0;
	if (want > limit)
		return E2BIG;
	while (n < want)
		n *= 2;
	if ((p = realloc(*(void **)pp, n * size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = n;
	return 0;
}

int
frame_buf_room(struct frame_buf *sb, size_t nframes, size_t nbytes)
{
	int error;

	error = grow(&sb->fb_frames, sb->fb_n + nframes, &sb->fb_max,
	    sizeof(*sb->fb_frames), FRAME_BUF_FRAMES);
	if (error == 0)
		error = grow(&sb->fb_strings, sb->fb_nbytes + nbytes,
		    &sb->fb_maxbytes, 1, FRAME_BUF_BYTES);
	return error;
}

static uint32_t
add_string(struct frame_buf *sb, const char *s, uint32_t last)
{
	size_t n;

	if (s == NULL)
		return SYMREP_NONAME;
	if (last != SYMREP_NONAME && strcmp(sb->fb_strings + last, s) == 0)
		return last;
	n = strlen(s) + 1;
	memcpy(sb->fb_strings + sb->fb_nbytes, s, n);
	sb->fb_nbytes += n;
	return sb->fb_nbytes - n;
}

int
frame_buf_add(struct frame_buf *sb, const struct symrep_frame *numbers,
    const char *func, const char *file)
{
	struct symrep_frame *f, *last;
	int error;

	error = frame_buf_room(sb, 1,
	    (func == NULL ? 0 : strlen(func) + 1) +
		(file == NULL ? 0 : strlen(file) + 1));
	if (error != 0)
		return error;
	last = sb->fb_n == 0 ? NULL : &sb->fb_frames[sb->fb_n - 1];
	f = &sb->fb_frames[sb->fb_n++];
	*f = *numbers;
	f->srf_func = add_string(sb, func,
	    last == NULL ? SYMREP_NONAME : last->srf_func);
	f->srf_file = add_string(sb, file,
	    last == NULL ? SYMREP_NONAME : last->srf_file);
	return 0;
}

const char *
frame_buf_string(const struct frame_buf *sb, uint32_t at)
{
	return at == SYMREP_NONAME ? NULL : sb->fb_strings + at;
}

void
frame_buf_free(struct frame_buf *sb)
{
	free(sb->fb_frames);
	free(sb->fb_strings);
	*sb = (struct frame_buf){ 0 };
}
