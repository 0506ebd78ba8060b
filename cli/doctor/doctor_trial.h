/* SPDX-License-Identifier: ISC */
/*
 * The trial of dt doctor: opens the device as every dt does, enables a system
 * call and a clock for this process alone, causes a known number of hits, and
 * reads them.
 *
 * A child does this, since a daemon may hang and requests have no timeout.  The
 * child reports in shared memory, and is killed when one step takes too long;
 * its private daemon exits with it or is killed as well.
 */
#ifndef CLI_DOCTOR_DOCTOR_TRIAL_H
#define CLI_DOCTOR_DOCTOR_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/out/out.h"

#define TRIAL_MAXPROVS 16
#define TRIAL_CALLS    100 /* getpid(2) */
#define TRIAL_TEXT     256

enum trial_probe {
	TRIAL_SYSCALL,
	TRIAL_PROFILE,
	TRIAL_NPROBES
};

/* The failure, if any. */
struct trial_error {
	int tre_errno; /* 0: none */
	char tre_text[TRIAL_TEXT];
};

/* Written by the child until it has ended, then read by its parent. */
struct trial {
	const char *volatile tr_step; /* step in progress; NULL: all are done */
	volatile unsigned int tr_nsteps;
	int tr_isopen;
	struct trial_error tr_open; /* failure of dt_open() */
	uint64_t tr_opentime;	    /* duration of dt_open(), ns */
	int tr_isprivate;
	unsigned int tr_rights;
	char tr_release[64]; /* version of the daemon */
	struct dtioc_prov_info tr_provs[TRIAL_MAXPROVS];
	size_t tr_nprovs;
	struct out_trial tr_probes[TRIAL_NPROBES];
	struct trial_error tr_errors[TRIAL_NPROBES];
	uint64_t tr_first;	      /* ns from the start to the first event */
	unsigned int tr_nframes;      /* frames in the kernel stack of a call */
	unsigned int tr_nnamed;	      /* frames with a symbol */
	char tr_frame[64];	      /* first frame with a symbol */
	struct trial_error tr_noname; /* reason of missing symbols */
	char tr_user[64];	      /* symbol of a function of this
				       * process; "": see tr_nouser */
	struct trial_error tr_nouser;
	struct dtioc_symstat tr_sym; /* cost of that lookup; 0s: unknown */
	uint64_t tr_usertime;	     /* duration of the lookup, ns */
};

/* Never fails and never hangs; the result is static. */
const struct trial *trial_run(void);

#endif /* CLI_DOCTOR_DOCTOR_TRIAL_H */
