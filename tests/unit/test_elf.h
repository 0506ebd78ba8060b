/* SPDX-License-Identifier: ISC */
/* A second reader of ELF files, for the tests of the symbolizer. */
#ifndef TEST_ELF_H
#define TEST_ELF_H

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct view {
	uint8_t *v_base;
	size_t v_size;
};

static inline struct view
view_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct view v;

	assert_int_not_equal(fd, -1);
	assert_int_equal(fstat(fd, &st), 0);
	v.v_size = st.st_size;
	v.v_base = mmap(NULL, v.v_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(v.v_base, MAP_FAILED);
	close(fd);
	return v;
}

static inline const Elf64_Ehdr *
ehdr(const struct view *v)
{
	return (const void *)v->v_base;
}

static inline const Elf64_Shdr *
section(const struct view *v, unsigned int i)
{
	return (const Elf64_Shdr *)(v->v_base + ehdr(v)->e_shoff) + i;
}

/* Returns the file offset of an address of code; 0 if it is not code. */
static inline uint64_t
off_of(const struct view *v, uint64_t addr)
{
	const Elf64_Phdr *ph = (const void *)(v->v_base + ehdr(v)->e_phoff);
	unsigned int i;

	for (i = 0; i < ehdr(v)->e_phnum; i++, ph++)
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) &&
		    addr >= ph->p_vaddr && addr < ph->p_vaddr + ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	return 0;
}

/* Calls fn for each symbol of the tables of one type. */
static inline void
each_symbol(const struct view *v, uint32_t type,
    void (*fn)(const struct view *, const Elf64_Sym *, const char *, void *),
    void *arg)
{
	unsigned int i;
	size_t n;

	for (i = 0; i < ehdr(v)->e_shnum; i++) {
		const Elf64_Shdr *sh = section(v, i);
		const Elf64_Sym *sym = (const void *)(v->v_base +
		    sh->sh_offset);
		const char *names;

		if (sh->sh_type != type)
			continue;
		names = (const char *)v->v_base +
		    section(v, sh->sh_link)->sh_offset;
		for (n = sh->sh_size / sizeof(*sym); n-- > 0; sym++)
			fn(v, sym, names + sym->st_name, arg);
	}
}

/* Returns whether it is a function in the file. */
static inline int
is_code(const struct view *v, const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	    sym->st_shndx != SHN_UNDEF && off_of(v, sym->st_value) != 0;
}

#endif /* TEST_ELF_H */
