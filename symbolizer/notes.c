/* SPDX-License-Identifier: ISC */
/*
 * Finds static probes.  A note has three addresses: of the probe, of the section
 * .stapsdt.base when it was written, and of the semaphore; then the provider,
 * the name and the arguments.  A tool that moves a file (prelink) changes
 * the address of that section, but no note, which gives the distance.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/name_glob.h"
#include "symbolizer/note_args.h"
#include "symbolizer/notes.h"

#define NOTE_TYPE  3
#define NOTE_OWNER "stapsdt"

/* Symbols that are compared in a query, and so its time. */
#define SYMBOL_STEPS (64U << 20)

static uint64_t
read_word(const struct elffile *ef, const uint8_t **at)
{
	uint64_t wide;
	uint32_t narrow;

	if (ef->ef_ehdr.e_ident[EI_CLASS] == ELFCLASS64) {
		memcpy(&wide, *at, sizeof(wide));
		*at += sizeof(wide);
		return wide;
	}
	memcpy(&narrow, *at, sizeof(narrow));
	*at += sizeof(narrow);
	return narrow;
}

/* Returns the string at *at and advances *at; NULL: it does not end. */
static const char *
read_string(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *s = *at, *nul;

	if (s >= end || (nul = memchr(s, '\0', end - s)) == NULL)
		return NULL;
	*at = nul + 1;
	return (const char *)s;
}

/* base: where the section is now, 0: there is none. */
static int
read_note(const struct elffile *ef, uint64_t base, const uint8_t *at, size_t n,
    struct note *nt)
{
	size_t words = ef->ef_ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 24 : 12;
	const uint8_t *end = at + n;
	uint64_t then, moved;
	int len;

	if (n < words)
		return 0;
	nt->nt_addr = read_word(ef, &at);
	then = read_word(ef, &at);
	nt->nt_semaphore = read_word(ef, &at);
	if ((nt->nt_provider = read_string(&at, end)) == NULL ||
	    (nt->nt_name = read_string(&at, end)) == NULL)
		return 0;
	if ((nt->nt_args = read_string(&at, end)) == NULL)
		nt->nt_args = "";
	if (then != 0 && base != 0) {
		moved = base - then;
		nt->nt_addr += moved;
		nt->nt_semaphore += nt->nt_semaphore != 0 ? moved : 0;
	}
	len = snprintf(nt->nt_full, sizeof(nt->nt_full), "%s:%s",
	    nt->nt_provider, nt->nt_name);
	return len > 1 && (size_t)len < sizeof(nt->nt_full);
}

static size_t
padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

