/* SPDX-License-Identifier: ISC */
/* Functions for the kinds of calls in effects.c. */
#ifndef CLI_PROCS_EFFECTS_APPLY_H
#define CLI_PROCS_EFFECTS_APPLY_H

#include "cli/procs/effects.h"

#define EFFECTS_NONE (-1) /* no such argument */

struct effects {
	const char *ef_name;
	void (*ef_do)(struct procs *, const struct effects_call *);
	enum effects_kind ef_kind;
	/* of calls that create a descriptor: arguments with its path, or -1 */
	int8_t ef_path, ef_dir;
	int8_t ef_flags;	/* argument with a close-on-exec flag */
	unsigned int ef_onexec; /* bit of that flag */
	const char *ef_text;	/* path as /proc prints it; a prefix if it ends
			      * in '[' */
};

/* effects_apply.c */
void effects_open(struct procs *pr, const struct effects_call *fc);
/* A close that failed has closed the descriptor, too. */
void effects_close(struct procs *pr, const struct effects_call *fc);
void effects_close_range(struct procs *pr, const struct effects_call *fc);
void effects_dup(struct procs *pr, const struct effects_call *fc);
void effects_fcntl(struct procs *pr, const struct effects_call *fc);
/* Two descriptors in memory, as read at the return. */
void effects_two(struct procs *pr, const struct effects_call *fc);
void effects_memfd(struct procs *pr, const struct effects_call *fc);
void effects_chdir(struct procs *pr, const struct effects_call *fc);
void effects_fchdir(struct procs *pr, const struct effects_call *fc);
void effects_chroot(struct procs *pr, const struct effects_call *fc);
/* The received message may contain descriptors. */
void effects_unsure(struct procs *pr, const struct effects_call *fc);
/* Some operations of this call create a descriptor. */
void effects_maybe(struct procs *pr, const struct effects_call *fc);
/*
 * The flags, or the ids of the child itself, determine whether it is a process
 * or a thread; its entry or its record identifies the parent.
 */
void effects_fork(struct procs *pr, const struct effects_call *fc);
void effects_exec(struct procs *pr, const struct effects_call *fc);

#endif /* CLI_PROCS_EFFECTS_APPLY_H */
