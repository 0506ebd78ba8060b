/* SPDX-License-Identifier: ISC */
/* The requests of the dt device: their table, and the functions in its rows. */
#ifndef DAEMON_DT_DT_IOCTL_H
#define DAEMON_DT_DT_IOCTL_H

#include "daemon/device/cdevsw.h"

#define DT_NIOCTLS 40
extern const struct ioctl_desc dt_ioctls[DT_NIOCTLS];

/* dt_list.c: probes, arguments, providers */
int dt_list_probes_run(struct op *); /* worker */
int dt_ioctl_lookup(struct op *);
int dt_ioctl_get_args(struct op *);
int dt_ioctl_get_provs(struct op *);

/* dt_settings.c: settings of a session */
int dt_ioctl_self(struct op *);
int dt_ioctl_set_filter(struct op *);
int dt_ioctl_set_path(struct op *);
int dt_ioctl_set_budget(struct op *);
int dt_ioctl_set_maxbudget(struct op *);
int dt_ioctl_nolimit(struct op *);

/* dt_pcb.c: enabled probes, and the files that have some */
int dt_file_add_run(struct op *); /* worker */
int dt_ioctl_probe_enable(struct op *);
int dt_ioctl_probe_disable(struct op *);
int dt_ioctl_set_condition(struct op *);
int dt_ioctl_set_reads(struct op *);

/* dt_pair.c: pairs of enabled probes */
int dt_ioctl_set_pair(struct op *);

/* dt_agg.c: hits that are counted by key */
int dt_ioctl_set_agg(struct op *);
int dt_ioctl_agg_snapshot(struct op *);
int dt_agg_rows_run(struct op *); /* worker */

/* dt_compat_v1.c: requests and statistics of version 1 */
int dt_ioctl_probe_enable_v1(struct op *);
int dt_ioctl_probe_disable_v1(struct op *);
int dt_ioctl_get_stats_v1(struct op *);

/* dt_record.c */
int dt_ioctl_record(struct op *);

/* dt_stream.c */
int dt_ioctl_pass(struct op *);

/* dt_stat.c */
int dt_ioctl_get_stats(struct op *);
int dt_ioctl_get_fullstat(struct op *);
int dt_ioctl_get_pending(struct op *);
int dt_ioctl_get_stall(struct op *);

/* dt_threads.c: threads and their stacks at a moment */
int dt_ioctl_threads(struct op *);
int dt_threads_page_run(struct op *); /* worker */

/* dt_session_sums.c */
int dt_ioctl_get_sums(struct op *);

/* dt_sym.c: symbols, copied stacks */
int dt_ioctl_sym(struct op *);
int dt_ioctl_get_maps(struct op *);
int dt_ioctl_symfile(struct op *);
int dt_ioctl_get_stack(struct op *);

/* dt_sym_bsd.c: files and kernel functions for programs that read symbols */
int dt_ioctl_rdvnode(struct op *);
int dt_ioctl_get_auxbase(struct op *);
int dt_ioctl_get_ksyms(struct op *);

/* dt_addr.c: addresses of symbols by name */
int dt_ioctl_get_addr(struct op *);

#endif /* DAEMON_DT_DT_IOCTL_H */
