/* SPDX-License-Identifier: ISC */
/*
 * Faults for a daemon: what tests/fault/fault.c, loaded into it by LD_PRELOAD,
 * and the program that wants them share.  The file that $DT_FAULT names is
 * mapped by both.
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
	FAULT_NKINDS
};

#define FAULT_FOREVER INT64_MAX

struct fault {
	uint32_t fa_kind; /* enum fault_kind, set last */
	int32_t fa_errno;
	int64_t fa_countdown; /* the call that makes it 0 fails */
	int64_t fa_width;     /* and so many, itself included */
	uint64_t fa_hits;     /* calls that failed */
};

#endif /* FAULT_H */
