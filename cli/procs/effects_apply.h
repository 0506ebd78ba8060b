/* SPDX-License-Identifier: ISC */
/*
 * The kinds of calls of effects.c.
 */
#ifndef CLI_PROCS_EFFECTS_APPLY_H
#define CLI_PROCS_EFFECTS_APPLY_H

#include "cli/procs/effects.h"

#define EFFECTS_NONE (-1) /* there is no such argument */

struct effects {
	const char *ef_name;
	void (*ef_do)(struct procs *, const struct effects_call *);
	enum effects_kind ef_kind;
	/* of what makes a descriptor: its path, by arguments or as it is */
	int8_t ef_path, ef_dir;
	int8_t ef_flags;	/* argument that may say: close on exec */
	unsigned int ef_onexec; /* by this bit */
	const char *ef_text; /* as /proc has it; with '[' at its end, a part */
};

/* effects_apply.c */
void effects_open(struct procs *pr, const struct effects_call *fc);
/* Also one that has failed has closed it. */
void effects_close(struct procs *pr, const struct effects_call *fc);
void effects_close_range(struct procs *pr, const struct effects_call *fc);
void effects_dup(struct procs *pr, const struct effects_call *fc);
void effects_fcntl(struct procs *pr, const struct effects_call *fc);
/* Two descriptors in memory, which the return has read. */
void effects_two(struct procs *pr, const struct effects_call *fc);
void effects_memfd(struct procs *pr, const struct effects_call *fc);
void effects_chdir(struct procs *pr, const struct effects_call *fc);
void effects_fchdir(struct procs *pr, const struct effects_call *fc);
void effects_chroot(struct procs *pr, const struct effects_call *fc);
/* Descriptors may have come with what was received. */
void effects_unsure(struct procs *pr, const struct effects_call *fc);
/* Some of what this call does makes a descriptor. */
void effects_maybe(struct procs *pr, const struct effects_call *fc);
/*
 * Whether it is a process or a thread is told by the flags, or by the numbers
 * of the child itself; whose child, by its entry or its record.
 */
void effects_fork(struct procs *pr, const struct effects_call *fc);
void effects_exec(struct procs *pr, const struct effects_call *fc);

#endif /* CLI_PROCS_EFFECTS_APPLY_H */
