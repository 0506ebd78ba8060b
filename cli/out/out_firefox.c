/* SPDX-License-Identifier: ISC */
/*
 * Writes a profile for the Firefox profiler: version 57 of its "processed
 * profile format", which later versions of the profiler upgrade.  Each thread
 * has its samples, and markers for what has a name or a duration: calls, waits
 * and hits of other probes.  Without samples of a clock, the first value of the
 * profile takes their place, with its weight.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"
#include "cli/out/firefox_meta.h"
#include "cli/out/out_json.h"
#include "cli/out/weight.h"

/*
 * Rows without duplicates: structs of numbers without padding, which refer to
 * rows of other tables by index; -1: none.  All zeros is an empty table.
 */
struct fox_table {
	struct hash fxt_ids;
	struct buf fxt_rows;
};

enum fox_kind {
	FOX_INT = 0, /* int32_t */
	FOX_ORNULL,  /* the same; -1 prints null */
	FOX_COUNT,   /* uint64_t */
	FOX_MSECS,   /* uint64_t, ns, prints ms */
	FOX_SAME,    /* fxc_same in each row */
};

struct fox_column {
	const char *fxc_key;
	enum fox_kind fxc_kind;
	size_t fxc_offset; /* in the row */
	const char *fxc_same;
};

struct fox_resource {
	int32_t fxr_name, fxr_lib;
};

struct fox_func {
	int32_t fxf_name, fxf_resource, fxf_file;
};

struct fox_frame {
	int32_t fxm_func, fxm_category, fxm_line;
	int32_t fxm_depth; /* functions that it is inlined into */
};

struct fox_stack {
	int32_t fxs_prefix, fxs_frame;
};

struct fox_sample {
	uint64_t fxp_time, fxp_weight; /* ns since the first event */
	int32_t fxp_stack, fxp_pad;
};

struct fox_marker {
	uint64_t fxk_start, fxk_end;
	int32_t fxk_name, fxk_category;
	int32_t fxk_isinterval;
	int32_t fxk_text, fxk_stack;
	int32_t fxk_pad;
};

struct fox_thread {
	struct out_thread fxh_thread;
	struct fox_table fxh_resources, fxh_funcs, fxh_frames, fxh_stacks;
	struct buf fxh_samples, fxh_markers;
};

struct firefox {
	struct hash fox_strings; /* -> index + 1 */
	struct buf fox_text;	 /* the strings as JSON */
	struct hash fox_libs;	 /* struct module * -> index + 1 */
	struct buf fox_list;	 /* the libraries as JSON */
	struct hash fox_threads; /* pid and tid -> struct fox_thread */
	uint64_t fox_origin;	 /* CLOCK_MONOTONIC of the first event */
	/* the profile whose hits are samples */
	const struct out_profile *fox_sampled;
	int fox_isweighed; /* samples have a weight */
};

#define COLUMN(key, kind, type, member) \
	{ \
		key, kind, offsetof(struct type, member), NULL \
	}
#define SAME(key, same) \
	{ \
		key, FOX_SAME, 0, same \
	}
#define NCOLUMNS(columns) (sizeof(columns) / sizeof(columns[0]))

/* Tables */

/* Returns the index of a row, which it adds if missing. */
static int32_t
fox_table_row(struct fox_table *ft, const void *row, size_t size)
{
	struct hash_entry *e = hash_get(&ft->fxt_ids, row, size);

	if (e->he_sum == 0) {
		if (ft->fxt_rows.b_data == NULL)
			buf_init(&ft->fxt_rows, -1);
		buf_mem(&ft->fxt_rows, row, size);
		e->he_sum = ft->fxt_ids.ha_n;
	}
	return e->he_sum - 1;
}

static void
fox_table_free(struct fox_table *ft)
{
	hash_clear(&ft->fxt_ids);
	buf_free(&ft->fxt_rows);
}

static void
fox_value(struct buf *b, const struct fox_column *fc, const char *row)
{
	uint64_t v = 0;
	int32_t n = 0;

	switch (fc->fxc_kind) {
	case FOX_SAME:
		buf_str(b, fc->fxc_same);
		return;
	case FOX_COUNT:
	case FOX_MSECS:
		memcpy(&v, row + fc->fxc_offset, sizeof(v));
		if (fc->fxc_kind == FOX_MSECS)
			firefox_msecs(b, v);
		else
			buf_u64(b, v);
		return;
	case FOX_INT:
	case FOX_ORNULL:
		memcpy(&n, row + fc->fxc_offset, sizeof(n));
		if (n == -1 && fc->fxc_kind == FOX_ORNULL)
			buf_str(b, "null");
		else
			buf_s64(b, n);
	}
}

