/* SPDX-License-Identifier: ISC */
/* Receives the frames found for a request. */
#ifndef SYMBOLIZER_FRAME_SINK_H
#define SYMBOLIZER_FRAME_SINK_H

#include <stdint.h>

struct frame {
	uint32_t fr_pc;	     /* index of the requested address */
	const char *fr_func; /* NULL: no name */
	uint64_t fr_start;   /* of the function, as an address of the request */
	uint64_t fr_end;
	uint64_t fr_from; /* range with the same reply */
	uint64_t fr_to;
	const char *fr_file; /* NULL: unknown */
	uint32_t fr_line;
	int fr_inlined;
};

struct frame_sink {
	void (*fs_put)(struct frame_sink *, const struct frame *);
};

#endif /* SYMBOLIZER_FRAME_SINK_H */
