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

#define PLT_SECTIONS 4 /* .plt, .plt.sec, .plt.got, .iplt */

struct plt {
	unsigned int pl_n;
	struct {
		uint64_t pt_start;
		uint64_t pt_end;
		Elf_Scn *pt_scn;
	} pl_sections[PLT_SECTIONS];
	int pl_read;		/* stubs have been read */
	struct ranges pl_stubs; /* value: index into pl_targets */
	struct {
		uint32_t pt_sym;    /* of the dynamic symbols; 0: none, but */
		uint64_t pt_addend; /* where the function is resolved */
	} * pl_targets;
	size_t pl_ntargets;
	Elf_Data *pl_syms; /* the dynamic symbols, NULL: none */
	const char *pl_names;
	size_t pl_nnames;
};

/* Finds the sections; the stubs are read at the first lookup. */
void plt_init(struct plt *, const struct elffile *);
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
