/* SPDX-License-Identifier: ISC */
/*
 * Finds stubs of the procedure linkage table, which jump to functions of other
 * files.
 */
#ifndef SYMBOLIZER_PLT_H
#define SYMBOLIZER_PLT_H

#include "symbolizer/elffile.h"
#include "symbolizer/ranges.h"
#include "symbolizer/symbol_index.h"
#include "wire/symbolizer.h"

struct plt;

/*
 * Finds the sections; the stubs are read at the first lookup.  Returns NULL if
 * memory runs out.
 */
struct plt *plt_alloc(const struct elffile *);
int plt_has(const struct plt *, uint64_t addr);
/*
 * Clips a range found outside of the sections so that it does not overlap them.
 */
void plt_clip(const struct plt *, uint64_t addr, struct ranges_hit *);
/* Finds the stub and its name, "memcpy@plt"; 0 if it has none. */
int plt_find(struct plt *, const struct elffile *, const struct symbol_index *,
    uint64_t addr, struct ranges_hit *, char out[SYMREQ_NAME]);
void plt_free(struct plt *);

#endif /* SYMBOLIZER_PLT_H */
