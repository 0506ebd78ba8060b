/* SPDX-License-Identifier: ISC */
/*
 * Shared by the providers tracepoint and rawtracepoint: a probe has a format,
 * which locates the values in the kernel's data, and, while a session records
 * it, an entry in the programs' table.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H
#define DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H

#include "daemon/dt/prov/dt_prov_tracepoint_attach.h"
#include "daemon/kernel/tp_format.h"

struct dt_pcb;
struct dt_probe;
struct dt_provider;
struct dt_enabled;

struct dt_tp;
struct reason;

/* w: fills tpl_link and tpl_slow. Implemented by the provider. */
typedef int dt_tp_attach_fn(struct dt_tp *, const struct dt_probe *);

/*
 * A probe has two: sessions with unwind tables (dp_walks) use separate
 * links, programs and entries.
 */
struct dt_tp {
	struct dt_tplink tp_link;    /* first */
	struct tp_format *tp_format; /* set with dtp_learnt, then constant,
				      * except tfm_id, which tp_attach sets */
	unsigned int tp_nread;	     /* sessions that read values */
	unsigned int tp_nquick;	     /* sessions that the fast program serves */
	int tp_israw;
	int tp_tables; /* the one of sessions with unwind tables */
	dt_tp_attach_fn *tp_attach;
};

/* Implements the providers' pva_get. */
void dt_tp_args(const struct tp_format *, unsigned int n, const char **type,
    const char **name, unsigned int *flags);
/* Implements their pva_operand. */
int dt_tp_operand(const struct tp_format *, const struct dt_opd *,
    struct dt_look *);
/* Keeps a copy of a format, for both of a probe. */
int dt_tp_keep(struct dt_tp[2], const struct tp_format *);
/* Makes both of a probe. */
void dt_tp_init(struct dt_tp[2], dt_tp_attach_fn *);

/*
 * dt_prov_tracepoint_list.c: modules add tracepoints, and so do users who
 * define events (kprobe_events and others). Removed ones stay in the list but
 * cannot be attached.
 */
#define TPLIST_FILE "available_events" /* in tracefs */
/*
 * Creates probes from a list. The text must stay: probes point to names in it.
 */
int dt_tplist_add(const struct dt_provider *, char *text, dt_tp_attach_fn *);
/* Implement pvl_reread and pvl_merge, which frees the text. */
void *dt_tplist_reread(void);
void dt_tplist_merge(const struct dt_provider *, char *text, dt_tp_attach_fn *);

/* dt_prov_tracepoint_load.c */
/* The table shared by all programs; mapped once one has been loaded. */
extern struct dt_tp_table *dt_tptable;
/* w: creates the table. */
int dt_tp_load_table(struct reason *);
/* w: loads the program of all tracepoints, once for each kind of session. */
int dt_tp_load(int tables, struct reason *);
/* Returns how many bytes of a record the fast program can read. */
unsigned int dt_tp_quicklength(const struct tp_format *);
/*
 * w: returns the fast program for such records; if there is none, the program
 * for all records.
 */
int dt_tp_prog(const struct tp_format *);
int dt_tp_prog_all(int tables); /* w: the program for all records */
/* w: loads the program of one raw tracepoint, with this entry. */
int dt_tp_load_raw(unsigned int line, const struct tp_format *, int tables,
    int *fdp);

/* w: implement the providers' pvr_start and pvr_stop. */
int dt_tp_start(struct dt_enabled *, struct dt_pcb *, struct dt_tp[2]);
void dt_tp_stop(struct dt_enabled *, struct dt_pcb *, struct dt_tp[2]);

#endif /* DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H */
