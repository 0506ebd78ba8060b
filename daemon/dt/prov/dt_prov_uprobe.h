/* SPDX-License-Identifier: ISC */
/*
 * Probes of user programs: functions (uprobe) and static probes (usdt).  They
 * belong to one session, which has looked them up in a file that it announced
 * (daemon/dt/dt_file.h), and last until it closes.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_UPROBE_H
#define DAEMON_DT_PROV_DT_PROV_UPROBE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/dt_kprobe_table.h"
#include "daemon/dt/dt_file.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/prov/dt_prov_kprobe_run.h"
#include "daemon/kernel/attach.h"
#include "wire/file_probe.h"

struct file_probes;

/* A place in the file, and how the values of its arguments are found there. */
struct user_place {
	uint64_t upc_offset;
	uint64_t upc_semaphore; /* offset of its counter of users, 0: none */
	int upc_isplaced;	/* upc_args is used, not the convention */
	struct dt_uplaces upc_args;
	uint8_t upc_how[DT_UPLACE_NARGS]; /* DT_KARG_* */
};

/* Names and types of a probe's arguments, or of a function's result. */
struct user_arg {
	char ua_type[DTNAMESIZE];
	char ua_name[DTNAMESIZE];
	char *ua_why; /* why its value cannot be read, or NULL */
};

/* Constant, except usp_refused, which RECORD sets. */
struct user_probe {
	struct dt_probe usp_probe; /* first */
	struct dt_file *usp_file;
	int usp_isreturn;
	int usp_isrets;	    /* places are RET instructions */
	uint16_t usp_flags; /* PROBE_SITE_* of the function */
	struct user_place *usp_places;
	size_t usp_nplaces;
	struct user_arg *usp_args; /* usp_nargs */
	uint8_t usp_nargs;
	uint8_t usp_ret;       /* kl_ret */
	char usp_refused[192]; /* why it cannot be probed, or "" */
	char usp_func[DTNAMESIZE];
	char usp_name[DTNAMESIZE];
};

/* A list of numbers of probes, which grows. */
struct user_numbers {
	uint32_t *unm_list;
	size_t unm_n, unm_max;
};

int user_numbers_add(struct user_numbers *, uint32_t pbn); /* ENOMEM */

/* dt_prov_uprobe_args.c: queries to a symbolizer about a file.  w */
int user_file_query(const struct dt_file *, struct probe_query *,
    const char *name, struct file_probes *, struct reason *);
/*
 * Sets a function's arguments or result from a site and its arguments.  By the
 * calling convention, if these are NULL or have no debug information.
 */
int user_probe_learn(struct user_probe *, const struct file_probes *,
    const struct probe_site *, const struct probe_arg *);
/* Replaces the place of a return by the RET instructions of its function. */
int user_probe_rets(struct user_probe *, struct reason *);
/* The pva_symbol of user probes. */
int user_probe_symbol(const struct dt_probe *, struct dtioc_addr *,
    struct reason *);
/* Returns whether a return probe would break programs with this function. */
int user_probe_unwinds(const struct user_probe *);
/* Sets the names of n arguments; and how they are read at a place. */
int user_probe_args(struct user_probe *, const struct file_probes *,
    const struct probe_arg *, size_t n);
void user_probe_args_free(struct user_probe *);
void user_place_args(struct user_place *, const struct probe_arg *, size_t n);

/* dt_prov_uprobe_probes.c: the probes of a session.  w, of that session */
/*
 * Returns the number of the probe with provider, file, function and name of up,
 * added if it is new; then it has a copy of up, whose places and arguments it
 * takes.  0: out of memory or numbers, with a text.
 */
/* The same of a probe that exists; 0: there is none. */
uint32_t user_probes_known(struct dt_enabled *, const struct user_probe *);
uint32_t user_probes_add(struct dt_enabled *, const struct user_probe *up,
    struct reason *);
/* Sets usp_func: the file's name and the function's, cut if necessary. */
void user_probe_names(struct user_probe *, const struct dt_file *,
    const char *func, const char *name);
struct dt_probe *user_probes_find(uint32_t pbn);
void user_probes_info(uint32_t pbn, struct dtioc_probe_info *);
unsigned int
user_probes_describe(const struct dt_probe *, struct dt_described *);
int user_probes_refuse(const struct dt_probe *, struct reason *);
void user_probes_close(struct dt_enabled *);

/*
 * Finds the file of a pattern PROVIDER:@ID:REST, and REST: ENOENT, EINVAL with
 * a text.
 */
int user_probes_file(const struct dt_enabled *, const char *pattern,
    struct dt_file **, const char **rest, struct reason *);

/*
 * dt_prov_uprobe_find.c: finds the numbers of the probes that match FUNCTION and
 * entry, return or a glob; the caller frees *listp.  w
 */
int uprobe_find(struct dt_enabled *, struct dt_file *, const char *rest,
    uint32_t **listp, size_t *np, struct reason *);

/* dt_prov_uprobe.c, dt_prov_uprobe_attach.c: recording, for both providers */
extern const struct dt_provider dt_prov_uprobe;
extern const struct dt_provrec user_probes_rec;
extern const struct dt_provargs user_probes_args;
int user_probes_attach(struct dt_enabled *, struct reason *);
/* ESTALE with a text if a probed file has changed. */
int user_probes_check(struct dt_enabled *, struct reason *);

/* dt_prov_uprobe_load.c */
enum uprobe_variant {
	UPROBE_FAST,
	UPROBE_COUNT,
	UPROBE_FULL,
	UPROBE_TABLES,
	UPROBE_NVARIANTS
};

/* where: ATTACH_ENTRY, _RETURN, or _SESSION, which only complete ones have */
#define UPROBE_PROG(variant, where) (3 * (variant) + (where))
#define UPROBE_WHERE(prog)	    ((prog) % 3)
#define UPROBE_NPROG		    (3 * UPROBE_NVARIANTS)

_Static_assert(UPROBE_NPROG <= KPROBE_RUN_NPROG, "kpr_missed0");

extern struct run_table uprobe_table;
extern struct dt_uplaces *uprobe_places; /* mapped, DT_NUPLACES */
/*
 * Returns a row with these places, which the run owns: ENOSPC, ENOMEM.
 */
int uprobe_places_get(struct kprobe_run *, const struct dt_uplaces *,
    uint16_t *row);
int uprobe_load_init(void);
/* w: loads a program, once.  Returns an errno. */
int uprobe_load_get(unsigned int prog);
int uprobe_load_fd(unsigned int prog);
/*
 * Begins to load the program that most sessions use, while a symbolizer reads
 * the file.  Returns whether there is a thread to join.
 */
int uprobe_warm_start(pthread_t *);

#endif /* DAEMON_DT_PROV_DT_PROV_UPROBE_H */
