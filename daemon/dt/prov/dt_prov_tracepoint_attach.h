/* SPDX-License-Identifier: ISC */
/*
 * Tracepoints that are attached: a link each, shared by all opens, what it
 * stands on (a perf event), and a line of the programs' table.  All of this is for workers.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H
#define DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H

struct dt_tplink {
	/* all by the lock of dt_prov_tracepoint_attach.c */
	unsigned int tpl_nuser;
	int tpl_entry; /* -1: none */
	int tpl_link;  /* -1: none */
	int tpl_slow;  /* what takes long to close, -1: none */
	int tpl_keeps; /* [I] it keeps its line for good */
	int tpl_busy;  /* somebody attaches or lets go */
	int tpl_due;   /* is in the list of those to be closed */
	struct dt_tplink *tpl_next;
};

void dt_tplink_init(struct dt_tplink *);

/*
 * Attaches, unless somebody has already: by attach(), which fills tpl_link, and
 * tpl_slow unless that is still there.  isnew: the line was another's, and has
 * to be filled.  EMFILE: all lines that the person may use are in use.
 */
int dt_tplink_get(struct dt_tplink *, uid_t person,
    int (*attach)(struct dt_tplink *, int isnew, void *), void *arg);

/*
 * With the last user the program does not run any more when this returns, but
 * for hits that are under way.  The perf event is closed in the background:
 * that takes the kernel 40 to 150 ms.  The line is not used again before.
 */
void dt_tplink_put(struct dt_tplink *);

#endif /* DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H */
