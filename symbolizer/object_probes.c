/* SPDX-License-Identifier: ISC */
/* Calls the function of a query. */
#include <errno.h>
#include <string.h>

#include "symbolizer/arguments.h"
#include "symbolizer/functions.h"
#include "symbolizer/instructions.h"
#include "symbolizer/nearest.h"
#include "symbolizer/notes.h"
#include "symbolizer/object_probes.h"
#include "symbolizer/source_lines.h"
#include "symbolizer/variables.h"

typedef int object_query(struct object_file *, const struct probe_query *,
    struct probe_sink *);

static object_query *const queries[] = {
	[PROBE_QUERY_FUNCTIONS] = functions_find,
	[PROBE_QUERY_ARGS] = arguments_find,
	[PROBE_QUERY_RETS] = instructions_rets,
	[PROBE_QUERY_INSN] = instructions_at,
	[PROBE_QUERY_LINE] = source_lines_find,
	[PROBE_QUERY_NOTES] = notes_find,
	[PROBE_QUERY_NEAREST] = nearest_functions,
	[PROBE_QUERY_NEARNOTES] = nearest_notes,
	[PROBE_QUERY_SIGNATURES] = functions_find,
	[PROBE_QUERY_VARIABLE] = variables_find,
};

int
object_probes(struct object_file *ob, const struct probe_query *pq,
    struct probe_sink *sink)
{
	int error;

	if (pq->pq_kind >= sizeof(queries) / sizeof(*queries) ||
	    queries[pq->pq_kind] == NULL || pq->pq_max > PROBE_SITES_MAX ||
	    memchr(pq->pq_name, '\0', sizeof(pq->pq_name)) == NULL)
		return EINVAL;
	error = queries[pq->pq_kind](ob, pq, sink);
	object_file_trim(ob);
	return error;
}
