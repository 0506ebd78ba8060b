/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes the parser of the kernel's side-band: the input is records, each with
 * the length in its header, and all of them go into the table of processes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "daemon/procs/proc_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
count_spot(const struct mapping *so, void *arg)
{
	uint64_t *n = arg;

	if (so->mg_start >= so->mg_end || so->mg_file == NULL)
		abort();
	++*n;
}

static int
check_proc(struct process *sp, void *arg __attribute__((unused)))
{
	const struct proc_span *sn = proc_table_span(sp, UINT64_MAX);
	uint64_t from = 0, until = UINT64_MAX, n = 0;

	addr_space_walk(sn->pn_space, sn->pn_asof, count_spot, &n, &from,
	    &until);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	struct perf_event_header hdr;
	struct sideband_event se;
	void *rec;

	while (nbytes >= sizeof(hdr)) {
		memcpy(&hdr, data, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > nbytes)
			break;
		if ((rec = malloc(hdr.size)) == NULL)
			abort();
		memcpy(rec, data, hdr.size);
		if (sideband_event_parse(rec, hdr.size, &se) == 0)
			proc_table_event(&se, NULL);
		free(rec);
		data += hdr.size;
		nbytes -= hdr.size;
	}
	(void)proc_table_each(check_proc, NULL);
	proc_table_trim(UINT64_MAX / 2);
	proc_table_clear();
	if (addr_space_sum.ast_spaces != 0 ||
	    addr_space_sum.ast_mappings != 0 || addr_space_sum.ast_bytes != 0)
		abort();
	return 0;
}
