/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes dtd's reader of places to probe: messages of a symbolizer that a file
 * has taken over, each after two bytes with its length.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/sym/probe_buf.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static size_t
length(const struct file_probes *fip, uint32_t at)
{
	const char *s = wire_string(fip->fip_strings, at);

	return s == NULL ? 0 : strlen(s);
}

/* Reads all members and strings. */
static void
use(const struct file_probes *fip)
{
	const struct probe_arg *pa = fip->fip_args;
	size_t n = 0;
	uint32_t i, j;

	for (i = 0; i < fip->fip_nsites; i++) {
		n += length(fip, fip->fip_sites[i].psi_name) +
		    length(fip, fip->fip_sites[i].psi_more);
		for (j = 0; j < fip->fip_sites[i].psi_nargs; j++, pa++)
			n += length(fip, pa->pra_name) +
			    length(fip, pa->pra_type) +
			    length(fip, pa->pra_why);
	}
	if ((fip->fip_nargs > 0 && pa != fip->fip_args + fip->fip_nargs) ||
	    n > 1ULL << 40)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct probe_buf pb = { .pbf_max = 64 };
	size_t len;
	void *msg;
	int error = 0;

	while (n >= 2 && error == 0) {
		len = data[0] | data[1] << 8;
		data += 2;
		n -= 2;
		if (len > n)
			len = n;
		if ((msg = malloc(len + 1)) == NULL)
			abort();
		memcpy(msg, data, len);
		error = probe_buf_take(&pb, msg, len);
		free(msg);
		data += len;
		n -= len;
	}
	if (error == 0 && pb.pbf_found.fip_nsites > 0)
		use(&pb.pbf_found);
	file_probes_free(&pb.pbf_found);
	return 0;
}
