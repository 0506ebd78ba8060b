/* SPDX-License-Identifier: ISC */
/*
 * Finds functions by name: as stored, demangled, or demangled with parameters.
 * An address with several matching names has the best of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/arguments.h"
#include "symbolizer/demangle.h"
#include "symbolizer/functions.h"
#include "symbolizer/instructions.h"
#include "symbolizer/lines.h"
#include "symbolizer/name_glob.h"

#define MATCHES_MAX (1U << 20)

struct match_list {
	const char *ml_pattern;
	int ml_isliteral;
	int ml_hasparams; /* the pattern may match parameters */
	struct function_symbol *ml_v;
	size_t ml_n, ml_max;
	int ml_ismore;
};

static int
is_mangled(const char *raw)
{
	return raw[0] == '_' && strpbrk(raw, "ZR") != NULL;
}

/* A name may look like a set itself: open[abi:cxx11]. */
static int
is_match(const struct match_list *ml, const char *name)
{
	return strcmp(ml->ml_pattern, name) == 0 ||
	    name_glob_match(ml->ml_pattern, name);
}

static int
matches(const struct match_list *ml, const char *raw)
{
	char name[SYMREQ_NAME];
	size_t len = strlen(raw);
	const char *at = strchr(raw + 1, '@');

	if (at == NULL && is_match(ml, raw))
		return 1;
	if (at == NULL && !is_mangled(raw))
		return 0;
	demangle_name(raw, len, name);
	if (is_match(ml, name))
		return 1;
	if (!ml->ml_hasparams || !is_mangled(raw))
		return 0;
	demangle_signature(raw, len, name);
	return is_match(ml, name);
}

static int
match_add(struct match_list *ml, const struct function_symbol *fs)
{
	size_t max = ml->ml_max == 0 ? 64 : 2 * ml->ml_max;
	struct function_symbol *v;

	if (ml->ml_n == MATCHES_MAX) {
		ml->ml_ismore = 1;
		return 0;
	}
	if (ml->ml_n == ml->ml_max) {
		if ((v = realloc(ml->ml_v, max * sizeof(*v))) == NULL)
			return ENOMEM;
		ml->ml_v = v;
		ml->ml_max = max;
	}
	ml->ml_v[ml->ml_n++] = *fs;
	return 0;
}

static int
match_visit(void *arg, const struct function_symbol *fs)
{
	struct match_list *ml = arg;

	return matches(ml, fs->fs_name) ? match_add(ml, fs) : 0;
}

/* A single name needs no debug file if the file itself has it. */
static int
match_isenough(void *arg)
{
	const struct match_list *ml = arg;

	return ml->ml_isliteral && ml->ml_n > 0;
}

static size_t
underscores(const char *name)
{
	return strspn(name, "_");
}

/* By address, the best name first. */
static int
match_cmp(const void *a, const void *b)
{
	const struct function_symbol *x = a, *y = b;
	size_t xu, yu;

	if (x->fs_addr != y->fs_addr)
		return x->fs_addr < y->fs_addr ? -1 : 1;
	if ((x->fs_size == 0) != (y->fs_size == 0))
		return x->fs_size == 0 ? 1 : -1;
	if (x->fs_islocal != y->fs_islocal)
		return x->fs_islocal - y->fs_islocal;
	xu = underscores(x->fs_name);
	yu = underscores(y->fs_name);
	if (xu != yu)
		return xu < yu ? -1 : 1;
	if (x->fs_isweak != y->fs_isweak)
		return x->fs_isweak - y->fs_isweak;
	return strcmp(x->fs_name, y->fs_name);
}

