/* SPDX-License-Identifier: ISC */
/*
 * Makes /dev/ksyms for programs written for OpenBSD: a file in memory with the
 * kernel's functions, which the daemon returns page by page.  It has the parts
 * that such programs look for: .symtab, .strtab, .shstrtab.
 */
#include <sys/mman.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/compat_ksyms.h"
#include "lib/handle.h"

#if defined(__aarch64__)
#define KSYMS_MACHINE EM_AARCH64
#else
#define KSYMS_MACHINE EM_X86_64
#endif

#define KSYMS_TEXT 1 /* section of all functions */

/* The symbols and names received so far. */
struct ksyms {
	Elf64_Sym *cks_syms; /* the first is empty */
	size_t cks_n;
	char *cks_names; /* begin with a NUL */
	size_t cks_nbytes;
};

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

/* Checks a page, whose names end with a NUL. */
static int
page_check(struct dt *dt, const uint8_t *buf, size_t len, uint64_t from,
    struct wire_ksyms_page *pg)
{
	size_t entries;

	if (len < sizeof(*pg))
		return dt_ctl_nonsense(dt, "symbols have no header");
	memcpy(pg, buf, sizeof(*pg));
	entries = (size_t)pg->wkl_count * sizeof(struct wire_ksym);
	if (entries > len - sizeof(*pg) ||
	    (pg->wkl_count > 0 &&
		(entries == len - sizeof(*pg) || buf[len - 1] != '\0')))
		return dt_ctl_nonsense(dt, "symbols have a wrong length");
	if (pg->wkl_next != 0 && pg->wkl_next <= from)
		return dt_ctl_nonsense(dt, "symbols do not continue");
	return 0;
}

