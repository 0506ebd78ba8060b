/* SPDX-License-Identifier: ISC */
/*
 * Resolves addresses in files: requests offsets that are not cached from a
 * symbolizer process, in batches, sorted, each offset once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/procs/mapped_file.h"
#include "daemon/sym/debuginfod.h"
#include "daemon/sym/probe_cache.h"
#include "daemon/sym/symbol_cache.h"
#include "daemon/sym/symbol_file.h"
#include "daemon/sym/symbolizer.h"
#include "daemon/sym/symbolizer_pool.h"
#include "daemon/sym/symbolizer_process.h"

#define KEEP_WORKER 10	 /* seconds that it runs unused */
#define KEEP_NAMES  60	 /* seconds that unused symbols are kept */
#define MAXROUNDS   4	 /* a debug file, a shared one, and a spare */
#define WAIT_MSECS  5000 /* for files from a server; the rest is the worker's */

/* A requested offset. */
struct frames_want {
	uint64_t fwt_off;
	uint32_t fwt_pc;    /* index of the offset */
	uint32_t fwt_first; /* first frame in the buffer, if resolved */
};

/* A call, and what it has found so far. */
struct call {
	struct symbol_file scl_on;
	int scl_lines;
	struct frames_want *scl_wants; /* by offset, then by index */
	size_t scl_n;
	uint64_t *scl_offs; /* not known yet, each once */
	size_t scl_noffs;
	struct frame_buf scl_frames;
};

static struct {
	pthread_mutex_t co_mtx;
	uint64_t co_calls, co_addrs, co_hits, co_asked;
} counts = { .co_mtx = PTHREAD_MUTEX_INITIALIZER };

static int
want_cmp(const void *a, const void *b)
{
	const struct frames_want *x = a, *y = b;

	if (x->fwt_off != y->fwt_off)
		return x->fwt_off < y->fwt_off ? -1 : 1;
	return x->fwt_pc < y->fwt_pc ? -1 : x->fwt_pc > y->fwt_pc;
}

static int
call_start(struct call *cl, const uint64_t *offs, size_t n)
{
	size_t i;

	cl->scl_wants = calloc(n, sizeof(*cl->scl_wants));
	cl->scl_offs = calloc(n, sizeof(*cl->scl_offs));
	if (cl->scl_wants == NULL || cl->scl_offs == NULL)
		return ENOMEM;
	cl->scl_n = n;
	for (i = 0; i < n; i++)
		cl->scl_wants[i] = (struct frames_want){ offs[i], i,
			UINT32_MAX };
	qsort(cl->scl_wants, n, sizeof(*cl->scl_wants), want_cmp);
	return 0;
}

static void
call_free(struct call *cl)
{
	free(cl->scl_wants);
	free(cl->scl_offs);
	frame_buf_free(&cl->scl_frames);
}

/* Returns the index after the last want with the same offset. */
static size_t
behind(const struct call *cl, size_t i)
{
	uint64_t off = cl->scl_wants[i].fwt_off;

	while (i < cl->scl_n && cl->scl_wants[i].fwt_off == off)
		i++;
	return i;
}

/* Adds cached frames to the buffer and the other offsets to the list. */
static void
look_up(struct call *cl)
{
	uint64_t hits = 0;
	size_t i, j, at;

	for (i = 0; i < cl->scl_n; i = j) {
		j = behind(cl, i);
		at = cl->scl_frames.fb_n;
		if (cl->scl_on.sbf_file != NULL &&
		    symbol_cache_get(&cl->scl_on.sbf_key, cl->scl_lines,
			cl->scl_wants[i].fwt_off, i, &cl->scl_frames)) {
			cl->scl_wants[i].fwt_first = at;
			hits += j - i;
		} else
			cl->scl_offs[cl->scl_noffs++] = cl->scl_wants[i]
							    .fwt_off;
	}
	pthread_mutex_lock(&counts.co_mtx);
	counts.co_calls++;
	counts.co_addrs += cl->scl_n;
	counts.co_hits += hits;
	counts.co_asked += cl->scl_noffs;
	pthread_mutex_unlock(&counts.co_mtx);
}

/*
 * Assigns the frames of replies, which are in order, to wants without frames.
 */
static void
place(struct call *cl, size_t first)
{
	size_t i, n = first;
	uint32_t pc;

	for (i = 0; i < cl->scl_n; i = behind(cl, i)) {
		if (cl->scl_wants[i].fwt_first != UINT32_MAX)
			continue;
		cl->scl_wants[i].fwt_first = n;
		for (pc = cl->scl_frames.fb_frames[n].wf_pc;
		     n < cl->scl_frames.fb_n &&
		     cl->scl_frames.fb_frames[n].wf_pc == pc;
		     n++)
			cl->scl_frames.fb_frames[n].wf_pc = i;
	}
}

/*
 * Requests a batch, from the i-th offset; again if a file that the worker
 * requested could be fetched.  *islate: it could not be fetched yet.
 */
