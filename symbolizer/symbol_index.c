/* SPDX-License-Identifier: ISC */
/*
 * Finds the functions of a file by address.
 *
 * The best symbol of an address is used, by the rules of perf(1): a symbol with
 * a size, with a type, not weak, global, with fewer leading underscores,
 * longer. Another symbol stays below it if it covers more.  A symbol without a
 * size ends where the next begins, or at the end of its section.  A symbol
 * without a type inside of a function is a label, and excluded.
 *
 * While tables are added, the start of a range is its distance from the lowest
 * code, and has the symbol's rank above it; that is what is sorted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/symbol_index.h"

#define NAME_BITS  30
#define NAME_MASK  ((1U << NAME_BITS) - 1)
#define RANK_SHIFT 60
#define START_MASK ((1ULL << RANK_SHIFT) - 1)

/* Flaws of a symbol: the best rank is 0, and sorted last. */
#define RANK_LOCAL  0x1
#define RANK_WEAK   0x2
#define RANK_NOTYPE 0x4
#define RANK_NOSIZE 0x8

/* An executable section, for symbols without a size. */
struct index_code {
	uint64_t ixc_start;
	uint64_t ixc_end;
};

/* Marks in the code of ARM and RISC-V: $x, $d.12, $xrv64i. */
static int
is_mark(const char *name, size_t room)
{
	return room >= 2 && name[0] == '$' && name[1] != '\0' &&
	    strchr("axdt", name[1]) != NULL;
}

static int
has_marks(const struct elffile *ef)
{
	return ef->ef_ehdr.e_machine == EM_AARCH64 ||
	    ef->ef_ehdr.e_machine == EM_ARM ||
	    ef->ef_ehdr.e_machine == EM_RISCV;
}

/* Returns whether a symbol without a type is a label and not a function. */
static int
is_label(const struct elffile *ef, const GElf_Sym *sym, const char *name,
    size_t room)
{
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE || room == 0 ||
	    name[0] == '\0' || (room > 2 && name[0] == '.' && name[1] == 'L'))
		return 0;
	if (has_marks(ef) && is_mark(name, room))
		return 0;
	scn = elf_getscn(ef->ef_elf, sym->st_shndx);
	return scn != NULL && gelf_getshdr(scn, &sh) != NULL &&
	    (sh.sh_flags & SHF_EXECINSTR);
}

static int
is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC ||
	    GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
}

int
symbol_index_takes(const struct elffile *ef, const GElf_Sym *sym,
    const char *name, size_t room)
{
	return is_function(sym) || is_label(ef, sym, name, room);
}

static uint64_t
rank(const GElf_Sym *sym)
{
	uint64_t r = 0;

	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		r |= RANK_LOCAL;
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		r |= RANK_WEAK;
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		r |= RANK_NOTYPE;
	if (sym->st_size == 0)
		r |= RANK_NOSIZE;
	return r;
}

/* Returns the base of the stored addresses, which leaves bits for the rank. */
static uint64_t
lowest(const struct elffile *main)
{
	uint64_t low = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < main->ef_nloads; i++)
		if (main->ef_loads[i].el_addr < low)
			low = main->ef_loads[i].el_addr;
	return low;
}

static int
add_symbol(struct symbol_index *ix, const struct elffile *main,
    const struct elffile *ef, const GElf_Sym *sym, uint32_t table)
{
	const char *names = ix->ix_tables[table].it_names;
	size_t size = ix->ix_tables[table].it_size;
	uint64_t addr = sym->st_value;

	if (sym->st_shndx == SHN_UNDEF || sym->st_name >= size ||
	    sym->st_name > NAME_MASK)
		return 0;
	if (!symbol_index_takes(ef, sym, names + sym->st_name,
		size - sym->st_name))
		return 0;
	if (ef->ef_ehdr.e_machine == EM_ARM)
		addr &= ~1ULL; /* this bit marks Thumb code */
	if (elffile_ataddr(main, addr) == NULL ||
	    addr - lowest(main) > START_MASK)
		return 0;
	return ranges_add(&ix->ix_ranges,
	    (addr - lowest(main)) | rank(sym) << RANK_SHIFT, sym->st_size,
	    table << NAME_BITS | sym->st_name);
}

