/* SPDX-License-Identifier: ISC */
/* Sums the use of the process table by share, and drops mappings of a share. */
#include <stdlib.h>

#include "daemon/procs/proc_share.h"

#define SHARE_RANGE 65536
#define SHARES	    (2 * SHARE_RANGE)

uint32_t
proc_share_of(uid_t uid)
{
	return uid < SHARE_RANGE ? uid : SHARE_RANGE + uid / SHARE_RANGE;
}

/* Processes share an address space after a fork; each has a part of it. */
static uint64_t
space_bytes(const struct addr_space *as)
{
	return as->as_charged / as->as_refs;
}

uint64_t
proc_share_bytes(const struct process *ps)
{
	uint64_t nbytes;
	const struct proc_span *sn;

	nbytes = sizeof(*ps) + ps->ps_nnums * sizeof(ps->ps_nums[0]);
	for (sn = ps->ps_spans; sn != NULL; sn = sn->pn_older)
		nbytes += sizeof(*sn) + space_bytes(sn->pn_space);
	return nbytes;
}

uint64_t
proc_share_ended(const struct process *ps)
{
	return ps->ps_end != 0;
}

struct shares {
	uint64_t *sh_sums;
	uint64_t (*sh_use)(const struct process *);
};

static int
share_add(struct process *ps, void *arg)
{
	struct shares *sh = arg;

	sh->sh_sums[proc_share_of(ps->ps_uid)] += sh->sh_use(ps);
	return 0;
}

uint32_t
proc_share_largest(uint64_t (*use)(const struct process *))
{
	struct shares sh = { calloc(SHARES, sizeof(uint64_t)), use };
	uint64_t most = 0;
	uint32_t i, share = UINT32_MAX;

	if (sh.sh_sums == NULL)
		return UINT32_MAX;
	(void)proc_table_each(share_add, &sh);
	for (i = 0; i < SHARES; i++)
		if (sh.sh_sums[i] > most) {
			most = sh.sh_sums[i];
			share = i;
		}
	free(sh.sh_sums);
	return share;
}

struct drop {
	uint32_t shd_share;
	uint64_t shd_nbytes;
	int (*shd_isenough)(void);
	unsigned int shd_n;
};

static int
drop_process(struct process *ps, void *arg)
{
	struct drop *dr = arg;
	struct proc_span *sn;

	if (proc_share_of(ps->ps_uid) != dr->shd_share)
		return 0;
	for (sn = ps->ps_spans; sn != NULL; sn = sn->pn_older)
		while (space_bytes(sn->pn_space) > dr->shd_nbytes &&
		    addr_space_drop(sn->pn_space))
			dr->shd_n++;
	return dr->shd_isenough();
}

unsigned int
proc_share_drop(uint32_t share, uint64_t nbytes, int (*isenough)(void))
{
	struct drop dr = { share, nbytes, isenough, 0 };

	(void)proc_table_each(drop_process, &dr);
	return dr.shd_n;
}
