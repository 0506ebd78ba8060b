/* SPDX-License-Identifier: ISC */
/*
 * Reads perf maps.  Such a file only grows: if new code replaces old code, the
 * later line holds.  Malformed lines are skipped.  Reading ends at a limit of
 * lines and of bytes of names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/demangle.h"
#include "symbolizer/perf_map.h"
#include "symbolizer/ranges.h"

#define JIT_LINES (1U << 20)
#define JIT_NAMES (48U << 20)
#define JIT_LINE  4096		/* bytes of a line; longer ones are cut */
#define JIT_BYTES (256LL << 20) /* bytes of the file, other text included */

/* A line; the order of lines is that in the array. */
struct perf_map_code {
	uint64_t co_start;
	uint32_t co_size;
	uint32_t co_name; /* in ji_names */
};

struct jit {
	struct perf_map_code *ji_codes;
	size_t ji_n;
	size_t ji_max;
	char *ji_names;
	size_t ji_nnames;
	size_t ji_maxnames;
	char ji_line[JIT_LINE]; /* the one that has not ended */
	size_t ji_nline;
	struct ranges ji_ranges; /* disjoint; value: index of the line */
};

struct jit *
jit_alloc(void)
{
	return calloc(1, sizeof(struct jit));
}

static int
grow(void *pp, size_t want, size_t *max, size_t size)
{
	size_t n = *max == 0 ? 1024 : *max;
	void *p;

	if (want <= *max)
		return 0;
	while (n < want)
		n *= 2;
	if ((p = realloc(*(void **)pp, n * size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = n;
	return 0;
}

/* Parses a hexadecimal number and the space after it. */
static const char *
number(const char *s, uint64_t *n)
{
	char *end;

	if (strchr(" \t+-", *s) != NULL) /* strtoull() would take these */
		return NULL;
	errno = 0;
	*n = strtoull(s, &end, 16);
	return errno != 0 || end == s || *end != ' ' ? NULL : end + 1;
}

static int
add_line(struct jit *ji)
{
	char *line = ji->ji_line;
	const char *name;
	uint64_t start, size;
	size_t len;

	line[ji->ji_nline] = '\0';
	if ((name = number(line, &start)) == NULL ||
	    (name = number(name, &size)) == NULL || *name == '\0' ||
	    size == 0 || size > UINT32_MAX || start + size < start)
		return 0;
	len = strlen(name) + 1;
	if (len > SYMREQ_NAME)
		len = SYMREQ_NAME;
	if (ji->ji_n == JIT_LINES || ji->ji_nnames + len > JIT_NAMES)
		return 0;
	if (grow(&ji->ji_codes, ji->ji_n + 1, &ji->ji_max,
		sizeof(*ji->ji_codes)) != 0 ||
	    grow(&ji->ji_names, ji->ji_nnames + len, &ji->ji_maxnames, 1) != 0)
		return ENOMEM;
	ji->ji_codes[ji->ji_n++] = (struct perf_map_code){ start, size,
		ji->ji_nnames };
	memcpy(ji->ji_names + ji->ji_nnames, name, len - 1);
	ji->ji_names[ji->ji_nnames + len - 1] = '\0';
	ji->ji_nnames += len;
	return 0;
}

int
jit_text(struct jit *ji, const char *text, size_t n)
{
	size_t i;
	int error = 0;

	for (i = 0; i < n && error == 0; i++) {
		if (text[i] != '\n') {
			if (ji->ji_nline < JIT_LINE - 1)
				ji->ji_line[ji->ji_nline++] = text[i];
			continue;
		}
		error = add_line(ji);
		ji->ji_nline = 0;
	}
	return error;
}

/* An edge: start or end of a line's code. */
struct edge {
	uint64_t ed_at;
	uint32_t ed_line;
};

static int
edge_cmp(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->ed_at != y->ed_at)
		return x->ed_at < y->ed_at ? -1 : 1;
	return x->ed_line < y->ed_line ? -1 : x->ed_line > y->ed_line;
}

/* Lines whose code has begun and may have ended; the latest is on top. */
struct heap {
	uint32_t *he_v;
	size_t he_n;
};

static void
heap_push(struct heap *he, uint32_t line)
{
	size_t i = he->he_n++;

	for (; i > 0 && he->he_v[(i - 1) / 2] < line; i = (i - 1) / 2)
		he->he_v[i] = he->he_v[(i - 1) / 2];
	he->he_v[i] = line;
}

static void
heap_pop(struct heap *he)
{
	uint32_t line = he->he_v[--he->he_n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < he->he_n) {
		if (child + 1 < he->he_n &&
		    he->he_v[child + 1] > he->he_v[child])
			child++;
		if (he->he_v[child] <= line)
			break;
		he->he_v[i] = he->he_v[child];
		i = child;
	}
	if (he->he_n > 0)
		he->he_v[i] = line;
}

/* Walks the edges; between two, the last line that contains both applies. */
static int
sweep(struct jit *ji, const struct edge *edges, size_t n, struct heap *he)
{
	const struct perf_map_code *co;
	uint64_t at;
	size_t i = 0;
	int error = 0;

	while (i < n && error == 0) {
		at = edges[i].ed_at;
		for (; i < n && edges[i].ed_at == at; i++)
			if (ji->ji_codes[edges[i].ed_line].co_start == at)
				heap_push(he, edges[i].ed_line);
		while (he->he_n > 0) {
			co = &ji->ji_codes[he->he_v[0]];
			if (co->co_start + co->co_size > at)
				break;
			heap_pop(he);
		}
		if (he->he_n > 0)
			error = ranges_add(&ji->ji_ranges, at,
			    edges[i].ed_at - at, he->he_v[0]);
	}
	return error;
}

int
jit_seal(struct jit *ji)
{
	struct edge *edges = malloc(2 * ji->ji_n * sizeof(*edges) + 1);
	struct heap he = { malloc(ji->ji_n * sizeof(*he.he_v) + 1), 0 };
	size_t i;
	int error = ENOMEM;

	for (i = 0; edges != NULL && i < ji->ji_n; i++) {
		edges[2 * i] = (struct edge){ ji->ji_codes[i].co_start, i };
		edges[2 * i + 1] = (struct edge){
			ji->ji_codes[i].co_start + ji->ji_codes[i].co_size, i
		};
	}
	if (edges != NULL && he.he_v != NULL) {
		qsort(edges, 2 * ji->ji_n, sizeof(*edges), edge_cmp);
		error = sweep(ji, edges, 2 * ji->ji_n, &he);
	}
	free(edges);
	free(he.he_v);
	return error != 0 ? error : ranges_seal(&ji->ji_ranges);
}

int
jit_open(int fd, struct jit **jip)
{
	static char buf[64 << 10];
	struct jit *ji = jit_alloc();
	off_t at = 0;
	ssize_t n;
	int error = ji == NULL ? ENOMEM : 0;

	while (error == 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		error = jit_text(ji, buf, n);
		at += n;
		if (ji->ji_n == JIT_LINES || at >= JIT_BYTES)
			break;
	}
	if (error == 0)
		error = jit_seal(ji);
	if (error != 0)
		jit_close(ji);
	else
		*jip = ji;
	return error;
}

void
jit_names(const struct jit *ji, const uint64_t *pcs, size_t n,
    struct frame_sink *fs)
{
	char name[SYMREQ_NAME];
	struct ranges_hit hit;
	const struct perf_map_code *co;
	const char *raw;
	size_t i;

	for (i = 0; i < n; i++) {
		struct wire_frame wf = { .wf_pc = i };
		struct symrep_span sp;

		ranges_find(&ji->ji_ranges, pcs[i], &hit);
		sp = (struct symrep_span){ hit.rh_from, hit.rh_to };
		if (hit.rh_range != NULL) {
			co = &ji->ji_codes[hit.rh_range->r_value];
			raw = ji->ji_names + co->co_name;
			demangle_name(raw, strlen(raw), name);
			wf.wf_offset = pcs[i] - co->co_start;
		}
		fs->fs_put(fs, &wf, &sp, hit.rh_range != NULL ? name : NULL,
		    NULL);
	}
}

void
jit_close(struct jit *ji)
{
	if (ji == NULL)
		return;
	free(ji->ji_codes);
	free(ji->ji_names);
	ranges_free(&ji->ji_ranges);
	free(ji);
}