Elf_Scn *
symbol_index_table(const struct elffile *ef, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(ef->ef_elf, scn)) != NULL)
		if (gelf_getshdr(scn, sh) != NULL && sh->sh_type == type)
			return scn;
	return NULL;
}

/* Number of symbols until pages are released: about 1.5 MB. */
#define DROP_EVERY 65536

int
symbol_index_add(struct symbol_index *ix, const struct elffile *main,
    const struct elffile *ef, uint32_t type)
{
	const char *names;
	size_t i, n, size;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn;
	Elf_Data *d;
	int error = 0;

	if ((scn = symbol_index_table(ef, type, &sh)) == NULL ||
	    (d = elf_getdata(scn, NULL)) == NULL ||
	    (names = (const char *)elffile_bytes(elf_getscn(ef->ef_elf,
						     sh.sh_link),
		 &size)) == NULL)
		return ENOENT;
	if (ix->ix_ntables == INDEX_TABLES)
		return E2BIG;
	ix->ix_tables[ix->ix_ntables].it_names = names;
	ix->ix_tables[ix->ix_ntables].it_size = size;
	n = d->d_size / gelf_fsize(ef->ef_elf, ELF_T_SYM, 1, EV_CURRENT);
	for (i = 1; i < n && i < INT32_MAX && error == 0; i++) {
		if (gelf_getsym(d, i, &sym) != NULL)
			error = add_symbol(ix, main, ef, &sym, ix->ix_ntables);
		if (i % DROP_EVERY == 0)
			file_bytes_drop(&ef->ef_bytes);
	}
	ix->ix_ntables++;
	return error;
}

const char *
symbol_index_name(const struct symbol_index *ix, const struct range *r,
    size_t *len)
{
	uint32_t table = r->r_value >> NAME_BITS;
	uint32_t at = r->r_value & NAME_MASK;
	size_t max = ix->ix_tables[table].it_size - at;

	*len = strnlen(ix->ix_tables[table].it_names + at,
	    max < SYMNAME_MAX ? max : SYMNAME_MAX);
	return ix->ix_tables[table].it_names + at;
}

/*
 * Returns the part of a name that is printed; comparing more could take as long
 * as reading whole tables.
 */
static const char *
shown_name(const struct symbol_index *ix, const struct range *r, size_t *len)
{
	const char *name = symbol_index_name(ix, r, len);

	if (*len > SYMREQ_NAME)
		*len = SYMREQ_NAME;
	return name;
}

static unsigned int
underscores(const char *name, size_t len)
{
	unsigned int n = 0;

	while (n < len && name[n] == '_')
		n++;
	return n;
}

/* Returns whether a is better than b, at the same address and rank. */
static int
better_name(const struct symbol_index *ix, const struct range *a,
    const struct range *b)
{
	size_t alen, blen;
	const char *aname = shown_name(ix, a, &alen);
	const char *bname = shown_name(ix, b, &blen);
	unsigned int aunder = underscores(aname, alen);
	unsigned int bunder = underscores(bname, blen);

	if (aunder != bunder)
		return aunder < bunder;
	return alen > blen;
}

/* By address; of one address the best rank last. */
static int
symbol_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	uint64_t xs = x->r_start & START_MASK, ys = y->r_start & START_MASK;

	if (xs != ys)
		return xs < ys ? -1 : 1;
	if (x->r_start != y->r_start)
		return x->r_start > y->r_start ? -1 : 1;
	return x->r_value < y->r_value ? -1 : x->r_value > y->r_value;
}

/*
 * Moves the best of n symbols at one address to the front, followed by the
 * largest that covers more. Returns how many remain.
 */
static size_t
choose(const struct symbol_index *ix, struct range *v, size_t n)
{
	size_t i, best = n - 1, large = n - 1;
	struct range b, l;

	for (i = n - 1; i-- > 0;) {
		if (v[i].r_start == v[best].r_start &&
		    better_name(ix, &v[i], &v[best]))
			best = i;
		if (v[i].r_size > v[large].r_size)
			large = i;
	}
	b = v[best];
	l = v[large];
	if (l.r_size <= b.r_size || b.r_size == 0) {
		v[0] = b;
		return 1;
	}
	v[0] = l;
	v[1] = b;
	return 2;
}

