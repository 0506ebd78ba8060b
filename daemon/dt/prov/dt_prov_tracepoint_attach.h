/* SPDX-License-Identifier: ISC */
/*
 * Attached tracepoints: one link each, shared by all sessions, with its perf
 * event and its entry in the programs' table. Workers only.
 */
#ifndef DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H
#define DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H

struct dt_tplink {
	/* protected by the lock of dt_prov_tracepoint_attach.c */
	unsigned int tpl_nuser;
	int tpl_entry; /* -1: none */
	int tpl_link;  /* -1: none */
	int tpl_slow;  /* descriptor that is slow to close, -1: none */
	int tpl_keeps; /* [I] it keeps its entry permanently */
	int tpl_busy;  /* a thread attaches or detaches it */
	int tpl_due;   /* in the list of those to close */
	struct dt_tplink *tpl_next;
};

void dt_tplink_init(struct dt_tplink *);

/*
 * Attaches unless attached already: calls attach(), which fills tpl_link, and
 * tpl_slow unless that is still open. isnew: the entry belonged to another
 * tracepoint and must be filled. EMFILE: the user's limit of entries is
 * reached.
 */
int dt_tplink_get(struct dt_tplink *, uid_t person,
    int (*attach)(struct dt_tplink *, int isnew, void *), void *arg);

/*
 * Releases one use. After the last, the program is detached in the background,
 * which takes the kernel 60 to 200 ms; until then it finds no session in the
 * entry, which is not reused before.
 */
void dt_tplink_put(struct dt_tplink *);

#endif /* DAEMON_DT_PROV_DT_PROV_TRACEPOINT_ATTACH_H */
