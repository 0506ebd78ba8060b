/* SPDX-License-Identifier: ISC */
/*
 * Finds descriptors and paths among arguments, once per probe, by the kernel's
 * names and types.
 */
#include <errno.h>
#include <string.h>

#include "cli/base/event_text.h"
#include "cli/procs/call_paths.h"
#include "wire/argfd.h"

void
call_paths_find(struct call_paths *sh, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	unsigned int i, n = pd->pd_info.dtpi_nargs;

	memset(sh, 0, sizeof(*sh));
	for (i = 0; i < n && i < DT_REC_NARGS; i++) {
		if (pd->pd_names[i].dtan_flags & DTAN_PATH) {
			/* the argument before may be its folder */
			sh->cph_dirs[sh->cph_npaths] = CALL_PATHS_NODIR;
			if (i > 0 &&
			    argfd_isdir(pd->pd_info.dtpi_func,
				pd->pd_names[i - 1].dtan_name)) {
				sh->cph_dirs[sh->cph_npaths] = i - 1;
				if (sh->cph_nfds > 0 &&
				    sh->cph_fds[sh->cph_nfds - 1] == i - 1)
					sh->cph_nfds--;
			}
			sh->cph_paths[sh->cph_npaths++] = i;
		} else if (argfd_is(pd->pd_names[i].dtan_name,
			       pd->pd_types[i].dtai_argtype))
			sh->cph_fds[sh->cph_nfds++] = i;
	}
}

const struct dt_rec_string *
call_paths_file(const struct call_paths_call *sc, unsigned int argn)
{
	const struct dt_rec_string *s;

	s = event_file(sc->sc_entry, argn);
	return s != NULL ? s : event_file(sc->sc_ret, argn);
}

/*
 * Copies the text of call_paths_file() to buf; returns NULL if there is none.
 */
static const char *
call_paths_copy(const struct call_paths_call *sc, unsigned int argn, char *buf)
{
	const struct dt_rec_string *s = call_paths_file(sc, argn);

	if (s == NULL || s->drt_error != 0 ||
	    s->drt_length >= CALL_PATHS_FDBYTES)
		return NULL;
	memcpy(buf, DT_STRING_BYTES(s), s->drt_length);
	buf[s->drt_length] = '\0';
	return buf;
}

const char *
call_paths_fd(const struct call_paths_call *sc, unsigned int argn, char *buf)
{
	const struct dt_rec_string *s = call_paths_file(sc, argn);
	const struct dt_event *ev = sc->sc_entry;
	const char *path = call_paths_copy(sc, argn, buf);

	if (path != NULL || ev == NULL || argn >= ev->ev_nargs ||
	    (s != NULL && s->drt_error == EBADF))
		return path;
	return procs_fd(sc->sc_procs, ev->ev_rec->dr_pid,
	    (int)ev->ev_args[argn]);
}

/* Returns the directory of a relative path, or NULL. */
static const char *
call_paths_from(const struct call_paths_call *sc, unsigned int argn,
    unsigned int dir, char *buf)
{
	const struct dt_event *ev = sc->sc_entry != NULL ? sc->sc_entry
							 : sc->sc_ret;

	const char *path;

	if (dir != CALL_PATHS_NODIR)
		return call_paths_fd(sc, dir, buf);
	path = call_paths_copy(sc, argn, buf);
	return path != NULL
	    ? path
	    : procs_fd(sc->sc_procs, ev->ev_rec->dr_pid, PROCS_CWD);
}

size_t
call_paths_path(const struct call_paths_call *sc, unsigned int argn,
    unsigned int dir, char *buf, int iswhole)
{
	const struct dt_rec_string *s = event_text(sc->sc_entry, sc->sc_ret,
	    argn);
	const char *name, *from = NULL;
	char dirbuf[CALL_PATHS_FDBYTES];

	if (s == NULL || (iswhole && s->drt_length < s->drt_truelen))
		return 0;
	name = DT_STRING_BYTES(s);
	if (s->drt_length == 0 || *name != '/')
		from = call_paths_from(sc, argn, dir, dirbuf);
	return path_join(buf, PATH_JOINED, from, name, s->drt_length);
}

/*
 * Adds the path of the descriptor in argument argn, or of the working
 * directory, from the event; if the event has none, reads /proc.
 */
static void
call_paths_touch_one(struct procs *pr, const struct dt_event *ev,
    unsigned int argn, int fd)
{
	const struct dt_rec_string *s = event_file(ev, argn);
	uint32_t pid = ev->ev_rec->dr_pid;

	if (s == NULL || (s->drt_error != 0 && s->drt_error != EBADF))
		procs_fd(pr, pid, fd);
	else if (s->drt_length >= s->drt_truelen)
		procs_set_event(pr, pid, fd,
		    s->drt_error == 0 ? DT_STRING_BYTES(s) : NULL,
		    s->drt_length);
}

void
call_paths_touch(const struct call_paths *sh, struct procs *pr,
    const struct dt_event *ev)
{
	const struct dt_rec_string *s;
	unsigned int i, argn;

	if (ev->ev_args == NULL)
		return;
	for (i = 0; i < sh->cph_nfds; i++) {
		argn = sh->cph_fds[i];
		if (argn < ev->ev_nargs)
			call_paths_touch_one(pr, ev, argn,
			    (int)ev->ev_args[argn]);
	}
	for (i = 0; i < sh->cph_npaths; i++) {
		s = event_text(ev, NULL, sh->cph_paths[i]);
		if (s != NULL && s->drt_length > 0 &&
		    *DT_STRING_BYTES(s) == '/')
			continue; /* the folder does not matter */
		argn = sh->cph_dirs[i];
		if (argn == CALL_PATHS_NODIR)
			call_paths_touch_one(pr, ev, sh->cph_paths[i],
			    PROCS_CWD);
		else if (argn < ev->ev_nargs)
			call_paths_touch_one(pr, ev, argn,
			    (int)ev->ev_args[argn]);
	}
}
