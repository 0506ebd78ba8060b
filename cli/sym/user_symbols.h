/* SPDX-License-Identifier: ISC */
/*
 * Symbols of addresses of processes, live from the daemon, in a report from the
 * file; callers need not distinguish the two.
 */
#ifndef CLI_SYM_USER_SYMBOLS_H
#define CLI_SYM_USER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/sym/name_cache.h"
#include "cli/sym/stack.h"

/* The frames of some addresses, ascending by df_pc, innermost first. */
struct user_symbols {
	size_t us_n;
	const struct dt_frame *us_frames;
	struct dt_frames us_lib; /* owner of the frames, or the following */
	struct dt_frame *us_own;
};

/*
 * Looks up addresses.  Each has at least one frame: an address without a symbol
 * has the reason in df_why.  Callers pass return addresses minus one, as
 * stack_pc() returns them.
 */
void user_symbols_get(struct user_symbols *, struct name_cache *, uint32_t pid,
    uint64_t nsecs, const uint64_t *pcs, size_t npcs);
/*
 * Resolves the n addresses of a user stack, innermost first.  The caller sets
 * se_end, se_error, se_count and se_how of the end; the function sets the rest.  Cuts
 * the stack before a return address without mapped code.  The innermost address
 * is from a register, and stays.
 */
void
user_symbols_stack(struct user_symbols *, struct name_cache *, uint32_t pid,
    uint64_t nsecs, const uint64_t *stack, unsigned int n, struct stack_end *);
/*
 * Resolves the user stack of an event, if it has one.  *why: why the stack is
 * incomplete, or NULL, as in stack_incomplete().
 */
void user_symbols_event(struct user_symbols *, struct name_cache *,
    const struct dt_event *, const char **why);
void user_symbols_free(struct user_symbols *);

#endif /* CLI_SYM_USER_SYMBOLS_H */