static int
request_batch(struct call *cl, struct symreq *rq, size_t i, int *islate)
{
	struct frame_buf *sb = &cl->scl_frames;
	size_t first = sb->fb_n;
	int error, late, rounds = 0;

	for (;;) {
		debuginfod_begin();
		if ((error = symbolizer_process_take()) == 0 &&
		    (error = symbol_file_send(&cl->scl_on, rq)) == 0)
			error = symbolizer_process_request(rq, cl->scl_offs + i,
			    -1, cl->scl_on.sbf_file, i, sb);
		symbolizer_process_give();
		late = error == 0 ? debuginfod_wait() : ENOENT;
		if (late != 0 || ++rounds == MAXROUNDS)
			break;
		sb->fb_n = first;
	}
	*islate = late != ENOENT;
	return error;
}

/* Requests all offsets in batches; without offsets, only the build id. */
static int
request_all(struct call *cl, struct symreq *rq)
{
	struct frame_buf *sb = &cl->scl_frames;
	size_t i = 0, n, first;
	int error, islate;

	rq->srq_flags = cl->scl_lines ? SYMREQ_LINES : 0;
	do {
		n = cl->scl_noffs - i;
		rq->srq_npcs = n = n > SYMREQ_MAXPCS ? SYMREQ_MAXPCS : n;
		first = sb->fb_n;
		error = request_batch(cl, rq, i, &islate);
		if (error == 0 && cl->scl_on.sbf_file != NULL && !islate)
			symbol_cache_put(&cl->scl_on.sbf_key, cl->scl_lines,
			    cl->scl_offs + i, sb, first, i);
		i += n;
	} while (i < cl->scl_noffs && error == 0);
	if (error == 0 && cl->scl_on.sbf_file != NULL)
		mapped_file_setid(cl->scl_on.sbf_file, sb->fb_buildid,
		    sb->fb_buildidlen);
	return error;
}

/*
 * Requests what is not cached. A file that crashes the symbolizer with lines
 * may have symbols without.
 */
static int
find_out(struct call *cl, struct symreq *rq)
{
	size_t first = cl->scl_frames.fb_n;
	int error;

	if ((error = symbol_file_begin(&cl->scl_on)) != 0)
		return error;
	error = request_all(cl, rq);
	if (error == EIO && cl->scl_lines) {
		symbol_cache_bad(&cl->scl_on.sbf_key, 1, error);
		cl->scl_lines = 0;
		cl->scl_frames.fb_n = first;
		error = request_all(cl, rq);
	}
	symbol_file_end(&cl->scl_on, error);
	if (error == 0)
		place(cl, first);
	return error;
}

/* Returns the number of frames that belong to one offset. */
static size_t
run(const struct frame_buf *sb, size_t first)
{
	size_t n = first;

	while (n < sb->fb_n &&
	    sb->fb_frames[n].wf_pc == sb->fb_frames[first].wf_pc)
		n++;
	return n - first;
}

/* Returns the first frame of each offset, by index. */
static uint32_t *
order(const struct call *cl, size_t *nframes)
{
	uint32_t *firsts = malloc(cl->scl_n * sizeof(*firsts));
	size_t i, j, k, n;

	*nframes = 0;
	if (firsts == NULL)
		return NULL;
	for (i = 0; i < cl->scl_n; i = j) {
		j = behind(cl, i);
		n = run(&cl->scl_frames, cl->scl_wants[i].fwt_first);
		*nframes += n * (j - i);
		for (k = i; k < j; k++)
			firsts[cl->scl_wants[k].fwt_pc] = cl->scl_wants[i]
							      .fwt_first;
	}
	return firsts;
}

/* Stores frames and strings in one allocation. */
static int
make_frames(const struct call *cl, struct symbol_frames *out)
{
	const struct frame_buf *sb = &cl->scl_frames;
	size_t i, j, n, nframes, at = 0;
	struct wire_frame *v;
	uint32_t *firsts;
	char *strings;

	if ((firsts = order(cl, &nframes)) == NULL)
		return ENOMEM;
	v = malloc(nframes * sizeof(*v) + sb->fb_nbytes);
	if (v == NULL) {
		free(firsts);
		return ENOMEM;
	}
	strings = (char *)(v + nframes);
	if (sb->fb_nbytes > 0)
		memcpy(strings, sb->fb_strings, sb->fb_nbytes);
	for (i = 0; i < cl->scl_n; i++) {
		n = run(sb, firsts[i]);
		for (j = 0; j < n; j++, at++) {
			v[at] = sb->fb_frames[firsts[i] + j];
			v[at].wf_pc = i;
		}
	}
	free(firsts);
	*out = (struct symbol_frames){ nframes, v, strings };
	return 0;
}

static int
call_run(struct call *cl, struct symreq *rq, const uint64_t *offs, size_t n,
    struct symbol_frames *out)
{
	int error;

