/* SPDX-License-Identifier: ISC */
/*
 * Prints groups of threads: a line with number, states, wait channel and time, a
 * line with names, then the stack.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/out/out_text.h"
#include "cli/sym/stack.h"

#define WHERE_WIDTH 80
#define WHERE_MORE  14 /* columns of ", and 1234 more" */

static const char where_letters[] = "RSDTtXZPI";

/* Prints "S", or "S 10, D 2". */
static void
where_states(struct buf *b, const struct out_where_group *g)
{
	const char *s, *sep = "";
	size_t i, n;

	for (s = where_letters; *s != '\0'; s++) {
		for (i = n = 0; i < g->owg_n; i++)
			n += g->owg_threads[i]->dtti_state == *s;
		if (n == 0)
			continue;
		buf_printf(b, "%s%c", sep, *s);
		if (n < g->owg_n)
			buf_printf(b, " %zu", n);
		sep = ", ";
	}
}

static void
where_time(struct buf *b, const struct out_where_group *g)
{
	char min[VAL_NSECS], max[VAL_NSECS];

	if (g->owg_max == WHERE_UNKNOWN)
		return;
	val_nsecs(min, g->owg_min);
	val_nsecs(max, g->owg_max);
	if (strcmp(min, max) == 0)
		buf_printf(b, " for %s", max);
	else
		buf_printf(b, " for %s to %s", min, max);
}

static void
where_head(struct out *out, const struct out_where_group *g)
{
	struct buf *b = &out->out_buf;

	buf_str(b, out->out_colours[OUT_BOLD]);
	buf_printf(b, "%zu thread%s: ", g->owg_n, g->owg_n == 1 ? "" : "s");
	where_states(b, g);
	if (g->owg_wchan != NULL) {
		buf_str(b, " in ");
		esc_str(b, g->owg_wchan);
	} else if (g->owg_isrunning)
		buf_str(b, " on a CPU");
	where_time(b, g);
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

static int
where_issame(const struct dtioc_thread *a, const struct dtioc_thread *b)
{
	return a->dtti_pid == b->dtti_pid &&
	    strcmp(a->dtti_comm, b->dtti_comm) == 0;
}

/*
 * Appends the name of a thread, with its process and the number of threads like
 * it; 0: an earlier one had this name.
 */
static size_t
where_name(struct buf *b, const struct out_where_group *g, size_t at)
{
	const struct dtioc_thread *ti = g->owg_threads[at];
	size_t i, n = 0;

	for (i = 0; i < at; i++)
		if (where_issame(g->owg_threads[i], ti))
			return 0;
	for (; i < g->owg_n; i++)
		n += where_issame(g->owg_threads[i], ti);
	esc_str(b, ti->dtti_comm);
	buf_printf(b, " (%u)", ti->dtti_pid);
	if (n > 1)
		buf_printf(b, " x%zu", n);
	return n;
}

/* Prints the names that fit into a line, and how many threads follow. */
static void
where_names(struct buf *b, const struct out_where_group *g)
{
	size_t at, n, named = 0, from = b->b_len;
	struct buf name;

	buf_str(b, "    ");
	buf_init(&name, -1);
	for (at = 0; at < g->owg_n; at++) {
		name.b_len = 0;
		if ((n = where_name(&name, g, at)) == 0)
			continue;
		if (named > 0 &&
		    b->b_len - from + name.b_len + 2 > WHERE_WIDTH - WHERE_MORE)
			break;
		buf_str(b, named > 0 ? ", " : "");
		buf_mem(b, name.b_data, name.b_len);
		named += n;
	}
	buf_free(&name);
	if (named < g->owg_n)
		buf_printf(b, " and %zu more", g->owg_n - named);
	buf_c(b, '\n');
}

static void
where_frames(struct buf *b, const struct out_where_group *g, unsigned int from,
    unsigned int until)
{
	for (; from < until; from++) {
		buf_str(b, "        ");
		text_frame(b, g->owg_frames[from]);
		buf_c(b, '\n');
	}
}

static void
where_stack(struct buf *b, const struct out_where_group *g)
{
	where_frames(b, g, 0, g->owg_nkernel);
	if (g->owg_kend != DT_STACK_ENDED) {
		buf_str(b, "        ");
		stack_end_text(b, 1, g->owg_kend, g->owg_nkernel,
		    g->owg_kerror);
		buf_c(b, '\n');
	}
	where_frames(b, g, g->owg_nkernel, g->owg_nframes);
	if (g->owg_why != NULL)
		buf_printf(b, "        [incomplete: %s]\n", g->owg_why);
}

void
text_where(struct out *out, const struct out_where *ow)
{
	struct buf *b = &out->out_buf;
	size_t i, from;

	for (i = 0; i < ow->ow_n; i++) {
		from = b->b_len;
		where_head(out, &ow->ow_groups[i]);
		where_names(b, &ow->ow_groups[i]);
		where_stack(b, &ow->ow_groups[i]);
		text_wrap(b, from);
		buf_c(b, '\n');
		buf_line(b);
	}
	if (ow->ow_n > 0)
		buf_printf(b, "%zu thread%s, %zu stack%s\n", ow->ow_nthreads,
		    ow->ow_nthreads == 1 ? "" : "s", ow->ow_n,
		    ow->ow_n == 1 ? "" : "s");
}
