/* SPDX-License-Identifier: ISC */
/* Sends queries for places to probe to a symbolizer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/procs/mapped_file.h"
#include "daemon/sym/debuginfod.h"
#include "daemon/sym/file_probes.h"
#include "daemon/sym/probe_buf.h"
#include "daemon/sym/probe_cache.h"
#include "daemon/sym/symbol_file.h"
#include "daemon/sym/symbolizer_process.h"

#define MAXROUNDS 4 /* a debug file, a shared one, and a spare */

static int
query_name(struct probe_query *pq, const char *name)
{
	size_t n = name == NULL ? 0 : strlen(name);

	if (n >= sizeof(pq->pq_name))
		return ENAMETOOLONG;
	memset(pq->pq_name, 0, sizeof(pq->pq_name));
	if (n > 0)
		memcpy(pq->pq_name, name, n);
	pq->pq_namelen = n;
	return 0;
}

/*
 * Requests it; again if a file that the worker requested could be fetched.
 * *islate: it could not be fetched yet.
 */
static int
request(struct symbol_file *sf, struct symreq *rq, const struct probe_query *pq,
    struct file_probes *fip, int *islate)
{
	struct probe_buf pb = { .pbf_max = pq->pq_max };
	int error, late, rounds = 0;

	do {
		file_probes_free(&pb.pbf_found);
		pb = (struct probe_buf){ .pbf_max = pq->pq_max };
		debuginfod_begin();
		if ((error = symbolizer_process_take()) == 0 &&
		    (error = symbol_file_send(sf, rq)) == 0)
			error = symbolizer_process_probes(rq, pq, sf->sbf_file,
			    &pb);
		symbolizer_process_give();
		late = error == 0 ? debuginfod_wait() : ENOENT;
	} while (late == 0 && ++rounds < MAXROUNDS);
	*islate = late != ENOENT;
	if (error != 0)
		file_probes_free(&pb.pbf_found);
	else
		*fip = pb.pbf_found;
	return error;
}

int
file_probes_get(struct mapped_file *mf, struct probe_query *pq,
    const char *name, struct file_probes *fip)
{
	struct symreq rq = { .srq_type = SYMREQ_PROBES,
		.srq_npcs = sizeof(*pq) / sizeof(uint64_t) };
	struct symbol_file sf;
	int error, islate;

	if (pq->pq_max > PROBE_SITES_MAX)
		pq->pq_max = PROBE_SITES_MAX;
	if ((error = query_name(pq, name)) != 0 ||
	    (error = symbol_file_open(mf, &sf, &rq)) != 0)
		return error;
	/* a file that fails here may have symbols, and the reverse */
	sf.sbf_key.sk_size = ~sf.sbf_key.sk_size - pq->pq_kind;
	if (probe_cache_get(&sf.sbf_key, pq, fip))
		return 0;
	if ((error = symbol_file_begin(&sf)) != 0)
		return error;
	error = request(&sf, &rq, pq, fip, &islate);
	if (error == 0 && !islate)
		probe_cache_put(&sf.sbf_key, pq, fip);
	symbol_file_end(&sf, error == EOPNOTSUPP ? 0 : error);
	return error;
}

const struct probe_arg *
file_probes_args(const struct file_probes *fip, uint32_t i)
{
	const struct probe_arg *pa = fip->fip_args;

	if (fip->fip_nargs == 0)
		return NULL;
	while (i-- > 0)
		pa += fip->fip_sites[i].psi_nargs;
	return pa;
}
