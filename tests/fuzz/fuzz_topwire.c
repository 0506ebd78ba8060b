/* SPDX-License-Identifier: ISC */
/*
 * Lines of rows that dt top -H receives from another machine.
 *
 * Links with $(filter-out %/main.o,$(call obj,$(cli_src))).
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top/top_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Later code converts numbers to integers, and tags have a fixed size. */
static void
check_row(const struct top_row *r)
{
	unsigned int i;

	for (i = 0; i < TOP_NNUMS; i++)
		if (isinf(r->tow_nums[i]) || fabs(r->tow_nums[i]) > 1e18)
			abort();
	for (i = 0; i < 2; i++)
		if (memchr(r->tow_tags[i], '\0', TOP_TAG) == NULL)
			abort();
	if (r->tow_name == NULL)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *line = text, *end;
	struct top_reading rd = { 0 };
	size_t i;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (; (end = memchr(line, '\n', text + size - line)) != NULL;
	     line = end + 1) {
		*end = '\0';
		if (top_reading_line(&rd, line, end - line) == 1)
			top_reading_free(&rd);
	}
	for (i = 0; i < rd.trd_n; i++)
		check_row(&rd.trd_rows[i]);
	top_reading_free(&rd);
	free(text);
	return 0;
}
