/* SPDX-License-Identifier: ISC */
/*
 * The kernel's functions that can be traced: a table that is read when
 * somebody asks, as far as need be, and grows with the modules that come.  A
 * function keeps its index as long as the daemon lives: one whose module has
 * gone stays in it, and gets the same index should it come back; nobody else
 * does.
 *
 * All of it may be called by any thread; what is marked w waits for the kernel.
 */
#ifndef DAEMON_KERNEL_FUNC_H
#define DAEMON_KERNEL_FUNC_H

#include <stddef.h>
#include <stdint.h>

#include <dev/dt/dtvar.h>

#define KFUNC_ENTRY  1 /* kinds of probes, as a set of bits */
#define KFUNC_RETURN 2

/* A copy of what the table has of a function. */
struct func {
	char fu_name[DTNAMESIZE];   /* as probes have it: NAME, or NAME@2 */
	char fu_symbol[DTNAMESIZE]; /* as the kernel has it */
	char fu_module[DTNAMESIZE]; /* "" for the kernel itself */
	uint64_t fu_addr;	    /* 0: it has gone */
	const char *fu_denied;	    /* why it is never probed, or NULL */
	int fu_isonly; /* the kernel itself has no other of its name */
};

/*
 * w: reads what may match a pattern, FUNC:NAME, if that has not been done, or
 * if modules have come or gone.  An errno, and a text that says why.
 */
int func_read(const char *pattern, char *text, size_t size);
/* w: reads all again if modules have come or gone since. */
int func_refresh(char *text, size_t size);
/* How many there are, those that went included; as far as it has been read. */
uint32_t func_count(void);
/* ESRCH: there is no such function. */
int func_get(uint32_t index, struct func *);
/*
 * Functions that match a glob of FUNC:NAME, each as 2 * index + 0 for its
 * entry, + 1 for its return, ascending.  *listp is to be freed.  What went is
 * not among them.  EINVAL, ENAMETOOLONG: the pattern is malformed, and text
 * (IOCTL_TEXT bytes) is the reason.
 */
int func_match(const char *pattern, uint32_t **listp, size_t *np, char *text);

#endif /* DAEMON_KERNEL_FUNC_H */
