/* SPDX-License-Identifier: ISC */
/*
 * Finds places in a file where a program can be probed: functions, lines,
 * instructions and static probes.  A symbolizer reads the file; its replies are
 * cached.  As for the requests in symbolizer.h: from any thread that may wait,
 * after symbolizer_begin().
 */
#ifndef DAEMON_SYM_FILE_PROBES_H
#define DAEMON_SYM_FILE_PROBES_H

#include <stddef.h>
#include <stdint.h>

#include "wire/file_probe.h"

struct mapped_file;

/*
 * What matched.  The arguments of the first site are the first psi_nargs of
 * fip_args, and so on.  Strings by wire_string(fip_strings, offset).
 */
struct file_probes {
	uint32_t fip_nsites;
	uint32_t fip_nargs;
	struct probe_site *fip_sites;
	struct probe_arg *fip_args;
	char *fip_strings;
	uint32_t fip_nbytes; /* of the strings */
	int fip_ismore;	     /* more matched than pq_max */
};

/*
 * Stores what matches a query, of which name is pq_name (NULL: none).  Returns
 * 0, also if nothing does; an errno of symbolizer_names(); ENAMETOOLONG;
 * EOPNOTSUPP, the file is for another machine, or has no code that can be
 * decoded.
 */
int file_probes_get(struct mapped_file *, struct probe_query *,
    const char *name, struct file_probes *);
/* Returns the arguments of the i-th site, psi_nargs of them; NULL: there are
 * none at all. */
const struct probe_arg *
file_probes_args(const struct file_probes *, uint32_t i);
void file_probes_free(struct file_probes *);

#endif /* DAEMON_SYM_FILE_PROBES_H */
