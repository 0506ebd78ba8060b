/* SPDX-License-Identifier: ISC */
/*
 * From addresses of a process, or offsets of a file, to names: what is mapped
 * there, and what the symbolizer knows of it.  May wait.
 */
#ifndef DAEMON_SYM_RESOLVE_H
#define DAEMON_SYM_RESOLVE_H

#include "daemon/procs/proc_watch.h"
#include "daemon/sym/symbolizer.h"

/* What is known of an address. */
struct symname {
	const struct mapped_file *sn_file; /* of the view; NULL: none there */
	uint64_t sn_off;	       /* in it */
	uint64_t sn_base; /* where the frames' offsets begin: of addresses */
	const struct symframe *sn_frames;
	uint32_t sn_n;	   /* of them, 0: see sn_why */
	uint32_t sn_why;   /* DTFR_*, of the last frame */
	uint32_t sn_error; /* errno behind that, or 0 */
	int sn_passing;	   /* may get another name */
};

/* Names of all addresses of a request, and what they point into. */
struct symnames {
	struct symname *ss_names;
	size_t ss_n;
	struct symframes *ss_frames;
	size_t ss_nframes;
};

/* pcs in any order.  ENOMEM; what else fails, the names tell. */
int symnames_view(struct symnames *, const struct proc_view *, uint64_t nsecs,
    const uint64_t *pcs, size_t n, unsigned int flags);
int symnames_file(struct symnames *, struct mapped_file *,
    const uint64_t *offsets, size_t n, unsigned int flags);
/* All have no name, for this reason. */
int symnames_none(struct symnames *, size_t n, uint32_t why, int error);
void symnames_free(struct symnames *);

#endif /* DAEMON_SYM_RESOLVE_H */
