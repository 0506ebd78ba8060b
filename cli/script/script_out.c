/* SPDX-License-Identifier: ISC */
/* Output of a script: text, or JSON in the shape of bpftrace(8). */
#include "cli/script/script_run.h"

void
srun_print_text(struct srun *sr, const char *type, const char *s, size_t n)
{
	struct buf *b = &sr->srn_out;

	if (sr->srn_isjson) {
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
	struct buf *b = &sr->srn_out;

	if (sr->srn_isjson) {
		buf_str(b, "{\"type\": \"value\", \"data\": ");
		sval_json(b, sv, sr->srn_names);
		buf_str(b, "}\n");
	} else {
		sval_text(b, sv, sr->srn_names, 0);
		buf_c(b, '\n');
	}
	buf_line(b);
}

void
srun_print_map(struct srun *sr, unsigned int map, uint64_t top, uint64_t div)
{
	struct smap *sm = &sr->srn_maps[map];

	srun_sync(sr, sm);
	if ((int64_t)div <= 0)
		div = 1;
	if (sr->srn_isjson)
		smap_print_json(&sr->srn_out, sm, sr->srn_names, top, div);
	else
		smap_print(&sr->srn_out, sm, sr->srn_names, top, div);
	buf_line(&sr->srn_out);
}
