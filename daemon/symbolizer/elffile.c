/* SPDX-License-Identifier: ISC */
/* An ELF file, see elffile.h; by libelf. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <string.h>

#include "elffile.h"

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

int
elffile_open(struct elffile *ef, struct image *im)
{
	ssize_t n;

	memset(ef, 0, sizeof(*ef));
	ef->ef_image = *im;
	ef->ef_elf = elf_memory((char *)im->im_base, im->im_size);
	if (ef->ef_elf == NULL || elf_kind(ef->ef_elf) != ELF_K_ELF ||
	    gelf_getehdr(ef->ef_elf, &ef->ef_ehdr) == NULL) {
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
	image_free(&ef->ef_image);
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
