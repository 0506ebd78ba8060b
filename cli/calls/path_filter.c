/* SPDX-License-Identifier: ISC */
/* Decides whether a call passes --path. */
#include <errno.h>
#include <string.h>

#include "cli/base/event_text.h"
#include "cli/calls/path_filter.h"

static enum path_filter_verdict
path_filter_path(const char *prefix, const char *path, size_t n)
{
	size_t len = strlen(prefix);

	return n >= len && memcmp(path, prefix, len) == 0 ? PATH_FILTER_YES
							  : PATH_FILTER_NOT;
}

static void
path_filter_add(enum path_filter_verdict *verdict,
    enum path_filter_verdict more)
{
	if (more > *verdict)
		*verdict = more;
}

/* Verdict on the descriptor in argument argn. */
static enum path_filter_verdict
path_filter_fd(const char *prefix, const struct call_paths_call *sc,
    unsigned int argn)
{
	const struct dt_rec_string *s = call_paths_file(sc, argn);
	const struct dt_event *ev = sc->sc_entry;
	char buf[CALL_PATHS_FDBYTES];
	const char *path;

	if (argn < ev->ev_nargs && (int)ev->ev_args[argn] < 0)
		return PATH_FILTER_NOT; /* usually -1: no file */
	if ((path = call_paths_fd(sc, argn, buf)) != NULL)
		return path_filter_path(prefix, path, strlen(path));
	return s != NULL && s->drt_error == EBADF ? PATH_FILTER_NOT
						  : PATH_FILTER_UNKNOWN;
}

/* Returns whether a relative path certainly has no directory to start from. */
static int
path_filter_isnowhere(const struct call_paths_call *sc, unsigned int argn,
    unsigned int dir)
{
	const struct dt_rec_string *s;

	s = call_paths_file(sc, dir != CALL_PATHS_NODIR ? dir : argn);
	if (s == NULL)
		return 0;
	return s->drt_error == EBADF ||
	    (s->drt_error == 0 && s->drt_length > 0 &&
		*DT_STRING_BYTES(s) != '/');
}

/* Verdict on the path in argument argn. */
static enum path_filter_verdict
path_filter_name(const char *prefix, const struct call_paths_call *sc,
    unsigned int argn, unsigned int dir)
{
	const struct dt_event *ev = sc->sc_entry, *ret = sc->sc_ret;
	char buf[PATH_JOINED];
	size_t n;

	if (argn < ev->ev_nargs && ev->ev_args[argn] == 0) /* utimensat(2) */
		return dir != CALL_PATHS_NODIR ? path_filter_fd(prefix, sc, dir)
					       : PATH_FILTER_NOT;
	if (event_text(ev, ret, argn) == NULL) {
		if (ret == NULL)
			return PATH_FILTER_UNREAD;
		/* the kernel could not read it, either */
		return ret->ev_ret != NULL && ret->ev_ret->drr_error == EFAULT
		    ? PATH_FILTER_NOT
		    : PATH_FILTER_UNKNOWN;
	}
	n = call_paths_path(sc, argn, dir, buf, 0);
	if (n != 0)
		return path_filter_path(prefix, buf, n);
	return path_filter_isnowhere(sc, argn, dir) ? PATH_FILTER_NOT
						    : PATH_FILTER_UNKNOWN;
}

enum path_filter_verdict
path_filter_call(const char *prefix, struct procs *procs,
    const struct call_paths *sh, const struct dt_event *ev,
    const struct dt_event *ret)
{
	const struct call_paths_call sc = { procs, ev, ret };
	enum path_filter_verdict verdict = PATH_FILTER_NOT;
	unsigned int i;

	for (i = 0; i < sh->cph_nfds; i++)
		path_filter_add(&verdict,
		    path_filter_fd(prefix, &sc, sh->cph_fds[i]));
	for (i = 0; i < sh->cph_npaths; i++)
		path_filter_add(&verdict,
		    path_filter_name(prefix, &sc, sh->cph_paths[i],
			sh->cph_dirs[i]));
	return verdict;
}

/* Returns the text of an argument that a return has read; NULL: none. */
static const struct dt_rec_string *
path_filter_text(const struct dt_event *ret, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;

	while ((s = dt_string(ret, s)) != NULL) {
		if (s->drt_argn == argn && (s->drt_flags & DT_STR_KINDS) == 0)
			return s;
	}
	return NULL;
}

/*
 * Verdict on one string of a return.  The arguments of the call are unknown:
 * the descriptor before a path is taken as its directory.
 */
static enum path_filter_verdict
path_filter_string(const char *prefix, const struct dt_event *ret,
    const struct dt_rec_string *s)
{
	const struct call_paths_call sc = { .sc_ret = ret };
	unsigned int argn = s->drt_argn;
	int isfile = (s->drt_flags & DT_STR_FILE) != 0;
	unsigned int dir;
	char buf[PATH_JOINED];
	size_t n;

	if (isfile &&
	    (path_filter_text(ret, argn) != NULL ||
		path_filter_text(ret, argn + 1) != NULL))
		return PATH_FILTER_NOT; /* the folder of that path */
	if (s->drt_error != 0)
		return s->drt_error == (isfile ? EBADF : EFAULT)
		    ? PATH_FILTER_NOT
		    : PATH_FILTER_UNKNOWN;
	if (isfile)
		return path_filter_path(prefix, DT_STRING_BYTES(s),
		    s->drt_length);
	dir = call_paths_file(&sc, argn) == NULL && argn > 0 ? argn - 1
							     : CALL_PATHS_NODIR;
	n = call_paths_path(&sc, argn, dir, buf, 0);
	if (n != 0)
		return path_filter_path(prefix, buf, n);
	return path_filter_isnowhere(&sc, argn, dir) ? PATH_FILTER_NOT
						     : PATH_FILTER_UNKNOWN;
}

enum path_filter_verdict
path_filter_return(const char *prefix, const struct dt_event *ret)
{
	enum path_filter_verdict verdict = PATH_FILTER_NOT;
	const struct dt_rec_string *s = NULL;

	while ((s = dt_string(ret, s)) != NULL) {
		if ((s->drt_flags & DT_STR_KINDS & ~DT_STR_FILE) == 0)
			path_filter_add(&verdict,
			    path_filter_string(prefix, ret, s));
	}
	return verdict;
}
