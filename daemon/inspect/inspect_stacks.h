/* SPDX-License-Identifier: ISC */
/*
 * INSPECT_STACKS: reads the user stacks of threads of a process, of which other
 * threads may keep the memory locked.
 */
#ifndef DAEMON_INSPECT_INSPECT_STACKS_H
#define DAEMON_INSPECT_INSPECT_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INSPECT_NSTACKS	  32	/* in a request */
#define INSPECT_STACK_MAX 49152 /* bytes of one */

/* Where a part of a stack begins and ends: multiples of INSPECT_STACK_UNIT. */
#define INSPECT_STACK_UNIT 2048

struct inspect_stack {
	uint64_t isk_from;
	uint64_t isk_until;
};

struct inspect_stacks_request {
	uint32_t isr_n;
	uint32_t isr_pad;
	struct inspect_stack isr_stacks[INSPECT_NSTACKS];
};

/*
 * A piece of the reply: the bytes that could be read, whole units, from the
 * begin or from the page after it.  A stack that cannot be read has no piece.
 */
struct inspect_stack_piece {
	uint32_t isp_index; /* of the request */
	uint32_t isp_nbytes;
	uint64_t isp_from;
};

/* Calls fn for each piece.  Returns the errno of inspect(). */
int inspect_stacks_request(pid_t, const struct inspect_stacks_request *,
    void (*fn)(void *arg, const struct inspect_stack_piece *,
	const uint8_t *bytes),
    void *arg);

#endif /* DAEMON_INSPECT_INSPECT_STACKS_H */
