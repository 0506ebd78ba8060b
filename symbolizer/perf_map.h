/* SPDX-License-Identifier: ISC */
/*
 * A perf map: the text file in which a process that makes code at run time
 * writes what it made, "START SIZE name" a line, numbers hexadecimal.
 */
#ifndef SYMBOLIZER_PERF_MAP_H
#define SYMBOLIZER_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/frame_sink.h"

struct jit;

/* Reads the file; it stays the caller's.  ENOMEM. */
int jit_open(int fd, struct jit **);
/* The same for text in pieces: alloc, text for each piece, seal. */
struct jit *jit_alloc(void);
int jit_text(struct jit *, const char *, size_t);
int jit_seal(struct jit *);
void jit_names(const struct jit *, const uint64_t *pcs, size_t n,
    struct frame_sink *);
void jit_close(struct jit *);

#endif /* SYMBOLIZER_PERF_MAP_H */
