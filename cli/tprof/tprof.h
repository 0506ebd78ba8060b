/* SPDX-License-Identifier: ISC */
/*
 * State shared by the subcommands of dt tprof.  cmd_tprof.c has their table,
 * tprof_event.c and tprof_pmu.c the names of events, tprof_pids.c selects
 * processes, tprof_write.c writes and
 * tprof_read.c reads the files of monitor, tprof_counts.c prints counts and
 * ratios, tprof_run.c has monitor and count, tprof_analyze.c and tprof_top.c
 * these two.
 */
#ifndef CLI_TPROF_TPROF_H
#define CLI_TPROF_TPROF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <libdt.h>

#include "cli/out/out.h"
#include "cli/recording/recorder.h"
#include "cli/sym/name_cache.h"

#define TPROF_FILE   "tprof.out"
#define TPROF_SUFFIX ".dt"   /* file with the symbols, next to FILE */
#define TPROF_PROV   "tprof" /* provider of the samples in it */

/* An event, as in -e: NAME[:uk][,SCALE]. */
struct tprof_event {
	char te_name[64]; /* without modifiers */
	struct tprof_param te_param;
};

struct tprof_events {
	struct tprof_event tv_event[TPROF_MAXCOUNTERS];
	unsigned int tv_n;
};

#define TPROF_MAXPIDS 32

/* The processes of -p; none: all */
struct tprof_pids {
	uint32_t tds_pids[TPROF_MAXPIDS];
	unsigned int tds_n;
};

/*
 * Adds the processes of -p: numbers, and if hasnames, names of those that run.
 * Returns NULL, or the error.
 */
const char *tprof_pids_add(struct tprof_pids *, const char *arg, int hasnames);
int tprof_pids_has(const struct tprof_pids *, uint32_t pid);

#define TPROF_ROW_PIDS(arg, txt, check) \
	{ \
		'p', "pid", arg, txt, OPT_CALL, .opt_check = check \
	}

/* Options of monitor, count and top. */
struct tprof_opts {
	struct opts tpo_common;
	struct tprof_events tpo_events; /* -e */
	struct tprof_pids tpo_pids;	/* top -p */
	uint64_t tpo_nsecs;		/* -i; 0: the default */
	uint64_t tpo_times;		/* top -n; 0: unlimited */
	int tpo_iscommand;		/* count -c */
	int tpo_isaccumulating;		/* top -a */
	int tpo_iscounting;		/* top -c */
	int tpo_isuser;			/* top -u */
};

/* opt_check of -e */
const char *tprof_check_event(struct opts *, const char *);

#define TPROF_ROW_EVENT(arg, txt) \
	{ \
		'e', "event", arg, txt, OPT_CALL, \
		    .opt_check = tprof_check_event \
	}

/* Receives the name of an event, and of its group. */
typedef void tprof_event_fn(const char *group, const char *name, void *arg);

/* Adds the event of -e.  Returns NULL, or the error. */
const char *tprof_event_add(struct tprof_events *, const char *arg);
/* Calls fn with each name that may exist here; ident is from GETINFO. */
void tprof_event_each(uint32_t ident, tprof_event_fn *fn, void *arg);
/* Finds the event of a name without modifiers.  Returns 0 or -1. */
int tprof_event_find(const char *name, uint64_t *unit, uint64_t *event);
/* Returns the event that is sampled by default. */
const char *tprof_event_default(uint32_t ident);

/* tprof_pmu.c: sysfs, at tprof_pmus. */
extern const char *tprof_pmus; /* folder; for tests */
/* Finds an event or terms (event=1,umask=2) of a PMU.  Returns 0 or -1. */
int tprof_pmu_find(const char *pmu, const char *what, uint64_t *unit,
    uint64_t *event);
/* The same for the processor, whose counters may have several names. */
int tprof_pmu_find_cpu(const char *name, uint64_t *unit, uint64_t *event);
void tprof_pmu_each(tprof_event_fn *fn, void *arg);

