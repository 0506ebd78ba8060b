/* SPDX-License-Identifier: ISC */
/*
 * Functions of one open while it records: what the programs' table has of
 * them, and their links.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H
#define DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H

#include "bpf/dt_kprobe_table.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/kernel/attach.h"

/* dtp_sysnum of a probe: which function, and ATTACH_ENTRY or _RETURN. */
#define KPROBE_INDEX(n) ((n) / 2)
#define KPROBE_DIR(n)	((n) % 2)

_Static_assert(ATTACH_ENTRY == 0 && ATTACH_RETURN == 1, "KPROBE_DIR");

extern const struct dt_provider dt_prov_kprobe;

/* All by who may touch ds_kset. */
struct kprobe_run {
	struct attach_links kpr_links;
	uint32_t kpr_run;	   /* 0: halted */
	unsigned int kpr_attached; /* 1 << enum attach_kind */
	uint64_t *kpr_holes;	   /* keys, of probes that were disabled */
	size_t kpr_nholes;
	uint16_t *kpr_entries; /* of the table */
	size_t kpr_nentries, kpr_maxentries;
	uint64_t kpr_missed0[ATTACH_NPROG]; /* of the programs, at start */
};

/* Makes ds_kset, of a new run that counts from now on.  Programs are loaded. */
int kprobe_run_begin(struct dt_softc *);
/* The line of the set that says this, new or not: ENOSPC, ENOMEM. */
int kprobe_run_entry(struct kprobe_run *, const struct dt_kprobe_entry *,
    uint16_t *line);
/* A program is going to be attached. */
void kprobe_run_uses(struct kprobe_run *, enum attach_kind);
/* From now on nothing of the run counts; and nothing of this probe.  NULL:
 * none is fine. */
void kprobe_run_halt(struct dt_softc *);
void kprobe_run_disable(struct dt_softc *, const struct dt_pcb *);
/* No program is at work for the run any more: accounts, and frees it. */
void kprobe_run_end(struct dt_softc *);

/* dt_prov_kprobe_attach.c */
/*
 * Attaches all that the open has enabled of functions.  Says in text why not.
 */
int kprobe_attach(struct dt_softc *, char *text);

#endif /* DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H */
