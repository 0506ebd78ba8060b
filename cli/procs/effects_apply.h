/* SPDX-License-Identifier: ISC */
/*
 * The kinds of calls of effects.c.
 */
#ifndef CLI_PROCS_EFFECTS_APPLY_H
#define CLI_PROCS_EFFECTS_APPLY_H

#include "cli/procs/effects.h"

#define FOLLOW_NONE (-1) /* there is no such argument */

struct follow {
	const char *fo_name;
	void (*fo_do)(struct procs *, const struct follow_call *);
	enum follow_kind fo_kind;
	/* of what makes a descriptor: its path, by arguments or as it is */
	int8_t fo_path, fo_dir;
	int8_t fo_flags;	/* argument that may say: close on exec */
	unsigned int fo_onexec; /* by this bit */
	const char *fo_text; /* as /proc has it; with '[' at its end, a part */
};

/* effects_apply.c */
void follow_open(struct procs *pr, const struct follow_call *fc);
/* Also one that has failed has closed it. */
void follow_close(struct procs *pr, const struct follow_call *fc);
void follow_close_range(struct procs *pr, const struct follow_call *fc);
void follow_dup(struct procs *pr, const struct follow_call *fc);
void follow_fcntl(struct procs *pr, const struct follow_call *fc);
/* Two descriptors in memory, which the return has read. */
void follow_two(struct procs *pr, const struct follow_call *fc);
void follow_memfd(struct procs *pr, const struct follow_call *fc);
void follow_chdir(struct procs *pr, const struct follow_call *fc);
void follow_fchdir(struct procs *pr, const struct follow_call *fc);
void follow_chroot(struct procs *pr, const struct follow_call *fc);
/* Descriptors may have come with what was received. */
void follow_unsure(struct procs *pr, const struct follow_call *fc);
/* Some of what this call does makes a descriptor. */
void follow_maybe(struct procs *pr, const struct follow_call *fc);
/*
 * Whether it is a process or a thread is told by the flags, or by the numbers
 * of the child itself; whose child, by its entry or its record.
 */
void follow_fork(struct procs *pr, const struct follow_call *fc);
void follow_exec(struct procs *pr, const struct follow_call *fc);

#endif /* CLI_PROCS_EFFECTS_APPLY_H */
