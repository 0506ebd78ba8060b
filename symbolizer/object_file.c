/* SPDX-License-Identifier: ISC */
/*
 * Resolves addresses of one file. Functions are read from .symtab and .dynsym.
 * A file without .symtab uses the .symtab of its debug file, else
 * MiniDebugInfo.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/demangle.h"
#include "symbolizer/lines.h"
#include "symbolizer/minidebug.h"
#include "symbolizer/object_file.h"
#include "symbolizer/plt.h"
#include "symbolizer/symbol_index.h"

struct object_file {
	struct elffile ob_main;
	struct elffile ob_debug; /* ef_elf NULL: none */
	struct elffile ob_mini;	 /* the same */
	int ob_isrequested;	 /* the debug file was requested */
	int ob_islate;		 /* it may become available */
	debugfile_find *ob_find;
	int ob_isindexed;
	struct symbol_index ob_index;
	struct plt *ob_plt;
	struct lines *ob_lines;
	int ob_linesasked; /* ob_lines NULL: there are none */
	struct unwind_index ob_unwind;
	int ob_unwindasked; /* without sections: there is none */
};

static int
has_debug(struct object_file *ob)
{
	if (!ob->ob_isrequested)
		ob->ob_islate = debugfile_open(&ob->ob_main, ob->ob_find,
				    &ob->ob_debug) == EAGAIN;
	ob->ob_isrequested = 1;
	return ob->ob_debug.ef_elf != NULL;
}

/* Adds the stripped symbols.  Returns 0 if there are none. */
static int
add_stripped(struct object_file *ob)
{
	int error;

	if (has_debug(ob)) {
		error = symbol_index_add(&ob->ob_index, &ob->ob_main,
		    &ob->ob_debug, SHT_SYMTAB);
		file_bytes_drop(&ob->ob_debug.ef_bytes);
		if (error != ENOENT)
			return error;
	}
	error = ob->ob_mini.ef_elf != NULL
	    ? 0
	    : minidebug_open(&ob->ob_main, &ob->ob_mini);
	if (error == 0)
		error = symbol_index_add(&ob->ob_index, &ob->ob_main,
		    &ob->ob_mini, SHT_SYMTAB);
	return error == ENOMEM ? ENOMEM : 0;
}

static int
make_index(struct object_file *ob)
{
	struct symbol_index *ix = &ob->ob_index;
	int error;

	if (ob->ob_isindexed)
		return 0;
	ob->ob_isindexed = 1;
	error = symbol_index_add(ix, &ob->ob_main, &ob->ob_main, SHT_SYMTAB);
	if (error == ENOENT)
		error = add_stripped(ob);
	if (error != 0)
		return error;
	error = symbol_index_add(ix, &ob->ob_main, &ob->ob_main, SHT_DYNSYM);
	if (error != 0 && error != ENOENT)
		return error;
	return symbol_index_seal(ix, &ob->ob_main);
}

int
object_file_open(struct file_bytes *im, const uint8_t *buildid, size_t len,
    debugfile_find *find, struct object_file **obp)
{
	struct object_file *ob = calloc(1, sizeof(*ob));
	int error;

	if (ob == NULL) {
		file_bytes_free(im);
		return ENOMEM;
	}
	ob->ob_find = find;
	if ((error = elffile_open(&ob->ob_main, im)) != 0) {
		free(ob);
		return error;
	}
	if (len != 0 &&
	    (ob->ob_main.ef_buildidlen != len ||
		memcmp(ob->ob_main.ef_buildid, buildid, len) != 0))
		error = ESTALE;
	else if ((ob->ob_plt = plt_alloc(&ob->ob_main)) == NULL)
		error = ENOMEM;
	if (error != 0) {
		object_file_close(ob);
		return error;
	}
	object_file_trim(ob);
	*obp = ob;
	return 0;
}

void
object_file_close(struct object_file *ob)
{
	if (ob == NULL)
		return;
	unwind_index_close(&ob->ob_unwind);
	lines_close(ob->ob_lines);
	plt_free(ob->ob_plt);
	symbol_index_free(&ob->ob_index);
	elffile_close(&ob->ob_mini);
	elffile_close(&ob->ob_debug);
	elffile_close(&ob->ob_main);
	free(ob);
}

