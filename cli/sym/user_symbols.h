/* SPDX-License-Identifier: ISC */
/*
 * Names of addresses of processes.  Live they come from the daemon, in a report
 * from the file; who prints doesn't know which.
 */
#ifndef CLI_SYM_USER_SYMBOLS_H
#define CLI_SYM_USER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/sym/names.h"
#include "cli/sym/stack.h"

/* The frames of some addresses, ascending by df_pc, innermost first. */
struct user_symbols {
	size_t us_n;
	const struct dt_frame *us_frames;
	struct dt_frames us_lib; /* whose they are, or */
	struct dt_frame *us_own;
};

/*
 * Each address has one frame at least: one that can't be named says why
 * (df_why).  Return addresses are given less one, as stack_pc() does.
 */
void user_symbols_get(struct user_symbols *, struct names *, uint32_t pid,
    uint64_t nsecs, const uint64_t *pcs, size_t npcs);
/*
 * Resolves the n addresses of a user stack, innermost first.  The caller sets
 * se_end, se_error and se_count of the end; the rest is set here.  Cuts the
 * stack before a return address where no code was mapped.  The innermost address
 * comes from a register, and stays.
 */
void user_symbols_stack(struct user_symbols *, struct names *, uint32_t pid,
    uint64_t nsecs, const uint64_t *stack, unsigned int n, struct stack_end *);
/* Those of the user stack of an event, if it has one.  *why: why that is not
 * complete, or NULL, as stack_incomplete() tells. */
void user_symbols_event(struct user_symbols *, struct names *,
    const struct dt_event *, const char **why);
void user_symbols_free(struct user_symbols *);

#endif /* CLI_SYM_USER_SYMBOLS_H */
