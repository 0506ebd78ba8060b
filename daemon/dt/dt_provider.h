/* SPDX-License-Identifier: ISC */
/*
 * Probes, and the providers that have them.
 *
 * Letters: I constant after attach; a atomic.  Functions: c control thread, w
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

struct dt_pcb;
struct dt_probe;
struct dt_softc;

/*
 * A provider: a file of its own and a line in dt_probe.c.  Members that it
 * does not need stay NULL.  Those marked w are called on a worker and may
 * wait for the kernel.
 */
struct dt_provider {
	const char *prov_name;
	enum dt_tally prov_tally; /* where its hits are counted */
	unsigned int prov_rights; /* any of these RIGHT_* suffices */
	/* Adds its probes.  Why it is not available here goes to reason. */
	int (*prov_init)(const struct dt_provider *, char *reason, size_t);
	/* Why it does not work any more, or NULL. */
	const char *(*prov_lacks)(void);
	/* Where it is available: something worth to know, and how many probes
	 * it has by now that are in no list. */
	unsigned int (*prov_remark)(char *remark, size_t);
	/* w: reads which probes there are now, NULL: that cannot be told.  c:
	 * adds those that are new, and frees it. */
	void *(*prov_reread)(void);
	void (*prov_merge)(const struct dt_provider *, void *);
	/* w: finds out the arguments of a probe, dtp_nargs with it; called
	 * until it has succeeded.  NULL: they are known from the start. */
	int (*prov_learn)(struct dt_probe *, char *text);
	/* Type and name of an argument, as its probe declares it; DTAN_*. */
	void (*prov_args)(const struct dt_probe *, unsigned int n,
	    const char **type, const char **name, unsigned int *flags);
	/* How programs look at an argument, its text, or a result: fills
	 * lo_how and lo_off, or EINVAL: this probe has none.  NULL: no probe
	 * of the provider takes a condition. */
	int (*prov_operand)(const struct dt_probe *, const struct dt_opd *,
	    struct dt_look *);
	/* The probe of a number, for a provider whose probes are no list; NULL:
	 * it has no such probe.  What it returns stays. */
	struct dt_probe *(*prov_find)(uint32_t pbn);
	/* w: the numbers of probes that match a glob, ascending; *listp is to
	 * be freed.  An errno, and why. */
	int (*prov_match)(struct dt_softc *, const char *pattern,
	    uint32_t **listp, size_t *np, char *text);
	/* w: what a list tells of one of them. */
	void (*prov_info)(uint32_t pbn, struct dtioc_probe_info *);
	/* w: types and names of arguments; returns how many.  A probe that has
	 * none may have one type still, of what its function returns. */
	unsigned int (*prov_describe)(const struct dt_probe *,
	    char (*types)[DTNAMESIZE], char (*names)[DTNAMESIZE]);
	/* w: the open ends. */
	void (*prov_close)(struct dt_softc *);
	/* An errno, and why: this probe may not be enabled by anybody. */
	int (*prov_refuse)(const struct dt_probe *, char *text);
	unsigned int prov_max; /* that an open may enable; 0: all */
	/* Checks a request and fills the rest of the pcb. */
	int (*prov_alloc)(struct dt_softc *, struct dt_pcb *,
	    const struct dtioc_req *);
	/* w: loads what the provider's probes of this part need; called once
	 * for each.  Says in text why it failed. */
	int (*prov_load)(unsigned int part, char *text);
	unsigned int prov_nparts; /* 0: one */
	/* loaded at the first ENABLE, not by a service's start */
	int prov_israre;
	/* w: from now on the probe records for this open. */
	int (*prov_start)(struct dt_softc *, struct dt_pcb *);
	/* w: behind the starts of all probes of the open, whatever they are of;
	 * may look at ds_cancel, and then says ECANCELED */
	int (*prov_attach)(struct dt_softc *, char *text);
	/* w: from now on none of the open records; before the stops.  And when
	 * none is under way any more, what is left can go. */
	void (*prov_halt)(struct dt_softc *);
	void (*prov_detach)(struct dt_softc *);
	/* The daemon ends; its one client has gone, if it was private. */
	void (*prov_fini)(int private);
	/* w: from now on it does not; a hit may still be under way. */
	void (*prov_stop)(struct dt_softc *, struct dt_pcb *);
	/* w: this CPU has come, or gone, or both, while the probe records;
	 * never together with one of the others. */
	void (*prov_cpu)(struct dt_softc *, struct dt_pcb *, unsigned int cpu);
};

struct dt_probe {
	TAILQ_ENTRY(dt_probe) dtp_next;	    /* [I] ascending pbn */
	const struct dt_provider *dtp_prov; /* [I] */
	uint32_t dtp_pbn;		    /* [I] */
	const char *dtp_func;		    /* [I] */
	const char *dtp_name;		    /* [I] */
	uint32_t dtp_sysnum;		    /* [I] the provider's own number */
	void *dtp_own;			    /* [I] and what it has of it */
	uint8_t dtp_nargs;		    /* [I], or once dtp_learnt */
	uint8_t dtp_part;	 /* [I] what has to be loaded for it */
	atomic_uchar dtp_learnt; /* [a] prov_learn has succeeded */
};

TAILQ_HEAD(dt_probe_list, dt_probe);

/*
 * dt_probe.c
 */
extern struct dt_probe_list dt_probes;
extern unsigned int dt_nprobes;
int dt_probe_init(void);
/* NULL: no memory, or no number.  c */
struct dt_probe *dt_probe_add(const struct dt_provider *, const char *func,
    const char *name, uint32_t num, uint8_t nargs);
struct dt_probe *dt_probe_find(uint32_t pbn); /* c */
/* Where hits of a probe that is recorded are counted.  Any thread. */
enum dt_tally dt_probe_tally(uint32_t pbn);
/* prov_merge of what prov_reread returned. */
void dt_provider_merge(const struct dt_provider *, void *); /* c */
/* Numbers from here on are those of functions. */
#define DT_PBN_KPROBE 0x10000
/* For all providers, see struct dt_provider.  attach: stops at the first that
 * fails. */
int dt_provs_attach(struct dt_softc *, char *text); /* w */
void dt_provs_halt(struct dt_softc *);		    /* w */
void dt_provs_detach(struct dt_softc *);	    /* w */
void dt_provs_close(struct dt_softc *);		    /* w */
void dt_provs_fini(int private);
/* The provider of this name, or NULL. */
const struct dt_provider *dt_provider_named(const char *name, size_t len);
/* The n-th provider, why it is not available ("" if it is), its probes. */
const struct dt_provider *
dt_provider_nth(unsigned int n, const char **reason, unsigned int *nprobes);
/* Whether dt_probe_load() has succeeded already. */
int dt_probe_ready(const struct dt_probe *);
int dt_probe_load(struct dt_probe *, char *text); /* w */
void dt_provider_load_all(void);		  /* w */
/* Whether its arguments are known, and finds them out. */
int dt_probe_learnt(const struct dt_probe *);
int dt_probe_learn(struct dt_probe *, char *text); /* w */

#endif /* DAEMON_DT_DT_PROVIDER_H */
