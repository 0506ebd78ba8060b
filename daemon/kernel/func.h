/* SPDX-License-Identifier: ISC */
/*
 * The traceable functions of the kernel: a table that is read on demand, as
 * much as is needed, and that grows when modules are loaded.  A function keeps
 * its index while dtd runs: if its module is unloaded its entry remains, and is
 * used again if the module is reloaded, never for another function.
 *
 * Any thread; functions marked w block in the kernel.
 */
#ifndef DAEMON_KERNEL_FUNC_H
#define DAEMON_KERNEL_FUNC_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

struct reason;

/* A copy of a function's entry. */
struct func {
	char fu_name[DTNAMESIZE];   /* name in probes: NAME, or NAME@2 */
	char fu_symbol[DTNAMESIZE]; /* name in the kernel */
	char fu_module[DTNAMESIZE]; /* "" for the kernel itself */
	uint64_t fu_addr;	    /* 0: unloaded */
	const char *fu_denied;	    /* why it is never probed, or NULL */
	int fu_isonly;		    /* unique among the kernel's own names */
};

/*
 * w: reads what may match a pattern, FUNC:NAME, if that was not read yet, or if
 * modules have changed.  Returns an errno, and a text that states why.
 */
int func_read(const char *pattern, struct reason *);
/* w: reads everything again if modules have changed. */
int func_refresh(struct reason *);
/* Returns the number of functions read so far, including unloaded ones. */
uint32_t func_count(void);
/* ESRCH: no such function. */
int func_get(uint32_t index, struct func *);
/*
 * Lists functions that match a glob of FUNC:NAME, each as 2 * index + 0 for its
 * entry, + 1 for its return, ascending.  The caller frees *listp.  Unloaded
 * functions are omitted.  EINVAL, ENAMETOOLONG: the pattern is malformed, and
 * the reason is set.
 */
int
func_match(const char *pattern, uint32_t **listp, size_t *np, struct reason *);

#endif /* DAEMON_KERNEL_FUNC_H */
