/* SPDX-License-Identifier: ISC */
/*
 * Resolves user addresses from a recording.  All data comes from an untrusted file: it is
 * searched, and never assumed to be sorted.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/sym/local_file.h"
#include "cli/sym/rec_symbols.h"

/* Maximum depth of inlined functions; no compiler produces more. */
#define REC_SYMBOLS_MAXDEPTH 128

/* A mapping of a process. */
struct rec_mapping {
	uint64_t rm_from;
	uint64_t rm_start, rm_end, rm_offset;
	const struct rec_file *rm_file;
	int rm_kind; /* BLOCK_MAP_* */
};

/* A file: two files that differ in a member are different. */
struct rec_file {
	uint64_t rf_id;
	const char *rf_path;
	uint8_t rf_buildid[24];
	unsigned int rf_buildidlen;
};

/* Key of a symbol: in a file, or else in a process. */
struct rec_place {
	uint64_t rpl_file;
	uint64_t rpl_place;
	uint64_t rpl_pid;
};

/* The functions of an address, innermost first. */
struct rec_name {
	size_t rnm_n;
	struct dt_frame rnm_frames[];
};

struct rec_symbols {
	int rs_lookup;
	const char *rs_symfs; /* argument of local_file_path() */
	int rs_isrefused;     /* a refusal has been reported */
	unsigned int rs_flags;
	struct dt *rs_dt; /* the private dtd; NULL: not started */
	int rs_istried;
	struct hash rs_strs;
	struct hash rs_procs; /* pid -> tree of struct rec_mapping */
	struct hash rs_files; /* struct rec_file -> the same, with its path */
	struct hash rs_names; /* struct rec_place -> struct rec_name */
};

/* A requested address. */
struct rec_request {
	const struct rec_mapping *rka_map; /* NULL: none */
	struct rec_place rka_place;
	size_t rka_pc;
};

static void *
rec_symbols_mem(void *p)
{
	if (p == NULL)
		err(1, "names");
	return p;
}

struct rec_symbols *
rec_symbols_alloc(int lookup, const char *symfs, unsigned int flags)
{
	struct rec_symbols *um = rec_symbols_mem(calloc(1, sizeof(*um)));

	um->rs_lookup = lookup;
	um->rs_symfs = symfs;
	um->rs_flags = flags;
	return um;
}

void
rec_symbols_free(struct rec_symbols *um)
{
	struct hash_entry **list;
	size_t i;

	if (um == NULL)
		return;
	list = hash_sorted(&um->rs_procs);
	for (i = 0; i < um->rs_procs.ha_n; i++)
		tdestroy(list[i]->he_ptr, free);
	free(list);
	hash_clear(&um->rs_procs);
	hash_free(&um->rs_files);
	hash_free(&um->rs_names);
	hash_clear(&um->rs_strs);
	dt_close(um->rs_dt);
	free(um);
}

static const char *
rec_symbols_str(struct rec_symbols *um, const char *s)
{
	return (const char *)hash_get(&um->rs_strs, s, strlen(s) + 1)->he_key;
}

/* Data of the recording */

static const struct rec_file *
rec_symbols_file(struct rec_symbols *um, const struct block_map *bm)
{
	const struct block_map_hdr *h = &bm->bm_hdr;
	struct rec_file key;
	struct hash_entry *e;

	memset(&key, 0, sizeof(key));
	key.rf_id = h->bmh_file;
	key.rf_path = rec_symbols_str(um, bm->bm_path);
	key.rf_buildidlen = h->bmh_buildidlen;
	memcpy(key.rf_buildid, h->bmh_buildid, h->bmh_buildidlen);
	e = hash_get(&um->rs_files, &key, sizeof(key));
	if (e->he_ptr == NULL) {
		e->he_ptr = rec_symbols_mem(malloc(sizeof(key)));
		memcpy(e->he_ptr, &key, sizeof(key));
	}
	return e->he_ptr;
}

static int
rec_symbols_compare(const void *va, const void *vb)
{
	const struct rec_mapping *a = va, *b = vb;

	if (a->rm_from != b->rm_from)
		return a->rm_from < b->rm_from ? -1 : 1;
	if (a->rm_start != b->rm_start)
		return a->rm_start < b->rm_start ? -1 : 1;
	return 0;
}

/*
 * Adds to a tree, since the file may have mappings in any order, between
 * lookups: of the same time and address, the last one counts.
 */
