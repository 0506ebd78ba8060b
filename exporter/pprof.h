/* SPDX-License-Identifier: ISC */
/* /debug/pprof/profile: a profile of the machine, for permitted users. */
#ifndef EXPORTER_PPROF_H
#define EXPORTER_PPROF_H

#include "exporter/http.h"

/* Permits the members of a group; exits if there is no such group. */
void pprof_allow(const char *group);
/*
 * Sets the program dt(1) and its --call-graph; NULL: the default.  Exits if the
 * program is not executable.
 */
void pprof_start(const char *dt, const char *callgraph);

void pprof_page(struct MHD_Connection *, struct http_reply *);

#endif /* EXPORTER_PPROF_H */
