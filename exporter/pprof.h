/* SPDX-License-Identifier: ISC */
/* /debug/pprof/profile: a profile of the machine, for who may have it. */
#ifndef EXPORTER_PPROF_H
#define EXPORTER_PPROF_H

#include "exporter/http.h"

/* One more group whose members may; ends the program if there is none. */
void pprof_allow(const char *group);
/* The program dt(1); NULL: the usual one. */
void pprof_start(const char *dt);

void pprof_page(struct MHD_Connection *, struct http_reply *);

#endif /* EXPORTER_PPROF_H */
