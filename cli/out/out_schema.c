/* SPDX-License-Identifier: ISC */
/* Prints the JSON Schema of dt report -j, report.schema.json. */
#include <unistd.h>

#include "cli/out/out.h"

static const char *const schema_lines[] = {
#include "report_schema.h"
};

int
out_schema(void)
{
	struct buf b;
	size_t i;
	int error;

	buf_init(&b, STDOUT_FILENO);
	for (i = 0; i < sizeof(schema_lines) / sizeof(schema_lines[0]); i++)
		buf_str(&b, schema_lines[i]);
	buf_flush(&b);
	error = b.b_error;
	buf_free(&b);
	return error;
}
