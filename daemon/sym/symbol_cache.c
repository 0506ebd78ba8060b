/* SPDX-License-Identifier: ISC */
/*
 * Caches the symbolizer's replies. A file has two tables, with and without
 * lines; a table is sorted, and its entries are ranges of offsets with one
 * reply: a function, or with lines one address. Above the size limit, the file
 * unused for the longest time is removed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "common/clock.h"
#include "daemon/sym/symbol_cache.h"

#define NHASH 256
#define NBAD  1024

/* The frames of an entry, in one piece with their strings. */
struct answer {
	uint32_t an_n;
	uint32_t an_nbytes;	       /* of all */
	struct wire_frame an_frames[]; /* wf_offset: at en_from */
};

struct symbol_entry {
	uint64_t en_from;
	uint64_t en_to;
	struct answer *en_answer;
};

struct table {
	struct symbol_entry *ta_v;
	size_t ta_n;
};

/* All by cache_mtx. */
struct cached {
	struct symbol_key ca_key;
	struct table ca_tables[2];
	size_t ca_nbytes;
	time_t ca_used;
	LIST_ENTRY(cached) ca_hash;
	TAILQ_ENTRY(cached) ca_lru; /* the most recently used is last */
};

struct bad {
	struct symbol_key ba_key;
	int ba_error; /* 0: not used */
	int ba_linesonly;
};

static pthread_mutex_t cache_mtx = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, cached) hash[NHASH];
static TAILQ_HEAD(, cached) lru = TAILQ_HEAD_INITIALIZER(lru);
static struct symbol_cache_stat stats;
static struct bad bads[NBAD];
static size_t next_bad;

static int
same(const struct symbol_key *a, const struct symbol_key *b)
{
	return a->sk_dev == b->sk_dev && a->sk_ino == b->sk_ino &&
	    a->sk_ctime == b->sk_ctime && a->sk_size == b->sk_size &&
	    a->sk_root == b->sk_root && strcmp(a->sk_path, b->sk_path) == 0;
}

static int
key_copy(struct symbol_key *to, const struct symbol_key *sk)
{
	char *path = strdup(sk->sk_path);

	if (path == NULL)
		return 0;
	*to = *sk;
	to->sk_path = path;
	return 1;
}

static unsigned int
hash_of(const struct symbol_key *sk)
{
	return (sk->sk_ino ^ sk->sk_dev ^ sk->sk_ctime >> 10) % NHASH;
}

static struct cached *
find(const struct symbol_key *sk)
{
	struct cached *ca;

	LIST_FOREACH(ca, &hash[hash_of(sk)], ca_hash)
		if (same(&ca->ca_key, sk))
			break;
	if (ca != NULL) {
		TAILQ_REMOVE(&lru, ca, ca_lru);
		TAILQ_INSERT_TAIL(&lru, ca, ca_lru);
		ca->ca_used = clock_secs();
	}
	return ca;
}

static struct cached *
find_or_add(const struct symbol_key *sk)
{
	struct cached *ca = find(sk);

	if (ca != NULL || (ca = calloc(1, sizeof(*ca))) == NULL)
		return ca;
	if (!key_copy(&ca->ca_key, sk)) {
		free(ca);
		return NULL;
	}
	ca->ca_used = clock_secs();
	ca->ca_nbytes = sizeof(*ca) + strlen(sk->sk_path) + 1;
	LIST_INSERT_HEAD(&hash[hash_of(sk)], ca, ca_hash);
	TAILQ_INSERT_TAIL(&lru, ca, ca_lru);
	stats.scs_files++;
	stats.scs_bytes += ca->ca_nbytes;
	return ca;
}

static void
cached_free(struct cached *ca)
{
	struct table *ta;
	size_t i;

	LIST_REMOVE(ca, ca_hash);
	TAILQ_REMOVE(&lru, ca, ca_lru);
	free((char *)ca->ca_key.sk_path);
	stats.scs_files--;
	stats.scs_bytes -= ca->ca_nbytes;
	for (ta = ca->ca_tables; ta < &ca->ca_tables[2]; ta++) {
		for (i = 0; i < ta->ta_n; i++)
			free(ta->ta_v[i].en_answer);
		free(ta->ta_v);
	}
	free(ca);
}

