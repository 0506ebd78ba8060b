/* SPDX-License-Identifier: ISC */
/*
 * Draws a flame graph as SVG: a <g> per frame, with its rectangle, the text
 * that fits, and all details as its title.  It is complete without the script,
 * which scales it to the window, zooms and searches.
 *
 * data-s has the weight before it, its own weight, and its depth.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/flame.h"
#include "cli/out/weight.h"
#include "cli/profile/profile_funcs.h"

#define SVG_HEAD   84	/* pixels above the frames */
#define SVG_ROW	   18	/* pixels of a frame and a gap */
#define SVG_GAP	   0.8	/* between frames, unless they are narrow */
#define SVG_CHAR   7.25 /* width of a character */
#define SVG_MINROW 3	/* characters; shorter names are not printed */
#define SVG_LEAST  0.1	/* minimum width of a visible frame */

static void
svg_text(struct buf *b, const char *s)
{
	esc_xml(b, s, strlen(s));
}

/*
 * Cuts a name to the columns that fit, as on a terminal: characters from U+1100
 * may take two.
 */
static void
svg_cut(struct buf *b, const char *name, double width)
{
	size_t room = width > 6 ? (width - 6) / SVG_CHAR : 0, i, n, cols;
	struct buf whole;
	const char *s;

	if (room < SVG_MINROW)
		return;
	buf_init(&whole, -1);
	esc_str(&whole, name); /* valid UTF-8 from here */
	buf_c(&whole, '\0');
	s = whole.b_data;
	for (i = 0, cols = 0; s[i] != '\0'; i += n) {
		for (n = 1; (s[i + n] & 0xc0) == 0x80; n++)
			;
		if (cols + (n > 2 ? 2 : 1) > room)
			break;
		cols += n > 2 ? 2 : 1;
	}
	if (s[i] == '\0')
		esc_xml(b, s, i);
	else {
		for (n = 2; i > 0 && n > 0; n--) /* space for the dots */
			while (i > 0 && (s[--i] & 0xc0) == 0x80)
				;
		esc_xml(b, s, i);
		buf_str(b, "..");
	}
	buf_free(&whole);
}

static unsigned int
svg_hash(const char *s)
{
	unsigned int h = 2166136261U;

	while (*s != '\0')
		h = (h ^ (unsigned char)*s++) * 16777619;
	return h ^ h >> 15;
}

/*
 * Light colours with dark text: the kernel is orange, each file of user code
 * has its own colour from yellow to blue, with a shade per function.
 */
static void
svg_colour(struct buf *b, const struct flame_node *fn)
{
	static const unsigned int hues[] = { 46, 66, 88, 120, 150, 172, 192,
		212, 232 };
	const struct frame *fr = fn->fn_frame;
	unsigned int h = svg_hash(fn->fn_name);

	if (fn->fn_kind == FLAME_NOTE || (fr != NULL && fr->fr_func == NULL))
		buf_str(b, "hsl(0,0%,86%)");
	else if (fr == NULL)
		buf_printf(b, "hsl(215,25%%,%u%%)", 82 + h % 5);
	else if (fr->fr_iskernel)
		buf_printf(b, "hsl(%u,88%%,%u%%)", 18 + h % 14,
		    72 + h / 16 % 9);
	else
		buf_printf(b, "hsl(%u,%u%%,%u%%)",
		    (fr->fr_module != NULL
			    ? hues[svg_hash(fr->fr_module->mo_name) %
				  (sizeof(hues) / sizeof(hues[0]))]
			    : hues[0]) +
			h % 12,
		    fr->fr_isinlined ? 40 : 65, 74 + h / 16 % 9);
}

static void
svg_name(struct buf *b, const struct flame_node *fn)
{
	static const char *const heads[] = { [FLAME_NOTE] = "[incomplete: ",
		[FLAME_WAIT] = "[",
		[FLAME_FRAME] = NULL };
	const char *head = heads[fn->fn_kind];

	buf_str(b, head != NULL ? head : "");
	buf_str(b, fn->fn_name);
	buf_str(b, head != NULL ? "]" : "");
	if (fn->fn_frame != NULL && fn->fn_frame->fr_file != NULL)
		buf_printf(b, " %s:%u", frames_base(fn->fn_frame->fr_file),
		    fn->fn_frame->fr_line);
}

