/* SPDX-License-Identifier: ISC */
/* Receives the places that were found for a query (wire/file_probe.h). */
#ifndef SYMBOLIZER_PROBE_SINK_H
#define SYMBOLIZER_PROBE_SINK_H

#include "wire/file_probe.h"

/* Strings: NULL if there are none. */
struct found_arg {
	struct probe_arg fa_arg; /* without its strings */
	const char *fa_name;
	const char *fa_type;
	const char *fa_why;
};

struct found_site {
	struct probe_site fo_site; /* without its strings */
	const char *fo_name;
	const char *fo_more;
	const struct found_arg *fo_args; /* their number is psi_nargs */
};

/* Strings stay the caller's. */
struct probe_sink {
	void (*psk_put)(struct probe_sink *, const struct found_site *);
	void (*psk_more)(struct probe_sink *); /* sites were left out */
};

#endif /* SYMBOLIZER_PROBE_SINK_H */
