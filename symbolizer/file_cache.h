/* SPDX-License-Identifier: ISC */
/* The files that were asked for last: opened, and their functions sorted. */
#ifndef SYMBOLIZER_FILE_CACHE_H
#define SYMBOLIZER_FILE_CACHE_H

#include "symbolizer/proto.h"

/* Answers a request, for an ELF file or a perf map; returns errno. */
int files_names(struct request *, struct frame_sink *);

#endif /* SYMBOLIZER_FILE_CACHE_H */
