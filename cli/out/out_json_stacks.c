/* SPDX-License-Identifier: ISC */
/*
 * Prints stacks as JSON: "kstack" and "ustack" are names, or addresses without
 * a symbol; "uframes" has all details of each frame of "ustack".
 */
#include "cli/out/out_json.h"
#include "cli/out/weight.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

/* Prints why a stack is incomplete; complete stacks do not have this key. */
static void
json_end(struct buf *b, const char *key, unsigned int end)
{
	const char *word = stack_end_word(end);

	if (word != NULL)
		json_field(b, key, word);
}

static void
json_hex(struct buf *b, uint64_t v)
{
	buf_c(b, '"');
	buf_hex(b, v);
	buf_c(b, '"');
}

static void
json_kpcs(struct out *out, const struct dt_rec_stack *st)
{
	const uint64_t *pcs = DT_STACK_PCS(st);
	struct buf *b = &out->out_buf;
	const char *name;
	unsigned int first = name_cache_kfirst(out->out_names, st), i;
	uint64_t off;

	json_key(b, "kstack");
	buf_c(b, '[');
	for (i = first; i < st->drs_count; i++) {
		if (i > first)
			buf_c(b, ',');
		name = name_cache_ksym(out->out_names, stack_pc(pcs, i), &off);
		if (name != NULL)
			json_text(b, name);
		else
			json_hex(b, pcs[i]);
	}
	buf_c(b, ']');
}

/* An element of ustack. */
static void
json_name(struct buf *b, const struct frame *fr)
{
	if (fr->fr_func != NULL)
		json_text(b, fr->fr_func);
	else
		json_hex(b, fr->fr_pc);
}

/* An element of uframes. */
static void
json_frame(struct buf *b, const struct frame *fr)
{
	buf_c(b, '{');
	json_key(b, "pc");
	json_hex(b, fr->fr_pc);
	if (fr->fr_func != NULL) {
		json_field(b, "func", fr->fr_func);
		json_u64(b, "offset", fr->fr_offset);
	} else
		json_field(b, "name", fr->fr_name);
	if (fr->fr_module != NULL)
		json_field(b, "module", fr->fr_module->mo_path);
	if (fr->fr_file != NULL) {
		json_field(b, "file", fr->fr_file);
		json_u64(b, "line", fr->fr_line);
	}
	if (fr->fr_isinlined) {
		json_key(b, "inlined");
		buf_str(b, "true");
	}
	buf_c(b, '}');
}

/* Prints what is known of a user stack, after its frames. */
static void
json_complete(struct buf *b, unsigned int end, const char *why)
{
	json_end(b, "ustack_end", end);
	json_key(b, "complete");
	buf_str(b, why == NULL ? "true" : "false");
	if (why != NULL)
		json_field(b, "incomplete", why);
}

/* Prints an array of all frames, each with put(). */
static void
json_uframes(struct buf *b, const char *key, const struct dt_event *ev,
    const struct user_symbols *us,
    void (*put)(struct buf *, const struct frame *))
{
	const uint64_t *pcs = DT_STACK_PCS(ev->ev_ustack);
	struct frame_alone fa;
	size_t i, at;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < us->us_n; i++) {
		if (i > 0)
			buf_c(b, ',');
		at = us->us_frames[i].df_pc;
		put(b,
		    frames_alone(&fa, ev->ev_rec->dr_pid, pcs[at], at > 0,
			&us->us_frames[i]));
	}
	buf_c(b, ']');
}

static void
json_ustack(struct out *out, const struct dt_event *ev)
{
	struct buf *b = &out->out_buf;
	struct user_symbols us;
	const char *why;

	user_symbols_event(&us, out->out_names, ev, &why);
	json_uframes(b, "ustack", ev, &us, json_name);
	json_uframes(b, "uframes", ev, &us, json_frame);
	json_complete(b, ev->ev_ustack->drs_end, why);
	user_symbols_free(&us);
}

void
json_stacks(struct out *out, const struct dt_event *ev)
{
	if (ev->ev_kstack != NULL) {
		json_kpcs(out, ev->ev_kstack);
		json_end(&out->out_buf, "kstack_end", ev->ev_kstack->drs_end);
	}
	if (ev->ev_ustack != NULL)
		json_ustack(out, ev);
}

static void
json_frames(struct buf *b, const char *key, const struct frame *const *frames,
    unsigned int n, void (*fn)(struct buf *, const struct frame *))
{
	unsigned int i;

	json_key(b, key);
	buf_c(b, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_c(b, ',');
		fn(b, frames[i]);
	}
	buf_c(b, ']');
}

