/* SPDX-License-Identifier: ISC */
/*
 * Faults of a daemon: shared by tests/fault/fault.c, which LD_PRELOAD loads
 * into the daemon, and the program that controls it.  Both map the file that
 * $DT_FAULT names.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

enum fault_kind {
	FAULT_NONE,
	FAULT_BPF,
	FAULT_MMAP,
	FAULT_PERF, /* perf_event_open */
	FAULT_EPOLL_CTL,
	FAULT_SOCKETPAIR,
	FAULT_ACCEPT,
	FAULT_SENDMSG,
	FAULT_THREAD, /* pthread_create */
	FAULT_ALLOC,  /* malloc and calloc of the daemon itself */
	FAULT_FOPEN,
	FAULT_FD, /* eventfd, timerfd_create, signalfd, epoll_create1 */
	FAULT_PROG, /* loads of large BPF programs */
	FAULT_NKINDS
};

#define FAULT_FOREVER INT64_MAX
#define FAULT_HANG    0 /* errno of a call that never returns */

struct fault {
	uint32_t fa_kind; /* enum fault_kind, set last */
	int32_t fa_errno;
	int64_t fa_countdown; /* the call that makes it 0 fails */
	int64_t fa_width;     /* number of failures, including the first */
	uint64_t fa_hits;     /* calls that failed */
};

#endif /* FAULT_H */
