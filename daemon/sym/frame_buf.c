/* SPDX-License-Identifier: ISC */
/* Collects frames, their spans and their strings in growing arrays. */
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
		error = grow(&sb->fb_spans, sb->fb_n + nframes,
		    &sb->fb_maxspans, sizeof(*sb->fb_spans), FRAME_BUF_FRAMES);
	if (error == 0)
		error = grow(&sb->fb_strings, sb->fb_nbytes + nbytes,
		    &sb->fb_maxbytes, 1, FRAME_BUF_BYTES);
	return error;
}

static uint32_t
add_string(struct frame_buf *sb, const char *s)
{
	uint32_t at = sb->fb_nbytes;

	if (s == NULL)
		return 0;
	sb->fb_nbytes += strlen(s) + 1;
	memcpy(sb->fb_strings + at, s, sb->fb_nbytes - at);
	return at + 1;
}

int
frame_buf_add(struct frame_buf *sb, const struct wire_frame *wf,
    const char *strings)
{
	const char *func = wire_string(strings, wf->wf_func);
	const char *file = wire_string(strings, wf->wf_file);
	struct wire_frame *to;
	int error;

	error = frame_buf_room(sb, 1,
	    (func == NULL ? 0 : strlen(func) + 1) +
		(file == NULL ? 0 : strlen(file) + 1));
	if (error != 0)
		return error;
	sb->fb_spans[sb->fb_n] = (struct symrep_span){ 0, 0 };
	to = &sb->fb_frames[sb->fb_n++];
	*to = *wf;
	to->wf_func = add_string(sb, func);
	to->wf_file = add_string(sb, file);
	return 0;
}

void
frame_buf_free(struct frame_buf *sb)
{
	free(sb->fb_frames);
	free(sb->fb_spans);
	free(sb->fb_strings);
	*sb = (struct frame_buf){ 0 };
}
