/* SPDX-License-Identifier: ISC */
/* Functions and stacks, as dt profile and dt offcpu print them. */
#ifndef CLI_RESULT_PROFILE_H
#define CLI_RESULT_PROFILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct dt_ledger;
struct frame;
struct ledger_run;

/* Unit of the weight of a stack. */
enum profile_unit {
	PROFILE_SAMPLES = 0, /* samples of a clock */
	PROFILE_HITS,	     /* hits of a probe */
	PROFILE_NSECS,	     /* durations of pairs */
	PROFILE_WAITS,	     /* durations of waits, which have a kind */
	PROFILE_SUM,	     /* values of an argument */
	PROFILE_NBYTES,	     /* values of an argument that counts bytes */
	PROFILE_NUNITS,
};

/* Kinds of waits, of which a stack has one. */
enum profile_wait {
	PROFILE_NOWAIT = 0,
	PROFILE_VOLUNTARY,   /* the thread waited for something */
	PROFILE_INVOLUNTARY, /* it could run, but another thread did */
	PROFILE_NWAITS,
};

/* A thread with hits. */
struct out_thread {
	uint32_t oth_pid, oth_tid;
	char oth_comm[16]; /* name of the thread */
	uint64_t oth_time; /* of the last hit, which has this name, ns */
};

/* A hit, for outputs that show threads and times. */
struct out_sample {
	uint64_t osa_time; /* CLOCK_MONOTONIC, ns; of durations: their start */
	uint64_t osa_weight;
	uint32_t osa_stack;  /* index in opr_stacks */
	uint32_t osa_thread; /* index in opr_threads */
	/* the probe or call, and its arguments; NULL: samples of a clock */
	const char *osa_name, *osa_text;
};

/* Results of profile: functions and stacks, by descending weight. */
struct out_func {
	const struct frame *of_frame; /* one of its frames */
	uint64_t of_self;	      /* weight of the stacks that end in it */
	uint64_t of_total;	      /* weight of all stacks that it is in */
	size_t of_last;		      /* for counting: the last stack it was
				       * seen in */
};

struct out_stack {
	uint64_t os_weight;
	uint64_t os_hits; /* hits with this stack */
	enum profile_wait os_wait;
	uint32_t os_pid;
	int os_isseveral; /* several processes */
	const char *os_comm;
	/* innermost first: os_nkernel kernel frames, then user frames */
	const struct frame *const *os_frames;
	unsigned int os_nframes, os_nkernel;
	int os_hasuser;		  /* user stacks were requested */
	const char *os_why;	  /* reason for an incomplete stack; NULL:
				   * complete */
	uint8_t os_kend, os_uend; /* enum dt_stack_end */
};

/* Reasons for incomplete stacks. */
struct out_why {
	const char *oy_why;
	uint64_t oy_count;
};

struct out_profile {
	const struct out_func *opr_funcs;
	size_t opr_nfuncs;
	const struct out_stack *opr_stacks;
	size_t opr_nstacks;
	const struct out_why *opr_whys;
	size_t opr_nwhys;
	enum profile_unit opr_unit;
	const char *opr_name; /* of a sum: the argument */
	uint64_t opr_total;   /* weight of all stacks */
	uint64_t opr_hits;    /* samples or hits in the tables */
	struct {
		uint64_t hits, nsecs;
	} opr_waits[PROFILE_NWAITS]; /* of opr_hits and opr_total */
	uint64_t opr_idle;	     /* samples excluded as idle */
	uint64_t opr_novalue;  /* hits excluded: no value, or a negative one */
	uint64_t opr_judged;   /* of opr_hits: with a user stack */
	uint64_t opr_complete; /* of opr_judged: complete */
	uint64_t opr_bytable;  /* of opr_judged: by unwind tables */
	size_t opr_top;	       /* number of rows to print in each table */
	uint64_t opr_period;   /* ns between samples of a CPU; 0: unknown */
	struct timespec opr_start; /* CLOCK_REALTIME; 0: unknown */
	uint64_t opr_nsecs;	   /* duration, 0: unknown */
	/*
	 * Hits by thread and time; none unless the output shows them, and all
	 * of them have a time.
	 */
	const struct out_sample *opr_samples;
	size_t opr_nsamples;
	const struct out_thread *opr_threads;
	size_t opr_nthreads;
	uint64_t opr_nunkept; /* hits after those that are kept */
	int64_t opr_clock;    /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	/* another value of the same recording, or NULL */
	const struct out_profile *opr_next;
	const struct dt_ledger *opr_ledger; /* of the recording, or NULL */
	const struct ledger_run *opr_run;   /* with opr_ledger */
};

#endif /* CLI_RESULT_PROFILE_H */
