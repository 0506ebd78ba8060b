/* SPDX-License-Identifier: ISC */
/* Runs bpf/kallsyms.bpf.c. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/kallsyms_shared.h"

#include "daemon/kernel/btf.h"
#include "daemon/kernel/kallsyms_query.h"
#include "kallsyms.skel.h"

static pthread_mutex_t query_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct kallsyms_bpf *query_skel; /* by query_mtx; stays loaded */
static int query_refused; /* by query_mtx: the kernel refused, permanently */

/* By query_mtx. */
static int
query_load(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path());
	struct kallsyms_bpf *skel;
	int error;

	if (query_skel != NULL || query_refused != 0)
		return query_refused;
	if ((skel = kallsyms_bpf__open_opts(&opts)) == NULL)
		return errno;
	error = -kallsyms_bpf__load(skel);
	if (error == 0 && skel->bss == NULL) /* as in dt_maps_seen() */
		error = EOPNOTSUPP;
	if (error != 0) {
		kallsyms_bpf__destroy(skel);
		if (error == EINVAL || error == EPERM || error == EACCES ||
		    error == EOPNOTSUPP)
			query_refused = error;
		return error;
	}
	query_skel = skel;
	return 0;
}

/* By query_mtx: names at most KALLSYMS_NQUERY addresses. */
static int
query_run(const uint64_t *pcs, size_t npcs, struct ksym *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct kallsyms_query *kaq = &query_skel->bss->kallsyms_query;
	size_t i;
	int error;

	kaq->kaq_n = npcs;
	memcpy(kaq->kaq_pcs, pcs, npcs * sizeof(*pcs));
	error = -bpf_prog_test_run_opts(bpf_program__fd(
					    query_skel->progs.kallsyms_name),
	    &opts);
	if (error != 0)
		return error;
	if (opts.retval != KALLSYMS_RAN)
		return EAGAIN;
	for (i = 0; i < npcs; i++) {
		if (kaq->kaq_text[i][0] == '\0')
			return E2BIG;
		kaq->kaq_text[i][KALLSYMS_TEXT - 1] = '\0';
		kallsyms_parse(kaq->kaq_text[i], &out[i]);
	}
	return 0;
}

int
kallsyms_query(const uint64_t *pcs, size_t npcs, struct ksym *out)
{
	size_t i, n;
	int error;

	pthread_mutex_lock(&query_mtx);
	error = query_load();
	for (i = 0; i < npcs && error == 0; i += n) {
		n = npcs - i < KALLSYMS_NQUERY ? npcs - i : KALLSYMS_NQUERY;
		error = query_run(pcs + i, n, out + i);
	}
	pthread_mutex_unlock(&query_mtx);
	return error;
}
