/* SPDX-License-Identifier: ISC */
/*
 * Texts are the strings of an event without a kind (DT_STR_KINDS), paths of
 * descriptors those with DT_STR_FILE.
 */
#include "cli/base/event_text.h"

const struct dt_rec_string *
event_text(const struct dt_event *entry, const struct dt_event *ret,
    unsigned int argn)
{
	const struct dt_event *const both[] = { entry, ret };
	const struct dt_rec_string *s;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		s = NULL;
		while (both[i] != NULL && (s = dt_string(both[i], s)) != NULL) {
			if (s->drt_argn == argn && s->drt_error == 0 &&
			    (s->drt_flags & DT_STR_KINDS) == 0)
				return s;
		}
	}
	return NULL;
}

const struct dt_rec_string *
event_file(const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;

	while (ev != NULL && (s = dt_string(ev, s)) != NULL) {
		if (s->drt_argn == argn &&
		    (s->drt_flags & DT_STR_KINDS) == DT_STR_FILE)
			return s;
	}
	return NULL;
}
