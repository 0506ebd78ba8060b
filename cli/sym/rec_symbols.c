/* SPDX-License-Identifier: ISC */
/*
 * The tables of rec_symbols.h.  All in them is of a foreign file: it is
 * searched, and never trusted to be in order.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/sym/rec_file.h"
#include "cli/sym/rec_symbols.h"

/* Functions inlined in each other: more of them no compiler makes. */
#define UMAPS_MAXDEPTH 128

/* Code that a process had. */
struct umap {
	uint64_t ua_from;
	uint64_t ua_start, ua_end, ua_offset;
	const struct ufile *ua_file;
	int ua_kind; /* BLOCK_MAP_* */
};

/* A file: what differs in any of these is another one. */
struct ufile {
	uint64_t uf_id;
	const char *uf_path;
	uint8_t uf_buildid[24];
	unsigned int uf_buildidlen;
};

/* Where a name belongs, as a key: in a file, or else in a process. */
struct uplace {
	uint64_t up_file;
	uint64_t up_place;
	uint64_t up_pid;
};

/* The functions of a place, innermost first. */
struct uname {
	size_t un_n;
	struct dt_frame un_frames[];
};

struct umaps {
	int um_lookup;
	const char *um_symfs; /* of symfs_path() */
	int um_isrefused;     /* a refusal has been reported */
	unsigned int um_flags;
	struct dt *um_dt; /* the private dtd; NULL: not (yet) */
	int um_istried;
	struct hash um_strs;
	struct hash um_procs; /* pid -> tree of struct umap */
	struct hash um_files; /* struct ufile -> the same, with its path */
	struct hash um_names; /* struct uplace -> struct uname */
};

/* An address that was asked for, on its way. */
struct uask {
	const struct umap *as_map; /* NULL: there is none */
	struct uplace as_place;
	size_t as_pc;
};

static void *
umaps_mem(void *p)
{
	if (p == NULL)
		err(1, "names");
	return p;
}

struct umaps *
umaps_alloc(int lookup, const char *symfs, unsigned int flags)
{
	struct umaps *um = umaps_mem(calloc(1, sizeof(*um)));

	um->um_lookup = lookup;
	um->um_symfs = symfs;
	um->um_flags = flags;
	return um;
}

void
umaps_free(struct umaps *um)
{
	struct hash_entry **list;
	size_t i;

	if (um == NULL)
		return;
	list = hash_sorted(&um->um_procs);
	for (i = 0; i < um->um_procs.ha_n; i++)
		tdestroy(list[i]->he_ptr, free);
	free(list);
	hash_clear(&um->um_procs);
	hash_free(&um->um_files);
	hash_free(&um->um_names);
	hash_clear(&um->um_strs);
	dt_close(um->um_dt);
	free(um);
}

static const char *
umaps_str(struct umaps *um, const char *s)
{
	return (const char *)hash_get(&um->um_strs, s, strlen(s) + 1)->he_key;
}

/*
 * What the recording has
 */

static const struct ufile *
umaps_file(struct umaps *um, const struct block_map *bm)
{
	const struct block_map_hdr *h = &bm->bm_hdr;
	struct ufile key;
	struct hash_entry *e;

	memset(&key, 0, sizeof(key));
	key.uf_id = h->bm_file;
	key.uf_path = umaps_str(um, bm->bm_path);
	key.uf_buildidlen = h->bm_buildidlen;
	memcpy(key.uf_buildid, h->bm_buildid, h->bm_buildidlen);
	e = hash_get(&um->um_files, &key, sizeof(key));
	if (e->he_ptr == NULL) {
		e->he_ptr = umaps_mem(malloc(sizeof(key)));
		memcpy(e->he_ptr, &key, sizeof(key));
	}
	return e->he_ptr;
}

static int
umaps_compare(const void *va, const void *vb)
{
	const struct umap *a = va, *b = vb;

	if (a->ua_from != b->ua_from)
		return a->ua_from < b->ua_from ? -1 : 1;
	if (a->ua_start != b->ua_start)
		return a->ua_start < b->ua_start ? -1 : 1;
	return 0;
}

/* In a tree, since the file may have them in any order, between what is asked:
 * of the same time and address the last holds. */
