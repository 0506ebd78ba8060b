/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes queries for places to probe: a byte with the length of a name, the
 * name, two bytes with a line, and an ELF file.  dtd must accept the sites.
 */
#include "daemon/sym/probe_buf.h"
#include "symbolizer/object_probes.h"
#include "tests/fuzz/fuzz_sym.h"

#define OFFSETS 64 /* of functions, which other queries use */

struct found {
	struct probe_sink fnd_sink; /* first: sink is found */
	uint64_t fnd_offs[OFFSETS];
	uint32_t fnd_n, fnd_nargs;
};

static int
nothing(const struct symrep_find *sa, int *fd)
{
	(void)sa;
	(void)fd;
	return ENOENT;
}

/* Has dtd's reader check a site and its arguments, as a message. */
static void
check(const struct found_site *fo)
{
	static _Alignas(8) char msg[sizeof(struct symrep_probes) +
	    sizeof(struct probe_site) +
	    PROBE_ARGS_MAX * sizeof(struct probe_arg)];
	struct probe_buf pb = { .pbf_max = 1 };
	struct symrep_probes *head = (void *)msg;
	struct probe_arg *pa = (void *)((struct probe_site *)(head + 1) + 1);
	unsigned int i, n = fo->fo_site.psi_nargs;

	*head = (struct symrep_probes){ .sps_type = SYMREP_PROBES,
		.sps_nsites = 1,
		.sps_nargs = n };
	memcpy(head + 1, &fo->fo_site, sizeof(fo->fo_site));
	for (i = 0; i < n; i++) {
		pa[i] = fo->fo_args[i].fa_arg;
		if ((pa[i].pra_place == PROBE_PLACE_NONE) !=
		    (fo->fo_args[i].fa_why != NULL))
			abort();
	}
	if (probe_buf_take(&pb, msg, (char *)(pa + n) - msg) != 0)
		abort();
	file_probes_free(&pb.pbf_found);
}

static void
put(struct probe_sink *sink, const struct found_site *fo)
{
	struct found *fnd = (struct found *)sink;
	unsigned int i;

	if (fo->fo_name == NULL || strlen(fo->fo_name) >= SYMREQ_NAME)
		abort();
	for (i = 0; i < fo->fo_site.psi_nargs; i++)
		if (fo->fo_args[i].fa_type != NULL)
			fnd->fnd_nargs += strlen(fo->fo_args[i].fa_type);
	check(fo);
	fnd->fnd_offs[fnd->fnd_n++ % OFFSETS] = fo->fo_site.psi_off;
}

static void
more(struct probe_sink *sink)
{
	((struct found *)sink)->fnd_nargs++;
}

static void
ask_all(struct object_file *ob, struct probe_query *pq)
{
	struct found fnd = { .fnd_sink = { put, more } };
	struct found rest = { .fnd_sink = { put, more } };
	uint32_t i;

	for (pq->pq_kind = 0; pq->pq_kind <= PROBE_QUERY_VARIABLE + 1;
	     pq->pq_kind++)
		(void)object_probes(ob, pq, &rest.fnd_sink);
	pq->pq_kind = PROBE_QUERY_FUNCTIONS;
	strcpy(pq->pq_name, "*");
	(void)object_probes(ob, pq, &fnd.fnd_sink);
	for (i = 0; i < fnd.fnd_n && i < OFFSETS; i++) {
		pq->pq_off = fnd.fnd_offs[i];
		for (pq->pq_kind = PROBE_QUERY_ARGS;
		     pq->pq_kind <= PROBE_QUERY_INSN; pq->pq_kind++)
			(void)object_probes(ob, pq, &rest.fnd_sink);
		pq->pq_kind = PROBE_QUERY_VARIABLE;
		(void)object_probes(ob, pq, &rest.fnd_sink);
	}
	pq->pq_kind = PROBE_QUERY_NOTES;
	(void)object_probes(ob, pq, &rest.fnd_sink);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct probe_query pq = { .pq_max = 4096 };
	struct object_file *ob;
	struct file_bytes im;
	size_t len;

	if (n < 3)
		return 0;
	len = data[0] < n - 3 ? data[0] : n - 3;
	memcpy(pq.pq_name, data + 1, len);
	pq.pq_line = data[len + 1] | data[len + 2] << 8;
	data += len + 3;
	n -= len + 3;
	pq.pq_off = n / 2;
	elf_version(EV_CURRENT);
	im = fuzz_image(data, n);
	if (object_file_open(&im, NULL, 0, nothing, &ob) != 0)
		return 0;
	ask_all(ob, &pq);
	object_file_close(ob);
	return 0;
}
