/* SPDX-License-Identifier: ISC */
/* Describes types of DWARF: their text, and how a value of one is passed. */
#ifndef SYMBOLIZER_TYPES_H
#define SYMBOLIZER_TYPES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#define TYPE_TEXT  256 /* size of its text */
#define TYPE_SMALL 16  /* bytes of the largest value in registers */

/* Content of an 8-byte part of a value; integers prevail. */
enum type_part {
	TYPE_PART_NONE,
	TYPE_PART_FLOAT,
	TYPE_PART_INT,
};

struct type_info {
	uint8_t ti_kind; /* enum probe_arg_kind; 0: void */
	int ti_issigned;
	int ti_isbyref;	 /* C++: it has a copy constructor or a destructor */
	int ti_ismemory; /* never in registers: a long double, or packed */
	uint64_t ti_size, ti_align;
	enum type_part ti_parts[2]; /* of at most TYPE_SMALL bytes */
	/* members that are floating point numbers of one size; -1: others */
	int ti_nfloats;
	uint64_t ti_floatsize;
};

/* die: an entry with a type; without one its type is void. */
void type_of(Dwarf_Die *die, struct type_info *);
/* Stores the type as C writes it, cut to its size. */
void type_text(Dwarf_Die *die, char text[TYPE_TEXT]);

#endif /* SYMBOLIZER_TYPES_H */
