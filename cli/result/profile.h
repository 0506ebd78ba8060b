/* SPDX-License-Identifier: ISC */
/* Functions and stacks, as dt profile prints them. */
#ifndef CLI_RESULT_PROFILE_H
#define CLI_RESULT_PROFILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct frame;

/* What profile found: functions and stacks, the most frequent first. */
struct out_func {
	const struct frame *of_frame; /* one of its frames */
	uint64_t of_self;	      /* samples in it */
	uint64_t of_total;	      /* and in what it called */
	size_t of_last;		      /* who counts: the stack it was seen in */
};

struct out_stack {
	uint64_t os_count;
	uint32_t os_pid;
	int os_isseveral; /* processes, not one */
	const char *os_comm;
	/* innermost first: os_nkernel frames of the kernel, then the user's */
	const struct frame *const *os_frames;
	unsigned int os_nframes, os_nkernel;
	int os_hasuser;		  /* a user stack was asked for */
	const char *os_why;	  /* why it is not complete; NULL: it is */
	uint8_t os_kend, os_uend; /* enum dt_stack_end */
};

/* Why stacks are not complete. */
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
	uint64_t opr_total;    /* samples in the tables */
	uint64_t opr_idle;     /* samples left out as idle */
	uint64_t opr_judged;   /* of them, with a user stack */
	uint64_t opr_complete; /* of these, complete */
	size_t opr_top;	       /* lines wanted of each */
	uint64_t opr_period;   /* ns between samples of a CPU; 0: not known */
	struct timespec opr_start; /* CLOCK_REALTIME; 0: not known */
	uint64_t opr_nsecs;	   /* that it took, 0: not known */
};

#endif /* CLI_RESULT_PROFILE_H */