static int
code_cmp(const void *a, const void *b)
{
	const struct index_code *x = a, *y = b;

	return x->ixc_start < y->ixc_start ? -1 : x->ixc_start > y->ixc_start;
}

/* Returns the executable sections, sorted; *n is 0 if memory runs out. */
static struct index_code *
code_read(const struct elffile *ef, size_t *n)
{
	struct index_code *v = NULL, *p;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*n = 0;
	while ((scn = elf_nextscn(ef->ef_elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL ||
		    !(sh.sh_flags & SHF_EXECINSTR) ||
		    sh.sh_addr + sh.sh_size <= sh.sh_addr)
			continue;
		if ((p = realloc(v, (*n + 1) * sizeof(*v))) == NULL)
			break;
		v = p;
		v[(*n)++] = (struct index_code){ sh.sh_addr,
			sh.sh_addr + sh.sh_size };
	}
	if (*n > 1)
		qsort(v, *n, sizeof(*v), code_cmp);
	return v;
}

/* Returns the end of the section, or the segment, that contains an address. */
static uint64_t
code_end(const struct elffile *main, const struct index_code *v, size_t n,
    uint64_t addr)
{
	const struct elfload *el;
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[mid].ixc_start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && v[lo - 1].ixc_end > addr)
		return v[lo - 1].ixc_end;
	el = elffile_ataddr(main, addr);
	return el == NULL ? addr : el->el_addr + el->el_size;
}

/* Sets the sizes of symbols without one, when all addresses are known. */
static void
fill_sizes(struct ranges *rs, const struct elffile *main)
{
	struct range *r, *end;
	struct index_code *v;
	uint64_t to;
	size_t n;

	if (rs->rs_n == 0) /* and rs_v may be NULL */
		return;
	end = rs->rs_v + rs->rs_n;
	v = code_read(main, &n);
	for (r = rs->rs_v; r < end; r++) {
		if (r->r_size != 0)
			continue;
		to = code_end(main, v, n, r->r_start);
		if (r + 1 < end && r[1].r_start < to)
			to = r[1].r_start;
		to -= r->r_start;
		r->r_size = to > UINT32_MAX ? UINT32_MAX : to;
	}
	free(v);
}

/*
 * Moves the symbols to be used, of n at one address, to the front, and removes
 * the rank from their start.  Returns their number.  typed: where the functions
 * before them end.
 */
static size_t
settle(const struct symbol_index *ix, struct range *v, size_t n,
    uint64_t *typed)
{
	size_t i, j;

	n = choose(ix, v, n);
	for (i = j = 0; i < n; i++) {
		uint64_t start = v[i].r_start & START_MASK;

		if (v[i].r_start >> RANK_SHIFT & RANK_NOTYPE) {
			if (start < *typed)
				continue;
		} else if (start + v[i].r_size > *typed)
			*typed = start + v[i].r_size;
		v[j] = v[i];
		v[j++].r_start = start;
	}
	return j;
}

int
symbol_index_seal(struct symbol_index *ix, const struct elffile *main)
{
	struct ranges *rs = &ix->ix_ranges;
	uint64_t low = lowest(main), typed = 0;
	size_t i, j, n, kept = 0;

	if (rs->rs_n > 1)
		qsort(rs->rs_v, rs->rs_n, sizeof(*rs->rs_v), symbol_cmp);
	for (i = 0; i < rs->rs_n; i = j) {
		for (j = i + 1; j < rs->rs_n &&
		     ((rs->rs_v[j].r_start ^ rs->rs_v[i].r_start) &
			 START_MASK) == 0;
		     j++)
			;
		n = settle(ix, &rs->rs_v[i], j - i, &typed);
		memmove(&rs->rs_v[kept], &rs->rs_v[i], n * sizeof(*rs->rs_v));
		kept += n;
	}
	rs->rs_n = kept;
	for (i = 0; i < kept; i++)
		rs->rs_v[i].r_start += low;
	fill_sizes(rs, main);
	return ranges_seal(rs);
}

void
symbol_index_free(struct symbol_index *ix)
{
	ranges_free(&ix->ix_ranges);
	memset(ix, 0, sizeof(*ix));
}
