/* SPDX-License-Identifier: ISC */
/*
 * DTIOCSYM: from addresses to names.  Addresses of the kernel only: those of
 * processes (dtsy_pid not 0) have no names here yet, so each of their frames
 * comes back without one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dt_softc.h"
#include "sym/kallsyms.h"

/* Appends a string to the table behind the frames; 0 if it has no room. */
static uint32_t
put_string(char *strings, size_t *used, size_t max, const char *s)
{
	size_t n = strlen(s) + 1;
	uint32_t ref = *used + 1;

	if (*s == '\0' || *used + n > max)
		return 0;
	memcpy(strings + *used, s, n);
	*used += n;
	return ref;
}

static void
dt_sym_reply(struct ioctl_call *ic, const struct ksym *ks, uint32_t n)
{
	struct wire_list *wl = ic->ic_out;
	struct wire_frame *wf = (struct wire_frame *)(wl + 1);
	char *strings = (char *)(wf + n);
	size_t used = 0, max = IOCTL_MAXOUT - sizeof(*wl) - n * sizeof(*wf);
	uint32_t i;

	wl->wl_total = wl->wl_count = n;
	memset(wf, 0, n * sizeof(*wf));
	for (i = 0; i < n; i++) {
		wf[i].wf_pc = i;
		if (ks == NULL)
			continue;
		wf[i].wf_func = put_string(strings, &used, max, ks[i].ks_name);
		wf[i].wf_module = put_string(strings, &used, max,
		    ks[i].ks_module);
		wf[i].wf_offset = ks[i].ks_offset;
	}
	ic->ic_outlen = sizeof(*wl) + n * sizeof(*wf) + used;
}

static void
dt_sym_run(struct work *w)
{
	struct dt_softc *sc = work_softc(w);
	struct ioctl_call *ic = sc->ds_call;
	const struct wire_sym *wy = ic->ic_in;
	struct ksym *ks;

	if ((ks = calloc(wy->wy_npcs + 1, sizeof(*ks))) == NULL) {
		sc->ds_error = ENOMEM;
		return;
	}
	sc->ds_error = kallsyms_lookup((const uint64_t *)(wy + 1), wy->wy_npcs,
	    ks);
	if (sc->ds_error == 0)
		dt_sym_reply(ic, ks, wy->wy_npcs);
	else
		snprintf(ic->ic_text, IOCTL_TEXT, "/proc/kallsyms: %s",
		    sc->ds_error == EPERM
			? "addresses are hidden "
			  "(kernel.kptr_restrict, or CAP_SYSLOG lacks)"
			: strerror(sc->ds_error));
	free(ks);
}

static void
dt_sym_done(struct work *w)
{
	struct dt_softc *sc = work_softc(w);

	dt_call_done(sc, sc->ds_error);
}

int
dt_ioctl_sym(void *arg, struct ioctl_call *ic)
{
	struct dt_softc *sc = arg;
	const struct wire_sym *wy = ic->ic_in;

	if (wy->wy_npcs > WIRE_MAXSYM ||
	    ic->ic_inlen != sizeof(*wy) + wy->wy_npcs * sizeof(uint64_t)) {
		snprintf(ic->ic_text, IOCTL_TEXT,
		    "%u addresses in %zu bytes; "
		    "at most %d",
		    wy->wy_npcs, ic->ic_inlen, WIRE_MAXSYM);
		return EINVAL;
	}
	if (wy->wy_pid != 0) {
		dt_sym_reply(ic, NULL, wy->wy_npcs);
		return 0;
	}
	return dt_call_later(sc, ic, dt_sym_run, dt_sym_done);
}
