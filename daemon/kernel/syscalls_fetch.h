/* SPDX-License-Identifier: ISC */
/*
 * What arguments of system calls point to: rows by call and argument, and from
 * them the lines of the table by which the programs read it (bpf/dt_shared.h).
 * Constant, as syscalls.h.
 */
#ifndef DAEMON_KERNEL_SYSCALLS_FETCH_H
#define DAEMON_KERNEL_SYSCALLS_FETCH_H

#include <stdint.h>

#include "bpf/dt_shared.h"
#include "daemon/kernel/syscalls.h"

/* sf_when */
#define FETCH_ENTRY  0x1
#define FETCH_RETURN 0x2 /* of a call that succeeded */
#define FETCH_FAILED 0x4 /* of one that failed */
#define FETCH_ALWAYS (FETCH_ENTRY | FETCH_RETURN | FETCH_FAILED)

/* sf_abi */
#define FETCH_BOTH   0
#define FETCH_ONLY64 1 /* calls of 64-bit programs; others' look different */
#define FETCH_ONLY32 2

struct syscall_fetch {
	const char *sf_call; /* name of the call */
	const char *sf_arg;  /* name of the argument that points there */
	uint8_t sf_how;	     /* DT_FETCH_* */
	uint8_t sf_want;     /* DT_EVT_STRINGS, _MEMORY or _DATA */
	uint8_t sf_when;     /* FETCH_ENTRY and so on */
	uint8_t sf_abi;	     /* FETCH_BOTH and so on */
	const char *sf_len;  /* name of the argument that tells how many */
	uint16_t sf_unit;    /* bytes of an element, 0: 1 */
	uint16_t sf_max;     /* at most so many bytes; FIXED: exactly */
};

/*
 * The table's line for a call and a direction (DT_SYS_ENTRY, DT_SYS_RETURN), or
 * for the return that is the second of a pair (DT_SYS_PAIR): there, what was
 * to be read at the entry is read, too, as far as it is the same still.
 * Paths need no row: each argument that is one is fetched whenever it can be.
 * Returns how many entries are used; more than DT_NFETCH are left out.
 */
unsigned int syscall_fetches(enum syscall_abi, unsigned int nr, int dir,
    struct dt_fetches *);

/* The n-th row, or NULL: for a test of what they name. */
const struct syscall_fetch *syscall_fetch_row(unsigned int n);

#endif /* DAEMON_KERNEL_SYSCALLS_FETCH_H */
