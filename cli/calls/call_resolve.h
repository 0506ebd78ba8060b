/* SPDX-License-Identifier: ISC */
/* Resolves the texts of a call, for outputs that print it. */
#ifndef CLI_CALLS_CALL_RESOLVE_H
#define CLI_CALLS_CALL_RESOLVE_H

#include "cli/base/buf.h"
#include "cli/decode/args.h"
#include "cli/procs/call_paths.h"
#include "cli/result/call.h"

/* Memory of the texts, and their call; all zeros is an empty one. */
struct call_texts {
	struct buf cts_buf;
	struct call_text cts_args[DT_REC_NARGS], cts_paths[DT_REC_NARGS];
	struct arg_call cts_call;
	const struct dt_event *cts_ev; /* the return, or the only event */
	uint32_t cts_written;	       /* bits: arguments that the return has */
};

/* Called before the effects of the call on its process; procs may be NULL. */
void call_resolve_entry(struct call_texts *, struct call *, struct procs *);
/* Adds the absolute paths of the arguments of this shape, at the same time. */
void call_resolve_paths(struct call_texts *, struct call *, struct procs *,
    const struct call_paths *);
/*
 * Called after the effects, also for a call without a return; ends the texts.
 * isalone: the result is printed without the arguments.
 */
void call_resolve_return(struct call_texts *, struct call *, int isalone);

#endif /* CLI_CALLS_CALL_RESOLVE_H */
