/* SPDX-License-Identifier: ISC */
/* Visits all symbols of a file, or its functions only. */
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/function_walk.h"

/* Symbols until pages are released, as in symbol_index.c. */
#define DROP_EVERY 65536

/* A symbol table. */
struct walk {
	const struct elffile *wlk_ef;
	Elf_Data *wlk_symbols;
	const char *wlk_names;
	size_t wlk_size; /* of the names */
	symbol_visit *wlk_visit;
	void *wlk_arg;
};

static int
walk_one(const struct walk *w, const GElf_Sym *sym)
{
	const char *name;
	size_t room;

	if (sym->st_shndx == SHN_UNDEF || sym->st_name >= w->wlk_size)
		return 0;
	name = w->wlk_names + sym->st_name;
	room = w->wlk_size - sym->st_name;
	if (room > SYMNAME_MAX)
		room = SYMNAME_MAX;
	if (name[0] == '\0' || memchr(name, '\0', room) == NULL)
		return 0;
	return w->wlk_visit(w->wlk_arg, w->wlk_ef, sym, name);
}

static int
walk_table(struct walk *w, uint32_t type)
{
	size_t i, n;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn;
	int r = 0;

	if ((scn = symbol_index_table(w->wlk_ef, type, &sh)) == NULL ||
	    (w->wlk_symbols = elf_getdata(scn, NULL)) == NULL ||
	    (w->wlk_names = (const char *)
		    elffile_bytes(elf_getscn(w->wlk_ef->ef_elf, sh.sh_link),
			&w->wlk_size)) == NULL)
		return 0;
	n = w->wlk_symbols->d_size /
	    gelf_fsize(w->wlk_ef->ef_elf, ELF_T_SYM, 1, EV_CURRENT);
	for (i = 1; i < n && i < INT32_MAX && r == 0; i++) {
		if (gelf_getsym(w->wlk_symbols, i, &sym) != NULL)
			r = walk_one(w, &sym);
		if (i % DROP_EVERY == 0)
			file_bytes_drop(&w->wlk_ef->ef_bytes);
	}
	return r;
}

int
symbol_walk(struct object_file *ob, symbol_visit *visit,
    int (*isenough)(void *arg), void *arg)
{
	struct walk w = { .wlk_visit = visit, .wlk_arg = arg };
	unsigned int nth;
	int r;

	for (nth = 0; nth == 0 || isenough == NULL || !isenough(arg); nth++) {
		if ((w.wlk_ef = object_file_symbols(ob, nth)) == NULL)
			break;
		if ((r = walk_table(&w, SHT_SYMTAB)) != 0)
			return r;
		if (nth == 0 && (r = walk_table(&w, SHT_DYNSYM)) != 0)
			return r;
	}
	return 0;
}

/* Functions, and the file whose code they are in. */
struct function_walk {
	const struct elffile *fnw_main;
	function_visit *fnw_visit;
	int (*fnw_isenough)(void *);
	void *fnw_arg;
};

/*
 * Returns whether a symbol is a part of a function that the compiler has moved,
 * such as f.cold or f.cold.3.  Jumps lead there, so a return probe would replace
 * something other than a return address.
 */
static int
function_ispart(const char *name)
{
	static const char part[] = ".cold";
	const char *p = strstr(name, part);

	if (p == NULL)
		return 0;
	p += strlen(part);
	return *p == '\0' || (*p == '.' && p[strspn(p, ".0123456789")] == '\0');
}

static int
function_symbol(void *arg, const struct elffile *ef, const GElf_Sym *sym,
    const char *name)
{
	const struct function_walk *fnw = arg;
	struct function_symbol fs = { .fs_addr = sym->st_value,
		.fs_size = sym->st_size,
		.fs_name = name,
		.fs_isifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
		.fs_islocal = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
		.fs_isweak = GELF_ST_BIND(sym->st_info) == STB_WEAK };

	if (!symbol_index_takes(ef, sym, name, strlen(name) + 1) ||
	    (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && fs.fs_islocal) ||
	    function_ispart(name))
		return 0;
	if (ef->ef_ehdr.e_machine == EM_ARM)
		fs.fs_addr &= ~1ULL;
	if (elffile_ataddr(fnw->fnw_main, fs.fs_addr) == NULL)
		return 0;
	return fnw->fnw_visit(fnw->fnw_arg, &fs);
}

static int
function_isenough(void *arg)
{
	const struct function_walk *fnw = arg;

	return fnw->fnw_isenough != NULL && fnw->fnw_isenough(fnw->fnw_arg);
}

int
function_walk(struct object_file *ob, function_visit *visit,
    int (*isenough)(void *arg), void *arg)
{
	struct function_walk fnw = { object_file_main(ob), visit, isenough,
		arg };

	return symbol_walk(ob, function_symbol, function_isenough, &fnw);
}

static int
go_visit(void *arg, const struct function_symbol *fs)
{
	struct go_code *goc = arg;

	if (strcmp(fs->fs_name, "runtime.text") == 0)
		goc->goc_from = fs->fs_addr;
	if (strcmp(fs->fs_name, "runtime.etext") == 0)
		goc->goc_to = fs->fs_addr;
	return 0;
}

/* Without symbols, all code is Go's. */
void
function_walk_go(struct object_file *ob, struct go_code *goc)
{
	const struct elffile *ef = object_file_main(ob);
	GElf_Shdr sh;

	*goc = (struct go_code){ 0, 0 };
	if (elffile_section(ef, ".go.buildinfo", &sh) == NULL &&
	    elffile_section(ef, ".note.go.buildid", &sh) == NULL)
		return;
	(void)function_walk(ob, go_visit, NULL, goc);
	if (goc->goc_to <= goc->goc_from)
		*goc = (struct go_code){ 0, UINT64_MAX };
}