static void
svg_weight(struct buf *b, const struct out_profile *op, uint64_t weight)
{
	weight_long(b, op, weight);
	buf_printf(b, ", %.2f %%",
	    op->opr_total > 0 ? 100.0 * weight / op->opr_total : 0);
}

/* Prints a weight without the name of its unit. */
static void
svg_self(struct buf *b, const struct out_profile *op, uint64_t weight)
{
	if (weight_isvalue(op))
		weight_long(b, op, weight);
	else
		buf_grouped(b, weight);
}

/* Prints all details, a line each; the first is the name. */
static void
svg_title(struct buf *b, const struct flame_node *fn, const char *name,
    const struct out_profile *op)
{
	const struct frame *fr = fn->fn_frame;

	buf_str(b, "<title>");
	svg_text(b, name);
	buf_c(b, '\n');
	svg_weight(b, op, fn->fn_weight);
	if (fn->fn_self > 0) {
		buf_str(b, ", itself ");
		svg_self(b, op, fn->fn_self);
	}
	if (fr != NULL && fr->fr_module != NULL) {
		buf_c(b, '\n');
		svg_text(b, fr->fr_module->mo_path);
	}
	if (fr != NULL && fr->fr_isinlined)
		buf_str(b, ", inlined");
	if (fr != NULL && fr->fr_file != NULL) {
		buf_c(b, '\n');
		svg_text(b, fr->fr_file);
		buf_printf(b, ":%u", fr->fr_line);
	}
	buf_str(b, "</title>");
}

static void
svg_frame(struct buf *b, const struct flame_node *fn,
    const struct out_profile *op)
{
	double scale = (double)FLAME_WIDTH / op->opr_total;
	double x = fn->fn_at * scale, width = fn->fn_weight * scale;
	unsigned int y = SVG_HEAD + fn->fn_depth * SVG_ROW;
	struct buf name;

	buf_init(&name, -1);
	svg_name(&name, fn);
	buf_c(&name, '\0');
	buf_printf(b, "<g data-s=\"%llu %llu %u\"%s>",
	    (unsigned long long)fn->fn_at, (unsigned long long)fn->fn_weight,
	    fn->fn_depth,
	    fn->fn_kind == FLAME_NOTE ||
		    (fn->fn_frame != NULL && fn->fn_frame->fr_isinlined)
		? " class=\"i\""
		: "");
	svg_title(b, fn, name.b_data, op);
	buf_printf(b,
	    "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" "
	    "fill=\"",
	    x, y, width > SVG_GAP * 4 ? width - SVG_GAP : width, SVG_ROW - 1);
	svg_colour(b, fn);
	buf_printf(b, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 13);
	svg_cut(b, name.b_data, width);
	buf_str(b, "</text></g>\n");
	buf_free(&name);
}

/* Orders from left to right, parents first. */
static int
svg_order(const void *va, const void *vb)
{
	const struct flame_node *a = *(struct flame_node *const *)va;
	const struct flame_node *b = *(struct flame_node *const *)vb;

	if (a->fn_at != b->fn_at)
		return a->fn_at < b->fn_at ? -1 : 1;
	return a->fn_depth < b->fn_depth ? -1 : a->fn_depth > b->fn_depth;
}

/*
 * Returns the frames that are wide enough to be visible; the caller frees them.
 */
static struct flame_node **
svg_visible(const struct flame *fl, size_t *np, unsigned int *depth)
{
	struct flame_node **list, *fn;
	size_t i, n = 0;

	if ((list = calloc(fl->fl_n, sizeof(*list))) == NULL)
		return NULL;
	for (i = 0; i < fl->fl_n; i++) {
		fn = &fl->fl_nodes[i];
		if (fn->fn_weight * (double)FLAME_WIDTH <
			SVG_LEAST * fl->fl_nodes[0].fn_weight ||
		    fn->fn_weight == 0)
			continue;
		list[n++] = fn;
		if (fn->fn_depth > *depth)
			*depth = fn->fn_depth;
	}
	qsort(list, n, sizeof(*list), svg_order);
	*np = n;
	return list;
}

