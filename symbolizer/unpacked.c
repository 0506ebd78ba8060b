/* SPDX-License-Identifier: ISC */
/*
 * Unpacks debug information by libdeflate, which takes less than half of the
 * time of zlib.  libdw would unpack each section that it knows by zlib when it
 * opens a file.  The result is an ELF file without segments, in which sections
 * that nothing here reads are empty, for example places of variables.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <libdeflate.h>

#include "symbolizer/unpacked.h"

#define UNPACKED_ALIGN 16
#define UNPACKED_HUGE  (2U << 20)   /* bytes of a large page */
#define UNPACKED_MAX   (1ULL << 32) /* bytes; the process has less memory */

static const char *const unpacked_names[] = { ".debug_info", ".debug_abbrev",
	".debug_str", ".debug_line", ".debug_line_str", ".debug_rnglists",
	".debug_ranges", ".debug_addr", ".debug_str_offsets", ".debug_types",
	".gnu_debugaltlink" };

/* A copy that is being made.  Sections have the numbers of the file's. */
struct unpacking {
	const struct elffile *upk_file;
	size_t upk_nsections, upk_names; /* upk_names: section of the names */
	Elf64_Shdr *upk_shdrs;
	const uint8_t **upk_from; /* their content in the file */
	size_t *upk_frombytes;
	int *upk_ispacked;
	uint64_t upk_nbytes; /* of the copy */
};

static int
unpacking_wants(const struct unpacking *upk, size_t i, const GElf_Shdr *sh)
{
	const char *name;
	size_t j;

	if (i == upk->upk_names)
		return 1;
	if ((name = elf_strptr(upk->upk_file->ef_elf, upk->upk_names,
		 sh->sh_name)) == NULL)
		return 0;
	for (j = 0; j < sizeof(unpacked_names) / sizeof(*unpacked_names); j++)
		if (strcmp(name, unpacked_names[j]) == 0)
			return 1;
	return 0;
}

/* Reads the header of a compressed section.  0: not by zlib. */
static int
packed_head(struct unpacking *upk, size_t i)
{
	Elf64_Chdr ch;

	if (upk->upk_frombytes[i] < sizeof(ch))
		return 0;
	memcpy(&ch, upk->upk_from[i], sizeof(ch));
	if (ch.ch_type != ELFCOMPRESS_ZLIB || ch.ch_size > UNPACKED_MAX)
		return 0;
	upk->upk_ispacked[i] = 1;
	upk->upk_from[i] += sizeof(ch);
	upk->upk_frombytes[i] -= sizeof(ch);
	upk->upk_shdrs[i].sh_size = ch.ch_size;
	upk->upk_shdrs[i].sh_addralign = ch.ch_addralign;
	upk->upk_shdrs[i].sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	return 1;
}

/* Places a section in the copy.  Returns 0 if it cannot be in one. */
static int
section_place(struct unpacking *upk, size_t i)
{
	const struct file_bytes *fby = &upk->upk_file->ef_bytes;
	Elf64_Shdr *to = &upk->upk_shdrs[i];
	GElf_Shdr sh;

	if (gelf_getshdr(elf_getscn(upk->upk_file->ef_elf, i), &sh) == NULL)
		return 0;
	*to = (Elf64_Shdr){ .sh_name = sh.sh_name,
		.sh_type = SHT_NOBITS,
		.sh_flags = sh.sh_flags & ~(uint64_t)SHF_COMPRESSED };
	if (sh.sh_type == SHT_NULL || sh.sh_type == SHT_NOBITS ||
	    !unpacking_wants(upk, i, &sh))
		return 1;
	if (sh.sh_offset > fby->fby_size ||
	    sh.sh_size > fby->fby_size - sh.sh_offset)
		return 0;
	*to = (Elf64_Shdr){ .sh_name = sh.sh_name,
		.sh_type = sh.sh_type,
		.sh_flags = sh.sh_flags,
		.sh_size = sh.sh_size,
		.sh_addralign = sh.sh_addralign,
		.sh_entsize = sh.sh_entsize };
	upk->upk_from[i] = fby->fby_base + sh.sh_offset;
	upk->upk_frombytes[i] = sh.sh_size;
	if ((sh.sh_flags & SHF_COMPRESSED) && !packed_head(upk, i))
		return 0;
	to->sh_offset = upk->upk_nbytes;
	upk->upk_nbytes += (to->sh_size + UNPACKED_ALIGN - 1) &
	    ~(uint64_t)(UNPACKED_ALIGN - 1);
	return upk->upk_nbytes <= UNPACKED_MAX;
}

static int
sections_place(struct unpacking *upk)
{
	size_t i;

	upk->upk_nbytes = sizeof(Elf64_Ehdr);
	for (i = 0; i < upk->upk_nsections; i++)
		if (!section_place(upk, i))
			return 0;
	return 1;
}

