/* SPDX-License-Identifier: ISC */
/* Writes a flame graph as an SVG file. */
#include "cli/out/flame.h"

static void
svg_profile(struct out *out, const struct out_profile *op)
{
	buf_str(&out->out_buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	flame_svg(&out->out_buf, out, op);
}

const struct out_format out_svg = {
	.f_name = "svg",
	.f_opens = "a browser",
	.f_profile = svg_profile,
};
