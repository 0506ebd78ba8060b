/* SPDX-License-Identifier: ISC */
/*
 * What the providers tracepoint and rawtracepoint have in common: a probe has
 * a format, which tells where the values are in what the kernel hands over, and
 * while somebody records a line of the programs' table.
 */
#ifndef DAEMON_DT_DT_TP_H
#define DAEMON_DT_DT_TP_H

#include "dt_tplink.h"
#include "tpformat.h"

struct bpf_program;
struct dt_pcb;
struct dt_probe;
struct dt_softc;

struct dt_tp {
	struct dt_tplink tp_link;   /* first */
	struct tpformat *tp_format; /* once dtp_learnt, then constant */
	unsigned int tp_nread;	    /* opens that want values; dt_tp.c's */
	int tp_israw;
	/* w: fills tl_link and tl_perf.  Of the provider. */
	int (*tp_attach)(struct dt_tp *, const struct dt_probe *);
};

/* For the providers' dtpv_args. */
void dt_tp_args(const struct tpformat *, unsigned int n, const char **type,
    const char **name, unsigned int *flags);
/* For their dtpv_operand. */
int
dt_tp_operand(const struct tpformat *, const struct dt_opd *, struct dt_look *);
/* Keeps what a format has. */
int dt_tp_keep(struct dt_tp *, const struct tpformat *);

/* w: makes the table that all programs have. */
int dt_tp_load_table(char *text);
/* w: loads the program of all tracepoints; once. */
int dt_tp_load(struct bpf_program **, char *text);
/* w: loads the program of one raw tracepoint, that of this line. */
int dt_tp_load_raw(unsigned int line, int *fdp);

/* w: for the providers' dtpv_start and dtpv_stop. */
int dt_tp_start(struct dt_softc *, struct dt_pcb *, struct dt_tp *);
void dt_tp_stop(struct dt_softc *, struct dt_pcb *, struct dt_tp *);

#endif /* DAEMON_DT_DT_TP_H */