static void
make_room(void)
{
	while (stats.scs_bytes > SYMCACHE_BYTES) {
		cached_free(TAILQ_FIRST(&lru));
		stats.scs_evicted++;
	}
}

static const struct symbol_entry *
table_find(const struct table *ta, uint64_t off)
{
	size_t lo = 0, hi = ta->ta_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ta->ta_v[mid].en_from <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || ta->ta_v[lo - 1].en_to <= off)
		return NULL;
	return &ta->ta_v[lo - 1];
}

static int
entry_get(const struct symbol_entry *en, uint64_t off, uint32_t pc,
    struct frame_buf *sb)
{
	const struct answer *an = en->en_answer;
	struct wire_frame wf;
	size_t n = sb->fb_n;
	uint32_t i;

	for (i = 0; i < an->an_n; i++) {
		wf = an->an_frames[i];
		wf.wf_pc = pc;
		if (wf.wf_func != 0)
			wf.wf_offset += off - en->en_from;
		if (frame_buf_add(sb, &wf,
			(const char *)&an->an_frames[an->an_n]) != 0) {
			sb->fb_n = n;
			return 0;
		}
	}
	return 1;
}

int
symbol_cache_get(const struct symbol_key *sk, int lines, uint64_t off,
    uint32_t pc, struct frame_buf *sb)
{
	const struct symbol_entry *en = NULL;
	struct cached *ca;
	int known;

	pthread_mutex_lock(&cache_mtx);
	if ((ca = find(sk)) != NULL)
		en = table_find(&ca->ca_tables[lines != 0], off);
	known = en != NULL && entry_get(en, off, pc, sb);
	pthread_mutex_unlock(&cache_mtx);
	return known;
}

static uint32_t
answer_string(char *strings, uint32_t *at, const char *s)
{
	uint32_t where = *at;

	if (s == NULL)
		return 0;
	*at += strlen(s) + 1;
	memcpy(strings + where, s, *at - where);
	return where + 1;
}

/* Returns a copy of frames with their strings. */
static struct answer *
answer_make(const char *from, const struct wire_frame *wf, uint32_t n)
{
	size_t nbytes = sizeof(struct answer) + n * sizeof(*wf);
	const char *s;
	struct answer *an;
	char *strings;
	uint32_t i, at = 0;

	for (i = 0; i < n; i++) {
		if ((s = wire_string(from, wf[i].wf_func)) != NULL)
			nbytes += strlen(s) + 1;
		if ((s = wire_string(from, wf[i].wf_file)) != NULL)
			nbytes += strlen(s) + 1;
	}
	if ((an = malloc(nbytes)) == NULL)
		return NULL;
	an->an_n = n;
	an->an_nbytes = nbytes;
	strings = (char *)&an->an_frames[n];
	for (i = 0; i < n; i++) {
		an->an_frames[i] = wf[i];
		an->an_frames[i].wf_func = answer_string(strings, &at,
		    wire_string(from, wf[i].wf_func));
		an->an_frames[i].wf_file = answer_string(strings, &at,
		    wire_string(from, wf[i].wf_file));
	}
	return an;
}

/*
 * Makes the entry for the n frames of an offset, from the first.  The worker's
 * span is used if it has the offset and begins inside of the function.
 */
static int
entry_make(struct symbol_entry *en, const struct frame_buf *sb, size_t first,
    uint32_t n, uint64_t off, int lines)
{
	const struct wire_frame *wf = &sb->fb_frames[first];
	const struct symrep_span *ssp = &sb->fb_spans[first];
	int isrange = !lines && n == 1 && ssp->ssp_from <= off &&
	    ssp->ssp_to > off &&
	    (wf->wf_func == 0 || wf->wf_offset >= off - ssp->ssp_from);

	en->en_from = isrange ? ssp->ssp_from : off;
	en->en_to = isrange ? ssp->ssp_to : off + 1;
	if ((en->en_answer = answer_make(sb->fb_strings, wf, n)) == NULL)
		return 0;
	if (wf->wf_func != 0)
		en->en_answer->an_frames[0].wf_offset -= off - en->en_from;
	return 1;
}

/* Makes an entry for each address that the table does not have, once. */
static size_t
make_entries(const struct table *ta, int lines, const uint64_t *offs,
    const struct frame_buf *sb, size_t first, uint32_t base,
    struct symbol_entry *v)
{
	const struct wire_frame *wf = sb->fb_frames;
	uint64_t off;
	size_t next, n = 0;

