/* SPDX-License-Identifier: ISC */
/* Hooks that all sessions share, and their programs. */
#ifndef DAEMON_DT_DT_HOOK_SHARE_H
#define DAEMON_DT_DT_HOOK_SHARE_H

#include <stdint.h>

/* Hooks that all sessions share; one bit of den_hooks each. */
enum dt_hook {
	DT_HOOK_SYS_ENTRY,
	DT_HOOK_SYS_RETURN,
	/* the same for sessions with unwind tables */
	DT_HOOK_SYS_ENTRY_TABLES,
	DT_HOOK_SYS_RETURN_TABLES,
	DT_HOOK_FORK,	    /* fork of followed processes */
	DT_HOOK_EXEC,	    /* exec of awaited processes */
	DT_HOOK_FREE,	    /* free of a process; detached last */
	DT_HOOK_TRACEPOINT, /* attached by its provider */
	DT_NHOOK
};

/* w, except dt_hook_set_prog() and dt_hook_name() */
const char *dt_hook_name(enum dt_hook); /* constant; any thread */
/* Sets the program that dt_hook_get() attaches. */
void dt_hook_set_prog(enum dt_hook, int fd);
/* Adds a program of a hook that its provider attaches; it stays loaded. */
void dt_hook_add_prog(enum dt_hook, int fd);
/* Marks a hook whose skipped hits the kernel does not count. */
void dt_hook_set_uncounted(enum dt_hook);
/* Attaches the hook unless it is attached; sets its bit in the mask. */
int dt_hook_get(unsigned int *bits, enum dt_hook);
/* Detaches those hooks of the mask that no session uses any more. */
void dt_hook_put(unsigned int bits);
/* Returns the hits that the kernel skipped so far; -1: not counted. */
int64_t dt_hook_missed(enum dt_hook);

#endif /* DAEMON_DT_DT_HOOK_SHARE_H */
