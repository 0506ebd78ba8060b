/* SPDX-License-Identifier: ISC */
/*
 * Probes and their providers.
 *
 * Letters: I constant after attach; a atomic. Functions: c control thread; w
 * worker, which may wait for the kernel.
 */
#ifndef DAEMON_DT_DT_PROVIDER_H
#define DAEMON_DT_DT_PROVIDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <dev/dt/dtvar.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_shared.h"
#include "daemon/dt/dt_maps.h"

struct dt_pcb;
struct dt_probe;
struct dt_enabled;
struct reason;

/*
 * A provider is one file and one row in dt_providers.h.  Its functions are in
 * tables, one per concern.  Functions marked w are called on a worker and may
 * wait for the kernel; the others are called by the control thread.  Functions
 * marked ? may be NULL.
 */
struct dt_provider {
	const char *prov_name;
	uint8_t prov_flags;	  /* DTPI_* of its probes */
	uint8_t prov_unit;	  /* of periods, with DTPI_CLOCK */
	uint8_t prov_regs;	  /* enum dt_read_regs */
	unsigned int prov_rights; /* any one of these RIGHT_* suffices */
	const struct dt_provlist *prov_list;
	/* NULL: its probes have neither arguments nor conditions */
	const struct dt_provargs *prov_args;
	const struct dt_provrec *prov_rec;
	const struct dt_provset *prov_set;   /* or NULL */
	const struct dt_dynprobes *prov_dyn; /* or NULL */
};

/* The list of probes. */
struct dt_provlist {
	/* Adds its probes. Stores in reason why it is unavailable. */
	int (*pvl_init)(const struct dt_provider *, char *reason, size_t);
	/* ? Returns why it has stopped working, or NULL. */
	const char *(*pvl_broken)(void);
	/*
	 * ? For an available provider: stores a remark for the user and returns
	 * the number of known probes that are in no list.
	 */
	unsigned int (*pvl_remark)(char *remark, size_t);
	/*
	 * ? w: reread reads the current list of probes, NULL if it cannot be
	 * read. c: merge adds the new probes and frees the list.
	 */
	void *(*pvl_reread)(void);
	void (*pvl_merge)(const struct dt_provider *, void *);
};

/* Arguments and results of probes. */
struct dt_provargs {
	/*
	 * ? w: reads the probe's arguments, including dtp_nargs; called until
	 * it succeeds. NULL: they are known from the start.
	 */
	int (*pva_learn)(struct dt_probe *, struct reason *);
	/*
	 * ? w: reads only dtp_nargs, for lists of thousands of probes; keeps
	 * nothing else.  NULL: pva_learn does it.
	 */
	int (*pva_count)(struct dt_probe *, struct reason *);
	/* ? Stores type and name of an argument as declared; DTAN_*. */
	void (*pva_get)(const struct dt_probe *, unsigned int n,
	    const char **type, const char **name, unsigned int *flags);
	/*
	 * ? Sets lo_how and lo_off: how programs read an argument, its text or a
	 * result. EINVAL: this probe has none.
	 */
	int (*pva_operand)(const struct dt_probe *, const struct dt_opd *,
	    struct dt_look *);
	/* ? Returns why the value of an operand cannot be read, or NULL. */
	const char *(*pva_why)(const struct dt_probe *, const struct dt_opd *);
	/* ? w: finds a symbol of the probe's file; an errno with a text. */
	int (*pva_symbol)(const struct dt_probe *, struct dtioc_addr *,
	    struct reason *);
};

/* For probes with conditions that have neither arguments nor results. */
extern const struct dt_provargs dt_provargs_none;

/* Added to a part; above all parts. */
#define DT_PART_LONG   0x08
#define DT_PART_TABLES 0x10
/* ns after which programs with tables that the kernel refused are tried again */
#define DT_TABLES_RETRY 3000000000ULL

