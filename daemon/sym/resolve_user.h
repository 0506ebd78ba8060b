/* SPDX-License-Identifier: ISC */
/*
 * Resolves addresses of a process, or offsets in a file, to symbols: finds the
 * mapping and queries the symbolizer. May wait.
 */
#ifndef DAEMON_SYM_RESOLVE_USER_H
#define DAEMON_SYM_RESOLVE_USER_H

#include "daemon/procs/proc_watch.h"
#include "daemon/sym/symbolizer.h"

/* The result for an address. */
struct resolved {
	const struct mapped_file *re_file; /* of the view; NULL: none there */
	uint64_t re_off;		   /* in it */
	const struct wire_frame *re_frames;
	const char *re_strings; /* of the frames */
	uint32_t re_n;		/* frames, 0: see re_why */
	uint32_t re_why;	/* DTFR_*, of the last frame */
	uint32_t re_error;	/* errno that caused re_why, or 0 */
	int re_passing;		/* may resolve differently later */
};

/* Symbols of all addresses of a request, and the data they point to. */
struct resolved_list {
	struct resolved *rl_v;
	size_t rl_n;
	struct symbol_frames *rl_frames;
	size_t rl_nframes;
};

/* pcs may be in any order. ENOMEM; other failures are in the results. */
int resolve_view(struct resolved_list *, const struct proc_view *,
    uint64_t nsecs, const uint64_t *pcs, size_t n, unsigned int flags);
int resolve_file(struct resolved_list *, struct mapped_file *,
    const uint64_t *offsets, size_t n, unsigned int flags);
/* Marks all addresses as unresolved, for this reason. */
int resolve_none(struct resolved_list *, size_t n, uint32_t why, int error);
void resolve_free(struct resolved_list *);

#endif /* DAEMON_SYM_RESOLVE_USER_H */