void
umaps_add(struct umaps *um, const struct block_map *bm)
{
	const struct block_map_hdr *h = &bm->bm_hdr;
	struct hash_entry *e;
	struct umap *ua = umaps_mem(malloc(sizeof(*ua))), **in;

	*ua = (struct umap){
		.ua_from = h->bm_from,
		.ua_start = h->bm_start,
		.ua_end = h->bm_end,
		.ua_offset = h->bm_offset,
		.ua_file = umaps_file(um, bm),
		.ua_kind = h->bm_kind,
	};
	e = hash_get(&um->um_procs, &h->bm_pid, sizeof(h->bm_pid));
	in = umaps_mem(tsearch(ua, &e->he_ptr, umaps_compare));
	if (*in == ua)
		return;
	**in = *ua;
	free(ua);
}

/* One more function of a place. */
static void
umaps_append(struct umaps *um, struct hash_entry *e, const struct dt_frame *df)
{
	struct uname *un = e->he_ptr;
	size_t n = un != NULL ? un->un_n : 0;
	struct dt_frame *new;

	un = umaps_mem(realloc(un, sizeof(*un) + (n + 1) * sizeof(*new)));
	new = &un->un_frames[n];
	memset(new, 0, sizeof(*new));
	if (df->df_func != NULL)
		new->df_func = umaps_str(um, df->df_func);
	if (df->df_file != NULL)
		new->df_file = umaps_str(um, df->df_file);
	new->df_offset = df->df_offset;
	new->df_line = df->df_line;
	new->df_inlined = df->df_inlined;
	new->df_why = df->df_why;
	new->df_error = df->df_error;
	un->un_n = n + 1;
	e->he_ptr = un;
}

/* A writer may repeat a place; the first holds.  It is whole with the function
 * that others are inlined in. */
void
umaps_add_name(struct umaps *um, const struct block_usym *bu)
{
	const struct block_usym_hdr *h = &bu->bu_hdr;
	const struct uplace key = { h->bu_pid != 0 ? 0 : h->bu_file,
		h->bu_place, h->bu_pid };
	const struct dt_frame df = {
		.df_func = bu->bu_func,
		.df_offset = h->bu_offset,
		.df_file = bu->bu_srcfile[0] != '\0' ? bu->bu_srcfile : NULL,
		.df_line = h->bu_line,
		.df_inlined = h->bu_isinlined != 0,
	};
	struct hash_entry *e = hash_get(&um->um_names, &key, sizeof(key));
	const struct uname *un = e->he_ptr;

	if (un != NULL &&
	    (!un->un_frames[un->un_n - 1].df_inlined ||
		un->un_n == UMAPS_MAXDEPTH))
		return;
	umaps_append(um, e, &df);
}

/*
 * What is asked
 */

/* Puts in ub_last what it has passed that is not behind ub_at. */
struct ubefore {
	struct umap ub_at;
	const struct umap **ub_last;
};

static int
umaps_pass(const void *vkey, const void *vmap)
{
	const struct ubefore *ub = vkey;
	int r = umaps_compare(&ub->ub_at, vmap);

	if (r >= 0)
		*ub->ub_last = vmap;
	return r;
}

/* The last one that is not behind this time and address: on the way to its
 * place. */
static const struct umap *
umaps_before(const struct hash_entry *e, uint64_t from, uint64_t start)
{
	const struct umap *last = NULL;
	const struct ubefore ub = {
		.ub_at = { .ua_from = from, .ua_start = start },
		.ub_last = &last,
	};

	(void)tfind(&ub, &e->he_ptr, umaps_pass);
	return last;
}

/* What was at pc then: of the last time before that something is told of. */
static const struct umap *
umaps_find(const struct hash_entry *e, uint64_t nsecs, uint64_t pc)
{
	const struct umap *ua = umaps_before(e, nsecs, UINT64_MAX);

	if (ua == NULL)
		return NULL;
	nsecs = ua->ua_from;
	ua = umaps_before(e, nsecs, pc);
	return ua != NULL && ua->ua_from == nsecs && pc < ua->ua_end ? ua
								     : NULL;
}

uint64_t
umaps_since(const struct umaps *um, uint32_t pid, uint64_t nsecs)
{
	const struct hash_entry *e = hash_find(&um->um_procs, &pid,
	    sizeof(pid));
	const struct umap *ua;

	if (e == NULL || (ua = umaps_before(e, nsecs, UINT64_MAX)) == NULL)
		return 0;
	return ua->ua_from;
}

