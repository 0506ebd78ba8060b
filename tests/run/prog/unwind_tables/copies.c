/* SPDX-License-Identifier: ISC */
/* Copies of stacks of sessions, without programs that make them. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#include "daemon/base/clock.h"
#include "daemon/unwind/unwind.h"
#include "daemon/unwind/unwind_copies.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/unwind_tables/unwind_tables.h"

#define SLOT_A	      5
#define SLOT_B	      6
#define SESSION(slot) UNWIND_SESSION(slot, 1)
#define NOBODY	      0x7fffffff /* no process has this number */
#define STACK	      0x20000
#define COPY_BYTES    (sizeof(struct unwind_copy) + UNWIND_COPY_STACK)

/* Enters a copy of an unknown process with a full stack. */
static void
copy_add(uint32_t slot, uint32_t number)
{
	static union {
		struct unwind_copy head;
		uint8_t bytes[COPY_BYTES];
	} ucp;

	ucp.head = (struct unwind_copy){ .ucp_number = number,
		.ucp_slot = slot,
		.ucp_gen = 1,
		.ucp_pid = NOBODY,
		.ucp_time = clock_monotonic(),
		.ucp_parts[0] = { .upt_from = STACK,
		    .upt_until = STACK + UNWIND_COPY_STACK } };
	unwind_copies_add(&ucp.head, sizeof(ucp));
}

static void
copy_is(uint32_t slot, uint32_t number, int error, const char *what)
{
	struct dtioc_stack dtsk;
	int got = unwind_copy_take(SESSION(slot), number, &dtsk);

	if (got != error)
		errx(1, "%s: %s", what, strerror(got));
}

static uint64_t
bytes(void)
{
	struct unwind_copies_stat ucs;

	unwind_copies_stat(&ucs);
	return ucs.ucs_bytes;
}

static int
is_known(void *arg)
{
	return unwind_copy_take(SESSION(SLOT_A), 1, arg) == 0;
}

/* The number of a CPU's n-th copy. */
static uint32_t
number(uint32_t n)
{
	return UNWIND_COPY_NUMBER(7, n);
}

/* A session that takes nothing fills its own memory only. */
static void
check_limits(void)
{
	uint32_t n;

	for (n = 0; n < 1000; n++)
		copy_add(SLOT_A, number(n));
	if (bytes() > UNWIND_COPIES_SESSION)
		errx(1, "a session has %llu bytes",
		    (unsigned long long)bytes());
	copy_is(SLOT_A, number(0), EAGAIN, "the first copy");
	copy_is(SLOT_A, number(999), ENOENT, "a copy above the limit");
	copy_add(SLOT_B, number(1000));
	copy_is(SLOT_B, number(1000), EAGAIN, "a copy of another session");
	unwind_copies_close(SESSION(SLOT_A));
	copy_is(SLOT_A, number(0), ENOENT, "a copy of a closed session");
	if (bytes() > 2 * COPY_BYTES)
		errx(1, "a closed session has %llu bytes",
		    (unsigned long long)bytes());
	copy_add(SLOT_A, number(1001));
	copy_is(SLOT_A, number(1001), ENOENT, "a copy after the close");
}

void
case_copies(void)
{
	uint64_t begun = clock_monotonic();
	struct dtioc_stack dtsk;

	if (unwind_copies_open(SESSION(SLOT_A)) != 0 ||
	    unwind_copies_open(SESSION(SLOT_B)) != 0)
		errx(1, "open");
	copy_is(SLOT_A, 1, EAGAIN, "a copy that has not arrived");
	copy_add(SLOT_A, 1);
	copy_is(SLOT_A, 1, EAGAIN, "a copy of an unknown process");
	copy_is(SLOT_B, 1, ENOENT, "another session's copy");
	prog_wait(is_known, &dtsk, "a copy that is given up");
	if (dtsk.dtsk_stack.drs_end != DT_STACK_PENDING)
		errx(1, "given up: end %u", dtsk.dtsk_stack.drs_end);
	copy_is(SLOT_A, 1, ENOENT, "a copy that was taken");
	printf("copies: given up after %.1f s\n",
	    (clock_monotonic() - begun) / 1e9);
	check_limits();
	unwind_copies_close(SESSION(SLOT_B));
	if (bytes() != 0)
		errx(1, "%llu bytes are left", (unsigned long long)bytes());
}