/* Enabling and recording of one probe. */
struct dt_provrec {
	enum dt_tally pvr_tally; /* where its hits are counted */
	unsigned int pvr_max;	 /* probes that a session may enable; 0: all */
	/* Checks a request and fills in the rest of the pcb. */
	int (*pvr_alloc)(struct dt_enabled *, struct dt_pcb *,
	    const struct dtioc_req *);
	/*
	 * w: loads what the provider's probes of this part need; called until
	 * it succeeds. Stores the reason of a failure in text.
	 */
	int (*pvr_load)(unsigned int part, struct reason *);
	unsigned int pvr_nparts; /* 0: one part */
	/*
	 * Each part exists twice: part | DT_PART_TABLES are its programs for
	 * sessions whose user stacks are unwound by tables, and for probes with
	 * reads.
	 */
	int pvr_tables;
	/*
	 * ? Returns whether the session's hits of the probe need part |
	 * DT_PART_LONG: programs that also serve records that take the slow path.
	 * Called before and after a part is loaded.
	 */
	int (*pvr_islong)(const struct dt_enabled *, const struct dt_pcb *);
	/* loaded at the first ENABLE, not at a service's start */
	int pvr_israre;
	/* programs count themselves, so dt_drain() waits for them */
	int pvr_drains;
	/* w: starts recording of the probe for this session. */
	int (*pvr_start)(struct dt_enabled *, struct dt_pcb *);
	/* w: stops recording of the probe; a hit may still be in progress. */
	void (*pvr_stop)(struct dt_enabled *, struct dt_pcb *);
	/*
	 * ? w: this CPU changed its state (online, offline) while the probe
	 * records; never called concurrently with another function.
	 */
	void (*pvr_cpu)(struct dt_enabled *, struct dt_pcb *, unsigned int cpu);
};

/* Recording of a session's probes as a set. */
struct dt_provset {
	/*
	 * w: called after the starts of all probes of the session, of any
	 * provider; may return ECANCELED if den_cancel is set.
	 */
	int (*pvs_attach)(struct dt_enabled *, struct reason *);
	/*
	 * w: halt stops recording of all the session's probes, before their
	 * stops. detach releases the rest when no hit is in progress any more.
	 */
	void (*pvs_halt)(struct dt_enabled *);
	void (*pvs_detach)(struct dt_enabled *);
	/*
	 * ? w: while it records, every second: returns an errno with a text if
	 * it must not go on.
	 */
	int (*pvs_check)(struct dt_enabled *, struct reason *);
	/* The service exits. */
	void (*pvs_fini)(void);
};

/* Arguments of a probe.  No provider has more. */
struct dt_described {
	char ded_types[DTMAXARGTYPES][DTNAMESIZE];
	char ded_names[DTMAXARGTYPES][DTNAMESIZE];
	uint8_t ded_flags[DTMAXARGTYPES]; /* DTAN_* */
};

/* Probes that are in no list and are created when they are looked up. */
struct dt_dynprobes {
	/* Returns the probe with a number, or NULL. The result stays valid. */
	struct dt_probe *(*dyn_find)(uint32_t pbn);
	/*
	 * w: finds the numbers of the probes that match a glob, ascending; the
	 * caller frees *listp. Returns an errno with a text.
	 */
	int (*dyn_match)(struct dt_enabled *, const char *pattern,
	    uint32_t **listp, size_t *np, struct reason *);
	/* w: fills the list entry of one probe. */
	void (*dyn_info)(uint32_t pbn, struct dtioc_probe_info *);
	/*
	 * w: describes the arguments in a struct that is zero, and returns their
	 * number.  A probe without arguments may still have one type, its
	 * function's result.
	 */
	unsigned int (
	    *dyn_describe)(const struct dt_probe *, struct dt_described *);
	/* Returns an errno with a text if no client may enable this probe. */
	int (*dyn_refuse)(const struct dt_probe *, struct reason *);
	/* w: the session is being closed. */
	void (*dyn_close)(struct dt_enabled *);
};

