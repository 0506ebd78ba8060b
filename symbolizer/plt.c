/* SPDX-License-Identifier: ISC */
/*
 * Finds the stubs of the procedure linkage table.  They have no symbols.  Each
 * jumps to the address in a slot of the global offset table, and a relocation
 * has the name of the function whose address the slot gets.  The slot is read
 * from the stub's code, which works for any order of stubs and any linker.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/plt.h"

#define PLT_SECTIONS 4 /* .plt, .plt.sec, .plt.got, .iplt */

struct plt {
	unsigned int pl_n;
	struct {
		uint64_t pt_start;
		uint64_t pt_end;
		Elf_Scn *pt_scn;
	} pl_sections[PLT_SECTIONS];
	int pl_read;		/* stubs have been read */
	struct ranges pl_stubs; /* value: index into pl_targets */
	struct {
		uint32_t pt_sym;    /* of the dynamic symbols; 0: none, but */
		uint64_t pt_addend; /* where the function is resolved */
	} * pl_targets;
	size_t pl_ntargets;
	Elf_Data *pl_syms; /* the dynamic symbols, NULL: none */
	const char *pl_names;
	size_t pl_nnames;
};

/* A stub, and the slot that it jumps through. */
struct stub {
	uint64_t st_slot;
	uint64_t st_start;
	uint32_t st_size;
};

struct stubs {
	struct stub *sb_v;
	size_t sb_n;
	size_t sb_max;
};

static int
stubs_add(struct stubs *sb, uint64_t slot, uint64_t start, uint32_t size)
{
	size_t max = sb->sb_max;
	struct stub *v;

	if (sb->sb_n == max) {
		max = max == 0 ? 64 : max * 2;
		if ((v = realloc(sb->sb_v, max * sizeof(*v))) == NULL)
			return ENOMEM;
		sb->sb_v = v;
		sb->sb_max = max;
	}
	sb->sb_v[sb->sb_n++] = (struct stub){ slot, start, size };
	return 0;
}

static uint32_t
get32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * Returns the length of a jump through a slot, jmp *disp(%rip), with endbr64
 * and bnd before it if they exist; 0: other code.
 */
