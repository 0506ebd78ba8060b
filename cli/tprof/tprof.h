/* SPDX-License-Identifier: ISC */
/*
 * dt tprof: what its subcommands share.  cmd_tprof.c has the table of them,
 * tprof_event.c and tprof_pmu.c the names of events, tprof_write.c what monitor
 * keeps and tprof_read.c how it is read, tprof_counts.c counts and ratios,
 * tprof_run.c monitor and count, tprof_analyze.c, tprof_top.c.
 */
#ifndef CLI_TPROF_TPROF_H
#define CLI_TPROF_TPROF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <libdt.h>

#include "cli/out/out.h"
#include "cli/sym/names.h"

#define TPROF_FILE   "tprof.out"
#define TPROF_SUFFIX ".dt"   /* beside it: the names */
#define TPROF_PROV   "tprof" /* of samples in that */

/* An event, as -e has it: NAME[:uk][,SCALE]. */
struct tprof_event {
	char te_name[64]; /* without what stands behind it */
	struct tprof_param te_param;
};

struct tprof_events {
	struct tprof_event tv_event[TPROF_MAXCOUNTERS];
	unsigned int tv_n;
};

/* A name of an event, and of the group that it is in. */
typedef void tprof_event_fn(const char *group, const char *name, void *arg);

/* Adds what -e says; prints and exits (2) if that is not to be had. */
void tprof_event_add(struct tprof_events *, const char *arg);
/* Calls fn with each name that there may be here; ident is of GETINFO. */
void tprof_event_each(uint32_t ident, tprof_event_fn *fn, void *arg);
/* The event of a name with nothing behind it: 0, or -1. */
int tprof_event_find(const char *name, uint64_t *unit, uint64_t *event);
/* The one that is sampled where nobody says which. */
const char *tprof_event_default(uint32_t ident);

/* tprof_pmu.c: sysfs, as tprof_pmus has it. */
extern const char *tprof_pmus; /* folder; for tests */
/* An event or terms (event=1,umask=2) of a PMU: 0, or -1. */
int tprof_pmu_find(const char *pmu, const char *what, uint64_t *unit,
    uint64_t *event);
/* The same of the processor, whose counters may have several names. */
int tprof_pmu_find_cpu(const char *name, uint64_t *unit, uint64_t *event);
void tprof_pmu_each(tprof_event_fn *fn, void *arg);

/* Opens the device; exits if that fails, or another version answers. */
struct dt *tprof_open(struct tprof_info *);
/* Sets the counters, with these flags besides. */
void tprof_configure(struct dt *, struct tprof_events *, uint64_t flags);
void tprof_start(struct dt *, const struct tprof_events *);
void tprof_stop(struct dt *);
/* Counts of CPU cpu; 0, or -1: there is none. */
int tprof_counts(struct dt *, uint32_t cpu, struct tprof_counts *);
/* Whether dtd has stopped it, and tells why; 1 or 0. */
int tprof_ended(struct dt *);
/* What stands before the command, or the usage and exit. */
char **tprof_command(int argc, char **argv);

/* Counts, by event and CPU. */
struct tprof_allcounts {
	int ct_iscommand;	     /* of a command: the sum is in ct_cpu[0] */
	unsigned int ct_ncpu;	     /* 1 of a command */
	struct tprof_counts *ct_cpu; /* [ct_ncpu] */
};

/* All 0. */
void tprof_counts_alloc(struct tprof_allcounts *, int iscommand);
void tprof_counts_free(struct tprof_allcounts *);
void tprof_counts_get(struct tprof_allcounts *, struct dt *);
/* Prints the line above the first table: the whole machine, or the command.
 * option: the caller has one that counts the command alone. */
void tprof_counts_title(FILE *, int iscommand, int option);
/* What has come since before (NULL: from the start), and ratios. */
void tprof_counts_print(FILE *, const struct tprof_events *,
    const struct tprof_allcounts *, const struct tprof_allcounts *before);

/* A name of code. */
struct tprof_sym {
	char *sy_func;	 /* NULL: it has none */
	char *sy_module; /* file name without folders, or NULL */
	uint64_t sy_offset;
};

/* Of an address at that time. */
struct tprof_sym *tprof_symbol(struct names *, uint32_t pid, int inkernel,
    uint64_t pc, uint64_t nsecs);
/* Frees a map of them. */
void tprof_symbols_free(struct hash *);

/*
 * Samples as monitor writes them: FILE as the BSD tool has it, and FILE.dt, a
 * recording in which each sample is an event with a stack of one address, for
 * the names.
 */
struct tprof_file {
	const char *tf_name;
	FILE *tf_raw;
	uint64_t tf_n; /* samples */
	char tf_dtname[4096];
	struct dt *tf_dt; /* who knows names, NULL: nobody */
	struct opts tf_opts;
	struct names tf_names;
	struct out tf_out;
};

/* Begins; what runs from now on has names.  Exits if a file can't be made. */
void tprof_file_open(struct tprof_file *, const char *name,
    const struct tprof_events *);
void tprof_file_sample(struct tprof_file *, const struct dt_tprof_sample *);
void tprof_file_idle(struct tprof_file *); /* nothing comes at the moment */
/* 0; 1 where names lack, which it tells. */
int tprof_file_close(struct tprof_file *);

/* Calls fn with each sample of FILE, with its name.  Exits if it can't be read.
 * Names live until what it returns is freed. */
struct tprof_reading;
typedef void
tprof_sample_fn(void *, const tprof_sample_t *, const struct tprof_sym *);
struct tprof_reading *
tprof_file_read(const char *name, tprof_sample_fn *, void *);
/* Whether FILE was damaged, which has been told: all before it was read. */
int tprof_reading_isbad(const struct tprof_reading *);
void tprof_reading_free(struct tprof_reading *);

int tprof_list(int argc, char **argv);
int tprof_monitor(int argc, char **argv);
int tprof_count(int argc, char **argv);
int tprof_analyze(int argc, char **argv);
int tprof_top(int argc, char **argv);

void tprof_usage(void) __attribute__((noreturn));

#endif /* CLI_TPROF_TPROF_H */
