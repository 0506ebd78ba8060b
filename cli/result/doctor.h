/* SPDX-License-Identifier: ISC */
/* Checks and trials, as dt doctor prints them. */
#ifndef CLI_RESULT_DOCTOR_H
#define CLI_RESULT_DOCTOR_H

#include <stddef.h>
#include <stdint.h>

/* Results of doctor: a line each. */
enum out_verdict {
	OUT_OK,
	OUT_FACT, /* neither good nor bad */
	OUT_WARNING,
	OUT_MISSING,
};

struct out_check {
	const char *ox_section; /* keys of the section and of the check in it */
	const char *ox_title;	/* title of the section */
	char ox_name[64];
	enum out_verdict ox_verdict;
	char ox_found[512];
	const char *ox_advice; /* NULL: no action needed */
	const char *ox_for;    /* purpose of the check */
};

/* A probe that was tried. */
struct out_trial {
	const char *ol_probe; /* NULL: was not tried */
	int ol_works;
	uint64_t ol_made, ol_read; /* hits that were caused, and read */
	uint64_t ol_enable;	   /* duration of each step, ns */
	uint64_t ol_record;
	uint64_t ol_event; /* ns from the first hit to its arrival */
};

struct out_doctor {
	const char *od_release; /* version of dt */
	int od_works;
	const struct out_check *od_checks;
	size_t od_nchecks;
	const struct out_trial *od_trials;
	size_t od_ntrials;
};

#endif /* CLI_RESULT_DOCTOR_H */
