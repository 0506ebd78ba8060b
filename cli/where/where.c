/* SPDX-License-Identifier: ISC */
/*
 * Groups threads by equal stacks.  Stacks are equal if their functions are, so
 * processes with the same program share groups although their addresses differ.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"
#include "cli/where/where.h"

/* Inlined functions add frames. */
#define WHERE_NFRAMES (2 * DT_REC_MAXFRAMES + 256)

/* The common properties of the threads of a group. */
struct where_key {
	uint8_t whk_state; /* with a stack: 0 */
	uint8_t whk_kend, whk_uend, whk_pad;
	uint32_t whk_nkernel;
	const char *whk_why; /* of the strings of frames */
	uint64_t whk_nframes;
	const struct frame *whk_frames[WHERE_NFRAMES];
};

static const uint64_t *
where_pcs(const struct dtioc_thread *ti)
{
	return (const uint64_t *)(ti + 1);
}

static void
where_push(struct where_key *k, const struct frame *fr)
{
	if (k->whk_nframes < WHERE_NFRAMES)
		k->whk_frames[k->whk_nframes++] = fr;
}

/* Returns the function of the outermost kernel frame. */
static const char *
where_kernel(struct where *w, const struct dtioc_thread *ti,
    struct where_key *k)
{
	const uint64_t *pcs = where_pcs(ti);
	const char *func = NULL;
	uint64_t off = 0;
	unsigned int i;

	for (i = 0; i < ti->dtti_kstack.drs_count; i++) {
		func = name_cache_ksym(w->whr_names, stack_pc(pcs, i), &off);
		where_push(k,
		    frames_kernel(&w->whr_frames, pcs[i], i > 0, func, off));
	}
	k->whk_nkernel = k->whk_nframes;
	return func;
}

static struct stack_end
where_end(const struct dt_rec_stack *st, const char *func)
{
	return (struct stack_end){ .se_end = st->drs_end,
		.se_error = st->drs_error,
		.se_count = st->drs_count,
		.se_how = st->drs_how,
		.se_func = func };
}

static void
where_user(struct where *w, const struct dtioc_thread *ti, struct where_key *k,
    const char *kfunc)
{
	const struct dt_rec_stack *u = &ti->dtti_ustack;
	const uint64_t *pcs = where_pcs(ti) + ti->dtti_kstack.drs_count;
	struct stack_end kend = where_end(&ti->dtti_kstack, kfunc);
	struct stack_end uend = where_end(u, NULL);
	const struct dt_frame *df;
	struct user_symbols us;
	size_t i;

	user_symbols_stack(&us, w->whr_names, ti->dtti_pid, w->whr_time, pcs,
	    u->drs_count, &uend);
	for (i = 0; i < us.us_n; i++) {
		df = &us.us_frames[i];
		where_push(k,
		    frames_user(&w->whr_frames, ti->dtti_pid, pcs[df->df_pc],
			df->df_pc > 0, df));
	}
	k->whk_why = frames_str(&w->whr_frames, stack_incomplete(&kend, &uend));
	user_symbols_free(&us);
}

static int
where_hasuser(const struct where *w, const struct dtioc_thread *ti)
{
	return w->whr_hasuser && !(ti->dtti_flags & DTTI_BARE);
}

/* Describes the stacks of a thread; returns the bytes of the key. */
static size_t
where_key(struct where *w, const struct dtioc_thread *ti, struct where_key *k)
{
	const char *kfunc;

	memset(k, 0, offsetof(struct where_key, whk_frames));
	k->whk_kend = ti->dtti_kstack.drs_end;
	k->whk_uend = ti->dtti_ustack.drs_end;
	kfunc = where_kernel(w, ti, k);
	if (where_hasuser(w, ti))
		where_user(w, ti, k, kfunc);
	if (k->whk_nframes == 0)
		k->whk_state = ti->dtti_state;
	return offsetof(struct where_key, whk_frames) +
	    k->whk_nframes * sizeof(k->whk_frames[0]);
}

static void *
where_alloc(void *p, size_t n, size_t size)
{
	if ((p = reallocarray(p, n, size)) == NULL)
		err(1, NULL);
	return p;
}