void
rec_symbols_add(struct rec_symbols *um, const struct block_map *bm)
{
	const struct block_map_hdr *h = &bm->bm_hdr;
	struct hash_entry *e;
	struct rec_mapping *ua = rec_symbols_mem(malloc(sizeof(*ua))), **in;

	*ua = (struct rec_mapping){
		.rm_from = h->bmh_from,
		.rm_start = h->bmh_start,
		.rm_end = h->bmh_end,
		.rm_offset = h->bmh_offset,
		.rm_file = rec_symbols_file(um, bm),
		.rm_kind = h->bmh_kind,
	};
	e = hash_get(&um->rs_procs, &h->bmh_pid, sizeof(h->bmh_pid));
	in = rec_symbols_mem(tsearch(ua, &e->he_ptr, rec_symbols_compare));
	if (*in == ua)
		return;
	**in = *ua;
	free(ua);
}

/* Adds a function to an address. */
static void
rec_symbols_append(struct rec_symbols *um, struct hash_entry *e,
    const struct dt_frame *df)
{
	struct rec_name *un = e->he_ptr;
	size_t n = un != NULL ? un->rnm_n : 0;
	struct dt_frame *new;

	un = rec_symbols_mem(realloc(un, sizeof(*un) + (n + 1) * sizeof(*new)));
	new = &un->rnm_frames[n];
	memset(new, 0, sizeof(*new));
	if (df->df_func != NULL)
		new->df_func = rec_symbols_str(um, df->df_func);
	if (df->df_file != NULL)
		new->df_file = rec_symbols_str(um, df->df_file);
	new->df_offset = df->df_offset;
	new->df_line = df->df_line;
	new->df_inlined = df->df_inlined;
	new->df_why = df->df_why;
	new->df_error = df->df_error;
	un->rnm_n = n + 1;
	e->he_ptr = un;
}

/*
 * A writer may repeat an address; the first one counts.  It is complete with
 * the function into which the others are inlined.
 */
void
rec_symbols_add_name(struct rec_symbols *um, const struct block_usym *bu)
{
	const struct block_usym_hdr *h = &bu->bu_hdr;
	const struct rec_place key = { h->buh_pid != 0 ? 0 : h->buh_file,
		h->buh_place, h->buh_pid };
	const struct dt_frame df = {
		.df_func = bu->bu_func,
		.df_offset = h->buh_offset,
		.df_file = bu->bu_srcfile[0] != '\0' ? bu->bu_srcfile : NULL,
		.df_line = h->buh_line,
		.df_inlined = h->buh_isinlined != 0,
	};
	struct hash_entry *e = hash_get(&um->rs_names, &key, sizeof(key));
	const struct rec_name *un = e->he_ptr;

	if (un != NULL &&
	    (!un->rnm_frames[un->rnm_n - 1].df_inlined ||
		un->rnm_n == REC_SYMBOLS_MAXDEPTH))
		return;
	rec_symbols_append(um, e, &df);
}

/* Lookups */

/*
 * Stores in ub_last each element on the search path that does not follow ub_at.
 */
struct rec_before {
	struct rec_mapping ub_at;
	const struct rec_mapping **ub_last;
};

static int
rec_symbols_pass(const void *vkey, const void *vmap)
{
	const struct rec_before *ub = vkey;
	int r = rec_symbols_compare(&ub->ub_at, vmap);

	if (r >= 0)
		*ub->ub_last = vmap;
	return r;
}

/* Returns the last mapping that does not follow this time and address. */
static const struct rec_mapping *
rec_symbols_before(const struct hash_entry *e, uint64_t from, uint64_t start)
{
	const struct rec_mapping *last = NULL;
	const struct rec_before ub = {
		.ub_at = { .rm_from = from, .rm_start = start },
		.ub_last = &last,
	};

	(void)tfind(&ub, &e->he_ptr, rec_symbols_pass);
	return last;
}

/*
 * Returns the mapping at pc at that time: from the last earlier time with data.
 */
static const struct rec_mapping *
rec_symbols_find(const struct hash_entry *e, uint64_t nsecs, uint64_t pc)
{
	const struct rec_mapping *ua = rec_symbols_before(e, nsecs, UINT64_MAX);

	if (ua == NULL)
		return NULL;
	nsecs = ua->rm_from;
	ua = rec_symbols_before(e, nsecs, pc);
	return ua != NULL && ua->rm_from == nsecs && pc < ua->rm_end ? ua
								     : NULL;
}

uint64_t
rec_symbols_since(const struct rec_symbols *um, uint32_t pid, uint64_t nsecs)
{
	const struct hash_entry *e = hash_find(&um->rs_procs, &pid,
	    sizeof(pid));
	const struct rec_mapping *ua;

	if (e == NULL ||
	    (ua = rec_symbols_before(e, nsecs, UINT64_MAX)) == NULL)
		return 0;
	return ua->rm_from;
}

