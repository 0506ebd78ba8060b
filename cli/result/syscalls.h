/* SPDX-License-Identifier: ISC */
/* System calls with their errors and times, as dt syscalls prints them. */
#ifndef CLI_RESULT_SYSCALLS_H
#define CLI_RESULT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/hist.h"

struct out_counts;

/* Failed calls with one errno. */
struct out_failure {
	uint32_t ofl_errno;
	uint64_t ofl_count;
};

/* A row: one call, of one process with osl_isbypid. */
struct out_syscall {
	const char *osc_name; /* "read" */
	uint32_t osc_pid;
	const char *osc_comm; /* of osc_ncomm bytes */
	size_t osc_ncomm;
	uint64_t osc_count;
	uint64_t osc_failed;
	struct hist osc_times; /* ns; empty if the call never returns */
	struct out_failure *osc_failures; /* descending by count */
	size_t osc_nfailures;
};

struct out_syscalls {
	const struct out_counts *osl_counts; /* counts by call and errno */
	struct out_syscall *osl_rows;	     /* descending by total time */
	size_t osl_n;
	int osl_isbypid; /* rows are by call, process and name */
};

#endif /* CLI_RESULT_SYSCALLS_H */