/* Prints the members of n columns, and the number of rows. */
static void
fox_columns(struct buf *b, const struct buf *rows, size_t size,
    const struct fox_column *columns, size_t n)
{
	size_t i, j, nrows = rows->b_len / size;

	for (i = 0; i < n; i++) {
		json_key(b, columns[i].fxc_key);
		buf_c(b, '[');
		for (j = 0; j < nrows; j++) {
			if (j > 0)
				buf_c(b, ',');
			fox_value(b, &columns[i], rows->b_data + j * size);
		}
		buf_line(b);
		buf_c(b, ']');
	}
	json_u64(b, "length", nrows);
}

/* Strings and stacks */

static int32_t
fox_string(struct firefox *fox, const char *s)
{
	struct hash_entry *e;

	if (s == NULL)
		return -1;
	e = hash_get(&fox->fox_strings, s, strlen(s));
	if (e->he_sum == 0) {
		e->he_sum = fox->fox_strings.ha_n;
		if (e->he_sum > 1)
			buf_str(&fox->fox_text, ",\n");
		json_text(&fox->fox_text, s);
	}
	return e->he_sum - 1;
}

/*
 * Prints a build id as the GUID that symbol servers expect: three numbers in
 * the other byte order, the rest as it is, and an age.
 */
static void
fox_guid(struct buf *b, const struct module *mo)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11,
		12, 13, 14, 15 };
	size_t i;

	for (i = 0; i < sizeof(order); i++)
		buf_printf(b, "%02X", mo->mo_buildid[order[i]]);
	buf_c(b, '0');
}

/* Returns the library of a module, or -1: only build ids identify one. */
static int32_t
fox_lib(struct firefox *fox, const struct module *mo)
{
	struct buf *b = &fox->fox_list;
	struct hash_entry *e;
	unsigned int i;

	if (mo->mo_buildidlen < 16)
		return -1;
	e = hash_get(&fox->fox_libs, mo->mo_buildid, mo->mo_buildidlen);
	if (e->he_sum != 0)
		return e->he_sum - 1;
	e->he_sum = fox->fox_libs.ha_n;
	buf_str(b, e->he_sum > 1 ? ",\n{" : "{");
	json_field(b, "arch", "");
	json_field(b, "name", mo->mo_name);
	json_field(b, "path", mo->mo_path);
	json_field(b, "debugName", mo->mo_name);
	json_field(b, "debugPath", mo->mo_path);
	json_key(b, "breakpadId");
	buf_c(b, '"');
	fox_guid(b, mo);
	buf_c(b, '"');
	json_key(b, "codeId");
	buf_c(b, '"');
	for (i = 0; i < mo->mo_buildidlen; i++)
		buf_printf(b, "%02x", mo->mo_buildid[i]);
	buf_str(b, "\"}");
	return e->he_sum - 1;
}

/* Adds a frame below a stack, and returns the new stack. */
static int32_t
fox_push(struct fox_thread *th, int32_t prefix, const struct fox_func *func,
    const struct fox_frame *frame)
{
	struct fox_frame fm = *frame;
	struct fox_stack fs = { .fxs_prefix = prefix };

	fm.fxm_func = fox_table_row(&th->fxh_funcs, func, sizeof(*func));
	fs.fxs_frame = fox_table_row(&th->fxh_frames, &fm, sizeof(fm));
	return fox_table_row(&th->fxh_stacks, &fs, sizeof(fs));
}

/* Adds a label: the kind of a wait, or why a stack is incomplete. */
static int32_t
fox_push_label(struct firefox *fox, struct fox_thread *th, int32_t prefix,
    const char *label, enum fox_category category)
{
	const struct fox_func func = { fox_string(fox, label), -1, -1 };
	const struct fox_frame frame = { .fxm_category = (int32_t)category,
		.fxm_line = -1 };

	return fox_push(th, prefix, &func, &frame);
}