/* Returns the private dtd, or NULL after a message, which is printed once. */
static struct dt *
rec_symbols_dt(struct rec_symbols *um)
{
	if (!um->rs_istried) {
		um->rs_istried = 1;
		um->rs_dt = dt_open(NULL, DT_OPEN_PRIVATE);
		if (um->rs_dt == NULL)
			warnx("symbols of programs are missing: %s "
			      "(--no-lookup omits them)",
			    dt_error(NULL));
	}
	return um->rs_dt;
}

/* Orders by file, then by address. */
static int
rec_symbols_compare_requests(const void *va, const void *vb)
{
	const struct rec_request *a = va, *b = vb;

	if (a->rka_map->rm_file != b->rka_map->rm_file)
		return a->rka_map->rm_file < b->rka_map->rm_file ? -1 : 1;
	if (a->rka_place.rpl_place != b->rka_place.rpl_place)
		return a->rka_place.rpl_place < b->rka_place.rpl_place ? -1 : 1;
	return 0;
}

/*
 * Writes the path of a file that may be read.  A missing file has a path, too,
 * since its debug file may exist.
 */
static int
rec_symbols_path(struct rec_symbols *um, const struct rec_file *uf, char *path,
    size_t size)
{
	char why[LOCAL_FILE_WHY];
	int error = local_file_path(um->rs_symfs, uf->rf_path, path, size, why);

	if (error == ENOENT && um->rs_symfs == NULL &&
	    strlen(uf->rf_path) < size) {
		strcpy(path, uf->rf_path);
		return 0;
	}
	if (why[0] != '\0' && !um->rs_isrefused)
		warnx("%s and similar files are not read: %s (see --symfs)",
		    uf->rf_path, why);
	um->rs_isrefused |= why[0] != '\0';
	return error;
}

/* Looks up n addresses of one file. */
static void
rec_symbols_read_file(struct rec_symbols *um, const struct rec_file *uf,
    const uint64_t *offs, size_t n, struct dt_frames *frames,
    struct dt_frame *none)
{
	char path[PATH_MAX];
	struct dt *dt;
	int error;

	if ((error = rec_symbols_path(um, uf, path, sizeof(path))) != 0) {
		none->df_why = DTFR_NOFILE;
		none->df_error = error;
		return;
	}
	if ((dt = rec_symbols_dt(um)) != NULL &&
	    dt_symbolize_file(dt, path, uf->rf_buildid, uf->rf_buildidlen, offs,
		n, um->rs_flags, frames) == -1)
		memset(frames, 0, sizeof(*frames));
}

/*
 * Looks up n addresses of one file, and keeps the results, also negative ones.
 */
static void
rec_symbols_request_file(struct rec_symbols *um, const struct rec_request *reqs,
    size_t n)
{
	const struct rec_file *uf = reqs[0].rka_map->rm_file;
	struct dt_frames frames = { 0 };
	struct hash_entry *e;
	uint64_t *offs = rec_symbols_mem(calloc(n, sizeof(*offs)));
	struct dt_frame none = { .df_why = DTFR_NOSYM };
	size_t i;

	for (i = 0; i < n; i++)
		offs[i] = reqs[i].rka_place.rpl_place;
	rec_symbols_read_file(um, uf, offs, n, &frames, &none);
	for (i = 0; i < frames.df_n; i++) {
		e = hash_get(&um->rs_names,
		    &reqs[frames.df_frames[i].df_pc].rka_place,
		    sizeof(struct rec_place));
		rec_symbols_append(um, e, &frames.df_frames[i]);
	}
	dt_frames_free(&frames);
	for (i = 0; i < n; i++) {
		e = hash_get(&um->rs_names, &reqs[i].rka_place,
		    sizeof(struct rec_place));
		if (e->he_ptr == NULL)
			rec_symbols_append(um, e, &none);
	}
	free(offs);
}

/*
 * Returns whether local files may be used: only the same file has the same
 * symbols, and the build id identifies it.
 */
static int
rec_symbols_wants(const struct rec_symbols *um, const struct rec_request *rq)
{
	return um->rs_lookup && rq->rka_map != NULL &&
	    rq->rka_map->rm_kind == BLOCK_MAP_FILE &&
	    rq->rka_map->rm_file->rf_buildidlen > 0 &&
	    rq->rka_map->rm_file->rf_path[0] == '/' &&
	    hash_find(&um->rs_names, &rq->rka_place, sizeof(rq->rka_place)) ==
	    NULL;
}

