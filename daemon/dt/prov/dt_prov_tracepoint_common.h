/* SPDX-License-Identifier: ISC */
/*
 * What the providers tracepoint and rawtracepoint have in common: a probe has
 * a format, which tells where the values are in what the kernel hands over, and
 * while somebody records a line of the programs' table.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H
#define DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H

#include "daemon/dt/prov/dt_prov_tracepoint_attach.h"
#include "daemon/kernel/tp_format.h"

struct dt_pcb;
struct dt_probe;
struct dt_provider;
struct dt_softc;

struct dt_tp;

/* w: fills tpl_link and tpl_slow.  Of the provider. */
typedef int dt_tp_attach_fn(struct dt_tp *, const struct dt_probe *);

struct dt_tp {
	struct dt_tplink tp_link;    /* first */
	struct tp_format *tp_format; /* once dtp_learnt, then constant, but for
				     * tfm_id, which is tp_attach's */
	unsigned int tp_nread;	     /* opens that want values */
	unsigned int tp_nquick;	     /* opens that the quick program serves */
	int tp_israw;
	dt_tp_attach_fn *tp_attach;
};

/* For the providers' prov_args. */
void dt_tp_args(const struct tp_format *, unsigned int n, const char **type,
    const char **name, unsigned int *flags);
/* For their prov_operand. */
int dt_tp_operand(const struct tp_format *, const struct dt_opd *,
    struct dt_look *);
/* Keeps what a format has. */
int dt_tp_keep(struct dt_tp *, const struct tp_format *);

/*
 * dt_prov_tracepoint_list.c: modules bring tracepoints, and so does who defines
 * events (kprobe_events and so on).  Those that go stay in the list, and cannot
 * be attached.
 */
#define TPLIST_FILE "available_events" /* of tracefs */
/* Makes probes of a list, whose text stays: their names are in it. */
int dt_tplist_add(const struct dt_provider *, char *text, dt_tp_attach_fn *);
/* prov_reread; and for prov_merge, which frees the text. */
void *dt_tplist_reread(void);
void dt_tplist_merge(const struct dt_provider *, char *text, dt_tp_attach_fn *);

/* dt_prov_tracepoint_load.c */
/* The table that all programs have: mapped, once one was loaded. */
extern struct dt_tp_table *dt_tptable;
/* w: makes the table. */
int dt_tp_load_table(char *text);
/* w: loads the program of all tracepoints; once. */
int dt_tp_load(char *text);
/* Bytes of a record that the quick program can read. */
unsigned int dt_tp_quicklength(const struct tp_format *);
/* w: the program for such records; for NULL, or if there is none, that of all
 * records. */
int dt_tp_prog(const struct tp_format *);
/* w: loads the program of one raw tracepoint, that of this line. */
int dt_tp_load_raw(unsigned int line, const struct tp_format *, int *fdp);

/* w: for the providers' prov_start and prov_stop. */
int dt_tp_start(struct dt_softc *, struct dt_pcb *, struct dt_tp *);
void dt_tp_stop(struct dt_softc *, struct dt_pcb *, struct dt_tp *);

#endif /* DAEMON_DT_PROV_DT_PROV_TRACEPOINT_COMMON_H */
