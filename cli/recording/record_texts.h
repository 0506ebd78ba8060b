/* SPDX-License-Identifier: ISC */
/*
 * The texts that dt record --str requests, and those that str() of a condition
 * tests: arguments and results of functions, by name.
 */
#ifndef CLI_RECORDING_RECORD_TEXTS_H
#define CLI_RECORDING_RECORD_TEXTS_H

#include "cli/base/probe.h"
#include "cli/cond/cond.h"

#define RECORD_NTEXTS 16

struct record_text {
	char rct_name[DTNAMESIZE]; /* of the argument, or retval */
	int rct_isfound;	   /* a probe has it */
	int rct_isoption;
};

struct record_texts {
	struct record_text rts_list[RECORD_NTEXTS];
	unsigned int rts_n;
};

/*
 * Sets the texts of a list of names and of a condition; either may be NULL.
 * Exits if there are too many.
 */
void record_texts_init(struct record_texts *, const char *list,
    const struct cond_expr *);
/* Returns the DTEVT_* of a probe for these texts. */
uint64_t record_texts_evtflags(struct record_texts *, const struct probe *);
/* Exits if no probe has a name of the list. */
void record_texts_check(const struct record_texts *);

#endif /* CLI_RECORDING_RECORD_TEXTS_H */