static enum fox_category
fox_category(const struct frame *fr)
{
	if (fr->fr_iskernel)
		return FOX_KERNEL;
	if (fr->fr_module != NULL)
		return FOX_USER;
	return fr->fr_func != NULL ? FOX_JIT : FOX_OTHER;
}

static int32_t
fox_push_frame(struct firefox *fox, struct fox_thread *th, int32_t prefix,
    const struct frame *fr, int32_t depth)
{
	const struct fox_frame frame = {
		.fxm_category = (int32_t)fox_category(fr),
		.fxm_line = fr->fr_line != 0 ? (int32_t)fr->fr_line : -1,
		.fxm_depth = depth,
	};
	struct fox_func func = { .fxf_name = fox_string(fox, fr->fr_name),
		.fxf_resource = -1,
		.fxf_file = fox_string(fox, fr->fr_file) };
	struct fox_resource rs;

	if (fr->fr_module != NULL) {
		rs.fxr_name = fox_string(fox, fr->fr_module->mo_name);
		rs.fxr_lib = fox_lib(fox, fr->fr_module);
		func.fxf_resource = fox_table_row(&th->fxh_resources, &rs,
		    sizeof(rs));
	}
	return fox_push(th, prefix, &func, &frame);
}

static int32_t
fox_stack(struct firefox *fox, struct fox_thread *th,
    const struct out_stack *os)
{
	int32_t at = -1, depth = 0;
	unsigned int i;

	if (os->os_wait != PROFILE_NOWAIT)
		at = fox_push_label(fox, th, at, weight_wait(os->os_wait),
		    FOX_WAIT);
	if (os->os_why != NULL)
		at = fox_push_label(fox, th, at, os->os_why, FOX_INCOMPLETE);
	for (i = os->os_nframes; i-- > 0;) {
		depth = os->os_frames[i]->fr_isinlined ? depth + 1 : 0;
		at = fox_push_frame(fox, th, at, os->os_frames[i], depth);
	}
	return at;
}

/* Hits */

static struct fox_thread *
fox_thread(struct firefox *fox, const struct out_thread *oth)
{
	const uint32_t key[] = { oth->oth_pid, oth->oth_tid };
	struct hash_entry *e = hash_get(&fox->fox_threads, key, sizeof(key));
	struct fox_thread *th = e->he_ptr;

	if (th == NULL) {
		if ((th = e->he_ptr = calloc(1, sizeof(*th))) == NULL)
			err(1, "threads");
		buf_init(&th->fxh_samples, -1);
		buf_init(&th->fxh_markers, -1);
	}
	if (oth->oth_time >= th->fxh_thread.oth_time)
		th->fxh_thread = *oth;
	return th;
}

/* A wait is named by its kind, a hit without a name by its unit. */
static void
fox_mark(struct firefox *fox, struct fox_thread *th,
    const struct out_profile *op, const struct out_sample *sa, int32_t stack)
{
	const struct out_stack *os = &op->opr_stacks[sa->osa_stack];
	const char *name = sa->osa_name;
	int isinterval = weight_istime(op);
	struct fox_marker mk = {
		.fxk_start = sa->osa_time - fox->fox_origin,
		.fxk_category = isinterval ? FOX_CALL : FOX_OTHER,
		.fxk_isinterval = isinterval,
		.fxk_text = fox_string(fox, sa->osa_text),
		.fxk_stack = stack,
	};

	mk.fxk_end = mk.fxk_start + (isinterval ? sa->osa_weight : 0);
	if (os->os_wait != PROFILE_NOWAIT) {
		name = os->os_wait == PROFILE_VOLUNTARY ? "wait" : "preempted";
		mk.fxk_category = FOX_WAIT;
	}
	mk.fxk_name = fox_string(fox,
	    name != NULL ? name : weight_hits_type(op));
	buf_mem(&th->fxh_markers, &mk, sizeof(mk));
}

