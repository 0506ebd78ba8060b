/* SPDX-License-Identifier: ISC */
/* Checks and trials, as dt doctor prints them. */
#ifndef CLI_RESULT_DOCTOR_H
#define CLI_RESULT_DOCTOR_H

#include <stddef.h>
#include <stdint.h>

/* What doctor found: a line each. */
enum out_verdict {
	OUT_OK,
	OUT_FACT, /* neither good nor bad */
	OUT_WARNING,
	OUT_MISSING,
};

struct out_check {
	const char *ox_section; /* key of it, and of the check in it */
	const char *ox_title;	/* of the section, for people */
	char ox_name[64];
	enum out_verdict ox_verdict;
	char ox_found[512];
	const char *ox_advice; /* NULL: nothing has to be done */
	const char *ox_for;    /* what it is good for */
};

/* A probe that was tried. */
struct out_trial {
	const char *ol_probe; /* NULL: it did not come to this */
	int ol_works;
	uint64_t ol_made, ol_read; /* hits that there should be, were */
	uint64_t ol_enable;	   /* ns that each step took */
	uint64_t ol_record;
	uint64_t ol_event; /* from the first hit to its arrival */
};

struct out_doctor {
	const char *od_release; /* of dt */
	int od_works;
	const struct out_check *od_checks;
	size_t od_nchecks;
	const struct out_trial *od_trials;
	size_t od_ntrials;
};

#endif /* CLI_RESULT_DOCTOR_H */
