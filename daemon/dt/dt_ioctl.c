/* SPDX-License-Identifier: ISC */
/*
 * The requests of the dt device: number, sufficient rights, length of the
 * payload, function. Enabling a probe also depends on its provider's rights,
 * which dt_pcb.c checks.
 */
#include "daemon/dt/dt_softc.h"

#define SYM_MIN	    sizeof(struct wire_sym)
#define SYM_MAX	    (SYM_MIN + WIRE_MAXSYM * sizeof(uint64_t))

#define SYMFILE_MIN sizeof(struct wire_symfile)
#define MAPPED_FILE_MAX \
	(SYMFILE_MIN + WIRE_MAXSYM * sizeof(uint64_t) + WIRE_MAXPATH)

const struct ioctl_desc dt_ioctls[DT_NIOCTLS] = {
	{ DTIOCGPLIST, RIGHT_LIST, sizeof(struct wire_page),
	    sizeof(struct wire_page), dt_ioctl_list_probes },
	{ DTIOCGSTATS, RIGHT_LIST, 0, 0, dt_ioctl_get_stats },
	{ DTIOCRECORD, RIGHT_TRACE, sizeof(int), sizeof(int), dt_ioctl_record },
	{ DTIOCPRBENABLE, RIGHT_TRACE, sizeof(struct dtioc_req),
	    sizeof(struct dtioc_req), dt_ioctl_probe_enable },
	{ DTIOCPRBDISABLE, RIGHT_TRACE, sizeof(struct dtioc_req),
	    sizeof(struct dtioc_req), dt_ioctl_probe_disable },
	{ DTIOCGARGS, RIGHT_LIST, sizeof(struct wire_args),
	    sizeof(struct wire_args), dt_ioctl_get_args },
	{ DTIOCGETAUXBASE, RIGHT_TRACE_ALL, sizeof(struct dtioc_getaux),
	    sizeof(struct dtioc_getaux), dt_ioctl_get_auxbase },
	{ DTIOCSELF, RIGHT_LIST, sizeof(int), sizeof(int), dt_ioctl_self },
	{ DTIOCLOOKUP, RIGHT_LIST, sizeof(struct wire_lookup),
	    sizeof(struct wire_lookup), dt_ioctl_lookup },
	{ DTIOCSFILTER, RIGHT_LIST, sizeof(struct dtioc_filter),
	    sizeof(struct dtioc_filter), dt_ioctl_set_filter },
	{ DTIOCSBUDGET, RIGHT_LIST, sizeof(uint64_t), sizeof(uint64_t),
	    dt_ioctl_set_budget },
	{ DTIOCSMAXBUDGET, RIGHT_LIST, sizeof(uint64_t), sizeof(uint64_t),
	    dt_ioctl_set_maxbudget },
	{ DTIOCGFULLSTAT, RIGHT_LIST, 0, 0, dt_ioctl_get_fullstat },
	{ DTIOCGPROVS, RIGHT_LIST, sizeof(struct wire_page),
	    sizeof(struct wire_page), dt_ioctl_get_provs },
	{ DTIOCSYM, RIGHT_TRACE, SYM_MIN, SYM_MAX, dt_ioctl_sym },
	{ DTIOCGSTATS_V1, RIGHT_LIST, 0, 0, dt_ioctl_get_stats_v1 },
	{ DTIOCPRBENABLE_V1, RIGHT_TRACE, sizeof(struct dtioc_req_v1),
	    sizeof(struct dtioc_req_v1), dt_ioctl_probe_enable_v1 },
	{ DTIOCPRBDISABLE_V1, RIGHT_TRACE, sizeof(struct dtioc_req_v1),
	    sizeof(struct dtioc_req_v1), dt_ioctl_probe_disable_v1 },
	{ DTIOCGARGNAMES, RIGHT_LIST, sizeof(struct wire_args),
	    sizeof(struct wire_args), dt_ioctl_get_args },
	{ DTIOCNOLIMIT, RIGHT_ADMIN, sizeof(int), sizeof(int),
	    dt_ioctl_nolimit },
	{ DTIOCSPATH, RIGHT_LIST, sizeof(struct dtioc_path),
	    sizeof(struct dtioc_path), dt_ioctl_set_path },
	{ DTIOCSCONDITION, RIGHT_TRACE, sizeof(struct dtioc_condition),
	    sizeof(struct dtioc_condition), dt_ioctl_set_condition },
	{ DTIOCSPAIR, RIGHT_TRACE, sizeof(struct dtioc_pair),
	    sizeof(struct dtioc_pair), dt_ioctl_set_pair },
	{ DTIOCGMAPS, RIGHT_TRACE, sizeof(struct wire_maps),
	    sizeof(struct wire_maps), dt_ioctl_get_maps },
	{ DTIOCSYMFILE, RIGHT_ADMIN, SYMFILE_MIN, MAPPED_FILE_MAX,
	    dt_ioctl_symfile },
	{ DTIOCGSTALL, RIGHT_STATS, 0, 0, dt_ioctl_get_stall },
	{ DTIOCGSUMS, RIGHT_STATS, 0, 0, dt_ioctl_get_sums },
};
