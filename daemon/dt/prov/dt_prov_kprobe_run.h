/* SPDX-License-Identifier: ISC */
/*
 * The functions of one session while it records: its entries in the programs'
 * table, and its links.  Functions of the kernel have a table and programs, and
 * functions of user programs have others.
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

/* The table of a provider's programs; its users share it. */
struct run_table {
	const char *fut_name;	 /* [I] of the provider, in messages */
	enum dt_tally fut_tally; /* [I] */
	struct dt_kprobe_table *fut_table; /* [I] mapped */
	int fut_tablefd, fut_holesfd;	   /* [I] */
	uint8_t fut_used[DT_NKENTRY];	   /* by the lock of kprobe_run.c */
	void (*fut_free)(
	    struct kprobe_run *); /* [I] of the run's rest, or NULL */
	int fut_linksmiss; /* [I] links report hits that the kernel skipped */
	/* [I] hits that the kernel skipped since a program was loaded */
	uint64_t (*fut_missed)(enum attach_kind);
};

/* w: creates the table and the map of disabled probes, once. An errno. */
int run_table_make(struct run_table *);

#define KPROBE_RUN_NPROG 12 /* programs of a provider, at most */

/* Fields are accessed by the threads that may access den_kprobes. */
struct kprobe_run {
	struct run_table *kpr_table;
	struct attach_links kpr_links;
	uint32_t kpr_run;	   /* 0: halted */
	unsigned int kpr_attached; /* 1 << number of the program */
	uint64_t *kpr_holes;	   /* keys of disabled probes */
	size_t kpr_nholes;
	uint16_t *kpr_entries; /* entries of the table */
	size_t kpr_nentries, kpr_maxentries;
	uint16_t *kpr_places; /* rows of dt_uplaces */
	size_t kpr_nplaces;
	uint64_t kpr_missed0[KPROBE_RUN_NPROG]; /* missed hits of the programs,
					     * at start */
};

/*
 * Creates a session's run of a table, which counts from now on. The programs are
 * loaded.
 */
int kprobe_run_begin(const struct dt_enabled *, struct run_table *,
    struct kprobe_run **);
/*
 * Sets which strings an entry reads: strings by type (DT_KARG_STRING in how),
 * and arguments that the client has requested by number.  kl_req and kl_nargs are
 * set.
 */
void kprobe_run_texts(struct dt_kprobe_entry *, const uint8_t *how,
    const struct dt_pcb *, int isreturn);
/*
 * Returns the set's entry with this content, added if necessary: ENOSPC,
 * ENOMEM.
 */
int kprobe_run_entry(struct kprobe_run *, const struct dt_kprobe_entry *,
    uint16_t *line);
/* Notes that a program is about to be attached. */
void kprobe_run_uses(struct kprobe_run *, enum attach_kind);
/*
 * halt stops counting for the whole run, disable for one probe. A NULL run is
 * fine.
 */
void kprobe_run_halt(const struct dt_enabled *, struct kprobe_run *);
void kprobe_run_disable(const struct dt_enabled *, struct kprobe_run *,
    const struct dt_pcb *);
/* Accounts for the run and frees it; no program works for it any more. */
void kprobe_run_end(struct dt_enabled *, struct kprobe_run **);

/* dt_prov_kprobe_attach.c */
/*
 * Attaches all kernel functions that the session has enabled. Stores the reason
 * of a failure in text.
 */
int kprobe_attach(struct dt_enabled *, struct reason *);

#endif /* DAEMON_DT_PROV_DT_PROV_KPROBE_RUN_H */