/* Adds the hits of a profile, which are ordered by thread. */
static void
fox_hits(struct firefox *fox, const struct out_profile *op)
{
	const struct out_sample *sa;
	struct fox_sample sp = { 0 };
	struct fox_thread *th = NULL;
	/* stacks that the current thread has: its index + 1, and theirs */
	struct known {
		uint32_t thread;
		int32_t stack;
	} *known = calloc(op->opr_nstacks + 1, sizeof(*known));
	size_t i;

	if (known == NULL)
		err(1, "stacks");
	for (i = 0; i < op->opr_nsamples; i++) {
		sa = &op->opr_samples[i];
		if (i == 0 || sa->osa_thread != sa[-1].osa_thread)
			th = fox_thread(fox, &op->opr_threads[sa->osa_thread]);
		if (known[sa->osa_stack].thread != sa->osa_thread + 1) {
			known[sa->osa_stack].thread = sa->osa_thread + 1;
			known[sa->osa_stack].stack = fox_stack(fox, th,
			    &op->opr_stacks[sa->osa_stack]);
		}
		sp = (struct fox_sample){ sa->osa_time - fox->fox_origin,
			sa->osa_weight, known[sa->osa_stack].stack, 0 };
		if (op == fox->fox_sampled)
			buf_mem(&th->fxh_samples, &sp, sizeof(sp));
		if (op->opr_unit != PROFILE_SAMPLES)
			fox_mark(fox, th, op, sa, sp.fxp_stack);
	}
	free(known);
}

/* Printing */

static void
fox_object(struct buf *b, const char *key)
{
	json_key(b, key);
	buf_c(b, '{');
}

static void
fox_end(struct buf *b)
{
	buf_str(b, "}\n");
}

/*
 * The profiler expects a sample in each thread; one without a stack counts
 * nowhere.  A sample of a clock is the CPU time of an interval: without it, a
 * thread that sleeps between two samples would look busy.
 */
static void
fox_print_samples(struct buf *b, const struct firefox *fox,
    struct fox_thread *th)
{
	int istime = fox->fox_isweighed && weight_istime(fox->fox_sampled);
	int isclock = fox->fox_sampled->opr_unit == PROFILE_SAMPLES &&
	    !fox->fox_isweighed && th->fxh_samples.b_len > 0;
	const struct fox_sample none = { .fxp_stack = -1 };
	char interval[24];
	const struct fox_column columns[] = {
		COLUMN("stack", FOX_ORNULL, fox_sample, fxp_stack),
		COLUMN("time", FOX_MSECS, fox_sample, fxp_time),
		SAME("threadCPUDelta", interval),
	}, weighed[] = {
		columns[0],
		columns[1],
		COLUMN("weight", istime ? FOX_MSECS : FOX_COUNT, fox_sample,
		    fxp_weight),
	};

	snprintf(interval, sizeof(interval), "%llu",
	    (unsigned long long)firefox_interval(fox->fox_sampled));
	if (th->fxh_samples.b_len == 0)
		buf_mem(&th->fxh_samples, &none, sizeof(none));
	fox_object(b, "samples");
	json_field(b, "weightType",
	    istime					       ? "tracing-ms"
		: fox->fox_sampled->opr_unit == PROFILE_NBYTES ? "bytes"
							       : "samples");
	if (fox->fox_isweighed)
		fox_columns(b, &th->fxh_samples, sizeof(none), weighed,
		    NCOLUMNS(weighed));
	else {
		fox_columns(b, &th->fxh_samples, sizeof(none), columns,
		    NCOLUMNS(columns) - !isclock);
		json_key(b, "weight");
		buf_str(b, "null");
	}
	fox_end(b);
}

/* The data of a marker: its text, and where it happened. */
static void
fox_print_data(struct buf *b, const struct fox_marker *mk)
{
	buf_c(b, '{');
	json_field(b, "type", "dt");
	if (mk->fxk_text != -1)
		json_u64(b, "text", mk->fxk_text);
	if (mk->fxk_stack != -1) {
		fox_object(b, "cause");
		json_u64(b, "stack", mk->fxk_stack);
		json_key(b, "time");
		firefox_msecs(b, mk->fxk_start);
		buf_c(b, '}');
	}
	buf_c(b, '}');
}

