/* SPDX-License-Identifier: ISC */
/*
 * Tracepoints that are attached: a perf event and a link each, shared by all
 * opens, and a line of the program's table.  All of this is for workers.
 */
#ifndef DAEMON_DT_DT_TPLINK_H
#define DAEMON_DT_DT_TPLINK_H

#include <stdint.h>

struct dt_tplink {
	unsigned int tl_nuser; /* by the lock of dt_tplink.c, as all here */
	int tl_line;	       /* -1: none */
	int tl_perf;	       /* perf event, -1: none */
	int tl_link;	       /* link of it, -1: none */
	int tl_busy;	       /* somebody attaches or lets go */
	int tl_due;	       /* is in the list of those to be closed */
	struct dt_tplink *tl_next;
};

void dt_tplink_init(struct dt_tplink *);

/*
 * Attaches prog to the tracepoint of this number, unless somebody has already.
 * line is told where it is in the table before the program can run; fill()
 * writes that line.  ENOSPC: all lines are in use.
 */
int dt_tplink_get(struct dt_tplink *, int prog, uint32_t id,
    void (*fill)(unsigned int line, void *), void *arg);

/*
 * With the last user the program does not run any more when this returns, but
 * for hits that are under way.  The perf event is closed in the background:
 * that takes the kernel 40 to 150 ms.  The line is not used again before.
 */
void dt_tplink_put(struct dt_tplink *);

#endif /* DAEMON_DT_DT_TPLINK_H */
