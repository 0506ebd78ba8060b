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
struct resolved {
	const struct mapped_file *re_file; /* of the view; NULL: none there */
	uint64_t re_off;		   /* in it */
	uint64_t re_base; /* where the frames' offsets begin: of addresses */
	const struct symbol_frame *re_frames;
	uint32_t re_n;	   /* of them, 0: see re_why */
	uint32_t re_why;   /* DTFR_*, of the last frame */
	uint32_t re_error; /* errno behind that, or 0 */
	int re_passing;	   /* may get another name */
};

/* Names of all addresses of a request, and what they point into. */
struct resolved_list {
	struct resolved *rl_v;
	size_t rl_n;
	struct symbol_frames *rl_frames;
	size_t rl_nframes;
};

/* pcs in any order.  ENOMEM; what else fails, the names tell. */
int resolve_view(struct resolved_list *, const struct proc_view *,
    uint64_t nsecs, const uint64_t *pcs, size_t n, unsigned int flags);
int resolve_file(struct resolved_list *, struct mapped_file *,
    const uint64_t *offsets, size_t n, unsigned int flags);
/* All have no name, for this reason. */
int resolve_none(struct resolved_list *, size_t n, uint32_t why, int error);
void resolve_free(struct resolved_list *);

#endif /* DAEMON_SYM_RESOLVE_H */
