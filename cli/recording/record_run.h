/* SPDX-License-Identifier: ISC */
/* The run of dt record and dt trace: prints each event, or writes a recording. */
#ifndef CLI_RECORDING_RECORD_RUN_H
#define CLI_RECORDING_RECORD_RUN_H

#include <stdint.h>

struct opts;

/*
 * Bytes of rings when writing a file: the writer may have to wait for the disk,
 * or for a CPU that the traced programs occupy.  The default of 4 MB lasts 20
 * ms at three million events per second on two CPUs, and less with more CPUs.
 */
#define RECORD_BUDGET (16 << 20)

struct record_how {
	uint64_t rhw_evtflags; /* DTEVT_* besides those that all events have */
	const char *rhw_texts; /* names of texts to record, or NULL */
	uint64_t rhw_budget;   /* bytes of rings without -o; 0: the default */
	uint64_t rhw_count;    /* calls and events to print; 0: no limit */
	/* further probes, not counted there; NULL: none; ended by NULL */
	const char *const *rhw_also;
};

/* Returns the exit status. */
int record_run(struct opts *, const struct record_how *);

#endif /* CLI_RECORDING_RECORD_RUN_H */