struct dt_probe {
	TAILQ_ENTRY(dt_probe) dtp_next;	    /* [I] ascending pbn */
	const struct dt_provider *dtp_prov; /* [I] */
	uint32_t dtp_pbn;		    /* [I] */
	const char *dtp_func;		    /* [I] */
	const char *dtp_name;		    /* [I] */
	uint32_t dtp_sysnum;		    /* [I] the provider's own number */
	void *dtp_own;			    /* [I] the provider's own data */
	uint8_t dtp_nargs; /* [I], or set with dtp_learnt or dtp_counted */
	uint8_t dtp_part;  /* [I] part of the provider to load */
	atomic_uchar dtp_learnt;  /* [a] pva_learn has succeeded */
	atomic_uchar dtp_counted; /* [a] pva_count has succeeded */
};

TAILQ_HEAD(dt_probe_list, dt_probe);

/*
 * dt_provider.c
 */
extern struct dt_probe_list dt_probes;
extern unsigned int dt_nprobes;
int dt_probe_init(void);
/* Returns NULL if out of memory or of numbers. c */
struct dt_probe *dt_probe_add(const struct dt_provider *, const char *func,
    const char *name, uint32_t num, uint8_t nargs);
struct dt_probe *dt_probe_find(uint32_t pbn); /* c */
/* The same, NULL also if it is a probe of another session. */
struct dt_probe *dt_probe_of(const struct dt_enabled *, uint32_t pbn); /* c */
/* Returns the tally of a recording probe's hits. Any thread. */
enum dt_tally dt_probe_tally(uint32_t pbn);
/* Calls pvl_merge with the result of pvl_reread. */
void dt_provider_merge(const struct dt_provider *, void *); /* c */
/* Probe numbers of kernel functions begin here. */
#define DT_PBN_KPROBE 0x10000
/* Numbers of probes in user programs, which belong to one session each. */
#define DT_PBN_USER	    0x800000
#define DT_PBN_USER_EACH    0x10000 /* for each slot; 24 bits suffice for all */
#define DT_PBN_USER_SLOT(n) (((n)-DT_PBN_USER) / DT_PBN_USER_EACH)
/* Call the functions of all providers. attach stops at the first failure. */
int dt_provs_attach(struct dt_enabled *, struct reason *); /* w */
void dt_provs_halt(struct dt_enabled *);		   /* w */
void dt_provs_detach(struct dt_enabled *);		   /* w */
int dt_provs_check(struct dt_enabled *, struct reason *);  /* w */
void dt_provs_close(struct dt_enabled *);		   /* w */
void dt_provs_fini(void);
/* Returns the provider of this name, or NULL. */
const struct dt_provider *dt_provider_named(const char *name, size_t len);
/*
 * Returns the n-th provider, why it is unavailable ("" if it is not), and the
 * number of its probes.
 */
const struct dt_provider *
dt_provider_nth(unsigned int n, const char **reason, unsigned int *nprobes);
/*
 * Loads what the probe needs for a session with or without unwind tables. If
 * its programs with tables are refused, it gets the others. ready returns
 * whether load has succeeded.
 */
int dt_probe_load(const struct dt_enabled *, const struct dt_pcb *, int tables,
    struct reason *); /* w */
int
dt_probe_ready(const struct dt_enabled *, const struct dt_pcb *, int tables);
/* Returns whether its programs with unwind tables are loaded. Any thread. */
int dt_probe_walks(const struct dt_probe *);
void dt_provider_load_all(void); /* w */
/* Return whether its arguments are known, and learn them. */
int dt_probe_learnt(const struct dt_probe *);
int dt_probe_learn(struct dt_probe *, struct reason *); /* w */
/* Return whether the number of its arguments is known, and read it. */
int dt_probe_counted(const struct dt_probe *);
void dt_probe_count(struct dt_probe *); /* w */

#endif /* DAEMON_DT_DT_PROVIDER_H */
