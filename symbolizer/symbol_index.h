/* SPDX-License-Identifier: ISC */
/* Finds functions of a file by address, from one or more symbol tables. */
#ifndef SYMBOLIZER_SYMBOL_INDEX_H
#define SYMBOLIZER_SYMBOL_INDEX_H

#include "symbolizer/elffile.h"
#include "symbolizer/ranges.h"

#define INDEX_TABLES 4 /* limit: stored in two bits */

struct symbol_index {
	struct ranges ix_ranges; /* value: table and offset of the name */
	unsigned int ix_ntables;
	struct {
		const char *it_names;
		size_t it_size;
	} ix_tables[INDEX_TABLES];
};

/*
 * Adds the functions of a symbol table (SHT_SYMTAB, SHT_DYNSYM) of ef, if it
 * has one, that lie in the code of main.  Their names stay in the bytes of ef.
 * ENOENT: there is no such table.
 */
int symbol_index_add(struct symbol_index *, const struct elffile *main,
    const struct elffile *ef, uint32_t type);
/* Returns the symbol table of a type, or NULL. */
Elf_Scn *symbol_index_table(const struct elffile *, uint32_t type, GElf_Shdr *);
/*
 * Returns whether a symbol is a function, or a label in code.  left: bytes from
 * the name to the end of the table.
 */
int symbol_index_takes(const struct elffile *, const GElf_Sym *,
    const char *name, size_t left);
/* Call after the last symbol_index_add(). */
int symbol_index_seal(struct symbol_index *, const struct elffile *main);
/* The name as it is in the table, without a NUL; of a longer one the first
 * SYMNAME_MAX bytes, so that the table's end is not searched for each. */
const char *symbol_index_name(const struct symbol_index *, const struct range *,
    size_t *len);
void symbol_index_free(struct symbol_index *);

#endif /* SYMBOLIZER_SYMBOL_INDEX_H */
