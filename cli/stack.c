/* SPDX-License-Identifier: ISC */
/*
 * The ends of stacks, as evt.h lists them.
 */
#include <stddef.h>

#include "evt.h"
#include "stack.h"
#include "val.h"

/* By enum dt_stack_end; a later daemon may know more of them. */
static const struct {
	const char *word;	   /* JSON */
	const char *kernel, *user; /* text */
} stack_ends[] = {
	[DT_STACK_ENDED] = { NULL, NULL, NULL },
	[DT_STACK_LIMIT] = { "limit", NULL, NULL },
	[DT_STACK_NOMM] = { "no user memory", "no kernel stack",
	    "no user memory: a kernel thread, or it "
	    "is ending" },
	[DT_STACK_DENIED] = { "denied",
	    "no kernel addresses for this "
	    "user",
	    "no user addresses for this user" },
	[DT_STACK_ERRNO] = { "error", "no kernel stack", "no user stack" },
	[DT_STACK_BUSY] = { "busy",
	    "no kernel stack: another event on "
	    "this CPU was being recorded",
	    "no user stack: another event on this CPU "
	    "was being recorded" },
};

#define STACK_N (sizeof(stack_ends) / sizeof(stack_ends[0]))

const char *
stack_end_word(unsigned int end)
{
	return end < STACK_N ? stack_ends[end].word : "unknown";
}

void
stack_end_text(struct buf *b, int iskernel, unsigned int end,
    unsigned int count, unsigned int error)
{
	const char *name = val_errname(error);

	if (end == DT_STACK_ENDED)
		return;
	if (end == DT_STACK_LIMIT)
		buf_printf(b, "[%u frames: limit]", count);
	else if (end >= STACK_N)
		buf_printf(b, "[ended for reason %u]", end);
	else if (end == DT_STACK_ERRNO && name != NULL)
		buf_printf(b, "[%s: %s]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user,
		    name);
	else if (end == DT_STACK_ERRNO && error != 0)
		buf_printf(b, "[%s: errno %u]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user,
		    error);
	else
		buf_printf(b, "[%s]",
		    iskernel ? stack_ends[end].kernel : stack_ends[end].user);
}

uint64_t
stack_pc(const uint64_t *pcs, unsigned int i)
{
	return i == 0 ? pcs[i] : pcs[i] - 1;
}
