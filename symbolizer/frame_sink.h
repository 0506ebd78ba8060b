/* SPDX-License-Identifier: ISC */
/* Where found frames go. */
#ifndef SYMBOLIZER_FRAME_SINK_H
#define SYMBOLIZER_FRAME_SINK_H

#include <stdint.h>

struct frame {
	uint32_t fr_pc;	     /* which of the addresses asked for */
	const char *fr_func; /* NULL: no name */
	uint64_t fr_start;   /* of the function, in the asker's numbers */
	uint64_t fr_end;
	uint64_t fr_from; /* where the answer is the same */
	uint64_t fr_to;
	const char *fr_file; /* NULL: not known */
	uint32_t fr_line;
	int fr_inlined;
};

struct frame_sink {
	void (*fs_put)(struct frame_sink *, const struct frame *);
};

#endif /* SYMBOLIZER_FRAME_SINK_H */
