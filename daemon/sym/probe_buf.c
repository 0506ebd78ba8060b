/* SPDX-License-Identifier: ISC */
/* Checks places to probe from a symbolizer, and collects them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sym/probe_buf.h"
#include "wire/symbolizer.h"

#define ALL_SITE_FLAGS \
	(PROBE_SITE_DWARF | PROBE_SITE_EXACT | PROBE_SITE_GO | \
	    PROBE_SITE_CXX | PROBE_SITE_RUST | PROBE_SITE_IFUNC | \
	    PROBE_SITE_REFUSED)
#define ALL_ARG_FLAGS (PROBE_ARG_SIGNED | PROBE_ARG_BYREF | PROBE_ARG_RETURN)

/* A message, and where its strings go. */
struct probe_message {
	const struct symrep_probes *pmg_head;
	const struct probe_site *pmg_sites;
	const struct probe_arg *pmg_args;
	const char *pmg_strings;
	uint32_t pmg_at; /* of its strings among all */
};

static int
room(void *pp, size_t want, size_t *max, size_t size)
{
	size_t n = *max == 0 ? 64 : *max;
	void *p;

	if (want <= *max)
		return 0;
	while (n < want)
		n *= 2;
	if ((p = realloc(*(void **)pp, n * size)) == NULL)
		return ENOMEM;
	*(void **)pp = p;
	*max = n;
	return 0;
}

static int
make_room(struct probe_buf *pb, const struct symrep_probes *head)
{
	struct file_probes *fip = &pb->pbf_found;
	int error;

	error = room(&fip->fip_sites,
	    (size_t)fip->fip_nsites + head->sps_nsites, &pb->pbf_maxsites,
	    sizeof(*fip->fip_sites));
	if (error == 0)
		error = room(&fip->fip_args,
		    (size_t)fip->fip_nargs + head->sps_nargs, &pb->pbf_maxargs,
		    sizeof(*fip->fip_args));
	if (error == 0)
		error = room(&fip->fip_strings,
		    (size_t)fip->fip_nbytes + head->sps_nbytes,
		    &pb->pbf_maxbytes, 1);
	return error;
}

/* Checks a string of a message, and makes it one of all strings. */
static int
take_string(const struct probe_message *pmg, uint32_t *at)
{
	uint32_t n = pmg->pmg_head->sps_nbytes, from = *at - 1;

	if (*at == 0)
		return 1;
	if (from >= n ||
	    memchr(pmg->pmg_strings + from, '\0',
		n - from < SYMREQ_NAME ? n - from : SYMREQ_NAME) == NULL)
		return 0;
	*at += pmg->pmg_at;
	return 1;
}

static int
good_register(uint8_t reg)
{
	return reg < PROBE_REG_MAX || reg == PROBE_REG_NONE;
}

static int
good_place(const struct probe_arg *pa)
{
	if (pa->pra_kind < PROBE_ARG_INT || pa->pra_kind > PROBE_ARG_UNKNOWN ||
	    pa->pra_place < PROBE_PLACE_NONE ||
	    pa->pra_place > PROBE_PLACE_MEM || !good_register(pa->pra_base) ||
	    !good_register(pa->pra_index) || (pa->pra_flags & ~ALL_ARG_FLAGS) ||
	    pa->pra_zero != 0 || pa->pra_shift > 63)
		return 0;
	if (pa->pra_place == PROBE_PLACE_REG && pa->pra_base == PROBE_REG_NONE)
		return 0;
	return pa->pra_scale == 1 || pa->pra_scale == 2 || pa->pra_scale == 4 ||
	    pa->pra_scale == 8;
}

static int
take_args(struct probe_buf *pb, const struct probe_message *pmg)
{
	struct probe_arg pa;
	uint32_t i;

	for (i = 0; i < pmg->pmg_head->sps_nargs; i++) {
		pa = pmg->pmg_args[i];
		if (!good_place(&pa) || !take_string(pmg, &pa.pra_name) ||
		    !take_string(pmg, &pa.pra_type) ||
		    !take_string(pmg, &pa.pra_why))
			return EIO;
		pb->pbf_found.fip_args[pb->pbf_found.fip_nargs++] = pa;
	}
	return 0;
}

static int
take_sites(struct probe_buf *pb, const struct probe_message *pmg)
{
	struct probe_site ps;
	uint32_t i, nargs = 0;

	for (i = 0; i < pmg->pmg_head->sps_nsites; i++) {
		ps = pmg->pmg_sites[i];
		nargs += ps.psi_nargs;
		if (ps.psi_nargs > PROBE_ARGS_MAX || ps.psi_zero != 0 ||
		    (ps.psi_flags & ~ALL_SITE_FLAGS) ||
		    !take_string(pmg, &ps.psi_name) ||
		    !take_string(pmg, &ps.psi_more))
			return EIO;
		pb->pbf_found.fip_sites[pb->pbf_found.fip_nsites++] = ps;
	}
	return nargs == pmg->pmg_head->sps_nargs ? 0 : EIO;
}

int
probe_buf_take(struct probe_buf *pb, const void *msg, size_t n)
{
	struct file_probes *fip = &pb->pbf_found;
	const struct symrep_probes *head = msg;
	struct probe_message pmg = { head, (const void *)(head + 1), NULL, NULL,
		fip->fip_nbytes };
	int error;

	if (n < sizeof(*head) || head->sps_nsites > n || head->sps_nargs > n ||
	    head->sps_nbytes > n ||
	    n !=
		sizeof(*head) + head->sps_nsites * sizeof(*pmg.pmg_sites) +
		    head->sps_nargs * sizeof(*pmg.pmg_args) +
		    head->sps_nbytes ||
	    head->sps_nsites > pb->pbf_max - fip->fip_nsites ||
	    head->sps_nbytes > PROBE_BUF_BYTES - fip->fip_nbytes)
		return EIO;
	pmg.pmg_args = (const void *)(pmg.pmg_sites + head->sps_nsites);
	pmg.pmg_strings = (const void *)(pmg.pmg_args + head->sps_nargs);
	if ((error = make_room(pb, head)) != 0 ||
	    (error = take_args(pb, &pmg)) != 0 ||
	    (error = take_sites(pb, &pmg)) != 0)
		return error;
	if (head->sps_nbytes > 0)
		memcpy(fip->fip_strings + fip->fip_nbytes, pmg.pmg_strings,
		    head->sps_nbytes);
	fip->fip_nbytes += head->sps_nbytes;
	fip->fip_ismore |= head->sps_more != 0;
	return 0;
}

void
file_probes_free(struct file_probes *fip)
{
	free(fip->fip_sites);
	free(fip->fip_args);
	free(fip->fip_strings);
	*fip = (struct file_probes){ 0 };
}