static void
fox_print_markers(struct buf *b, const struct fox_thread *th)
{
	static const struct fox_column columns[] = {
		COLUMN("name", FOX_INT, fox_marker, fxk_name),
		COLUMN("startTime", FOX_MSECS, fox_marker, fxk_start),
		COLUMN("endTime", FOX_MSECS, fox_marker, fxk_end),
		/* 0: instant, 1: interval */
		COLUMN("phase", FOX_INT, fox_marker, fxk_isinterval),
		COLUMN("category", FOX_INT, fox_marker, fxk_category),
	};
	const struct fox_marker *mk = (const void *)th->fxh_markers.b_data;
	size_t i, n = th->fxh_markers.b_len / sizeof(*mk);

	fox_object(b, "markers");
	json_key(b, "data");
	buf_c(b, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_c(b, ',');
		fox_print_data(b, &mk[i]);
		buf_line(b);
	}
	buf_c(b, ']');
	fox_columns(b, &th->fxh_markers, sizeof(*mk), columns,
	    NCOLUMNS(columns));
	fox_end(b);
}

static const struct fox_column fox_stacks[] = {
	COLUMN("frame", FOX_INT, fox_stack, fxs_frame),
	COLUMN("prefix", FOX_ORNULL, fox_stack, fxs_prefix),
}, fox_frames[] = {
	SAME("address", "-1"),
	COLUMN("inlineDepth", FOX_INT, fox_frame, fxm_depth),
	COLUMN("category", FOX_INT, fox_frame, fxm_category),
	SAME("subcategory", "0"),
	COLUMN("func", FOX_INT, fox_frame, fxm_func),
	SAME("nativeSymbol", "null"),
	SAME("innerWindowID", "null"),
	COLUMN("line", FOX_ORNULL, fox_frame, fxm_line),
	SAME("column", "null"),
}, fox_funcs[] = {
	COLUMN("name", FOX_INT, fox_func, fxf_name),
	SAME("isJS", "false"),
	SAME("relevantForJS", "false"),
	COLUMN("resource", FOX_INT, fox_func, fxf_resource),
	COLUMN("fileName", FOX_ORNULL, fox_func, fxf_file),
	SAME("lineNumber", "null"),
	SAME("columnNumber", "null"),
}, fox_resources[] = {
	COLUMN("lib", FOX_ORNULL, fox_resource, fxr_lib),
	COLUMN("name", FOX_INT, fox_resource, fxr_name),
	SAME("host", "null"),
	SAME("type", "1"), /* a library */
}, fox_symbols[] = {
	SAME("libIndex", ""),
	SAME("address", ""),
	SAME("name", ""),
	SAME("functionSize", ""),
};

/* The tables that stacks consist of; symbols are names of functions already. */
static void
fox_print_tables(struct buf *b, const struct fox_thread *th)
{
	static const struct buf none;
	const struct {
		const char *key;
		const struct buf *rows;
		size_t size;
		const struct fox_column *columns;
		size_t n;
	} tables[] = {
#define TABLE(key, rows, type, columns) \
	{ key, rows, sizeof(type), columns, NCOLUMNS(columns) }
		TABLE("stackTable", &th->fxh_stacks.fxt_rows, struct fox_stack,
		    fox_stacks),
		TABLE("frameTable", &th->fxh_frames.fxt_rows, struct fox_frame,
		    fox_frames),
		TABLE("funcTable", &th->fxh_funcs.fxt_rows, struct fox_func,
		    fox_funcs),
		TABLE("resourceTable", &th->fxh_resources.fxt_rows,
		    struct fox_resource, fox_resources),
		TABLE("nativeSymbols", &none, char, fox_symbols),
#undef TABLE
	};
	size_t i;

	for (i = 0; i < NCOLUMNS(tables); i++) {
		fox_object(b, tables[i].key);
		fox_columns(b, tables[i].rows, tables[i].size,
		    tables[i].columns, tables[i].n);
		fox_end(b);
	}
}

static void
fox_print_thread(struct buf *b, const struct firefox *fox,
    struct fox_thread *th)
{
	const struct out_thread *oth = &th->fxh_thread;
	const uint32_t leader[] = { oth->oth_pid, oth->oth_pid };
	const struct hash_entry *e = hash_find(&fox->fox_threads, leader,
	    sizeof(leader));
	const struct fox_thread *process = e != NULL ? e->he_ptr : th;
	int ismain = oth->oth_pid == oth->oth_tid;

	buf_str(b,
	    "{\"processType\":\"default\",\"processStartupTime\":0,"
	    "\"processShutdownTime\":null,\"registerTime\":0,"
	    "\"unregisterTime\":null,\"pausedRanges\":[]");
	json_field(b, "name", oth->oth_comm);
	json_field(b, "processName", process->fxh_thread.oth_comm);
	json_key(b, "isMainThread");
	buf_str(b, ismain ? "true" : "false");
	buf_printf(b, ",\"pid\":\"%u\"", oth->oth_pid);
	json_u64(b, "tid", oth->oth_tid);
	fox_print_samples(b, fox, th);
	fox_print_markers(b, th);
	fox_print_tables(b, th);
	buf_c(b, '}');
}

