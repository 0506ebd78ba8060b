/* SPDX-License-Identifier: ISC */
/*
 * Shows long output with a pager if stdout is a terminal, as git does:
 * $DT_PAGER, else $PAGER, else less; no pager if that is empty or cat.
 */
#ifndef CLI_BASE_PAGER_H
#define CLI_BASE_PAGER_H

struct winsize;

/* Makes pager_want() do nothing. */
void pager_off(void);
/* The first output will start the pager, so that a run can be stopped before. */
void pager_want(void);
/* Whether the pager shows the output, or will. */
int pager_isused(void);
/*
 * Starts the pager, if it is wanted and does not run.  stdout becomes a pipe to
 * it, stderr too if it is a terminal.  The end of the program waits for the
 * pager's, and so does a signal that ends it.
 */
void pager_begin(void);
/* As TIOCGWINSZ; if fd is stdout, of the terminal that the pager has. */
int pager_size(int fd, struct winsize *);

#endif /* CLI_BASE_PAGER_H */