const void *
object_file_buildid(const struct object_file *ob, size_t *len)
{
	*len = ob->ob_main.ef_buildidlen;
	return ob->ob_main.ef_buildid;
}

/* Converts an address to an offset in the file. */
static uint64_t
to_off(const struct elfload *el, uint64_t addr)
{
	return addr - el->el_addr + el->el_off;
}

/* The same, but not beyond the code that holds it. */
static uint64_t
to_off_in(const struct elfload *el, uint64_t addr)
{
	if (addr < el->el_addr)
		return el->el_off;
	if (addr - el->el_addr > el->el_size)
		return el->el_off + el->el_size;
	return to_off(el, addr);
}

/* Returns the offset of an address in a function that starts there. */
static uint64_t
off_in_func(const struct elfload *el, uint64_t addr, uint64_t start)
{
	uint64_t off = to_off(el, addr), from = to_off_in(el, start);

	return off > from ? off - from : 0;
}

/* Returns the name of a stub or a function, NULL if there is none. */
static const char *
one_name(struct object_file *ob, const struct elfload *el, uint64_t addr,
    struct wire_frame *wf, struct symrep_span *sp, char name[SYMREQ_NAME])
{
	struct ranges_hit hit;
	const char *raw;
	size_t len;
	int inplt = plt_has(ob->ob_plt, addr), isplt;

	isplt = inplt &&
	    plt_find(ob->ob_plt, &ob->ob_main, &ob->ob_index, addr, &hit, name);
	if (!isplt)
		ranges_find(&ob->ob_index.ix_ranges, addr, &hit);
	if (inplt && !isplt) {
		hit.rh_from = addr;
		hit.rh_to = addr + 1;
	}
	if (!inplt)
		plt_clip(ob->ob_plt, addr, &hit);
	sp->ssp_from = to_off_in(el, hit.rh_from);
	sp->ssp_to = to_off_in(el, hit.rh_to);
	if (hit.rh_range == NULL)
		return NULL;
	if (!isplt) {
		raw = symbol_index_name(&ob->ob_index, hit.rh_range, &len);
		demangle_name(raw, len, name);
	}
	wf->wf_offset = off_in_func(el, addr, hit.rh_range->r_start);
	return name;
}

/* DWARF of the file itself, else of its debug file. */
static struct lines *
get_lines(struct object_file *ob)
{
	if (ob->ob_linesasked)
		return ob->ob_lines;
	ob->ob_linesasked = 1;
	if (lines_open(&ob->ob_main, &ob->ob_main, ob->ob_find,
		&ob->ob_lines) != 0 &&
	    has_debug(ob))
		(void)lines_open(&ob->ob_main, &ob->ob_debug, ob->ob_find,
		    &ob->ob_lines);
	return ob->ob_lines;
}

/* Returns the whole path of a source file, cut to the capacity. */
static const char *
whole_path(const char *dir, const char *file, char path[SYMREQ_NAME])
{
	if (file == NULL || *file == '/' || dir == NULL)
		return file;
	snprintf(path, SYMREQ_NAME, "%s/%s", dir, file);
	return path;
}

/*
 * Puts all frames of an address.  wf and func have what the symbol tables
 * contain about it.
 */
static void
put_lines(struct lines *li, const struct elfload *el, uint64_t addr,
    struct wire_frame wf, const char *func, struct frame_sink *fs)
{
	uint64_t off = to_off(el, addr);
	const struct symrep_span sp = { off, off + 1 };
	char name[SYMREQ_NAME], path[SYMREQ_NAME];
	const char *of;
	struct lines_hit lh;
	size_t i;

	lines_find(li, addr, &lh);
	if (func == NULL && lh.lh_end != 0)
		wf.wf_offset = off_in_func(el, addr, lh.lh_start);
	for (i = 0; i < lh.lh_n; i++) {
		wf.wf_flags = i + 1 < lh.lh_n ? WIRE_FRAME_INLINED : 0;
		wf.wf_line = lh.lh_line[i];
		of = wf.wf_flags == 0 ? func : NULL;
		if (of == NULL && lh.lh_func[i] != NULL) {
			demangle_name(lh.lh_func[i], strlen(lh.lh_func[i]),
			    name);
			of = name;
		}
		fs->fs_put(fs, &wf, &sp, of,
		    whole_path(lh.lh_dir, lh.lh_file[i], path));
	}
	if (lh.lh_n == 0)
		fs->fs_put(fs, &wf, &sp, func, NULL);
}

