/* SPDX-License-Identifier: ISC */
/*
 * Descriptors and paths among arguments, as shape.h tells: found by names and
 * types of the kernel's own, once a probe.
 */
#include <string.h>

#include "argfd.h"
#include "path.h"
#include "shape.h"

/* The argument before a path may be the descriptor of its folder. */
static int
shape_isdir(const struct probe *pr, unsigned int argn)
{
	return argfd_isdir(pr->pr_desc.pd_info.dtpi_func,
	    pr->pr_desc.pd_names[argn].dtan_name);
}

void
shape_find(struct shape *sh, const struct probe *pr)
{
	const struct dt_probe_desc *pd = &pr->pr_desc;
	unsigned int i, n = pd->pd_info.dtpi_nargs;

	memset(sh, 0, sizeof(*sh));
	for (i = 0; i < n && i < DT_REC_NARGS; i++) {
		if (pd->pd_names[i].dtan_flags & DTAN_PATH) {
			sh->sh_dirs[sh->sh_npaths] = i > 0 &&
				shape_isdir(pr, i - 1)
			    ? i - 1
			    : SHAPE_NODIR;
			sh->sh_paths[sh->sh_npaths++] = i;
		} else if (argfd_is(pd->pd_names[i].dtan_name,
			       pd->pd_types[i].dtai_argtype))
			sh->sh_fds[sh->sh_nfds++] = i;
	}
}

static const struct dt_rec_string *
shape_string_of(const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;

	if (ev == NULL || ev->ev_strings == NULL)
		return NULL;
	while ((s = dt_string(ev, s)) != NULL) {
		if (s->drt_argn == argn && (s->drt_flags & DT_STR_KINDS) == 0 &&
		    s->drt_error == 0)
			return s;
	}
	return NULL;
}

const struct dt_rec_string *
shape_string(const struct shape_call *sc, unsigned int argn)
{
	const struct dt_rec_string *s = shape_string_of(sc->sc_entry, argn);

	return s != NULL ? s : shape_string_of(sc->sc_ret, argn);
}

int
shape_iswhole(const struct dt_rec_string *s)
{
	return s->drt_truelen <= s->drt_length;
}

size_t
shape_path(const struct shape_call *sc, unsigned int argn, unsigned int dir,
    char *buf, size_t size)
{
	const struct dt_event *ev = sc->sc_entry != NULL ? sc->sc_entry
							 : sc->sc_ret;
	const struct dt_rec_string *s = shape_string(sc, argn);
	const char *name, *from = NULL;
	int fd = PROCS_CWD;

	if (s == NULL)
		return 0;
	name = DT_STRING_BYTES(s);
	if (s->drt_length == 0 || *name != '/') {
		if (dir != SHAPE_NODIR) {
			if (sc->sc_entry == NULL ||
			    dir >= sc->sc_entry->ev_nargs)
				return 0;
			fd = (int)sc->sc_entry->ev_args[dir];
		}
		from = procs_fd(sc->sc_procs, ev->ev_rec->dr_pid, fd);
	}
	return path_join(buf, size, from, name, s->drt_length);
}

static int
shape_isrelative(const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = shape_string_of(ev, argn);

	/* what can't be read yet may be read by the return */
	return s == NULL || s->drt_length == 0 || *DT_STRING_BYTES(s) != '/';
}

void
shape_touch(const struct shape *sh, struct procs *pr, const struct dt_event *ev)
{
	uint32_t pid = ev->ev_rec->dr_pid;
	unsigned int i;

	if (ev->ev_args == NULL)
		return;
	for (i = 0; i < sh->sh_nfds; i++) {
		if (sh->sh_fds[i] < ev->ev_nargs)
			procs_fd(pr, pid, (int)ev->ev_args[sh->sh_fds[i]]);
	}
	for (i = 0; i < sh->sh_npaths; i++) {
		if (sh->sh_dirs[i] == SHAPE_NODIR &&
		    shape_isrelative(ev, sh->sh_paths[i]))
			procs_fd(pr, pid, PROCS_CWD);
	}
}

int
shape_isfolder(const struct shape *sh, unsigned int argn)
{
	unsigned int i;

	for (i = 0; i < sh->sh_npaths; i++) {
		if (sh->sh_dirs[i] == argn)
			return 1;
	}
	return 0;
}
