/* SPDX-License-Identifier: ISC */
/*
 * Finds source lines with libdw, which keeps all data that it has read until it
 * is closed, and walks a whole unit to find the functions of an address. So
 * there are two indexes: of all units, kept, and of the functions of the unit
 * used last. Sorted addresses need one walk of each unit. When
 * libdw uses too much memory it is closed and opened again.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/lines.h"
#include "symbolizer/ranges.h"
#include "symbolizer/unpacked.h"

#define LINES_HEAP   (24 << 20) /* above this, libdw is opened again */
#define DROP_EVERY   256	/* units until pages are released */
#define LINES_NESTED 32		/* namespaces in each other */

/*
 * Work that a request may take, in entries and ranges visited, and a step for
 * each fourth byte of a unit that is entered: about two passes over a real file
 * of this size.  Units and ranges of a hostile one may refer to each other so
 * that each address takes a pass.
 */
#define LINES_WORK(nbytes) ((4U << 20) + (uint64_t)(nbytes))
#define LINES_UNITSTEP	   4

struct lines {
	const struct elffile *li_main;
	struct elffile *li_ef;
	debugfile_find *li_find;
	Dwarf *li_dw;	       /* NULL: closed for a while */
	struct elffile li_alt; /* ef_elf NULL: none */
	Dwarf *li_altdw;
	struct unpacked li_unpacked, li_altunpacked; /* for libdw */
	int li_altasked;
	int li_islate;		/* li_alt may be there later */
	struct ranges li_units; /* value: offset of the unit's entry */
	uint64_t li_work;	/* left to this request */

	/* unit used last; 0: none */
	uint32_t li_unit;
	Dwarf_Die li_cudie;
	struct ranges li_subs; /* value: offset of the function's entry */
};

/* Counts work.  Returns E2BIG if the limit is reached. */
int
lines_work(struct lines *li, uint64_t steps)
{
	if (li->li_work < steps) {
		li->li_work = 0;
		return E2BIG;
	}
	li->li_work -= steps;
	return 0;
}

