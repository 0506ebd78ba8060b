/* SPDX-License-Identifier: ISC */
/* Opens an ELF file: its bytes, executable segments and build id. */
#ifndef SYMBOLIZER_ELFFILE_H
#define SYMBOLIZER_ELFFILE_H

#include <gelf.h>
#include <stdint.h>

#include "symbolizer/file_bytes.h"

#define ELFFILE_LOADS 16   /* executable segments; linkers make one or two */
#define ELFFILE_PHDRS 1170 /* segments; execve(2) takes 64 KB of them */
#define ELFFILE_NOTES \
	(16U << 20) /* bytes of notes; programs have some 100 KB */

/* Code: file offsets from el_off are addresses from el_addr. */
struct elfload {
	uint64_t el_off;
	uint64_t el_size;
	uint64_t el_addr;
};

struct elffile {
	struct file_bytes ef_bytes;
	Elf *ef_elf;
	GElf_Ehdr ef_ehdr;
	unsigned int ef_nloads;
	struct elfload ef_loads[ELFFILE_LOADS];
	const void *ef_buildid; /* in ef_bytes */
	size_t ef_buildidlen;
};

/*
 * The bytes belong to the ELF file, also after an error: ENOEXEC.  That
 * includes files whose sections overlap so that to read each one takes the
 * square of the file's size.
 */
int elffile_open(struct elffile *, struct file_bytes *);
void elffile_close(struct elffile *);
/* Return the code that contains a file offset, or an address; or NULL. */
const struct elfload *elffile_at(const struct elffile *, uint64_t off);
const struct elfload *elffile_ataddr(const struct elffile *, uint64_t addr);
/* Returns the section of this name, or NULL. */
Elf_Scn *elffile_section(const struct elffile *, const char *, GElf_Shdr *);
/* Returns the bytes of a section as stored in the file, or NULL. */
const uint8_t *elffile_bytes(Elf_Scn *, size_t *size);

#endif /* SYMBOLIZER_ELFFILE_H */