/* Opens the device; exits on failure, or if the version differs. */
struct dt *tprof_open(struct tprof_info *);
/*
 * Sets the counters, with these flags added; without any, the default event's.
 */
void tprof_configure(struct dt *, const struct tprof_info *,
    struct tprof_events *, uint64_t flags);
void tprof_start(struct dt *, const struct tprof_events *);
void tprof_stop(struct dt *);
/* Reads the counts of a CPU.  Returns 0, or -1: no such CPU. */
int tprof_counts(struct dt *, uint32_t cpu, struct tprof_counts *);
/* Returns 1 and prints the reason if dtd has stopped the session; else 0. */
int tprof_ended(struct dt *);

/* Counts, by event and CPU. */
struct tprof_allcounts {
	int ct_iscommand;	     /* counts of a command: the sum is in
				      * ct_cpu[0] */
	unsigned int ct_ncpu;	     /* 1 for a command */
	struct tprof_counts *ct_cpu; /* [ct_ncpu] */
};

/* All counts are 0. */
void tprof_counts_alloc(struct tprof_allcounts *, int iscommand);
void tprof_counts_free(struct tprof_allcounts *);
void tprof_counts_get(struct tprof_allcounts *, struct dt *);
/* The same as JSON lines. */
void tprof_counts_json(FILE *, const struct tprof_events *,
    const struct tprof_allcounts *, const struct tprof_allcounts *before);
/*
 * Prints the line above the first table: the whole machine, or the command.
 * option: the caller has an option that counts the command alone.
 */
void tprof_counts_title(FILE *, int iscommand, int option);
/* Prints the increase since before (NULL: from the start), and ratios. */
void tprof_counts_print(FILE *, const struct tprof_events *,
    const struct tprof_allcounts *, const struct tprof_allcounts *before);

/* A symbol. */
struct tprof_sym {
	char *sy_func;	 /* NULL: unknown */
	char *sy_module; /* file name without folders, or NULL */
	uint64_t sy_offset;
};

/* Returns the symbol of an address at that time. */
struct tprof_sym *tprof_symbol(struct name_cache *, uint32_t pid, int inkernel,
    uint64_t pc, uint64_t nsecs);
/* Frees a map of symbols. */
void tprof_symbols_free(struct hash *);

/*
 * Samples as monitor writes them: FILE in the format of the BSD tool, and
 * FILE.dt, a recording for the symbols, in which each sample is an event with a
 * stack of one address.
 */
struct tprof_file {
	const char *tf_name;
	FILE *tf_raw;
	uint64_t tf_n; /* samples */
	char tf_dtname[4096];
	struct dt *tf_dt; /* source of symbols, NULL: none */
	struct opts tf_opts;
	struct name_cache tf_names;
	struct recorder tf_recorder;
};

/*
 * Opens the files; programs that start from now on have symbols.  Exits if a
 * file cannot be created.
 */
void tprof_file_open(struct tprof_file *, const char *name,
    const struct tprof_events *);
void tprof_file_sample(struct tprof_file *, const struct dt_tprof_sample *);
void tprof_file_idle(struct tprof_file *); /* no sample is pending */
/* Returns 0; or 1 after a message about missing symbols. */
int tprof_file_close(struct tprof_file *);

/*
 * Calls fn with each sample of FILE and its symbol.  Exits if FILE cannot be
 * read. Symbols live until the result is freed.
 */
struct tprof_reading;
typedef void
tprof_sample_fn(void *, const tprof_sample_t *, const struct tprof_sym *);
struct tprof_reading *
tprof_file_read(const char *name, tprof_sample_fn *, void *);
/*
 * Returns whether FILE was damaged, after a message about it: everything before
 * the damage was read.
 */
int tprof_reading_isbad(const struct tprof_reading *);
void tprof_reading_free(struct tprof_reading *);

extern const struct cmd cmd_tprof_monitor, cmd_tprof_count, cmd_tprof_analyze,
    cmd_tprof_top;

#endif /* CLI_TPROF_TPROF_H */
