/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the file of dt kcov --diff: lines of JSON, from any source.
 *
 * A file that was read and printed must be readable again, with at most as many
 * places: two may become one, because some characters are printed as bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/json.h"
#include "cli/kcov/kcov.h"
#include "cli/out/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Reads each line of a text; isours: no line may be invalid. */
static void
fuzz_lines(struct kcov_places *kp, const char *s, size_t n, int isours)
{
	const char *end = s + n, *nl;

	for (; s < end; s = nl + 1) {
		if ((nl = memchr(s, '\n', end - s)) == NULL)
			nl = end;
		if (kcov_line(kp, s, nl - s) != NULL && isours)
			abort();
		if (nl == end)
			break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct kcov_places kp = { 0 }, again = { 0 };
	struct opts opts = { 0 };
	struct out out = { .out_opts = &opts };
	struct out_kcov ok = { 0 };
	size_t i;

	fuzz_lines(&kp, (const char *)data, len, 0);
	for (i = 0; i < kp.kpl_n; i++)
		kp.kpl_list[i].oa_count = kp.kpl_list[i].oa_before & INT64_MAX;
	ok.ok_places = kp.kpl_list;
	ok.ok_n = kp.kpl_n;
	buf_init(&out.out_buf, -1);
	json_kcov(&out, &ok);
	fuzz_lines(&again, out.out_buf.b_data, out.out_buf.b_len, 1);
	if (again.kpl_n > kp.kpl_n)
		abort();
	text_kcov(&out, &ok);
	kcov_places_free(&kp);
	kcov_places_free(&again);
	buf_free(&out.out_buf);
	return 0;
}
