/* SPDX-License-Identifier: ISC */
/*
 * Whether a call is within --path, as within.h tells.
 */
#include <string.h>

#include "path.h"
#include "within.h"

static int
within_begins(const struct within *wi, const char *path, size_t n)
{
	return n >= wi->wi_n && memcmp(path, wi->wi_prefix, wi->wi_n) == 0;
}

static int
within_fds(const struct within *wi, const struct shape *sh,
    const struct dt_event *ev)
{
	const char *path;
	unsigned int i, argn;

	for (i = 0; i < sh->sh_nfds; i++) {
		argn = sh->sh_fds[i];
		if (argn >= ev->ev_nargs || shape_isfolder(sh, argn))
			continue;
		path = procs_fd(wi->wi_procs, ev->ev_rec->dr_pid,
		    (int)ev->ev_args[argn]);
		if (path != NULL && within_begins(wi, path, strlen(path)))
			return 1;
	}
	return 0;
}

/* Of an entry; with its return, as far as that has read what it could not. */
enum within_verdict
within_call(const struct within *wi, const struct shape *sh,
    const struct dt_event *ev, const struct dt_event *ret)
{
	const struct shape_call sc = { wi->wi_procs, ev, ret };
	enum within_verdict verdict = WITHIN_NOT;
	char buf[PATH_JOINED];
	unsigned int i;
	size_t n;

	if (wi->wi_n == 0 || within_fds(wi, sh, ev))
		return WITHIN_YES;
	for (i = 0; i < sh->sh_npaths; i++) {
		n = shape_path(&sc, sh->sh_paths[i], sh->sh_dirs[i], buf,
		    sizeof(buf));
		if (n != 0 && within_begins(wi, buf, n))
			return WITHIN_YES;
		if (shape_string(&sc, sh->sh_paths[i]) == NULL)
			verdict = WITHIN_UNREAD;
	}
	return verdict;
}

/* Of a return whose entry is not known: what it has read itself. */
enum within_verdict
within_return(const struct within *wi, const struct dt_event *ret)
{
	const struct shape_call sc = { .sc_ret = ret };
	char buf[PATH_JOINED];
	unsigned int argn;
	size_t n;

	if (wi->wi_n == 0)
		return WITHIN_YES;
	if (ret->ev_strings == NULL)
		return WITHIN_NOT;
	for (argn = 0; argn < DT_REC_NARGS; argn++) {
		n = shape_path(&sc, argn, SHAPE_NODIR, buf, sizeof(buf));
		if (n != 0 && within_begins(wi, buf, n))
			return WITHIN_YES;
	}
	return WITHIN_NOT;
}