int
notes_walk(const struct elffile *ef, int (*visit)(void *, const struct note *),
    void *arg)
{
	const uint8_t *p;
	GElf_Shdr sh;
	struct note nt;
	uint32_t head[3]; /* sizes of the owner and the note; type */
	size_t n, owner, desc;
	uint64_t base = 0;
	int r = 0;

	if (elffile_section(ef, ".stapsdt.base", &sh) != NULL)
		base = sh.sh_addr;
	p = elffile_bytes(elffile_section(ef, ".note.stapsdt", &sh), &n);
	while (p != NULL && n >= sizeof(head) && r == 0) {
		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		n -= sizeof(head);
		owner = padded(head[0]);
		desc = padded(head[1]);
		if (owner > n || head[1] > n - owner)
			break;
		if (head[2] == NOTE_TYPE && head[0] == sizeof(NOTE_OWNER) &&
		    memcmp(p, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 &&
		    read_note(ef, base, p + owner, head[1], &nt))
			r = visit(arg, &nt);
		if (desc > n - owner)
			break;
		p += owner + desc;
		n -= owner + desc;
	}
	return r;
}

/*
 * --- symbols ----------------------------------------------------------------
 */

struct symbol_search {
	struct object_file *sse_object;
	uint64_t sse_left; /* steps */
};

/* Returns how many symbols of a name have different addresses, at most 2. */
static int
search_table(struct symbol_search *sse, const struct elffile *ef, uint32_t type,
    const char *name, size_t len, uint64_t *addr)
{
	const char *names;
	size_t i, n, size;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn;
	Elf_Data *d;
	int found = 0;

	if ((scn = symbol_index_table(ef, type, &sh)) == NULL ||
	    (d = elf_getdata(scn, NULL)) == NULL ||
	    (names = (const char *)elffile_bytes(elf_getscn(ef->ef_elf,
						     sh.sh_link),
		 &size)) == NULL)
		return 0;
	n = d->d_size / gelf_fsize(ef->ef_elf, ELF_T_SYM, 1, EV_CURRENT);
	for (i = 1; i < n && sse->sse_left > 0; i++, sse->sse_left--) {
		if (gelf_getsym(d, i, &sym) == NULL ||
		    sym.st_shndx == SHN_UNDEF || sym.st_name >= size ||
		    size - sym.st_name <= len ||
		    memcmp(names + sym.st_name, name, len) != 0 ||
		    (names[sym.st_name + len] != '\0' &&
			names[sym.st_name + len] != '@'))
			continue;
		if (found > 0 && *addr != sym.st_value)
			return 2;
		*addr = sym.st_value;
		found = 1;
	}
	return found;
}

/* Finds a symbol in the tables of the file, then of its debug file. */
static const char *
search(void *arg, const char *name, size_t len, uint64_t *addr)
{
	struct symbol_search *sse = arg;
	const struct elffile *ef;
	unsigned int nth;
	int found = 0;

	for (nth = 0; found == 0; nth++) {
		if ((ef = object_file_symbols(sse->sse_object, nth)) == NULL)
			break;
		found = search_table(sse, ef, SHT_SYMTAB, name, len, addr);
		if (found == 0)
			found = search_table(sse, ef, SHT_DYNSYM, name, len,
			    addr);
	}
	if (sse->sse_left == 0)
		return "the file has too many symbols";
	return found == 1 ? NULL
	    : found > 1	  ? "its place is a symbol that the file has twice"
			  : "its place is a symbol that the file does not have";
}

/*
 * --- queries ----------------------------------------------------------------
 */

struct note_query {
	struct object_file *nq_object;
	const struct probe_query *nq_query;
	struct probe_sink *nq_sink;
	struct symbol_search nq_search;
	uint32_t nq_nput;
};

/* Converts an address of data or code to an offset in the file. */
static int
to_offset(const struct elffile *ef, uint64_t addr, uint64_t *off)
{
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(ef->ef_elf, &n) != 0)
		return 0;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(ef->ef_elf, i, &ph) != NULL &&
		    ph.p_type == PT_LOAD && addr >= ph.p_vaddr &&
		    addr - ph.p_vaddr < ph.p_filesz) {
			*off = addr - ph.p_vaddr + ph.p_offset;
			return 1;
		}
	return 0;
}

static int
query_visit(void *arg, const struct note *nt)
{
	struct note_query *nq = arg;
	const struct elffile *ef = object_file_main(nq->nq_object);
	struct note_args na = { .na_machine = ef->ef_ehdr.e_machine,
		.na_location = nt->nt_addr,
		.na_symbol = search,
		.na_arg = &nq->nq_search };
	struct found_site fo = { .fo_name = nt->nt_name,
		.fo_more = nt->nt_provider };

	if (!name_glob_match(nq->nq_query->pq_name, nt->nt_full) ||
	    elffile_ataddr(ef, nt->nt_addr) == NULL ||
	    !to_offset(ef, nt->nt_addr, &fo.fo_site.psi_off))
		return 0;
	if (nt->nt_semaphore != 0 &&
	    !to_offset(ef, nt->nt_semaphore, &fo.fo_site.psi_semaphore))
		return 0;
	if (nq->nq_nput++ == nq->nq_query->pq_max) {
		nq->nq_sink->psk_more(nq->nq_sink);
		return 1;
	}
	note_args_parse(&na, nt->nt_args);
	fo.fo_args = na.na_args;
	fo.fo_site.psi_nargs = na.na_n;
	nq->nq_sink->psk_put(nq->nq_sink, &fo);
	return 0;
}

int
notes_find(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct note_query nq = { .nq_object = ob,
		.nq_query = pq,
		.nq_sink = sink,
		.nq_search = { ob, SYMBOL_STEPS } };

	(void)notes_walk(object_file_main(ob), query_visit, &nq);
	return 0;
}
