/* SPDX-License-Identifier: ISC */
/* Caches the files requested last: open, with their functions sorted. */
#ifndef SYMBOLIZER_FILE_CACHE_H
#define SYMBOLIZER_FILE_CACHE_H

#include "symbolizer/requests.h"

/*
 * Serves a request for an ELF file or a perf map; returns an errno.  Unwind
 * tables do not go to the sink.
 */
int files_names(struct request *, struct frame_sink *);

#endif /* SYMBOLIZER_FILE_CACHE_H */