/* Returns 0 if the result does not have exactly this size. */
static int
unpack(const uint8_t *from, size_t nbytes, uint8_t *to, size_t size)
{
	struct libdeflate_decompressor *ld = libdeflate_alloc_decompressor();
	int isgood;

	if (ld == NULL)
		return 0;
	isgood = libdeflate_zlib_decompress(ld, from, nbytes, to, size, NULL) ==
	    LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(ld);
	return isgood;
}

/* Writes the sections to the copy.  Returns 0 if one cannot be unpacked. */
static int
sections_write(const struct unpacking *upk, uint8_t *bytes)
{
	const Elf64_Shdr *sh;
	size_t i;

	for (i = 0; i < upk->upk_nsections; i++) {
		sh = &upk->upk_shdrs[i];
		if (upk->upk_from[i] == NULL)
			continue;
		if (!upk->upk_ispacked[i])
			memcpy(bytes + sh->sh_offset, upk->upk_from[i],
			    sh->sh_size);
		else if (!unpack(upk->upk_from[i], upk->upk_frombytes[i],
			     bytes + sh->sh_offset, sh->sh_size))
			return 0;
	}
	return 1;
}

/*
 * Allocates a copy, in large pages where the kernel allows them: a C library's
 * has 2,000 small ones.
 */
static uint8_t *
copy_alloc(size_t nbytes)
{
	void *p;

	if (nbytes < UNPACKED_HUGE)
		return malloc(nbytes);
	if (posix_memalign(&p, UNPACKED_HUGE, nbytes) != 0)
		return NULL;
	(void)madvise(p, nbytes, MADV_HUGEPAGE);
	return p;
}

/* Returns the copy, NULL if there is none. */
static uint8_t *
unpacking_make(const struct unpacking *upk)
{
	const size_t nshdrs = upk->upk_nsections * sizeof(*upk->upk_shdrs);
	uint8_t *bytes = copy_alloc(upk->upk_nbytes + nshdrs);
	Elf64_Ehdr eh;

	if (bytes == NULL)
		return NULL;
	memcpy(&eh, upk->upk_file->ef_bytes.fby_base, sizeof(eh));
	eh.e_phoff = eh.e_phnum = 0;
	eh.e_shoff = upk->upk_nbytes;
	memcpy(bytes, &eh, sizeof(eh));
	memcpy(bytes + upk->upk_nbytes, upk->upk_shdrs, nshdrs);
	if (sections_write(upk, bytes))
		return bytes;
	free(bytes);
	return NULL;
}

static int
unpacking_alloc(struct unpacking *upk, const struct elffile *ef)
{
	size_t n;

	if (elf_getshdrnum(ef->ef_elf, &n) != 0 || n == 0 ||
	    elf_getshdrstrndx(ef->ef_elf, &upk->upk_names) != 0)
		return 0;
	upk->upk_file = ef;
	upk->upk_nsections = n;
	upk->upk_shdrs = calloc(n, sizeof(*upk->upk_shdrs));
	upk->upk_from = calloc(n, sizeof(*upk->upk_from));
	upk->upk_frombytes = calloc(n, sizeof(*upk->upk_frombytes));
	upk->upk_ispacked = calloc(n, sizeof(*upk->upk_ispacked));
	return upk->upk_shdrs != NULL && upk->upk_from != NULL &&
	    upk->upk_frombytes != NULL && upk->upk_ispacked != NULL;
}

/* Returns whether a file of this form is copied. */
static int
is_packed(const struct elffile *ef)
{
	GElf_Shdr sh;

	return ef->ef_ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
	    ef->ef_ehdr.e_ident[EI_DATA] == ELFDATA2LSB &&
	    ef->ef_ehdr.e_shnum != 0 &&
	    ef->ef_ehdr.e_shstrndx < SHN_LORESERVE &&
	    elffile_section(ef, ".debug_info", &sh) != NULL &&
	    (sh.sh_flags & SHF_COMPRESSED) != 0;
}

void
unpacked_open(struct unpacked *unp, const struct elffile *ef)
{
	struct unpacking upk = { 0 };

	*unp = (struct unpacked){ 0 };
	if (!is_packed(ef))
		return;
	if (unpacking_alloc(&upk, ef) && sections_place(&upk) &&
	    (unp->unp_bytes = unpacking_make(&upk)) != NULL)
		unp->unp_elf = elf_memory(unp->unp_bytes,
		    upk.upk_nbytes +
			upk.upk_nsections * sizeof(*upk.upk_shdrs));
	free(upk.upk_shdrs);
	free(upk.upk_from);
	free(upk.upk_frombytes);
	free(upk.upk_ispacked);
	if (unp->unp_elf == NULL)
		unpacked_close(unp);
}

void
unpacked_close(struct unpacked *unp)
{
	if (unp->unp_elf != NULL)
		elf_end(unp->unp_elf);
	free(unp->unp_bytes);
	*unp = (struct unpacked){ 0 };
}