void
flame_title(struct buf *b, const struct out *out, const struct out_profile *op)
{
	const struct opts *o = out->out_opts;
	char **arg;

	buf_str(b, op->opr_unit == PROFILE_WAITS ? "dt offcpu" : "dt profile");
	if (o->o_command != NULL)
		for (buf_str(b, ":"), arg = o->o_command; *arg != NULL; arg++)
			buf_printf(b, " %.200s", *arg);
	else if (o->o_nargs > 0)
		buf_printf(b, ": %.200s", o->o_args[0]);
}

void
flame_summary(struct buf *b, const struct out_profile *op)
{
	weight_total(b, op);
	if (op->opr_nsecs != 0)
		buf_printf(b, " in %.1f s", op->opr_nsecs / 1e9);
	if (op->opr_period != 0)
		buf_printf(b, ", %.0f a second and CPU", 1e9 / op->opr_period);
	if (op->opr_unit == PROFILE_SAMPLES && op->opr_idle > 0) {
		buf_str(b, ", without ");
		buf_grouped(b, op->opr_idle);
		buf_str(b, " idle ones");
	}
	if (op->opr_judged > 0) {
		buf_str(b, "; ");
		profile_completeness(b, op);
	}
}

static void
svg_head(struct buf *b, const struct out *out, const struct out_profile *op,
    unsigned int height, size_t nhidden)
{
	struct buf line;

	buf_printf(b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flame\" "
	    "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n<style>",
	    FLAME_WIDTH, height, FLAME_WIDTH, height);
	buf_str(b, flame_style);
	buf_str(b,
	    "</style>\n<rect id=\"ground\" width=\"100%\" height=\"100%\" "
	    "fill=\"#fff\"/>\n");
	buf_init(&line, -1);
	flame_title(&line, out, op);
	buf_c(&line, '\0');
	buf_str(b, "<text class=\"h\" x=\"6\" y=\"22\">");
	svg_cut(b, line.b_data, (FLAME_WIDTH - 280) * SVG_CHAR / 9.5);
	line.b_len = 0;
	flame_summary(&line, op);
	buf_c(&line, '\0');
	buf_str(b, "</text>\n<text x=\"6\" y=\"42\"><title>");
	svg_text(b, line.b_data);
	buf_str(b, "</title>");
	svg_cut(b, line.b_data, FLAME_WIDTH);
	buf_str(b,
	    "</text>\n<text class=\"l\" x=\"6\" y=\"60\">orange: the "
	    "kernel; grey: no name, or not complete; other colours: a file "
	    "each");
	if (nhidden > 0) {
		buf_str(b, "; ");
		buf_grouped(b, nhidden);
		buf_str(b, " frames are too narrow to be drawn");
	}
	buf_printf(b, "</text>\n<text id=\"info\" x=\"6\" y=\"%u\"></text>\n",
	    SVG_HEAD - 6);
	buf_free(&line);
}

void
flame_svg(struct buf *b, const struct out *out, const struct out_profile *op)
{
	struct flame_node **list;
	struct flame fl;
	unsigned int depth = 0;
	size_t i, n = 0;

	flame_make(&fl, op);
	if ((list = svg_visible(&fl, &n, &depth)) == NULL)
		err(1, "flame graph");
	svg_head(b, out, op, SVG_HEAD + (depth + 1) * SVG_ROW + 6,
	    fl.fl_n - (n > 0 ? n : 1));
	for (i = 0; i < n; i++) {
		svg_frame(b, list[i], op);
		buf_line(b);
	}
	if (n == 0)
		buf_printf(b, "<text x=\"6\" y=\"%u\">no %s</text>\n",
		    SVG_HEAD + 13, weight_hits_type(op));
	buf_str(b, "<script><![CDATA[\n");
	buf_str(b, flame_script);
	buf_str(b, "]]></script>\n</svg>\n");
	free(list);
	flame_free(&fl);
}
