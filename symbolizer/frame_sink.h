/* SPDX-License-Identifier: ISC */
/* Receives the frames found for a request. */
#ifndef SYMBOLIZER_FRAME_SINK_H
#define SYMBOLIZER_FRAME_SINK_H

#include "wire/symbolizer.h"

/*
 * Takes one frame, without the offsets of its strings.  func, file: NULL if
 * unknown; they stay the caller's.
 */
struct frame_sink {
	void (*fs_put)(struct frame_sink *, const struct wire_frame *,
	    const struct symrep_span *, const char *func, const char *file);
};

#endif /* SYMBOLIZER_FRAME_SINK_H */