/* Orders threads by process, its main thread first. */
static int
fox_compare(const void *va, const void *vb, void *arg)
{
	const struct fox_thread *a = (*(struct hash_entry *const *)va)->he_ptr;
	const struct fox_thread *b = (*(struct hash_entry *const *)vb)->he_ptr;
	const struct out_thread *ta = &a->fxh_thread, *tb = &b->fxh_thread;

	(void)arg;
	if (ta->oth_pid != tb->oth_pid)
		return ta->oth_pid < tb->oth_pid ? -1 : 1;
	if ((ta->oth_tid == ta->oth_pid) != (tb->oth_tid == tb->oth_pid))
		return ta->oth_tid == ta->oth_pid ? -1 : 1;
	return ta->oth_tid < tb->oth_tid ? -1 : 1;
}

static void
fox_print_threads(struct buf *b, const struct firefox *fox)
{
	struct hash_entry **list = hash_sorted_by(&fox->fox_threads,
	    fox_compare, NULL);
	size_t i;

	buf_str(b, ",\n\"threads\":[");
	for (i = 0; i < fox->fox_threads.ha_n; i++) {
		buf_str(b, i > 0 ? ",\n" : "\n");
		fox_print_thread(b, fox, list[i]->he_ptr);
		buf_line(b);
	}
	buf_str(b, "]}\n");
	free(list);
}

/* Prints the libraries and strings of all threads. */
static void
fox_print_shared(struct buf *b, const struct firefox *fox)
{
	buf_str(b, ",\n\"libs\":[");
	if (fox->fox_list.b_len > 0)
		buf_mem(b, fox->fox_list.b_data, fox->fox_list.b_len);
	buf_str(b, "],\n\"shared\":{\"stringArray\":[");
	if (fox->fox_text.b_len > 0)
		buf_mem(b, fox->fox_text.b_data, fox->fox_text.b_len);
	buf_str(b, "]}");
}

static void
fox_free(struct firefox *fox)
{
	struct hash_entry **list = hash_sorted(&fox->fox_threads);
	struct fox_thread *th;
	size_t i;

	for (i = 0; i < fox->fox_threads.ha_n; i++) {
		th = list[i]->he_ptr;
		fox_table_free(&th->fxh_resources);
		fox_table_free(&th->fxh_funcs);
		fox_table_free(&th->fxh_frames);
		fox_table_free(&th->fxh_stacks);
		buf_free(&th->fxh_samples);
		buf_free(&th->fxh_markers);
	}
	free(list);
	hash_free(&fox->fox_threads);
	hash_clear(&fox->fox_strings);
	hash_clear(&fox->fox_libs);
	buf_free(&fox->fox_text);
	buf_free(&fox->fox_list);
}

static void
fox_profile(struct out *out, const struct out_profile *first)
{
	struct firefox fox = { .fox_origin = UINT64_MAX,
		.fox_sampled = first,
		.fox_isweighed = weight_isvalue(first) };
	const struct out_profile *op;
	size_t i;

	buf_init(&fox.fox_text, -1);
	buf_init(&fox.fox_list, -1);
	for (op = first; op != NULL; op = op->opr_next)
		for (i = 0; i < op->opr_nsamples; i++)
			if (op->opr_samples[i].osa_time < fox.fox_origin)
				fox.fox_origin = op->opr_samples[i].osa_time;
	for (op = first; op != NULL; op = op->opr_next)
		fox_hits(&fox, op);
	if (fox.fox_origin == UINT64_MAX)
		fox.fox_origin = 0;
	firefox_meta(&out->out_buf, out, first, fox.fox_origin);
	fox_print_shared(&out->out_buf, &fox);
	fox_print_threads(&out->out_buf, &fox);
	fox_free(&fox);
}

const struct out_format out_firefox = {
	.f_name = "firefox",
	.f_opens = "https://profiler.firefox.com",
	.f_time = OUT_NEEDSTIME,
	.f_profile = fox_profile,
};
