/* SPDX-License-Identifier: ISC */
/*
 * The requests of the dt device: number, sufficient rights, length of the
 * payload, function. Enabling a probe also depends on its provider's rights,
 * which dt_pcb.c checks.
 */
#include <dev/dt/dtvar.h>

#include "daemon/device/cdevsw.h"
#include "daemon/dt/dt_ioctl.h"
#include "wire/wire.h"

#define SYM_MIN	    sizeof(struct wire_sym)
#define SYM_MAX	    (SYM_MIN + WIRE_MAXSYM * sizeof(uint64_t))

#define SYMFILE_MIN sizeof(struct wire_symfile)
#define MAPPED_FILE_MAX \
	(SYMFILE_MIN + WIRE_MAXSYM * sizeof(uint64_t) + WIRE_MAXPATH)

const struct ioctl_desc dt_ioctls[DT_NIOCTLS] = {
	{ DTIOCGPLIST, RIGHT_LIST, sizeof(struct wire_page),
	    sizeof(struct wire_page), NULL, dt_list_probes_run },
	{ DTIOCGSTATS, RIGHT_LIST, 0, 0, dt_ioctl_get_stats, NULL },
	{ DTIOCRECORD, RIGHT_TRACE, sizeof(int), sizeof(int), dt_ioctl_record,
	    NULL },
	{ DTIOCPRBENABLE, RIGHT_TRACE, sizeof(struct dtioc_req),
	    sizeof(struct dtioc_req), dt_ioctl_probe_enable, NULL },
	{ DTIOCPRBDISABLE, RIGHT_TRACE, sizeof(struct dtioc_req),
	    sizeof(struct dtioc_req), dt_ioctl_probe_disable, NULL },
	{ DTIOCGARGS, RIGHT_LIST, sizeof(struct wire_args),
	    sizeof(struct wire_args), dt_ioctl_get_args, NULL },
	{ DTIOCGETAUXBASE, RIGHT_TRACE_ALL, sizeof(struct dtioc_getaux),
	    sizeof(struct dtioc_getaux), dt_ioctl_get_auxbase, NULL },
	{ DTIOCSELF, RIGHT_LIST, sizeof(int), sizeof(int), dt_ioctl_self,
	    NULL },
	{ DTIOCLOOKUP, RIGHT_LIST, sizeof(struct wire_lookup),
	    sizeof(struct wire_lookup), dt_ioctl_lookup, NULL },
	{ DTIOCSFILTER, RIGHT_LIST, sizeof(struct dtioc_filter),
	    sizeof(struct dtioc_filter), dt_ioctl_set_filter, NULL },
	{ DTIOCSBUDGET, RIGHT_LIST, sizeof(uint64_t), sizeof(uint64_t),
	    dt_ioctl_set_budget, NULL },
	{ DTIOCSMAXBUDGET, RIGHT_LIST, sizeof(uint64_t), sizeof(uint64_t),
	    dt_ioctl_set_maxbudget, NULL },
	{ DTIOCGFULLSTAT, RIGHT_LIST, 0, 0, dt_ioctl_get_fullstat, NULL },
	{ DTIOCGPROVS, RIGHT_LIST, sizeof(struct wire_page),
	    sizeof(struct wire_page), dt_ioctl_get_provs, NULL },
	{ DTIOCSYM, RIGHT_TRACE, SYM_MIN, SYM_MAX, dt_ioctl_sym, NULL },
	{ DTIOCGSTATS_V1, RIGHT_LIST, 0, 0, dt_ioctl_get_stats_v1, NULL },
	{ DTIOCPRBENABLE_V1, RIGHT_TRACE, sizeof(struct dtioc_req_v1),
	    sizeof(struct dtioc_req_v1), dt_ioctl_probe_enable_v1, NULL },
	{ DTIOCPRBDISABLE_V1, RIGHT_TRACE, sizeof(struct dtioc_req_v1),
	    sizeof(struct dtioc_req_v1), dt_ioctl_probe_disable_v1, NULL },
	{ DTIOCGARGNAMES, RIGHT_LIST, sizeof(struct wire_args),
	    sizeof(struct wire_args), dt_ioctl_get_args, NULL },
	{ DTIOCNOLIMIT, RIGHT_ADMIN, sizeof(int), sizeof(int), dt_ioctl_nolimit,
	    NULL },
	{ DTIOCSPATH, RIGHT_LIST, sizeof(struct dtioc_path),
	    sizeof(struct dtioc_path), dt_ioctl_set_path, NULL },
	{ DTIOCSCONDITION, RIGHT_TRACE, sizeof(struct dtioc_condition),
	    sizeof(struct dtioc_condition), dt_ioctl_set_condition, NULL },
	{ DTIOCSPAIR, RIGHT_TRACE, sizeof(struct dtioc_pair),
	    sizeof(struct dtioc_pair), dt_ioctl_set_pair, NULL },
	{ DTIOCSAGG, RIGHT_TRACE, sizeof(struct dtioc_agg),
	    sizeof(struct dtioc_agg), dt_ioctl_set_agg, NULL },
	{ DTIOCSREADS, RIGHT_TRACE_ALL, sizeof(struct dtioc_reads),
	    sizeof(struct dtioc_reads), dt_ioctl_set_reads, NULL },
	{ DTIOCAGGSNAP, RIGHT_TRACE, 0, 0, dt_ioctl_agg_snapshot, NULL },
	{ DTIOCGAGG, RIGHT_TRACE, 0, 0, NULL, dt_agg_rows_run },
	{ DTIOCGMAPS, RIGHT_TRACE, sizeof(struct wire_maps),
	    sizeof(struct wire_maps), dt_ioctl_get_maps, NULL },
	{ DTIOCSYMFILE, RIGHT_ADMIN, SYMFILE_MIN, MAPPED_FILE_MAX,
	    dt_ioctl_symfile, NULL },
	{ DTIOCGSTACK, RIGHT_TRACE, sizeof(struct dtioc_stack),
	    sizeof(struct dtioc_stack), dt_ioctl_get_stack, NULL },
	{ DTIOCGPENDING, RIGHT_TRACE, 0, 0, dt_ioctl_get_pending, NULL },
	{ DTIOCTHREADS, RIGHT_TRACE_ALL, sizeof(struct dtioc_threads),
	    sizeof(struct dtioc_threads), dt_ioctl_threads, NULL },
	{ DTIOCGTHREADS, RIGHT_TRACE_ALL, 0, 0, NULL, dt_threads_page_run },
	{ DTIOCFILE, RIGHT_TRACE_OWN | RIGHT_TRACE_ALL,
	    sizeof(struct wire_file), sizeof(struct wire_file), NULL,
	    dt_file_add_run },
	{ DTIOCPASS, RIGHT_TRACE, 0, 0, dt_ioctl_pass, NULL },
	{ DTIOCGSTALL, RIGHT_STATS, 0, 0, dt_ioctl_get_stall, NULL },
	{ DTIOCRDVNODE, RIGHT_TRACE_ALL, sizeof(struct wire_rdvnode),
	    sizeof(struct wire_rdvnode), dt_ioctl_rdvnode, NULL },
	{ DTIOCGKSYMS, RIGHT_PROFILE | RIGHT_TRACE_ALL,
	    sizeof(struct wire_ksyms), sizeof(struct wire_ksyms),
	    dt_ioctl_get_ksyms, NULL },
	{ DTIOCGADDR, RIGHT_TRACE_ALL, sizeof(struct dtioc_addr),
	    sizeof(struct dtioc_addr), dt_ioctl_get_addr, NULL },
	{ DTIOCGSUMS, RIGHT_STATS, 0, 0, dt_ioctl_get_sums, NULL },
};