/* Looks up all addresses without a symbol in the recording, file by file. */
static void
rec_symbols_request(struct rec_symbols *um, const struct rec_request *all,
    size_t n)
{
	struct rec_request *reqs = rec_symbols_mem(
	    calloc(n + 1, sizeof(*reqs)));
	size_t i, j, nreqs = 0;

	for (i = 0; i < n; i++) {
		if (rec_symbols_wants(um, &all[i]))
			reqs[nreqs++] = all[i];
	}
	qsort(reqs, nreqs, sizeof(*reqs), rec_symbols_compare_requests);
	for (i = j = 0; i < nreqs; i++) { /* each address once */
		if (j == 0 ||
		    rec_symbols_compare_requests(&reqs[j - 1], &reqs[i]) != 0)
			reqs[j++] = reqs[i];
	}
	nreqs = j;
	for (i = 0; i < nreqs; i = j) {
		for (j = i + 1; j < nreqs &&
		     reqs[j].rka_map->rm_file == reqs[i].rka_map->rm_file;
		     j++)
			;
		rec_symbols_request_file(um, reqs + i, j - i);
	}
	free(reqs);
}

/* Finds the mapping of an address, and the key of its symbol. */
static struct rec_request
rec_symbols_locate(struct rec_symbols *um, uint32_t pid, uint64_t nsecs,
    uint64_t pc, size_t i)
{
	struct hash_entry *e = hash_find(&um->rs_procs, &pid, sizeof(pid));
	struct rec_request rq = { .rka_pc = i };
	const struct rec_mapping *ua;

	if (e == NULL || (ua = rec_symbols_find(e, nsecs, pc)) == NULL)
		return rq;
	rq.rka_map = ua;
	if (ua->rm_kind == BLOCK_MAP_ANON)
		rq.rka_place = (struct rec_place){ 0, pc, pid };
	else
		rq.rka_place = (struct rec_place){ ua->rm_file->rf_id,
			pc - ua->rm_start + ua->rm_offset, 0 };
	return rq;
}

/* Appends the frames of one address. */
static void
rec_symbols_frames(const struct rec_symbols *um, const struct rec_request *rq,
    int isknown, struct dt_frame *frames, size_t *n)
{
	const struct rec_name *un = NULL;
	const struct hash_entry *e;
	struct dt_frame *df;
	size_t i;

	if (rq->rka_map != NULL &&
	    (e = hash_find(&um->rs_names, &rq->rka_place,
		 sizeof(rq->rka_place))) != NULL)
		un = e->he_ptr;
	for (i = 0; i < (un != NULL ? un->rnm_n : 1); i++) {
		df = &frames[(*n)++];
		if (un != NULL)
			*df = un->rnm_frames[i];
		else
			memset(df, 0, sizeof(*df));
		df->df_pc = rq->rka_pc;
		if (df->df_func == NULL && df->df_why == DTFR_NAMED)
			df->df_why = isknown ? DTFR_NOMAP : DTFR_NOPROC;
		if (rq->rka_map == NULL)
			continue;
		if (df->df_func == NULL)
			df->df_why = rq->rka_map->rm_kind == BLOCK_MAP_ANON
			    ? DTFR_ANON
			    : DTFR_NOSYM;
		df->df_module = rq->rka_map->rm_file->rf_path;
		df->df_buildid = rq->rka_map->rm_file->rf_buildid;
		df->df_buildidlen = rq->rka_map->rm_file->rf_buildidlen;
		df->df_fileoff = rq->rka_place.rpl_place;
	}
}

struct dt_frame *
rec_symbols_get(struct rec_symbols *um, uint32_t pid, uint64_t nsecs,
    const uint64_t *pcs, size_t npcs, size_t *nframes)
{
	struct rec_request *reqs = rec_symbols_mem(
	    calloc(npcs + 1, sizeof(*reqs)));
	int isknown = hash_find(&um->rs_procs, &pid, sizeof(pid)) != NULL;
	struct dt_frame *frames;
	const struct hash_entry *e;
	size_t i, n = 0;

	for (i = 0; i < npcs; i++)
		reqs[i] = rec_symbols_locate(um, pid, nsecs, pcs[i], i);
	rec_symbols_request(um, reqs, npcs);
	for (i = 0; i < npcs; i++) {
		e = hash_find(&um->rs_names, &reqs[i].rka_place,
		    sizeof(reqs[i].rka_place));
		n += reqs[i].rka_map != NULL && e != NULL
		    ? ((const struct rec_name *)e->he_ptr)->rnm_n
		    : 1;
	}
	frames = rec_symbols_mem(calloc(n + 1, sizeof(*frames)));
	for (i = n = 0; i < npcs; i++)
		rec_symbols_frames(um, &reqs[i], isknown, frames, &n);
	free(reqs);
	*nframes = n;
	return frames;
}
