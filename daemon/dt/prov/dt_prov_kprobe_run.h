/* SPDX-License-Identifier: ISC */
/*
 * The kernel functions of one session while it records: its entries in the
 * programs' table, and its links.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H
#define DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H

#include "bpf/dt_kprobe_table.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/kernel/attach.h"

struct reason;

/* Split dtp_sysnum of a probe: function, and ATTACH_ENTRY or ATTACH_RETURN. */
#define KPROBE_INDEX(n) ((n) / 2)
#define KPROBE_DIR(n)	((n) % 2)

_Static_assert(ATTACH_ENTRY == 0 && ATTACH_RETURN == 1, "KPROBE_DIR");

extern const struct dt_provider dt_prov_kprobe;

/* Fields are accessed by the threads that may access den_kprobes. */
struct kprobe_run {
	struct attach_links kpr_links;
	uint32_t kpr_run;	   /* 0: halted */
	unsigned int kpr_attached; /* 1 << enum attach_kind */
	uint64_t *kpr_holes;	   /* keys of disabled probes */
	size_t kpr_nholes;
	uint16_t *kpr_entries; /* entries of the table */
	size_t kpr_nentries, kpr_maxentries;
	uint64_t kpr_missed0[ATTACH_NPROG]; /* missed hits of the programs,
					     * at start */
};

/*
 * Creates den_kprobes with a new run, which counts from now on. The programs are
 * loaded.
 */
int kprobe_run_begin(struct dt_enabled *);
/*
 * Returns the set's entry with this content, added if necessary: ENOSPC,
 * ENOMEM.
 */
int kprobe_run_entry(struct kprobe_run *, const struct dt_kprobe_entry *,
    uint16_t *line);
/* Notes that a program is about to be attached. */
void kprobe_run_uses(struct kprobe_run *, enum attach_kind);
/*
 * halt stops counting for the whole run, disable for one probe. A NULL den_kprobes
 * is fine.
 */
void kprobe_run_halt(struct dt_enabled *);
void kprobe_run_disable(struct dt_enabled *, const struct dt_pcb *);
/* Accounts for the run and frees it; no program works for it any more. */
void kprobe_run_end(struct dt_enabled *);

/* dt_prov_kprobe_attach.c */
/*
 * Attaches all kernel functions that the session has enabled. Stores the reason
 * of a failure in text.
 */
int kprobe_attach(struct dt_enabled *, struct reason *);

#endif /* DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H */
