/* SPDX-License-Identifier: ISC */
/* Functions and stacks, as dt profile prints them. */
#ifndef CLI_RESULT_PROFILE_H
#define CLI_RESULT_PROFILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct frame;

/* Results of profile: functions and stacks, by descending frequency. */
struct out_func {
	const struct frame *of_frame; /* one of its frames */
	uint64_t of_self;	      /* samples in it */
	uint64_t of_total;	      /* samples in it and its callees */
	size_t of_last;		      /* for counting: the last stack it was
				       * seen in */
};

struct out_stack {
	uint64_t os_count;
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
	uint64_t opr_total;	   /* samples in the tables */
	uint64_t opr_idle;	   /* samples excluded as idle */
	uint64_t opr_judged;	   /* of opr_total: with a user stack */
	uint64_t opr_complete;	   /* of opr_judged: complete */
	uint64_t opr_bytable;	   /* of opr_judged: by unwind tables */
	size_t opr_top;		   /* number of rows to print in each table */
	uint64_t opr_period;	   /* ns between samples of a CPU; 0: unknown */
	struct timespec opr_start; /* CLOCK_REALTIME; 0: unknown */
	uint64_t opr_nsecs;	   /* duration, 0: unknown */
};

#endif /* CLI_RESULT_PROFILE_H */