static size_t
x86_64_jump(const uint8_t *code, size_t n)
{
	static const struct {
		uint8_t fo_n;
		uint8_t fo_bytes[7];
	} forms[] = {
		{ 2, { 0xff, 0x25 } },
		{ 3, { 0xf2, 0xff, 0x25 } },
		{ 6, { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25 } },
		{ 7, { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25 } },
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (n >= forms[i].fo_n + 4U &&
		    memcmp(code, forms[i].fo_bytes, forms[i].fo_n) == 0)
			return forms[i].fo_n + 4;
	return 0;
}

/*
 * Stubs have 16 bytes, or 8 without lazy binding; the section may omit that
 * size.
 */
static int
x86_64_stubs(struct stubs *sb, const uint8_t *code, size_t n, uint64_t addr,
    uint64_t got)
{
	size_t i, size, jump;
	int error = 0;

	(void)got;
	for (i = 0; i < n && error == 0; i += size) {
		size = 8;
		if ((jump = x86_64_jump(code + i, n - i)) == 0)
			continue;
		if (jump > 8 ||
		    (i + 8 < n && x86_64_jump(code + i + 8, n - i - 8) == 0))
			size = 16;
		error = stubs_add(sb,
		    addr + i + jump + (int32_t)get32(code + i + jump - 4),
		    addr + i, size);
	}
	return error;
}

/* jmp *slot, or jmp *disp(%ebx), where %ebx is the table. */
static int
i386_stubs(struct stubs *sb, const uint8_t *code, size_t n, uint64_t addr,
    uint64_t got)
{
	size_t i, j;
	int error = 0;

	for (i = 0; i + 16 <= n && error == 0; i += 16)
		for (j = 0; j <= 4; j++) {
			if (code[i + j] != 0xff ||
			    (code[i + j + 1] != 0x25 &&
				code[i + j + 1] != 0xa3))
				continue;
			error = stubs_add(sb,
			    (uint32_t)(get32(code + i + j + 2) +
				(code[i + j + 1] == 0xa3 ? got : 0)),
			    addr + i, 16);
			break;
		}
	return error;
}

#define BTI_C 0xd503245fU

/* adrp x16, page; ldr x17, [x16, offset]; add; br x17. */
static int
aarch64_stubs(struct stubs *sb, const uint8_t *code, size_t n, uint64_t addr,
    uint64_t got)
{
	uint32_t adrp, ldr;
	int64_t page;
	size_t i, back;
	int error = 0;

	(void)got;
	for (i = 0; i + 16 <= n && error == 0; i += 4) {
		adrp = get32(code + i);
		ldr = get32(code + i + 4);
		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (adrp >> 29 & 3) | (adrp >> 3 & 0x1ffffc);
		page = (int64_t)((uint64_t)page << 43) >> 31;
		back = i >= 4 && get32(code + i - 4) == BTI_C ? 4 : 0;
		error = stubs_add(sb,
		    ((addr + i) & ~0xfffULL) + page + (ldr >> 10 & 0xfff) * 8,
		    addr + i - back, 16 + back);
	}
	return error;
}

static const struct machine {
	uint16_t ma_machine;
	int (*ma_stubs)(struct stubs *, const uint8_t *, size_t, uint64_t,
	    uint64_t);
} machines[] = {
	{ EM_X86_64, x86_64_stubs },
	{ EM_386, i386_stubs },
	{ EM_AARCH64, aarch64_stubs },
};

static int
is_plt(const char *name)
{
	return strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 ||
	    strcmp(name, ".plt.got") == 0 || strcmp(name, ".iplt") == 0;
}

struct plt *
plt_alloc(const struct elffile *ef)
{
	struct plt *pl = calloc(1, sizeof(*pl));
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	if (pl == NULL || elf_getshdrstrndx(ef->ef_elf, &names) != 0)
		return pl;
	while (pl->pl_n < PLT_SECTIONS &&
	    (scn = elf_nextscn(ef->ef_elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL ||
		    !(sh.sh_flags & SHF_EXECINSTR) ||
		    sh.sh_addr + sh.sh_size <= sh.sh_addr ||
		    (name = elf_strptr(ef->ef_elf, names, sh.sh_name)) ==
			NULL ||
		    !is_plt(name))
			continue;
		pl->pl_sections[pl->pl_n].pt_start = sh.sh_addr;
		pl->pl_sections[pl->pl_n].pt_end = sh.sh_addr + sh.sh_size;
		pl->pl_sections[pl->pl_n++].pt_scn = scn;
	}
	return pl;
}

int
plt_has(const struct plt *pl, uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < pl->pl_n; i++)
		if (addr >= pl->pl_sections[i].pt_start &&
		    addr < pl->pl_sections[i].pt_end)
			return 1;
	return 0;
}

void
plt_clip(const struct plt *pl, uint64_t addr, struct ranges_hit *hit)
{
	unsigned int i;

	for (i = 0; i < pl->pl_n; i++) {
		if (pl->pl_sections[i].pt_end <= addr &&
		    pl->pl_sections[i].pt_end > hit->rh_from)
			hit->rh_from = pl->pl_sections[i].pt_end;
		if (pl->pl_sections[i].pt_start > addr &&
		    pl->pl_sections[i].pt_start < hit->rh_to)
			hit->rh_to = pl->pl_sections[i].pt_start;
	}
}

static int
slot_cmp(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	return x->st_slot < y->st_slot ? -1 : x->st_slot > y->st_slot;
}

/* Collects the stubs of all sections, by slot. */
static int
stubs_read(struct stubs *sb, const struct plt *pl, const struct elffile *ef)
{
	const struct machine *ma = machines;
	const uint8_t *code;
	unsigned int i;
	uint64_t got = 0;
	GElf_Shdr sh;
	size_t n;
	int error = 0;

	while (ma->ma_machine != ef->ef_ehdr.e_machine)
		if (++ma == machines + sizeof(machines) / sizeof(*machines))
			return 0;
	if (elffile_section(ef, ".got.plt", &sh) != NULL ||
	    elffile_section(ef, ".got", &sh) != NULL)
		got = sh.sh_addr;
	for (i = 0; i < pl->pl_n && error == 0; i++) {
		if (gelf_getshdr(pl->pl_sections[i].pt_scn, &sh) == NULL ||
		    (code = elffile_bytes(pl->pl_sections[i].pt_scn, &n)) ==
			NULL)
			continue;
		error = ma->ma_stubs(sb, code, n, sh.sh_addr, got);
	}
	if (sb->sb_n > 1)
		qsort(sb->sb_v, sb->sb_n, sizeof(*sb->sb_v), slot_cmp);
	return error;
}

/* Names the stubs of a slot, usually one. */
static int
name_slot(struct plt *pl, const struct stubs *sb, const GElf_Rela *rela)
{
	size_t lo = 0, hi = sb->sb_n, mid;
	int error = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (sb->sb_v[mid].st_slot < rela->r_offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < sb->sb_n && sb->sb_v[lo].st_slot == rela->r_offset; lo++) {
		if (pl->pl_ntargets == sb->sb_n)
			return 0; /* two relocations of a slot: invalid */
		pl->pl_targets[pl->pl_ntargets].pt_sym = GELF_R_SYM(
		    rela->r_info);
		pl->pl_targets[pl->pl_ntargets].pt_addend = rela->r_addend;
		error = ranges_add(&pl->pl_stubs, sb->sb_v[lo].st_start,
		    sb->sb_v[lo].st_size, pl->pl_ntargets++);
		if (error != 0)
			break;
	}
	return error;
}

/* One relocation, of either kind. */
static int
get_reloc(Elf_Data *d, uint32_t type, int i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(d, i, rela) != NULL;
	if (gelf_getrel(d, i, &rel) == NULL)
		return 0;
	*rela = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
	return 1;
}

static int
name_section(struct plt *pl, const struct elffile *ef, const struct stubs *sb,
    Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Rela rela;
	size_t i, n;
	int error = 0;

	if (d == NULL)
		return 0;
	n = d->d_size /
	    gelf_fsize(ef->ef_elf,
		sh->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1,
		EV_CURRENT);
	for (i = 0; i < n && i < INT32_MAX && error == 0; i++)
		if (get_reloc(d, sh->sh_type, i, &rela))
			error = name_slot(pl, sb, &rela);
	file_bytes_drop(&ef->ef_bytes);
	return error;
}

static int
name_all(struct plt *pl, const struct elffile *ef, const struct stubs *sb)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int error = 0;

	pl->pl_targets = calloc(sb->sb_n, sizeof(*pl->pl_targets));
	if (pl->pl_targets == NULL)
		return ENOMEM;
	while (error == 0 && (scn = elf_nextscn(ef->ef_elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) &&
		    (sh.sh_flags & SHF_ALLOC))
			error = name_section(pl, ef, sb, scn, &sh);
	return error;
}

static void
find_names(struct plt *pl, const struct elffile *ef)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(ef->ef_elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_DYNSYM)
			break;
	if (scn == NULL)
		return;
	pl->pl_names = (const char *)elffile_bytes(elf_getscn(ef->ef_elf,
						       sh.sh_link),
	    &pl->pl_nnames);
	if (pl->pl_names != NULL)
		pl->pl_syms = elf_getdata(scn, NULL);
}

