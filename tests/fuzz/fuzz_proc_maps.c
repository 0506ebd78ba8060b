/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the parser of /proc/PID/maps: the kernel writes the lines, but users
 * choose the names of mapped files.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/procs/proc_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	char *text = malloc(nbytes + 1);
	struct sideband_event se;
	size_t pos, n;

	if (text == NULL)
		abort();
	memcpy(text, data, nbytes);
	text = realloc(text, nbytes > 0 ? nbytes : 1);
	for (pos = 0; (n = proc_maps_line(text + pos, nbytes - pos, &se)) != 0;
	     pos += n)
		if (n > nbytes - pos ||
		    (se.se_type == SIDEBAND_MMAP &&
			(se.se_start >= se.se_end ||
			    se.se_id.ii_path < text + pos ||
			    se.se_id.ii_path + se.se_id.ii_pathlen >
				text + pos + n)))
			abort();
	free(text);
	return 0;
}
