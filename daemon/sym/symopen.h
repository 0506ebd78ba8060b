/* SPDX-License-Identifier: ISC */
/*
 * Finding the file that was mapped, by the ways that there are, and opening it
 * without harm: regular files only, nothing is opened that has not been looked
 * at, and only what is the file that the kernel told of.  Waits for the file
 * system.
 */
#ifndef DAEMON_SYM_SYMOPEN_H
#define DAEMON_SYM_SYMOPEN_H

#include "sym/symfile.h"

struct symopen {
	int op_fd;
	int64_t op_btime;	 /* ns; 0: the file system does not tell */
	struct symroot *op_root; /* counted; NULL: not known */
};

/* An errno; ESTALE: what is there now is another file. */
int
symopen_find(const struct symfile *, const struct symsight *, struct symopen *);
/* A regular file, by a descriptor with O_PATH: one to read it, or a negative
 * errno. */
int symopen_reopen(int pathfd);

#endif /* DAEMON_SYM_SYMOPEN_H */