/* Adds the ranges of an entry that are in the code of the file. */
static int
add_ranges(struct lines *li, struct ranges *rs, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	int error = 0;

	if (dwarf_dieoffset(die) > UINT32_MAX)
		return 0;
	while (error == 0 && (error = lines_work(li, 1)) == 0 &&
	    (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		if (lo < hi && elffile_ataddr(li->li_main, lo) != NULL)
			error = ranges_add(rs, lo, hi - lo,
			    dwarf_dieoffset(die));
	return error;
}

static int
index_units(struct lines *li)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	size_t n = 0;
	int error = 0;

	while (error == 0 &&
	    dwarf_get_units(li->li_dw, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			error = add_ranges(li, &li->li_units, &die);
		if (++n % DROP_EVERY == 0)
			file_bytes_drop(&li->li_ef->ef_bytes);
	}
	if (error != 0)
		return error;
	ranges_sort(&li->li_units);
	return ranges_seal(&li->li_units);
}

/*
 * libdw unpacks compressed sections, and libelf changes their headers, which
 * are in the file's bytes.
 */
static int
own_headers(struct elffile *ef)
{
	size_t n;

	if (elf_getshdrnum(ef->ef_elf, &n) != 0)
		return ENOENT;
	/* libelf ignores e_shentsize, which a hostile file sets to anything */
	return file_bytes_own(&ef->ef_bytes, ef->ef_ehdr.e_shoff,
	    gelf_fsize(ef->ef_elf, ELF_T_SHDR, n, EV_CURRENT));
}

/*
 * Hides what nothing here reads, since libdw unpacks each section that it knows:
 * places of variables are a sixth of a C library's debug file.
 */
static void
hide_sections(struct elffile *ef)
{
	static const char *const names[] = { ".debug_loc", ".debug_loclists",
		".debug_macro", ".debug_macinfo", ".debug_aranges" };
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((scn = elffile_section(ef, names[i], &sh)) != NULL) {
			sh.sh_type = SHT_NOBITS;
			(void)gelf_update_shdr(scn, &sh);
		}
}

/* Opens the debug information of a file.  NULL: it has none. */
static Dwarf *
open_elf(struct elffile *ef, struct unpacked *unp)
{
	Elf *elf;

	unpacked_open(unp, ef);
	if ((elf = unp->unp_elf) == NULL) {
		if (own_headers(ef) != 0)
			return NULL;
		hide_sections(ef);
		elf = ef->ef_elf;
	}
	return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

/*
 * Opens the file that this debug file shares with others. Optional: without it
 * less is known.
 */
static void
open_alt(struct lines *li)
{
	const char *name;
	const void *id;
	ssize_t n;

	n = dwelf_dwarf_gnu_debugaltlink(li->li_dw, &name, &id);
	if (n > 0 && !li->li_altasked)
		li->li_islate = debugfile_alt(name, id, n, li->li_find,
				    &li->li_alt) == EAGAIN;
	li->li_altasked = 1;
	if (li->li_alt.ef_elf == NULL)
		return;
	li->li_altdw = open_elf(&li->li_alt, &li->li_altunpacked);
	if (li->li_altdw != NULL)
		dwarf_setalt(li->li_dw, li->li_altdw);
}

static int
open_dwarf(struct lines *li)
{
	li->li_dw = open_elf(li->li_ef, &li->li_unpacked);
	if (li->li_dw == NULL)
		return ENOENT;
	open_alt(li);
	return 0;
}

static void
close_dwarf(struct lines *li)
{
	ranges_free(&li->li_subs);
	li->li_unit = 0;
	if (li->li_dw != NULL)
		dwarf_end(li->li_dw);
	if (li->li_altdw != NULL)
		dwarf_end(li->li_altdw);
	li->li_dw = li->li_altdw = NULL;
	unpacked_close(&li->li_unpacked);
	unpacked_close(&li->li_altunpacked);
}

void
lines_begin(struct lines *li)
{
	li->li_work = LINES_WORK(li->li_ef->ef_bytes.fby_size);
}

int
lines_open(const struct elffile *main, struct elffile *ef, debugfile_find *find,
    struct lines **lip)
{
	struct lines *li = calloc(1, sizeof(*li));
	int error;

	if (li == NULL)
		return ENOMEM;
	li->li_main = main;
	li->li_ef = ef;
	li->li_find = find;
	lines_begin(li);
	if ((error = open_dwarf(li)) != 0 || (error = index_units(li)) != 0) {
		lines_close(li);
		return error;
	}
	*lip = li;
	return 0;
}

void
lines_close(struct lines *li)
{
	if (li == NULL)
		return;
	close_dwarf(li);
	ranges_free(&li->li_units);
	elffile_close(&li->li_alt);
	free(li);
}

int
lines_islate(const struct lines *li)
{
	return li->li_islate;
}

static int
is_large(void)
{
	struct mallinfo2 mi = mallinfo2();

	return mi.uordblks + mi.hblkhd > LINES_HEAP;
}

void
lines_trim(struct lines *li)
{
	if (is_large())
		close_dwarf(li);
	file_bytes_drop(&li->li_ef->ef_bytes);
	if (li->li_alt.ef_elf != NULL)
		file_bytes_drop(&li->li_alt.ef_bytes);
}

/* Adds the functions of a unit, a namespace or a module. */
static int
add_subs(struct lines *li, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int error = 0;

	if (depth == LINES_NESTED || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		if ((error = lines_work(li, 1)) != 0)
			break;
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			error = add_ranges(li, &li->li_subs, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			error = add_subs(li, &die, depth + 1);
			break;
		}
	} while (error == 0 && dwarf_siblingof(&die, &die) == 0);
	return error;
}

/* Size of the current unit, in bytes. */
static uint64_t
unit_size(struct lines *li)
{
	Dwarf_Off start, next;
	size_t header;

	start = dwarf_dieoffset(&li->li_cudie) - dwarf_cuoffset(&li->li_cudie);
	if (dwarf_nextcu(li->li_dw, start, &next, &header, NULL, NULL, NULL) !=
	    0)
		return 0;
	return next - start;
}

/* Makes the unit at this offset the current one. */
static int
enter_unit(struct lines *li, uint32_t unit)
{
	int error;

	if (li->li_unit == unit)
		return 0;
	ranges_free(&li->li_subs);
	li->li_unit = 0;
	lines_trim(li);
	if (li->li_dw == NULL && (error = open_dwarf(li)) != 0)
		return error;
	if (dwarf_offdie(li->li_dw, unit, &li->li_cudie) == NULL)
		return ENOENT;
	if ((error = lines_work(li, unit_size(li) / LINES_UNITSTEP)) != 0 ||
	    (error = add_subs(li, &li->li_cudie, 0)) != 0)
		return error;
	ranges_sort(&li->li_subs);
	if ((error = ranges_seal(&li->li_subs)) == 0)
		li->li_unit = unit;
	return error;
}

/*
 * Returns the mangled name, if there is one.  An instance without a name has
 * its origin's.
 */
static const char *
die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	if ((dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) != NULL ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) !=
		    NULL) &&
	    (name = dwarf_formstring(&attr)) != NULL)
		return name;
	return dwarf_diename(die);
}

static int
is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine ||
	    tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	    tag == DW_TAG_catch_block;
}

/* Finds the child that contains the address: a block or an inlined function. */
static int
step_in(struct lines *li, Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return 0;
	do {
		if (lines_work(li, 1) != 0)
			break;
		if (is_scope(dwarf_tag(&child)) &&
		    dwarf_haspc(&child, addr) > 0) {
			*die = child;
			return 1;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return 0;
}

/*
 * Collects the function and what was inlined, inwards. Levels beyond the
 * capacity are dropped.
 */
static size_t
inlined(struct lines *li, Dwarf_Die die, uint64_t addr,
    Dwarf_Die out[LINES_DEPTH])
{
	size_t n = 0;
	int depth;

	out[n++] = die;
	for (depth = 0; depth < 4 * LINES_DEPTH && n < LINES_DEPTH &&
	     step_in(li, &die, addr);
	     depth++)
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			out[n++] = die;
	return n;
}

static uint64_t
number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(die, name, &attr) == NULL ||
	    dwarf_formudata(&attr, &value) != 0)
		return 0;
	return value;
}