/* The private dtd, or NULL; said once. */
static struct dt *
umaps_dt(struct umaps *um)
{
	if (!um->um_istried) {
		um->um_istried = 1;
		um->um_dt = dt_open(NULL, DT_OPEN_PRIVATE);
		if (um->um_dt == NULL)
			warnx("names of programs: %s (--no-lookup does "
			      "without them)",
			    dt_error(NULL));
	}
	return um->um_dt;
}

/* By file, then by place. */
static int
umaps_compare_asks(const void *va, const void *vb)
{
	const struct uask *a = va, *b = vb;

	if (a->as_map->ua_file != b->as_map->ua_file)
		return a->as_map->ua_file < b->as_map->ua_file ? -1 : 1;
	if (a->as_place.up_place != b->as_place.up_place)
		return a->as_place.up_place < b->as_place.up_place ? -1 : 1;
	return 0;
}

/*
 * Writes the path of a file that may be read.  One that does not exist has a
 * path, too: its debug file may be here.
 */
static int
umaps_path(struct umaps *um, const struct ufile *uf, char *path, size_t size)
{
	char why[SYMFS_WHY];
	int error = symfs_path(um->um_symfs, uf->uf_path, path, size, why);

	if (error == ENOENT && um->um_symfs == NULL &&
	    strlen(uf->uf_path) < size) {
		strcpy(path, uf->uf_path);
		return 0;
	}
	if (why[0] != '\0' && !um->um_isrefused)
		warnx("%s is not read, nor others like it: %s (see --symfs)",
		    uf->uf_path, why);
	um->um_isrefused |= why[0] != '\0';
	return error;
}

/* Looks n places of one file up in it. */
static void
umaps_read_file(struct umaps *um, const struct ufile *uf, const uint64_t *offs,
    size_t n, struct dt_frames *frames, struct dt_frame *none)
{
	char path[PATH_MAX];
	struct dt *dt;
	int error;

	if ((error = umaps_path(um, uf, path, sizeof(path))) != 0) {
		none->df_why = DTFR_NOFILE;
		none->df_error = error;
		return;
	}
	if ((dt = umaps_dt(um)) != NULL &&
	    dt_symbolize_file(dt, path, uf->uf_buildid, uf->uf_buildidlen, offs,
		n, um->um_flags, frames) == -1)
		memset(frames, 0, sizeof(*frames));
}

/* Asks for n places of one file, and keeps what comes, also that there is
 * nothing. */
static void
umaps_ask_file(struct umaps *um, const struct uask *asks, size_t n)
{
	const struct ufile *uf = asks[0].as_map->ua_file;
	struct dt_frames frames = { 0 };
	struct hash_entry *e;
	uint64_t *offs = umaps_mem(calloc(n, sizeof(*offs)));
	struct dt_frame none = { .df_why = DTFR_NOSYM };
	size_t i;

	for (i = 0; i < n; i++)
		offs[i] = asks[i].as_place.up_place;
	umaps_read_file(um, uf, offs, n, &frames, &none);
	for (i = 0; i < frames.df_n; i++) {
		e = hash_get(&um->um_names,
		    &asks[frames.df_frames[i].df_pc].as_place,
		    sizeof(struct uplace));
		umaps_append(um, e, &frames.df_frames[i]);
	}
	dt_frames_free(&frames);
	for (i = 0; i < n; i++) {
		e = hash_get(&um->um_names, &asks[i].as_place,
		    sizeof(struct uplace));
		if (e->he_ptr == NULL)
			umaps_append(um, e, &none);
	}
	free(offs);
}

/* Whether the files here may tell it: only the same file can, and that is
 * known by its build id. */
static int
umaps_wants(const struct umaps *um, const struct uask *as)
{
	return um->um_lookup && as->as_map != NULL &&
	    as->as_map->ua_kind == BLOCK_MAP_FILE &&
	    as->as_map->ua_file->uf_buildidlen > 0 &&
	    as->as_map->ua_file->uf_path[0] == '/' &&
	    hash_find(&um->um_names, &as->as_place, sizeof(as->as_place)) ==
	    NULL;
}