int
object_file_names(struct object_file *ob, const uint64_t *offs, size_t n,
    int wantlines, struct frame_sink *fs)
{
	struct lines *li;
	const struct elfload *el;
	char name[SYMREQ_NAME];
	const char *func;
	uint64_t addr;
	size_t i;
	int error;

	if (n == 0)
		return 0;
	if ((error = make_index(ob)) != 0)
		return error;
	if ((li = wantlines ? get_lines(ob) : NULL) != NULL)
		lines_begin(li);
	for (i = 0; i < n; i++) {
		struct wire_frame wf = { .wf_pc = i };
		struct symrep_span sp = { offs[i], offs[i] + 1 };

		el = elffile_at(&ob->ob_main, offs[i]);
		addr = el == NULL ? 0 : offs[i] - el->el_off + el->el_addr;
		func = el == NULL ? NULL
				  : one_name(ob, el, addr, &wf, &sp, name);
		if (el != NULL && li != NULL)
			put_lines(li, el, addr, wf, func, fs);
		else
			fs->fs_put(fs, &wf, &sp, func, NULL);
	}
	if (li != NULL)
		lines_trim(li);
	object_file_trim(ob);
	return 0;
}

const struct elffile *
object_file_main(const struct object_file *ob)
{
	return &ob->ob_main;
}

/* The debug file, else MiniDebugInfo; neither if the file has all itself. */
const struct elffile *
object_file_symbols(struct object_file *ob, unsigned int n)
{
	GElf_Shdr sh;

	if (n == 0)
		return &ob->ob_main;
	if (n > 1 || symbol_index_table(&ob->ob_main, SHT_SYMTAB, &sh) != NULL)
		return NULL;
	if (has_debug(ob) &&
	    symbol_index_table(&ob->ob_debug, SHT_SYMTAB, &sh) != NULL)
		return &ob->ob_debug;
	if (ob->ob_mini.ef_elf == NULL)
		(void)minidebug_open(&ob->ob_main, &ob->ob_mini);
	return ob->ob_mini.ef_elf != NULL ? &ob->ob_mini : NULL;
}

struct lines *
object_file_lines(struct object_file *ob)
{
	return get_lines(ob);
}

int
object_file_index(struct object_file *ob, const struct symbol_index **ix)
{
	int error = make_index(ob);

	*ix = &ob->ob_index;
	return error;
}

int
object_file_function(struct object_file *ob, uint64_t addr,
    char raw[SYMREQ_NAME], uint64_t *start)
{
	struct ranges_hit hit;
	const char *name;
	size_t len;
	int error;

	raw[0] = '\0';
	if ((error = make_index(ob)) != 0)
		return error;
	ranges_find(&ob->ob_index.ix_ranges, addr, &hit);
	if (hit.rh_range == NULL)
		return 0;
	name = symbol_index_name(&ob->ob_index, hit.rh_range, &len);
	snprintf(raw, SYMREQ_NAME, "%.*s", (int)len, name);
	*start = hit.rh_range->r_start;
	return 0;
}

int
object_file_unwind(struct object_file *ob, uint64_t page,
    struct unwind_page_rows *upr)
{
	int error = 0;

	memset(upr, 0, sizeof(*upr));
	if (!ob->ob_unwindasked)
		error = unwind_index_open(&ob->ob_unwind, &ob->ob_main);
	if (error == ENOMEM)
		return error;
	ob->ob_unwindasked = 1;
	error = unwind_page_build(&ob->ob_unwind, page, upr);
	return error == ENOMEM ? ENOMEM : 0;
}

int
object_file_islate(const struct object_file *ob)
{
	return ob->ob_islate ||
	    (ob->ob_lines != NULL && lines_islate(ob->ob_lines));
}

void
object_file_trim(struct object_file *ob)
{
	file_bytes_drop(&ob->ob_main.ef_bytes);
	if (ob->ob_debug.ef_elf != NULL)
		file_bytes_drop(&ob->ob_debug.ef_bytes);
}
