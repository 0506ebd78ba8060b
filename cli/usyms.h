/* SPDX-License-Identifier: ISC */
/*
 * Names of addresses of processes.  Live they come from the daemon, in a report
 * from the file; who prints doesn't know which.
 */
#ifndef CLI_USYMS_H
#define CLI_USYMS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "names.h"

/* The frames of some addresses, ascending by df_pc, innermost first. */
struct usyms {
	size_t us_n;
	const struct dt_frame *us_frames;
	struct dt_frames us_lib; /* whose they are, or */
	struct dt_frame *us_own;
};

/*
 * Each address has one frame at least: one that can't be named says why
 * (df_why).  Return addresses are given less one, as stack_pc() does.
 */
void usyms_get(struct usyms *, struct names *, uint32_t pid, uint64_t nsecs,
    const uint64_t *pcs, size_t npcs);
/* Those of the user stack of an event, if it has one.  *why: why that is not
 * complete, or NULL, as stack_incomplete() tells. */
void usyms_event(struct usyms *, struct names *, const struct dt_event *,
    const char **why);
/* Why the stack whose frames these are has no name for the last one, as
 * se_noname of struct stack_end. */
const char *usyms_noname(const struct usyms *);
void usyms_free(struct usyms *);

#endif /* CLI_USYMS_H */
