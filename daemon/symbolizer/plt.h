/* SPDX-License-Identifier: ISC */
/* The procedure linkage table: stubs that jump to functions of other files. */
#ifndef SYMBOLIZER_PLT_H
#define SYMBOLIZER_PLT_H

#include "elffile.h"
#include "index.h"
#include "ranges.h"

#define PLT_SECTIONS 4 /* .plt, .plt.sec, .plt.got, .iplt */

struct plt {
	unsigned int pl_n;
	struct {
		uint64_t pt_start;
		uint64_t pt_end;
	} pl_sections[PLT_SECTIONS];
	struct ranges pl_stubs; /* value: symbol, or PLT_ADDEND and index */
	const char *pl_names;	/* of the dynamic symbols */
	size_t pl_nnames;
	int pl_read;
};

/* Finds the sections; the stubs are read when one is asked for. */
void plt_init(struct plt *, const struct elffile *);
int plt_has(const struct plt *, uint64_t addr);
/* The name, with @plt; "" when it has none, and the stub's range. */
int plt_find(struct plt *, const struct elffile *, const struct index *,
    uint64_t addr, struct ranges_hit *, char out[SYMREQ_NAME]);
void plt_free(struct plt *);

#endif /* SYMBOLIZER_PLT_H */
