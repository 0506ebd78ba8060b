/* SPDX-License-Identifier: ISC */
/* Symbols that a session resolves, and what is followed for it. */
#ifndef DAEMON_DT_DT_SYM_H
#define DAEMON_DT_DT_SYM_H

#include <stdint.h>
#include <sys/types.h>

#include <dev/dt/dtvar.h>

#include "wire/wire.h"

struct dt_client;
struct dt_enabled;
struct dt_pcb;
struct dt_softc;
struct op;
struct proc_view;

/* Limit of the symbolizer per command, ms; longer than for one file. */
#define DT_SYM_MSECS 15000

/* Letters as in dt_softc.h. */
struct dt_symuse {
	int dsu_held;		    /* [c] the session follows processes */
	uint64_t dsu_used;	    /* [c] last use of that, ns */
	int dsu_kheld;		    /* [c] it holds the kernel's symbols */
	int dsu_ismoment;	    /* [c] it has taken a snapshot of threads */
	struct proc_view *dsu_view; /* [co] snapshot being listed, or NULL */
	struct wire_syms dsu_viewhead; /* [c] head of its reply */
	uint32_t dsu_viewpid;	       /* [c] pid that dsu_view describes */
	uint64_t dsu_viewtime;	       /* [c] time that dsu_view describes */
};

/*
 * dt_sym.c
 */
/* c: stops following for the session if it is idle. */
void dt_sym_tick(struct dt_softc *);
/* Runs a command on a separate thread. */
int dt_sym_later(struct op *, int (*run)(struct op *));
/*
 * w: stores the code that a process had at a time; 0 is now.  The current code
 * holds until now, since it may change at once.  EPERM: the client may not see
 * it; ESRCH and others: the code is unknown.
 */
int dt_sym_view(struct dt_softc *, uint32_t pid, uint64_t nsecs,
    struct proc_view **, struct wire_syms *);

/* dt_sym_access.c: rights to resolve */
/* Returns whether it may resolve symbols of all processes. */
int dt_sym_mayall(const struct dt_client *);
/* w: removes from a snapshot what the session may not see: EPERM. */
int dt_sym_confine(struct dt_client *, uint64_t nsecs, struct proc_view **);

/* dt_sym_follow.c */
/* Follows processes for it from now on. An errno. */
int dt_sym_follow(struct dt_symuse *);
/* Keeps the kernel's symbols for it from now on. */
void dt_sym_kernel(struct dt_symuse *);
/* The same, and reads them in the background. */
void dt_sym_kernel_ahead(struct dt_symuse *, uid_t person);
/* w: follows processes from ENABLE on, so that RECORD need not wait. */
void dt_sym_enable(struct dt_symuse *, const struct dt_pcb *);
/* c: notes that the session used symbols. */
void dt_sym_used(struct dt_symuse *);
/* w: before probes start: sessions that record stacks will need symbols. */
void dt_sym_start(struct dt_symuse *, const struct dt_enabled *);
void dt_sym_close(struct dt_symuse *);	  /* w */
void dt_sym_stat(struct dtioc_symstat *); /* w */
void dt_sym_cpu(unsigned int cpu);	  /* c: it changed its state */

/*
 * dt_sym_trim.c: c: after symbol requests, releases their memory after a delay.
 */
int dt_sym_trim_init(void);
void dt_sym_trim_start(void);
/* w: excludes the symbolizer, if one runs, from recordings. */
void dt_sym_trim_exclude(void);

#endif /* DAEMON_DT_DT_SYM_H */