static int
page_add(struct dt *dt, struct ksyms *ks, const uint8_t *buf, size_t len,
    const struct wire_ksyms_page *pg)
{
	const struct wire_ksym *wk = (const void *)(buf + sizeof(*pg));
	const char *names = (const char *)(wk + pg->wkl_count);
	size_t nbytes = len - (size_t)((const uint8_t *)names - buf);
	Elf64_Sym *sym;
	char *p;
	uint32_t i;

	sym = reallocarray(ks->cks_syms, ks->cks_n + pg->wkl_count,
	    sizeof(*sym));
	if (sym != NULL)
		ks->cks_syms = sym;
	if ((p = realloc(ks->cks_names, ks->cks_nbytes + nbytes)) != NULL)
		ks->cks_names = p;
	if (sym == NULL || p == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	memcpy(p + ks->cks_nbytes, names, nbytes);
	for (i = 0; i < pg->wkl_count; i++, wk++) {
		if (wk->wkm_name >= nbytes)
			return dt_ctl_nonsense(dt, "a symbol has no name");
		sym[ks->cks_n++] = (Elf64_Sym){
			.st_name = (uint32_t)ks->cks_nbytes + wk->wkm_name,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = KSYMS_TEXT,
			.st_value = wk->wkm_start,
			.st_size = wk->wkm_size,
		};
	}
	ks->cks_nbytes += nbytes;
	return 0;
}

static int
ksyms_fetch(struct dt *dt, struct ksyms *ks)
{
	struct wire_ksyms_page pg = { 0 };
	struct wire_ksyms rq = { 0 };
	uint8_t *buf;
	size_t len;
	int r = 0;

	ks->cks_syms = calloc(1, sizeof(*ks->cks_syms));
	ks->cks_names = calloc(1, 1);
	buf = malloc(WIRE_MAXPAYLOAD);
	if (ks->cks_syms == NULL || ks->cks_names == NULL || buf == NULL) {
		free(buf);
		return dt_fail(dt, ENOMEM, NULL);
	}
	ks->cks_n = ks->cks_nbytes = 1;
	do {
		if (dt_ctl_call(dt, DTIOCGKSYMS, &rq, sizeof(rq), buf,
			WIRE_MAXPAYLOAD, &len) == -1 ||
		    page_check(dt, buf, len, rq.wks_from, &pg) == -1 ||
		    page_add(dt, ks, buf, len, &pg) == -1)
			r = -1;
		rq.wks_from = pg.wkl_next;
	} while (r == 0 && rq.wks_from != 0);
	free(buf);
	return r;
}

/* Head and sections of the file; symbols, names, section names follow. */
struct ksyms_head {
	Elf64_Ehdr kh_ehdr;
	Elf64_Shdr kh_shdr[5]; /* none, text, symbols, names, section names */
};

static void
head_make(const struct ksyms *ks, struct ksyms_head *kh)
{
	const uint64_t nsyms = ks->cks_n * sizeof(*ks->cks_syms);
	const Elf64_Sym *last = &ks->cks_syms[ks->cks_n - 1];

	*kh = (struct ksyms_head){
		.kh_ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			    ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = KSYMS_MACHINE,
			.e_version = EV_CURRENT,
			.e_shoff = offsetof(struct ksyms_head, kh_shdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 5,
			.e_shstrndx = 4,
		},
		.kh_shdr = {
			[KSYMS_TEXT] = {
				.sh_name = 1,
				.sh_type = SHT_NOBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = ks->cks_n > 1 ? ks->cks_syms[1].st_value
							: 0,
				.sh_offset = sizeof(*kh),
				.sh_size = ks->cks_n > 1 ? last->st_value +
					last->st_size - ks->cks_syms[1].st_value
							: 0,
			},
			[2] = {
				.sh_name = 7,
				.sh_type = SHT_SYMTAB,
				.sh_offset = sizeof(*kh),
				.sh_size = nsyms,
				.sh_link = 3,
				.sh_info = 1,
				.sh_addralign = 8,
				.sh_entsize = sizeof(Elf64_Sym),
			},
			[3] = {
				.sh_name = 15,
				.sh_type = SHT_STRTAB,
				.sh_offset = sizeof(*kh) + nsyms,
				.sh_size = ks->cks_nbytes,
				.sh_addralign = 1,
			},
			[4] = {
				.sh_name = 23,
				.sh_type = SHT_STRTAB,
				.sh_offset = sizeof(*kh) + nsyms +
				    ks->cks_nbytes,
				.sh_size = sizeof(section_names),
				.sh_addralign = 1,
			},
		},
	};
}

static int
put(int fd, const void *data, size_t nbytes)
{
	const char *p = data;
	ssize_t n;

	for (; nbytes > 0; p += n, nbytes -= (size_t)n)
		if ((n = write(fd, p, nbytes)) == -1)
			return -1;
	return 0;
}

/* Returns the file, positioned at its begin, or -1. */
static int
ksyms_file(const struct ksyms *ks, int flags)
{
	int error,
	    fd = memfd_create("ksyms", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	struct ksyms_head kh;

	if (fd == -1)
		return -1;
	head_make(ks, &kh);
	if (put(fd, &kh, sizeof(kh)) == 0 &&
	    put(fd, ks->cks_syms, ks->cks_n * sizeof(*ks->cks_syms)) == 0 &&
	    put(fd, ks->cks_names, ks->cks_nbytes) == 0 &&
	    put(fd, section_names, sizeof(section_names)) == 0 &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int
dt_ksyms_file(struct dt *dt, int flags)
{
	struct ksyms ks = { 0 };
	int error, fd = -1;

	if (ksyms_fetch(dt, &ks) == 0)
		fd = ksyms_file(&ks, flags);
	error = errno;
	free(ks.cks_syms);
	free(ks.cks_names);
	errno = error;
	return fd;
}

int
dt_compat_ksyms_open(int flags)
{
	struct dt *dt;
	int error, fd;

	if ((flags & O_ACCMODE) != O_RDONLY) {
		errno = EPERM; /* as a device that cannot be written */
		return -1;
	}
	if ((dt = dt_open(NULL, 0)) == NULL)
		return -1;
	fd = dt_ksyms_file(dt, flags);
	error = errno;
	dt_close(dt);
	errno = error;
	return fd;
}
