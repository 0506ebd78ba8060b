/* SPDX-License-Identifier: ISC */
/* Unpacks the sections of a file with debug information. */
#ifndef SYMBOLIZER_UNPACKED_H
#define SYMBOLIZER_UNPACKED_H

#include "symbolizer/elffile.h"

/* An ELF file in memory with the sections that are read here, unpacked. */
struct unpacked {
	Elf *unp_elf; /* NULL: there is none */
	void *unp_bytes;
};

/*
 * Makes a copy of a file whose debug information is compressed by zlib.  If it
 * is not, or cannot be unpacked, unp_elf is NULL, and libdw reads the file.
 */
void unpacked_open(struct unpacked *, const struct elffile *);
void unpacked_close(struct unpacked *);

#endif /* SYMBOLIZER_UNPACKED_H */