static void
plt_read(struct plt *pl, const struct elffile *ef)
{
	struct stubs sb = { 0 };

	pl->pl_read = 1;
	find_names(pl, ef);
	if (stubs_read(&sb, pl, ef) == 0 && sb.sb_n > 0 &&
	    name_all(pl, ef, &sb) == 0) {
		ranges_sort(&pl->pl_stubs);
		if (ranges_seal(&pl->pl_stubs) != 0)
			ranges_free(&pl->pl_stubs);
	} else
		ranges_free(&pl->pl_stubs);
	free(sb.sb_v);
}

/* Returns the function that a stub calls, as named in the symbol table. */
static const char *
target_name(const struct plt *pl, const struct symbol_index *ix,
    uint32_t target, size_t *len)
{
	struct ranges_hit hit;
	GElf_Sym sym;
	size_t max;

	if (pl->pl_targets[target].pt_sym == 0) {
		ranges_find(&ix->ix_ranges, pl->pl_targets[target].pt_addend,
		    &hit);
		return hit.rh_range == NULL
		    ? NULL
		    : symbol_index_name(ix, hit.rh_range, len);
	}
	if (pl->pl_syms == NULL ||
	    gelf_getsym(pl->pl_syms, pl->pl_targets[target].pt_sym, &sym) ==
		NULL ||
	    sym.st_name >= pl->pl_nnames)
		return NULL;
	max = pl->pl_nnames - sym.st_name;
	*len = strnlen(pl->pl_names + sym.st_name,
	    max < SYMNAME_MAX ? max : SYMNAME_MAX);
	return pl->pl_names + sym.st_name;
}

int
plt_find(struct plt *pl, const struct elffile *ef,
    const struct symbol_index *ix, uint64_t addr, struct ranges_hit *hit,
    char out[SYMREQ_NAME])
{
	const char *raw;
	size_t len;

	if (!pl->pl_read)
		plt_read(pl, ef);
	ranges_find(&pl->pl_stubs, addr, hit);
	if (hit->rh_range == NULL ||
	    (raw = target_name(pl, ix, hit->rh_range->r_value, &len)) == NULL ||
	    len == 0)
		return 0;
	demangle_name(raw, len, out);
	len = strlen(out);
	if (len > SYMREQ_NAME - sizeof("@plt"))
		len = SYMREQ_NAME - sizeof("@plt");
	memcpy(out + len, "@plt", sizeof("@plt"));
	return 1;
}

void
plt_free(struct plt *pl)
{
	if (pl == NULL)
		return;
	ranges_free(&pl->pl_stubs);
	free(pl->pl_targets);
	free(pl);
}
