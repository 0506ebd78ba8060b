/* SPDX-License-Identifier: ISC */
/* Resolves globs to functions and attaches to these. */
#ifndef DAEMON_KCOV_KCOV_FUNCS_H
#define DAEMON_KCOV_KCOV_FUNCS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/kernel/attach.h"

struct reason;

/* Sorted by address, without duplicates. */
struct kfuncs {
	struct attach_func *kfs_list; /* freed by kfuncs_free() */
	size_t kfs_n;
	size_t kfs_nrefused; /* refused by the kernel when attaching */
};

/* Returns 0, or EINVAL or ENAMETOOLONG with a text if a glob is malformed. */
int kfuncs_check(const char *globs, struct reason *);
/*
 * Resolves globs ("": the default of the method, which may be NULL).  Returns
 * ENOENT if nothing matches, E2BIG if the method cannot attach so many; both
 * with a text.  Worker.
 */
int kfuncs_resolve(struct kfuncs *, const struct attach_method *,
    const char *globs, struct reason *);
/*
 * Attaches to all functions that the kernel permits, identified by the cookie.
 * Returns ECANCELED, or an errno if none was attached.  Worker.
 */
int kfuncs_attach(struct kfuncs *, const struct attach_method *,
    struct attach_links *, uint64_t cookie, const atomic_int *cancel,
    struct reason *);
void kfuncs_free(struct kfuncs *);

#endif /* DAEMON_KCOV_KCOV_FUNCS_H */
