/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the parser of tracepoints' formats.  The kernel prints them, but each
 * loaded module can add one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/tp_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Conditions that dtd relies on. */
static void
fuzz_check(const struct tp_format *tp)
{
	unsigned int i;

	if (tp->tfm_n > DT_TP_FIELDS)
		abort();
	for (i = 0; i < tp->tfm_n; i++)
		if (tp->tfm_fields[i].tf_name[0] == '\0' ||
		    memchr(tp->tfm_fields[i].tf_name, '\0', TP_FORMAT_NAME) ==
			NULL ||
		    memchr(tp->tfm_fields[i].tf_type, '\0', TP_FORMAT_NAME) ==
			NULL)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	struct tp_format tp;
	char *text = malloc(nbytes + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, nbytes);
	text[nbytes] = '\0';
	if (tp_format_parse(text, 0, &tp) == 0)
		fuzz_check(&tp);
	if (tp_format_parse(text, 1, &tp) == 0)
		fuzz_check(&tp);
	free(text);
	return 0;
}
