/* SPDX-License-Identifier: ISC */
/*
 * The trial of dt doctor: opens the device as every dt does, enables a system
 * call and a clock for this process alone, makes hits of a known number, and
 * reads them.
 *
 * All of it is done by a child, as a daemon may hang, and what a trial asks
 * has no limit of time.  It tells in memory that is shared, and is killed when
 * one step takes too long; its private daemon ends with it, or is killed, too.
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

/* What failed, if anything. */
struct trial_error {
	int tre_errno; /* 0: nothing */
	char tre_text[TRIAL_TEXT];
};

/* Written by the child until it has ended, then read by its parent. */
struct trial {
	const char *volatile tr_step; /* what it is at; NULL: all is done */
	volatile unsigned int tr_nsteps;
	int tr_isopen;
	struct trial_error tr_open; /* of dt_open() */
	uint64_t tr_opentime;	    /* ns that it took */
	int tr_isprivate;
	unsigned int tr_rights;
	char tr_release[64]; /* of the daemon */
	struct dtioc_prov_info tr_provs[TRIAL_MAXPROVS];
	size_t tr_nprovs;
	struct out_trial tr_probes[TRIAL_NPROBES];
	struct trial_error tr_errors[TRIAL_NPROBES];
	uint64_t tr_first;	      /* ns from the start to an event */
	unsigned int tr_nframes;      /* of the kernel stack of a call */
	unsigned int tr_nnamed;	      /* of them with a name */
	char tr_frame[64];	      /* the first that has one */
	struct trial_error tr_noname; /* why one has none */
	char tr_user[64];	      /* what a function of this process is
				       * called; "": see tr_nouser */
	struct trial_error tr_nouser;
	struct dtioc_symstat tr_sym; /* what that took; 0s: not known */
	uint64_t tr_usertime;	     /* ns */
};

/* Never fails and never hangs; the result is for good. */
const struct trial *trial_run(void);

#endif /* CLI_DOCTOR_DOCTOR_TRIAL_H */