/* Stores where an inlined function was called. */
static void
call_site(struct lines *li, Dwarf_Die *die, const char **filep, uint32_t *linep)
{
	uint64_t file = number(die, DW_AT_call_file);
	Dwarf_Files *files;
	size_t n;

	*linep = number(die, DW_AT_call_line);
	if (dwarf_getsrcfiles(&li->li_cudie, &files, &n) == 0 && file < n)
		*filep = dwarf_filesrc(files, file, NULL, NULL);
}

static void
innermost(struct lines *li, uint64_t addr, struct lines_hit *lh)
{
	Dwarf_Line *line = dwarf_getsrc_die(&li->li_cudie, addr);
	int n;

	if (line == NULL)
		return;
	lh->lh_file[0] = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &n) == 0 && n > 0)
		lh->lh_line[0] = n;
}

/* Stores the function at the address, and the functions inlined there. */
static void
fill_hit(struct lines *li, uint64_t addr, const struct range *sub,
    struct lines_hit *lh)
{
	Dwarf_Die die, dies[LINES_DEPTH];
	size_t i, n;

	if (dwarf_offdie(li->li_dw, sub->r_value, &die) == NULL)
		return;
	n = inlined(li, die, addr, dies);
	for (i = 0; i < n; i++) {
		lh->lh_func[i] = die_name(&dies[n - 1 - i]);
		if (i > 0)
			call_site(li, &dies[n - i], &lh->lh_file[i],
			    &lh->lh_line[i]);
	}
	lh->lh_n = n;
	lh->lh_start = sub->r_start;
	lh->lh_end = sub->r_start + sub->r_size;
}

int
lines_function(struct lines *li, uint64_t addr, Dwarf_Die *die, Dwarf_Die *unit)
{
	struct ranges_hit hit;

	ranges_find(&li->li_units, addr, &hit);
	if (hit.rh_range == NULL || enter_unit(li, hit.rh_range->r_value) != 0)
		return 0;
	ranges_find(&li->li_subs, addr, &hit);
	if (hit.rh_range == NULL || hit.rh_range->r_start != addr ||
	    dwarf_offdie(li->li_dw, hit.rh_range->r_value, die) == NULL)
		return 0;
	*unit = li->li_cudie;
	return 1;
}

uint64_t
lines_scope(struct lines *li, uint64_t addr)
{
	Dwarf_Die die, dies[LINES_DEPTH];
	struct ranges_hit hit;

	ranges_find(&li->li_units, addr, &hit);
	if (hit.rh_range == NULL || enter_unit(li, hit.rh_range->r_value) != 0)
		return 0;
	ranges_find(&li->li_subs, addr, &hit);
	if (hit.rh_range == NULL ||
	    dwarf_offdie(li->li_dw, hit.rh_range->r_value, &die) == NULL)
		return 0;
	return dwarf_dieoffset(&dies[inlined(li, die, addr, dies) - 1]);
}

int
lines_units(struct lines *li, int (*visit)(void *, Dwarf_Die *), void *arg)
{
	Dwarf_Off at = 0, next;
	size_t header, n = 0;
	Dwarf_Die unit;
	int r = 0;

	while (r == 0 && (li->li_dw != NULL || open_dwarf(li) == 0) &&
	    dwarf_nextcu(li->li_dw, at, &next, &header, NULL, NULL, NULL) ==
		0) {
		if ((r = lines_work(li, 1)) != 0)
			return r;
		if (dwarf_offdie(li->li_dw, at + header, &unit) != NULL)
			r = visit(arg, &unit);
		at = next;
		if (++n % DROP_EVERY == 0 || is_large())
			lines_trim(li);
	}
	return r;
}

void
lines_find(struct lines *li, uint64_t addr, struct lines_hit *lh)
{
	struct ranges_hit hit;
	Dwarf_Attribute dir;

	memset(lh, 0, sizeof(*lh));
	ranges_find(&li->li_units, addr, &hit);
	if (hit.rh_range == NULL || enter_unit(li, hit.rh_range->r_value) != 0)
		return;
	ranges_find(&li->li_subs, addr, &hit);
	if (hit.rh_range != NULL)
		fill_hit(li, addr, hit.rh_range, lh);
	innermost(li, addr, lh);
	lh->lh_dir = dwarf_formstring(
	    dwarf_attr(&li->li_cudie, DW_AT_comp_dir, &dir));
	if (lh->lh_n == 0 && lh->lh_file[0] != NULL)
		lh->lh_n = 1; /* assembler: lines, but no functions */
}