/* Asks for all that the recording has no name of, file by file. */
static void
umaps_ask(struct umaps *um, const struct uask *all, size_t n)
{
	struct uask *asks = umaps_mem(calloc(n + 1, sizeof(*asks)));
	size_t i, j, nasks = 0;

	for (i = 0; i < n; i++) {
		if (umaps_wants(um, &all[i]))
			asks[nasks++] = all[i];
	}
	qsort(asks, nasks, sizeof(*asks), umaps_compare_asks);
	for (i = j = 0; i < nasks; i++) { /* each place once */
		if (j == 0 || umaps_compare_asks(&asks[j - 1], &asks[i]) != 0)
			asks[j++] = asks[i];
	}
	nasks = j;
	for (i = 0; i < nasks; i = j) {
		for (j = i + 1; j < nasks &&
		     asks[j].as_map->ua_file == asks[i].as_map->ua_file;
		     j++)
			;
		umaps_ask_file(um, asks + i, j - i);
	}
	free(asks);
}

/* The address' mapping, and where its name belongs. */
static struct uask
umaps_locate(struct umaps *um, uint32_t pid, uint64_t nsecs, uint64_t pc,
    size_t i)
{
	struct hash_entry *e = hash_find(&um->um_procs, &pid, sizeof(pid));
	struct uask as = { .as_pc = i };
	const struct umap *ua;

	if (e == NULL || (ua = umaps_find(e, nsecs, pc)) == NULL)
		return as;
	as.as_map = ua;
	if (ua->ua_kind == BLOCK_MAP_ANON)
		as.as_place = (struct uplace){ 0, pc, pid };
	else
		as.as_place = (struct uplace){ ua->ua_file->uf_id,
			pc - ua->ua_start + ua->ua_offset, 0 };
	return as;
}

/* Appends what is known of one address. */
static void
umaps_tell(const struct umaps *um, const struct uask *as, int isknown,
    struct dt_frame *frames, size_t *n)
{
	const struct uname *un = NULL;
	const struct hash_entry *e;
	struct dt_frame *df;
	size_t i;

	if (as->as_map != NULL &&
	    (e = hash_find(&um->um_names, &as->as_place,
		 sizeof(as->as_place))) != NULL)
		un = e->he_ptr;
	for (i = 0; i < (un != NULL ? un->un_n : 1); i++) {
		df = &frames[(*n)++];
		if (un != NULL)
			*df = un->un_frames[i];
		else
			memset(df, 0, sizeof(*df));
		df->df_pc = as->as_pc;
		if (df->df_func == NULL && df->df_why == DTFR_NAMED)
			df->df_why = isknown ? DTFR_NOMAP : DTFR_NOPROC;
		if (as->as_map == NULL)
			continue;
		if (df->df_func == NULL)
			df->df_why = as->as_map->ua_kind == BLOCK_MAP_ANON
			    ? DTFR_ANON
			    : DTFR_NOSYM;
		df->df_module = as->as_map->ua_file->uf_path;
		df->df_buildid = as->as_map->ua_file->uf_buildid;
		df->df_buildidlen = as->as_map->ua_file->uf_buildidlen;
		df->df_fileoff = as->as_place.up_place;
	}
}

struct dt_frame *
umaps_get(struct umaps *um, uint32_t pid, uint64_t nsecs, const uint64_t *pcs,
    size_t npcs, size_t *nframes)
{
	struct uask *asks = umaps_mem(calloc(npcs + 1, sizeof(*asks)));
	int isknown = hash_find(&um->um_procs, &pid, sizeof(pid)) != NULL;
	struct dt_frame *frames;
	const struct hash_entry *e;
	size_t i, n = 0;

	for (i = 0; i < npcs; i++)
		asks[i] = umaps_locate(um, pid, nsecs, pcs[i], i);
	umaps_ask(um, asks, npcs);
	for (i = 0; i < npcs; i++) {
		e = hash_find(&um->um_names, &asks[i].as_place,
		    sizeof(asks[i].as_place));
		n += asks[i].as_map != NULL && e != NULL
		    ? ((const struct uname *)e->he_ptr)->un_n
		    : 1;
	}
	frames = umaps_mem(calloc(n + 1, sizeof(*frames)));
	for (i = n = 0; i < npcs; i++)
		umaps_tell(um, &asks[i], isknown, frames, &n);
	free(asks);
	*nframes = n;
	return frames;
}
