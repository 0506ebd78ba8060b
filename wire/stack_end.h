/* SPDX-License-Identifier: ISC */
/* Names of enum dt_stack_end (dt/evt.h), in JSON and in dtd's sums. */
#ifndef WIRE_STACK_END_H
#define WIRE_STACK_END_H

#include <dt/evt.h>

#define STACK_NENDS (DT_STACK_EVICTED + 1)

static const char *const stack_end_names[STACK_NENDS] = {
	[DT_STACK_ENDED] = "complete",
	[DT_STACK_LIMIT] = "limit",
	[DT_STACK_NOMM] = "no user memory",
	[DT_STACK_DENIED] = "denied",
	[DT_STACK_ERRNO] = "error",
	[DT_STACK_BUSY] = "busy",
	[DT_STACK_NOTABLE] = "no table",
	[DT_STACK_FAULT] = "unreadable memory",
	[DT_STACK_RULE] = "unsupported rule",
	[DT_STACK_NOMAP] = "no mapping",
	[DT_STACK_PENDING] = "table not ready",
	[DT_STACK_EVICTED] = "table evicted",
};

#endif /* WIRE_STACK_END_H */
