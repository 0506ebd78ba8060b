/* SPDX-License-Identifier: ISC */
/*
 * A running script: its maps and variables, and the hit that it looks at.  The
 * interpreter does not know where hits come from.
 */
#ifndef CLI_SCRIPT_SCRIPT_RUN_H
#define CLI_SCRIPT_SCRIPT_RUN_H

#include <stdint.h>

#include <libdt.h>

#include "cli/base/buf.h"
#include "cli/base/probe.h"
#include "cli/script/script_map.h"
#include "wire/stack_end.h"

struct script_limits {
	uint64_t slm_keys;   /* of each map */
	uint64_t slm_string; /* bytes of a string */
	uint64_t slm_loops;  /* turns of a loop */
};

#define SCRIPT_KEYS   262144
#define SCRIPT_STRING 4096
#define SCRIPT_LOOPS  10000

/* A value that is read by structs: where it is in an event. */
struct script_read {
	uint8_t srd_isused; /* 0: the probe does not have it */
	int8_t srd_value;   /* number of its read */
	int8_t srd_text;    /* of what it points to; -1: none */
	uint8_t srd_type;   /* ST_INT, ST_STR or ST_BUF */
	uint8_t srd_issigned;
	uint8_t srd_shift, srd_bits; /* of a number */
	/* an element of the argument srd_value, which the event has as bytes */
	uint8_t srd_iselement;
	uint16_t srd_offset;
};

/* The script's view of a probe that was hit. */
struct script_hit {
	const char *sht_name; /* as the script writes it */
	const char *sht_func;
	const struct probe *sht_probe; /* NULL: BEGIN, END, interval */
	const int8_t *sht_argn;	       /* by nd_ref of ND_FIELD; -1: result */
	int sht_islinux;	       /* failed calls return -errno */
	const struct script_read *sht_reads; /* by nd_ref; NULL: none */
};

#define SCRIPT_RET (-1) /* sht_argn: args.ret */
#define SCRIPT_NR  (-2) /* sht_argn: the field is missing here */

/* Memory for the values of one clause. */
struct srun_block;

struct srun {
	const struct script *srn_script;
	struct script_limits srn_limits;
	struct smap *srn_maps;
	struct sval *srn_vars;
	struct name_cache *srn_names; /* NULL: no session */
	struct buf srn_out;
	int srn_isjson;
	uint64_t srn_start; /* CLOCK_MONOTONIC, ns */
	uint64_t srn_rand;
	/* the hit */
	const struct script_hit *srn_hit;
	const struct dt_event *srn_ev; /* NULL: of no event */
	uint64_t srn_time;	       /* CLOCK_MONOTONIC, ns */
	struct timespec srn_realtime;
	/* the clause */
	enum {
		SRUN_GO,
		SRUN_BREAK,
		SRUN_CONTINUE,
		SRUN_RETURN
	} srn_jump;
	struct srun_block *srn_blocks;
	size_t srn_used;
	/* the rest of the run */
	int srn_isover; /* by exit() */
	int srn_status; /* argument of exit() */
	/* see srun_notes() */
	uint64_t srn_nzero, srn_ncut, srn_nloops, srn_nunread, srn_ntuples;
	uint64_t srn_ustacks[STACK_NENDS]; /* hits, by the stack's end */
	/* brings the counts of the kernel up to date; set if a map is counted */
	void (*srn_sync)(void *);
	void *srn_syncarg;
	int srn_issynced; /* at srn_time */
};

void srun_init(struct srun *, const struct script *, int fd,
    const struct script_limits *);
void srun_free(struct srun *);
/* Executes a clause for a hit. */
void srun_clause(struct srun *, const struct clause *,
    const struct script_hit *, const struct dt_event *, uint64_t now);
/* Returns whether a map has keys. */
int srun_hasmaps(const struct srun *);
/* Prints all maps, as at the end. */
void srun_maps(struct srun *);
/* Notes how the user stack of a hit ended, if it has one. */
void srun_ustack(struct srun *, const struct dt_event *);
/* Prints on stderr why results may differ from the truth. */
void srun_notes(const struct srun *);

/* script_eval.c */
struct sval srun_eval(struct srun *, const struct node *);
/* Returns a value that the kernel has read by structs. */
struct sval srun_read(struct srun *, const struct node *);
/*
 * Adds to a value the text that the hit's argument points to, or that is in its
 * record.
 */
struct sval srun_memory(struct srun *, unsigned int argn, struct sval);
/*
 * Reads what the kernel has counted, which takes a millisecond or more, before a
 * map is used that has such counts.  All clauses of one moment use the same
 * counts: hits after print() are not lost to clear().
 */
void srun_sync(struct srun *, const struct smap *);
/* Packs the keys of a map into its sm_key; returns the map. */
struct smap *srun_key(struct srun *, const struct node *);
/* Returns memory until the end of the clause. */
void *srun_alloc(struct srun *, size_t);
/* Frees that memory; keeps one block unless all. */
void srun_release(struct srun *, int all);
struct sval srun_binary(struct srun *, unsigned int op, const struct sval *,
    const struct sval *);

/* script_exec.c: assigns; executes an aggregating function. */
void srun_assign(struct srun *, const struct node *target, const struct sval *);

/* script_printf.c */
void srun_format(struct srun *, struct buf *, const struct node *args);
/* Checks a format; returns the number of conversions, or -1 with the reason. */
int format_check(const char *fmt, size_t len, char *types, unsigned int max,
    const char **why);

/* script_out.c: output of scripts, as text or JSON */
void srun_print_text(struct srun *, const char *type, const char *, size_t);
void srun_print_value(struct srun *, const struct sval *);
void
srun_print_map(struct srun *, unsigned int map, uint64_t top, uint64_t div);

#endif /* CLI_SCRIPT_SCRIPT_RUN_H */