/* Begins the group of a thread. */
static void
where_begin(struct where *w, const struct dtioc_thread *ti,
    const struct where_key *k)
{
	size_t n = k->whk_nframes * sizeof(k->whk_frames[0]);
	struct out_where_group *g;

	if (w->whr_n == w->whr_max) {
		w->whr_max = w->whr_max != 0 ? 2 * w->whr_max : 64;
		w->whr_groups = where_alloc(w->whr_groups, w->whr_max,
		    sizeof(*g));
	}
	g = &w->whr_groups[w->whr_n++];
	*g = (struct out_where_group){ .owg_nframes = k->whk_nframes,
		.owg_nkernel = k->whk_nkernel,
		.owg_why = k->whk_why,
		.owg_isrunning = (ti->dtti_flags & DTTI_ONCPU) != 0,
		.owg_hasuser = where_hasuser(w, ti),
		.owg_kend = ti->dtti_kstack.drs_end,
		.owg_kerror = ti->dtti_kstack.drs_error,
		.owg_uend = ti->dtti_ustack.drs_end };
	g->owg_frames = where_alloc(NULL, k->whk_nframes + 1,
	    sizeof(k->whk_frames[0]));
	memcpy(g->owg_frames, k->whk_frames, n);
}

void
where_add(struct where *w, const struct dtioc_thread *ti)
{
	struct out_where_group *g;
	struct hash_entry *e;
	struct where_key k;
	size_t n = where_key(w, ti, &k);

	e = hash_get(&w->whr_map, &k, n);
	if (e->he_ptr == NULL) {
		where_begin(w, ti, &k);
		e->he_ptr = (void *)(uintptr_t)w->whr_n;
	}
	g = &w->whr_groups[(uintptr_t)e->he_ptr - 1];
	/* doubled at each power of two */
	if ((g->owg_n & (g->owg_n - 1)) == 0)
		g->owg_threads = where_alloc(g->owg_threads,
		    g->owg_n != 0 ? 2 * g->owg_n : 1, sizeof(ti));
	g->owg_threads[g->owg_n++] = ti;
	/* the kernel omits the frames of the scheduler */
	if (ti->dtti_state != 'R' && g->owg_nkernel > 0)
		g->owg_wchan = g->owg_frames[0]->fr_name;
	w->whr_nthreads++;
}

/* Unknown times are the shortest. */
static int
where_cmp_time(uint64_t a, uint64_t b)
{
	a = a == WHERE_UNKNOWN ? 0 : a + 1;
	b = b == WHERE_UNKNOWN ? 0 : b + 1;
	return a > b ? -1 : a < b;
}

static int
where_cmp_thread(const void *a, const void *b)
{
	const struct dtioc_thread *x = *(const struct dtioc_thread *const *)a;
	const struct dtioc_thread *y = *(const struct dtioc_thread *const *)b;
	int c = where_cmp_time(x->dtti_nsecs, y->dtti_nsecs);

	if (c != 0)
		return c;
	return x->dtti_tid < y->dtti_tid ? -1 : x->dtti_tid > y->dtti_tid;
}

static int
where_cmp_group(const void *a, const void *b)
{
	const struct out_where_group *x = a, *y = b;
	int c;

	if (x->owg_n != y->owg_n)
		return x->owg_n > y->owg_n ? -1 : 1;
	if ((c = where_cmp_time(x->owg_max, y->owg_max)) != 0)
		return c;
	return x->owg_threads[0]->dtti_tid < y->owg_threads[0]->dtti_tid ? -1
									 : 1;
}

/* Stores the times of a group, whose threads are sorted. */
static void
where_times(struct out_where_group *g)
{
	size_t i = g->owg_n;

	g->owg_max = g->owg_min = g->owg_threads[0]->dtti_nsecs;
	while (i > 0 && g->owg_threads[i - 1]->dtti_nsecs == WHERE_UNKNOWN)
		i--;
	if (i > 0)
		g->owg_min = g->owg_threads[i - 1]->dtti_nsecs;
}

void
where_result(struct where *w, struct out_where *ow)
{
	struct out_where_group *g;

	for (g = w->whr_groups; g < w->whr_groups + w->whr_n; g++) {
		qsort(g->owg_threads, g->owg_n, sizeof(g->owg_threads[0]),
		    where_cmp_thread);
		where_times(g);
	}
	if (w->whr_n > 0)
		qsort(w->whr_groups, w->whr_n, sizeof(*g), where_cmp_group);
	*ow = (struct out_where){ w->whr_groups, w->whr_n, w->whr_nthreads };
}

void
where_free(struct where *w)
{
	size_t i;

	for (i = 0; i < w->whr_n; i++) {
		free(w->whr_groups[i].owg_threads);
		free(w->whr_groups[i].owg_frames);
	}
	free(w->whr_groups);
	hash_clear(&w->whr_map);
	frames_free(&w->whr_frames);
}
