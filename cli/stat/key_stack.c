/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: the kernel's and the user stack of an event.  A key is the names
 * of the functions, innermost first, one a line, so that stacks that differ only
 * in addresses count as one.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/stat/key_impl.h"
#include "cli/sym/frames.h"
#include "cli/sym/stack.h"
#include "cli/sym/user_symbols.h"

/* Begins the text of the current event for a key. */
static struct buf *
stack_begin(struct key_val *v)
{
	struct buf *b = &v->kv_by->ky_items[v->kv_i].ki_text;

	b->b_len = 0;
	return b;
}

/* Lines that do not fit are left out. */
static void
stack_set(struct key_val *v, const struct buf *b)
{
	size_t len = b->b_len;

	if (len > DT_REC_MAXPATH)
		for (len = DT_REC_MAXPATH; len > 0 && b->b_data[len] != '\n';)
			len--;
	key_set_str(v, b->b_data, len);
}

static void
stack_line(struct buf *b, const char *name)
{
	if (b->b_len > 0)
		buf_c(b, '\n');
	buf_str(b, name);
}

void
key_get_kstack(const struct key_call *bc, struct key_val *v)
{
	const struct dt_rec_stack *st = bc->kc_ev->ev_kstack;
	struct name_cache *nm = v->kv_by->ky_names;
	struct buf *b;
	const char *name;
	uint64_t off;
	unsigned int i;

	if (st == NULL)
		return;
	b = stack_begin(v);
	i = name_cache_kfirst(nm, st);
	for (; i < st->drs_count; i++) {
		name = name_cache_ksym(nm, stack_pc(DT_STACK_PCS(st), i), &off);
		stack_line(b, name != NULL ? name : "");
		if (name == NULL)
			buf_hex(b, DT_STACK_PCS(st)[i]);
	}
	if (st->drs_end != DT_STACK_ENDED) {
		stack_line(b, "");
		stack_end_text(b, 1, st->drs_end, st->drs_count, st->drs_error);
	}
	stack_set(v, b);
}

void
key_get_ustack(const struct key_call *bc, struct key_val *v)
{
	const struct dt_event *ev = bc->kc_ev;
	const struct frame *fr;
	struct frame_alone fa;
	struct user_symbols us;
	const char *why;
	struct buf *b;
	size_t i, at;

	if (ev->ev_ustack == NULL)
		return;
	b = stack_begin(v);
	user_symbols_event(&us, v->kv_by->ky_names, ev, &why);
	for (i = 0; i < us.us_n; i++) {
		at = us.us_frames[i].df_pc;
		fr = frames_alone(&fa, ev->ev_rec->dr_pid,
		    DT_STACK_PCS(ev->ev_ustack)[at], at > 0, &us.us_frames[i]);
		stack_line(b, fr->fr_name);
		if (fr->fr_func != NULL && fr->fr_module != NULL)
			buf_printf(b, " (%s)", fr->fr_module->mo_name);
	}
	user_symbols_free(&us);
	if (why != NULL) {
		stack_line(b, "[incomplete: ");
		buf_printf(b, "%s]", why);
	}
	stack_set(v, b);
}

/* Returns the next line of a stack, and its length; NULL: none is left. */
static const char *
stack_next(const struct key_val *v, size_t *at, size_t *len)
{
	const char *line = v->kv_str + *at, *end;

	if (*at >= v->kv_len)
		return NULL;
	end = memchr(line, '\n', v->kv_len - *at);
	*len = end != NULL ? (size_t)(end - line) : v->kv_len - *at;
	*at += *len + 1;
	return line;
}

void
key_text_stack(const struct key_val *v, struct buf *b)
{
	size_t at = 0, len;
	const char *line;

	while ((line = stack_next(v, &at, &len)) != NULL) {
		buf_str(b, "\n        ");
		esc_text(b, line, len);
	}
}

void
key_json_stack(const struct key_val *v, struct buf *b)
{
	size_t at = 0, len;
	const char *line, *sep = "[";

	while ((line = stack_next(v, &at, &len)) != NULL) {
		buf_str(b, sep);
		sep = ",";
		key_json_bytes(b, line, len);
	}
	buf_str(b, *sep == '[' ? "[]" : "]");
}