static uint16_t
language(const struct function_symbol *fs, const struct go_code *goc,
    const char *name)
{
	size_t len = strlen(fs->fs_name);

	if (fs->fs_addr >= goc->goc_from && fs->fs_addr < goc->goc_to)
		return PROBE_SITE_GO;
	if (strncmp(fs->fs_name, "_R", 2) == 0 && strcmp(fs->fs_name, name))
		return PROBE_SITE_RUST;
	if (strncmp(fs->fs_name, "_Z", 2) != 0)
		return 0;
	/* the hash at the end of Rust's older names: 17hHHHHHHHHHHHHHHHHE */
	return len > 20 && strncmp(fs->fs_name + len - 20, "17h", 3) == 0 &&
		fs->fs_name[len - 1] == 'E'
	    ? PROBE_SITE_RUST
	    : PROBE_SITE_CXX;
}

/* The file, and its reply. */
struct function_reply {
	struct object_file *fnr_object;
	struct go_code fnr_go;
	struct lines *fnr_lines; /* NULL: without arguments */
	struct arguments fnr_args;
	struct probe_sink *fnr_sink;
};

static void
put_one(struct function_reply *fnr, const struct function_symbol *fs)
{
	const struct elfload *el = elffile_ataddr(object_file_main(
						      fnr->fnr_object),
	    fs->fs_addr);
	char name[SYMREQ_NAME];
	struct found_site fo = { .fo_name = name };

	demangle_name(fs->fs_name, strlen(fs->fs_name), name);
	if (strcmp(name, fs->fs_name) != 0)
		fo.fo_more = fs->fs_name;
	fo.fo_site.psi_off = fs->fs_addr - el->el_addr + el->el_off;
	fo.fo_site.psi_start = fo.fo_site.psi_off;
	fo.fo_site.psi_size = fs->fs_size;
	fo.fo_site.psi_flags = language(fs, &fnr->fnr_go, name) |
	    (fs->fs_isifunc ? PROBE_SITE_IFUNC : 0) |
	    instructions_flags(object_file_main(fnr->fnr_object),
		fo.fo_site.psi_off);
	if (fnr->fnr_lines != NULL)
		arguments_add(fnr->fnr_object, fnr->fnr_lines, fs->fs_addr,
		    fs->fs_name, &fnr->fnr_args, &fo);
	fnr->fnr_sink->psk_put(fnr->fnr_sink, &fo);
}

static void
put_all(struct function_reply *fnr, const struct match_list *ml, uint32_t max)
{
	uint32_t nput = 0;
	size_t i;

	for (i = 0; i < ml->ml_n; i++) {
		if (i > 0 && ml->ml_v[i].fs_addr == ml->ml_v[i - 1].fs_addr)
			continue;
		if (nput++ == max) {
			fnr->fnr_sink->psk_more(fnr->fnr_sink);
			return;
		}
		put_one(fnr, &ml->ml_v[i]);
	}
	if (ml->ml_ismore)
		fnr->fnr_sink->psk_more(fnr->fnr_sink);
}

static void
reply(struct object_file *ob, const struct probe_query *pq,
    const struct match_list *ml, struct probe_sink *sink)
{
	struct function_reply fnr = { .fnr_object = ob, .fnr_sink = sink };

	function_walk_go(ob, &fnr.fnr_go);
	if (pq->pq_kind == PROBE_QUERY_SIGNATURES)
		fnr.fnr_lines = object_file_lines(ob);
	if (fnr.fnr_lines != NULL)
		lines_begin(fnr.fnr_lines);
	put_all(&fnr, ml, pq->pq_max);
	if (fnr.fnr_lines != NULL)
		lines_trim(fnr.fnr_lines);
}

int
functions_find(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	struct match_list ml = { .ml_pattern = pq->pq_name,
		.ml_isliteral = name_glob_isliteral(pq->pq_name),
		.ml_hasparams = strchr(pq->pq_name, '(') != NULL };
	int error;

	error = function_walk(ob, match_visit, match_isenough, &ml);
	if (error == 0 && ml.ml_n > 1)
		qsort(ml.ml_v, ml.ml_n, sizeof(*ml.ml_v), match_cmp);
	if (error == 0)
		reply(ob, pq, &ml, sink);
	free(ml.ml_v);
	return error;
}
