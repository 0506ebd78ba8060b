/* SPDX-License-Identifier: ISC */
/*
 * Describes the memory that arguments of system calls point to: rows by call
 * and argument, from which the programs' table entries are made
 * (bpf/dt_shared.h). Constant, as in syscalls.h.
 */
#ifndef DAEMON_KERNEL_SYSCALLS_FETCH_H
#define DAEMON_KERNEL_SYSCALLS_FETCH_H

#include <stdint.h>

#include "bpf/dt_shared.h"
#include "daemon/kernel/syscalls.h"

/* sf_when */
#define FETCH_ENTRY  0x1
#define FETCH_RETURN 0x2 /* return of a successful call */
#define FETCH_FAILED 0x4 /* return of a failed call */
#define FETCH_ALWAYS (FETCH_ENTRY | FETCH_RETURN | FETCH_FAILED)

/* sf_abi */
#define FETCH_BOTH   0
#define FETCH_ONLY64 1 /* 64-bit programs only: 32-bit layouts differ */
#define FETCH_ONLY32 2

struct syscall_fetch {
	const char *sf_call; /* name of the call */
	const char *sf_arg;  /* argument that is the pointer */
	uint8_t sf_how;	     /* DT_FETCH_* */
	uint8_t sf_want;     /* DT_EVT_STRINGS, _MEMORY or _DATA */
	uint8_t sf_when;     /* FETCH_ENTRY and so on */
	uint8_t sf_abi;	     /* FETCH_BOTH and so on */
	const char *sf_len;  /* argument that is the length or count */
	uint16_t sf_unit;    /* bytes of an element, 0: 1 */
	uint16_t sf_max;     /* maximum bytes; FIXED: exact */
};

/*
 * Fills the table entry for a call and a direction (DT_SYS_ENTRY,
 * DT_SYS_RETURN), or for a return that is the second hit of a pair
 * (DT_SYS_PAIR): that also reads the entry's memory if it is still the same.
 * Paths need no row: each path argument is fetched where possible.  Returns how
 * many rows are used; those beyond DT_NFETCH are omitted.
 */
unsigned int syscall_fetches(enum syscall_abi, unsigned int nr, int dir,
    struct dt_fetches *);

/* Returns the n-th row, or NULL, for tests. */
const struct syscall_fetch *syscall_fetch_row(unsigned int n);

#endif /* DAEMON_KERNEL_SYSCALLS_FETCH_H */