	if (n > SYM_MAXPCS)
		return E2BIG;
	if (n == 0) {
		*out = (struct symbol_frames){ 0 };
		return 0;
	}
	if ((error = call_start(cl, offs, n)) == 0) {
		look_up(cl);
		if (cl->scl_noffs > 0)
			error = find_out(cl, rq);
	}
	if (error == 0)
		error = make_frames(cl, out);
	call_free(cl);
	return error;
}

int
symbolizer_names(struct mapped_file *mf, const uint64_t *offs, size_t n,
    unsigned int flags, struct symbol_frames *out)
{
	struct symreq rq = { .srq_type = SYMREQ_NAMES };
	struct call cl = { .scl_lines = (flags & SYM_LINES) != 0 };
	int error;

	if ((error = symbol_file_open(mf, &cl.scl_on, &rq)) != 0)
		return error;
	if (cl.scl_lines && symbol_cache_isbad(&cl.scl_on.sbf_key, 1) != 0)
		cl.scl_lines = 0;
	return call_run(&cl, &rq, offs, n, out);
}

int
symbolizer_buildid(struct mapped_file *mf, uint8_t id[MAPPED_FILE_BUILDID],
    uint32_t *len)
{
	struct symreq rq = { .srq_type = SYMREQ_NAMES };
	struct call cl = { 0 };
	int error;

	if (mapped_file_getid(mf, id, len))
		return 0;
	if ((error = symbol_file_open(mf, &cl.scl_on, &rq)) == 0)
		error = find_out(&cl, &rq);
	call_free(&cl);
	(void)mapped_file_getid(mf, id, len);
	return error;
}

int
symbolizer_jit(int mapfd, uid_t uid, uint64_t id, const uint64_t *pcs, size_t n,
    struct symbol_frames *out)
{
	struct symreq rq = { .srq_type = SYMREQ_JIT, .srq_id = id };
	struct call cl = { .scl_on = { .sbf_fd = mapfd, .sbf_uid = uid } };
	int error;

	if ((error = symbol_file_identify(&cl.scl_on)) != 0)
		return error;
	rq.srq_gen = cl.scl_on.sbf_key.sk_ctime;
	return call_run(&cl, &rq, pcs, n, out);
}

int
symbolizer_tables(struct mapped_file *mf, const uint64_t *pages, size_t n,
    struct table_buf *tb)
{
	struct symreq rq = { .srq_type = SYMREQ_UNWIND, .srq_npcs = n };
	struct symbol_file sf;
	int error;

	if (n > SYMREQ_MAXPCS)
		return E2BIG;
	if ((error = symbol_file_open(mf, &sf, &rq)) != 0)
		return error;
	/* a file that fails here may have symbols, and the reverse */
	sf.sbf_key.sk_size = ~sf.sbf_key.sk_size;
	if ((error = symbol_file_begin(&sf)) != 0)
		return error;
	if ((error = symbolizer_process_take()) == 0 &&
	    (error = symbol_file_send(&sf, &rq)) == 0)
		error = symbolizer_process_tables(&rq, pages, mf, tb);
	symbolizer_process_give();
	symbol_file_end(&sf, error);
	return error;
}

void
symbol_frames_free(struct symbol_frames *sy)
{
	free(sy->syf_frames);
	*sy = (struct symbol_frames){ 0 };
}

void
symbolizer_begin(int msecs, uid_t person)
{
	symbolizer_process_begin(msecs, person);
	debuginfod_limit(WAIT_MSECS);
}

void
symbolizer_start(void)
{
	(void)symbolizer_process_take();
	symbolizer_process_give();
}

void
symbolizer_end(void)
{
	symbolizer_pool_end();
	debuginfod_end();
}

void
symbolizer_trim(void)
{
	symbolizer_pool_trim(KEEP_WORKER);
	symbol_cache_trim(KEEP_NAMES);
	probe_cache_trim(KEEP_NAMES);
}

void
symbolizer_stat(struct symbolizer_stat *ss)
{
	struct symbolizer_process_stat sw;
	struct symbol_cache_stat sc;
	unsigned int i;

	symbolizer_process_stat(&sw);
	symbol_cache_stat(&sc);
	pthread_mutex_lock(&counts.co_mtx);
	*ss = (struct symbolizer_stat){ .ss_calls = counts.co_calls,
		.ss_addrs = counts.co_addrs,
		.ss_hits = counts.co_hits,
		.ss_asked = counts.co_asked,
		.ss_starts = sw.sw_starts,
		.ss_deaths = sw.sw_deaths,
		.ss_timeouts = sw.sw_timeouts,
		.ss_badfiles = sc.scs_bad,
		.ss_debugfiles = sw.sw_debugfiles,
		.ss_files = sc.scs_files,
		.ss_bytes = sc.scs_bytes,
		.ss_evicted = sc.scs_evicted,
		.ss_hung = sw.sw_hung,
		.ss_nbusy = sw.sw_nbusy,
		.ss_npids = sw.sw_npids };
	for (i = 0; i < sw.sw_npids; i++)
		ss->ss_pids[i] = sw.sw_pids[i];
	pthread_mutex_unlock(&counts.co_mtx);
}
