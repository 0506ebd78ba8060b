/* SPDX-License-Identifier: ISC */
/* Opens ELF files with libelf, and finds their loaded parts and sections. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <string.h>

#include "symbolizer/elffile.h"

static void
elffile_loads(struct elffile *ef)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(ef->ef_elf, &n) != 0)
		return;
	for (i = 0; i < n && ef->ef_nloads < ELFFILE_LOADS; i++) {
		if (gelf_getphdr(ef->ef_elf, i, &ph) == NULL)
			return;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) ||
		    ph.p_offset + ph.p_filesz < ph.p_offset ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		ef->ef_loads[ef->ef_nloads++] = (struct elfload){ ph.p_offset,
			ph.p_filesz, ph.p_vaddr };
	}
}

/* The bytes of a file that a header claims; those beyond its end do not
 * count. */
static uint64_t
claimed(const struct elffile *ef, uint64_t off, uint64_t size)
{
	uint64_t max = ef->ef_bytes.fby_size;

	if (off >= max)
		return 0;
	return size < max - off ? size : max - off;
}

static int
segments_ok(const struct elffile *ef)
{
	uint64_t notes = 0;
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(ef->ef_elf, &n) != 0)
		return 1; /* as if there were none */
	if (n > ELFFILE_PHDRS)
		return 0;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(ef->ef_elf, i, &ph) != NULL &&
		    ph.p_type == PT_NOTE)
			notes += claimed(ef, ph.p_offset, ph.p_filesz);
	return notes <= ELFFILE_NOTES;
}

/*
 * Returns whether the names of sections end within their table: libelf searches
 * for each end.
 */
static int
names_ok(const struct elffile *ef)
{
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(ef->ef_elf, &names) != 0 || names == SHN_UNDEF ||
	    gelf_getshdr(elf_getscn(ef->ef_elf, names), &sh) == NULL)
		return 1; /* they have none */
	return !(sh.sh_flags & SHF_COMPRESSED) && sh.sh_size > 0 &&
	    claimed(ef, sh.sh_offset, sh.sh_size) == sh.sh_size &&
	    ef->ef_bytes.fby_base[sh.sh_offset + sh.sh_size - 1] == '\0';
}

static int
sections_ok(const struct elffile *ef)
{
	uint64_t bytes = 0, notes = 0, nbytes;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t n;

	if (elf_getshdrnum(ef->ef_elf, &n) != 0)
		return 1;
	if (n >= SHN_LORESERVE)
		return 0;
	while ((scn = elf_nextscn(ef->ef_elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type == SHT_NOBITS)
			continue;
		nbytes = claimed(ef, sh.sh_offset, sh.sh_size);
		bytes += nbytes;
		notes += sh.sh_type == SHT_NOTE ? nbytes : 0;
	}
	return bytes / 2 <= ef->ef_bytes.fby_size && notes <= ELFFILE_NOTES &&
	    names_ok(ef);
}

int
elffile_open(struct elffile *ef, struct file_bytes *im)
{
	ssize_t n;

	memset(ef, 0, sizeof(*ef));
	ef->ef_bytes = *im;
	ef->ef_elf = elf_memory((char *)im->fby_base, im->fby_size);
	if (ef->ef_elf == NULL || elf_kind(ef->ef_elf) != ELF_K_ELF ||
	    gelf_getehdr(ef->ef_elf, &ef->ef_ehdr) == NULL ||
	    !segments_ok(ef) || !sections_ok(ef)) {
		elffile_close(ef);
		return ENOEXEC;
	}
	elffile_loads(ef);
	n = dwelf_elf_gnu_build_id(ef->ef_elf, &ef->ef_buildid);
	ef->ef_buildidlen = n > 0 ? n : 0;
	return 0;
}

void
elffile_close(struct elffile *ef)
{
	if (ef->ef_elf != NULL)
		elf_end(ef->ef_elf);
	file_bytes_free(&ef->ef_bytes);
	memset(ef, 0, sizeof(*ef));
}

const struct elfload *
elffile_at(const struct elffile *ef, uint64_t off)
{
	const struct elfload *el;

	for (el = ef->ef_loads; el < &ef->ef_loads[ef->ef_nloads]; el++)
		if (off >= el->el_off && off - el->el_off < el->el_size)
			return el;
	return NULL;
}

const struct elfload *
elffile_ataddr(const struct elffile *ef, uint64_t addr)
{
	const struct elfload *el;

	for (el = ef->ef_loads; el < &ef->ef_loads[ef->ef_nloads]; el++)
		if (addr >= el->el_addr && addr - el->el_addr < el->el_size)
			return el;
	return NULL;
}

Elf_Scn *
elffile_section(const struct elffile *ef, const char *want, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(ef->ef_elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(ef->ef_elf, scn)) != NULL)
		if (gelf_getshdr(scn, sh) != NULL &&
		    (name = elf_strptr(ef->ef_elf, names, sh->sh_name)) !=
			NULL &&
		    strcmp(name, want) == 0)
			return scn;
	return NULL;
}

const uint8_t *
elffile_bytes(Elf_Scn *scn, size_t *size)
{
	Elf_Data *d;

	if (scn == NULL || (d = elf_rawdata(scn, NULL)) == NULL ||
	    d->d_buf == NULL)
		return NULL;
	*size = d->d_size;
	return d->d_buf;
}
