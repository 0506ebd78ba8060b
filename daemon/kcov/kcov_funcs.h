/* SPDX-License-Identifier: ISC */
/* Functions that globs name, and attaching to them. */
#ifndef DAEMON_KCOV_KCOV_FUNCS_H
#define DAEMON_KCOV_KCOV_FUNCS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/kernel/attach.h"

/* By address, each once. */
struct kfuncs {
	struct attach_func *kfs_list; /* to be freed */
	size_t kfs_n;
	size_t kfs_nrefused; /* by the kernel, when they were attached */
};

/* Returns 0, or EINVAL or ENAMETOOLONG if one of the globs is malformed, with a
 * text. */
int kfuncs_check(const char *globs, char *text);
/*
 * w: what the globs name ("": the default of the method, which may be NULL).
 * ENOENT: nothing; E2BIG: too much for the method; both with a text.
 */
int kfuncs_resolve(struct kfuncs *, const struct attach_method *,
    const char *globs, char *text);
/*
 * w: attaches to as many of them as the kernel lets, to be told by the cookie.
 * ECANCELED; an errno: of none.
 */
int kfuncs_attach(struct kfuncs *, const struct attach_method *,
    struct attach_links *, uint64_t cookie, const atomic_int *cancel,
    char *text);
void kfuncs_free(struct kfuncs *);

#endif /* DAEMON_KCOV_KCOV_FUNCS_H */