	for (; first < sb->fb_n; first = next) {
		for (next = first + 1;
		     next < sb->fb_n && wf[next].wf_pc == wf[first].wf_pc;
		     next++)
			;
		off = offs[wf[first].wf_pc - base];
		if ((n > 0 && v[n - 1].en_to > off) ||
		    table_find(ta, off) != NULL)
			continue;
		if (!entry_make(&v[n], sb, first, next - first, off, lines))
			break;
		n++;
	}
	return n;
}

/* Both are sorted; the result is the table's. */
static int
table_merge(struct table *ta, const struct symbol_entry *v, size_t n)
{
	struct symbol_entry *old = ta->ta_v, *new;
	size_t i = 0, j = 0, k = 0;

	if ((new = malloc((ta->ta_n + n) * sizeof(*new))) == NULL)
		return 0;
	while (i < ta->ta_n || j < n)
		new[k++] = j == n ||
			(i < ta->ta_n && old[i].en_from <= v[j].en_from)
		    ? old[i++]
		    : v[j++];
	free(old);
	ta->ta_v = new;
	ta->ta_n = k;
	return 1;
}

static void
table_put(struct cached *ca, struct table *ta, const struct symbol_entry *v,
    size_t n)
{
	size_t i, nbytes = 0;

	for (i = 0; i < n; i++)
		nbytes += sizeof(*v) + v[i].en_answer->an_nbytes;
	if (n == 0 || !table_merge(ta, v, n)) {
		for (i = 0; i < n; i++)
			free(v[i].en_answer);
		return;
	}
	ca->ca_nbytes += nbytes;
	stats.scs_bytes += nbytes;
}

void
symbol_cache_put(const struct symbol_key *sk, int lines, const uint64_t *offs,
    const struct frame_buf *sb, size_t first, uint32_t base)
{
	struct symbol_entry *v;
	struct cached *ca;
	struct table *ta;

	if (sb->fb_n == first ||
	    (v = malloc((sb->fb_n - first) * sizeof(*v))) == NULL)
		return;
	pthread_mutex_lock(&cache_mtx);
	if ((ca = find_or_add(sk)) != NULL) {
		ta = &ca->ca_tables[lines != 0];
		table_put(ca, ta, v,
		    make_entries(ta, lines, offs, sb, first, base, v));
		make_room();
	}
	pthread_mutex_unlock(&cache_mtx);
	free(v);
}

static struct bad *
find_bad(const struct symbol_key *sk)
{
	struct bad *ba;

	for (ba = bads; ba < &bads[NBAD]; ba++)
		if (ba->ba_error != 0 && same(&ba->ba_key, sk))
			return ba;
	return NULL;
}

void
symbol_cache_bad(const struct symbol_key *sk, int lines, int error)
{
	struct symbol_key copy;
	struct bad *ba;

	pthread_mutex_lock(&cache_mtx);
	ba = find_bad(sk);
	if (ba == NULL && key_copy(&copy, sk)) {
		ba = &bads[next_bad++ % NBAD];
		stats.scs_bad += ba->ba_error == 0;
		free((char *)ba->ba_key.sk_path);
		ba->ba_key = copy;
	}
	if (ba != NULL) {
		ba->ba_error = error;
		ba->ba_linesonly = lines;
	}
	pthread_mutex_unlock(&cache_mtx);
}

int
symbol_cache_isbad(const struct symbol_key *sk, int lines)
{
	const struct bad *ba;
	int error = 0;

	pthread_mutex_lock(&cache_mtx);
	if ((ba = find_bad(sk)) != NULL && (lines || !ba->ba_linesonly))
		error = ba->ba_error;
	pthread_mutex_unlock(&cache_mtx);
	return error;
}

void
symbol_cache_trim(int seconds)
{
	struct cached *ca;
	time_t before = clock_secs() - seconds;

	pthread_mutex_lock(&cache_mtx);
	while ((ca = TAILQ_FIRST(&lru)) != NULL && ca->ca_used < before)
		cached_free(ca);
	pthread_mutex_unlock(&cache_mtx);
}

void
symbol_cache_stat(struct symbol_cache_stat *sc)
{
	pthread_mutex_lock(&cache_mtx);
	*sc = stats;
	pthread_mutex_unlock(&cache_mtx);
}
