/* SPDX-License-Identifier: ISC */
/* What a script prints: text, or JSON in the shape of bpftrace(8). */
#include "cli/script/script_run.h"

void
srun_print_text(struct srun *sr, const char *type, const char *s, size_t n)
{
	struct buf *b = &sr->sr_out;

	if (sr->sr_isjson) {
		buf_printf(b, "{\"type\": \"%s\", \"data\": ", type);
		sval_json_str(b, s, n);
		buf_str(b, "}\n");
	} else
		buf_mem(b, s, n);
	buf_line(b);
}

void
srun_print_value(struct srun *sr, const struct sval *sv)
{
	struct buf *b = &sr->sr_out;

	if (sr->sr_isjson) {
		buf_str(b, "{\"type\": \"value\", \"data\": ");
		sval_json(b, sv, sr->sr_names);
		buf_str(b, "}\n");
	} else {
		sval_text(b, sv, sr->sr_names, 0);
		buf_c(b, '\n');
	}
	buf_line(b);
}

void
srun_print_map(struct srun *sr, unsigned int map, uint64_t top, uint64_t div)
{
	struct smap *sm = &sr->sr_maps[map];

	if (sr->sr_sync != NULL)
		sr->sr_sync(sr->sr_syncarg, map);
	if (div == 0)
		div = 1;
	if (sr->sr_isjson)
		smap_print_json(&sr->sr_out, sm, sr->sr_names, top, div);
	else
		smap_print(&sr->sr_out, sm, sr->sr_names, top, div);
	buf_line(&sr->sr_out);
}