/* Prints the number of hits, and what they weigh. */
static void
json_weight(struct buf *b, const struct out_profile *op,
    const struct out_stack *os)
{
	if (op->opr_unit == PROFILE_SAMPLES) {
		json_u64(b, "count", os->os_weight);
		return;
	}
	json_u64(b, "count", os->os_hits);
	json_u64(b, "weight", os->os_weight);
	json_field(b, "type", weight_type(op));
	json_field(b, "unit", weight_unit(op));
	if (os->os_wait != PROFILE_NOWAIT)
		json_field(b, "wait", weight_wait(os->os_wait));
}

static void
json_stack(struct buf *b, const struct out_profile *op,
    const struct out_stack *os)
{
	const struct frame *const *user = os->os_frames + os->os_nkernel;
	unsigned int nuser = os->os_nframes - os->os_nkernel;

	buf_c(b, '{');
	json_weight(b, op, os);
	json_u64(b, "pid", os->os_pid);
	json_field(b, "comm", os->os_comm);
	json_frames(b, "kstack", os->os_frames, os->os_nkernel, json_name);
	json_end(b, "kstack_end", os->os_kend);
	json_frames(b, "ustack", user, nuser, json_name);
	json_frames(b, "uframes", user, nuser, json_frame);
	if (os->os_hasuser)
		json_complete(b, os->os_uend, os->os_why);
	buf_str(b, "}\n");
}

void
json_profile(struct out *out, const struct out_profile *op)
{
	size_t i;

	for (i = 0; i < op->opr_nstacks; i++) {
		json_stack(&out->out_buf, op, &op->opr_stacks[i]);
		buf_line(&out->out_buf);
	}
}

/* Groups have functions, not addresses. */
static void
json_where_name(struct buf *b, const struct frame *fr)
{
	json_text(b, fr->fr_name);
}

static void
json_nsecs(struct buf *b, const char *key, uint64_t nsecs)
{
	json_key(b, key);
	if (nsecs != WHERE_UNKNOWN)
		buf_u64(b, nsecs);
	else
		buf_str(b, "null");
}

static void
json_thread(struct buf *b, const struct dtioc_thread *ti)
{
	const char state[] = { ti->dtti_state, '\0' };

	buf_c(b, '{');
	json_u64(b, "pid", ti->dtti_pid);
	json_u64(b, "tid", ti->dtti_tid);
	json_field(b, "comm", ti->dtti_comm);
	json_field(b, "process", ti->dtti_process);
	json_field(b, "state", state);
	json_nsecs(b, "nsecs", ti->dtti_nsecs);
	json_u64(b, "cpu", ti->dtti_cpu);
	json_key(b, "running");
	buf_str(b, ti->dtti_flags & DTTI_ONCPU ? "true" : "false");
	buf_c(b, '}');
}

static void
json_threads(struct buf *b, const struct out_where_group *g)
{
	size_t i;

	json_key(b, "threads");
	buf_c(b, '[');
	for (i = 0; i < g->owg_n; i++) {
		if (i > 0)
			buf_c(b, ',');
		json_thread(b, g->owg_threads[i]);
	}
	buf_c(b, ']');
}

static void
json_where_group(struct buf *b, const struct out_where_group *g)
{
	const struct frame *const *user = g->owg_frames + g->owg_nkernel;
	unsigned int nuser = g->owg_nframes - g->owg_nkernel;

	buf_c(b, '{');
	json_u64(b, "count", g->owg_n);
	json_key(b, "wchan");
	if (g->owg_wchan != NULL)
		json_text(b, g->owg_wchan);
	else
		buf_str(b, "null");
	json_nsecs(b, "min", g->owg_min);
	json_nsecs(b, "max", g->owg_max);
	json_threads(b, g);
	json_frames(b, "kstack", g->owg_frames, g->owg_nkernel,
	    json_where_name);
	json_end(b, "kstack_end", g->owg_kend);
	if (g->owg_hasuser) {
		json_frames(b, "ustack", user, nuser, json_where_name);
		json_complete(b, g->owg_uend, g->owg_why);
	}
	buf_str(b, "}\n");
}

void
json_where(struct out *out, const struct out_where *ow)
{
	size_t i;

	for (i = 0; i < ow->ow_n; i++) {
		json_where_group(&out->out_buf, &ow->ow_groups[i]);
		buf_line(&out->out_buf);
	}
}
